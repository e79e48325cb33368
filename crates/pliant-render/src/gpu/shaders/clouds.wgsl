// What rays through clouds know: twin of volume/walk.rs and volume/table.rs.

#import render::clouds_shared
#import render::frame

/// Stands in place of a link at a dead end.
const DEAD: u32 = 0xfffffffeu;
/// Steps of the table.
const STEPS: f32 = 1024.0;
/// Entries of each of the tables: integrals, densities, colours.
const ENTRIES: u32 = 1026u;
/// Segments of more optical depth are divided.
const THICK: f32 = 0.25;
/// A ray ends where less than this of the light behind it would be seen.
const OPAQUE: f32 = 0.001;
/// Lies beyond all values that are there, and before MISSING.
const KNOWN: f32 = 1e30;
/// Stands for a depth that is never reached.
const NEVER: f32 = 1e30;

/// Twin of `mesh::Tet`.
struct Tet {
    corners: vec4<u32>,
    links: vec4<u32>,
}

@group(2) @binding(0) var<uniform> cloud: Cloud;
/// x·w, y·w from the middle of the picture, w, and the place of the value in the table.
@group(2) @binding(1) var<storage, read> points: array<vec4<f32>>;
@group(2) @binding(2) var<storage, read> tets: array<Tet>;
/// Three corners and a link.
@group(2) @binding(3) var<storage, read> faces: array<vec4<u32>>;
@group(2) @binding(4) var<storage, read> nodes: array<Node>;
/// Integrals, densities and colours; then two for each iso-surface: its place and opacity, its colour.
@group(2) @binding(5) var<storage, read> tables: array<vec4<f32>>;
/// By tetrahedron, as bits.
@group(2) @binding(6) var<storage, read> tet_values: array<u32>;
/// How many rays were lost, and in more bodies at once than can be followed.
@group(2) @binding(7) var<storage, read_write> report: array<atomic<u32>, 2>;

/// A vertex as one ray sees it.
struct Corner {
    u: f32,
    v: f32,
    w: f32,
    value: f32,
    id: u32,
}

fn corner(place: vec2<f32>, id: u32) -> Corner {
    let p = points[id];
    return Corner(p.x - place.x * p.z, p.y - place.y * p.z, p.z, p.w, id);
}

/// The lower number always comes first, so that both sides of a face see the same, whatever the
/// compiler makes of products and differences.
fn edge(a: Corner, b: Corner) -> f32 {
    if (a.id < b.id) {
        return a.u * b.v - b.u * a.v;
    }
    return -(b.u * a.v - a.u * b.v);
}

/// Whether an edge turns to the left; twin of `edge_sign`.
fn is_left(a: Corner, b: Corner, value: f32) -> bool {
    if (value != 0.0) {
        return value < 0.0;
    }
    let first = b.w * a.v - a.w * b.v;
    if (first != 0.0) {
        return first < 0.0;
    }
    let second = b.u * a.w - a.u * b.w;
    if (second != 0.0) {
        return second < 0.0;
    }
    return a.id > b.id;
}

/// Where a ray crosses a face.
struct Crossing {
    depth: f32,
    value: f32,
    /// Whether it crosses it at all, from the side from which its corners turn to the right.
    is_there: bool,
}

/// The crossing with a face of three corners and a link.
fn crossing(place: vec2<f32>, face: vec4<u32>) -> Crossing {
    let a = corner(place, face.x);
    let b = corner(place, face.y);
    let c = corner(place, face.z);
    var weights = vec3<f32>(edge(b, c), edge(c, a), edge(a, b));
    let is_there =
        !(is_left(b, c, weights.x) || is_left(c, a, weights.y) || is_left(a, b, weights.z));
    weights = abs(weights);
    var sum = weights.x + weights.y + weights.z;
    if (sum <= 0.0) {
        // A face seen exactly edge on.
        weights = vec3<f32>(1.0);
        sum = 3.0;
    }
    let parts = weights / sum;
    let depth = dot(parts, vec3<f32>(a.w, b.w, c.w));
    return Crossing(depth, dot(parts, vec3<f32>(a.value, b.value, c.value)), is_there);
}

/// From the face by which a ray enters a tetrahedron to the one by which it leaves it; its link is DEAD
/// at a dead end.
fn walked(place: vec2<f32>, face: vec4<u32>) -> vec4<u32> {
    let tet = tets[face.w >> 2u];
    let new_one = corner(place, tet.corners[face.w & 3u]);
    let a = corner(place, face.x);
    let b = corner(place, face.y);
    let c = corner(place, face.z);
    let left = vec3<bool>(
        is_left(a, new_one, edge(a, new_one)),
        is_left(b, new_one, edge(b, new_one)),
        is_left(c, new_one, edge(c, new_one)),
    );
    // Twin of `REPLACED`.
    var next = face;
    var leaving = face.x;
    if (left.x && !left.y) {
        leaving = face.z;
        next.z = new_one.id;
    } else if (left.y && !left.z) {
        next.x = new_one.id;
    } else if (left.z && !left.x) {
        leaving = face.y;
        next.y = new_one.id;
    } else {
        next.w = DEAD;
        return next;
    }
    let same = tet.corners == vec4<u32>(leaving);
    next.w = tet.links.w;
    next.w = select(next.w, tet.links.z, same.z);
    next.w = select(next.w, tet.links.y, same.y);
    next.w = select(next.w, tet.links.x, same.x);
    return next;
}

fn is_known(value: f32) -> bool {
    return abs(value) < KNOWN;
}

/// The value of a tetrahedron that has one of its own, as a place in the table; else MISSING.
fn own_value(tet: u32) -> f32 {
    if (cloud.modes.x == 0u) {
        return MISSING;
    }
    return table_place(tet_values[tet], cloud.table);
}

fn entry_of(table: u32, place: f32) -> vec4<f32> {
    let i = u32(place);
    let first = table * ENTRIES + i;
    return mix(tables[first], tables[first + 1u], place - f32(i));
}

fn limited(place: f32) -> f32 {
    return clamp(place, 0.0, STEPS);
}

fn integral(place: f32) -> vec4<f32> {
    let inside = limited(place);
    return entry_of(0u, inside) + entry_of(1u, inside) * (place - inside);
}

/// Mean extinction and emission between two values.
fn mean(from_value: f32, to_value: f32) -> vec4<f32> {
    if (abs(limited(to_value) - limited(from_value)) < 1.0) {
        return entry_of(1u, limited(0.5 * (from_value + to_value)));
    }
    return (integral(to_value) - integral(from_value)) / (to_value - from_value);
}

/// Adds what has this optical depth behind what there is: how much is seen of what is behind, then
/// red, green and blue.
fn absorbed(light: vec4<f32>, depth: vec4<f32>) -> vec4<f32> {
    let d = depth.x;
    var share = 1.0 - d * (0.5 - d * (1.0 / 6.0 - d * (1.0 / 24.0 - d * (1.0 / 120.0))));
    if (d > THICK) {
        share = (1.0 - exp(-d)) / d;
    }
    return light + depth * (light.x * share) * vec4<f32>(-1.0, 1.0, 1.0, 1.0);
}

/// Adds a surface.
fn cover(light: vec4<f32>, colour: vec3<f32>, opacity: f32) -> vec4<f32> {
    return light + vec4<f32>(-1.0, colour) * (light.x * opacity);
}
