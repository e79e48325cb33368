//! One edge that may not get longer than its limit; twin of formula.wgsl.

use crate::math::{Real, Vec3};

/// Where an edge leads, and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<R> {
    /// From its first end to the second; of length 1.
    pub along: Vec3<R>,
    /// \[m\]
    pub length: R,
}

/// The span of an edge whose second end is at `d` as seen from the first \[m\]. One without length leads nowhere.
pub fn span<R: Real>(d: Vec3<R>) -> Span<R> {
    let length = d.length();
    Span { along: d * (R::of(1.0) / length.max(R::of(1e-30))), length }
}

/// How much faster an edge gets longer than would take it to its limit in a substep \[m/s\]; `u` is the velocity of its
/// second end as seen from the first \[m/s\], `per_h` the inverse of the substep's length \[1/s\].
pub fn overspeed<R: Real>(span: Span<R>, u: Vec3<R>, limit: R, per_h: R) -> R {
    span.along.dot(u) + (span.length - limit) * per_h
}

/// The change of an edge's impulse \[kg·m/s\] in an iteration with the numbers a and b, after one that changed it by
/// `last`: impulses never push.
pub fn impulse_change<R: Real>(
    overspeed: R,
    gain: R,
    [impulse, last]: [R; 2],
    [a, b]: [R; 2],
) -> R {
    (a * gain * overspeed + b * last).max(-impulse)
}

/// x + d, and what rounding took from it, of which `compensation` was taken before \[m\].
pub fn moved<R: Real>(x: Vec3<R>, compensation: Vec3<R>, d: Vec3<R>) -> [Vec3<R>; 2] {
    let d = d + compensation;
    let sum = x + d;
    [sum, d - (sum - x)]
}
