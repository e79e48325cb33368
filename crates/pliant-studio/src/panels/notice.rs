//! A line over the picture about how things run here, where that is not as usual.

use eframe::egui::{Align2, Color32, CornerRadius, FontId, Rect, Ui, vec2};

/// Shows the line in the upper right corner of the picture.
pub fn show(ui: &Ui, area: Rect, text: &str) {
    let ink = Color32::from_rgb(90, 50, 0);
    let width = (0.6 * area.width()).max(140.0);
    let galley = ui.painter().layout(text.into(), FontId::proportional(12.5), ink, width);
    let at = area.right_top() + vec2(-10.0, 10.0);
    let rect = Align2::RIGHT_TOP.anchor_size(at, galley.size());
    let ground = Color32::from_rgb(255, 243, 214);
    ui.painter().rect_filled(rect.expand(5.0), CornerRadius::same(5), ground);
    ui.painter().galley(rect.min, galley, ink);
}
