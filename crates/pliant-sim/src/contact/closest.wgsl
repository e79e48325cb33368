// Where two primitives come nearest to each other: a point and a triangle, or two edges. Twin of closest.rs.

/// What of a primitive is nearest: the corner with this number, the inside of the edge from corner k to the next, or
/// the inside of the triangle.
const CORNER: u32 = 0u;
const EDGE: u32 = 3u;
const FACE: u32 = 6u;

struct Closest {
    /// For a point and a triangle (1, −α, −β, −γ), for two edges (1−s, s, t−1, −t).
    weights: vec4<f32>,
    /// From the nearest point of the second primitive to that of the first [m].
    gap: vec3<f32>,
    /// Which parts are nearest.
    first: u32,
    second: u32,
    /// Whether there is any such place.
    is_there: bool,
}

/// Whether a number is finite, told by its bits: compilers may assume that numbers are numbers.
fn is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

/// Whether a number is finite and above zero.
fn is_positive(x: f32) -> bool {
    return bitcast<u32>(x) - 1u < 0x7f7fffffu;
}

/// Whether a number lies between 0 and 1 and is neither.
fn is_between(x: f32) -> bool {
    return bitcast<u32>(x) - 1u < 0x3f7fffffu;
}

/// The one that is nearer; the first one of equals.
fn or_nearer(one: Closest, other: Closest) -> Closest {
    if (other.is_there && dot(other.gap, other.gap) < dot(one.gap, one.gap)) {
        return other;
    }
    return one;
}

/// The place on a segment that is nearest to a point: how far along, from 0 to 1.
fn along(point: vec3<f32>, start: vec3<f32>, end: vec3<f32>) -> f32 {
    let edge = end - start;
    let square = dot(edge, edge);
    // An edge without length is its first end.
    if (square > 0.0) {
        return clamp(dot(point - start, edge) / square, 0.0, 1.0);
    }
    return 0.0;
}

/// The corner or the inside of the edge from corner `k` to `next`, by how far along it is.
fn part(t: f32, k: u32, next: u32) -> u32 {
    if (t <= 0.0) {
        return CORNER + k;
    }
    if (t >= 1.0) {
        return CORNER + next;
    }
    return EDGE + k;
}

/// The nearest points of `point` and the triangle of these corners.
fn point_triangle(point: vec3<f32>, corners: array<vec3<f32>, 3>) -> Closest {
    var nearest = point_edge(point, corners, 0u);
    nearest = or_nearer(nearest, point_edge(point, corners, 1u));
    nearest = or_nearer(nearest, point_edge(point, corners, 2u));
    return or_nearer(nearest, point_face(point, corners));
}

/// Against the edge from corner `k` to the next.
fn point_edge(point: vec3<f32>, corners: array<vec3<f32>, 3>, k: u32) -> Closest {
    var x = corners;
    let next = (k + 1u) % 3u;
    let a = x[k];
    let b = x[next];
    let t = along(point, a, b);
    var weights = vec4(1.0, 0.0, 0.0, 0.0);
    weights[1u + k] = t - 1.0;
    weights[1u + next] = -t;
    return Closest(weights, gap_along(point, a, b, t), CORNER, part(t, k, next), true);
}

/// From the place `t` of an edge to a point; from the nearer end, so that the gap keeps its digits however long the
/// edge is.
fn gap_along(point: vec3<f32>, a: vec3<f32>, b: vec3<f32>, t: f32) -> vec3<f32> {
    if (t <= 0.5) {
        return (point - a) - (b - a) * t;
    }
    return (point - b) - (a - b) * (1.0 - t);
}

/// Against the inside of the triangle; nothing if the point is not above or below it.
fn point_face(point: vec3<f32>, corners: array<vec3<f32>, 3>) -> Closest {
    let a = corners[0] - point;
    let b = corners[1] - point;
    let c = corners[2] - point;
    let normal = cross(b - a, c - a);
    // Twice the areas of the three parts into which the point's foot cuts the triangle, times |normal|.
    let areas = vec3(dot(cross(b, c), normal), dot(cross(c, a), normal), dot(cross(a, b), normal));
    let whole = areas.x + areas.y + areas.z;
    let is_above = is_positive(areas.x) && is_positive(areas.y) && is_positive(areas.z)
        && is_positive(whole);
    let parts = areas / select(1.0, whole, is_above);
    let gap = -(a * parts.x + b * parts.y + c * parts.z);
    return Closest(vec4(1.0, -parts), gap, CORNER, FACE, is_above);
}

/// The nearest points of two edges, first[0] to first[1] and second[0] to second[1].
fn edge_edge(first: array<vec3<f32>, 2>, second: array<vec3<f32>, 2>) -> Closest {
    var nearest = end_edge(first, second, 0u);
    nearest = or_nearer(nearest, end_edge(first, second, 1u));
    nearest = or_nearer(nearest, swapped(end_edge(second, first, 0u)));
    nearest = or_nearer(nearest, swapped(end_edge(second, first, 1u)));
    return or_nearer(nearest, insides(first, second));
}

/// One end of the first edge against all of the second.
fn end_edge(first: array<vec3<f32>, 2>, second: array<vec3<f32>, 2>, end: u32) -> Closest {
    var ends = first;
    let point = ends[end];
    let t = along(point, second[0], second[1]);
    var weights = vec4(0.0, 0.0, t - 1.0, -t);
    weights[end] = 1.0;
    let gap = gap_along(point, second[0], second[1], t);
    return Closest(weights, gap, CORNER + end, part(t, 0u, 1u), true);
}

/// Where the insides of both edges are nearest; nothing if that is not within both, or if they are parallel.
fn insides(first: array<vec3<f32>, 2>, second: array<vec3<f32>, 2>) -> Closest {
    let d1 = first[1] - first[0];
    let d2 = second[1] - second[0];
    let between = first[0] - second[0];
    let normal = cross(d1, d2);
    let square = dot(normal, normal);
    let is_crossing = is_positive(square);
    let whole = select(1.0, square, is_crossing);
    let s = dot(normal, cross(d2, between)) / whole;
    let t = dot(normal, cross(d1, between)) / whole;
    let is_there = is_crossing && is_between(s) && is_between(t);
    // What s has lost by rounding, where edges are nearly parallel, the other makes up for.
    let u = along(first[0] + d1 * s, second[0], second[1]);
    let gap = between + d1 * s - d2 * u;
    return Closest(vec4(1.0 - s, s, u - 1.0, -u), gap, EDGE, part(u, 0u, 1u), is_there);
}

/// The same pair seen from the other side.
fn swapped(pair: Closest) -> Closest {
    let w = pair.weights;
    return Closest(vec4(-w.z, -w.w, -w.x, -w.y), -pair.gap, pair.second, pair.first, pair.is_there);
}
