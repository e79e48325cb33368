// Surfaces as kernels see them: twin of gpu/tables.rs and surface.rs. Who imports this binds `surface` as an array
// of u32, `position` as one of vec4<f32>, and `setup`.

#import pliant::contact
#import pliant::contact::setup

/// Words of a vertex (slot, body), of an edge (two slots, body, two triangles, half the thickness), of a triangle
/// (three slots, the three across its edges, what it answers for, body, half the thickness, depth of its solid), of
/// a slot (shortest edge, half the thickness, first neighbour, number of neighbours, rest position, the slot that it is
/// sewn to) and of a body
/// (whether it is solid, origin, what rounding took from it, whether it touches itself, names that it has and ignores,
/// friction).
const VERTEX_WORDS: u32 = 2u;
const EDGE_WORDS: u32 = 6u;
const TRIANGLE_WORDS: u32 = 10u;
const SLOT_WORDS: u32 = 8u;
const BODY_WORDS: u32 = 11u;

/// No vertex, no triangle.
const NOBODY: u32 = 0xffffffffu;

/// How far beyond its part of space something may be and still be answered for, as a sine.
const TOLERANCE: f32 = 1e-4;

/// Rest distances of which surfaces of one body push each other apart.
const REST_SHARE: f32 = 0.7;

/// A pair of a vertex and a triangle, or of two edges.
struct Pair {
    kind: u32,
    /// Places of both.
    first: u32,
    second: u32,
    slots: vec4<u32>,
    /// Bodies of both.
    bodies: vec2<u32>,
}

fn number(at: u32) -> f32 {
    return bitcast<f32>(surface[at]);
}

fn vector(at: u32) -> vec3<f32> {
    return vec3(number(at), number(at + 1u), number(at + 2u));
}

fn edge_at(edge: u32) -> u32 {
    return setup.places.y + EDGE_WORDS * edge;
}

fn triangle_at(triangle: u32) -> u32 {
    return setup.places.z + TRIANGLE_WORDS * triangle;
}

fn slot_at(slot: u32) -> u32 {
    return setup.places.w + SLOT_WORDS * slot;
}

/// The pair of a query, which is a vertex or, behind all vertices, an edge, and what it found.
fn pair_of(query: u32, second: u32) -> Pair {
    if (query < setup.counts.x) {
        let v = setup.places.x + VERTEX_WORDS * query;
        let t = triangle_at(second);
        let slots = vec4(surface[v], surface[t], surface[t + 1u], surface[t + 2u]);
        return Pair(VERTEX_TRIANGLE, query, second, slots, vec2(surface[v + 1u], surface[t + 7u]));
    }
    let first = query - setup.counts.x;
    let a = edge_at(first);
    let b = edge_at(second);
    let slots = vec4(surface[a], surface[a + 1u], surface[b], surface[b + 1u]);
    return Pair(EDGE_EDGE, first, second, slots, vec2(surface[a + 2u], surface[b + 2u]));
}

/// How thick the surfaces of a pair are together [m].
fn thickness_of(pair: Pair) -> f32 {
    if (pair.kind == VERTEX_TRIANGLE) {
        return number(slot_at(pair.slots.x) + 1u) + number(triangle_at(pair.second) + 8u);
    }
    return number(edge_at(pair.first) + 5u) + number(edge_at(pair.second) + 5u);
}

/// From how near two primitives that are so thick together are looked at, on either side of the second [m].
fn reach_of(pair: Pair, thickness: f32) -> f32 {
    let ahead = AHEAD * thickness;
    if (pair.kind == VERTEX_TRIANGLE) {
        return max(ahead, number(triangle_at(pair.second) + 9u));
    }
    return ahead;
}

/// How near two primitives of one body must come before they push: no nearer than their body's shape has them [m].
fn thickness_within(pair: Pair, thickness: f32) -> f32 {
    let rest = array(
        vector(slot_at(pair.slots.x) + 4u),
        vector(slot_at(pair.slots.y) + 4u),
        vector(slot_at(pair.slots.z) + 4u),
        vector(slot_at(pair.slots.w) + 4u),
    );
    return min(thickness, REST_SHARE * length(nearest(pair.kind, rest).gap));
}

fn is_solid(body: u32) -> bool {
    return surface[setup.more.y + BODY_WORDS * body] != 0u;
}

/// Whether bodies touch each other, or a body itself.
fn may_touch(bodies: vec2<u32>) -> bool {
    let a = setup.more.y + BODY_WORDS * bodies.x;
    let b = setup.more.y + BODY_WORDS * bodies.y;
    if (bodies.x == bodies.y) {
        return surface[a + 7u] != 0u;
    }
    return ((surface[a + 8u] & surface[b + 9u]) | (surface[b + 8u] & surface[a + 9u])) == 0u;
}

/// The coefficient of friction of a pair of bodies.
fn pair_friction(bodies: vec2<u32>) -> f32 {
    let a = number(setup.more.y + BODY_WORDS * bodies.x + 10u);
    let b = number(setup.more.y + BODY_WORDS * bodies.y + 10u);
    return select(sqrt(a * b), a, a == b);
}

/// From the origin of one body to that of another, and what rounding took from that [m].
struct Shift {
    high: vec3<f32>,
    low: vec3<f32>,
}

fn shift_of(bodies: vec2<u32>) -> Shift {
    let a = setup.more.y + BODY_WORDS * bodies.x;
    let b = setup.more.y + BODY_WORDS * bodies.y;
    return Shift(vector(b + 1u) - vector(a + 1u), vector(b + 4u) - vector(a + 4u));
}

/// Where the vertex in a slot is in the coordinates of another body [m].
fn shifted_position(slot: u32, shift: Shift) -> vec3<f32> {
    return (position[slot].xyz + shift.high) + shift.low;
}

/// Where the corners of a pair are, as seen from the origin of the first body [m].
fn positions_of(pair: Pair) -> array<vec3<f32>, 4> {
    let slots = pair.slots;
    var x = array(position[slots.x].xyz, position[slots.y].xyz, position[slots.z].xyz, position[slots.w].xyz);
    if (pair.bodies.x != pair.bodies.y) {
        let shift = shift_of(pair.bodies);
        if (pair.kind == VERTEX_TRIANGLE) {
            x[1] = shifted_position(slots.y, shift);
        }
        x[2] = shifted_position(slots.z, shift);
        x[3] = shifted_position(slots.w, shift);
    }
    return x;
}

/// Whether the triangle of a pair answers for its vertex, which is at x[0] and to which `feature` is nearest.
fn answers(pair: Pair, feature: u32, x: array<vec3<f32>, 4>) -> bool {
    var corners = array(x[1], x[2], x[3]);
    let at = triangle_at(pair.second);
    let owns = surface[at + 6u];
    if (feature == FACE) {
        return true;
    }
    var shift = Shift(vec3(0.0), vec3(0.0));
    if (pair.bodies.x != pair.bodies.y) {
        shift = shift_of(pair.bodies);
    }
    if (feature >= EDGE) {
        let k = feature - EDGE;
        let a = corners[k];
        let b = corners[(k + 1u) % 3u];
        if ((owns >> k & 1u) == 0u || !is_beyond_edge(x[0], a, b, corners[(k + 2u) % 3u])) {
            return false;
        }
        let opposite = surface[at + 3u + k];
        return opposite == NOBODY || is_beyond_edge(x[0], a, b, shifted_position(opposite, shift));
    }
    if ((owns >> (3u + feature) & 1u) == 0u) {
        return false;
    }
    let corner = corners[feature];
    let own = slot_at(surface[at + feature]);
    let first = surface[own + 2u];
    for (var n = 0u; n < surface[own + 3u]; n++) {
        let neighbour = shifted_position(surface[setup.more.x + first + n], shift);
        if (!faces(x[0] - corner, corner - neighbour)) {
            return false;
        }
    }
    return true;
}

/// Whether `x` lies beyond the edge from `a` to `b` as seen from the third corner of a triangle.
fn is_beyond_edge(x: vec3<f32>, a: vec3<f32>, b: vec3<f32>, third: vec3<f32>) -> bool {
    let edge = b - a;
    let foot = a + edge * (dot(third - a, edge) / dot(edge, edge));
    return faces(x - foot, foot - third);
}

/// Whether two vectors do not point away from each other.
fn faces(a: vec3<f32>, b: vec3<f32>) -> bool {
    return dot(a, b) >= -TOLERANCE * (length(a) * length(b));
}

/// The way out at an edge of a solid; of any length.
fn edge_normal(edge: u32) -> vec3<f32> {
    var sum = vec3(0.0);
    for (var side = 0u; side < 2u; side++) {
        let triangle = surface[edge_at(edge) + 3u + side];
        if (triangle == NOBODY) {
            continue;
        }
        let at = triangle_at(triangle);
        let a = position[surface[at]].xyz;
        let normal = cross(position[surface[at + 1u]].xyz - a, position[surface[at + 2u]].xyz - a);
        let size = length(normal);
        if (size > 0.0) {
            sum += normal * (1.0 / size);
        }
    }
    return sum;
}
