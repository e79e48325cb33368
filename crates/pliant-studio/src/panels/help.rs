//! The list of keys and what the mouse does.

use eframe::egui::{Align2, Context, Grid, RichText, Window};

use crate::keys;
use crate::panels::parameters::Parameter;

const MOUSE: [(&str, &str); 6] = [
    ("left button on a body", "drag it, or push it"),
    ("left button beside it", "walk round the scene"),
    ("right button", "walk round, anywhere"),
    ("middle button, Shift", "move sideways"),
    ("wheel", "come closer, go away"),
    ("drop a file", "open a scene, a checkpoint or a mesh"),
];

/// Shows the list.
pub fn show(ctx: &Context, is_open: &mut bool) {
    let window = Window::new("Mouse and keys").open(is_open).resizable(false).collapsible(false);
    window.anchor(Align2::CENTER_CENTER, [0.0, 0.0]).show(ctx, |ui| {
        Grid::new("mouse and keys").num_columns(2).striped(true).show(ui, |ui| {
            let mut row = |name: &str, what: &str| {
                ui.label(RichText::new(name).strong());
                ui.label(what);
                ui.end_row();
            };
            MOUSE.iter().for_each(|(name, what)| row(name, what));
            let named = keys::ALL.iter().filter(|b| !b.help.is_empty());
            named.for_each(|b| row(&b.name(), b.help));
            for parameter in Parameter::ALL {
                if let Some([less, more]) = keys::of_parameter(parameter) {
                    row(&format!("{less}  {more}"), parameter.help());
                }
            }
        });
    });
}
