//! Colliders that hands may take hold of.

use pliant_sim::Simulator;
use pliant_sim::model::Given;
use pliant_sim::scene::Pose;
use pliant_sim::stages::colliders::Colliders;

use super::Ray;
use super::hands::{Triangle, cross, dot, minus};

/// The most steps along a ray.
const MOST_STEPS: usize = 1000;
/// What is nearer than this part of the way along a ray is met.
const NEAR: f64 = 1e-6;

/// The collider that a ray first meets, and where \[m\]. Surfaces are met from the side of the bodies, as they are
/// drawn: one looks into what is hollow. Ground is not met: it would be everywhere.
pub(super) fn first_hit(sim: &Simulator, ray: &Ray) -> Option<(usize, [f64; 3])> {
    let model = sim.model();
    let shapes = model.colliders.places.iter().enumerate().filter_map(|(i, &number)| {
        let pose = sim.collider_pose(number)?;
        let is_ground = model.colliders.list[i].shape.is_ground();
        let t = (!is_ground).then(|| meets(&model.colliders, i, &pose, ray)).flatten()?;
        Some((t, number))
    });
    let meshes = model.given.iter().filter_map(|given| {
        let points = sim.collider_points(given.collider)?;
        Some((meets_mesh(given, &points, ray)?, given.collider))
    });
    let (t, number) = shapes.chain(meshes).min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((number, ray.at(t)))
}

/// Where along a ray a shape is met: from place to place as far as nothing can be nearer (Hart 1996, "Sphere
/// tracing", section 2).
fn meets(colliders: &Colliders, i: usize, pose: &Pose, ray: &Ray) -> Option<f64> {
    let length = dot(ray.direction, ray.direction).sqrt();
    let own = Ray {
        origin: pose.turned_back(minus(ray.origin, pose.translation)),
        direction: pose.turned_back(ray.direction),
    };
    let (mut t, mut was_outside) = (0.0, false);
    for _ in 0..MOST_STEPS {
        let gap = colliders.distance(i, own.at(t));
        let near = NEAR * (length * t).max(dot(own.origin, own.origin).sqrt());
        if was_outside && gap < near {
            return Some(t);
        }
        was_outside |= gap > near;
        t += gap.abs().max(near) / length;
        if !t.is_finite() {
            return None;
        }
    }
    None
}

/// Where along a ray the triangles of a mesh are met; those of a solid from outside only.
fn meets_mesh(given: &Given, points: &[[f64; 3]], ray: &Ray) -> Option<f64> {
    let corners = |t: &[u32; 3]| t.map(|v| points[v as usize]);
    let faces = |[a, b, c]: Triangle| {
        !given.is_solid || dot(cross(minus(b, a), minus(c, a)), ray.direction) < 0.0
    };
    let seen = given.triangles.iter().map(corners).filter(|&corners| faces(corners));
    ray.first_hit(seen.map(|corners| ((), corners))).map(|(t, ())| t)
}
