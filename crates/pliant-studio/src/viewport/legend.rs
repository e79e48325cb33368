//! What colours mean, in the picture's upper right corner: bodies are mostly below it.

use eframe::egui::{Align2, Color32, CornerRadius, FontId, Painter, Rect, pos2, vec2};
use pliant_render::Scale;

const WIDTH: f32 = 18.0;
const HEIGHT: f32 = 180.0;
const MARGIN: f32 = 24.0;
/// Room for the numbers.
const TEXT: f32 = 64.0;

/// Draws the scale of a colouring.
pub fn show(painter: &Painter, area: Rect, scale: &Scale) {
    let height = HEIGHT.min(area.height() - 4.0 * MARGIN);
    if height < 40.0 || area.width() < 200.0 {
        return;
    }
    let left = area.right() - MARGIN - TEXT - WIDTH;
    let bar = Rect::from_min_size(pos2(left, area.top() + MARGIN + 20.0), vec2(WIDTH, height));
    let panel = Rect::from_min_max(bar.min - vec2(10.0, 30.0), bar.max + vec2(TEXT + 4.0, 14.0));
    painter.rect_filled(panel, CornerRadius::same(6), Color32::from_white_alpha(200));
    let table = scale.map.table().0;
    let rows = height as usize;
    for row in 0..rows {
        let place = 1.0 - (row as f32 + 0.5) / rows as f32;
        let entry = ((place * 255.0) as usize).min(table.len() - 1);
        let [r, g, b, _] = table[entry].to_srgb8();
        let top = bar.min.y + row as f32;
        let strip = Rect::from_min_size(pos2(left, top), vec2(WIDTH, 1.5));
        painter.rect_filled(strip, CornerRadius::ZERO, Color32::from_rgb(r, g, b));
    }
    let (font, ink) = (FontId::proportional(12.0), Color32::from_gray(30));
    let title = format!("{} [{}]", scale.name, scale.unit);
    painter.text(bar.left_top() - vec2(0.0, 8.0), Align2::LEFT_BOTTOM, title, font.clone(), ink);
    for part in [0.0, 0.5, 1.0] {
        let [low, high] = scale.range;
        let value = low + part * (high - low);
        let at = pos2(bar.right() + 6.0, bar.bottom() - part * height);
        painter.text(at, Align2::LEFT_CENTER, number(value), font.clone(), ink);
    }
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
