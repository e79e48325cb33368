//! Recovery when a device is lost.
//!
//! The host has a copy of a state that is at most a few seconds old ([`crate::backend::gpu`] makes
//! it without waiting), and a [journal](super::journal) of what was done to the simulation since.
//! When the device fails, the same adapter is opened again, or else the processor takes over; the
//! simulation goes back to that state, and everything that happened since happens again at its step.
//! Whoever asked for a step gets there, with the same inputs.

use std::time::Duration;

use super::journal::Entry;
use super::waiting::at_once;
use super::{Diverged, Simulator};
use crate::backend::{AnyEngine, RestorePoint, Trouble};
use crate::scene::World;
use crate::state::State;

/// Real time between two copies of the state.
pub(super) const INTERVAL: Duration = Duration::from_secs(2);

/// Failures after which a device is not tried again.
const MOST_FAILURES: u32 = 3;

impl Simulator {
    /// Sets how much real time passes between two copies of a device's state to the host, from which
    /// a simulation goes on when the device is lost. It is two seconds at first;
    /// [`Duration::ZERO`] copies after every stretch of steps, and `None` never: a loss then takes a
    /// simulation back to where it started or was last set. Nothing waits for these copies.
    pub fn set_rescue_interval(&mut self, interval: Option<Duration>) {
        self.rescue_interval = interval;
        self.engine.set_rescue_interval(interval);
        if interval.is_none() {
            self.journal.clear();
        }
        self.journal.has_news = true;
    }

    /// Looks whether the device still answers. If not, goes on elsewhere and comes back to the
    /// present step, so that what is read next belongs to it; [`Simulator::take_messages`] reports it.
    pub fn check_device(&mut self) -> Result<(), Diverged> {
        at_once(self.advance_to(self.step))
    }

    /// How often a device has failed so far.
    pub fn device_failures(&self) -> u32 {
        self.failures
    }

    /// As [`Simulator::check_device`]; that it came apart meanwhile is left as a message.
    pub(super) fn recover_if_lost(&mut self) {
        if let Err(diverged) = self.check_device() {
            self.messages.push(diverged.to_string());
        }
    }

    /// Notes what has changed since the last step, in case this step must be done again.
    pub(super) fn note_inputs(&mut self) {
        if self.journal.has_news && self.engine.is_rescuing() {
            self.journal.note(Entry {
                step: self.step,
                world: self.world.clone(),
                substeps: self.substeps,
                touches: self.touches.clone(),
                displaced: self.displaced.clone(),
            });
        }
    }

    /// Does again what was done at this step.
    pub(super) fn replay_inputs(&mut self) {
        while let Some(entry) = self.journal.due(self.step) {
            let Entry { world, substeps, touches, displaced, .. } = entry;
            (self.world, self.substeps) = (world, substeps);
            (self.touches, self.displaced) = (touches, displaced);
            self.inputs_changed();
        }
    }

    /// Asks for a copy of the state when it is time; never waits.
    pub(super) fn keep_rescue(&mut self) {
        let is_due = self.engine.is_rescue_due();
        if let Some(step) = self.engine.rescued_step() {
            self.journal.forget_before(step);
        }
        if !is_due {
            return;
        }
        let restore_point = self.settings();
        if let Err(Trouble::Device(reason) | Trouble::Refused(reason)) =
            self.engine.request_rescue(restore_point)
        {
            self.messages.push(format!(
                "{reason}. No more copies of the state are kept: should the GPU be lost, the \
                 simulation goes on from step {}",
                self.engine.rescued_step().unwrap_or(0)
            ));
            self.set_rescue_interval(None);
        }
    }

    /// Clock, origins, touches and settings; no arrays.
    pub(super) fn settings(&self) -> RestorePoint {
        let state = State {
            step: self.step,
            time: self.time,
            h_last: self.h_last,
            origins: self.origins.clone(),
            touches: self.touches.clone(),
            displaced: self.displaced.clone(),
            ..State::default()
        };
        RestorePoint { state, world: self.world.clone(), substeps: self.substeps }
    }

    /// The present; when the device cannot tell any more, the last moment that is known.
    pub(crate) fn restore_point(&self) -> RestorePoint {
        if let Some(arrays) = self.engine.download(&self.world) {
            let mut restore_point = self.settings();
            restore_point.state.take_arrays(arrays);
            return restore_point;
        }
        self.engine.rescued().unwrap_or_else(|| self.settings())
    }

    /// Goes on after the device failed.
    pub(super) fn recover(&mut self, trouble: &Trouble) {
        let (Trouble::Device(reason) | Trouble::Refused(reason)) = trouble else { return };
        self.note_inputs();
        self.failures += 1;
        let is_lost = matches!(trouble, Trouble::Device(_));
        let restore_point = match is_lost {
            true => self.engine.rescued().unwrap_or_else(|| self.settings()),
            // What it has it still has.
            false => self.restore_point(),
        };
        let mut message = format!("{reason}. ");
        if self.engine.is_split() {
            message += "From here on one backend does all stages. ";
        }
        match is_lost.then(|| self.reopened(&restore_point.world)) {
            Some(Ok(engine)) => self.engine = engine,
            refused => {
                if let Some(Err(why)) = refused {
                    message += &format!("{why}. ");
                }
                self.engine = AnyEngine::cpu(&self.model, super::backend::spare_cores());
            }
        }
        self.engine.set_rescue_interval(self.rescue_interval);
        let (step, time, lost) = (
            restore_point.state.step,
            restore_point.state.time,
            self.time - restore_point.state.time,
        );
        message +=
            &format!("Going on with {} from step {step} (t = {time:.6} s): ", self.backend_name());
        message += &match step < self.step {
            true => format!("{lost:.6} s of simulated time are lost and computed again"),
            false => "no simulated time is lost".into(),
        };
        self.messages.push(message);
        self.go_back(restore_point);
    }

    fn go_back(&mut self, restore_point: RestorePoint) {
        let mut journal = std::mem::take(&mut self.journal);
        if self.rescue_interval.is_some() {
            (self.world, self.substeps) = (restore_point.world, restore_point.substeps);
        }
        let step = restore_point.state.step;
        self.take(restore_point.state);
        journal.go_back(step);
        journal.has_news = true;
        self.journal = journal;
    }

    /// The same adapter, opened again, or why not.
    #[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
    fn reopened(&self, world: &World) -> Result<AnyEngine, String> {
        use crate::backend::gpu::GpuBackend;
        let Some(gpu) = self.gpu().map(GpuBackend::gpu) else { return Err(String::new()) };
        if self.failures > MOST_FAILURES {
            return Err(format!("This was failure {} in this run", self.failures));
        }
        let open = || {
            let again = gpu.reopen_blocking()?;
            GpuBackend::new(&again, &self.model, world)
        };
        let backend = open().map_err(|e| format!("It cannot be used again: {e}"))?;
        Ok(AnyEngine::Gpu(Box::new(backend)))
    }

    #[cfg(not(all(feature = "gpu", not(target_arch = "wasm32"))))]
    fn reopened(&self, _: &World) -> Result<AnyEngine, String> {
        Err(format!("This was failure {} of {MOST_FAILURES}", self.failures))
    }

    /// Goes on with `state` on the processor.
    pub(super) fn fall_back(&mut self, reason: &str, state: State) {
        self.engine = AnyEngine::cpu(&self.model, super::backend::spare_cores());
        let (step, time) = (state.step, state.time);
        self.messages.push(format!(
            "{reason}. Going on with {} from step {step} (t = {time:.6} s)",
            self.backend_name()
        ));
        self.take(state);
    }
}
