//! What the vertices of a body have in common during a stretch.

use super::Advance;
use crate::math::Vec3;
use crate::model::{BodyModel, Model};
use crate::stages::walls::Walls;

/// What is the same for all vertices of a body.
#[derive(Clone, Copy)]
pub struct BodyConstants {
    /// Gravity \[m/s²\].
    pub gravity: [f32; 3],
    /// Force on every vertex \[N\].
    pub external: [f32; 3],
    /// The largest acceleration, in any direction, that is not yet an explosion \[m/s²\].
    pub limit: f32,
    /// The world box in the body's coordinates.
    pub walls: Option<Walls<f32>>,
}

/// The constants of every body in a stretch.
pub(crate) fn body_constants(model: &Model, job: &Advance<'_>) -> Vec<BodyConstants> {
    let world = job.world;
    let single = |v: [f64; 3]| v.map(|c| c as f32);
    let body = |(b, origin): (&BodyModel, &[f64; 3])| BodyConstants {
        gravity: single(world.gravity),
        external: single(world.external_force),
        // A stable step moves a vertex by less than four times its distance from equilibrium. A
        // force that would throw it past several neighbours has lost all connection with elasticity.
        limit: (4.0 * b.edge.max(1e-12) / (job.h * job.h)).min(f64::from(f32::MAX)) as f32,
        walls: world.bounds.as_ref().map(|bounds| {
            let [low, high] = bounds.corners();
            let local = |c: [f64; 3]| Vec3::of(std::array::from_fn(|k| c[k] - origin[k]));
            Walls {
                low: local(low),
                high: local(high),
                restitution: bounds.restitution as f32,
                friction: bounds.friction as f32,
            }
        }),
    };
    model.bodies.iter().zip(job.origins).map(body).collect()
}
