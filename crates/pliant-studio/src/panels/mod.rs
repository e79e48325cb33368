//! Everything round the picture.

pub mod banner;
pub mod files;
pub mod help;
pub mod info;
pub mod menu;
pub mod messages;
pub mod parameters;
pub mod plots;
pub mod scene;
pub mod timeline;
pub mod transport;
pub mod view;

use eframe::egui::{CollapsingHeader, RichText, Ui};

/// A part of a panel that can be folded away.
pub fn section<R>(
    ui: &mut Ui,
    title: &str,
    is_open: bool,
    show: impl FnOnce(&mut Ui) -> R,
) -> Option<R> {
    CollapsingHeader::new(RichText::new(title).strong())
        .default_open(is_open)
        .show(ui, show)
        .body_returned
}
