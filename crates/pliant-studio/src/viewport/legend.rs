//! What colours mean, in the picture's upper right corner or along its upper edge: bodies are mostly
//! below it.

use eframe::egui::{Align2, Color32, CornerRadius, FontId, Painter, Rect, pos2, vec2};
use pliant_render::volume::Look;
use pliant_render::{Colour, Scale};

use crate::colours::{GROUND, INK};
use crate::layout::Layout;

const WIDTH: f32 = 18.0;
const HEIGHT: f32 = 180.0;
const MARGIN: f32 = 24.0;
/// Room for the numbers.
const TEXT: f32 = 64.0;

/// Draws the scale of a colouring, with the colours that values have inside of bodies if those are shown.
pub fn show(painter: &Painter, area: Rect, scale: &Scale, inside: Option<&Look>, layout: Layout) {
    let table = scale.map.table().0;
    let colour = |part: f32| match inside {
        Some(look) => look.legend_colour(at_part(scale, part)),
        None => table[((part * 255.0) as usize).min(table.len() - 1)],
    };
    match layout {
        Layout::Desktop => show_upright(painter, area, scale, &colour),
        Layout::Upright | Layout::Sideways => show_flat(painter, area, scale, &colour),
    }
}

fn show_upright(painter: &Painter, area: Rect, scale: &Scale, colour: &dyn Fn(f32) -> Colour) {
    let height = HEIGHT.min(area.height() - 4.0 * MARGIN);
    if height < 40.0 || area.width() < 200.0 {
        return;
    }
    let left = area.right() - MARGIN - TEXT - WIDTH;
    let bar = Rect::from_min_size(pos2(left, area.top() + MARGIN + 20.0), vec2(WIDTH, height));
    let panel = Rect::from_min_max(bar.min - vec2(10.0, 30.0), bar.max + vec2(TEXT + 4.0, 14.0));
    painter.rect_filled(panel, CornerRadius::same(6), GROUND);
    fill(painter, bar, colour, true);
    let title = bar.left_top() - vec2(0.0, 8.0);
    painter.text(title, Align2::LEFT_BOTTOM, name(scale), FontId::proportional(12.0), INK);
    for part in [0.0, 0.5, 1.0] {
        let at = pos2(bar.right() + 6.0, bar.bottom() - part * height);
        let value = number(at_part(scale, part));
        painter.text(at, Align2::LEFT_CENTER, value, FontId::proportional(12.0), INK);
    }
}

/// One line along the picture's upper edge: a phone has no room beside the bodies.
fn show_flat(painter: &Painter, area: Rect, scale: &Scale, colour: &dyn Fn(f32) -> Colour) {
    let font = FontId::proportional(12.0);
    let line = Rect::from_min_size(area.min, vec2(area.width(), 22.0));
    let layout = |text: String| painter.layout_no_wrap(text, font.clone(), INK);
    let [low, high] = [0.0, 1.0].map(|part| layout(number(at_part(scale, part))));
    let title = layout(name(scale));
    let gap = 8.0;
    let left = line.left() + title.size().x + low.size().x + 3.0 * gap;
    let right = line.right() - high.size().x - 2.0 * gap;
    if right - left < 40.0 || area.height() < 100.0 {
        return;
    }
    painter.rect_filled(line, CornerRadius::ZERO, GROUND);
    let middle = |galley: &std::sync::Arc<eframe::egui::Galley>, x: f32| {
        pos2(x, line.center().y - 0.5 * galley.size().y)
    };
    let after_title = line.left() + gap + title.size().x + gap;
    painter.galley(middle(&title, line.left() + gap), title.clone(), INK);
    painter.galley(middle(&low, after_title), low.clone(), INK);
    painter.galley(middle(&high, right + gap), high.clone(), INK);
    let bar = Rect::from_x_y_ranges(left..=right, line.shrink2(vec2(0.0, 5.0)).y_range());
    fill(painter, bar, colour, false);
}

/// Paints all colours, the least at the bottom or at the left.
fn fill(painter: &Painter, bar: Rect, colour: &dyn Fn(f32) -> Colour, is_upright: bool) {
    let length = if is_upright { bar.height() } else { bar.width() };
    let strips = length as usize;
    for strip in 0..strips {
        let part = (strip as f32 + 0.5) / strips as f32;
        let place = if is_upright { 1.0 - part } else { part };
        let [r, g, b, _] = colour(place).to_srgb8();
        let (offset, size) = match is_upright {
            true => (vec2(0.0, strip as f32), vec2(bar.width(), 1.5)),
            false => (vec2(strip as f32, 0.0), vec2(1.5, bar.height())),
        };
        let colour = Color32::from_rgb(r, g, b);
        let strip = Rect::from_min_size(bar.min + offset, size);
        painter.rect_filled(strip, CornerRadius::ZERO, colour);
    }
}

fn name(scale: &Scale) -> String {
    match &*scale.unit {
        "" => scale.name.clone(),
        unit => format!("{} [{unit}]", scale.name),
    }
}

fn at_part(scale: &Scale, part: f32) -> f32 {
    let [low, high] = scale.range;
    low + part * (high - low)
}

/// Three digits, with a power of ten where that is shorter.
pub fn number(value: f32) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".into()
    } else if (0.01..1e4).contains(&size) {
        let digits = (2 - size.log10().floor() as i32).clamp(0, 4) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.1e}")
    }
}
