//! Looking into bodies: what is shown, in which colours, how dense, and where it is cut.

use eframe::egui::{self, DragValue, Slider, Ui};
use pliant_render::Scale;
use pliant_sim::scene::{
    PictureColour, PictureIso, PictureQuality, PictureVolume, Rgb, Transfer, TransferPoint,
    TransferPreset,
};

use super::row;
use super::swatch::colour_button;
use super::transfer::Editor;
use crate::app::{Action, Studio};
use crate::inside::Inside;
use crate::look::CutPlane;
use crate::places::Places;
use crate::viewport::number;

/// Shows the choices.
pub fn show(ui: &mut Ui, studio: &mut Studio, actions: &mut Vec<Action>) {
    let mut is_on = studio.look.inside.is_on;
    let switch = ui.checkbox(&mut is_on, "show the inside");
    let switch = switch.on_hover_text("bodies become clouds of the values in them");
    if studio.places.note("volume", switch).changed() {
        studio.show_inside(is_on);
    }
    if !is_on {
        return;
    }
    if show_values(ui, studio) {
        studio.send_fields();
    }
    let Studio { look, places, opened, histogram, .. } = studio;
    let Some(opened) = opened else { return };
    let (inside, colour) = (&mut look.inside, &look.colour);
    show_presets(ui, inside, colour, places);
    let scale = opened.colouring(colour).scale();
    if let Some(scale) = &scale {
        if histogram.is_due(opened) {
            actions.push(Action::CountValues);
        }
        let points = inside.points(colour);
        show_editor(ui, inside, points, histogram.heights(), scale, places);
    }
    show_opacity(ui, inside, places);
    if let Some(scale) = &scale {
        show_isos(ui, &mut inside.wish, scale, places);
    }
    show_slice(ui, inside, places);
    show_quality(ui, &mut inside.wish, places);
}

/// Which values; returns whether there are others now.
fn show_values(ui: &mut Ui, studio: &mut Studio) -> bool {
    let fields = studio.opened.as_ref().map_or(&[][..], |o| &o.fields);
    let own = fields.iter().cloned().map(PictureColour::Field);
    let live = PictureColour::ALL.into_iter().filter(PictureColour::has_values);
    let Studio { look, places, .. } = studio;
    ui.horizontal_wrapped(|ui| {
        ui.label("of");
        let mut changed = false;
        for colour in own.chain(live) {
            let (name, text) = (format!("volume of {colour}"), colour.name().to_owned());
            let response = ui.selectable_value(&mut look.colour, colour, text);
            changed |= places.note(&name, response).changed();
        }
        changed
    })
    .inner
}

fn show_presets(ui: &mut Ui, inside: &mut Inside, colour: &PictureColour, places: &mut Places) {
    ui.horizontal_wrapped(|ui| {
        ui.label("like");
        for preset in TransferPreset::ALL {
            let is_it = *inside.wish.transfer_for(colour) == Transfer::Preset(preset);
            let response = ui.selectable_label(is_it, preset.name());
            if places.note(&format!("transfer {}", preset.name()), response).clicked() {
                inside.wish.transfer = Some(Transfer::Preset(preset));
                inside.chosen = 0;
            }
        }
    });
}

fn show_editor(
    ui: &mut Ui,
    inside: &mut Inside,
    mut points: Vec<TransferPoint>,
    histogram: &[f32],
    scale: &Scale,
    places: &mut Places,
) {
    let mut chosen = inside.chosen.min(points.len().saturating_sub(1));
    let mut editor = Editor { points: &mut points, chosen: &mut chosen, histogram };
    let mut changed = editor.show(ui, places);
    ui.horizontal(|ui| {
        let [low, high] = scale.range;
        ui.small(number(low));
        let title = match &*scale.unit {
            "" => scale.name.clone(),
            unit => format!("{} [{unit}]", scale.name),
        };
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.small(number(high));
            ui.centered_and_justified(|ui| ui.small(title));
        });
    });
    changed |= show_point(ui, &mut editor, scale, places);
    inside.chosen = chosen;
    if changed {
        inside.set_points(points);
    }
}

/// The numbers of the point that was chosen.
fn show_point(ui: &mut Ui, editor: &mut Editor<'_>, scale: &Scale, places: &mut Places) -> bool {
    let i = *editor.chosen;
    let Some(&point) = editor.points.get(i) else { return false };
    let (mut new, mut is_removed, mut is_added) = (point, false, false);
    row(ui, |ui| {
        let mut srgb = new.colour.0;
        let response = colour_button(ui, &mut srgb, "point colour", places);
        response.on_hover_text("colour of the point");
        new.colour = Rgb(srgb);
        let [low, high] = scale.range.map(f64::from);
        let mut value = low + (high - low) * point.at;
        let speed = 0.005 * (high - low);
        let response = ui.add(DragValue::new(&mut value).speed(speed).range(low..=high));
        if places.note("point value", response.on_hover_text("its value")).changed() {
            new.at = ((value - low) / (high - low)).clamp(0.0, 1.0);
        }
        let density = DragValue::new(&mut new.density).speed(0.02 * point.density.max(0.5));
        let response = ui.add(density.range(0.0..=PictureVolume::DENSEST).prefix("density "));
        places.note("point density", response);
    });
    row(ui, |ui| {
        let more = ui.add_enabled(
            editor.points.len() < PictureVolume::MOST_POINTS,
            egui::Button::new("add a point"),
        );
        is_added = places.note("add point", more).clicked();
        let remove = egui::Button::new("remove this one");
        let less = ui.add_enabled(editor.points.len() > 1, remove);
        is_removed = places.note("remove point", less).clicked();
    });
    if is_removed {
        editor.remove(i);
    } else if is_added {
        let next = editor.points.get(i + 1).map_or(1.0, |p| p.at);
        editor.insert(0.5 * (point.at + next), None);
    } else if new != point {
        let low = if i > 0 { editor.points[i - 1].at } else { 0.0 };
        let high = editor.points.get(i + 1).map_or(1.0, |p| p.at);
        new.at = new.at.clamp(low, high);
        editor.points[i] = new;
    }
    is_removed || is_added || new != point
}

fn show_opacity(ui: &mut Ui, inside: &mut Inside, places: &mut Places) {
    let slider = Slider::new(&mut inside.wish.opacity, 0.0..=20.0).logarithmic(true);
    let slider = slider.smallest_positive(0.05).text("opacity");
    places.note("volume opacity", ui.add(slider));
}

fn show_isos(ui: &mut Ui, wish: &mut PictureVolume, scale: &Scale, places: &mut Places) {
    let [low, high] = scale.range.map(f64::from);
    let mut removed = None;
    for (i, iso) in wish.iso.iter_mut().enumerate() {
        row(ui, |ui| {
            ui.label("surface at");
            let value = DragValue::new(&mut iso.value).speed(0.005 * (high - low));
            places.note(&format!("iso {i}"), ui.add(value.suffix(unit(scale))));
            let opacity = Slider::new(&mut iso.opacity, 0.0..=1.0).show_value(false);
            let response = ui.add(opacity).on_hover_text("how opaque it is");
            places.note(&format!("iso opacity {i}"), response);
            if places.note(&format!("remove iso {i}"), ui.button("remove")).clicked() {
                removed = Some(i);
            }
        });
    }
    if let Some(i) = removed {
        wish.iso.remove(i);
    }
    let can_add = wish.iso.len() < PictureVolume::MOST_ISOS;
    let response = ui.add_enabled(can_add, egui::Button::new("add a surface of equal value"));
    if places.note("add iso", response).clicked() {
        let value = low + 0.5 * (high - low);
        wish.iso.push(PictureIso { opacity: 0.6, ..PictureIso::new(value) });
    }
}

fn unit(scale: &Scale) -> String {
    if scale.unit.is_empty() { String::new() } else { format!(" {}", scale.unit) }
}

fn show_slice(ui: &mut Ui, inside: &mut Inside, places: &mut Places) {
    let mut is_cut = inside.slice.is_some();
    let response = ui.checkbox(&mut is_cut, "slice");
    let response = response.on_hover_text("show the values on a plane, and what is behind it");
    if places.note("slice", response).changed() {
        inside.slice = is_cut.then(CutPlane::default);
    }
    if let Some(cut) = &mut inside.slice {
        super::view::show_plane(ui, cut, "slice at", places);
    }
}

fn show_quality(ui: &mut Ui, wish: &mut PictureVolume, places: &mut Places) {
    row(ui, |ui| {
        ui.label("Quality");
        for quality in PictureQuality::ALL {
            let response = ui.selectable_value(&mut wish.quality, quality, quality.name());
            places.note(&format!("quality {}", quality.name()), response);
        }
    });
}
