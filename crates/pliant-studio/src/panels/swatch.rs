//! A button that shows a colour and opens sliders for it.
//!
//! egui's own picker has a button whose sign is in none of the studio's fonts.

use eframe::egui::{Button, Color32, Popup, PopupCloseBehavior, Response, Slider, Ui};

use crate::places::Places;

/// Shows the button; its response says whether the colour was changed. Controls are noted as `name`,
/// and as `name` with the part of the colour behind it.
pub fn colour_button(
    ui: &mut Ui,
    colour: &mut [u8; 3],
    name: &str,
    places: &mut Places,
) -> Response {
    let [red, green, blue] = *colour;
    let button = Button::new("")
        .fill(Color32::from_rgb(red, green, blue))
        .min_size(ui.spacing().interact_size);
    let mut response = places.note(name, ui.add(button));
    let popup = Popup::menu(&response).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let edited = popup.show(|ui| {
        let mut is_changed = false;
        for (part, value) in ["red", "green", "blue"].into_iter().zip(colour) {
            let slider = ui.add(Slider::new(value, 0..=255).text(part));
            is_changed |= places.note(&format!("{name} {part}"), slider).changed();
        }
        is_changed
    });
    if edited.is_some_and(|shown| shown.inner) {
        response.mark_changed();
    }
    response
}
