//! Running steps: many substeps per submission.

use pliant_gpu::timer::Timer;
use pliant_gpu::{Buffer, Commands, Gpu, GpuError, Readback};

use super::GpuBackend;
use super::arrays::{CLEAR, FLAGS, RECORDS};
use super::record::{Record, STRIDE, Step};
use super::timing::Timing;
use crate::backend::Trouble;
use crate::backend::cpu::{Advance, Blowup, is_mixed};
use crate::model::Model;
use crate::stages::implicit::gpu::Solver;
use crate::stages::integrate::{Phase, plan};
use crate::stages::plasticity::gpu::Yielding;
use crate::stages::touch::gpu::TouchForces;
use crate::step::{Stage, program};

/// Elements per submission: enough to keep a device busy, few enough that it answers within
/// milliseconds and no driver thinks that it hangs.
const ELEMENTS_PER_SUBMISSION: usize = 20_000_000;

/// Implicit substeps between two looks of the host whether all of them could be completed.
const IMPLICIT_BATCH: u64 = 32;

impl GpuBackend {
    /// Runs `job.count` substeps. After a [`Blowup`] the arrays are beyond repair: restore a
    /// snapshot.
    pub async fn advance(&mut self, model: &Model, job: &Advance<'_>) -> Result<(), Trouble> {
        if is_mixed(model, job.world) {
            let reason = "Implicit and explicit bodies in one world are for the CPU only";
            return Err(Trouble::Refused(reason.into()));
        }
        let mut timing = self.timing_of(job);
        self.present_changes();
        let outcome = self.advance_timed(model, job, timing.as_mut()).await;
        if timing.is_some() {
            self.timing = timing;
        }
        if outcome.is_err() {
            // Substeps after it did nothing, in no time.
            self.forget_stage_times();
        }
        outcome
    }

    async fn advance_timed(
        &mut self,
        model: &Model,
        job: &Advance<'_>,
        mut timing: Option<&mut Timing>,
    ) -> Result<(), Trouble> {
        if let Some(failure) = self.take_failure() {
            return Err(failure.into());
        }
        self.arrays.flags.write(0, &CLEAR);
        let most = if is_implicit(job) { IMPLICIT_BATCH } else { self.batch(job) };
        self.prepare(model, job, most)?;
        self.write_frames(model, job);
        if is_implicit(job) && job.h_last == 0.0 {
            self.start_falling(job.world.gravity);
        }
        let (mut first, mut is_begun) = (0, false);
        while first < job.count {
            let end = (first + self.batch(job)).min(job.count);
            self.submit(job, first..end, is_begun, timing.as_deref_mut());
            first = end;
            if is_implicit(job) {
                let stalled = self.look().await?;
                first = stalled.unwrap_or(end);
                is_begun = stalled.is_some();
                if is_begun && let Some(timing) = &mut timing {
                    // Substeps after it did nothing, in no time.
                    timing.forget();
                }
            }
        }
        match is_implicit(job) {
            true => Ok(()),
            false => self.look().await.map(|_| ()),
        }
    }

    /// How many substeps a submission has at most.
    fn batch(&self, job: &Advance<'_>) -> u64 {
        if is_implicit(job) {
            let is_known = self.solver.as_ref().is_some_and(|s| s.has_experience(is_newton(job)));
            return if is_known { IMPLICIT_BATCH } else { 1 };
        }
        (ELEMENTS_PER_SUBMISSION / self.elements()).clamp(1, RECORDS / records_per_substep(job))
            as u64
    }

    /// Lets the search of the first implicit step begin at free fall, which it then finds exactly.
    fn start_falling(&self, gravity: [f64; 3]) {
        let [x, y, z] = gravity.map(|g| g as f32);
        self.arrays.memory.write(0, &vec![[x, y, z, 0.0]; self.sizes.slots]);
    }

    /// Submits some substeps; `is_begun` when the first one is an implicit one that needs more cycles
    /// than were recorded for it before.
    fn submit(
        &mut self,
        job: &Advance<'_>,
        substeps: std::ops::Range<u64>,
        is_begun: bool,
        mut timing: Option<&mut Timing>,
    ) {
        let per_substep = records_per_substep(job);
        let records: Vec<Record> = substeps
            .clone()
            .flat_map(|s| (0..per_substep as u8).map(move |n| (s, n)))
            .map(|(s, n)| Step::new(&self.sizes, job, s, n).record())
            .collect();
        self.arrays.records.write(0, &records);
        let touch = self.touch.as_ref().filter(|_| !job.touches.is_empty());
        touch.iter().for_each(|touch| touch.tell_hands(job, substeps.clone()));
        if let Some(solver) = &self.solver {
            solver.clear_totals();
        }
        let passes = program(job.world, false);
        let most_dispatches = 2 * passes.iter().flatten().count();
        let mut recording = Recording::new(&self.gpu);
        for i in 0..substeps.end - substeps.start {
            // Passes before the first update read the first record, those after it the next ones.
            let mut record = i as u32 * per_substep as u32;
            let mut timer = timing.as_mut().and_then(|t| t.of_substep(most_dispatches));
            for stage in passes.iter().flatten() {
                let dispatches = match *stage {
                    Stage::Elastic => [Some(self.elastic.dispatch()), None],
                    Stage::Touch => match touch {
                        Some(touch) => touch.dispatch().map(Some),
                        None => continue,
                    },
                    Stage::Integrate(n) => {
                        record = i as u32 * per_substep as u32 + u32::from(n);
                        [Some(self.updates.dispatch(n)), None]
                    }
                    Stage::Implicit => {
                        let goes_on = is_begun && i == 0;
                        let part = Part { touch, record, is_newton: is_newton(job), goes_on };
                        self.implicit(&mut recording, &part, timer.as_deref_mut());
                        continue;
                    }
                    Stage::Plasticity => [self.yielding.as_ref().map(Yielding::test), None],
                    Stage::Merge => [self.yielding.as_ref().map(Yielding::merge), None],
                    // The sweep of the integrator does these while it has the vertex at hand.
                    Stage::Collect | Stage::Walls | Stage::Watch => continue,
                };
                let offset = [record * STRIDE];
                let commands = &mut recording.commands;
                for (kernel, group, threads) in dispatches.into_iter().flatten() {
                    let name = stage.name();
                    match &mut timer {
                        Some(t) => commands.run_timed(t, name, kernel, group, &offset, threads),
                        None => commands.run(kernel, group, &offset, threads),
                    }
                }
            }
        }
        self.dispatched += recording.submit();
    }

    /// Records an implicit step, or only more cycles and the end of one.
    fn implicit(&self, recording: &mut Recording, part: &Part<'_>, mut timer: Option<&mut Timer>) {
        let Some(solver) = &self.solver else { return };
        let offset = part.record * STRIDE;
        recording.start(&mut timer);
        if !part.goes_on && part.is_newton {
            solver.begin_newton(&mut recording.commands, offset);
        } else if !part.goes_on {
            self.all_forces(&mut recording.commands, part);
            solver.begin(&mut recording.commands, offset);
        }
        for _ in 0..if part.is_newton { solver.rounds() } else { 1 } {
            if part.is_newton {
                let commands = &mut recording.commands;
                solver.walk(commands, offset);
                self.all_forces(commands, part);
                solver.judge(commands, offset);
                recording.elements += self.elements();
            }
            for _ in 0..solver.cycles() {
                if recording.elements > ELEMENTS_PER_SUBMISSION {
                    recording.hand_over(&self.gpu);
                    recording.start(&mut timer);
                }
                solver.cycle(&mut recording.commands, offset);
                recording.elements += solver.elements();
            }
        }
        solver.finish(&mut recording.commands, offset);
        recording.commands.end_timed();
    }

    /// Records elastic and touch forces of an implicit step.
    fn all_forces(&self, commands: &mut Commands, part: &Part<'_>) {
        self.elastic.run(commands, part.record);
        if self.elastic.collect_mode() != 0.0 {
            self.updates.collect(commands, part.record);
        }
        for (kernel, group, threads) in part.touch.into_iter().flat_map(TouchForces::dispatch) {
            commands.run(kernel, group, &[part.record * STRIDE], threads);
        }
    }

    fn elements(&self) -> usize {
        (self.sizes.springs + self.sizes.tets + self.sizes.slots).max(1)
    }

    /// Looks at the flags once everything is done; gives the substep that could not be completed
    /// because more cycles are needed, if there is one.
    async fn look(&mut self) -> Result<Option<u64>, Trouble> {
        // Whatever it was, substeps may be missing.
        let words = self.fetch_flags().await.map_err(|e| Trouble::Device(e.to_string()))?;
        let (flags, search) = words.split_at(FLAGS.min(words.len()));
        let [substep, slot, far, saturated] = flags[..] else { return Ok(None) };
        self.wandered |= far != 0;
        self.saturated += u64::from(saturated);
        let is_stalled = substep != u32::MAX && slot == u32::MAX;
        if let (Some(solver), false) = (&mut self.solver, search.is_empty()) {
            solver.note(bytemuck::from_bytes(bytemuck::cast_slice(search)), is_stalled);
        }
        if is_stalled {
            self.arrays.flags.write(0, &CLEAR);
            return Ok(Some(u64::from(substep)));
        }
        if substep == u32::MAX {
            return Ok(None);
        }
        let vertex = self.layout.vertex_of[slot as usize];
        Err(Trouble::Blowup(Blowup { substep: u64::from(substep) - 1, vertex }))
    }

    /// The flags, and behind them how the search of implicit steps went.
    async fn fetch_flags(&self) -> Result<Vec<u32>, GpuError> {
        let flags = &self.arrays.flags;
        let search = self.solver.as_ref().map(Solver::search);
        let words = FLAGS + search.map_or(0, Buffer::len);
        let mut place = Readback::new(&self.gpu, "flags", 4 * words as u64)?;
        let mut commands = self.gpu.commands("flags");
        place.copy(&mut commands, flags, 0..FLAGS, 0);
        if let Some(search) = search {
            place.copy(&mut commands, search, 0..search.len(), 4 * FLAGS as u64);
        }
        commands.submit();
        place.request();
        place.arrival().await
    }

    /// Whether a body may have left its origin far behind since the last call.
    pub fn take_wandered(&mut self) -> bool {
        std::mem::take(&mut self.wandered)
    }

    /// Writes what the bodies' vertices have in common, if it changed.
    fn write_frames(&mut self, model: &Model, job: &Advance<'_>) {
        let frames = crate::backend::cpu::frames(model, job);
        let mut words = Vec::with_capacity(self.arrays.frames.len());
        for (body, frame) in model.bodies.iter().zip(&frames) {
            let reach = (8.0 * body.size) as f32;
            let first = self.layout.slot_of.get(body.vertices.start as usize);
            let first = first.copied().unwrap_or(u32::MAX);
            let corner = |c: [f32; 3], w: f32| [c[0], c[1], c[2], w].map(f32::to_bits);
            match &frame.walls {
                Some(w) => {
                    words.push(corner(w.low.into(), frame.limit));
                    words.push(corner(w.high.into(), reach));
                    let (e, mu) = (w.restitution.to_bits(), w.friction.to_bits());
                    words.push([e, mu, first, 1]);
                }
                None => {
                    words.push(corner([0.0; 3], frame.limit));
                    words.push(corner([0.0; 3], reach));
                    words.push([0, 0, first, 0]);
                }
            }
        }
        for four in self.layout.slice_body.chunks(4) {
            words.push(std::array::from_fn(|i| four.get(i).copied().unwrap_or(0)));
        }
        if words != self.frames {
            self.arrays.frames.write(0, &words);
            self.frames = words;
        }
    }
}

/// Which implicit step is recorded, and how.
struct Part<'a> {
    touch: Option<&'a TouchForces>,
    /// The place of its record.
    record: u32,
    is_newton: bool,
    /// Whether it has begun already and needs more cycles.
    goes_on: bool,
}

/// What is being recorded.
struct Recording {
    commands: Commands,
    /// Elements of implicit cycles recorded since the last submission.
    elements: usize,
    /// Kernels that were submitted.
    dispatched: u64,
}

impl Recording {
    fn new(gpu: &Gpu) -> Self {
        Self { commands: gpu.commands("step"), elements: 0, dispatched: 0 }
    }

    /// Times what comes, if there is something to time it with.
    fn start(&mut self, timer: &mut Option<&mut Timer>) {
        if let Some(timer) = timer {
            self.commands.begin_timed(timer, Stage::Implicit.name());
        }
    }

    /// Submits what was recorded and goes on with nothing.
    fn hand_over(&mut self, gpu: &Gpu) {
        let fresh = Self { dispatched: self.dispatched, ..Self::new(gpu) };
        self.dispatched = std::mem::replace(self, fresh).submit();
    }

    /// Submits everything; gives the number of kernels.
    fn submit(self) -> u64 {
        let dispatched = self.dispatched + u64::from(self.commands.dispatch_count());
        self.commands.submit();
        dispatched
    }
}

fn is_implicit(job: &Advance<'_>) -> bool {
    plan(job.world.integrator).contains(&Phase::Implicit)
}

fn is_newton(job: &Advance<'_>) -> bool {
    is_implicit(job) && job.world.implicit.newton_iterations > 1
}

/// Records that the kernels of a substep read: one for each update.
fn records_per_substep(job: &Advance<'_>) -> usize {
    let is_update = |p: &&Phase| matches!(p, Phase::Update(_));
    plan(job.world.integrator).iter().filter(is_update).count().max(1)
}
