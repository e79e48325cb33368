// Bodies whose vertices are on the device.

/// Slots that always belong to the same body.
const SLICE: u32 = 32u;

/// Twin of `BodyRecord` in resident/look.rs.
struct Body {
    /// What its positions are relative to, less the picture's origin [m]; the fourth is 1 if it is
    /// looked into, and has no surface.
    offset: vec4<f32>,
    /// Its colour; with 1 as the fourth, values count instead.
    colour: vec4<f32>,
}

fn is_finite(p: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(p) & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u));
}
