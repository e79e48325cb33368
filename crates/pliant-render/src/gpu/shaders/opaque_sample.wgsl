// What is opaque in a picture of one sample per pixel.

#import render::frame

@group(1) @binding(0) var opaque_depth: texture_depth_2d;

/// 1/w of a pixel, 0 at infinity.
fn opaque_nearness(pixel: vec2<u32>, s: u32) -> f32 {
    return textureLoad(opaque_depth, pixel, 0) / frame.eye.w;
}
