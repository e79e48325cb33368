//! What went wrong, where nobody overlooks it, with what can be done.

use eframe::egui::{Align2, Area, Color32, Frame, Id, Rect, RichText, Stroke, Ui, vec2};
use pliant_session::player::{Remembered, Status};
use pliant_sim::Diverged;

use crate::app::{Action, Studio};
use crate::colours::{ALARM, ALARM_GROUND};

/// Shows a file that did not open or a simulation that came apart.
pub fn show(ui: &Ui, area: Rect, studio: &mut Studio, status: &Status, actions: &mut Vec<Action>) {
    let trouble = match (&studio.failure, &status.diverged) {
        (Some(failure), _) => failure.message.clone(),
        (None, Some(diverged)) => diverged.to_string(),
        (None, None) => return,
    };
    let top = area.center_top() + vec2(0.0, 12.0);
    let banner = Area::new(Id::unique("banner")).pivot(Align2::CENTER_TOP).fixed_pos(top);
    banner.show(ui.ctx(), |ui| {
        let edge = Stroke::new(1.5, Color32::from_rgb(200, 60, 40));
        let frame = Frame::popup(ui.style()).stroke(edge).fill(ALARM_GROUND);
        frame.show(ui, |ui| {
            ui.set_max_width((area.width() - 40.0).clamp(160.0, 560.0));
            ui.label(RichText::new(trouble).color(ALARM));
            ui.horizontal_wrapped(|ui| {
                let mut button = |text: String, name: &str, action: Action| {
                    if studio.places.note(name, ui.button(text)).clicked() {
                        actions.push(action);
                    }
                };
                if let Some(failure) = &studio.failure {
                    if failure.instead.is_some() {
                        button(
                            "Open it as a hollow skin".into(),
                            "open instead",
                            Action::OpenInstead,
                        );
                    }
                    button("All right".into(), "dismiss", Action::Dismiss);
                } else if let Some(diverged) = &status.diverged {
                    let stable = diverged.suggested_timestep.filter(|h| *h < diverged.timestep);
                    let timestep = stable.unwrap_or(0.5 * diverged.timestep);
                    let Remembered { step, time } = before(diverged, &status.moments);
                    let text = format!("Take {:.3} ms and go on from {time:.2} s", timestep * 1e3);
                    let action = Action::TakeTimestep { timestep, from: step };
                    button(text, "take timestep", action);
                    button("Back to the start".into(), "banner reset", Action::Reset);
                }
            });
        });
    });
}

/// A moment before things went wrong. The last good state itself is violent already: what comes apart
/// was spoilt some time before it shows.
fn before(diverged: &Diverged, moments: &[Remembered]) -> Remembered {
    const EARLIER: f64 = 0.25;
    let calm = moments.iter().rev().find(|m| m.time <= diverged.time - EARLIER);
    calm.or(moments.first()).copied().unwrap_or(Remembered { step: 0, time: 0.0 })
}
