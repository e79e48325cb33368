// What is opaque in a picture of four samples per pixel.

#import render::frame

@group(1) @binding(0) var opaque_depth: texture_depth_multisampled_2d;

/// 1/w of a sample, 0 at infinity.
fn opaque_nearness(pixel: vec2<u32>, s: u32) -> f32 {
    return textureLoad(opaque_depth, pixel, i32(s)) / frame.eye.w;
}
