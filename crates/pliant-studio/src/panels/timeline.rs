//! Where the simulation is in its past, and the way back.

use eframe::egui::{
    CornerRadius, EventFilter, Key, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui, pos2, vec2,
};
use pliant_session::player::{Remembered, Status};

use crate::app::Action;
use crate::places::Places;

/// Shows the remembered moments; a click or a drag goes to the nearest, arrow keys go from one to the
/// next.
pub fn show(ui: &mut Ui, status: &Status, places: &mut Places, actions: &mut Vec<Action>) {
    let size = vec2(ui.available_width().max(40.0), ui.spacing().interact_size.y);
    let (response, painter) = ui.allocate_painter(size, Sense::click_and_drag());
    let response = places
        .note("timeline", response)
        .on_hover_text("the past of this simulation: click to go back to a remembered moment");
    let bar = Rect::from_center_size(response.rect.center(), size - vec2(12.0, size.y - 6.0));
    let visuals = ui.visuals();
    painter.rect_filled(bar, CornerRadius::same(3), visuals.extreme_bg_color);
    if response.has_focus() {
        painter.rect_stroke(
            response.rect,
            CornerRadius::same(3),
            visuals.selection.stroke,
            StrokeKind::Inside,
        );
    }
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
    if let Some(moment) = stepped_to(ui, &response, status) {
        actions.push(Action::Rewind(moment.step));
    }
}

/// The moment before or after, if an arrow key asks for it.
fn stepped_to<'m>(ui: &Ui, response: &Response, status: &'m Status) -> Option<&'m Remembered> {
    if !response.has_focus() {
        return None;
    }
    let arrows = EventFilter { horizontal_arrows: true, ..Default::default() };
    ui.memory_mut(|m| m.set_focus_lock_filter(response.id, arrows));
    let (back, on) = ui.input(|i| (i.key_pressed(Key::ArrowLeft), i.key_pressed(Key::ArrowRight)));
    let (step, moments) = (status.report.step, &status.moments);
    match (back, on) {
        (true, _) => moments.iter().rev().find(|m| m.step < step),
        (_, true) => moments.iter().find(|m| m.step > step),
        _ => None,
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
