//! Forces of contact as arrows.

use pliant_render::Arrow;

use crate::Frame;

/// How long the arrow of a force at the end of the scale is, and the longest, in sizes of a body.
const LENGTH: f32 = 0.2;
const LONGEST: f32 = 0.6;
/// What is smaller than this part of the scale is not worth an arrow.
const LEAST: f32 = 0.01;

/// An arrow for each vertex that something pushes. It ends at the vertex, so that it comes from the side of whatever
/// pushes. `top` is where the scale ends \[N\], `across` the size of a body \[m\].
pub(super) fn of(frame: &Frame, top: f32, across: f32) -> Vec<Arrow> {
    let arrow = |(&tip, force): (&[f32; 3], &[f32; 3])| {
        let size = force.iter().map(|c| c * c).sum::<f32>().sqrt();
        let part = size / top;
        let length = across * (LENGTH * part).min(LONGEST);
        let tail = std::array::from_fn(|k| tip[k] - force[k] / size * length);
        (part >= LEAST).then_some(Arrow { tail, tip })
    };
    frame.positions.iter().zip(&frame.contact_forces).filter_map(arrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_grow_with_forces_up_to_a_limit() {
        let frame = Frame {
            positions: vec![[1.0, 2.0, 3.0]; 4],
            contact_forces: vec![[0.0; 3], [0.0, 0.0, 5.0], [-1e6, 0.0, 0.0], [1e-3, 0.0, 0.0]],
            ..Frame::default()
        };
        let arrows = of(&frame, 10.0, 0.5);
        let tails = arrows.iter().map(|arrow| arrow.tail).collect::<Vec<_>>();
        assert_eq!(tails, [[1.0, 2.0, 2.95], [1.3, 2.0, 3.0]]);
    }
}
