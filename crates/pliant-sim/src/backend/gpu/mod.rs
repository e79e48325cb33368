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
//! [`crate::stages::gpu`] decides where vertices and elements lie and holds the buffers, the stages' own
//! `gpu.rs` files make and bind their kernels, and [`GpuBackend`] records them in order. Reading never fails outright: when the device is gone, what was
//! last copied to the host is given instead, and the failure is kept for the next step to report.

mod contact;
pub mod count;
mod engine;
mod hand_over;
mod measured;
mod mirror;
mod output;
mod rescue;
mod rest;
mod run;
pub mod shift;
pub mod shown;
mod size;
mod step_plan;
#[cfg(test)]
pub(crate) mod tests;
mod timing;

use std::sync::{Mutex, OnceLock};

use pliant_gpu::{Buffer, Commands, Gpu, GpuError};

use super::RestorePoint;
use crate::model::{Family, Model};
use crate::scene::{Accumulation, World};
use crate::stages::air::gpu::Blowing;
use crate::stages::bending::gpu::Bending;
use crate::stages::colliders::gpu::Uniforms;
use crate::stages::contact::{self as touching, Anchor};
use crate::stages::elastic::gpu::{Elastic, accumulation_of, strategy_for};
use crate::stages::gpu::arrays::{Arrays, CLEAR};
use crate::stages::gpu::layout::{Layout, NONE};
use crate::stages::gpu::record::{Sizes, Step};
use crate::stages::implicit::SolverReport;
use crate::stages::implicit::gpu::Solver;
use crate::stages::integrate::gpu::Updates;
use crate::stages::integrate::{history_count, keeps_acceleration, keeps_forces};
use crate::stages::pins::gpu::Leading;
use crate::stages::plasticity::gpu::Yielding;
use crate::stages::seams::gpu::Sewing;
use crate::stages::shapes::gpu::Matching;
use crate::stages::strain::gpu::Limiting;
use crate::stages::touch::Touch;
use crate::stages::touch::gpu::TouchForces;
use crate::step::{Advance, Need};
use mirror::Mirror;
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
    /// The hinges, if there are any.
    bending: Option<Bending>,
    updates: Updates,
    /// Where colliders are, if there are any.
    colliders: Option<Uniforms>,
    /// Vertices that are led, if there are any.
    pins: Option<Leading>,
    /// Edges with limits, if there are any.
    limiting: Option<Limiting>,
    /// Clusters that are drawn back to their shapes, if there are any.
    matching: Option<Matching>,
    /// What is sewn, if anything is.
    sewing: Option<Sewing>,
    /// What implicit steps need, once there are any.
    solver: Option<Solver>,
    touch: Option<TouchForces>,
    /// The air, once there is any.
    air: Option<Blowing>,
    /// Surfaces that touch, where they may.
    contact: Option<touching::gpu::Contacts>,
    /// Where contacts hold on, until they are laid out.
    anchors: Vec<Anchor>,
    yielding: Option<Yielding>,
    saved: Option<Saved>,
    body_constants: Vec<[u32; 4]>,
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
    #[cfg(test)]
    drill: Option<crate::stages::drill::gpu::Drilling>,
    /// A stage that does nothing, so that tests can look for it.
    #[cfg(test)]
    pub(crate) broken: Option<crate::step::Stage>,
}

/// Copies to go back to.
struct Saved {
    /// Of [`Arrays::state`].
    state: Vec<Buffer<[f32; 4]>>,
    /// Rest lengths and volume coefficients, once something could have yielded.
    rest: Option<(Buffer<f32>, Buffer<[f32; 2]>)>,
    /// What contacts hold on to.
    contact: Option<touching::gpu::Saved>,
    /// What clusters had become.
    clusters: Option<Buffer<[f32; 4]>>,
    /// What sewn pairs were.
    seams: Option<Buffer<u32>>,
}

impl GpuBackend {
    /// Puts a model on a device, for the integrator and the strategy of `world`.
    pub fn new(gpu: &Gpu, model: &Model, world: &World) -> Result<Self, GpuError> {
        let needs = Needs::new(model, world);
        needs.check(accumulation_of(model, world), size::binding_limit(gpu))?;
        Self::laid_out(gpu, model, world, &needs).map_err(|e| needs.explained(e, gpu.memory_left()))
    }

    fn laid_out(gpu: &Gpu, model: &Model, world: &World, needs: &Needs) -> Result<Self, GpuError> {
        let layout = Layout::new(model);
        let sizes = Sizes::of(model, &layout);
        let mut arrays = Arrays::new(gpu, model, &layout)?;
        let asked = accumulation_of(model, world);
        let strategy = needs.fitting(strategy_for(asked, &layout), size::binding_limit(gpu));
        let elastic = Elastic::new(gpu, strategy, model, &layout, &arrays)?;
        let bending = Bending::new(gpu, &layout, &arrays)?;
        arrays.history.grow(history_count_of(model, world) * sizes.slots)?;
        let colliders = Uniforms::new(gpu, model, &layout)?;
        let collected = (world, collects(model, world));
        let updates = Updates::new(gpu, collected, &elastic, &arrays, colliders.as_ref())?;
        let pins = Leading::new(gpu, &model.pins, &layout, &arrays)?;
        let limiting = Limiting::new(gpu, &model.limits, &layout, &arrays)?;
        let matching = Matching::new(gpu, &model.shapes, &layout, &arrays)?;
        let sewing = Sewing::new(gpu, &model.seams, &layout, &arrays)?;
        let mut backend = Self {
            gpu: gpu.clone(),
            layout,
            sizes,
            arrays,
            asked,
            elastic,
            bending,
            updates,
            colliders,
            pins,
            limiting,
            matching,
            sewing,
            solver: None,
            touch: None,
            air: None,
            contact: None,
            anchors: Vec::new(),
            yielding: None,
            saved: None,
            body_constants: Vec::new(),
            wandered: true,
            saturated: 0,
            dispatched: 0,
            timing: None,
            rescue: Rescue::new(),
            mirror: None,
            outputs: measured::Outputs::default(),
            shifting: OnceLock::new(),
            failure: Mutex::new(None),
            #[cfg(test)]
            drill: None,
            #[cfg(test)]
            broken: None,
        };
        backend.prepare_solver(model, world, false)?;
        backend.prepare_contact(model, world)?;
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
            let contact = s.contact.as_ref().map_or(0, touching::gpu::Saved::bytes);
            let clusters = s.clusters.as_ref().map_or(0, Buffer::bytes);
            let seams = s.seams.as_ref().map_or(0, Buffer::bytes);
            s.state.iter().map(Buffer::bytes).sum::<u64>() + rest + contact + clusters + seams
        });
        let touch = self.touch.as_ref().map_or(0, TouchForces::bytes);
        let yielding = self.yielding.as_ref().map_or(0, Yielding::bytes);
        let solver = self.solver.as_ref().map_or(0, Solver::bytes);
        let colliders = self.colliders.as_ref().map_or(0, Uniforms::bytes);
        let contact = self.contact.as_ref().map_or(0, touching::gpu::Contacts::bytes);
        let bending = self.bending.as_ref().map_or(0, Bending::bytes);
        let pins = self.pins.as_ref().map_or(0, Leading::bytes);
        let air = self.air.as_ref().map_or(0, Blowing::bytes);
        let limiting = self.limiting.as_ref().map_or(0, Limiting::bytes);
        let matching = self.matching.as_ref().map_or(0, Matching::bytes);
        let sewing = self.sewing.as_ref().map_or(0, Sewing::bytes);
        let own = touch + air + yielding + solver + colliders + contact + bending + pins + limiting;
        let stages = self.elastic.bytes() + own + matching + sewing + self.outputs.bytes();
        (self.arrays.bytes() + stages + saved + self.rescue.bytes()) as usize
    }

    /// Takes over a state (vertices and tetrahedra in model order).
    pub fn upload(&mut self, model: &Model, restore_point: &RestorePoint) -> Result<(), GpuError> {
        self.present_changes();
        self.prepare_world(model, &restore_point.world)?;
        let state = &restore_point.state;
        let by_slot = |of: &dyn Fn(usize) -> [f32; 4]| -> Vec<[f32; 4]> {
            let vertex = |&v: &u32| if v == NONE { [0.0; 4] } else { of(v as usize) };
            self.layout.vertex_of.iter().map(vertex).collect()
        };
        let with = |v: [f32; 3], w: f32| [v[0], v[1], v[2], w];
        let free = |v: usize| if model.inv_mass[v] > 0.0 { 1.0 } else { 0.0 };
        let a = &self.arrays;
        a.position.write(0, &by_slot(&|v| with(state.position[v], model.mass[v])));
        a.compensation.write(0, &by_slot(&|v| with(state.position_compensation[v], free(v))));
        a.velocity.write(0, &by_slot(&|v| with(state.velocity[v], model.inv_mass[v])));
        if !state.force.is_empty() {
            a.force.write(0, &by_slot(&|v| with(state.force[v], 0.0)));
        }
        if !a.history.is_empty() {
            let zeros = vec![[0.0f32; 4]; a.history.len()];
            a.history.write(0, &zeros);
            if !state.last_acceleration.is_empty() {
                a.history.write(0, &by_slot(&|v| with(state.last_acceleration[v], 0.0)));
            }
        }
        a.flags.write(0, &CLEAR);
        self.upload_rest(model, state.rest_shapes.as_deref())?;
        self.load_anchors(&state.anchors)?;
        if let Some(matching) = &self.matching {
            matching.load(&model.shapes, &state.clusters, &state.position);
        }
        if let Some(sewing) = &self.sewing {
            sewing.load(&model.seams, (&self.layout, &self.arrays), &state.seams);
        }
        self.wandered = true;
        self.rescue.keep(restore_point.clone());
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
        self.bending.iter().for_each(|bending| bending.run(commands, 0));
        self.updates.collect(commands, 0);
    }

    /// Keeps a copy of the state, on the device, to go back to.
    pub fn snapshot(&mut self) -> Result<(), GpuError> {
        let (gpu, a) = (&self.gpu, &self.arrays);
        let lengths = a.state().map(Buffer::len);
        if !self.saved.as_ref().is_some_and(|s| s.state.iter().map(Buffer::len).eq(lengths)) {
            let room = |live: &Buffer<_>| gpu.zeros(&format!("saved {}", live.label()), live.len());
            let state = a.state().into_iter().map(room).collect::<Result<_, _>>()?;
            self.saved =
                Some(Saved { state, rest: None, contact: None, clusters: None, seams: None });
        }
        if let Some(saved) = &mut self.saved {
            saved.prepare_rest(gpu, self.yielding.as_ref(), a)?;
            saved.prepare_contact(self.contact.as_ref())?;
            if let (Some(matching), None) = (&self.matching, &saved.clusters) {
                let room = gpu.zeros("saved states of clusters", matching.states.len())?;
                saved.clusters = Some(room);
            }
            if let (Some(sewing), None) = (&self.sewing, &saved.seams) {
                saved.seams = Some(gpu.zeros("saved sewn pairs", sewing.statuses.len())?);
            }
        }
        self.copy_saved(false);
        self.gpu.check()
    }

    /// Goes back to the last snapshot.
    pub fn restore(&mut self) -> Result<(), GpuError> {
        self.present_changes();
        self.copy_saved(true);
        if let (Some(contact), Some(saved)) =
            (&mut self.contact, self.saved.as_ref().and_then(|saved| saved.contact.as_ref()))
        {
            contact.go_back(saved);
        }
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
        if let (Some(matching), Some(kept)) = (&self.matching, &saved.clusters) {
            rest::exchange(&mut commands, &matching.states, kept, back);
        }
        if let (Some(sewing), Some(kept)) = (&self.sewing, &saved.seams) {
            rest::exchange(&mut commands, &sewing.statuses, kept, back);
        }
        if let (Some(contact), Some(saved), false) = (&self.contact, &saved.contact, back) {
            contact.save(&mut commands, saved);
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
        #[cfg(test)]
        self.prepare_drill(model, job)?;
        if world.wind.is_some() {
            self.prepare_air(model)?;
        }
        match job.is_touched() {
            false => Ok(()),
            true => {
                let moments = batch.min(job.count) as usize;
                self.prepare_touch(model, (job.touches, job.origins), moments)
            }
        }
    }

    /// Makes kernels and room for the integrator and the strategy of `world`.
    fn prepare_world(&mut self, model: &Model, world: &World) -> Result<(), GpuError> {
        let asked = accumulation_of(model, world);
        let strategy_changed = asked != self.asked;
        if strategy_changed {
            let limit = size::binding_limit(&self.gpu);
            let needs = Needs::new(model, world);
            needs.check(asked, limit)?;
            let strategy = needs.fitting(strategy_for(asked, &self.layout), limit);
            self.elastic = Elastic::new(&self.gpu, strategy, model, &self.layout, &self.arrays)?;
            self.asked = asked;
        }
        let grown = self.arrays.history.grow(history_count_of(model, world) * self.sizes.slots)?;
        let is_other = self.updates.integrator != world.integrator
            || self.updates.is_collected != collects(model, world);
        if strategy_changed || grown || is_other {
            let (gpu, colliders) = (&self.gpu, self.colliders.as_ref());
            let (elastic, arrays) = (&self.elastic, &self.arrays);
            let world = (world, collects(model, world));
            self.updates = Updates::new(gpu, world, elastic, arrays, colliders)?;
        }
        self.prepare_contact(model, world)?;
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
        let of_world = Family::of(world.integrator);
        let is_wanted = model.families(world).contains(Family::Implicit);
        let is_there = self.solver.as_ref().is_some_and(|s| s.of_world == of_world);
        if is_wanted && !is_there {
            let (gpu, layout, arrays) = (&self.gpu, &self.layout, &self.arrays);
            let (colliders, bending) = (self.colliders.as_ref(), self.bending.as_ref());
            let solver = Solver::new(gpu, model, layout, arrays, colliders, bending, of_world)?;
            self.solver = Some(solver);
        } else if let (Some(solver), true) = (&mut self.solver, is_replaced) {
            solver.rebind(&self.gpu, &self.arrays, self.colliders.as_ref());
        }
        Ok(())
    }

    /// Makes room for forces of hands and of the air.
    fn make_room_for_loads(&mut self) -> Result<(), GpuError> {
        let (gpu, arrays) = (&self.gpu, &mut self.arrays);
        if arrays.touch.len() < self.sizes.slots {
            arrays.touch = gpu.zeros("touch", self.sizes.slots)?;
            let colliders = self.colliders.as_ref();
            self.updates.rebind(gpu, &self.elastic, arrays, colliders);
            self.solver.iter_mut().for_each(|s| s.rebind(gpu, arrays, colliders));
            self.contact.iter_mut().for_each(|contact| contact.rebind(arrays));
        }
        Ok(())
    }

    fn prepare_air(&mut self, model: &Model) -> Result<(), GpuError> {
        self.make_room_for_loads()?;
        if self.air.is_none() {
            self.air = Some(Blowing::new(&self.gpu, model, &self.layout, &self.arrays)?);
        }
        Ok(())
    }

    fn prepare_touch(
        &mut self,
        model: &Model,
        hands: (&[Touch], &[[f64; 3]]),
        moments: usize,
    ) -> Result<(), GpuError> {
        self.make_room_for_loads()?;
        let (gpu, arrays) = (&self.gpu, &self.arrays);
        if self.touch.is_none() {
            self.touch = Some(TouchForces::new(gpu, model, &self.layout, arrays)?);
        }
        if let Some(touch) = &mut self.touch {
            touch.prepare(gpu, &self.layout, arrays, hands, moments)?;
        }
        Ok(())
    }

    #[cfg(test)]
    fn prepare_drill(&mut self, model: &Model, job: &Advance<'_>) -> Result<(), GpuError> {
        use crate::stages::drill::gpu::Drilling;
        let Some(drill) = model.drill else { return Ok(()) };
        if self.drill.is_none() {
            self.drill = Some(Drilling::new(&self.gpu, &self.arrays)?);
        }
        let (gpu, arrays, list) = (&self.gpu, &self.arrays, &mut self.drill);
        list.as_mut().map_or(Ok(()), |list| list.prepare(gpu, arrays, drill, job))
    }

    /// Makes room for what a paused stretch needs.
    pub fn make_room(&mut self, need: Need) -> Result<(), GpuError> {
        match need.stage {
            #[cfg(test)]
            crate::step::Stage::Drill => match &mut self.drill {
                Some(drill) => drill.make_room(&self.gpu, &self.arrays, need.entries),
                None => Ok(()),
            },
            stage => unreachable!("{} fills no list", stage.name()),
        }
    }

    /// The force of some touches together at the present positions, without the drags' damping \[N\], where
    /// bodies have these origins.
    pub async fn touch_force(
        &mut self,
        model: &Model,
        hands: (&[Touch], &[[f64; 3]]),
    ) -> Result<[f64; 3], GpuError> {
        self.prepare_touch(model, hands, 1)?;
        match &mut self.touch {
            Some(touch) => touch.total(&self.gpu, &self.layout, &self.arrays, hands).await,
            None => Ok([0.0; 3]),
        }
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
        let has_implicit = self.layout.families.contains(&Some(Family::Implicit));
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
    pub fn take_solver_report(&mut self) -> SolverReport {
        self.solver.as_mut().map_or_else(SolverReport::default, Solver::take_solver_report)
    }
}

/// Whether somebody looks at forces before the update that follows them.
fn collects(model: &Model, world: &World) -> bool {
    world.contact.is_some() || !model.seams.is_empty()
}

/// How many history arrays the bodies of a model need: the integrator's, and that of implicit steps.
fn history_count_of(model: &Model, world: &World) -> usize {
    history_count(world.integrator).max(usize::from(model.asks_for(Family::Implicit)))
}
