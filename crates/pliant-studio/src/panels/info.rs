//! Readings over the picture, and a hint for those who are here for the first time.

use eframe::egui::{Align2, Color32, CornerRadius, FontId, Pos2, Rect, Ui, vec2};
use pliant_session::player::Status;
use pliant_sim::SolverReport;
use pliant_sim::scene::Collider;

use crate::app::Studio;
use crate::colours::{GROUND, INK};
use crate::keys;
use crate::panels::parameters::Parameter;
use crate::tools::{Hand, Tool};
use crate::viewport::number;

/// Colliders whose forces are told.
const MOST_COLLIDERS: usize = 4;

/// Shows the parameters with their keys, and what is measured.
pub fn show(ui: &Ui, area: Rect, studio: &Studio, status: &Status) {
    let world = &status.world;
    let gravity = world.gravity.iter().map(|c| c * c).sum::<f64>().sqrt();
    let keys = |p| keys::of_parameter(p).map_or(String::new(), |[a, b]| format!("   {a} {b}"));
    let report = &status.report;
    let touches = if status.held.is_empty() { String::new() } else { touch_force(status) };
    let text = format!(
        "timestep {} ms{}{}\ngravity {gravity:.2} m/s²{}\ndamping {} 1/s{}\nplasticity {}{}\n\
         hand {} m{}\nenergy {} J\nfastest {} m/s{touches}{}{}{}{}",
        number((world.timestep * 1e3) as f32),
        match status.substeps {
            0 | 1 => String::new(),
            parts => format!(" in {parts} parts"),
        },
        keys(Parameter::Timestep),
        keys(Parameter::Gravity),
        number(world.damping as f32),
        keys(Parameter::Damping),
        number(world.plasticity as f32),
        keys(Parameter::Plasticity),
        number(studio.hand.radius as f32),
        keys(Parameter::Radius),
        number(report.energy.total() as f32),
        number(report.max_speed as f32),
        match report.inverted_count {
            0 => String::new(),
            n => format!("\n{n} tetrahedra inside out"),
        },
        report.solver.map_or(String::new(), solver),
        report.contact.map_or(String::new(), |c| format!("\n{} contacts", c.contacts)),
        collider_forces(studio, status),
    );
    label(ui, area.left_top() + vec2(10.0, 10.0), Align2::LEFT_TOP, &text, INK);
}

/// The forces on the first colliders.
fn collider_forces(studio: &Studio, status: &Status) -> String {
    let scene = studio.opened.as_ref().map(|opened| &opened.scene);
    let (Some(scene), Some(measured)) = (scene, &status.report.colliders) else {
        return String::new();
    };
    let told = scene.colliders.iter().zip(&measured.on_colliders).take(MOST_COLLIDERS);
    let line = |(collider, force): (&Collider, &[f64; 3])| {
        let size = force.iter().map(|c| c * c).sum::<f64>().sqrt();
        format!("\nforce on {} {} N", collider.name, number(size as f32))
    };
    told.map(line).collect()
}

/// What the solver of implicit steps needed last.
fn solver(solver: SolverReport) -> String {
    let count = |n: u64, what: &str| if n > 0 { format!(", {n} {what}") } else { String::new() };
    format!(
        "\nsolved in {} iterations to {:.0e}{}{}",
        solver.last_iterations,
        solver.residual,
        count(solver.unconverged, "unsolved"),
        count(solver.limited, "short of digits"),
    )
}

fn touch_force(status: &Status) -> String {
    let force = status.history.last().map_or(0.0, |s| s.touch_force);
    if force > 0.0 { format!("\nhand force {} N", number(force as f32)) } else { String::new() }
}

/// Says what the mouse does.
pub fn show_hint(ui: &Ui, area: Rect, hand: &Hand) {
    let left = match hand.tool {
        Tool::Drag => "drag a body or collider to pull it",
        Tool::Push => "press on a body to push it",
    };
    let text =
        format!("{left}   ·   drag beside it to look round   ·   wheel: zoom   ·   F1: all keys");
    if area.width() > 420.0 {
        label(ui, area.center_bottom() - vec2(0.0, 10.0), Align2::CENTER_BOTTOM, &text, INK);
    }
}

/// What fingers do, for those who have not used them yet; later what is measured. One short line.
pub fn brief(studio: &Studio, status: &Status) -> String {
    if let Some(opening) = &studio.opening {
        return format!("opening {} …", opening.source.title());
    }
    if !studio.viewport.is_used {
        return match studio.hand.tool {
            Tool::Drag => "drag a body · two fingers look round".into(),
            Tool::Push => "press a body · two fingers look round".into(),
        };
    }
    let pace = match status.is_playing {
        true => format!("{:.2} × real time", status.speed[1]),
        false => "paused".into(),
    };
    let force = touch_force(status).replace('\n', "  ");
    format!("{:.2} s  {pace}{force}", status.report.time)
}

/// Dark letters on a pale ground, whatever is behind.
pub fn label(ui: &Ui, at: Pos2, anchor: Align2, text: &str, ink: Color32) {
    let painter = ui.painter();
    let galley =
        painter.layout(text.into(), FontId::proportional(12.5), ink, ui.max_rect().width());
    let rect = anchor.anchor_size(at, galley.size());
    painter.rect_filled(rect.expand(5.0), CornerRadius::same(5), GROUND);
    painter.galley(rect.min, galley, ink);
}
