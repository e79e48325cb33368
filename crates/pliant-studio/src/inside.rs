//! What the user chose to see of the inside of bodies.

use pliant_render::Bounds;
use pliant_session::pictures::Painter;
use pliant_session::pictures::volume::points;
use pliant_sim::scene::{PictureColour, PictureSlice, PictureVolume, Transfer, TransferPoint};
use web_time::{Duration, Instant};

use crate::engine::Opened;
use crate::look::CutPlane;

/// Bars of a histogram.
pub const BARS: usize = 64;
/// How often values that change are counted anew.
const PAUSE: Duration = Duration::from_millis(1000);

/// How the inside of bodies is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inside {
    /// Whether it is.
    pub is_on: bool,
    /// Colours, densities, surfaces, quality; its slice is not used.
    pub wish: PictureVolume,
    /// A plane that shows the values on it.
    pub slice: Option<CutPlane>,
    /// The point of the transfer function that is being changed.
    pub chosen: usize,
}

impl Inside {
    /// As a scene wants it, whose bodies are in `bounds`.
    pub fn of_scene(wish: &PictureVolume, bounds: Bounds) -> Self {
        let slice = wish.slice.map(|slice| CutPlane::near(slice, bounds));
        Self { is_on: true, wish: PictureVolume { slice: None, ..wish.clone() }, slice, chosen: 0 }
    }

    /// As a scene says it, for bodies in `bounds`; nothing if it is not shown.
    pub fn wanted(&self, bounds: Bounds) -> Option<PictureVolume> {
        let slice = self.slice.map(|plane| {
            let cut = plane.plane(bounds);
            PictureSlice { normal: cut.normal, point: Some(cut.point), clears: true }
        });
        self.is_on.then(|| PictureVolume { slice, ..self.wish.clone() })
    }

    /// The points of the transfer function for what colours show, also of a preset.
    pub fn points(&self, colour: &PictureColour) -> Vec<TransferPoint> {
        points(&self.wish.transfer_for(colour)).into_owned()
    }

    /// Takes over points that were changed.
    pub fn set_points(&mut self, points: Vec<TransferPoint>) {
        self.chosen = self.chosen.min(points.len().saturating_sub(1));
        self.wish.transfer = Some(Transfer::Points(points));
    }
}

/// How the values that are shown are spread, not counted anew in every frame.
#[derive(Debug, Default)]
pub struct Histogram {
    counted: Option<Counted>,
}

#[derive(Debug)]
struct Counted {
    colour: PictureColour,
    range: [f32; 2],
    /// When, and in which step.
    at: (Instant, u64),
    heights: Vec<f32>,
}

impl Histogram {
    /// Heights of the bars from 0 to 1; empty while nothing was counted.
    pub fn heights(&self) -> &[f32] {
        self.counted.as_ref().map_or(&[], |counted| &counted.heights)
    }

    /// Whether other values are shown than were counted, or the same ones some time later.
    pub fn is_due(&self, opened: &Opened) -> bool {
        let painter: &Painter = &opened.painter;
        let Some(scale) = painter.view.colouring.scale() else { return false };
        let Some(counted) = &self.counted else { return true };
        let is_same = counted.colour == *painter.colour() && counted.range == scale.range;
        let is_fixed = matches!(counted.colour, PictureColour::Field(_));
        let step = opened.controls.frame().map(|f| f.report.step);
        let is_later = step != Some(counted.at.1) && counted.at.0.elapsed() > PAUSE;
        !is_same || (!is_fixed && is_later)
    }

    /// Counts the values of the latest frame, which must be here.
    pub fn count(&mut self, opened: &Opened) {
        let painter: &Painter = &opened.painter;
        let Some((scale, frame)) = painter.view.colouring.scale().zip(opened.frame_here()) else {
            return;
        };
        let counts = painter.histogram(&frame, BARS);
        let heights = heights(&counts);
        let (colour, range) = (painter.colour().clone(), scale.range);
        // A frame from before other values were chosen has none of them: look again later.
        let is_empty = counts.iter().all(|&n| n == 0);
        let at = (Instant::now(), if is_empty { u64::MAX } else { frame.report.step });
        self.counted = Some(Counted { colour, range, at, heights });
    }

    /// Forgets what was counted, as when another scene is opened.
    pub fn forget(&mut self) {
        self.counted = None;
    }
}

/// Logarithms, since most values of a scan are air.
fn heights(counts: &[u32]) -> Vec<f32> {
    let most = counts.iter().copied().max().unwrap_or(0);
    let height = |&n: &u32| (1.0 + n as f32).ln() / (1.0 + most.max(1) as f32).ln();
    counts.iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Bounds = Bounds { min: [0.0, 0.0, 0.0], max: [1.0, 2.0, 4.0] };

    #[test]
    fn slices_go_to_scenes_and_come_back() {
        let slice = CutPlane { axis: 2, at: 0.25, flipped: true };
        let inside = Inside { is_on: true, slice: Some(slice), ..Inside::default() };
        let wish = inside.wanted(BOX).unwrap();
        let said = wish.slice.unwrap();
        assert_eq!((said.normal, said.point), ([0.0, 0.0, -1.0], Some([0.5, 1.0, 1.0])));
        assert_eq!(Inside::of_scene(&wish, BOX), inside);
        assert_eq!(Inside::default().wanted(BOX), None);
    }

    #[test]
    fn few_values_are_seen_beside_many() {
        let heights = heights(&[0, 10, 1_000_000]);
        assert!(heights[0] == 0.0 && heights[2] == 1.0);
        assert!(heights[1] > 0.15, "{heights:?}");
        assert_eq!(super::heights(&[0, 0]), [0.0, 0.0]);
    }
}
