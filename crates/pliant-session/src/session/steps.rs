//! Whether the steps of a simulation will hold, told before the first one is taken.

use pliant_sim::Simulator;
use pliant_sim::stability::{self, Outlook};

/// Part by which the energy of a vibration may grow in a run without being mentioned.
const HARMLESS: f64 = 0.1;

/// Simulated time for which runs without an end are expected to go on \[s\].
const ENDLESS: f64 = 3600.0;

/// Part of the largest stable timestep below which a step is shorter than any accuracy asks for.
const NEEDLESS: f64 = 1e-4;

/// The longest step that anybody takes, however stable it is \[s\].
const USEFUL: f64 = 0.1;

/// What is to be said about the length of steps, if anything.
pub(super) fn warning(sim: &Simulator) -> Option<String> {
    let (world, substeps) = (sim.world(), f64::from(sim.substeps()));
    let h = world.timestep / substeps;
    let Outlook { stable, growth } = stability::outlook(sim, h);
    match stable {
        None => {
            let plan = sim.scene().run.step_count(world.timestep);
            let count = plan.map_or(ENDLESS / h, |steps| steps as f64 * substeps);
            (growth * count > HARMLESS).then(|| {
                let (integrator, keeper) = (world.integrator, stability::keeper(sim, h));
                let doubling = std::f64::consts::LN_2 / growth * h;
                format!(
                    "{integrator} adds energy at any timestep where nothing damps the motion, until \
                     bodies come apart: the stiffest vibration doubles its energy every {doubling:.1e} s. \
                     Take world.integrator = \"{keeper}\", which holds, or add world.damping or damping of materials"
                )
            })
        }
        Some(stable) if h > stable => Some(format!(
            "the timestep of {h:.3e} s is longer than the largest stable one, about \
             {stable:.3e} s; take world.substeps = {} or a shorter world.timestep",
            (world.timestep / stable).ceil()
        )),
        Some(stable) if h < NEEDLESS * stable.min(USEFUL) => Some(format!(
            "the timestep of {h:.3e} s is needlessly short: {stable:.3e} s would be stable, and what \
             moves in so short a time is lost in rounding; take a longer world.timestep"
        )),
        Some(_) => None,
    }
}
