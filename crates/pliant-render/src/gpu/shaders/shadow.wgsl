// Reading what the light sees: twin of shadow.rs, and of its namesake in the CPU's renderer.

#import render::light_frame

const BLUR: f32 = 3.0;
const OFFSET: f32 = 2.0;
/// One look reads this many squares of four texels in a row.
const SQUARES: u32 = 4u;

@group(1) @binding(0) var shadow_map: texture_depth_2d;
/// Says 1 where the map is not above the given depth.
@group(1) @binding(1) var not_above: sampler_comparison;

/// The part of the light that reaches a place on a surface whose normal faces the eye.
fn visible(position: vec3<f32>, normal: vec3<f32>) -> f32 {
    if (frame.to_light.w == 0.0) {
        return 1.0;
    }
    let cosine = dot(normal, frame.to_light.xyz);
    if (cosine <= 0.0) {
        return 0.0;
    }
    let texel = frame.light_scale.x;
    let sine = sqrt(max(1.0 - cosine * cosine, 0.0));
    let steep = sine / max(cosine, 0.1);
    let lifted = position + normal * (texel * OFFSET * (0.5 + sine));
    return look(light_place(lifted), texel * (0.5 + 0.5 * steep));
}

/// The same for the floor, which shades nothing.
fn visible_on_floor(position: vec3<f32>) -> f32 {
    if (frame.to_light.w == 0.0) {
        return 1.0;
    }
    return look(light_place(position), 0.0);
}

/// The weighted part of the texels round a place that are not above it.
fn look(place: vec3<f32>, bias: f32) -> f32 {
    let at = place.xy - 0.5;
    let edge = BLUR + 1.0;
    let end = SIZE - edge - 1.0;
    if (!(all(at >= vec2<f32>(edge)) && all(at < vec2<f32>(end)))) {
        return 1.0;
    }
    let depth = clamp(light_depth(place.z + bias), 0.0, 1.0);
    let first = floor(at) - BLUR;
    let part = fract(at);
    var lit = 0.0;
    for (var j = 0u; j < SQUARES; j++) {
        let wy = weights(f32(2u * j), part.y);
        for (var i = 0u; i < SQUARES; i++) {
            let wx = weights(f32(2u * i), part.x);
            // The corner where four texels meet.
            let corner = first + vec2<f32>(f32(2u * i + 1u), f32(2u * j + 1u));
            let four = textureGatherCompare(shadow_map, not_above, corner / SIZE, depth);
            lit += wy.x * dot(wx, four.wz) + wy.y * dot(wx, four.xy);
        }
    }
    return lit;
}

/// A tent over the texels of a row: of numbers i and i + 1.
fn weights(i: f32, part: f32) -> vec2<f32> {
    let width = BLUR + 1.0;
    let away = abs(vec2<f32>(i, i + 1.0) - BLUR - part);
    return max(1.0 - away / width, vec2<f32>(0.0)) / width;
}
