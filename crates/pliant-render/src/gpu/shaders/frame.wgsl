// What all shaders know of the picture.

/// Twin of `Uniforms` in uniforms.rs.
struct Uniforms {
    /// From metres to clip coordinates: depth is 1 at the near plane and 0 at infinity.
    clip: mat4x4<f32>,
    /// From the eye to depth one, as a x + b y + c for pixel (x, y).
    rays: array<vec4<f32>, 3>,
    /// The eye [m], and the near plane's depth [m].
    eye: vec4<f32>,
    /// Right in the picture.
    right: vec4<f32>,
    /// Up in the picture.
    up: vec4<f32>,
    /// Into the picture.
    forward: vec4<f32>,
    /// Width and height [pixels].
    size: vec4<f32>,
    /// Direction to the light; the fourth is 1 where there are shadows.
    to_light: vec4<f32>,
    /// Rows that give both texel coordinates in the shadow map and the height to the light [m].
    light_rows: array<vec4<f32>, 3>,
    /// Side of a texel [m], and the depth in the shadow map of one metre.
    light_scale: vec4<f32>,
    /// Colours at the upper and the lower edge.
    background: array<vec4<f32>, 2>,
    /// Middle (x, y) of the floor, its height and its radius [m].
    ground: vec4<f32>,
    /// Distance of the floor's lines [m], 0 for none, and where (x, y) two of them cross [m].
    grid: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Uniforms;

/// What is drawn nowhere.
const NOWHERE: vec4<f32> = vec4<f32>(2.0, 2.0, 2.0, 1.0);

/// Twin of `Projection::homogeneous`: pixels times depth, and the depth [m].
fn homogeneous(p: vec3<f32>) -> vec3<f32> {
    let c = frame.clip * vec4<f32>(p, 1.0);
    return vec3<f32>(vec2<f32>(c.w + c.x, c.w - c.y) * 0.5 * frame.size.xy, c.w);
}

/// Clip coordinates of pixels times depth, and depth.
fn clip_of(h: vec3<f32>) -> vec4<f32> {
    let c = 2.0 * h.xy / frame.size.xy;
    return vec4<f32>(c.x - h.z, h.z - c.y, frame.eye.w, h.z);
}

/// Twin of `Vec3::unit_or`.
fn unit_or(v: vec3<f32>, fallback: vec3<f32>) -> vec3<f32> {
    let size = length(v);
    if (size > 0.0) {
        return v / size;
    }
    return fallback;
}
