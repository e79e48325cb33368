// What kernels know of hands: twins of the structs in gpu.rs.

struct Push {
    /// Unit vector along ray and force.
    axis: vec3<f32>,
    /// Squared radius of the cylinder [m²].
    radius2: f32,
    /// Force on each vertex [N]; 0 in the unused rest of the array.
    force: f32,
}

/// A held vertex and its part of `bands`.
struct HeldVertex {
    slot: u32,
    first: u32,
    end: u32,
}

/// One vertex on one hand.
struct Band {
    /// Where the vertex was, relative to the hand, when it was grabbed [m].
    offset: vec3<f32>,
    /// Which hand holds it, seen from which body: a place in `hands`.
    grip: u32,
}
