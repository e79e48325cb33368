//! The GPU backend: a model resident on a device, stepped by kernels.
//!
//! # Theory
//!
//! A step is the list of passes in [`crate::step`]; each pass is one kernel, and what it writes the
//! next one sees. Many substeps are recorded into one submission. Nothing comes back meanwhile: a
//! kernel that finds a vertex out of bounds raises a flag that makes all later substeps do nothing,
//! and the host looks at it when the run is over.
//!
//! # Practice
//!
//! [`layout`] decides where vertices and elements lie, [`arrays`] holds the buffers, the stages' own
//! `gpu.rs` files make and bind their kernels, and [`GpuBackend`] records them in order. It offers
//! what [`super::cpu::Cpu`] offers. Reading never fails outright: when the device is gone, what was
//! last copied to the host is given instead, and the failure is kept for the next step to report.

pub mod arrays;
#[cfg(test)]
mod buffers;
pub mod count;
mod course;
pub mod layout;
pub mod library;
mod measured;
mod mirror;
mod output;
pub mod record;
mod rescue;
mod rest;
mod run;
pub mod shift;
pub mod shown;
mod size;
#[cfg(test)]
pub(crate) mod tests;
mod timing;

use std::sync::{Mutex, OnceLock};

use pliant_gpu::{Buffer, Commands, Gpu, GpuError};

use super::Moment;
use crate::backend::cpu::{Advance, is_mixed};
use crate::model::Model;
use crate::scene::{Accumulation, Integrator, World};
use crate::stages::elastic::gpu::{Elastic, strategy_for};
use crate::stages::implicit::Solved;
use crate::stages::implicit::gpu::Solver;
use crate::stages::integrate::gpu::Updates;
use crate::stages::integrate::{keeps_acceleration, keeps_forces, memory_count};
use crate::stages::plasticity::gpu::Yielding;
use crate::stages::touch::gpu::TouchForces;
use arrays::{Arrays, CLEAR};
use layout::{Layout, NONE};
pub(crate) use measured::made;
use mirror::Mirror;
use record::{Sizes, Step};
use rescue::Rescue;
use size::Needs;
use timing::Timing;

/// A model resident on a device.
pub struct GpuBackend {
    gpu: Gpu,
    layout: Layout,
    sizes: Sizes,
    arrays: Arrays,
    asked: Accumulation,
    elastic: Elastic,
    updates: Updates,
    /// What implicit steps need, once there are any.
    solver: Option<Solver>,
    touch: Option<TouchForces>,
    yielding: Option<Yielding>,
    saved: Option<Saved>,
    frames: Vec<[u32; 4]>,
    /// Whether a body may have left its origin far behind.
    wandered: bool,
    saturated: u64,
    /// Kernels recorded by steps so far.
    dispatched: u64,
    /// The clock that stages were timed with, if they ever were.
    timing: Option<Timing>,
    rescue: Rescue,
    /// The present on the host, if somebody had it copied there.
    mirror: Option<Mirror>,
    outputs: measured::Outputs,
    shifting: OnceLock<shift::Shifting>,
    failure: Mutex<Option<GpuError>>,
}

/// Copies to go back to.
struct Saved {
    /// Of [`Arrays::state`].
    state: Vec<Buffer<[f32; 4]>>,
    /// Rest lengths and volume coefficients, once something could have yielded.
    rest: Option<(Buffer<f32>, Buffer<[f32; 2]>)>,
}

impl GpuBackend {
    /// Puts a model on a device, for the integrator and the strategy of `world`.
    pub fn new(gpu: &Gpu, model: &Model, world: &World) -> Result<Self, GpuError> {
        let needs = Needs::new(model, world);
        needs.check(world.accumulation, size::binding_limit(gpu))?;
        Self::laid_out(gpu, model, world, &needs).map_err(|e| needs.explained(e, gpu.memory_left()))
    }

    fn laid_out(gpu: &Gpu, model: &Model, world: &World, needs: &Needs) -> Result<Self, GpuError> {
        let layout = Layout::new(model);
        let sizes = Sizes::of(model, &layout);
        let mut arrays = Arrays::new(gpu, model, &layout)?;
        let asked = world.accumulation;
        let strategy = needs.fitting(strategy_for(asked, &layout), size::binding_limit(gpu));
        let elastic = Elastic::new(gpu, strategy, model, &layout, &arrays)?;
        arrays.memory.grow(memory_count_of(model, world) * sizes.slots)?;
        let updates = Updates::new(gpu, world.integrator, &elastic, &arrays)?;
        let mut backend = Self {
            gpu: gpu.clone(),
            layout,
            sizes,
            arrays,
            asked,
            elastic,
            updates,
            solver: None,
            touch: None,
            yielding: None,
            saved: None,
            frames: Vec::new(),
            wandered: true,
            saturated: 0,
            dispatched: 0,
            timing: None,
            rescue: Rescue::new(),
            mirror: None,
            outputs: measured::Outputs::default(),
            shifting: OnceLock::new(),
            failure: Mutex::new(None),
        };
        backend.prepare_solver(model, world, false)?;
        Ok(backend)
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// How forces are added up.
    pub fn strategy(&self) -> Accumulation {
        self.elastic.strategy()
    }

    /// Where vertices and elements lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The buffers: for drawing, and for tests.
    pub fn arrays(&self) -> &Arrays {
        &self.arrays
    }

    /// Forces that did not fit their fixed-point range so far.
    pub fn saturated_count(&self) -> u64 {
        self.saturated
    }

    /// Bytes held on the device.
    pub fn bytes(&self) -> usize {
        let saved = self.saved.as_ref().map_or(0, |s| {
            let rest = s.rest.as_ref().map_or(0, |(l, v)| l.bytes() + v.bytes());
            s.state.iter().map(Buffer::bytes).sum::<u64>() + rest
        });
        let touch = self.touch.as_ref().map_or(0, TouchForces::bytes);
        let yielding = self.yielding.as_ref().map_or(0, Yielding::bytes);
        let solver = self.solver.as_ref().map_or(0, Solver::bytes);
        let stages = self.elastic.bytes() + touch + yielding + solver + self.outputs.bytes();
        (self.arrays.bytes() + stages + saved + self.rescue.bytes()) as usize
    }

    /// Takes over a state (vertices and tetrahedra in model order).
    pub fn upload(&mut self, model: &Model, moment: &Moment) -> Result<(), GpuError> {
        self.present_changes();
        self.prepare_world(model, &moment.world)?;
        let state = &moment.state;
        let by_slot = |of: &dyn Fn(usize) -> [f32; 4]| -> Vec<[f32; 4]> {
            let vertex = |&v: &u32| if v == NONE { [0.0; 4] } else { of(v as usize) };
            self.layout.vertex_of.iter().map(vertex).collect()
        };
        let with = |v: [f32; 3], w: f32| [v[0], v[1], v[2], w];
        let free = |v: usize| if model.inv_mass[v] > 0.0 { 1.0 } else { 0.0 };
        let a = &self.arrays;
        a.position.write(0, &by_slot(&|v| with(state.position[v], model.mass[v])));
        a.low.write(0, &by_slot(&|v| with(state.position_low[v], free(v))));
        a.velocity.write(0, &by_slot(&|v| with(state.velocity[v], model.inv_mass[v])));
        if !state.force.is_empty() {
            a.force.write(0, &by_slot(&|v| with(state.force[v], 0.0)));
        }
        if !a.memory.is_empty() {
            let zeros = vec![[0.0f32; 4]; a.memory.len()];
            a.memory.write(0, &zeros);
            if !state.last_acceleration.is_empty() {
                a.memory.write(0, &by_slot(&|v| with(state.last_acceleration[v], 0.0)));
            }
        }
        a.flags.write(0, &CLEAR);
        self.upload_rest(model, state.rest_shapes.as_deref())?;
        self.wandered = true;
        self.rescue.keep(moment.clone());
        self.gpu.check()
    }

    /// Computes the forces that the first step of velocity Verlet or Beeman starts from.
    pub fn compute_forces(&mut self) -> Result<(), GpuError> {
        let mut commands = self.gpu.commands("forces");
        self.record_forces(&mut commands);
        commands.submit();
        self.gpu.check()
    }

    /// Records the elastic forces at the present positions, into the array of forces.
    fn record_forces(&self, commands: &mut Commands) {
        self.arrays.flags.write(0, &CLEAR);
        self.arrays.records.write(0, &[Step::still(&self.sizes).record()]);
        self.elastic.run(commands, 0);
        self.updates.collect(commands, 0);
    }

    /// Keeps a copy of the state, on the device, to go back to.
    pub fn snapshot(&mut self) -> Result<(), GpuError> {
        let (gpu, a) = (&self.gpu, &self.arrays);
        let lengths = a.state().map(Buffer::len);
        if !self.saved.as_ref().is_some_and(|s| s.state.iter().map(Buffer::len).eq(lengths)) {
            let room = |live: &Buffer<_>| gpu.zeros(&format!("saved {}", live.label()), live.len());
            let state = a.state().into_iter().map(room).collect::<Result<_, _>>()?;
            self.saved = Some(Saved { state, rest: None });
        }
        if let Some(saved) = &mut self.saved {
            saved.prepare_rest(gpu, self.yielding.as_ref(), a)?;
        }
        self.copy_saved(false);
        self.gpu.check()
    }

    /// Goes back to the last snapshot.
    pub fn restore(&mut self) -> Result<(), GpuError> {
        self.present_changes();
        self.copy_saved(true);
        self.arrays.flags.write(0, &CLEAR);
        match self.saved.as_ref().is_some_and(|s| s.rest.is_some()) {
            true => self.merge_all(),
            false => self.forget_rest(),
        }
        if self.strategy() == Accumulation::EdgeScatter {
            // What a frozen step left behind must not be added to the next.
            let mut commands = self.gpu.commands("restore");
            commands.clear(&self.elastic.parts);
            commands.submit();
        }
        self.gpu.check()
    }

    fn copy_saved(&self, back: bool) {
        let Some(saved) = &self.saved else { return };
        let mut commands = self.gpu.commands("snapshot");
        for (live, kept) in self.arrays.state().into_iter().zip(&saved.state) {
            rest::exchange(&mut commands, live, kept, back);
        }
        if let (Some(yielding), Some((lengths, volumes))) = (&self.yielding, &saved.rest) {
            rest::exchange(&mut commands, &yielding.lengths, lengths, back);
            rest::exchange(&mut commands, &self.arrays.volumes, volumes, back);
        }
        commands.submit();
    }

    /// Makes kernels and room for a job whose submissions have at most `batch` substeps.
    fn prepare(&mut self, model: &Model, job: &Advance<'_>, batch: u64) -> Result<(), GpuError> {
        let world = job.world;
        self.prepare_world(model, world)?;
        if world.plasticity > 0.0 {
            self.start_yielding(model)?;
        }
        match job.touches.is_empty() {
            true => Ok(()),
            false => self.prepare_touch(model, job, batch),
        }
    }

    /// Makes kernels and room for the integrator and the strategy of `world`.
    fn prepare_world(&mut self, model: &Model, world: &World) -> Result<(), GpuError> {
        let strategy_changed = world.accumulation != self.asked;
        if strategy_changed {
            let limit = size::binding_limit(&self.gpu);
            let needs = Needs::new(model, world);
            needs.check(world.accumulation, limit)?;
            let strategy = needs.fitting(strategy_for(world.accumulation, &self.layout), limit);
            self.elastic = Elastic::new(&self.gpu, strategy, model, &self.layout, &self.arrays)?;
            self.asked = world.accumulation;
        }
        let grown = self.arrays.memory.grow(memory_count_of(model, world) * self.sizes.slots)?;
        if strategy_changed || grown || self.updates.integrator != world.integrator {
            self.updates = Updates::new(&self.gpu, world.integrator, &self.elastic, &self.arrays)?;
        }
        self.prepare_solver(model, world, grown)
    }

    /// Makes what implicit steps need, if any are taken, for the bodies that take them; binds it again
    /// if an array was replaced.
    fn prepare_solver(
        &mut self,
        model: &Model,
        world: &World,
        is_replaced: bool,
    ) -> Result<(), GpuError> {
        let is_mixed = is_mixed(model, world);
        let is_wanted = is_mixed || world.integrator == Integrator::ImplicitEuler;
        let is_there = self.solver.as_ref().is_some_and(|s| s.is_mixed == is_mixed);
        if is_wanted && !is_there {
            let (gpu, layout, arrays) = (&self.gpu, &self.layout, &self.arrays);
            self.solver = Some(Solver::new(gpu, model, layout, arrays, is_mixed)?);
        } else if let (Some(solver), true) = (&mut self.solver, is_replaced) {
            solver.rebind(&self.gpu, &self.arrays);
        }
        Ok(())
    }

    fn prepare_touch(
        &mut self,
        model: &Model,
        job: &Advance<'_>,
        batch: u64,
    ) -> Result<(), GpuError> {
        let (gpu, arrays) = (&self.gpu, &mut self.arrays);
        if arrays.touch.len() < self.sizes.slots {
            arrays.touch = gpu.zeros("touch", self.sizes.slots)?;
            self.updates.rebind(gpu, &self.elastic, arrays);
            self.solver.iter_mut().for_each(|s| s.rebind(gpu, arrays));
        }
        if self.touch.is_none() {
            self.touch = Some(TouchForces::new(gpu, model, &self.layout, arrays)?);
        }
        if let Some(touch) = &mut self.touch {
            touch.prepare(gpu, &self.layout, arrays, job, batch)?;
        }
        Ok(())
    }

    /// What kept the device from answering, if anything did.
    pub fn take_failure(&mut self) -> Option<GpuError> {
        self.failure.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }

    fn fail(&self, error: GpuError) {
        let mut failure = self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        failure.get_or_insert(error);
    }

    /// Whether the state of `world`'s integrator includes forces and accelerations.
    fn carries(&self, world: &World) -> (bool, bool) {
        let has_implicit = self.layout.is_implicit.contains(&true);
        (keeps_forces(world.integrator), keeps_acceleration(world.integrator) || has_implicit)
    }

    /// The solver of implicit steps, for tests.
    #[cfg(test)]
    pub(crate) fn solver(&self) -> Option<&Solver> {
        self.solver.as_ref()
    }

    /// The same, for tests that change what it expects.
    #[cfg(test)]
    pub(crate) fn solver_mut(&mut self) -> Option<&mut Solver> {
        self.solver.as_mut()
    }

    /// What came of implicit steps since the last call.
    pub fn take_solved(&mut self) -> Solved {
        self.solver.as_mut().map_or_else(Solved::default, Solver::take_solved)
    }
}

/// How many memory arrays the bodies of a model need: the integrator's, and that of implicit steps.
fn memory_count_of(model: &Model, world: &World) -> usize {
    memory_count(world.integrator).max(usize::from(model.has_implicit_bodies()))
}
