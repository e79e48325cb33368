// From light to what the picture stores.

/// Whether the picture's format leaves the sRGB curve (IEC 61966-2-1) to us.
override ENCODE: bool = false;

fn shown(light: vec3<f32>) -> vec4<f32> {
    let l = clamp(light, vec3<f32>(0.0), vec3<f32>(1.0));
    if (!ENCODE) {
        return vec4<f32>(l, 1.0);
    }
    // Powers of zero are left to the driver, and so avoided.
    let curve = 1.055 * pow(max(l, vec3<f32>(0.0031308)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return vec4<f32>(select(curve, l * 12.92, l <= vec3<f32>(0.0031308)), 1.0);
}
