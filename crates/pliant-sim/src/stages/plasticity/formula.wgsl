// Yielding, one tetrahedron at a time; twin of formula.rs.

#import pliant::elastic

/// What a tetrahedron returns to.
struct RestShape {
    /// Rest lengths of its springs, in the order of the edge table [m].
    lengths: array<f32, 6>,
    /// Six times its rest volume [m³].
    volume6: f32,
    /// Which springs have just yielded, a bit each.
    yielded: u32,
}

/// Tests the six springs of a tetrahedron at `x` and lets those that yield.
fn yield_springs(x: array<vec3<f32>, 4>, plasticity: f32, before: RestShape) -> RestShape {
    var rest = before;
    rest.yielded = 0u;
    var now = array(
        distance_of(x[0], x[1]), distance_of(x[0], x[2]), distance_of(x[0], x[3]),
        distance_of(x[1], x[2]), distance_of(x[1], x[3]), distance_of(x[2], x[3]),
    );
    for (var k = 0u; k < 6u; k++) {
        if (abs(now[k] - rest.lengths[k]) > plasticity * rest.lengths[k]) {
            rest.lengths[k] = now[k];
            rest.yielded |= 1u << k;
        }
    }
    if (rest.yielded != 0u) {
        let volume6 = six_volumes(x);
        // A tetrahedron that is squashed flat or inverted for a moment must not want to stay so.
        if (volume6 > 0.01 * rest.volume6) {
            rest.volume6 = volume6;
        }
    }
    return rest;
}

fn distance_of(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return sqrt(dot(b - a, b - a));
}

/// Rest length of a merged spring of stiffness `k`: that of its first tetrahedron, and the
/// stiffness-weighted sum of what the others have more. Exact when all have the same.
fn merged_length(first: f32, excess: f32, k: f32) -> f32 {
    if (k > 0.0) {
        return first + excess / k;
    }
    return first;
}
