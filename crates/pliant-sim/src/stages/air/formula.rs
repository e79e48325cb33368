//! The force of air on one triangle; twin of formula.wgsl.

use crate::math::{Real, Vec3};

/// The air in a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air<R> {
    /// Its velocity \[m/s\].
    pub wind: Vec3<R>,
    /// Half its density times the coefficient of drag \[kg/m³\].
    pub drag: R,
    /// The same of lift; 0 without drag.
    pub lift: R,
    /// The square of lift over drag.
    pub ratio: R,
    /// The step whose impulses are limited \[s\]; 0 where none are.
    pub h: R,
}

/// What the air does to a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirForce<R> {
    /// The force on it \[N\].
    pub force: Vec3<R>,
    /// How much harder the air pulls for each unit of speed \[kg/s\].
    pub resistance: R,
}

/// The force of the air on a triangle of the given `corners`, which move with these `velocities`; `inv_mass` is what
/// the air may take for the inverse of its mass \[1/kg\].
pub fn air_force<R: Real>(
    corners: [Vec3<R>; 3],
    velocities: [Vec3<R>; 3],
    inv_mass: R,
    air: Air<R>,
) -> AirForce<R> {
    let [zero, one] = [R::of(0.0), R::of(1.0)];
    let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]) * R::of(0.5);
    let mean = (velocities[0] + velocities[1] + velocities[2]) * R::of(1.0 / 3.0);
    let u = mean - air.wind;
    let [size, speed] = [area.length(), u.length()];
    // Neither a triangle without area nor one that goes with the air feels it.
    if !(size > zero && speed > zero) {
        return AirForce { force: Vec3::zero(), resistance: zero };
    }
    let normal = area * (one / size);
    let cosine = normal.dot(u) / speed;
    let across = size * cosine * speed;
    let sine2 = R::max(zero, one - cosine * cosine);
    let drag = air.drag * across.abs();
    let force = u * (zero - drag) - (normal * speed - u * cosine) * (air.lift * across);
    let resistance = drag * (one + air.ratio * sine2);
    let rate = air.h * inv_mass * resistance;
    let share = if rate > one { one / rate } else { one };
    AirForce { force: force * share, resistance }
}
