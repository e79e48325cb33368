//! A simulator with its script and a remote.

mod edit;
mod energy;
mod parameters;
mod rewind_point;
mod steps;
mod stretch;

pub use edit::EditError;
pub(crate) use rewind_point::RewindPoint;

use std::sync::Arc;

#[cfg(feature = "gpu")]
use pliant_sim::backend::gpu::shown::Quantity;
use pliant_sim::checkpoint::{self, Checkpoint, CheckpointError};
use pliant_sim::scene::{LiveValue, Scene, SceneError, World};
use pliant_sim::stages::touch::Touch;
use pliant_sim::{Backend, BuildError, Diverged, Simulator, StepReport, at_once};

use crate::script::{Owner, Script};
use crate::{Command, Fields, Frame, Message, Remote};
use energy::EnergyWatch;
use parameters::Parameters;
use stretch::StretchWatch;

/// Tetrahedra up to which the largest stable timestep is estimated before a run. Beyond, the
/// estimate itself takes seconds.
const MOST_TETS_TO_ESTIMATE: usize = 200_000;

/// A running scene: the simulator, the scripted actions and whoever holds a [`Remote`].
pub struct Session {
    sim: Simulator,
    script: Script,
    remote: Remote,
    parameters: Parameters,
    energy: EnergyWatch,
    stretch: StretchWatch,
    /// How often the model has been built anew.
    rebuilt: u64,
    /// What was told when the model was built.
    building_notes: Vec<String>,
    is_paused: bool,
    is_stopped: bool,
}

impl Session {
    /// Compiles a scene and puts it at its start.
    pub fn new(scene: Scene, backend: Backend) -> Result<Self, BuildError> {
        Ok(Self::of(Simulator::new(scene, backend)?))
    }

    /// Continues from a checkpoint that holds its scene.
    pub fn resume(checkpoint: &Checkpoint, backend: Backend) -> Result<Self, CheckpointError> {
        Ok(Self::of(Simulator::resume(checkpoint, backend)?))
    }

    /// A session of a simulator, wherever in its scene it stands.
    pub fn of(mut sim: Simulator) -> Self {
        let remote = Remote::default();
        let script = Script::new(&mut sim, &mut |m| remote.tell(m));
        let building_notes = sim.take_messages();
        for note in &building_notes {
            remote.tell(Message::Warning(note.clone()));
        }
        let parameters = Parameters::new(&sim);
        let (is_paused, is_stopped) = (false, false);
        Self {
            sim,
            script,
            remote,
            parameters,
            energy: EnergyWatch::default(),
            stretch: StretchWatch::default(),
            rebuilt: 0,
            building_notes,
            is_paused,
            is_stopped,
        }
    }

    /// The simulator.
    pub fn simulator(&self) -> &Simulator {
        &self.sim
    }

    /// The simulator, to measure.
    pub fn simulator_mut(&mut self) -> &mut Simulator {
        &mut self.sim
    }

    /// Another end of this session.
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// Whether the clock was stopped by a command.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Whether a command has ended the run.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// The whole simulation as bytes, to continue from later.
    pub fn checkpoint(&self) -> Vec<u8> {
        checkpoint::encode(&self.sim)
    }

    /// Looks whether the device still answers, so that what is read next belongs to the present; if
    /// not, goes on elsewhere and tells.
    pub fn check_device(&mut self) {
        if let Err(diverged) = self.sim.check_device() {
            self.remote.tell(Message::Diverged(diverged));
        }
        self.pass_on_messages();
    }

    /// Takes a frame, which is then also the latest of the remotes.
    pub fn frame(&mut self, fields: Fields) -> Arc<Frame> {
        at_once(self.frame_async(fields))
    }

    /// As [`Session::frame`], for places where nobody may wait for a device.
    pub async fn frame_async(&mut self, fields: Fields) -> Arc<Frame> {
        self.frame_by(async |sim: &mut Simulator| Frame::capture_async(sim, fields).await).await
    }

    /// The same, without copying bodies to the host where the simulation runs on a device: such a frame
    /// is drawn there, with `quantity` as colours. Elsewhere it has `fields`.
    #[cfg(feature = "gpu")]
    pub async fn frame_on_device_async(
        &mut self,
        quantity: Quantity,
        fields: Fields,
    ) -> Arc<Frame> {
        let capture =
            async |sim: &mut Simulator| match Frame::capture_on_device(sim, quantity).await {
                Some(frame) => frame,
                None => Frame::capture_async(sim, fields).await,
            };
        self.frame_by(capture).await
    }

    async fn frame_by(&mut self, capture: impl AsyncFn(&mut Simulator) -> Frame) -> Arc<Frame> {
        let mut frame;
        loop {
            self.check_device();
            let failures = self.sim.device_failures();
            frame = capture(&mut self.sim).await;
            self.check_device();
            // Parts of a frame that was taken from a dying device may be older than others.
            if self.sim.device_failures() == failures {
                break;
            }
        }
        self.watch(&frame.report);
        let frame = Arc::new(frame);
        self.remote.show(frame.clone());
        frame
    }

    /// Warns when steps will not hold: when they are longer than the estimate of the largest stable
    /// one, or when the integrator adds energy however short they are. Also when they are so short that
    /// nothing is gained by it.
    pub fn check_timestep(&mut self) {
        let tets = self.sim.model().tets.len();
        if tets > MOST_TETS_TO_ESTIMATE {
            self.remote.tell(Message::Note(format!(
                "the largest stable timestep is not estimated beforehand for {tets} tetrahedra; \
                 divergence is still detected"
            )));
            return;
        }
        if let Some(warning) = steps::warning(&self.sim) {
            self.remote.tell(Message::Warning(warning));
        }
    }

    /// Warns when energy has grown though nobody gave any. Runs look now and then by themselves.
    pub fn check_energy(&mut self) {
        let report = self.sim.report();
        self.watch(&report);
    }

    /// Warns of what a report of the present shows.
    fn watch(&mut self, report: &StepReport) {
        let warnings = [self.energy.look(&self.sim, report), self.stretch.look(report)];
        for warning in warnings.into_iter().flatten() {
            self.remote.tell(Message::Warning(warning));
        }
    }

    /// The same for places where nobody may wait, when it is time.
    async fn watch_energy(&mut self) {
        if !self.energy.is_due(&self.sim) {
            return;
        }
        let report = self.sim.report_async().await;
        self.watch(&report);
    }

    /// Obeys waiting commands, then runs up to `steps` steps with the actions that fall in them.
    /// A paused or stopped session runs none.
    pub fn advance(&mut self, steps: u64) -> Result<(), Diverged> {
        at_once(self.advance_async(steps))
    }

    /// As [`Session::advance`], for places where nobody may wait for a device.
    pub async fn advance_async(&mut self, steps: u64) -> Result<(), Diverged> {
        let mut left = steps;
        self.sim.mirror_in_browser().await;
        self.obey();
        while left > 0 && !self.is_paused && !self.is_stopped {
            self.watch_energy().await;
            left -= self.stretch_and_tell(left).await?;
            self.obey();
        }
        Ok(())
    }

    /// Runs `steps` steps with the actions that fall in them, whatever commands wait.
    pub(crate) async fn advance_regardless(&mut self, steps: u64) -> Result<(), Diverged> {
        let mut left = steps;
        while left > 0 {
            left -= self.stretch_and_tell(left).await?;
        }
        Ok(())
    }

    /// Steps until an action begins or ends, if any ever does; at least 1.
    pub(crate) fn steps_to_next_action(&self) -> Option<u64> {
        self.script.steps_to_next(&self.sim)
    }

    /// How often an edit has made the model anew.
    pub fn rebuilt(&self) -> u64 {
        self.rebuilt
    }

    /// Whether a hand drags or pushes.
    pub(crate) fn is_held_by(&self, hand: u32) -> bool {
        self.script.owners.contains(&Owner::Hand(hand))
    }

    async fn stretch_and_tell(&mut self, most: u64) -> Result<u64, Diverged> {
        let outcome = self.stretch(most).await;
        self.pass_on_messages();
        outcome.inspect_err(|d| self.remote.tell(Message::Diverged(d.clone())))
    }

    /// Runs up to the next action, at most `most` steps; returns how many it ran.
    async fn stretch(&mut self, most: u64) -> Result<u64, Diverged> {
        if self.script.is_any_due(&self.sim) {
            // A hand looks for what it can grab.
            self.sim.mirror_in_browser().await;
        }
        let remote = &self.remote;
        self.script.apply(&mut self.sim, &mut |m| remote.tell(m));
        let count = self.script.steps_to_next(&self.sim).unwrap_or(most).min(most);
        // A hand's way is summed up stretch by stretch. Stretches of one step round in the same way
        // wherever a run is cut into pieces, so that resuming gives the same bits.
        let count = if self.script.owners.is_empty() { count } else { 1 };
        self.sim.advance_async(count).await?;
        Ok(count)
    }

    fn pass_on_messages(&mut self) {
        for text in self.sim.take_messages() {
            self.remote.tell(Message::Warning(text));
        }
    }

    fn obey(&mut self) {
        while let Some(command) = self.remote.next_command() {
            self.follow(command);
        }
    }

    /// Obeys a command at once.
    pub(crate) fn follow(&mut self, command: Command) {
        if !command.is_possible() {
            let text = format!("ignored, because a number in it makes no sense: {command:?}");
            return self.remote.tell(Message::Warning(text));
        }
        match command {
            Command::Pause => self.is_paused = true,
            Command::Play => self.is_paused = false,
            Command::Stop => self.is_stopped = true,
            Command::Reset => self.reset(),
            Command::Set { key, value } => {
                if let Err(error) = self.set(&key, value) {
                    self.remote.tell(Message::Warning(error.to_string()));
                }
            }
            Command::Grab { hand, center, radius, speed, stiffness } => {
                self.script.release(Owner::Hand(hand), &mut self.sim);
                if self.sim.grab(center, radius, speed, stiffness) > 0 {
                    self.script.owners.push(Owner::Hand(hand));
                }
            }
            Command::Carry { hand, collider, at, speed } => {
                self.script.release(Owner::Hand(hand), &mut self.sim);
                match self.sim.carry(collider, at, speed) {
                    Ok(()) => self.script.owners.push(Owner::Hand(hand)),
                    Err(error) => self.remote.tell(Message::Warning(error.to_string())),
                }
            }
            Command::Lead { hand, to } => self.lead(hand, to),
            Command::Push { hand, push } => {
                self.script.release(Owner::Hand(hand), &mut self.sim);
                self.sim.push(push);
                self.script.owners.push(Owner::Hand(hand));
            }
            Command::Release { hand } => self.script.release(Owner::Hand(hand), &mut self.sim),
        }
    }

    /// Goes back to the start. What actions have set is undone, since they will set it again; what
    /// the user has set or edited stays.
    fn reset(&mut self) {
        self.script.restart();
        let world = self.parameters.base().clone();
        self.set_world(world);
        self.sim.reset();
        self.energy.forget();
        self.stretch.forget();
    }

    /// Changes parameters that were possible before.
    fn set_world(&mut self, world: World) {
        if let Err(error) = self.sim.set_world(world) {
            self.remote.tell(Message::Warning(error.to_string()));
        }
    }

    fn lead(&mut self, hand: u32, to: [f64; 3]) {
        let at = self.script.owners.iter().position(|o| *o == Owner::Hand(hand));
        match at.and_then(|at| self.sim.touches_mut().get_mut(at)) {
            Some(Touch::Drag(drag)) => drag.cursor = to,
            Some(Touch::Carry(carry)) => carry.cursor = to,
            Some(Touch::Push(_)) | None => {}
        }
    }

    /// Changes a live parameter, if the new value makes sense.
    fn set(&mut self, key: &str, value: LiveValue) -> Result<(), SceneError> {
        let mut world = self.sim.world().clone();
        let live = world.set_live(key, value)?;
        self.sim.set_world(world)?;
        self.parameters.set(live, value);
        self.script.sets.retain(|set| set.key != live.key);
        Ok(())
    }
}
