// A simulation's arrays on the device, and what of its bodies is drawn: twin of the list's surface.rs,
// cut.rs and normals.rs.

#import render::bodies
#import render::frame

/// No tetrahedron.
const NONE: u32 = 0xffffffffu;
/// Beyond this face is nothing: it is part of the surface.
const OUTER: u32 = 0xfffffffeu;

/// Twin of `Look` in resident/look.rs.
struct Look {
    /// A point of the cutting plane [m]; the fourth is 1 if there is a cut.
    cut_point: vec4<f32>,
    cut_normal: vec4<f32>,
    /// Least and greatest value, and the number of the colour map.
    scale: vec4<f32>,
    /// Colours, and the width or radius in a picture of 720 rows [pixels]: of edges, bands, hands and
    /// locked vertices. The radius of vertices follows.
    edge: vec4<f32>,
    band: vec4<f32>,
    hand: vec4<f32>,
    lock: vec4<f32>,
    vertex: vec4<f32>,
    /// Whether faces are flat, and whether tetrahedra have values of their own.
    modes: vec4<u32>,
    /// Where triangles and lists begin in `outside`, faces and owners in `inside`.
    faces: vec4<u32>,
    /// Where vertices and locked ones begin in `marks`.
    marks: vec4<u32>,
    /// How many edges, vertices and locked vertices are drawn, before bands and hands.
    counts: vec4<u32>,
}

@group(2) @binding(0) var<uniform> looks: Look;
/// By slot: x, y, z relative to the body's origin [m], and something else.
@group(2) @binding(1) var<storage, read> positions: array<vec4<f32>>;
/// By slot, as bits.
@group(2) @binding(2) var<storage, read> values: array<u32>;
/// By tetrahedron, as bits.
@group(2) @binding(3) var<storage, read> tet_values: array<u32>;
/// The body of each slice; corners of the triangles; where the list of each slot begins; triangles
/// round each slot.
@group(2) @binding(4) var<storage, read> outside: array<u32>;
/// Corners of the tetrahedra; three corners and two tetrahedra of each face; the tetrahedron of each
/// triangle. Only there when something is cut.
@group(2) @binding(5) var<storage, read> inside: array<u32>;
@group(2) @binding(6) var<storage, read> bodies: array<Body>;
/// Ends of edges, slots of vertices, slots of locked vertices.
@group(2) @binding(7) var<storage, read> marks: array<u32>;
/// Where hands are [m], and the slots they hold, as bits.
@group(2) @binding(8) var<storage, read> bands: array<vec4<u32>>;

/// A triangle that is drawn, or not.
struct Face {
    corners: vec3<u32>,
    /// Uncovered by a cut: the tetrahedron it belongs to, else NONE.
    inside: u32,
    is_drawn: bool,
}

fn is_there(slot: u32) -> bool {
    return is_finite(positions[slot].xyz);
}

fn are_there(corners: vec3<u32>) -> bool {
    return is_there(corners.x) && is_there(corners.y) && is_there(corners.z);
}

fn body_of(slot: u32) -> u32 {
    return outside[slot / SLICE];
}

/// Relative to the picture's origin [m].
fn place_of(slot: u32) -> vec3<f32> {
    return positions[slot].xyz + bodies[body_of(slot)].offset.xyz;
}

/// Widths are chosen for a picture of 720 rows and grow with it.
fn pixel() -> f32 {
    return max(frame.size.y / 720.0, 0.75);
}

fn is_cut() -> bool {
    return looks.cut_point.w > 0.0;
}

/// Whether the middle of something is on the side that a cut leaves.
fn is_left(middle: vec3<f32>) -> bool {
    return dot(middle - looks.cut_point.xyz, looks.cut_normal.xyz) <= 0.0;
}

/// Whether a cut leaves a tetrahedron. One that is not finite cannot cover its neighbours' faces.
fn tet_stays(tet: u32) -> bool {
    let a = inside[4u * tet];
    let b = inside[4u * tet + 1u];
    let c = inside[4u * tet + 2u];
    let d = inside[4u * tet + 3u];
    return are_there(vec3<u32>(a, b, c)) && is_there(d)
        && is_left((place_of(a) + place_of(b) + place_of(c) + place_of(d)) * 0.25);
}

/// Whether a cut leaves a triangle of the surface, given its tetrahedron if it has one.
fn triangle_stays(corners: vec3<u32>, owner: u32) -> bool {
    if (owner != NONE) {
        return tet_stays(owner);
    }
    let sum = place_of(corners.x) + place_of(corners.y) + place_of(corners.z);
    return are_there(corners) && is_left(sum * (1.0 / 3.0));
}

/// Corners of a triangle of the surface.
fn triangle(n: u32) -> vec3<u32> {
    let at = looks.faces.x + 3u * n;
    return vec3<u32>(outside[at], outside[at + 1u], outside[at + 2u]);
}

/// The triangle with this number, or with a cut the face.
fn face_at(n: u32) -> Face {
    if (!is_cut()) {
        let corners = triangle(n);
        return Face(corners, NONE, are_there(corners));
    }
    let at = looks.faces.z + 5u * n;
    let corners = vec3<u32>(inside[at], inside[at + 1u], inside[at + 2u]);
    let first = inside[at + 3u];
    let second = inside[at + 4u];
    if (second == OUTER) {
        return Face(corners, NONE, triangle_stays(corners, first));
    }
    // Drawn is what exactly one of two tetrahedra has.
    let first_stays = tet_stays(first);
    var second_stays = false;
    if (second != NONE) {
        second_stays = tet_stays(second);
    }
    return Face(corners, select(second, first, first_stays), first_stays != second_stays);
}
