//! What is shown and how.

use eframe::egui::{self, Slider, Ui};
use pliant_session::pictures::scale;
use pliant_sim::scene::PictureColour;

use super::row;
use crate::app::{Action, Studio};
use crate::look::{CutPlane, Look};
use crate::places::Places;

/// Shows the choices.
pub fn show(ui: &mut Ui, studio: &mut Studio, actions: &mut Vec<Action>) {
    let fields = studio.opened.as_ref().map_or(&[][..], |o| &o.fields);
    if show_colour(ui, &mut studio.look, fields, &mut studio.places) {
        studio.send_fields();
    }
    show_range(ui, studio, actions);
    let has_skins = studio.opened.as_ref().is_some_and(|opened| opened.painter.has_skins());
    let Studio { look, places, .. } = studio;
    let shown = (look.contacts, look.wind, look.cages);
    show_switches(ui, look, has_skins, places);
    show_cut(ui, look, places);
    if (look.contacts, look.wind, look.cages) != shown {
        studio.send_fields();
    }
}

fn show_colour(ui: &mut Ui, look: &mut Look, fields: &[String], places: &mut Places) -> bool {
    ui.horizontal_wrapped(|ui| {
        ui.label("Colour");
        let mut changed = false;
        let own = fields.iter().cloned().map(PictureColour::Field);
        for colour in PictureColour::ALL.into_iter().chain(own) {
            let name = format!("colour {colour}");
            let text = colour.name().to_owned();
            let response = ui.selectable_value(&mut look.colour, colour, text);
            changed |= places.note(&name, response).changed();
        }
        changed
    })
    .inner
}

/// The upper end of the scale of colours, with a way to fit it to what is there now.
fn show_range(ui: &mut Ui, studio: &mut Studio, actions: &mut Vec<Action>) {
    let colour = studio.look.colour.clone();
    let Some(opened) = &mut studio.opened else { return };
    let mut colouring = opened.colouring(&colour);
    let Some(shown) = colouring.scale() else { return };
    ui.horizontal(|ui| {
        ui.label("up to");
        let mut top = shown.range[1];
        let speed = 0.01 * top.max(1e-9);
        let value = egui::DragValue::new(&mut top).speed(speed).range(1e-12..=1e12);
        if ui.add(value.suffix(format!(" {}", shown.unit))).changed() {
            scale::set_range(&mut colouring, [shown.range[0].min(top), top]);
            opened.set_colouring(colour, colouring);
        }
        let fit = ui.button("fit").on_hover_text("end the scale at what there is now");
        if studio.places.note("fit range", fit).clicked() {
            actions.push(Action::FitRange);
        }
    });
}

fn show_switches(ui: &mut Ui, look: &mut Look, has_skins: bool, places: &mut Places) {
    let mut switches = vec![
        ("surface", &mut look.surface),
        ("flat", &mut look.flat),
        ("edges", &mut look.wireframe),
        ("vertices", &mut look.vertices),
        ("held vertices", &mut look.locks),
        ("floor and walls", &mut look.world),
        ("grid and axes", &mut look.grid),
        ("shadows", &mut look.shadow),
        ("contact forces", &mut look.contacts),
        ("wind", &mut look.wind),
    ];
    if has_skins {
        switches.push(("cages", &mut look.cages));
    }
    egui::Grid::new("switches").num_columns(2).show(ui, |ui| {
        for (i, (name, is_on)) in switches.iter_mut().enumerate() {
            places.note(&format!("show {name}"), ui.checkbox(is_on, *name));
            if i % 2 == 1 {
                ui.end_row();
            }
        }
    });
}

fn show_cut(ui: &mut Ui, look: &mut Look, places: &mut Places) {
    let mut is_cut = look.cut.is_some();
    let response = ui.checkbox(&mut is_cut, "cut open").on_hover_text("see the tetrahedra inside");
    if places.note("cut", response).changed() {
        look.cut = is_cut.then(CutPlane::default);
    }
    if let Some(cut) = &mut look.cut {
        show_plane(ui, cut, "cut at", places);
    }
}

/// Axis, place and side of a plane.
pub fn show_plane(ui: &mut Ui, plane: &mut CutPlane, name: &str, places: &mut Places) {
    row(ui, |ui| {
        for (axis, text) in ["x", "y", "z"].into_iter().enumerate() {
            ui.selectable_value(&mut plane.axis, axis, text);
        }
        places.note(name, ui.add(Slider::new(&mut plane.at, 0.0..=1.0).show_value(false)));
        ui.toggle_value(&mut plane.flipped, "other side");
    });
}
