//! The bodies of the scene and what they are made of.

use eframe::egui::{CollapsingHeader, RichText, Ui};

use super::{parameters, section};
use crate::app::Studio;

/// Bodies whose materials are listed one by one; of larger crowds all are changed together.
const MOST_LISTED: usize = 24;

/// Shows the tree of bodies; returns whether something was changed.
pub fn show(ui: &mut Ui, studio: &mut Studio) -> bool {
    let Studio { opened, draft, places, selected, revealed, .. } = studio;
    let Some(opened) = opened else { return false };
    let count = opened.bodies.len();
    let title = if count == 1 { "Body".into() } else { format!("{count} bodies") };
    let changed = section(ui, &title, true, |ui| {
        let mut changed = show_all_at_once(ui, draft, places);
        for (index, facts) in opened.bodies.iter().enumerate() {
            let is_selected = *selected == Some(index);
            if index >= MOST_LISTED && !is_selected {
                continue;
            }
            let Some(body) = draft.bodies.get_mut(facts.in_scene) else { continue };
            let name = RichText::new(&facts.name);
            let name = if is_selected { name.strong().underline() } else { name };
            // A body that was clicked in the picture is unfolded.
            let unfold = (*revealed == Some(index)).then_some(true);
            let header = CollapsingHeader::new(name).id_salt(index).default_open(count == 1);
            header.open(unfold).show(ui, |ui| {
                ui.weak(format!(
                    "{} vertices ({} held), {} tetrahedra, {} triangles, {:.3} kg",
                    facts.vertices, facts.locked, facts.tets, facts.triangles, facts.mass
                ));
                changed |= parameters::show_material(ui, body, index, places);
            });
        }
        if count > MOST_LISTED {
            ui.weak(format!("and {} more", count - MOST_LISTED));
        }
        changed
    });
    changed.unwrap_or(false)
}

fn show_all_at_once(
    ui: &mut Ui,
    draft: &mut pliant_sim::Scene,
    places: &mut crate::places::Places,
) -> bool {
    ui.horizontal(|ui| {
        ui.label("All");
        let softer = places.note("softer", ui.button("softer")).clicked();
        let harder = places.note("harder", ui.button("harder")).clicked();
        let factor = if harder { 1.25 } else { 0.8 };
        if softer || harder {
            draft.bodies.iter_mut().for_each(|b| parameters::scale_stiffness(b, factor));
        }
        if let Some([less, more]) = crate::keys::of_parameter(parameters::Parameter::Stiffness) {
            ui.weak(format!("{less} {more}"));
        }
        softer || harder
    })
    .inner
}
