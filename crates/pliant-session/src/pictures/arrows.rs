//! Forces of contact and the wind as arrows.

use pliant_render::Arrow;

use crate::Frame;

/// How long the arrows of a wind of 1 m/s are, and the longest, in radii of what it blows on.
const WIND_LENGTH: f64 = 0.06;
const LONGEST_WIND: f64 = 1.2;

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

/// Nine arrows before the wind reaches what begins at `start` \[m\], longer the faster it is \[m/s\].
pub(super) fn of_wind(wind: [f64; 3], start: &[[f32; 3]]) -> Vec<Arrow> {
    let speed = wind.iter().map(|c| c * c).sum::<f64>().sqrt();
    let corner = |pick: fn(f32, f32) -> f32| {
        start.iter().copied().reduce(|a, b| std::array::from_fn(|k| pick(a[k], b[k])))
    };
    let (Some(low), Some(high)) = (corner(f32::min), corner(f32::max)) else { return Vec::new() };
    if speed == 0.0 {
        return Vec::new();
    }
    let along = wind.map(|c| c / speed);
    let ends = [low, high].map(|c| c.map(f64::from));
    let radius = 0.5 * (0..3).map(|k| (ends[1][k] - ends[0][k]).powi(2)).sum::<f64>().sqrt();
    // Two directions at right angles to the wind, from the axis that it is farthest from.
    let axis = (0..3).fold(0, |a, b| if along[b].abs() < along[a].abs() { b } else { a });
    let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|k| {
            let [i, j] = [(k + 1) % 3, (k + 2) % 3];
            a[i] * b[j] - a[j] * b[i]
        })
    };
    let side = cross(along, std::array::from_fn(|k| f64::from(u8::from(k == axis))));
    let length = side.iter().map(|c| c * c).sum::<f64>().sqrt();
    let side = side.map(|c| c / length);
    let up = cross(along, side);
    let long = radius * (WIND_LENGTH * speed).min(LONGEST_WIND);
    let arrow = |n: i32| {
        let [a, b] = [n % 3 - 1, n / 3 - 1].map(|n| 0.6 * radius * f64::from(n));
        let tip = |k: usize| {
            let middle = 0.5 * (ends[0][k] + ends[1][k]);
            middle - 1.1 * radius * along[k] + a * side[k] + b * up[k]
        };
        Arrow {
            tail: std::array::from_fn(|k| (tip(k) - long * along[k]) as f32),
            tip: std::array::from_fn(|k| tip(k) as f32),
        }
    };
    (0..9).map(arrow).collect()
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

    #[test]
    fn arrows_of_the_wind_lead_to_the_bodies_and_grow_with_its_speed() {
        let start = [[0.0; 3], [2.0, 0.0, 0.0]];
        let along = |speed: f64| {
            let arrows = of_wind([speed, 0.0, 0.0], &start);
            assert_eq!(arrows.len(), 9);
            assert!(arrows.iter().all(|a| a.tip[0] < 0.0 && a.tip[1..] == a.tail[1..]));
            arrows[0].tip[0] - arrows[0].tail[0]
        };
        assert!((along(5.0) - 0.3).abs() < 1e-6 && (along(10.0) - 0.6).abs() < 1e-6);
        assert!((along(1e3) - 1.2).abs() < 1e-6);
        assert!(of_wind([0.0; 3], &start).is_empty() && of_wind([1.0; 3], &[]).is_empty());
    }
}
