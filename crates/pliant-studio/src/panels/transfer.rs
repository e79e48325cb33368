//! The editor of transfer functions: values from left to right, densities upwards, the spread of values
//! behind, and points that are dragged, added and removed.

use eframe::egui::{
    self, Color32, EventFilter, Id, Key, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};
use pliant_session::pictures::volume::{rgb, transfer};
use pliant_sim::scene::{PictureVolume, Rgb, Transfer, TransferPoint};

use crate::layout::Layout;
use crate::places::Places;

/// Height of the field \[points\], and of the strip of colours below it.
const HEIGHT: f32 = 120.0;
const STRIP: f32 = 12.0;
/// Radius of a point, for mice and for fingers \[points\].
const RADIUS: [f32; 2] = [6.0, 11.0];
/// How far a press of a key moves a point, of the whole field.
const NUDGE: f32 = 0.02;
/// The field shows at least densities up to this.
const LEAST_TOP: f64 = 10.0;

/// What there is to edit.
pub struct Editor<'a> {
    /// In the order of their places.
    pub points: &'a mut Vec<TransferPoint>,
    /// The one whose numbers are shown beside.
    pub chosen: &'a mut usize,
    /// Heights of the bars behind, from 0 to 1.
    pub histogram: &'a [f32],
}

impl Editor<'_> {
    /// Shows it; returns whether something was changed.
    pub fn show(&mut self, ui: &mut Ui, places: &mut Places) -> bool {
        let is_small = Layout::of(ui.ctx()).is_small();
        let radius = RADIUS[usize::from(is_small)];
        let width = ui.available_width().clamp(120.0, 460.0);
        let (all, field) = ui.allocate_exact_size(vec2(width, HEIGHT + STRIP), Sense::click());
        field.widget_info(|| {
            WidgetInfo::labeled(Role::Canvas, true, "transfer function: click to add a point")
        });
        places.note_rect("transfer", field.rect);
        let plane = Plane {
            inner: Rect::from_min_max(
                pos2(all.left() + radius, all.top() + radius),
                pos2(all.right() - radius, all.bottom() - STRIP - 2.0),
            ),
            top: self.points.iter().map(|p| p.density).fold(LEAST_TOP, f64::max),
        };
        self.paint(ui, all, &plane);
        let mut changed = self.add(&field, &plane);
        let mut removed = None;
        for i in 0..self.points.len() {
            let response = self.point(ui, i, &plane, radius, field.id);
            places.note_rect(&format!("transfer point {i}"), response.rect);
            changed |= self.follow(ui, i, &response, &plane);
            let is_hit = |key| response.has_focus() && ui.input(|input| input.key_pressed(key));
            if response.secondary_clicked() || is_hit(Key::Delete) || is_hit(Key::Backspace) {
                removed = Some(i);
            }
        }
        if let Some(i) = removed.filter(|_| self.points.len() > 1) {
            self.remove(i);
            changed = true;
        }
        changed
    }

    /// Takes a point away.
    pub fn remove(&mut self, i: usize) {
        self.points.remove(i);
        *self.chosen = (*self.chosen).min(self.points.len() - 1);
    }

    /// Adds a point where somebody clicked.
    fn add(&mut self, field: &Response, plane: &Plane) -> bool {
        let at = field.interact_pointer_pos().filter(|_| field.clicked());
        let Some(at) = at.filter(|_| self.points.len() < PictureVolume::MOST_POINTS) else {
            return false;
        };
        let (at, density) = plane.value(at);
        self.insert(at, Some(density));
        true
    }

    /// Adds a point at a place, on the line or with a density of its own, in the colour that is there.
    pub fn insert(&mut self, at: f64, density: Option<f64>) {
        let now = transfer(&Transfer::Points(self.points.clone()), [0.0, 1.0]);
        let colour = rgb(now.colour(at as f32));
        let density = density.unwrap_or(f64::from(now.extinction(at as f32)));
        let i = self.points.partition_point(|p| p.at <= at);
        self.points.insert(i, TransferPoint { at, colour, density });
        *self.chosen = i;
    }

    /// The handle of a point.
    fn point(&self, ui: &Ui, i: usize, plane: &Plane, radius: f32, editor: Id) -> Response {
        let point = &self.points[i];
        let at = plane.place(point);
        let room = Rect::from_center_size(at, Vec2::splat(3.6 * radius));
        let id = editor.with(("point", i));
        let response = ui.interact(room, id, Sense::click_and_drag());
        ui.memory_mut(|memory| {
            let arrows = EventFilter {
                horizontal_arrows: true,
                vertical_arrows: true,
                ..Default::default()
            };
            memory.set_focus_lock_filter(id, arrows);
        });
        response.widget_info(|| {
            let TransferPoint { at, density, .. } = point;
            let text = format!("point {i} at {at:.2}, density {density:.2}: arrow keys move it");
            WidgetInfo::labeled(Role::Slider, true, text)
        });
        let is_chosen = *self.chosen == i || response.has_focus();
        let edge =
            if is_chosen { ui.visuals().selection.stroke } else { ui.visuals().window_stroke };
        let ink = ui.visuals().text_color();
        let painter = ui.painter();
        let size = if is_chosen { radius + 1.5 } else { radius - 1.0 };
        painter.circle_filled(at, size, Color32::WHITE);
        painter.circle(at, size - 2.0, colour(point.colour), Stroke::new(1.0, ink));
        if is_chosen {
            painter.circle_stroke(at, size + 0.5, Stroke::new(2.0, edge.color));
        }
        response
    }

    /// Moves a point with the hand or with keys.
    fn follow(&mut self, ui: &Ui, i: usize, response: &Response, plane: &Plane) -> bool {
        if response.clicked() || response.drag_started() || response.gained_focus() {
            *self.chosen = i;
        }
        let mut way = Vec2::ZERO;
        if response.has_focus() {
            let (x, y) = (NUDGE * plane.inner.width(), NUDGE * plane.inner.height());
            let pressed = |key| ui.input(|input| input.num_presses(key)) as f32;
            way.x = x * (pressed(Key::ArrowRight) - pressed(Key::ArrowLeft));
            way.y = y * (pressed(Key::ArrowDown) - pressed(Key::ArrowUp));
        }
        let target = match response.interact_pointer_pos().filter(|_| response.dragged()) {
            Some(hand) => hand,
            None if way != Vec2::ZERO => plane.place(&self.points[i]) + way,
            None => return false,
        };
        let (at, density) = plane.value(target);
        let low = if i > 0 { self.points[i - 1].at } else { 0.0 };
        let high = self.points.get(i + 1).map_or(1.0, |next| next.at);
        let moved = TransferPoint { at: at.clamp(low, high), density, ..self.points[i] };
        let changed = moved != self.points[i];
        self.points[i] = moved;
        changed
    }

    /// Bars, colours below the line, the line, and the strip of colours.
    fn paint(&self, ui: &Ui, all: Rect, plane: &Plane) {
        let painter = ui.painter_at(all.expand(2.0));
        let visuals = ui.visuals();
        let inner = plane.inner;
        let frame = Rect::from_min_max(all.min, pos2(all.right(), all.bottom() - STRIP));
        painter.rect_filled(frame, 3.0, visuals.extreme_bg_color);
        let bar = inner.width() / self.histogram.len().max(1) as f32;
        let shade = visuals.weak_text_color().gamma_multiply(0.35);
        for (i, height) in self.histogram.iter().enumerate().filter(|(_, h)| **h > 0.0) {
            let left = inner.left() + i as f32 * bar;
            let top = inner.bottom() - height * inner.height();
            let bar = Rect::from_min_max(pos2(left, top), pos2(left + bar, inner.bottom()));
            painter.rect_filled(bar, 0.0, shade);
        }
        let function = transfer(&Transfer::Points(self.points.clone()), [0.0, 1.0]);
        let strips = (inner.width() / 2.0) as usize;
        let mut line = Vec::with_capacity(strips + 1);
        for strip in 0..=strips {
            let at = strip as f32 / strips.max(1) as f32;
            let x = inner.left() + at * inner.width();
            let y = plane.height(f64::from(function.extinction(at)));
            let colour = colour(rgb(function.colour(at)));
            let below = Rect::from_min_max(pos2(x - 1.0, y), pos2(x + 1.0, inner.bottom()));
            painter.rect_filled(below, 0.0, colour.gamma_multiply(0.55));
            let strip = Rect::from_min_max(
                pos2(x - 1.0, all.bottom() - STRIP + 2.0),
                pos2(x + 1.0, all.bottom()),
            );
            painter.rect_filled(strip, 0.0, colour);
            line.push(pos2(x, y));
        }
        painter.add(egui::Shape::line(line, Stroke::new(1.5, visuals.text_color())));
        painter.rect_stroke(frame, 3.0, visuals.widgets.inactive.fg_stroke, StrokeKind::Inside);
    }
}

/// From places and densities to the window. Densities grow with the square of the height, so that thin
/// veils can be told from nothing.
struct Plane {
    inner: Rect,
    top: f64,
}

impl Plane {
    fn height(&self, density: f64) -> f32 {
        self.inner.bottom() - (density / self.top).sqrt() as f32 * self.inner.height()
    }

    fn place(&self, point: &TransferPoint) -> egui::Pos2 {
        let x = self.inner.left() + point.at as f32 * self.inner.width();
        pos2(x, self.height(point.density))
    }

    /// What is at a place of the window, with few digits.
    fn value(&self, at: egui::Pos2) -> (f64, f64) {
        let x = f64::from((at.x - self.inner.left()) / self.inner.width()).clamp(0.0, 1.0);
        let y = f64::from((self.inner.bottom() - at.y) / self.inner.height()).clamp(0.0, 1.0);
        let few = |v: f64| (v * 1e4).round() / 1e4;
        (few(x), few(y * y * self.top))
    }
}

/// A colour as the window has it.
pub fn colour(Rgb([r, g, b]): Rgb) -> Color32 {
    Color32::from_rgb(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_values_are_each_others_inverse() {
        let inner = Rect::from_min_max(pos2(10.0, 20.0), pos2(110.0, 80.0));
        let plane = Plane { inner, top: 40.0 };
        let point = TransferPoint { at: 0.25, colour: Rgb([0; 3]), density: 10.0 };
        let at = plane.place(&point);
        assert_eq!(at, pos2(35.0, 50.0), "a quarter of the density is half of the height");
        assert_eq!(plane.value(at), (0.25, 10.0));
        assert_eq!(plane.value(pos2(-5.0, 500.0)), (0.0, 0.0));
        assert_eq!(plane.value(pos2(500.0, -5.0)), (1.0, 40.0));
    }

    #[test]
    fn new_points_lie_on_the_line() {
        let point = |at, grey, density| TransferPoint { at, colour: Rgb([grey; 3]), density };
        let mut points = vec![point(0.0, 0, 0.0), point(1.0, 255, 8.0)];
        let mut chosen = 0;
        let mut editor = Editor { points: &mut points, chosen: &mut chosen, histogram: &[] };
        editor.insert(0.25, None);
        assert_eq!((editor.points.len(), *editor.chosen), (3, 1));
        assert!((editor.points[1].density - 2.0).abs() < 1e-6);
        // A quarter of the light of white.
        assert_eq!(editor.points[1].colour, Rgb([137; 3]));
        editor.remove(1);
        assert_eq!((editor.points.len(), *editor.chosen), (2, 1));
    }
}
