//! The list of keys and what the mouse does.

use eframe::egui::{Align2, Context, Grid, RichText, Ui, Window};

use crate::keys;
use crate::panels::parameters::Parameter;

const MOUSE: [(&str, &str); 7] = [
    ("left button on a body", "drag it, or push it"),
    ("click on a body", "unfold what it is made of"),
    ("left button beside it", "walk round the scene"),
    ("right button", "walk round, anywhere"),
    ("middle button, Shift", "move sideways"),
    ("wheel", "come closer, go away"),
    ("drop a file", "open a scene, a checkpoint or a mesh"),
];

/// Shows the list, in two columns so that it fits into small windows.
pub fn show(ctx: &Context, is_open: &mut bool) {
    let window = Window::new("Mouse and keys").open(is_open).resizable(false).collapsible(false);
    window.anchor(Align2::CENTER_CENTER, [0.0, 0.0]).show(ctx, |ui| {
        ui.horizontal_top(|ui| {
            let mouse = MOUSE.map(|(name, what)| (name.to_owned(), what));
            let parameters = Parameter::ALL.into_iter().filter_map(|parameter| {
                let [less, more] = keys::of_parameter(parameter)?;
                Some((format!("{less}  {more}"), parameter.help()))
            });
            show_column(ui, "mouse", mouse.into_iter().chain(parameters));
            ui.separator();
            let named = keys::ALL.iter().filter(|b| !b.help.is_empty());
            show_column(ui, "keys", named.map(|b| (b.name(), b.help)));
        });
    });
}

fn show_column(ui: &mut Ui, id: &str, rows: impl Iterator<Item = (String, &'static str)>) {
    Grid::new(id).num_columns(2).striped(true).show(ui, |ui| {
        for (name, what) in rows {
            ui.label(RichText::new(name).strong());
            ui.label(what);
            ui.end_row();
        }
    });
}
