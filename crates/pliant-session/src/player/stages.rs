//! How long the stages of a step take, looked at now and then.

use super::{Mode, Player};

/// Real time between two looks \[s\].
const INTERVAL: f64 = 1.0;

/// What was found at the last look.
#[derive(Debug)]
pub(super) struct Stages {
    /// When that was \[s\].
    looked: f64,
    /// Real time of each stage in a step \[s\].
    pub latest: Vec<(String, f64)>,
}

impl Stages {
    /// Nothing was looked at yet.
    pub fn new() -> Self {
        Self { looked: f64::NEG_INFINITY, latest: Vec::new() }
    }
}

impl Player {
    /// Whether the next steps are timed. Timed steps may be slower, and reading the times of a device
    /// means to wait for it: that is done once a second, and never to a film. The very first steps
    /// would only tell how long things take to get going.
    pub(super) fn is_stage_look_due(&self, now: f64) -> bool {
        // A browser would not let us wait.
        !cfg!(target_arch = "wasm32")
            && self.mode == Mode::Playing
            && self.hold.is_none()
            && self.pace.knows_cost()
            && now - self.stages.looked >= INTERVAL
    }

    /// Reads the times of the steps that were just taken.
    pub(super) fn look_at_stages(&mut self, now: f64) {
        let sim = self.session.simulator_mut();
        let times = sim.take_stage_times();
        sim.time_stages(false);
        let named = times.into_iter().map(|(name, seconds)| (name.to_owned(), seconds));
        self.stages = Stages { looked: now, latest: named.collect() };
    }
}
