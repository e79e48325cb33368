//! Limits of strain in a running scene.

use crate::model::{Family, Model};
use crate::scene::{Problem, SceneError, World};

/// Whether limits can be kept in a world.
pub(super) fn check_limits(model: &Model, world: &World) -> Result<(), SceneError> {
    let is_limited = |vertices: &std::ops::Range<u32>| {
        let first = model.limits.edges.partition_point(|edge| edge.ends[0] < vertices.start);
        model.limits.edges.get(first).is_some_and(|edge| edge.ends[0] < vertices.end)
    };
    let implicit = model.bodies.iter().filter(|body| body.family_in(world) == Family::Implicit);
    let Some(body) = implicit.into_iter().find(|body| is_limited(&body.vertices)) else {
        return Ok(());
    };
    let problem = format!(
        "body {:?} takes implicit steps, and its `strain_limit` is for explicit ones",
        body.name
    );
    let help = "leave it out, since stiff springs are enough in implicit steps, or take an explicit \
                `world.integrator`, such as `verlet`";
    Err(Problem::new("bodies", problem).help(help).into())
}
