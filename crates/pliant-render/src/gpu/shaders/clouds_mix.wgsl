// What rays have found, over the finished picture of what is opaque.

#import render::shown

/// Opacity, and red, green and blue times that.
@group(0) @binding(0) var found: texture_2d<f32>;

@vertex
fn cloud_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}

@fragment
fn cloud_fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let light = textureLoad(found, vec2<u32>(at.xy), 0);
    // Formats that store sRGB by themselves mix light.
    let straight = shown(light.yzw / max(light.x, 1e-6));
    return vec4<f32>(straight.rgb * light.x, light.x);
}
