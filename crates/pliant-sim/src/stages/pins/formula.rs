//! Where one pinned vertex is led; twin of formula.wgsl.

use crate::math::{Real, Vec3, vec3};

/// Where a pin leads until the end of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Led<R> {
    /// Its turn less the identity, by rows.
    pub turn: [Vec3<R>; 3],
    /// How far it has gone from where the origin of its body was at the start, seen from where that is now \[m\].
    pub shift: Vec3<R>,
}

/// The velocity \[m/s\] that leads a vertex from `x`, of which rounding took `compensation`, to where it is to be;
/// `rest` is where it was at the start, `arm` that as seen from the point that it turns about \[m\].
pub fn leading_velocity<R: Real>(
    [x, compensation]: [Vec3<R>; 2],
    [rest, arm]: [Vec3<R>; 2],
    led: &Led<R>,
    per_h: R,
) -> Vec3<R> {
    let turned = vec3(led.turn[0].dot(arm), led.turn[1].dot(arm), led.turn[2].dot(arm));
    ((rest - x) + (turned + led.shift) - compensation) * per_h
}
