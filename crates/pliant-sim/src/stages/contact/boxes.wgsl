// Boxes that never lie: they are rounded outward, so that no rounding loses a pair.

/// Children of a node.
const WIDTH: u32 = 16u;

/// What a box grows by, relative to the size of its coordinates: positions that were rounded twice (2⁻²⁴ each), the
/// sum with what they reach, and the growth itself.
const OUTWARD: f32 = 4.8e-7;

/// A box [m].
struct Bounds {
    low: vec3<f32>,
    high: vec3<f32>,
}

/// Round a vertex, as far as it reaches.
fn around(placed: vec4<f32>) -> Bounds {
    return Bounds(placed.xyz - placed.w, placed.xyz + placed.w);
}

fn joined(a: Bounds, b: Bounds) -> Bounds {
    return Bounds(min(a.low, b.low), max(a.high, b.high));
}

fn grown(a: Bounds) -> Bounds {
    return Bounds(a.low - abs(a.low) * OUTWARD, a.high + abs(a.high) * OUTWARD);
}

/// Whether two boxes meet. Those that touch do.
fn meet(a: Bounds, b: Bounds) -> bool {
    return all(a.low <= b.high) && all(b.low <= a.high);
}
