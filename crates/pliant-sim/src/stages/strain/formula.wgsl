// One edge that may not get longer than its limit; twin of formula.rs.

/// Where an edge leads, and how far.
struct Span {
    /// From its first end to the second; of length 1.
    along: vec3<f32>,
    /// [m]
    length: f32,
}

/// A place, and what rounding took from it.
struct Moved {
    x: vec3<f32>,
    compensation: vec3<f32>,
}

/// The span of an edge whose second end is at `d` as seen from the first [m]. One without length leads nowhere.
fn span(d: vec3<f32>) -> Span {
    let length = sqrt(dot(d, d));
    return Span(d * (1.0 / max(length, 1e-30)), length);
}

/// How much faster an edge gets longer than would take it to its limit in a substep [m/s]; `u` is the velocity of its
/// second end as seen from the first [m/s], `per_h` the inverse of the substep's length [1/s].
fn overspeed(edge: Span, u: vec3<f32>, limit: f32, per_h: f32) -> f32 {
    return dot(edge.along, u) + (edge.length - limit) * per_h;
}

/// The change of an edge's impulse [kg·m/s] in an iteration with the numbers `a` and `b`, after one that changed it by
/// `last`: impulses never push.
fn impulse_change(overspeed: f32, gain: f32, impulse: f32, last: f32, a: f32, b: f32) -> f32 {
    return max(a * gain * overspeed + b * last, -impulse);
}

/// x + d, and what rounding took from it, of which `compensation` was taken before [m].
///
/// Compilers may take (x + d) − x for d: they cannot look through a sum whose bits were changed by an unknown `zero`.
fn moved(x: vec3<f32>, compensation: vec3<f32>, distance: vec3<f32>, zero: u32) -> Moved {
    let d = distance + compensation;
    let sum = bitcast<vec3<f32>>(bitcast<vec3<u32>>(x + d) ^ vec3(zero));
    return Moved(sum, d - (sum - x));
}
