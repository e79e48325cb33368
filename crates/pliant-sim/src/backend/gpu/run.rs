//! Running steps: many substeps per submission.

use pliant_gpu::timer::Timer;
use pliant_gpu::{Buffer, Commands, Gpu, GpuError, Readback};

use super::GpuBackend;
use super::arrays::{CLEAR, FLAGS};
use super::course::Course;
use super::measured::made;
use super::record::STRIDE;
use super::timing::Timing;
use crate::backend::Trouble;
use crate::backend::cpu::{Advance, Blowup};
use crate::model::Model;
use crate::scene::World;
use crate::stages::implicit::gpu::Solver;
use crate::stages::plasticity::gpu::Yielding;
use crate::stages::touch::gpu::TouchForces;
use crate::step::Stage;

/// Elements per submission: enough to keep a device busy, few enough that it answers within
/// milliseconds and no driver thinks that it hangs.
const ELEMENTS_PER_SUBMISSION: usize = 20_000_000;

/// Bits of a body's frame, see frames.wgsl.
const HAS_WALLS: u32 = 1;
const STEPS_IMPLICITLY: u32 = 2;

/// In place of a slot: an implicit step was refused, see step.wgsl.
const TOO_LONG: u32 = u32::MAX - 1;

impl GpuBackend {
    /// Runs `job.count` substeps. After a [`Blowup`] the arrays are beyond repair: restore a
    /// snapshot.
    pub async fn advance(&mut self, model: &Model, job: &Advance<'_>) -> Result<(), Trouble> {
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
        let course = Course::new(model, job.world);
        let most = if course.is_implicit { course.most() } else { self.batch(&course) };
        self.prepare(model, job, most)?;
        if course.forces_are_kept() {
            made(&self.outputs.kept, || self.gpu.zeros("kept force", self.sizes.slots))?;
        }
        self.write_frames(model, job);
        if course.is_implicit && job.h_last == 0.0 {
            self.start_falling(model, job.world);
        }
        let (mut first, mut is_begun) = (0, false);
        while first < job.count {
            let end = (first + self.batch(&course)).min(job.count);
            self.submit(job, &course, first..end, is_begun, timing.as_deref_mut());
            first = end;
            if course.is_implicit {
                let stalled = self.look().await?;
                first = stalled.unwrap_or(end);
                is_begun = stalled.is_some();
                if is_begun && let Some(timing) = &mut timing {
                    // Substeps after it did nothing, in no time.
                    timing.forget();
                }
            }
        }
        match course.is_implicit {
            true => Ok(()),
            false => self.look().await.map(|_| ()),
        }
    }

    /// How many substeps a submission has at most.
    fn batch(&self, course: &Course) -> u64 {
        if course.is_implicit {
            let solver = self.solver.as_ref();
            let is_known = solver.is_some_and(|s| s.has_experience(course.is_newton));
            return if is_known { course.most() } else { 1 };
        }
        (ELEMENTS_PER_SUBMISSION / self.elements()).clamp(1, course.most() as usize) as u64
    }

    /// Lets the search of the first implicit step begin at free fall, which it then finds exactly.
    fn start_falling(&self, model: &Model, world: &World) {
        let [x, y, z] = world.gravity.map(|g| g as f32);
        for body in (0..model.bodies.len()).filter(|&b| model.steps_implicitly(b, world)) {
            let slots = self.layout.body_slots(body as u32);
            self.arrays.memory.write(slots.start, &vec![[x, y, z, 0.0]; slots.len()]);
        }
    }

    /// Submits some substeps; `is_begun` when the first one is an implicit one that needs more cycles
    /// than were recorded for it before.
    fn submit(
        &mut self,
        job: &Advance<'_>,
        course: &Course,
        substeps: std::ops::Range<u64>,
        is_begun: bool,
        mut timing: Option<&mut Timing>,
    ) {
        let records = substeps.clone().flat_map(|s| course.records(&self.sizes, job, s));
        self.arrays.records.write(0, &records.collect::<Vec<_>>());
        let touch = self.touch.as_ref().filter(|_| !job.touches.is_empty());
        touch.iter().for_each(|touch| touch.tell_hands(job, substeps.clone()));
        if let Some(solver) = &self.solver {
            solver.clear_totals();
        }
        let most_dispatches = 2 * course.stages.len();
        let mut recording = Recording::new(&self.gpu);
        for i in 0..substeps.end - substeps.start {
            // Stages before the first update read the first record, those after it the next ones.
            let first = i as u32 * course.records_per_substep() as u32;
            let mut record = first;
            let mut timer = timing.as_mut().and_then(|t| t.of_substep(most_dispatches));
            let goes_on = is_begun && i == 0;
            // What comes before the implicit step was done when that began.
            let is_done = |stage: &&Stage| goes_on && **stage != Stage::Implicit;
            for stage in course.stages.iter().skip_while(is_done) {
                let dispatches = match *stage {
                    Stage::Elastic => {
                        recording.elements += self.elements();
                        [Some(self.elastic.dispatch()), None]
                    }
                    Stage::Touch => match touch {
                        Some(touch) => touch.dispatch().map(Some),
                        None => continue,
                    },
                    Stage::Integrate(n) => {
                        record = first + u32::from(n);
                        [Some(self.updates.dispatch(n)), None]
                    }
                    Stage::Implicit => {
                        record = first + course.updates as u32;
                        let (is_strict, has_walls) = (job.is_strict, job.world.bounds.is_some());
                        let part = Part { touch, record, course, goes_on, is_strict, has_walls };
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
        let (slots, is_newton) = (self.sizes.slots, part.course.is_newton);
        // A step that goes on finds them as it left them.
        let kept = self.outputs.kept.get().filter(|_| part.course.forces_are_kept());
        if let Some(kept) = kept {
            recording.commands.copy(&self.arrays.force, kept, slots);
        }
        recording.start(&mut timer);
        if !part.goes_on && part.is_strict {
            solver.inspect_start(&mut recording.commands, offset);
        }
        if !part.goes_on && is_newton {
            solver.begin_newton(&mut recording.commands, offset);
        } else if !part.goes_on {
            self.first_forces(&mut recording.commands, part);
            solver.begin(&mut recording.commands, offset);
        }
        for _ in 0..if is_newton { solver.rounds() } else { 1 } {
            if is_newton {
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
                solver.cycle(&mut recording.commands, offset, part.has_walls);
                recording.elements += solver.elements();
            }
        }
        solver.mend(&mut recording.commands, offset);
        solver.finish(&mut recording.commands, offset);
        if part.is_strict {
            solver.inspect_end(&mut recording.commands, offset);
        }
        recording.commands.end_timed();
        if let Some(kept) = kept {
            recording.commands.copy(kept, &self.arrays.force, slots);
        }
    }

    /// Records the forces that a step starts from which linearises them once.
    fn first_forces(&self, commands: &mut Commands, part: &Part<'_>) {
        match part.course.forces_are_there {
            true => self.touch_forces(commands, part),
            false => self.all_forces(commands, part),
        }
    }

    /// Records elastic and touch forces of an implicit step.
    fn all_forces(&self, commands: &mut Commands, part: &Part<'_>) {
        self.elastic.run(commands, part.record);
        if self.elastic.collect_mode() != 0.0 {
            self.updates.collect(commands, part.record);
        }
        self.touch_forces(commands, part);
    }

    /// Records touch forces of an implicit step: its bands pull in another way.
    fn touch_forces(&self, commands: &mut Commands, part: &Part<'_>) {
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
        if slot == TOO_LONG {
            return Err(Trouble::TooLong { substep: u64::from(substep) - 1 });
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
        for (number, (body, frame)) in model.bodies.iter().zip(&frames).enumerate() {
            let reach = (8.0 * body.size) as f32;
            let first = self.layout.slot_of.get(body.vertices.start as usize);
            let first = first.copied().unwrap_or(u32::MAX);
            let corner = |c: [f32; 3], w: f32| [c[0], c[1], c[2], w].map(f32::to_bits);
            let bits = match model.steps_implicitly(number, job.world) {
                true => STEPS_IMPLICITLY,
                false => 0,
            };
            match &frame.walls {
                Some(w) => {
                    words.push(corner(w.low.into(), frame.limit));
                    words.push(corner(w.high.into(), reach));
                    let (e, mu) = (w.restitution.to_bits(), w.friction.to_bits());
                    words.push([e, mu, first, bits | HAS_WALLS]);
                }
                None => {
                    words.push(corner([0.0; 3], frame.limit));
                    words.push(corner([0.0; 3], reach));
                    words.push([0, 0, first, bits]);
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
    course: &'a Course,
    /// Whether it has begun already and needs more cycles.
    goes_on: bool,
    /// Whether it is refused if it cannot be right.
    is_strict: bool,
    /// Whether there is a world box.
    has_walls: bool,
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
