//! Forces of drags and pushes on one vertex.

use crate::math::{Real, Vec3};

/// Force of a rubber band that pulls a vertex of mass `mass` at `x` with velocity `v` to `goal`.
pub fn drag_force<R: Real>(x: Vec3<R>, v: Vec3<R>, goal: Vec3<R>, mass: R, k: R) -> Vec3<R> {
    (goal - x) * k - v * drag_damping(mass, k)
}

/// What damps the band critically \[N·s/m\].
pub fn drag_damping<R: Real>(mass: R, k: R) -> R {
    R::of(2.0) * (k * mass).sqrt()
}

/// Force of a push on a vertex at `x`: `force` along the unit vector `axis` inside the cylinder.
pub fn push_force<R: Real>(
    x: Vec3<R>,
    origin: Vec3<R>,
    axis: Vec3<R>,
    radius: R,
    force: R,
) -> Vec3<R> {
    let from = x - origin;
    let away = from - axis * from.dot(axis);
    if away.dot(away) <= radius * radius { axis * force } else { Vec3::zero() }
}
