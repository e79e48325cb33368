//! Shape matching in a running scene.

use crate::model::{BodyModel, Family, Model};
use crate::scene::{Problem, SceneError, World};

/// Whether clusters can be drawn back to their shapes in a world.
pub(super) fn check_shapes(model: &Model, world: &World) -> Result<(), SceneError> {
    let is_bare = |body: &&BodyModel| !body.tets.is_empty() && body.springs.is_empty();
    let bare = model.bodies.iter().find(is_bare);
    if let Some(body) = bare.filter(|_| world.plasticity > 0.0) {
        let problem = format!(
            "`world.plasticity` lets springs yield, and body {:?} has `shape_matching` instead",
            body.name
        );
        let help = "give the body `plasticity` in its `shape_matching`, or `springs = true`; leave out \
                    `world.plasticity` otherwise";
        return Err(Problem::new("world.plasticity", problem).help(help).into());
    }
    let mut clusters =
        model.shapes.clusters.iter().map(|c| &model.shapes.members[c.first as usize]);
    let is_implicit = |vertex: u32| {
        model.bodies[model.body_of_vertex(vertex)].family_in(world) == Family::Implicit
    };
    let Some(member) = clusters.find(|member| is_implicit(member.vertex)) else { return Ok(()) };
    let problem = format!(
        "body {:?} takes implicit steps, and its `shape_matching` is for explicit ones",
        model.bodies[model.body_of_vertex(member.vertex)].name
    );
    let help = "take an explicit `world.integrator`, such as `verlet`: shape matching holds at any timestep; \
                bodies of springs may take implicit steps beside it with `implicit = true`";
    Err(Problem::new("bodies", problem).help(help).into())
}
