//! A run on a device some of whose stages the processor does, to find out which stage two backends
//! differ in.
//!
//! Between two steps the state is on the device. In a substep, whatever stages hand to each other goes to
//! where the next one runs and back, as a whole: that is slow, and knows nothing of any stage.

use std::borrow::Cow;
use std::time::Duration;

use super::cpu::Cpu;
use super::engine::Later;
use super::gpu::GpuBackend;
use super::{Engine, RestorePoint, StageTimes, Trouble};
use crate::model::Model;
use crate::pool::Threads;
use crate::scene::{Accumulation, World};
use crate::stages::colliders::Contact;
use crate::stages::implicit::SolverReport;
use crate::stages::measure::{self, Elements, Sums};
use crate::stages::plasticity::RestShape;
use crate::stages::stress::Stress;
use crate::state::State;
use crate::step::{Advance, Need, Pass, Places, Stage, program_of};
use pliant_gpu::{Gpu, GpuError};

/// A model on a device and on the processor.
pub struct Split {
    /// Has the state between two steps.
    pub(crate) device: Box<GpuBackend>,
    cpu: Box<Cpu>,
    /// What the processor does, of [`Stage::MOVABLE`].
    on_cpu: Vec<Stage>,
}

/// Consecutive stages of a substep, and whether the processor does them.
type Part = (bool, Places);

impl Split {
    /// Puts a model on both.
    pub(crate) fn new(
        gpu: &Gpu,
        model: &Model,
        world: &World,
        threads: Threads,
        on_cpu: &[Stage],
    ) -> Result<Self, GpuError> {
        let device = Box::new(GpuBackend::new(gpu, model, &gathering(world))?);
        let cpu = Box::new(Cpu::new(model, threads));
        Ok(Self { device, cpu, on_cpu: on_cpu.iter().map(|stage| stage.goes_with()).collect() })
    }

    /// The parts of a substep.
    fn parts(&self, passes: &[Pass]) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (first, stage) in passes.iter().flat_map(|pass| &pass.stages).enumerate() {
            let (is_on_cpu, end) = (self.on_cpu.contains(&stage.goes_with()), first + 1);
            match parts.last_mut() {
                Some((side, places)) if *side == is_on_cpu => places.end = end,
                _ => parts.push((is_on_cpu, Places { first, end })),
            }
        }
        parts
    }

    async fn run(&mut self, model: &Model, job: &Advance<'_>) -> Result<(), Trouble> {
        let world = gathering(job.world);
        let parts = self.parts(&program_of(model, &world));
        for done in job.done..job.count {
            for &(is_on_cpu, places) in &parts {
                let world = &world;
                let part =
                    Advance { world, done, count: done + 1, places, is_timed: false, ..*job };
                match is_on_cpu {
                    true => self.run_on_cpu(model, &part)?,
                    false => self.device.advance(model, &part).await?,
                }
            }
        }
        Ok(())
    }

    /// Lets the processor do a part of a substep. One that pauses has written nothing, so that the state
    /// on the device is the present one.
    fn run_on_cpu(&mut self, model: &Model, part: &Advance<'_>) -> Result<(), Trouble> {
        let lost = |error: GpuError| Trouble::Device(error.to_string());
        self.cpu.take_over(model, &self.device.hand_over(model, part.world).map_err(lost)?);
        self.cpu.advance(model, part)?;
        self.device.take_over(model, part, &self.cpu.hand_over()).map_err(lost)
    }
}

/// A world whose forces are where the stages of another backend look for them, and not in parts.
fn gathering(world: &World) -> World {
    World { accumulation: Accumulation::Gather, ..world.clone() }
}

impl Engine for Split {
    fn name(&self) -> String {
        let names: Vec<&str> = self.on_cpu.iter().map(|stage| stage.name()).collect();
        format!("{}, {} on the CPU", Engine::name(&*self.device), names.join(" and "))
    }

    fn bytes(&self) -> usize {
        self.device.bytes() + Engine::bytes(&*self.cpu)
    }

    fn upload(&mut self, model: &Model, restore_point: &RestorePoint) -> Result<(), Trouble> {
        let world = gathering(&restore_point.world);
        let restore_point = RestorePoint { world, ..restore_point.clone() };
        Engine::upload(&mut *self.cpu, model, &restore_point)?;
        Ok(self.device.upload(model, &restore_point)?)
    }

    fn download(&self, world: &World) -> Option<State> {
        Engine::download(&*self.device, world)
    }

    fn seams(&self) -> Vec<u8> {
        self.device.seams()
    }

    fn set_seams(&mut self, model: &Model, pairs: &[u8]) {
        self.device.set_seams(model, pairs);
    }

    fn compute_forces(&mut self) -> Result<(), Trouble> {
        if !self.on_cpu.contains(&Stage::Elastic) {
            return Engine::compute_forces(&mut *self.device);
        }
        // Asked for after an upload alone, so that both have the same state.
        self.cpu.compute_forces();
        self.device.take_forces(&self.cpu.hand_over().force);
        Ok(())
    }

    fn snapshot(&mut self) -> Result<(), Trouble> {
        Engine::snapshot(&mut *self.device)
    }

    fn restore(&mut self, model: &Model) -> Result<(), Trouble> {
        Engine::restore(&mut *self.device, model)
    }

    fn advance<'a>(
        &'a mut self,
        model: &'a Model,
        job: &'a Advance<'_>,
    ) -> Later<'a, Result<(), Trouble>> {
        Box::pin(self.run(model, job))
    }

    fn make_room(&mut self, need: Need) -> Result<(), String> {
        match self.on_cpu.contains(&need.stage.goes_with()) {
            true => self.cpu.make_room(need),
            false => Engine::make_room(&mut *self.device, need),
        }
    }

    fn take_solver_report(&mut self) -> SolverReport {
        let mut report = self.device.take_solver_report();
        report.add(&Engine::take_solver_report(&mut *self.cpu));
        report
    }

    fn positions(&self) -> Vec<[f32; 3]> {
        self.device.positions()
    }

    fn velocities(&self) -> Vec<[f32; 3]> {
        self.device.velocities()
    }

    fn internal_forces(&mut self, world: &World) -> Vec<[f32; 3]> {
        self.device.internal_forces(world)
    }

    fn contacts(&mut self) -> Later<'_, Vec<Contact>> {
        match [Stage::Integrate(0), Stage::Implicit].map(|stage| self.on_cpu.contains(&stage)) {
            [true, true] => Engine::contacts(&mut *self.cpu),
            [false, false] => Engine::contacts(&mut *self.device),
            // Whoever takes the steps of a body knows what stopped it.
            _ => Box::pin(async move {
                let mut all = Engine::contacts(&mut *self.device).await;
                let others = Engine::contacts(&mut *self.cpu).await;
                for (contact, other) in all.iter_mut().zip(others) {
                    if other[0][3] != 0.0 {
                        *contact = other;
                    }
                }
                all
            }),
        }
    }

    fn wanderers<'a>(&'a mut self, vertices: &'a [u32]) -> Later<'a, Option<Vec<[f32; 3]>>> {
        // Whoever integrates on the processor tells the device nothing of bodies that went far.
        Box::pin(async move { Some(self.device.positions_of(vertices).await) })
    }

    fn shift_body(&mut self, body: u32, shift: [f32; 3]) {
        self.device.shift_body(body, shift);
    }

    fn has_rest_shapes(&self) -> bool {
        self.device.has_rest_shapes()
    }

    fn rest_shapes(&self) -> Option<Cow<'_, [RestShape<f32>]>> {
        Engine::rest_shapes(&*self.device)
    }

    /// Nothing: most of the time goes to what is handed over.
    fn take_stage_times(&mut self) -> StageTimes {
        StageTimes::default()
    }

    fn mirror<'a>(&'a mut self, world: &'a World) -> Later<'a, Result<(), Trouble>> {
        Engine::mirror(&mut *self.device, world)
    }

    fn measured<'a>(
        &'a mut self,
        model: &'a Model,
        context: &'a measure::MeasureContext<'_>,
    ) -> Later<'a, Option<(Sums, Elements)>> {
        Engine::measured(&mut *self.device, model, context)
    }

    fn velocities_now(&mut self, context: &measure::MeasureContext<'_>) -> Option<Vec<[f32; 3]>> {
        Engine::velocities_now(&mut *self.device, context)
    }

    fn net_forces(&mut self, context: &measure::MeasureContext<'_>) -> Option<Vec<[f32; 3]>> {
        Engine::net_forces(&mut *self.device, context)
    }

    fn stress(&self, model: &Model) -> Option<Vec<Stress>> {
        Engine::stress(&*self.device, model)
    }

    fn trouble(&mut self) -> Option<Trouble> {
        self.device.trouble()
    }

    fn rescued(&self) -> Option<RestorePoint> {
        Engine::rescued(&*self.device)
    }

    fn rescued_step(&self) -> Option<u64> {
        Engine::rescued_step(&*self.device)
    }

    fn is_rescuing(&self) -> bool {
        Engine::is_rescuing(&*self.device)
    }

    fn set_rescue_interval(&mut self, interval: Option<Duration>) {
        Engine::set_rescue_interval(&mut *self.device, interval);
    }

    fn is_rescue_due(&mut self) -> bool {
        Engine::is_rescue_due(&mut *self.device)
    }

    fn request_rescue(&mut self, restore_point: RestorePoint) -> Result<(), Trouble> {
        Engine::request_rescue(&mut *self.device, restore_point)
    }

    fn rescue_went_back(&mut self, restore_point: RestorePoint) -> Later<'_, Result<(), Trouble>> {
        Engine::rescue_went_back(&mut *self.device, restore_point)
    }
}
