//! Running steps: many substeps per submission.

use pliant_gpu::timer::Timer;
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Buffer, Commands, Gpu, GpuError, Kernel, Readback};

use super::GpuBackend;
use super::contact::{Begun, Stalled};
use super::step_plan::StepPlan;
use super::timing::Timing;
use crate::backend::Trouble;
use crate::model::{Family, Model};
use crate::scene::World;
use crate::stages::air::gpu::Blowing;
use crate::stages::bending::gpu::Bending;
use crate::stages::colliders::gpu::origin_words;
use crate::stages::contact::gpu::{Contacts, Searching};
use crate::stages::gpu::arrays::{CLEAR, FLAGS};
use crate::stages::gpu::get_or_build;
use crate::stages::gpu::record::STRIDE;
use crate::stages::implicit::gpu::{Offsets, Solver};
use crate::stages::pins::gpu::Leading;
use crate::stages::plasticity::gpu::Yielding;
use crate::stages::seams::gpu::Sewing;
use crate::stages::shapes::gpu::Matching;
use crate::stages::strain::gpu::{self as strain, Limiting};
use crate::stages::touch::gpu::TouchForces;
use crate::step::{Advance, Blowup, Need, Pause, Stage, body_constants};

/// Elements per submission: enough to keep a device busy, few enough that it answers within
/// milliseconds and no driver thinks that it hangs.
const ELEMENTS_PER_SUBMISSION: usize = 20_000_000;

/// What else there is to know of a body, see body_constants.wgsl: a bit, and where the family's number begins.
const HAS_WALLS: u32 = 1;
const FAMILY_SHIFT: u32 = 1;

/// A kernel, what it is bound to, and its invocations.
type Dispatch<'a> = (&'a Kernel, &'a BindGroup, usize);

/// In place of a slot: an implicit step was refused, or a list is too small, see step.wgsl.
const TOO_LONG: u32 = u32::MAX - 1;
const PAUSED: u32 = u32::MAX - 2;

impl GpuBackend {
    /// Runs the substeps of a stretch that are left. After a [`Blowup`] the arrays are beyond repair:
    /// restore a snapshot.
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
        let plan = StepPlan::new(model, job);
        let most = if plan.is_implicit { plan.most() } else { self.batch(&plan) };
        self.prepare(model, job, most)?;
        if plan.forces_are_kept() {
            get_or_build(&self.outputs.kept, || self.gpu.zeros("kept force", self.sizes.slots))?;
        }
        self.write_body_constants(model, job);
        self.contact.iter_mut().for_each(|contact| contact.prepare(job));
        self.limiting.iter_mut().for_each(|limiting| limiting.prepare(job.h));
        self.matching.iter_mut().for_each(|matching| matching.prepare(&model.shapes, job));
        self.sewing.iter_mut().for_each(|sewing| sewing.prepare(&model.seams, job));
        if plan.solves && job.is_first() {
            self.start_falling(model, job.world);
        }
        let (mut first, mut begun, mut looked) = (job.done, None, job.done);
        while first < job.count {
            let end = (first + self.batch(&plan)).min(job.count);
            if let Some(colliders) = &mut self.colliders {
                colliders.write(&model.colliders, job, first..end);
            }
            if let Some(pins) = &self.pins {
                pins.write(&model.pins, job, first..end);
            }
            self.submit(job, &plan, first..end, begun, timing.as_deref_mut());
            (first, begun) = (end, None);
            if !plan.is_implicit && end < job.count {
                continue;
            }
            if let Some((substep, stalled)) = self.look(end - looked).await? {
                begun = Some(match stalled {
                    Stalled::Cycles if plan.is_implicit => Begun::Implicit,
                    Stalled::Cycles => {
                        let reason = format!("the GPU says that substep {substep} needs cycles");
                        return Err(Trouble::Device(reason));
                    }
                    Stalled::Contact { wanted } => {
                        let first = plan.passes.first();
                        let moves_first = first.is_some_and(|p| p.name() == "integrate");
                        self.go_on_with_contact(substep, wanted, moves_first)?
                    }
                });
                first = substep;
                // Substeps after it did nothing, in no time.
                timing.iter_mut().for_each(|timing| timing.forget());
            }
            looked = first;
        }
        Ok(())
    }

    /// How many substeps a submission has at most.
    fn batch(&self, plan: &StepPlan) -> u64 {
        if plan.is_implicit {
            let solver = self.solver.as_ref();
            let is_known = solver.is_some_and(|s| s.has_experience(plan.is_newton));
            return if is_known { plan.most() } else { 1 };
        }
        (ELEMENTS_PER_SUBMISSION / self.elements()).clamp(1, plan.most() as usize) as u64
    }

    /// Lets the search of the first implicit step begin at free fall, which it then finds exactly.
    fn start_falling(&self, model: &Model, world: &World) {
        let [x, y, z] = world.gravity.map(|g| g as f32);
        for (number, body) in model.bodies.iter().enumerate() {
            if body.family_in(world) != Family::Implicit {
                continue;
            }
            let slots = self.layout.body_slots(number as u32);
            self.arrays.history.write(slots.start, &vec![[x, y, z, 0.0]; slots.len()]);
        }
    }

    /// Submits some substeps; `begun` when the first one was begun before, and could not go on.
    fn submit(
        &mut self,
        job: &Advance<'_>,
        plan: &StepPlan,
        substeps: std::ops::Range<u64>,
        begun: Option<Begun>,
        mut timing: Option<&mut Timing>,
    ) {
        let records = substeps.clone().flat_map(|s| plan.records(&self.sizes, job, s));
        self.arrays.records.write(0, &records.collect::<Vec<_>>());
        let touch = self.touch.as_ref().filter(|_| job.is_touched());
        touch.iter().for_each(|touch| touch.write_hands(job, substeps.clone()));
        if let Some(solver) = &self.solver {
            solver.clear_totals();
        }
        // No stage has more than two kernels, but for those with passes of their own.
        let most_dispatches = plan.passes.iter().map(|pass| 2 * pass.stages.len()).sum();
        let mut recording = Recording::new(&self.gpu);
        for i in 0..substeps.end - substeps.start {
            let colliders = self.colliders.as_ref().map(|c| c.offset(job, i, substeps.start + i));
            // Stages before the first update read the first record, those after it the next ones.
            let first = i as u32 * plan.records_per_substep() as u32;
            let mut record = first;
            let mut timer = timing.as_mut().and_then(|t| t.of_substep(most_dispatches));
            let begun = begun.filter(|_| i == 0);
            // What comes before the stage that could not go on is done.
            let (mut is_done, mut evaluation) = (begun.is_some(), 0);
            for pass in &plan.passes {
                for &stage in &pass.stages {
                    let goes_on = begun.is_some_and(|begun| begun.is_at(stage, evaluation));
                    is_done &= !goes_on;
                    if stage == Stage::Contact {
                        evaluation += 1;
                    }
                    if is_done {
                        continue;
                    }
                    if stage == Stage::Contact {
                        let part = ContactRecording { record, evaluation: evaluation - 1, goes_on };
                        self.touching_surfaces(&mut recording, &part, i, timer.as_deref_mut());
                        continue;
                    }
                    if stage == Stage::Implicit {
                        record = first + plan.updates as u32;
                        let (is_strict, has_walls) = (job.is_strict, job.world.bounds.is_some());
                        let part = ImplicitRecording {
                            touch,
                            record,
                            colliders: colliders.unwrap_or(0),
                            plan,
                            goes_on,
                            is_strict,
                            has_walls,
                            has_air: job.world.wind.is_some(),
                        };
                        self.implicit(&mut recording, &part, timer.as_deref_mut());
                        continue;
                    }
                    if let Stage::Integrate(n) = stage {
                        record = first + u32::from(n);
                    }
                    if stage == Stage::Elastic {
                        recording.elements += self.elements();
                    }
                    let second = match stage {
                        Stage::Integrate(_) => colliders,
                        Stage::Strain(n) | Stage::Limit(n) => Some(u32::from(n) * strain::STRIDE),
                        _ => None,
                    };
                    let offsets = [record * STRIDE, second.unwrap_or(0)];
                    let offset = &offsets[..1 + usize::from(second.is_some())];
                    let commands = &mut recording.commands;
                    for (kernel, group, threads) in self.dispatches(stage, touch) {
                        let name = stage.name();
                        match &mut timer {
                            Some(t) => commands.run_timed(t, name, kernel, group, offset, threads),
                            None => commands.run(kernel, group, offset, threads),
                        }
                    }
                }
            }
        }
        self.dispatched += recording.submit();
    }

    /// The kernels of a stage, two at most.
    fn dispatches<'a>(
        &'a self,
        stage: Stage,
        touch: Option<&'a TouchForces>,
    ) -> impl Iterator<Item = Dispatch<'a>> {
        let pair = |two: Option<[Dispatch<'a>; 2]>| two.map_or([None, None], |two| two.map(Some));
        let kernels = match stage {
            #[cfg(test)]
            stage if self.broken == Some(stage) => [None, None],
            Stage::Pins => [self.pins.as_ref().map(Leading::dispatch), None],
            Stage::Elastic => {
                [Some(self.elastic.dispatch()), self.bending.as_ref().map(Bending::dispatch)]
            }
            Stage::Air => [self.air.as_ref().map(Blowing::dispatch), None],
            Stage::Touch => pair(touch.map(TouchForces::dispatch)),
            Stage::Integrate(n) => [Some(self.updates.dispatch(n)), None],
            Stage::Strain(_) => [self.limiting.as_ref().map(Limiting::find), None],
            Stage::Limit(_) => [self.limiting.as_ref().map(Limiting::take), None],
            Stage::Plasticity => [self.yielding.as_ref().map(Yielding::test), None],
            Stage::Merge => [self.yielding.as_ref().map(Yielding::merge), None],
            // The sweep of the integrator does it, unless somebody looks at forces before.
            Stage::Collect => [self.updates.collected(&self.elastic), None],
            Stage::Implicit | Stage::Contact => unreachable!("they have passes of their own"),
            Stage::Shapes => pair(self.matching.as_ref().map(Matching::find)),
            Stage::Match => pair(self.matching.as_ref().map(Matching::take)),
            Stage::Seams => [self.sewing.as_ref().map(Sewing::pulling), None],
            Stage::Weld(ends) => [self.sewing.as_ref().map(|sewing| sewing.welding(ends)), None],
            Stage::Guard => unreachable!("worlds with the guarantee run on processors"),
            #[cfg(test)]
            Stage::Drill => [self.drill.as_ref().map(|drill| drill.dispatch()), None],
        };
        kernels.into_iter().flatten()
    }

    /// Records an evaluation of contact in substep number `substep` of a submission.
    fn touching_surfaces(
        &self,
        recording: &mut Recording,
        part: &ContactRecording,
        substep: u64,
        mut timer: Option<&mut Timer>,
    ) {
        let Some(contact) = &self.contact else { return };
        let &ContactRecording { record, evaluation, goes_on } = part;
        let searching = match goes_on {
            true => Searching::IfStale,
            false => contact.searching(substep, evaluation),
        };
        recording.start(&mut timer, Stage::Contact);
        contact.record(&mut recording.commands, record, evaluation, searching);
        recording.elements += contact.elements();
        recording.commands.end_timed();
    }

    /// Records an implicit step, or only more cycles and the end of one.
    fn implicit(
        &self,
        recording: &mut Recording,
        part: &ImplicitRecording<'_>,
        mut timer: Option<&mut Timer>,
    ) {
        let Some(solver) = &self.solver else { return };
        let offset = Offsets { step: part.record * STRIDE, colliders: part.colliders };
        let (slots, is_newton) = (self.sizes.slots, part.plan.is_newton);
        // A step that goes on finds them as it left them.
        let kept = self.outputs.kept.get().filter(|_| part.plan.forces_are_kept());
        if let Some(kept) = kept {
            recording.commands.copy(&self.arrays.force, kept, slots);
        }
        recording.start(&mut timer, Stage::Implicit);
        if !part.goes_on && part.is_strict {
            solver.inspect_start(&mut recording.commands, offset);
        }
        if !part.goes_on && is_newton {
            solver.begin_newton(&mut recording.commands, offset);
        } else if !part.goes_on {
            self.first_forces(&mut recording.commands, part);
            solver.assemble(&mut recording.commands, offset);
        }
        for _ in 0..if is_newton { solver.rounds() } else { 1 } {
            if is_newton {
                let commands = &mut recording.commands;
                solver.step_along(commands, offset);
                self.all_forces(commands, part);
                solver.assemble_newton(commands, offset);
                recording.elements += self.elements();
            }
            for _ in 0..solver.cycles() {
                if recording.elements > ELEMENTS_PER_SUBMISSION {
                    recording.hand_over(&self.gpu);
                    recording.start(&mut timer, Stage::Implicit);
                }
                solver.cycle(&mut recording.commands, offset, part.has_walls);
                recording.elements += solver.elements();
            }
        }
        solver.correct_momentum(&mut recording.commands, offset);
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
    fn first_forces(&self, commands: &mut Commands, part: &ImplicitRecording<'_>) {
        match part.plan.forces_are_there {
            true => self.touch_forces(commands, part),
            false => self.all_forces(commands, part),
        }
    }

    /// Records elastic and touch forces of an implicit step.
    fn all_forces(&self, commands: &mut Commands, part: &ImplicitRecording<'_>) {
        self.elastic.run(commands, part.record);
        self.bending.iter().for_each(|bending| bending.run(commands, part.record));
        if self.elastic.collect_mode() != 0.0 {
            self.updates.collect(commands, part.record);
        }
        self.touch_forces(commands, part);
    }

    /// Records forces of the air and of touches of an implicit step: its bands pull in another way.
    fn touch_forces(&self, commands: &mut Commands, part: &ImplicitRecording<'_>) {
        let air = self.air.as_ref().filter(|_| part.has_air).map(Blowing::dispatch);
        let touches = part.touch.into_iter().flat_map(TouchForces::dispatch);
        for (kernel, group, threads) in air.into_iter().chain(touches) {
            commands.run(kernel, group, &[part.record * STRIDE], threads);
        }
    }

    fn elements(&self) -> usize {
        let contact = self.contact.as_ref().map_or(0, Contacts::elements);
        let elements = self.sizes.springs + self.sizes.tets + self.sizes.hinges;
        let limits = self.limiting.as_ref().map_or(0, Limiting::elements);
        let clusters = self.matching.as_ref().map_or(0, Matching::elements);
        let pairs = self.sewing.as_ref().map_or(0, Sewing::elements);
        (elements + self.sizes.slots + contact + limits + clusters + pairs).max(1)
    }

    /// Looks at the flags once everything is done, so many substeps after the last look; returns the substep that
    /// could not be completed, if there is one, and what it needs.
    async fn look(&mut self, substeps: u64) -> Result<Option<(u64, Stalled)>, Trouble> {
        // Whatever it was, substeps may be missing.
        let words = self.fetch_flags().await.map_err(|e| Trouble::Device(e.to_string()))?;
        let (flags, rest) = words.split_at(FLAGS.min(words.len()));
        let searched = self.solver.as_ref().map_or(0, |solver| solver.search().len());
        let (search, control) = rest.split_at(searched.min(rest.len()));
        let [substep, slot, far, saturated, asker, wanted] = flags[..] else { return Ok(None) };
        self.wandered |= far != 0;
        self.saturated += u64::from(saturated);
        let is_stalled = substep != u32::MAX && slot == u32::MAX;
        if let (Some(solver), false) = (&mut self.solver, search.is_empty()) {
            solver.note(bytemuck::from_bytes(bytemuck::cast_slice(search)), is_stalled);
        }
        let waits = slot == PAUSED && Stage::numbered(u64::from(asker)) == Some(Stage::Contact);
        if let (Some(contact), false) = (&mut self.contact, control.is_empty()) {
            contact.note(control, substeps, waits && wanted == 0);
        }
        if is_stalled || waits {
            self.arrays.flags.write(0, &CLEAR);
            let stalled = if waits { Stalled::Contact { wanted } } else { Stalled::Cycles };
            return Ok(Some((u64::from(substep), stalled)));
        }
        if substep == u32::MAX {
            return Ok(None);
        }
        if slot == PAUSED {
            return Err(paused(u64::from(substep), u64::from(asker), u64::from(wanted)));
        }
        if slot == TOO_LONG {
            return Err(Trouble::TooLong { substep: u64::from(substep) - 1 });
        }
        let vertex = self.layout.vertex_of[slot as usize];
        Err(Trouble::Blowup(Blowup { substep: u64::from(substep) - 1, vertex }))
    }

    /// The flags, and behind them how the search of implicit steps went, and contact.
    async fn fetch_flags(&self) -> Result<Vec<u32>, GpuError> {
        let flags = &self.arrays.flags;
        let search = self.solver.as_ref().map(Solver::search);
        let control = self.contact.as_ref().map(Contacts::control);
        let searched = search.map_or(0, Buffer::len);
        let words = FLAGS + searched + control.map_or(0, Buffer::len);
        let mut place = Readback::new(&self.gpu, "flags", 4 * words as u64)?;
        let mut commands = self.gpu.commands("flags");
        place.copy(&mut commands, flags, 0..FLAGS, 0);
        if let Some(search) = search {
            place.copy(&mut commands, search, 0..search.len(), 4 * FLAGS as u64);
        }
        if let Some(control) = control {
            place.copy(&mut commands, control, 0..control.len(), 4 * (FLAGS + searched) as u64);
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
    fn write_body_constants(&mut self, model: &Model, job: &Advance<'_>) {
        let constants = body_constants(model, job);
        let mut words = Vec::with_capacity(self.arrays.body_constants.len());
        for (body, constants) in model.bodies.iter().zip(&constants) {
            let max_distance = (8.0 * body.size) as f32;
            let first = self.layout.slot_of.get(body.vertices.start as usize);
            let first = first.copied().unwrap_or(u32::MAX);
            let corner = |c: [f32; 3], w: f32| [c[0], c[1], c[2], w].map(f32::to_bits);
            let family = u32::from(body.family_in(job.world).number()) << FAMILY_SHIFT;
            match &constants.walls {
                Some(w) => {
                    words.push(corner(w.low.into(), constants.limit));
                    words.push(corner(w.high.into(), max_distance));
                    let (e, mu) = (w.restitution.to_bits(), w.friction.to_bits());
                    words.push([e, mu, first, family | HAS_WALLS]);
                }
                None => {
                    words.push(corner([0.0; 3], constants.limit));
                    words.push(corner([0.0; 3], max_distance));
                    words.push([0, 0, first, family]);
                }
            }
        }
        for four in self.layout.slice_body.chunks(4) {
            words.push(std::array::from_fn(|i| four.get(i).copied().unwrap_or(0)));
        }
        if self.colliders.is_some() {
            words.extend(origin_words(job.origins));
        }
        if words != self.body_constants {
            self.arrays.body_constants.write(0, &words);
            self.body_constants = words;
        }
    }
}

/// What the flags of a paused stretch mean.
fn paused(done: u64, asker: u64, entries: u64) -> Trouble {
    match Stage::numbered(asker) {
        Some(stage) => Trouble::Paused(Pause { done, need: Need { stage, entries } }),
        None => Trouble::Device(format!("the GPU asks for room for a stage number {asker}")),
    }
}

/// Which evaluation of contact is recorded.
struct ContactRecording {
    /// The place of its record.
    record: u32,
    /// How many come before it in its substep.
    evaluation: u32,
    /// Whether it waited for this.
    goes_on: bool,
}

/// Which implicit step is recorded, and how.
struct ImplicitRecording<'a> {
    touch: Option<&'a TouchForces>,
    /// The place of its record.
    record: u32,
    /// Where the record of colliders begins, if there are any \[bytes\].
    colliders: u32,
    plan: &'a StepPlan,
    /// Whether it has begun already and needs more cycles.
    goes_on: bool,
    /// Whether it is refused if it cannot be right.
    is_strict: bool,
    /// Whether there is a world box.
    has_walls: bool,
    /// Whether there is air.
    has_air: bool,
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
    fn start(&mut self, timer: &mut Option<&mut Timer>, stage: Stage) {
        if let Some(timer) = timer {
            self.commands.begin_timed(timer, stage.name());
        }
    }

    /// Submits what was recorded and goes on with nothing.
    fn hand_over(&mut self, gpu: &Gpu) {
        let fresh = Self { dispatched: self.dispatched, ..Self::new(gpu) };
        self.dispatched = std::mem::replace(self, fresh).submit();
    }

    /// Submits everything; returns the number of kernels.
    fn submit(self) -> u64 {
        let dispatched = self.dispatched + u64::from(self.commands.dispatch_count());
        self.commands.submit();
        dispatched
    }
}
