//! Play, pause, step, reset; how fast it goes.

use eframe::egui::{self, Button, RichText, Ui, vec2};
use pliant_session::player::Status;

use crate::app::{Action, Studio};
use crate::viewport::number;

/// Simulated seconds per second that can be chosen.
const SPEEDS: [(f64, &str); 6] = [
    (0.1, "1/10 speed"),
    (0.25, "1/4 speed"),
    (0.5, "1/2 speed"),
    (1.0, "real time"),
    (2.0, "twice as fast"),
    (f64::INFINITY, "as fast as possible"),
];

/// Shows the buttons and readings.
pub fn show(ui: &mut Ui, studio: &mut Studio, status: &Status, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, text: &str, name: &str, hint: &str, action: Action| {
            let shown = Button::new(RichText::new(text).size(15.0)).min_size(vec2(58.0, 26.0));
            let response = ui.add(shown).on_hover_text(hint);
            if studio.places.note(name, response).clicked() {
                actions.push(action);
            }
        };
        let (sign, hint) = match status.is_playing {
            true => ("Pause", "stop the clock (Space)"),
            false => ("Play", "start the clock (Space)"),
        };
        button(ui, sign, "play", hint, Action::PlayOrPause);
        button(ui, "Step", "step", "a single step (s)", Action::Step);
        button(ui, "Reset", "reset", "back to the start (r)", Action::Reset);
        show_speed(ui, status, actions);
        let [wanted, measured] = status.speed;
        ui.separator();
        ui.label(format!("t = {:.3} s", status.report.time));
        ui.label(format!("step {}", status.report.step));
        if status.is_playing {
            let slow = wanted.is_finite() && measured < 0.9 * wanted;
            let text = RichText::new(format!("{measured:.2} × real time"));
            let text = if slow { text.color(ui.visuals().warn_fg_color) } else { text };
            ui.label(text).on_hover_text("simulated seconds per second");
            ui.label(format!("{} steps/s", number(status.steps_per_second as f32)));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.weak(&status.backend).on_hover_text("what computes the steps");
            if let Some(opening) = &studio.opening {
                ui.spinner();
                ui.label(format!("opening {} …", opening.source.title()));
            }
        });
    });
}

/// Shows how fast it is to go.
pub fn show_speed(ui: &mut Ui, status: &Status, actions: &mut Vec<Action>) {
    let wanted = status.speed[0];
    let name = |s: f64| SPEEDS.iter().find(|(f, _)| *f == s).map_or("custom", |(_, n)| n);
    egui::ComboBox::from_id_salt("speed").selected_text(name(wanted)).show_ui(ui, |ui| {
        for (factor, name) in SPEEDS {
            if ui.selectable_label(wanted == factor, name).clicked() {
                actions.push(Action::Speed(factor));
            }
        }
    });
}
