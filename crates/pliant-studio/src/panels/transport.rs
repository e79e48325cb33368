//! Play, pause, step, reset; how fast it goes.

use eframe::egui::{self, Button, Label, RichText, TextStyle, Ui, vec2};
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

/// Shows the buttons and readings, below each other where they have no room side by side.
pub fn show(ui: &mut Ui, studio: &mut Studio, status: &Status, actions: &mut Vec<Action>) {
    let row = ui.horizontal(|ui| {
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
        let readings = Readings::of(studio, status);
        let fits = readings.width(ui) <= ui.available_width();
        if fits {
            ui.separator();
            readings.show(ui, studio);
        }
        (!fits).then_some(readings)
    });
    if let Some(readings) = row.inner {
        ui.horizontal(|ui| readings.show(ui, studio));
    }
}

/// What is measured and what computes it, in words.
struct Readings {
    clock: [String; 2],
    /// Simulated seconds per second, and steps per second, while it plays.
    pace: Option<[String; 2]>,
    /// Whether it is slower than wanted.
    is_slow: bool,
    opening: Option<String>,
    backend: String,
}

impl Readings {
    fn of(studio: &Studio, status: &Status) -> Self {
        let [wanted, measured] = status.speed;
        let pace = [
            format!("{measured:.2} × real time"),
            format!("{} steps/s", number(status.steps_per_second as f32)),
        ];
        let opening = studio.opening.as_ref().map(|o| format!("opening {} …", o.source.title()));
        Self {
            clock: [
                format!("t = {:.3} s", status.report.time),
                format!("step {}", status.report.step),
            ],
            pace: status.is_playing.then_some(pace),
            is_slow: wanted.is_finite() && measured < 0.9 * wanted,
            opening,
            backend: status.backend.clone(),
        }
    }

    /// How long they are in one row \[points\].
    fn width(&self, ui: &Ui) -> f32 {
        let font = TextStyle::Body.resolve(ui.style());
        let ink = ui.visuals().text_color();
        let texts = self.clock.iter().chain(self.pace.iter().flatten()).chain(&self.opening);
        let long = |text: &String| {
            let galley = ui.painter().layout_no_wrap(text.clone(), font.clone(), ink);
            galley.size().x + ui.spacing().item_spacing.x
        };
        // A separator comes first, and a spinner before what is being opened.
        let signs = 2.0 * ui.spacing().interact_size.y;
        texts.chain([&self.backend]).map(long).sum::<f32>() + signs
    }

    fn show(&self, ui: &mut Ui, studio: &mut Studio) {
        self.clock.iter().for_each(|text| drop(ui.label(text)));
        if let Some([pace, rate]) = &self.pace {
            let text = RichText::new(pace);
            let text = if self.is_slow { text.color(ui.visuals().warn_fg_color) } else { text };
            ui.label(text).on_hover_text("simulated seconds per second");
            studio.places.note_reading("rate", &ui.label(rate));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let backend = Label::new(RichText::new(&self.backend).weak()).truncate();
            let shown = ui.add(backend).on_hover_text("what computes the steps");
            studio.places.note_reading("backend", &shown);
            if let Some(opening) = &self.opening {
                ui.spinner();
                ui.add(Label::new(opening).truncate());
            }
        });
    }
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
