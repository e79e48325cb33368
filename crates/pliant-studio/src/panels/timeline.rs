//! Where the simulation is in its past, and the way back.

use eframe::egui::{CornerRadius, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};
use pliant_session::player::{Remembered, Status};

use crate::app::Action;
use crate::places::Places;

/// Shows the remembered moments; a click or a drag goes to the nearest.
pub fn show(ui: &mut Ui, status: &Status, places: &mut Places, actions: &mut Vec<Action>) {
    let size = vec2(ui.available_width().max(40.0), 18.0);
    let (response, painter) = ui.allocate_painter(size, Sense::click_and_drag());
    let response = places
        .note("timeline", response)
        .on_hover_text("the past of this simulation: click to go back to a remembered moment");
    let bar = response.rect.shrink2(vec2(6.0, 6.0));
    let visuals = ui.visuals();
    painter.rect_filled(bar, CornerRadius::same(3), visuals.extreme_bg_color);
    let Some(line) = Line::of(status, bar) else { return };
    let now = line.place(status.report.time);
    let past = Rect::from_min_max(bar.min, pos2(now, bar.max.y));
    painter.rect_filled(past, CornerRadius::same(3), visuals.selection.bg_fill);
    for moment in status.moments.iter() {
        let x = line.place(moment.time);
        let mark = vec![pos2(x, bar.min.y), pos2(x, bar.max.y)];
        painter.line(mark, Stroke::new(1.0, visuals.weak_text_color()));
    }
    painter.circle_filled(pos2(now, bar.center().y), 5.0, visuals.text_color());
    if let Some(at) = response.interact_pointer_pos()
        && (response.clicked() || response.dragged())
        && let Some(moment) = line.nearest(at, &status.moments)
        && moment.step != status.report.step
    {
        actions.push(Action::Rewind(moment.step));
    }
}

/// From times to places.
struct Line {
    start: f64,
    end: f64,
    bar: Rect,
}

impl Line {
    fn of(status: &Status, bar: Rect) -> Option<Self> {
        let start = status.moments.first()?.time;
        let last = status.moments.last()?.time;
        let end = last.max(status.report.time).max(start + 1e-9);
        Some(Self { start, end, bar })
    }

    fn place(&self, time: f64) -> f32 {
        let part = ((time - self.start) / (self.end - self.start)).clamp(0.0, 1.0);
        self.bar.left() + part as f32 * self.bar.width()
    }

    fn nearest<'m>(&self, at: Pos2, moments: &'m [Remembered]) -> Option<&'m Remembered> {
        let distance = |m: &&Remembered| (self.place(m.time) - at.x).abs();
        moments.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}
