//! What was told, to be read.

use eframe::egui::{RichText, ScrollArea, Ui};

use crate::log::{Grade, Log};

/// Shows all messages, the newest at the end.
pub fn show(ui: &mut Ui, log: &mut Log) {
    ScrollArea::both().stick_to_bottom(true).auto_shrink(false).show(ui, |ui| {
        if log.forgotten() > 0 {
            ui.weak(format!("{} earlier messages are not kept", log.forgotten()));
        }
        for entry in log.entries() {
            let (sign, colour) = match entry.grade {
                Grade::Note => ("·", ui.visuals().text_color()),
                Grade::Warning => ("!", ui.visuals().warn_fg_color),
                Grade::Error => ("×", ui.visuals().error_fg_color),
            };
            let times =
                if entry.count > 1 { format!(" ({} ×)", entry.count) } else { String::new() };
            ui.label(RichText::new(format!("{sign} {}{times}", entry.text)).color(colour));
        }
    });
}
