//! The list of keys and what mouse and fingers do.

use eframe::egui::{Align2, Context, Grid, RichText, ScrollArea, Ui, Window};

use crate::keys;
use crate::layout::Layout;
use crate::panels::parameters::Parameter;

const FINGERS: [(&str, &str); 6] = [
    ("one finger on a body", "drag it, or push it"),
    ("one finger on a collider", "take it along"),
    ("one finger beside both", "walk round the scene"),
    ("two fingers", "walk round, anywhere"),
    ("pinch", "come closer, go away"),
    ("three fingers", "move sideways"),
];

const MOUSE: [(&str, &str); 8] = [
    ("left button on a body", "drag it, or push it"),
    ("click on a body", "unfold what it is made of"),
    ("left button on a collider", "take it along"),
    ("left button beside both", "walk round the scene"),
    ("right button", "walk round, anywhere"),
    ("middle button, Shift", "move sideways"),
    ("wheel", "come closer, go away"),
    ("drop a file", "open a scene, a checkpoint or a mesh"),
];

/// Shows the list: in two columns so that it fits into low windows, or in one for narrow ones.
pub fn show(ctx: &Context, is_open: &mut bool) {
    let is_small = Layout::of(ctx).is_small();
    let title = if is_small { "Fingers, mouse and keys" } else { "Mouse and keys" };
    let window = Window::new(title).open(is_open).resizable(false).collapsible(false);
    window.anchor(Align2::CENTER_CENTER, [0.0, 0.0]).show(ctx, |ui| match is_small {
        true => show_below_each_other(ui),
        false => show_side_by_side(ui),
    });
}

fn show_side_by_side(ui: &mut Ui) {
    ui.horizontal_top(|ui| {
        show_column(ui, "mouse", mouse().chain(walks()).chain(parameters()));
        ui.separator();
        show_column(ui, "keys", keys());
    });
}

fn show_below_each_other(ui: &mut Ui) {
    let room = ui.ctx().content_rect().size();
    ui.set_max_width(room.x - 40.0);
    ScrollArea::both().max_height((room.y - 120.0).max(60.0)).show(ui, |ui| {
        let fingers = FINGERS.map(|(name, what)| (name.to_owned(), what));
        show_column(ui, "fingers", fingers.into_iter());
        ui.separator();
        show_column(ui, "mouse", mouse().chain(walks()).chain(parameters()));
        ui.separator();
        show_column(ui, "keys", keys());
    });
}

fn mouse() -> impl Iterator<Item = (String, &'static str)> {
    MOUSE.iter().map(|&(name, what)| (name.to_owned(), what))
}

fn walks() -> impl Iterator<Item = (String, &'static str)> {
    keys::WALKS.iter().map(|&(name, what)| (name.to_owned(), what))
}

fn parameters() -> impl Iterator<Item = (String, &'static str)> {
    Parameter::ALL.into_iter().filter_map(|parameter| {
        let [less, more] = keys::of_parameter(parameter)?;
        Some((format!("{less}  {more}"), parameter.help()))
    })
}

fn keys() -> impl Iterator<Item = (String, &'static str)> {
    keys::ALL.iter().filter(|b| !b.help.is_empty()).map(|b| (b.name(), b.help))
}

fn show_column(ui: &mut Ui, id: &str, rows: impl Iterator<Item = (String, &'static str)>) {
    Grid::new(id).num_columns(2).min_row_height(18.0).striped(true).show(ui, |ui| {
        for (name, what) in rows {
            ui.label(RichText::new(name).strong());
            ui.label(what);
            ui.end_row();
        }
    });
}
