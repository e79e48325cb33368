//! Surfaces whose motion is given, as they are at the start.

use crate::contact::Surface;
use crate::model::{Given, Model};

/// Where the coordinates of one begin: in its middle at the start \[m\].
pub(super) fn origin(given: &Given) -> [f64; 3] {
    let points = given.points_at(0.0);
    std::array::from_fn(|k| {
        let along = || points.iter().map(|p| p[k]);
        let (low, high) =
            (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max));
        0.5 * (low + high)
    })
}

/// The surfaces of all of them as one, at the start, seen from the origins of their coordinates. Vertices have the
/// numbers that they have in `runs`.
pub(super) struct AtStart {
    pub surface: Surface,
    /// By vertex \[m\].
    pub rest: Vec<[f32; 3]>,
    /// By triangle \[m\].
    pub depths: Vec<f32>,
}

impl AtStart {
    pub fn new(model: &Model) -> Self {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        let (mut rest, mut depths) = (Vec::new(), Vec::new());
        for given in &model.given {
            let (first, origin) = (positions.len() as u32, origin(given));
            let points = given.points_at(0.0);
            triangles.extend(given.triangles.iter().map(|t| t.map(|v| first + v)));
            rest.extend(
                points
                    .iter()
                    .map(|p| -> [f32; 3] { std::array::from_fn(|k| (p[k] - origin[k]) as f32) }),
            );
            positions.extend(points);
            let depth = |t: usize| given.depths.get(t).map_or(0.0, |&depth| depth as f32);
            depths.extend((0..given.triangles.len()).map(depth));
        }
        Self { surface: Surface::new(&positions, &triangles), rest, depths }
    }
}
