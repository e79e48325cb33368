// The law of one contact: twin of formula.rs.

#import pliant::closest

/// What touches: a vertex and a triangle, or two edges.
const VERTEX_TRIANGLE: u32 = 0u;
const EDGE_EDGE: u32 = 1u;

/// What a surface at the distance of its thickness is like at a row.
const FLAT: u32 = 0u;
const ROUND_EDGE: u32 = 1u;
const ROUND_CORNER: u32 = 2u;

/// Two primitives that touch, or may do so within a substep.
struct Row {
    /// With which the corners add up to the gap.
    weights: vec4<f32>,
    /// Unit vector from the second primitive to the first.
    normal: vec3<f32>,
    /// How near they may come [m].
    thickness: f32,
    /// How much nearer they are than that; negative where they only come near [m].
    depth: f32,
    /// Whether they may roll over each other, and round an edge of which direction.
    roundness: u32,
    edge: vec3<f32>,
    /// Whether they are near.
    is_there: bool,
}

/// What is the same for all rows of a substep.
struct Law {
    /// Coulomb friction coefficient.
    friction: f32,
    /// Length of the substep [s].
    h: f32,
}

/// The part of what two surfaces are too near each other that a substep makes up for at most, and the inverse of
/// the time in which it is made up for [1/s].
const RECOVERY: f32 = 0.2;
const RECOVERY_RATE: f32 = 100.0;
/// Surfaces that are too near come apart as fast as what falls by half of their thickness at this gravity [m/s²].
const RECOVERY_PULL: f32 = 2.0;
/// What is deeper than so many thicknesses comes out no faster.
const MOST_DEPTH: f32 = 2.0;
/// How many thicknesses ahead a row looks.
const AHEAD: f32 = 2.0;

/// Where the vertex x[0] and the triangle of the others, or two edges, come nearest.
fn nearest(kind: u32, x: array<vec3<f32>, 4>) -> Closest {
    if (kind == VERTEX_TRIANGLE) {
        return point_triangle(x[0], array(x[1], x[2], x[3]));
    }
    return edge_edge(array(x[0], x[1]), array(x[2], x[3]));
}

/// Whether plane and point, or the two lines, are farther apart than `reach`.
fn is_beyond(kind: u32, x: array<vec3<f32>, 4>, reach: f32) -> bool {
    let across = across(kind, x);
    let other = select(x[2], x[1], kind == VERTEX_TRIANGLE);
    let gap = dot(x[0] - other, across);
    return gap * gap > reach * reach * dot(across, across);
}

/// Whether the insides of both are nearest, so that the gap is at right angles to both.
fn is_inside(kind: u32, nearest: Closest) -> bool {
    if (kind == VERTEX_TRIANGLE) {
        return nearest.second == FACE;
    }
    return nearest.first == EDGE && nearest.second == EDGE;
}

/// At right angles to the triangle, or to both edges; of any length.
fn across(kind: u32, x: array<vec3<f32>, 4>) -> vec3<f32> {
    if (kind == VERTEX_TRIANGLE) {
        return cross(x[2] - x[1], x[3] - x[1]);
    }
    return cross(x[1] - x[0], x[3] - x[2]);
}

/// The outside of a solid.
struct Outside {
    /// Points away from it; of any length.
    direction: vec3<f32>,
    /// What is on its other side has gone in, unless it is farther away than this [m].
    reach: f32,
    /// Whether the second primitive is the outside of a solid at all.
    is_there: bool,
}

/// The row of a pair whose nearest points are known, if it is near.
fn row(kind: u32, x: array<vec3<f32>, 4>, nearest: Closest, thickness: f32, outside: Outside) -> Row {
    let distance = length(nearest.gap);
    var normal = nearest.gap;
    var size = distance;
    var gap = distance;
    var is_near = true;
    if (is_inside(kind, nearest)) {
        // The direction of a small gap is rounding; that of what it stands on is not.
        normal = across(kind, x);
        size = length(normal);
        let out = select(nearest.gap, outside.direction, outside.is_there);
        normal = select(normal, -normal, dot(normal, out) < 0.0);
        let has_gone_in = dot(nearest.gap, out) < 0.0;
        is_near = !(has_gone_in && outside.is_there && distance > outside.reach);
        gap = select(distance, -distance, has_gone_in);
    }
    normal *= 1.0 / select(1.0, size, is_positive(size));
    is_near = is_near && is_positive(size) && is_positive(dot(normal, normal)) && gap < AHEAD * thickness;
    let depth = min(thickness - gap, MOST_DEPTH * thickness);
    let round = roundness(kind, x, nearest);
    return Row(nearest.weights, normal, thickness, depth, u32(round.w), round.xyz, is_near);
}

/// How round the second primitive is where it is nearest: the direction of the edge, then of what kind it is.
fn roundness(kind: u32, x: array<vec3<f32>, 4>, nearest: Closest) -> vec4<f32> {
    if (kind == EDGE_EDGE || nearest.second == FACE) {
        return vec4(0.0);
    }
    if (nearest.second < EDGE) {
        return vec4(vec3(0.0), f32(ROUND_CORNER));
    }
    var corners = x;
    let k = nearest.second - EDGE;
    let edge = corners[1u + (k + 1u) % 3u] - corners[1u + k];
    return vec4(edge * (1.0 / length(edge)), f32(ROUND_EDGE));
}

/// The weights of the place at which a row took hold.
fn anchor_weights(kind: u32, anchor: vec2<f32>) -> vec4<f32> {
    let a = anchor.x;
    let b = anchor.y;
    if (kind == VERTEX_TRIANGLE) {
        return vec4(1.0, a + b - 1.0, -a, -b);
    }
    return vec4(1.0 - a, a, b - 1.0, -b);
}

/// The place of a row's nearest points.
fn place(kind: u32, weights: vec4<f32>) -> vec2<f32> {
    if (kind == VERTEX_TRIANGLE) {
        return vec2(-weights.z, -weights.w);
    }
    return vec2(weights.y, -weights.w);
}

/// Σ w x.
fn combine(weights: vec4<f32>, x: array<vec3<f32>, 4>) -> vec3<f32> {
    return (x[0] * weights.x + x[1] * weights.y) + (x[2] * weights.z + x[3] * weights.w);
}

/// 1/Σ w² n/m: the mass that a row can count on, where a corner with 1/mass `inverse` has `n` rows; 0 where all
/// of them are locked.
fn split_mass(weights: vec4<f32>, inverse: vec4<f32>, rows: vec4<f32>) -> f32 {
    let shares = weights * weights * inverse * rows;
    let sum = (shares.x + shares.y) + (shares.z + shares.w);
    if (sum > 0.0) {
        return 1.0 / sum;
    }
    return 0.0;
}

/// What a row does, kept from one iteration to the next.
struct Push {
    /// How hard it pushes along the normal [N].
    normal: f32,
    /// What friction pulls with, against the first primitive [N].
    pull: vec3<f32>,
    /// Where it holds on, see `anchor_weights`.
    anchor: vec2<f32>,
}

/// The force on the first primitive, to be given to the corners by their weights [N].
fn force(push: Push, row: Row) -> vec3<f32> {
    return row.normal * push.normal - push.pull;
}

/// The normal speed that a row wants at the end of a substep, at least, if its corners get the relative velocity
/// `velocity` [m/s].
fn wanted_speed(law: Law, row: Row, velocity: vec3<f32>) -> f32 {
    let tangential = tangent(row, velocity);
    var across = vec3(0.0);
    if (row.roundness == ROUND_EDGE) {
        across = tangential - row.edge * dot(row.edge, tangential);
    } else if (row.roundness == ROUND_CORNER) {
        across = tangential;
    }
    // Beside an edge or a corner, what is as far away may be lower.
    let way = across * law.h;
    let height = sqrt(max(row.thickness * row.thickness - dot(way, way), 0.0));
    let depth = row.depth - (row.thickness - height);
    if (depth > 0.0) {
        return min(depth * recovery(law), sqrt(RECOVERY_PULL * row.thickness));
    }
    return depth / law.h;
}

/// What of a vector is along the surface.
fn tangent(row: Row, u: vec3<f32>) -> vec3<f32> {
    return u - row.normal * dot(row.normal, u);
}

/// The speed at which rows make up for a way, over that way [1/s].
fn recovery(law: Law) -> f32 {
    return min(RECOVERY / law.h, RECOVERY_RATE);
}

/// What a row does once more is known: `v` are the velocities that the corners would have at the end of the substep,
/// what rows do now included; `mass` is that of `split_mass`.
fn improve(
    kind: u32,
    law: Law,
    row: Row,
    x: array<vec3<f32>, 4>,
    v: array<vec3<f32>, 4>,
    mass: f32,
    push: Push,
) -> Push {
    let per_speed = mass / law.h;
    let velocity = combine(row.weights, v);
    let speed = dot(row.normal, velocity);
    // Nothing sticks together.
    let normal = max(push.normal + per_speed * (wanted_speed(law, row, velocity) - speed), 0.0);
    let stretch = tangent(row, combine(anchor_weights(kind, push.anchor), x));
    let back = stretch * recovery(law);
    var pull = tangent(row, push.pull) + (tangent(row, velocity) + back) * per_speed;
    let strength = length(pull);
    let limit = law.friction * normal;
    if (strength > limit) {
        pull = pull * (limit / strength);
    }
    return Push(normal, pull, push.anchor);
}

/// Where a row holds on after the last iteration: where it did, unless friction slips.
fn slipped(
    kind: u32,
    law: Law,
    row: Row,
    x: array<vec3<f32>, 4>,
    mass: f32,
    push: Push,
) -> vec2<f32> {
    let stretch = tangent(row, combine(anchor_weights(kind, push.anchor), x));
    let stiffness = recovery(law) * mass / law.h;
    let strength = length(stretch) * stiffness;
    let limit = law.friction * push.normal;
    if (strength <= limit) {
        return push.anchor;
    }
    let way = stretch * (limit / strength) - stretch;
    let moved = shifted(kind, x, push.anchor, way);
    return select(place(kind, row.weights), moved.xy, moved.z != 0.0);
}

/// The anchor moved so that the way between its two places grows by `way`; the third number is 0 where the
/// primitives leave no way to say so.
fn shifted(kind: u32, x: array<vec3<f32>, 4>, anchor: vec2<f32>, way: vec3<f32>) -> vec3<f32> {
    var a = x[1] - x[2];
    var b = x[1] - x[3];
    if (kind == EDGE_EDGE) {
        a = x[1] - x[0];
        b = x[2] - x[3];
    }
    let aa = dot(a, a);
    let ab = dot(a, b);
    let bb = dot(b, b);
    let determinant = aa * bb - ab * ab;
    let wa = dot(way, a);
    let wb = dot(way, b);
    let is_there = determinant != 0.0;
    let change = vec2(bb * wa - ab * wb, aa * wb - ab * wa) / select(1.0, determinant, is_there);
    let moved = anchor + change;
    return vec3(moved, select(0.0, 1.0, is_there && is_finite(moved.x) && is_finite(moved.y)));
}
