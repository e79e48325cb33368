// Where samples are.

/// Samples per pixel: 1 or 4.
override SAMPLES: u32 = 4u;

/// Where samples are in a pixel, as WebGPU has it ("Rasterization", sample positions).
fn sample_at(s: u32) -> vec2<f32> {
    if (SAMPLES == 1u) {
        return vec2<f32>(0.5, 0.5);
    }
    switch s {
        case 0u: { return vec2<f32>(0.375, 0.125); }
        case 1u: { return vec2<f32>(0.875, 0.375); }
        case 2u: { return vec2<f32>(0.125, 0.625); }
        default: { return vec2<f32>(0.625, 0.875); }
    }
}
