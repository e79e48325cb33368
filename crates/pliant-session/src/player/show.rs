//! Showing the watcher what there is.

use std::sync::Arc;

#[cfg(feature = "gpu")]
use pliant_sim::backend::gpu::shown::Quantity;

use super::{Mode, Player, Sample, Status};
use crate::{Fields, Frame};

/// Real time between two frames, at least \[s\].
const INTERVAL: f64 = 1.0 / 60.0;

/// What is shown, and when.
#[derive(Debug)]
pub(super) struct Show {
    /// How frames are made.
    pub showing: Showing,
    /// Whether the latest frame is no longer true.
    pub frame_is_due: bool,
    /// Whether the latest status is no longer true.
    pub status_is_due: bool,
    /// Whether a frame that is due does not wait for the interval.
    is_urgent: bool,
    /// When the last frame was made \[s\].
    shown: f64,
    /// Real time that the last frame took to make \[s\].
    cost: f64,
    /// The latest report.
    frame: Option<Arc<Frame>>,
}

/// How frames are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Showing {
    /// By copying everything that is shown to the host.
    Host(Fields),
    /// By leaving everything where it is, if that is a device; else as above.
    #[cfg(feature = "gpu")]
    Device(Quantity, Fields),
}

impl Default for Show {
    fn default() -> Self {
        Self {
            showing: Showing::Host(Fields::default()),
            frame_is_due: true,
            status_is_due: true,
            is_urgent: false,
            shown: f64::NEG_INFINITY,
            cost: 0.0,
            frame: None,
        }
    }
}

impl Show {
    /// Something worth showing without delay has happened.
    pub fn at_once(&mut self) {
        (self.status_is_due, self.is_urgent) = (true, true);
    }

    /// Time until a frame that is due is made \[s\].
    pub fn until_due(&self, now: f64) -> f64 {
        if !self.frame_is_due {
            return f64::INFINITY;
        }
        // Frames that take long to make leave at least half of the time to steps.
        let interval = if self.is_urgent { 0.0 } else { INTERVAL.max(2.0 * self.cost) };
        (self.shown + interval - now).max(0.0)
    }
}

impl Player {
    /// Makes a frame if there is something new to see and it is time, and a status if there is
    /// something new to tell.
    pub(super) async fn publish(&mut self, now: f64) {
        if self.show.until_due(now) <= 0.0 {
            let frame = self.capture().await;
            self.history.add(Sample::of(&frame));
            if self.mode != Mode::Paused && !self.is_held() {
                self.pace.mark(now);
            }
            self.show.frame = Some(frame);
            self.show.cost = (self.clock)() - now;
            (self.show.frame_is_due, self.show.shown) = (false, now);
            self.show.status_is_due = true;
        }
        self.show.is_urgent = false;
        if self.show.status_is_due {
            self.show.status_is_due = false;
            let status = self.status();
            self.controls.show(status);
        }
    }

    /// Makes a frame, from which on the watcher has it.
    async fn capture(&mut self) -> Arc<Frame> {
        match self.show.showing {
            Showing::Host(fields) => self.session.frame_async(fields).await,
            #[cfg(feature = "gpu")]
            Showing::Device(quantity, fields) => {
                self.session.frame_on_device_async(quantity, fields).await
            }
        }
    }

    fn status(&self) -> Status {
        let sim = self.session.simulator();
        let measured = self.pace.measured();
        Status {
            is_playing: self.mode != Mode::Paused,
            speed: [self.pace.speed(), measured.speed],
            steps_per_second: measured.steps_per_second,
            seconds_per_step: measured.seconds_per_step,
            report: self.show.frame.as_ref().map(|f| f.report.clone()).unwrap_or_default(),
            world: sim.world().clone(),
            substeps: sim.substeps(),
            moments: self.memory.list(),
            history: self.history.samples(),
            diverged: self.diverged.clone(),
            held: self.hands.list(),
            picked: self.picked,
            is_held: self.is_held(),
            backend: sim.backend_name(),
            stages: self.stages.latest.clone(),
            rebuilt: self.session.rebuilt(),
        }
    }
}
