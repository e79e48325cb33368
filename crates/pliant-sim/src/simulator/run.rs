//! Running steps, and what happens when they go wrong.

use super::waiting::at_once;
use super::{Simulator, Snapshot};
use crate::backend::Trouble;
use crate::math::Vec3;
use crate::model::BodyModel;
use crate::report::StepReport;
use crate::scene::Implicit;
use crate::stages::air;
use crate::stages::implicit::SolverReport;
use crate::stages::measure::cpu::forces_on;
use crate::stages::shapes::matching::force_on as force_on_by_shapes;
use crate::stages::touch::Touch;
use crate::step::{Advance, Blowup, Places, Start};

/// The residual of a linear system above which it can be seen in the motion.
const HARMFUL: f64 = 1e-3;

/// Substeps between two snapshots to which a diverging run goes back.
const SNAPSHOT_EVERY: u64 = 256;

/// Steps between two looks at how far bodies have travelled, at most, and the time that may pass \[s\];
/// see [`Simulator::reanchor`].
const MOST_REANCHOR_STEPS: u64 = 256;
const REANCHOR_TIME: f64 = 0.256;

/// Substeps per step at which automatic substepping gives up.
const MAX_SUBSTEPS: u32 = 1024;

/// Steps between two looks whether automatic substepping may come down again.
const RELAX_EVERY: u64 = 256;

/// The part of the stable timestep that it comes down to.
const CALM: f64 = 0.5;

/// The part of the stable timestep that is suggested after a divergence, and the part of an edge that a
/// vertex may go in it.
const MARGIN: f64 = 0.4;
const FOLLOWED: f64 = 0.1;

/// Into how many an implicit substep is divided at most.
const MOST_PARTS: u32 = 256;

/// A simulation cannot go on: a vertex was accelerated beyond all reason or stopped being a number, or
/// there is no memory for what a step has to remember.
///
/// The simulator is left at its last good state, which can be saved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}. The state after step {good_step} is kept", self.what_happened())]
pub struct Diverged {
    /// The step that failed, counted from 1.
    pub step: u64,
    /// When it began \[s\].
    pub time: f64,
    /// The stage whose force was largest at the vertex.
    pub stage: &'static str,
    /// The body.
    pub body: String,
    /// The vertex, in the numbering of the body's mesh.
    pub vertex: u32,
    /// The timestep in use, per substep \[s\].
    pub timestep: f64,
    /// A timestep that would have been stable, if the integrator has one \[s\].
    pub suggested_timestep: Option<f64>,
    /// Complete steps of the state that is kept.
    pub good_step: u64,
    /// What there is no memory for, if it was that: then nothing came apart, and stage, body and vertex
    /// tell nothing.
    pub no_room: Option<String>,
}

impl Diverged {
    fn what_happened(&self) -> String {
        let Self { step, time, stage, body, vertex, no_room, .. } = self;
        match no_room {
            Some(reason) => {
                format!("step {step} (t = {time:.6} s) cannot be taken: {reason}")
            }
            None => format!(
                "the simulation diverged in step {step} (t = {time:.6} s): {stage} threw vertex {vertex} \
                 of body {body:?} out of bounds. {}",
                self.advice()
            ),
        }
    }

    fn advice(&self) -> String {
        match self.suggested_timestep {
            Some(h) if h < self.timestep => {
                format!("A timestep of {h:.3e} s would be stable (it is {:.3e} s)", self.timestep)
            }
            Some(_) => {
                "The timestep is stable for small motions; the forces on it are too violent: \
                        use smaller ones, or more substeps"
                    .into()
            }
            None => {
                "This integrator has no stable timestep here; take verlet or add damping".into()
            }
        }
    }
}

/// Steps between two looks at how far bodies have travelled: a power of two, fewer of long ones.
fn reanchor_steps(timestep: f64) -> u64 {
    let mut steps = MOST_REANCHOR_STEPS;
    while steps > 1 && steps as f64 * timestep > REANCHOR_TIME {
        steps /= 2;
    }
    steps
}

impl Simulator {
    /// Runs `steps` steps and reports. On divergence the simulator is left at its last good state.
    pub fn step(&mut self, steps: u64) -> Result<StepReport, Diverged> {
        self.advance(steps)?;
        Ok(self.report())
    }

    /// Runs `steps` steps without measuring energies afterwards.
    ///
    /// # Panics
    /// In a browser with a model on a GPU: take [`Simulator::advance_async`] there.
    pub fn advance(&mut self, steps: u64) -> Result<(), Diverged> {
        at_once(self.advance_async(steps))
    }

    /// As [`Simulator::advance`], for places where nobody may wait for a device.
    pub async fn advance_async(&mut self, steps: u64) -> Result<(), Diverged> {
        if self.world.auto_substeps {
            // So that a retry never goes back behind what the caller has already seen.
            self.snapshot = None;
        }
        self.advance_to(self.step.saturating_add(steps)).await
    }

    /// Runs until the given step, whatever the device does.
    pub(super) async fn advance_to(&mut self, goal: u64) -> Result<(), Diverged> {
        loop {
            if let Some(trouble) = self.engine.trouble() {
                self.recover(&trouble);
            }
            self.replay_inputs();
            if self.step >= goal {
                return Ok(());
            }
            let end = self.journal.next_step().map_or(goal, |next| next.min(goal));
            match self.run(end - self.step).await {
                Ok(()) => {}
                Err(trouble @ (Trouble::Device(_) | Trouble::Refused(_))) => self.recover(&trouble),
                Err(Trouble::NoRoom { reason, .. }) if self.engine.can_be_lost() => {
                    self.recover(&Trouble::Refused(reason));
                }
                Err(Trouble::NoRoom { reason, .. }) => {
                    self.journal.stop_replaying();
                    return Err(self.out_of_room(reason));
                }
                Err(_) if self.retries() => {
                    self.substeps *= 2;
                    self.relaxes_after = self.step;
                    self.journal.has_news = true;
                    self.messages.push(format!(
                        "step {}: diverging, tried again with {} substeps",
                        self.step + 1,
                        self.substeps
                    ));
                }
                Err(Trouble::TooLong { .. } | Trouble::Paused(_)) => {
                    unreachable!("such steps are taken in shorter ones, or go on")
                }
                Err(Trouble::Blowup(blowup)) => {
                    self.journal.stop_replaying();
                    self.mirror_in_browser().await;
                    return Err(self.diverged(blowup).await);
                }
            }
        }
    }

    /// Runs up to `steps` steps, in stretches between snapshots.
    async fn run(&mut self, steps: u64) -> Result<(), Trouble> {
        let mut left = steps;
        while left > 0 {
            self.relax();
            let substeps = u64::from(self.substeps);
            self.note_inputs();
            let reanchor_every = reanchor_steps(self.world.timestep);
            if self.step.is_multiple_of(reanchor_every) {
                self.reanchor().await;
            }
            if self.snapshot.is_none_or(|s| s.age >= SNAPSHOT_EVERY) {
                self.keep_snapshot()?;
            }
            let age = self.snapshot.map_or(0, |s| s.age);
            let to_anchor = reanchor_every - self.step % reanchor_every;
            let mut count = match self.touches.is_empty() {
                true => left.min((SNAPSHOT_EVERY - age).div_ceil(substeps)).clamp(1, to_anchor),
                // Hands move step by step, so that the bits do not depend on how a run is cut.
                false => 1,
            };
            match self.stretch(count * substeps).await {
                Ok(()) => self.tick(count),
                Err(Trouble::TooLong { substep }) => {
                    count = self.take_shorter_steps(age, substep / substeps).await?;
                }
                Err(Trouble::Blowup(blowup)) => {
                    self.pushed_apart = self.contact_force_on(blowup.vertex);
                    match self.retries() {
                        true => self.rewind().await?,
                        false => self.take_again(age, blowup.substep / substeps).await?,
                    }
                    return Err(Trouble::Blowup(blowup));
                }
                Err(Trouble::NoRoom { substep, reason }) => {
                    self.take_again(age, substep / substeps).await?;
                    return Err(Trouble::NoRoom { substep, reason });
                }
                Err(lost) => return Err(lost),
            }
            self.note_solver_report();
            self.note_stalling();
            self.keep_rescue();
            left -= count;
        }
        Ok(())
    }

    /// After a stretch that went wrong: goes back and takes its first `steps` steps once more, which are
    /// known to be good. The snapshot was `age` substeps old when the stretch began.
    async fn take_again(&mut self, age: u64, steps: u64) -> Result<(), Trouble> {
        // What came of the steps before the stretch has been noted, and of the stretch is not to be.
        self.replay(age).await?;
        self.engine.take_solver_report();
        if steps > 0 {
            self.stretch(steps * u64::from(self.substeps)).await?;
            self.solver_report.add(&self.engine.take_solver_report());
            self.tick(steps);
        }
        Ok(())
    }

    /// Lets the backend remember the present state.
    fn keep_snapshot(&mut self) -> Result<(), Trouble> {
        self.engine.snapshot()?;
        let (step, time, h_last) = (self.step, self.time, self.h_last);
        self.snapshot = Some(Snapshot { step, time, h_last, age: 0 });
        Ok(())
    }

    /// After a stretch whose step number `good` was too long for its implicit bodies: takes the steps
    /// before it once more, and that one in shorter substeps. Returns how many steps were completed. The
    /// snapshot was `age` substeps old when the stretch began.
    async fn take_shorter_steps(&mut self, age: u64, good: u64) -> Result<u64, Trouble> {
        self.take_again(age, good).await?;
        self.keep_snapshot()?;
        match self.shorten_step().await {
            Ok(()) => {}
            Err(Trouble::Blowup(blowup)) if self.retries() => {
                self.rewind().await?;
                return Err(Trouble::Blowup(blowup));
            }
            Err(trouble) => return Err(trouble),
        }
        let h_last = self.h_last;
        self.tick(1);
        // Its parts cannot be told from the number of substeps.
        (self.h_last, self.snapshot) = (h_last, None);
        Ok(good + 1)
    }

    /// Takes one step from the snapshot, dividing each substep until its implicit bodies can follow it.
    /// The same state is divided in the same way, wherever a run was cut. After an error the state is
    /// that of the snapshot.
    async fn shorten_step(&mut self) -> Result<(), Trouble> {
        let start = self.snapshot.map_or(0.0, |s| s.h_last);
        let hands = (self.touches.clone(), self.displaced.clone());
        let mut parts = vec![1; self.substeps as usize];
        let mut substep = 0;
        self.h_last = start;
        while substep < parts.len() {
            let count = parts[substep];
            let of = parts.len() as u64 * u64::from(count);
            let begin =
                Start { substep: substep as u64 * u64::from(count), of, ..self.next_step() };
            match self.stretch_from(begin, u64::from(count), count < MOST_PARTS).await {
                Ok(()) => {
                    self.h_last = self.world.timestep / of as f64;
                    self.move_hands(self.substep_length());
                    substep += 1;
                }
                Err(trouble) => {
                    self.engine.restore(&self.model)?;
                    self.h_last = start;
                    (self.touches, self.displaced) = hands.clone();
                    self.engine.take_solver_report();
                    let Trouble::TooLong { .. } = trouble else { return Err(trouble) };
                    parts[substep] *= 2;
                    substep = 0;
                }
            }
        }
        (self.touches, self.displaced) = hands;
        for &parts in parts.iter().filter(|&&parts| parts > 1) {
            self.solver_report.add(&SolverReport::shortened(parts, parts == MOST_PARTS));
        }
        Ok(())
    }

    /// Comes down to fewer substeps when danger is over: what diverged in an impact is stable again
    /// after it. Asked at fixed step numbers, so that it does not matter how a run is cut.
    fn relax(&mut self) {
        let is_raised = self.world.auto_substeps && self.substeps > self.world.substeps;
        let is_due = self.step.is_multiple_of(RELAX_EVERY) && self.step > self.relaxes_after;
        if !is_raised || !is_due {
            return;
        }
        self.relaxes_after = self.step;
        let Some(stable) = crate::stability::stable_timestep(self) else { return };
        let wanted = (self.world.timestep / (CALM * stable)).ceil().min(f64::from(MAX_SUBSTEPS));
        // In powers of two of what the scene asks for, as they were raised.
        let mut calm = self.world.substeps;
        while f64::from(calm) < wanted && calm < self.substeps {
            calm = calm.saturating_mul(2);
        }
        if calm < self.substeps {
            self.substeps = calm;
            self.inputs_changed();
            self.messages.push(format!("step {}: calm again, {calm} substeps", self.step + 1));
        }
    }

    /// Takes note of what came of implicit steps, and says when systems were not solved: at the first
    /// one, and whenever their number has grown tenfold.
    fn note_solver_report(&mut self) {
        self.solver_report.add(&self.engine.take_solver_report());
        let SolverReport { systems, unconverged, worst_residual, unbalanced, imbalance, .. } =
            self.solver_report;
        let coarse = self.solver_report.coarse(&self.world.implicit);
        self.note_shortened();
        let failures = unconverged.max(unbalanced).max(coarse);
        if failures < self.next_complaint {
            return;
        }
        self.next_complaint = failures.saturating_mul(10);
        let Implicit { tolerance, max_iterations, newton_iterations, newton_tolerance } =
            self.world.implicit;
        let step = self.step + 1;
        if unbalanced > 0 {
            self.messages.push(format!(
                "step {step}: {unbalanced} implicit steps did not balance the forces to \
                 {newton_tolerance:e} within {newton_iterations} iterations of Newton ({imbalance:.1e} in \
                 the last one); raise world.implicit.newton_iterations, or take shorter steps",
            ));
        }
        if unconverged > 0 {
            self.messages.push(format!(
                "step {step}: {unconverged} of {systems} linear systems were not solved to {tolerance:e} \
                 within {max_iterations} iterations (residual up to {worst_residual:.1e}); raise \
                 world.implicit.max_iterations or the tolerance, or take shorter steps",
            ));
        }
        if coarse > 0 {
            let remedy = match worst_residual > HARMFUL {
                true => {
                    "the motion may be wrong: set world.implicit.newton_iterations to 2 or more, take \
                     shorter steps, or make stiff bodies softer"
                }
                false => "raise world.implicit.tolerance to what can be reached",
            };
            self.messages.push(format!(
                "step {step}: {coarse} of {systems} linear systems could not be solved to {tolerance:e} in \
                 single precision (residual up to {worst_residual:.1e}); {remedy}",
            ));
        }
    }

    /// Says when implicit steps were taken in shorter ones: at the first one, and whenever their number
    /// has grown tenfold.
    fn note_shortened(&mut self) {
        let SolverReport { shortened, most_parts, forced, .. } = self.solver_report;
        if shortened < self.next_shortened {
            return;
        }
        self.next_shortened = shortened.saturating_mul(10);
        let step = self.step;
        let remedy = match forced {
            0 => "shorter timesteps follow impacts better, and cost less than dividing long ones"
                .into(),
            _ => format!("{forced} of them cannot be right even so: take shorter timesteps"),
        };
        self.messages.push(format!(
            "step {step}: {shortened} implicit steps so far would have given energy to a body or turned it \
             inside out, and were taken in up to {most_parts} shorter ones; {remedy}",
        ));
    }

    /// Moves the origins of bodies that have travelled far to where they are now, so that their
    /// coordinates stay small and keep their digits.
    ///
    /// The shift is a multiple of a power of two about as large as the body and makes coordinates smaller,
    /// so subtracting it is exact; and it happens at fixed step numbers, so that it does not matter how a
    /// run is cut.
    async fn reanchor(&mut self) {
        let firsts: Vec<u32> = self.model.bodies.iter().map(|b| b.vertices.start).collect();
        let Some(firsts) = self.engine.wanderers(&firsts).await else { return };
        for body in 0..self.model.bodies.len() {
            let BodyModel { size, .. } = &self.model.bodies[body];
            let size = size.max(f64::MIN_POSITIVE);
            let unit = size.log2().floor().exp2();
            // Along axes on which it has not gone far, numbers might grow and lose digits.
            let shift = firsts[body].map(f64::from).map(|c| match c.abs() > 8.0 * size {
                true => (c / unit).round() * unit,
                false => 0.0,
            });
            if shift == [0.0; 3] {
                continue;
            }
            self.engine.shift_body(body as u32, shift.map(|c| c as f32));
            for k in 0..3 {
                self.origins[body][k] += shift[k];
            }
            self.snapshot = None;
        }
    }

    /// Moves hands on by some time \[s\], and the colliders that they carry.
    fn move_hands(&mut self, time: f64) {
        self.move_carried(time);
        for touch in &mut self.touches {
            match touch {
                Touch::Drag(drag) => drag.hand = drag.hand_after(time),
                Touch::Carry(carry) => carry.hand = carry.hand_after(time),
                Touch::Push(_) => {}
            }
        }
    }

    /// Moves clock and hands on by `steps` complete steps.
    fn tick(&mut self, steps: u64) {
        let h = self.substep_length();
        for _ in 0..steps {
            self.time += self.world.timestep;
        }
        self.step += steps;
        let substeps = steps * u64::from(self.substeps);
        if substeps > 0 {
            self.h_last = h;
        }
        self.move_hands(substeps as f64 * h);
        // Hands have moved: the next stretch cannot be replayed from an older snapshot.
        if !self.touches.is_empty() {
            self.snapshot = None;
        } else if let Some(s) = &mut self.snapshot {
            s.age += substeps;
        }
    }

    async fn stretch(&mut self, substeps: u64) -> Result<(), Trouble> {
        self.stretch_from(self.next_step(), substeps, true).await
    }

    /// Runs `count` substeps; with `is_strict`, implicit ones only if they can be right. Where one waits
    /// for room in a list, room is made, and it goes on from there.
    async fn stretch_from(
        &mut self,
        start: Start,
        count: u64,
        is_strict: bool,
    ) -> Result<(), Trouble> {
        let h = self.world.timestep / start.of as f64;
        let mut job = Advance {
            world: &self.world,
            start,
            count,
            done: 0,
            h,
            h_last: self.h_last,
            touches: &self.touches,
            displaced: &self.displaced,
            origins: &self.origins,
            is_timed: self.is_timed,
            is_strict,
            places: Places::ALL,
        };
        #[cfg(test)]
        if let Some(stretches) = &mut self.stretches {
            stretches.push((job.when(0), self.engine.positions()[0]));
        }
        let mut last = None;
        loop {
            match self.engine.advance(&self.model, &job).await {
                Err(Trouble::Paused(pause)) => {
                    assert_ne!(last, Some(pause), "room was made, and it is asked for once more");
                    self.pauses += 1;
                    let made = self.engine.make_room(pause.need);
                    made.map_err(|reason| Trouble::NoRoom { substep: pause.done, reason })?;
                    (job.done, last) = (pause.done, Some(pause));
                }
                outcome => return outcome,
            }
        }
    }

    /// Whether a diverging stretch is tried again with smaller substeps.
    fn retries(&self) -> bool {
        self.world.auto_substeps && self.substeps < MAX_SUBSTEPS
    }

    /// Goes back to the snapshot. What diverges was often spoilt many steps before it shows, so a
    /// retry starts from there and not from the last step that still passed.
    async fn rewind(&mut self) -> Result<(), Trouble> {
        let snapshot = self.snapshot.take().expect("a stretch starts with a snapshot");
        self.engine.restore(&self.model)?;
        (self.step, self.time, self.h_last) = (snapshot.step, snapshot.time, snapshot.h_last);
        let settings = self.settings();
        self.engine.rescue_went_back(settings).await
    }

    /// Goes back to the snapshot and repeats the given number of substeps, which are known to be
    /// good: the same inputs give the same bits.
    async fn replay(&mut self, substeps: u64) -> Result<(), Trouble> {
        let snapshot = self.snapshot.take().expect("a stretch starts with a snapshot");
        self.engine.restore(&self.model)?;
        let now = std::mem::replace(&mut self.h_last, snapshot.h_last);
        if substeps > 0 {
            let start = Start { step: snapshot.step, time: snapshot.time, ..self.next_step() };
            self.stretch_from(start, substeps, true).await?;
        }
        self.h_last = now;
        Ok(())
    }

    /// A stretch that begins with the next step.
    fn next_step(&self) -> Start {
        Start { step: self.step, time: self.time, substep: 0, of: u64::from(self.substeps) }
    }

    fn substep_length(&self) -> f64 {
        self.world.timestep / f64::from(self.substeps)
    }

    fn out_of_room(&self, reason: String) -> Diverged {
        Diverged {
            step: self.step + 1,
            time: self.time,
            stage: "",
            body: String::new(),
            vertex: 0,
            timestep: self.substep_length(),
            suggested_timestep: None,
            good_step: self.step,
            no_room: Some(reason),
        }
    }

    async fn diverged(&mut self, blowup: Blowup) -> Diverged {
        let body = self.model.body_of_vertex(blowup.vertex);
        let user = self.model.vertex_order[blowup.vertex as usize];
        let suggested_timestep = self.suggested_timestep(body).await;
        Diverged {
            step: self.step + 1,
            time: self.time,
            stage: self.strongest_stage(blowup.vertex).await,
            body: self.model.bodies[body].name.clone(),
            vertex: user - self.model.bodies[body].vertices.start,
            timestep: self.substep_length(),
            suggested_timestep,
            good_step: self.step,
            no_room: None,
        }
    }

    /// A timestep with which a run like the one that came apart holds, if there is one. The estimate of
    /// the stable one is for small motions of the present shape; in an impact vertices are put back by
    /// as far as they go in a step, which gives energy to bodies if steps are longer than half of it,
    /// and shapes change the faster a body is.
    async fn suggested_timestep(&mut self, body: usize) -> Option<f64> {
        let stable = crate::stability::stable_timestep(self)?;
        let report = self.report_async().await;
        // As fast as it may become until it meets the wall below.
        let speed =
            (report.max_speed.powi(2) + 2.0 * self.fall_ahead(report.center_of_mass)).sqrt();
        let edge = self.model.bodies[body].edge;
        // In open space there is nothing to run into.
        let has_walls = self.world.bounds.is_some() || !self.model.colliders.is_empty();
        let may_hit = (has_walls || self.world.contact.is_some()) && speed > 0.0;
        let followed = if may_hit { FOLLOWED * edge / speed } else { f64::INFINITY };
        Some((MARGIN * stable).min(followed))
    }

    /// What gravity may still do to a kilogram at `x` until a wall is met \[J/kg\].
    fn fall_ahead(&self, x: [f64; 3]) -> f64 {
        let Some(bounds) = &self.world.bounds else { return 0.0 };
        let [low, high] = bounds.corners();
        let along = |k: usize| {
            let gravity = self.world.gravity[k];
            let wall = if gravity < 0.0 { low[k] } else { high[k] };
            (gravity * (wall - x[k])).max(0.0)
        };
        (0..3).map(along).sum()
    }

    /// The force of contact on a vertex in the last substep that was begun \[N\]. Elsewhere than on processors
    /// and native devices nobody may wait for it.
    fn contact_force_on(&self, vertex: u32) -> f64 {
        if cfg!(target_family = "wasm") && self.engine.is_on_device() {
            return 0.0;
        }
        let forces = self.engine.forces_between_bodies().unwrap_or_default();
        let force = forces.get(vertex as usize).copied().unwrap_or_default();
        Vec3::<f64>::of(force.map(f64::from)).length()
    }

    /// The stage with the largest force on a vertex: in the last good state, with which the step that failed
    /// began; of contact, which looks ahead, in that step itself.
    async fn strongest_stage(&mut self, vertex: u32) -> &'static str {
        let contact = self.engine.contacts().await.get(vertex as usize).copied();
        let [first, others] = contact.unwrap_or_default();
        let pressed: [f64; 3] =
            std::array::from_fn(|k| f64::from(first[k] + others[k]) / self.world.timestep);
        let x = self.engine.positions();
        let [springs, volumes, bending] = forces_on(&self.model, &x, vertex);
        let body = self.model.body_of_vertex(vertex);
        let at = self.world_position(body, x[vertex as usize]);
        let (user, mass) =
            (self.model.vertex_order[vertex as usize], self.model.mass[vertex as usize]);
        let strength = |t: &Touch| t.strength_at(user, at, f64::from(mass));
        let touch = self.touches.iter().map(strength).fold(0.0, f64::max);
        let air = self.world.wind.as_ref().map_or(0.0, |wind| {
            let v = self.engine.velocities();
            air::force_on(&self.model, wind, self.time, [&x, &v], vertex)
        });
        let shapes = match self.model.shapes.is_empty() {
            true => 0.0,
            false => {
                let (v, h) = (self.engine.velocities(), self.substep_length());
                force_on_by_shapes(&self.model, &self.world, h, [&x, &v], vertex)
            }
        };
        let stages: [(&str, f64); 7] = [
            ("elastic (volume force)", volumes),
            ("elastic (bending)", bending),
            ("touch", touch),
            ("air", air),
            ("colliders", Vec3::from(pressed).length()),
            ("contact", self.pushed_apart),
            ("shapes", shapes),
        ];
        let springs = ("elastic (springs)", springs);
        stages.into_iter().fold(springs, |a, b| if b.1 > a.1 { b } else { a }).0
    }
}
