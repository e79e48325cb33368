// Rays through clouds, before what is opaque: twin of the CPU's film.rs.

#import render::clouds
#import render::clouds_ray
#import render::opaque
#import render::sample_at

/// Samples of a pixel whose nearness differs by less than this part end the same ray.
const ALIKE: f32 = 0.99;

/// What was found: opacity, and red, green and blue times that.
@group(1) @binding(1) var found: texture_storage_2d<rgba16float, write>;

/// What rays find before all samples of a pixel together: where they differ, what is behind counts as
/// mixed before the clouds, not after.
@compute @workgroup_size(8, 8)
fn cloud_rays(@builtin(global_invocation_id) at: vec3<u32>) {
    if (any(vec2<f32>(at.xy) >= frame.size.xy)) {
        return;
    }
    let pixel = vec2<f32>(at.xy);
    var most = 0.0;
    var least = NEVER;
    var sum = 0.0;
    for (var s = 0u; s < SAMPLES; s++) {
        let nearness = opaque_nearness(at.xy, s);
        most = max(most, nearness);
        least = min(least, nearness);
        sum += nearness;
    }
    let is_fine = cloud.modes.z == 1u;
    let is_one = !is_fine && least >= ALIKE * most;
    let rays = select(SAMPLES, 1u, is_one);
    var light = vec4<f32>(0.0);
    for (var s = 0u; s < rays; s++) {
        let nearness = select(opaque_nearness(at.xy, s), sum / f32(SAMPLES), is_one);
        let stop = select(NEVER, 1.0 / max(nearness, 1e-30), nearness > 0.0);
        let inside = select(vec2<f32>(0.5), sample_at(s), is_fine);
        light += light_of_ray(pixel + inside - 0.5 * frame.size.xy, stop);
    }
    light /= f32(rays);
    textureStore(found, at.xy, vec4<f32>(1.0 - light.x, light.yzw));
}
