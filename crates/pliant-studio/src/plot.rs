//! Curves over time, in a small frame.

use eframe::egui::{
    Align2, Color32, CornerRadius, FontId, Pos2, Rect, Sense, Stroke, Ui, Vec2, pos2, vec2,
};

use crate::viewport::number;

/// One curve.
pub struct Curve<'a> {
    /// What it shows.
    pub name: &'a str,
    /// In which colour.
    pub colour: Color32,
    /// Time and value, by time.
    pub points: Vec<[f64; 2]>,
}

/// Draws curves over a common time; values in `unit`. Says `nothing` where there are none.
pub fn show(ui: &mut Ui, title: &str, unit: &str, curves: &[Curve<'_>], nothing: &str, size: Vec2) {
    let (response, painter) = ui.allocate_painter(size, Sense::hover());
    let frame = response.rect;
    let visuals = ui.visuals();
    painter.rect_filled(frame, CornerRadius::same(3), visuals.extreme_bg_color);
    let inner = Rect::from_min_max(frame.min + vec2(6.0, 18.0), frame.max - vec2(6.0, 6.0));
    let (small, ink) = (FontId::proportional(11.0), visuals.text_color());
    let mut at = frame.min + vec2(6.0, 2.0);
    let heading =
        painter.text(at, Align2::LEFT_TOP, format!("{title} [{unit}]"), small.clone(), ink);
    at.x = heading.max.x + 10.0;
    for curve in curves {
        let name = painter.text(at, Align2::LEFT_TOP, curve.name, small.clone(), curve.colour);
        at.x = name.max.x + 8.0;
    }
    let Some(range) = Range::of(curves) else {
        let weak = visuals.weak_text_color();
        painter.text(frame.center(), Align2::CENTER_CENTER, nothing, small, weak);
        return;
    };
    for curve in curves {
        let line: Vec<Pos2> = curve.points.iter().filter_map(|p| range.place(*p, inner)).collect();
        painter.line(line, Stroke::new(1.4, curve.colour));
    }
    let right = frame.right() - 6.0;
    let top = pos2(right, frame.min.y + 2.0);
    painter.text(top, Align2::RIGHT_TOP, number(range.high as f32), small.clone(), ink);
    if let Some(pointer) = response.hover_pos() {
        let time = range.time_at(pointer.x, inner);
        let mut text = format!("t = {time:.3} s");
        for curve in curves {
            if let Some([_, value]) = curve.points.iter().rev().find(|p| p[0] <= time) {
                text += &format!("\n{} {} {unit}", curve.name, number(*value as f32));
            }
        }
        let x = pointer.x.clamp(inner.left(), inner.right());
        painter.line(vec![pos2(x, inner.top()), pos2(x, inner.bottom())], Stroke::new(1.0, ink));
        response.on_hover_text_at_pointer(text);
    }
}

/// The times and values that are shown.
struct Range {
    start: f64,
    end: f64,
    low: f64,
    high: f64,
}

impl Range {
    fn of(curves: &[Curve<'_>]) -> Option<Self> {
        let points = || curves.iter().flat_map(|c| &c.points).filter(|p| p[1].is_finite());
        let (start, end) =
            points().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[0]), b.max(p[0])));
        let (low, high) =
            points().fold((0.0, 0.0), |(a, b): (f64, f64), p| (a.min(p[1]), b.max(p[1])));
        (end > start && high > low).then_some(Self { start, end, low, high })
    }

    fn place(&self, [time, value]: [f64; 2], inner: Rect) -> Option<Pos2> {
        let x = (time - self.start) / (self.end - self.start);
        let y = (value - self.low) / (self.high - self.low);
        let at = pos2(
            inner.left() + x as f32 * inner.width(),
            inner.bottom() - y as f32 * inner.height(),
        );
        at.is_finite().then_some(at)
    }

    fn time_at(&self, x: f32, inner: Rect) -> f64 {
        let part = f64::from((x - inner.left()) / inner.width().max(1.0)).clamp(0.0, 1.0);
        self.start + part * (self.end - self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_fill_their_frame_and_skip_what_is_no_number() {
        let points = vec![[1.0, 0.0], [2.0, 4.0], [3.0, f64::NAN]];
        let range = Range::of(&[Curve { name: "a", colour: Color32::RED, points }]).unwrap();
        let inner = Rect::from_min_max(pos2(0.0, 0.0), pos2(10.0, 8.0));
        assert_eq!(range.place([2.0, 4.0], inner), Some(pos2(10.0, 0.0)));
        assert_eq!(range.place([1.0, 2.0], inner), Some(pos2(0.0, 4.0)));
        assert_eq!(range.place([2.0, f64::NAN], inner), None);
        assert_eq!(range.time_at(5.0, inner), 1.5);
        assert!(Range::of(&[]).is_none());
    }
}
