//! The letters of the interface.

use std::sync::Arc;

use eframe::egui::{FontData, FontDefinitions, FontFamily};
use epaint_default_fonts::UBUNTU_LIGHT;

/// One font for everything: browsers download it with the page.
pub fn definitions() -> FontDefinitions {
    let name = "Ubuntu-Light";
    let mut fonts = FontDefinitions::empty();
    fonts.font_data.insert(name.into(), Arc::new(FontData::from_static(UBUNTU_LIGHT)));
    for family in [FontFamily::Proportional, FontFamily::Monospace] {
        fonts.families.insert(family, vec![name.into()]);
    }
    fonts
}
