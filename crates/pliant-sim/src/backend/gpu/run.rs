//! Running steps: many substeps per submission.

use super::GpuBackend;
use super::arrays::{CLEAR, RECORDS};
use super::record::{Record, STRIDE, Step};
use super::timing::Timing;
use crate::backend::Trouble;
use crate::backend::cpu::{Advance, Blowup};
use crate::model::Model;
use crate::stages::integrate::{Phase, plan};
use crate::stages::plasticity::gpu::Yielding;
use crate::step::{Stage, program};

/// Elements per submission: enough to keep a device busy, few enough that it answers within
/// milliseconds and no driver thinks that it hangs.
const ELEMENTS_PER_SUBMISSION: usize = 20_000_000;

impl GpuBackend {
    /// Runs `job.count` substeps. After a [`Blowup`] the arrays are beyond repair: restore a
    /// snapshot.
    pub async fn advance(&mut self, model: &Model, job: &Advance<'_>) -> Result<(), Trouble> {
        if program(job.world).concat().contains(&Stage::Implicit) {
            return Err(Trouble::Refused("Implicit steps are for the CPU only".into()));
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
        let updates = updates_per_substep(job);
        let elements = (self.sizes.springs + self.sizes.tets + self.sizes.slots).max(1);
        let batch = (ELEMENTS_PER_SUBMISSION / elements).clamp(1, RECORDS / updates) as u64;
        self.arrays.flags.write(0, &CLEAR);
        self.prepare(model, job, batch)?;
        self.write_frames(model, job);
        let mut first = 0;
        while first < job.count {
            let end = (first + batch).min(job.count);
            self.submit(job, first..end, timing.as_deref_mut());
            first = end;
        }
        self.finish().await
    }

    fn submit(
        &mut self,
        job: &Advance<'_>,
        substeps: std::ops::Range<u64>,
        mut timing: Option<&mut Timing>,
    ) {
        let updates = updates_per_substep(job);
        let records: Vec<Record> = substeps
            .clone()
            .flat_map(|s| (0..updates as u8).map(move |n| (s, n)))
            .map(|(s, n)| Step::new(&self.sizes, job, s, n).record())
            .collect();
        self.arrays.records.write(0, &records);
        let touch = self.touch.as_ref().filter(|_| !job.touches.is_empty());
        touch.iter().for_each(|touch| touch.tell_hands(job, substeps.clone()));
        let passes = program(job.world);
        let most_dispatches = 2 * passes.iter().flatten().count();
        let mut commands = self.gpu.commands("step");
        for i in 0..substeps.end - substeps.start {
            // Passes before the first update read the first record, those after it the next ones.
            let mut record = i as u32 * updates as u32;
            let mut timer = timing.as_mut().and_then(|t| t.of_substep(most_dispatches));
            for stage in passes.iter().flatten() {
                let dispatches = match *stage {
                    Stage::Elastic => [Some(self.elastic.dispatch()), None],
                    Stage::Touch => match touch {
                        Some(touch) => touch.dispatch().map(Some),
                        None => continue,
                    },
                    Stage::Integrate(n) => {
                        record = i as u32 * updates as u32 + u32::from(n);
                        [Some(self.updates.dispatch(n)), None]
                    }
                    Stage::Plasticity => [self.yielding.as_ref().map(Yielding::test), None],
                    Stage::Merge => [self.yielding.as_ref().map(Yielding::merge), None],
                    // The sweep of the integrator does these while it has the vertex at hand.
                    Stage::Collect | Stage::Walls | Stage::Watch => continue,
                    Stage::Implicit => unreachable!("refused before"),
                };
                let offset = [record * STRIDE];
                for (kernel, group, threads) in dispatches.into_iter().flatten() {
                    let name = stage.name();
                    match &mut timer {
                        Some(t) => commands.run_timed(t, name, kernel, group, &offset, threads),
                        None => commands.run(kernel, group, &offset, threads),
                    }
                }
            }
        }
        self.dispatched += u64::from(commands.dispatch_count());
        commands.submit();
    }

    /// Looks at the flags once everything is done.
    async fn finish(&mut self) -> Result<(), Trouble> {
        // Whatever it was, substeps may be missing.
        let flags = self.arrays.flags.fetch().await;
        let flags = flags.map_err(|e| Trouble::Device(e.to_string()))?;
        let [substep, slot, far, saturated] = flags[..] else { return Ok(()) };
        self.wandered |= far != 0;
        self.saturated += u64::from(saturated);
        if substep == u32::MAX {
            return Ok(());
        }
        let vertex = self.layout.vertex_of[slot as usize];
        Err(Trouble::Blowup(Blowup { substep: u64::from(substep), vertex }))
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

fn updates_per_substep(job: &Advance<'_>) -> usize {
    let is_update = |p: &&Phase| matches!(p, Phase::Update(_));
    plan(job.world.integrator).iter().filter(is_update).count()
}
