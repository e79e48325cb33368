//! Energies and forces over time, and what a step is made of.

use eframe::egui::{Ui, vec2};
use pliant_session::player::{Sample, Status};

use crate::colours;
use crate::layout::Layout;
use crate::plot::{self, Curve};

/// Shows the curves side by side, and beside them the times.
pub fn show(ui: &mut Ui, status: &Status) {
    let is_dark = ui.visuals().dark_mode;
    let curve = |name, colour: colours::Curve, of: fn(&Sample) -> f64| Curve {
        name,
        colour: colour.on(is_dark),
        points: status.history.iter().map(|s| [s.time, of(s)]).collect(),
    };
    // Only changes of height matter; counted from the lowest, they compare with the others.
    let lowest = status.history.iter().map(|s| s.gravity).fold(f64::INFINITY, f64::min);
    let mut height = curve("height", colours::Curve::Green, |s| s.gravity);
    height.points.iter_mut().for_each(|p| p[1] -= lowest);
    let energies = [
        curve("motion", colours::Curve::Blue, |s| s.kinetic),
        curve("elastic", colours::Curve::Red, |s| s.elastic),
        height,
    ];
    let mut forces = vec![curve("hand", colours::Curve::Violet, |s| s.touch_force)];
    // Measured only where colours show forces.
    if status.history.iter().any(|s| s.max_force.is_finite()) {
        forces.push(curve("largest on a vertex", colours::Curve::Red, |s| s.max_force));
    }
    if status.history.iter().any(|s| s.collider_force.is_finite()) {
        forces.push(curve("largest on a collider", colours::Curve::Green, |s| s.collider_force));
    }
    let height = ui.available_height().max(60.0);
    let is_small = Layout::of(ui.ctx()).is_small();
    let times = if is_small { 8.0 } else { 190.0 };
    let width = (0.5 * (ui.available_width() - times)).max(80.0);
    ui.horizontal_top(|ui| {
        let size = vec2(width, height);
        plot::show(ui, "Energy", "J", &energies, "nothing has moved yet", size);
        plot::show(ui, "Force", "N", &forces, "pull a body, or show colours by force", size);
        if !is_small {
            ui.vertical(|ui| show_stages(ui, status));
        }
    });
}

fn show_stages(ui: &mut Ui, status: &Status) {
    if status.seconds_per_step > 0.0 {
        ui.label(format!("a step takes {}", duration(status.seconds_per_step)));
    }
    for (name, seconds) in &status.stages {
        ui.weak(format!("{name}: {}", duration(*seconds)));
    }
}

/// A short time in a unit that suits it.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
