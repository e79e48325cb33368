// What all shaders of clouds share, whatever they are bound to.

/// No tetrahedron, or no face.
const NONE: u32 = 0xffffffffu;
/// The most faces of a leaf; twin of `LEAF` in clouds/tree.rs.
const LEAF: u32 = 4u;
/// Stands for a value that is missing.
const MISSING: f32 = 1e35;

/// Twin of `Params` in clouds/mod.rs.
struct Cloud {
    /// The value at the table's beginning, and steps per value.
    table: vec4<f32>,
    /// A point of the slice [m], and 1 if there is one, 2 if it clears what is before it.
    slice_point: vec4<f32>,
    slice_normal: vec4<f32>,
    /// Whether tetrahedra have values of their own, 2 if only they have; how many iso-surfaces; 1 for
    /// four rays per pixel.
    modes: vec4<u32>,
    /// How many slots, faces, nodes and tetrahedra.
    counts: vec4<u32>,
}

/// A box round faces: x and y in pixels from the middle of the picture, then depth [m].
struct Node {
    low: vec3<f32>,
    /// Where to go on when this one is missed.
    skip: u32,
    high: vec3<f32>,
    /// The first face of a leaf, or NONE where other nodes are inside.
    faces: u32,
}

/// The place in the table of a value that is given as bits; MISSING if it is not finite.
fn table_place(bits: u32, table: vec4<f32>) -> f32 {
    if ((bits & 0x7f800000u) == 0x7f800000u) {
        return MISSING;
    }
    return (bitcast<f32>(bits) - table.x) * table.y;
}
