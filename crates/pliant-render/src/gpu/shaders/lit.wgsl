// A lit surface.

#import render::frame
#import render::light
#import render::shadow

/// The light from a place on a surface, whichever side it shows.
fn lit(colour: vec3<f32>, position: vec3<f32>, outward: vec3<f32>) -> vec3<f32> {
    let unit = unit_or(outward, vec3<f32>(0.0, 0.0, 1.0));
    let to_eye = unit_or(frame.eye.xyz - position, unit);
    let normal = select(unit, -unit, dot(unit, to_eye) < 0.0);
    return reflected(colour, normal, to_eye, frame.to_light.xyz, visible(position, normal));
}
