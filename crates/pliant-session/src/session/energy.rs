//! Watches over the energy of a simulation that nobody gives any.

use pliant_sim::scene::World;
use pliant_sim::{Simulator, StepReport};

/// Steps between two looks. A look costs as much as some steps.
const EVERY: u64 = 1000;

/// The part by which energy may seem to grow: schemes near their largest stable timestep let it swing.
const HARMLESS: f64 = 0.03;

/// What the energy was, and since when nobody has given any.
#[derive(Default)]
pub(super) struct EnergyWatch {
    since: Option<Since>,
    next: u64,
}

struct Since {
    world: World,
    time: f64,
    /// Of everything \[J\].
    total: f64,
    /// The most that there was of motion and deformation \[J\].
    scale: f64,
    is_told: bool,
}

impl EnergyWatch {
    /// Begins anew: the simulation was changed by hand.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether it is time for a look.
    pub fn is_due(&self, sim: &Simulator) -> bool {
        sim.step_count() >= self.next
    }

    /// Looks at a report of the present; returns what is to be said, once.
    pub fn look(&mut self, sim: &Simulator, report: &StepReport) -> Option<String> {
        let world = sim.world();
        self.next = sim.step_count().saturating_add(EVERY);
        // Moving colliders, pins and seams that close give energy to bodies.
        let is_pushed = sim.scene().colliders.iter().any(|collider| collider.motion.is_some());
        let is_led = sim.scene().bodies.iter().any(|body| !body.pins.is_empty());
        let is_pulled = report.seams.is_some_and(|seams| seams.open > 0);
        if is_pushed
            || is_led
            || is_pulled
            || !sim.touches().is_empty()
            || world.external_force != [0.0; 3]
        {
            self.since = None;
            return None;
        }
        let energy = &report.energy;
        let now = energy.kinetic + energy.elastic();
        let is_same = self.since.as_ref().is_some_and(|s| s.world == *world);
        let Some(since) = self.since.as_mut().filter(|_| is_same) else {
            let (time, total) = (report.time, energy.total());
            let world = world.clone();
            self.since = Some(Since { world, time, total, scale: now, is_told: false });
            return None;
        };
        since.scale = since.scale.max(now);
        let growth = energy.total() - since.total;
        if since.is_told || growth.is_nan() || growth <= HARMLESS * since.scale {
            return None;
        }
        since.is_told = true;
        Some(format!(
            "energy has grown by {growth:.2e} J since t = {:.3} s, {:.0} % of all motion and deformation, \
             though nobody gave any: steps are too long for what happens in them (impacts add energy where \
             they are near the largest stable one). Take a shorter world.timestep, more world.substeps, or \
             world.integrator = \"implicit-euler\"",
            since.time,
            100.0 * growth / since.scale
        ))
    }
}
