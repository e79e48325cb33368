//! How surfaces look under light: the formulas that every renderer follows.
//!
//! One distant key light with a shadow, a fill from the hemisphere (sky above, floor below) and a
//! faint highlight (Blinn 1977, "Models of light reflection for computer synthesized pictures").

use crate::math::{Vec3f, smoothstep, vec3};

/// Strength of the key light on a surface that faces it.
pub const KEY: f32 = 0.66;
/// Fill on a surface that faces straight up.
pub const SKY: [f32; 3] = [0.40, 0.42, 0.45];
/// Fill on a surface that faces straight down.
pub const FLOOR: [f32; 3] = [0.20, 0.19, 0.18];
/// Strength of the highlight.
pub const GLOSS: f32 = 0.07;
/// Sharpness of the highlight: exponent of the cosine.
pub const SHARPNESS: i32 = 24;
/// What is left of the floor's light in full shadow.
pub const FLOOR_SHADOW: f32 = 0.52;
/// The floor in full light.
pub const FLOOR_COLOUR: [f32; 3] = [0.70, 0.72, 0.74];
/// How much darker lines on the floor are.
pub const FLOOR_LINE: f32 = 0.13;

/// The light that leaves a point of a surface towards the eye, linear. All directions are of unit
/// length and point away from the surface; `normal` is turned to the side of the eye. `visible` is
/// the part of the key light that arrives, 0 in full shadow.
pub(crate) fn reflected(
    colour: Vec3f,
    normal: Vec3f,
    to_eye: Vec3f,
    to_light: Vec3f,
    visible: f32,
) -> Vec3f {
    let normal = if normal.dot(to_eye) < 0.0 { -normal } else { normal };
    let up = 0.5 + 0.5 * normal.z;
    let fill = Vec3f::from(FLOOR).mix(SKY.into(), up);
    let cosine = normal.dot(to_light).max(0.0);
    let key = KEY * cosine * visible;
    let lit = visible * cosine.sqrt();
    let shine = if lit > 0.0 {
        let halfway = (to_eye + to_light).unit_or(normal);
        GLOSS * normal.dot(halfway).max(0.0).powi(SHARPNESS) * lit
    } else {
        0.0
    };
    colour.times(fill + vec3(key, key, key)) + vec3(shine, shine, shine)
}

/// How visible the floor is at a distance from its middle, in parts of its radius.
pub(crate) fn floor_strength(distance: f32) -> f32 {
    // What is not a number is not drawn.
    if distance < 2.0 { 1.0 - smoothstep(0.6, 2.0, distance) } else { 0.0 }
}

/// The floor's colour before a `background`: tinted, darker in shadow and under its lines, of which
/// `line` is the cover.
pub(crate) fn floor(background: Vec3f, strength: f32, visible: f32, line: f32) -> Vec3f {
    let colour = background.mix(FLOOR_COLOUR.into(), 0.75 * strength);
    let shadow = 1.0 - (1.0 - FLOOR_SHADOW) * (1.0 - visible) * strength;
    colour * (shadow * (1.0 - FLOOR_LINE * line * strength))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Vec3f = vec3(0.0, 0.0, 1.0);

    #[test]
    fn key_and_fill_add_up() {
        let grey = vec3(0.5, 0.5, 0.5);
        let eye = vec3(1.0, 0.0, 0.0);
        // The halfway vector is at 45°, so the highlight is 0.07 · 0.5^12.
        let lit = reflected(grey, UP, eye, UP, 1.0);
        let want = 0.5 * (0.40 + 0.66) + 0.07 * 0.5f32.powi(12);
        assert!((lit.x - want).abs() < 1e-5, "{} is not {want}", lit.x);
        let dark = reflected(grey, UP, eye, UP, 0.0);
        assert!((dark.x - 0.2).abs() < 1e-6);
    }

    #[test]
    fn both_sides_are_lit_alike() {
        let eye = vec3(0.6, 0.0, 0.8);
        let (front, back) = (UP, -UP);
        let one = vec3(1.0, 1.0, 1.0);
        assert_eq!(reflected(one, front, eye, UP, 1.0), reflected(one, back, eye, UP, 1.0));
    }
}
