// How surfaces look under light: twin of light.rs.

const KEY: f32 = 0.66;
const SKY: vec3<f32> = vec3<f32>(0.40, 0.42, 0.45);
const FLOOR: vec3<f32> = vec3<f32>(0.20, 0.19, 0.18);
const GLOSS: f32 = 0.07;
const SHARPNESS: f32 = 24.0;
const FLOOR_SHADOW: f32 = 0.52;
const FLOOR_COLOUR: vec3<f32> = vec3<f32>(0.70, 0.72, 0.74);
const FLOOR_LINE: f32 = 0.13;

/// The light that leaves a point of a surface towards the eye.
fn reflected(
    colour: vec3<f32>,
    outward: vec3<f32>,
    to_eye: vec3<f32>,
    to_light: vec3<f32>,
    visible: f32,
) -> vec3<f32> {
    let normal = select(outward, -outward, dot(outward, to_eye) < 0.0);
    let up = 0.5 + 0.5 * normal.z;
    let fill = mix(FLOOR, SKY, up);
    let cosine = max(dot(normal, to_light), 0.0);
    let key = KEY * cosine * visible;
    let halfway = unit_or(to_eye + to_light, normal);
    // Powers of zero are left to the driver, and so avoided.
    let shine = pow(max(dot(normal, halfway), 1e-6), SHARPNESS);
    return colour * (fill + key) + GLOSS * shine * visible * sqrt(cosine);
}

/// How visible the floor is at a distance from its middle, in parts of its radius.
fn floor_strength(distance: f32) -> f32 {
    if (distance < 2.0) {
        return 1.0 - smoothstep(0.6, 2.0, distance);
    }
    return 0.0;
}

/// The floor's colour before a background.
fn floor_colour(background: vec3<f32>, strength: f32, visible: f32, line: f32) -> vec3<f32> {
    let colour = mix(background, FLOOR_COLOUR, 0.75 * strength);
    let shadow = 1.0 - (1.0 - FLOOR_SHADOW) * (1.0 - visible) * strength;
    return colour * (shadow * (1.0 - FLOOR_LINE * line * strength));
}
