//! Implicit steps on a device.
//!
//! # Theory
//!
//! Conjugate gradients ask after each iteration whether it was the last one. A host that answers has
//! to wait for the device, every time. So the device answers: a *cycle* is always the same three
//! kernels (a product, what is done with it, a decision), and what they do depends on a phase that the
//! decision leaves on the device: looking at the guess, searching, checking the true residual, or
//! nothing at all once the end is reached. Sums have a fixed order, and how many cycles are recorded
//! changes no bit of the result.
//!
//! # Practice
//!
//! The host records as many cycles as recent steps needed, and some more. Should a system need even
//! more, the end of its step does not happen: it leaves a mark that freezes everything behind it, as a
//! diverged step does, and the host, which looks every few substeps, records further cycles of the same
//! search. Newton's iterations are *rounds*: a step along what the last system gave, forces and blocks
//! where it leads, a decision, and cycles for the next system; the same phases say what is due, and
//! kernels that do not read the phase only repeat what they did. `search.wgsl` has the phases, `vectors.wgsl` the
//! vectors, `decide.wgsl` the decisions.
//!
//! Where some bodies take explicit steps, the passes of those come first and only compute forces of the
//! others, which begin their step with them; the system leaves out all that is theirs.
//!
//! Walls hold components, colliders directions of any kind. Where there are none of the latter, kernels know
//! nothing of them: what is free and what holds is appended to a kernel in one of two ways (`kernels.rs`).
//!
//! Blocks belong to pairs and are stored once; every vertex gathers its product from the pairs in its
//! list. An invocation of its own for each pair and tetrahedron would need atomics.

mod bending;
mod kernels;

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Buffer, Commands, Gpu, GpuError, Kernel, WORKGROUP};

use super::pairs::{Pairs, has_full_blocks};
use super::{End, SolverReport};
use crate::model::{BodyModel, Family, Model};
use crate::stages::bending::gpu::Bending;
use crate::stages::colliders::gpu::Uniforms;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::Layout;
pub use bending::descriptions as bending_descriptions;
use bending::{BendingKernel, BendingSystem};
use kernels::{KERNEL_COUNT, SolverKernel, bind};
pub use kernels::{With, descriptions};

/// Vectors of a system, see vectors.wgsl.
pub const fn vector_count(has_colliders: bool) -> usize {
    if has_colliders { 20 } else { 13 }
}

/// Workgroups that sums are taken over at most, see sums.wgsl.
const MOST_GROUPS: usize = 1024;

/// Workgroups that sums over so many vertices are taken over.
pub(crate) fn sum_groups(slots: usize) -> usize {
    slots.div_ceil(WORKGROUP as usize).min(MOST_GROUPS)
}

/// Cycles that are recorded for a step while nothing is known.
const FIRST_CYCLES: u32 = 40;

/// Rounds of Newton's iterations that are recorded for a step while nothing is known.
const FIRST_ROUNDS: u32 = 4;

/// The last phase of a search, see search.wgsl.
const RESUME: u32 = 8;

/// How far the solution of a system has come, and what came of all since the host last asked: twin of
/// search.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[allow(missing_docs, reason = "documented in search.wgsl")]
pub struct Search {
    pub phase: u32,
    pub iterations: u32,
    pub cycle: u32,
    pub is_fresh: u32,
    pub rz: f32,
    pub beta: f32,
    pub reference: f32,
    pub goal: f32,
    pub last_true: f32,
    pub newton: u32,
    pub trial: u32,
    pub rounds: u32,
    pub is_balanced: u32,
    pub first: f32,
    pub balance: f32,
    pub downhill: f32,
    pub reached: f32,
    pub part_of_step: f32,
    pub revision: u32,
    pub so_far: u32,
    pub tolerance: f32,
    pub share: f32,
    pub has_prescribed: u32,
    pub substep: u32,
    pub systems: u32,
    pub all_iterations: u32,
    pub last_iterations: u32,
    pub unconverged: u32,
    pub residual: f32,
    pub worst_residual: f32,
    pub most_cycles: u32,
    pub unbalanced: u32,
    pub imbalance: f32,
    pub most_rounds: u32,
    pub limited: u32,
}

/// Words of a [`Search`], and the first one of those about all systems.
pub const SEARCH_WORDS: usize = size_of::<Search>() / 4;
const FIRST_TOTAL: usize = std::mem::offset_of!(Search, systems) / 4;

impl Search {
    /// What came of all systems.
    pub fn solver_report(&self) -> SolverReport {
        let mut report =
            SolverReport::one(self.last_iterations, f64::from(self.residual), End::Converged);
        report.systems = u64::from(self.systems);
        report.iterations = u64::from(self.all_iterations);
        report.worst_residual = f64::from(self.worst_residual);
        report.unconverged = u64::from(self.unconverged);
        report.limited = u64::from(self.limited);
        report.imbalance = f64::from(self.imbalance);
        report.unbalanced = u64::from(self.unbalanced);
        report
    }
}

/// The kernels of implicit steps, bound to a model's arrays, and what they alone need.
pub struct Solver {
    kernels: [Kernel; KERNEL_COUNT],
    groups: [BindGroup; KERNEL_COUNT],
    own: Own,
    /// What hinges add, if there are any.
    bending: Option<BendingSystem>,
    slots: usize,
    pair_count: usize,
    /// Whether there are colliders.
    has_colliders: bool,
    /// The family of bodies that ask for none.
    pub of_world: Family,
    /// Cycles that recent systems needed at most, once it is known.
    expected: Option<u32>,
    /// Rounds of Newton's iterations likewise.
    expected_rounds: Option<u32>,
    report: SolverReport,
}

/// Where kernels find the records of a substep \[bytes\].
#[derive(Clone, Copy, Debug)]
pub struct Offsets {
    /// That of the step.
    pub step: u32,
    /// That of colliders, if there are any.
    pub colliders: u32,
}

/// The arrays of a system.
struct Own {
    pairs: Buffer<[u32; 4]>,
    around: Buffer<u32>,
    lists: Buffer<u32>,
    ranges: Buffer<[u32; 2]>,
    blocks: Buffer<[f32; 4]>,
    vectors: Buffer<[f32; 4]>,
    partials: Buffer<[f32; 2]>,
    checks: Buffer<[f32; 4]>,
    search: Buffer<u32>,
}

impl Solver {
    /// Finds the pairs of a model and makes the kernels; `arrays.history` must have its room already.
    /// Bodies that ask for no family are of that of the world; explicit ones are no part of the system.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        layout: &Layout,
        arrays: &Arrays,
        colliders: Option<&Uniforms>,
        bending: Option<&Bending>,
        of_world: Family,
    ) -> Result<Self, GpuError> {
        let (volumes, slots) = (has_full_blocks(layout, of_world), layout.slot_count());
        let has_colliders = colliders.is_some();
        let found = Pairs::new(layout, of_world);
        let rows = if volumes { 3 } else { 1 };
        let own = Own {
            pairs: gpu.storage("pairs", &found.pairs)?,
            around: gpu.storage("tetrahedra round pairs", &found.around)?,
            lists: gpu.storage("pair lists", &found.lists)?,
            ranges: gpu.storage("free bodies", &free_bodies(model, layout, of_world))?,
            blocks: gpu.zeros("pair blocks", rows * found.count())?,
            vectors: gpu.zeros("vectors of the system", vector_count(has_colliders) * slots)?,
            partials: gpu.zeros("sums of the system", 2 * MOST_GROUPS)?,
            checks: gpu.zeros("inspection", 2 * MOST_GROUPS + layout.tets.len().div_ceil(4))?,
            search: gpu.zeros("search", SEARCH_WORDS)?,
        };
        let with = With { is_damped: model.damping.is_some(), has_volumes: volumes, has_colliders };
        let mut kernels = Vec::with_capacity(KERNEL_COUNT);
        for description in descriptions(&with, &with.constants()) {
            kernels.push(Kernel::new(gpu, &description)?);
        }
        let Ok(kernels) = <[Kernel; KERNEL_COUNT]>::try_from(kernels) else {
            unreachable!("one for each")
        };
        let groups = bind(gpu, &kernels, &own, arrays, colliders);
        let bending = match bending.filter(|_| !found.around_bent.is_empty()) {
            Some(bending) => {
                let constants = &with.constants()[1..];
                Some(BendingSystem::new(gpu, &found, &own, arrays, bending, constants)?)
            }
            None => None,
        };
        let pair_count = found.count();
        let report = SolverReport::default();
        Ok(Self {
            kernels,
            groups,
            own,
            bending,
            slots,
            pair_count,
            has_colliders,
            of_world,
            expected: None,
            expected_rounds: None,
            report,
        })
    }

    /// Binds the kernels again, because an array has been replaced.
    pub fn rebind(&mut self, gpu: &Gpu, arrays: &Arrays, colliders: Option<&Uniforms>) {
        self.groups = bind(gpu, &self.kernels, &self.own, arrays, colliders);
    }

    fn run(&self, commands: &mut Commands, kernel: SolverKernel, offsets: Offsets) {
        let workgroup = WORKGROUP as usize;
        let threads = match kernel {
            SolverKernel::Linearise => self.pair_count,
            SolverKernel::Prepare
            | SolverKernel::Finish
            | SolverKernel::KeepStart
            | SolverKernel::StepAlong => self.slots,
            SolverKernel::Begin
            | SolverKernel::Multiply
            | SolverKernel::CgUpdate
            | SolverKernel::NewtonResidual
            | SolverKernel::InspectStart
            | SolverKernel::InspectEnd => sum_groups(self.slots) * workgroup,
            SolverKernel::CorrectMomentum
            | SolverKernel::CorrectMomentumBeforeStep
            | SolverKernel::CorrectMomentumAtEnd => self.own.ranges.len() * workgroup,
            SolverKernel::OpenSearch
            | SolverKernel::Decide
            | SolverKernel::OpenNewton
            | SolverKernel::CheckNewton
            | SolverKernel::Accept => workgroup,
        };
        let n = kernel as usize;
        let offsets = [offsets.step, offsets.colliders];
        let count = 1 + usize::from(self.has_colliders && kernel.meets_colliders());
        commands.run(&self.kernels[n], &self.groups[n], &offsets[..count], threads);
    }

    /// Records the pair blocks.
    fn linearise(&self, commands: &mut Commands, offsets: Offsets) {
        self.run(commands, SolverKernel::Linearise, offsets);
        self.bend(commands, BendingKernel::Linearise, offsets);
    }

    /// Records what hinges add, if there are any.
    fn bend(&self, commands: &mut Commands, kernel: BendingKernel, offsets: Offsets) {
        let sums = sum_groups(self.slots) * WORKGROUP as usize;
        self.bending.iter().for_each(|bending| bending.run(commands, kernel, offsets, sums));
    }

    /// Records what has to be known of the start of a step to inspect its end.
    pub fn inspect_start(&self, commands: &mut Commands, offsets: Offsets) {
        self.run(commands, SolverKernel::InspectStart, offsets);
        self.bend(commands, BendingKernel::InspectStart, offsets);
    }

    /// Records the inspection of a step that has ended: one that is refused freezes what follows.
    pub fn inspect_end(&self, commands: &mut Commands, offsets: Offsets) {
        self.run(commands, SolverKernel::InspectEnd, offsets);
        self.bend(commands, BendingKernel::InspectEnd, offsets);
        self.run(commands, SolverKernel::Accept, offsets);
    }

    /// Records how a system is set up; elastic and touch forces are there.
    pub fn assemble(&self, commands: &mut Commands, offsets: Offsets) {
        self.linearise(commands, offsets);
        for kernel in [SolverKernel::Prepare, SolverKernel::Begin, SolverKernel::OpenSearch] {
            self.run(commands, kernel, offsets);
        }
    }

    /// Records the beginning of Newton's iterations.
    pub fn begin_newton(&self, commands: &mut Commands, offsets: Offsets) {
        self.run(commands, SolverKernel::KeepStart, offsets);
        self.run(commands, SolverKernel::OpenNewton, offsets);
    }

    /// Records a step along what the last system gave, if it is solved. While it is not, what comes up
    /// to [`Solver::assemble_newton`] computes once more what is there already.
    pub fn step_along(&self, commands: &mut Commands, offsets: Offsets) {
        self.run(commands, SolverKernel::CorrectMomentumBeforeStep, offsets);
        self.run(commands, SolverKernel::StepAlong, offsets);
    }

    /// Records the next system of Newton's iterations, or the end of them; elastic and touch forces
    /// are there.
    pub fn assemble_newton(&self, commands: &mut Commands, offsets: Offsets) {
        self.linearise(commands, offsets);
        for kernel in
            [SolverKernel::Prepare, SolverKernel::NewtonResidual, SolverKernel::CheckNewton]
        {
            self.run(commands, kernel, offsets);
        }
    }

    /// Records a cycle; only with walls or colliders it may be asked in one what they hold.
    pub fn cycle(&self, commands: &mut Commands, offsets: Offsets, has_walls: bool) {
        if has_walls || self.has_colliders {
            self.run(commands, SolverKernel::CorrectMomentum, offsets);
        }
        for kernel in [SolverKernel::Multiply, SolverKernel::CgUpdate, SolverKernel::Decide] {
            self.run(commands, kernel, offsets);
        }
    }

    /// Records the correction of momentum before the end of a step.
    pub fn correct_momentum(&self, commands: &mut Commands, offsets: Offsets) {
        self.run(commands, SolverKernel::CorrectMomentumAtEnd, offsets);
    }

    /// Records the end of a step.
    pub fn finish(&self, commands: &mut Commands, offsets: Offsets) {
        self.run(commands, SolverKernel::Finish, offsets);
    }

    /// How many cycles to record for a step: what recent ones needed, and a quarter more.
    pub fn cycles(&self) -> u32 {
        self.expected.map_or(FIRST_CYCLES, |most| most + most / 4 + 4)
    }

    /// How many rounds of Newton's iterations to record for a step, likewise.
    pub fn rounds(&self) -> u32 {
        self.expected_rounds.map_or(FIRST_ROUNDS, |most| most + most / 4 + 1)
    }

    /// Whether it is known what steps need, with or without Newton's iterations.
    pub fn has_experience(&self, is_newton: bool) -> bool {
        self.expected.is_some() && (!is_newton || self.expected_rounds.is_some())
    }

    /// What a cycle costs, in elements.
    pub fn elements(&self) -> usize {
        self.pair_count + self.slots
    }

    /// Begins counting anew what comes of systems.
    pub fn clear_totals(&self) {
        self.own.search.write(FIRST_TOTAL, &[0; SEARCH_WORDS - FIRST_TOTAL]);
    }

    /// Where the search stands, on the device.
    pub fn search(&self) -> &Buffer<u32> {
        &self.own.search
    }

    /// Takes note of what came of systems since [`Solver::clear_totals`]; `stalled` when the last one
    /// needs more cycles than were recorded.
    pub fn note(&mut self, search: &Search, stalled: bool) {
        self.report.add(&search.solver_report());
        let recorded = self.cycles();
        // Forgets slowly: needing too few costs more than recording too many.
        let before = self.expected.map_or(0, |most| most - most / 8);
        if search.systems > 0 {
            self.expected = Some(before.max(search.most_cycles));
        }
        let rounds = self.expected_rounds.map_or(0, |most| most - most / 8);
        if search.most_rounds > 0 {
            self.expected_rounds = Some(rounds.max(search.most_rounds));
        }
        if stalled && search.phase > RESUME {
            self.expected_rounds = Some(self.rounds().saturating_mul(2));
        } else if stalled {
            self.expected = Some(recorded.saturating_mul(2));
        }
    }

    /// What came of the solves since the last call.
    pub fn take_solver_report(&mut self) -> SolverReport {
        std::mem::take(&mut self.report)
    }

    /// Sets how many cycles recent systems needed, for tests.
    #[cfg(test)]
    pub fn expect_cycles(&mut self, most: u32) {
        self.expected = Some(most);
    }

    /// Pair blocks as they are on the device, for tests.
    #[cfg(test)]
    pub fn blocks(&self) -> Vec<[f32; 4]> {
        self.own.blocks.read().unwrap()
    }

    /// One of the vectors as it is on the device, for tests.
    #[cfg(test)]
    pub fn vector(&self, number: usize) -> Vec<[f32; 4]> {
        self.own.vectors.read_range(number * self.slots..(number + 1) * self.slots).unwrap()
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let Own { pairs, around, lists, ranges, blocks, vectors, partials, checks, search } =
            &self.own;
        let elements =
            pairs.bytes() + around.bytes() + lists.bytes() + ranges.bytes() + blocks.bytes();
        let bending = self.bending.as_ref().map_or(0, BendingSystem::bytes);
        elements + bending + vectors.bytes() + partials.bytes() + checks.bytes() + search.bytes()
    }
}

/// Slots of each body that steps implicitly without a vertex that is locked; none of the others.
fn free_bodies(model: &Model, layout: &Layout, of_world: Family) -> Vec<[u32; 2]> {
    let slots_of = |(number, body): (usize, &BodyModel)| {
        let vertices = body.vertices.start as usize..body.vertices.end as usize;
        let is_locked = model.inv_mass[vertices].contains(&0.0);
        if is_locked || body.family.unwrap_or(of_world) != Family::Implicit {
            return [0; 2];
        }
        let slots = layout.body_slots(number as u32);
        [slots.start as u32, slots.end as u32]
    };
    model.bodies.iter().enumerate().map(slots_of).collect()
}
