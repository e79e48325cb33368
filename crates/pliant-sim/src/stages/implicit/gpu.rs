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
//! Blocks belong to pairs and are stored once; every vertex gathers its product from the pairs in its
//! list. An invocation of its own for each pair and tetrahedron would need atomics.

use pliant_gpu::Access::{Read, Record, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{
    Access, Binding, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module, WORKGROUP,
};

use super::pairs::{Pairs, has_volumes};
use super::{End, SolverReport};
use crate::model::{BodyModel, Family, Model};
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::Layout;
use crate::stages::gpu::library::LIBRARY;

/// Vectors of a system, see vectors.wgsl.
pub const VECTORS: usize = 13;

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

const LINEARISE: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const PREPARE: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const BEGIN: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Write, Record];
const MULTIPLY: &[Access] = &[Read, Read, Read, Write, Write, Record];
const CG_UPDATE: &[Access] = &[Read, Read, Read, Read, Write, Write, Record];
const DECIDE: &[Access] = &[Read, Read, Write, Record];
const NEWTON_RESIDUAL: &[Access] =
    &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Write, Record];
const LINE_SEARCH: &[Access] = &[Write, Write, Read, Read, Read, Write, Record];
const MOMENTUM: &[Access] = &[Read, Write, Read, Read, Read, Write, Record];
const INSPECT: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const ACCEPT: &[Access] = &[Read, Write, Record];
const FINISH: &[Access] = &[Write, Write, Write, Write, Read, Read, Read, Write, Record];

/// The kernels in the order of their first run.
#[derive(Clone, Copy)]
enum SolverKernel {
    Linearise,
    Prepare,
    Begin,
    OpenSearch,
    Multiply,
    CgUpdate,
    Decide,
    CorrectMomentum,
    CorrectMomentumBeforeStep,
    CorrectMomentumAtEnd,
    Finish,
    KeepStart,
    OpenNewton,
    StepAlong,
    NewtonResidual,
    CheckNewton,
    InspectStart,
    InspectEnd,
    Accept,
}

/// How many there are.
const KERNEL_COUNT: usize = 19;

macro_rules! module {
    ($file:literal) => {
        Module { name: $file, source: include_str!($file) }
    };
}

/// Descriptions of all kernels; `with` are the constants `DAMPED` and `VOLUMES`.
pub fn descriptions<'a>(with: &'a [(&'a str, f64); 2]) -> [KernelDesc<'a>; KERNEL_COUNT] {
    let desc = |entry, module, bindings, constants| KernelDesc {
        library: LIBRARY,
        module,
        entry,
        constants,
        bindings,
    };
    [
        desc("linearise", module!("linearise.wgsl"), LINEARISE, &with[..]),
        desc("prepare", module!("prepare.wgsl"), PREPARE, &with[1..]),
        desc("begin", module!("begin.wgsl"), BEGIN, &[]),
        desc("open_search", module!("decide.wgsl"), DECIDE, &[]),
        desc("multiply", module!("multiply.wgsl"), MULTIPLY, &with[1..]),
        desc("cg_update", module!("cg_update.wgsl"), CG_UPDATE, &[]),
        desc("decide", module!("decide.wgsl"), DECIDE, &[]),
        desc("correct_momentum", module!("momentum.wgsl"), MOMENTUM, &[]),
        desc("correct_momentum_before_step", module!("momentum.wgsl"), MOMENTUM, &[]),
        desc("correct_momentum_at_end", module!("momentum.wgsl"), MOMENTUM, &[]),
        desc("finish", module!("finish.wgsl"), FINISH, &[]),
        desc("keep_start", module!("line_search.wgsl"), LINE_SEARCH, &[]),
        desc("open_newton", module!("decide.wgsl"), DECIDE, &[]),
        desc("step_along", module!("line_search.wgsl"), LINE_SEARCH, &[]),
        desc("newton_residual", module!("newton_residual.wgsl"), NEWTON_RESIDUAL, &[]),
        desc("check_newton", module!("decide.wgsl"), DECIDE, &[]),
        desc("inspect_start", module!("inspect.wgsl"), INSPECT, &[]),
        desc("inspect_end", module!("inspect.wgsl"), INSPECT, &[]),
        desc("accept", module!("accept.wgsl"), ACCEPT, &[]),
    ]
}

/// The kernels of implicit steps, bound to a model's arrays, and what they alone need.
pub struct Solver {
    kernels: [Kernel; KERNEL_COUNT],
    groups: [BindGroup; KERNEL_COUNT],
    own: Own,
    slots: usize,
    pair_count: usize,
    /// The family of bodies that ask for none.
    pub of_world: Family,
    /// Cycles that recent systems needed at most, once it is known.
    expected: Option<u32>,
    /// Rounds of Newton's iterations likewise.
    expected_rounds: Option<u32>,
    report: SolverReport,
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
        of_world: Family,
    ) -> Result<Self, GpuError> {
        let (volumes, slots) = (has_volumes(layout, of_world), layout.slot_count());
        let found = Pairs::new(layout, of_world);
        let rows = if volumes { 3 } else { 1 };
        let own = Own {
            pairs: gpu.storage("pairs", &found.pairs)?,
            around: gpu.storage("tetrahedra round pairs", &found.around)?,
            lists: gpu.storage("pair lists", &found.lists)?,
            ranges: gpu.storage("free bodies", &free_bodies(model, layout, of_world))?,
            blocks: gpu.zeros("pair blocks", rows * found.count())?,
            vectors: gpu.zeros("vectors of the system", VECTORS * slots)?,
            partials: gpu.zeros("sums of the system", 2 * MOST_GROUPS)?,
            checks: gpu.zeros("inspection", 2 * MOST_GROUPS + layout.tets.len().div_ceil(4))?,
            search: gpu.zeros("search", SEARCH_WORDS)?,
        };
        let flag = |is: bool| f64::from(u8::from(is));
        let with = [("DAMPED", flag(model.damping.is_some())), ("VOLUMES", flag(volumes))];
        let mut kernels = Vec::with_capacity(KERNEL_COUNT);
        for description in descriptions(&with) {
            kernels.push(Kernel::new(gpu, &description)?);
        }
        let Ok(kernels) = <[Kernel; KERNEL_COUNT]>::try_from(kernels) else {
            unreachable!("one for each")
        };
        let groups = bind(gpu, &kernels, &own, arrays);
        let pair_count = found.count();
        let report = SolverReport::default();
        Ok(Self {
            kernels,
            groups,
            own,
            slots,
            pair_count,
            of_world,
            expected: None,
            expected_rounds: None,
            report,
        })
    }

    /// Binds the kernels again, because an array has been replaced.
    pub fn rebind(&mut self, gpu: &Gpu, arrays: &Arrays) {
        self.groups = bind(gpu, &self.kernels, &self.own, arrays);
    }

    fn run(&self, commands: &mut Commands, kernel: SolverKernel, offset: u32) {
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
        commands.run(&self.kernels[n], &self.groups[n], &[offset], threads);
    }

    /// Records what has to be known of the start of a step to inspect its end.
    pub fn inspect_start(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, SolverKernel::InspectStart, offset);
    }

    /// Records the inspection of a step that has ended: one that is refused freezes what follows.
    pub fn inspect_end(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, SolverKernel::InspectEnd, offset);
        self.run(commands, SolverKernel::Accept, offset);
    }

    /// Records how a system is set up; elastic and touch forces are there.
    pub fn assemble(&self, commands: &mut Commands, offset: u32) {
        for kernel in [
            SolverKernel::Linearise,
            SolverKernel::Prepare,
            SolverKernel::Begin,
            SolverKernel::OpenSearch,
        ] {
            self.run(commands, kernel, offset);
        }
    }

    /// Records the beginning of Newton's iterations.
    pub fn begin_newton(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, SolverKernel::KeepStart, offset);
        self.run(commands, SolverKernel::OpenNewton, offset);
    }

    /// Records a step along what the last system gave, if it is solved. While it is not, what comes up
    /// to [`Solver::assemble_newton`] computes once more what is there already.
    pub fn step_along(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, SolverKernel::CorrectMomentumBeforeStep, offset);
        self.run(commands, SolverKernel::StepAlong, offset);
    }

    /// Records the next system of Newton's iterations, or the end of them; elastic and touch forces
    /// are there.
    pub fn assemble_newton(&self, commands: &mut Commands, offset: u32) {
        for kernel in [
            SolverKernel::Linearise,
            SolverKernel::Prepare,
            SolverKernel::NewtonResidual,
            SolverKernel::CheckNewton,
        ] {
            self.run(commands, kernel, offset);
        }
    }

    /// Records a cycle; only with walls it may be asked in one what they hold.
    pub fn cycle(&self, commands: &mut Commands, offset: u32, has_walls: bool) {
        if has_walls {
            self.run(commands, SolverKernel::CorrectMomentum, offset);
        }
        for kernel in [SolverKernel::Multiply, SolverKernel::CgUpdate, SolverKernel::Decide] {
            self.run(commands, kernel, offset);
        }
    }

    /// Records the correction of momentum before the end of a step.
    pub fn correct_momentum(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, SolverKernel::CorrectMomentumAtEnd, offset);
    }

    /// Records the end of a step.
    pub fn finish(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, SolverKernel::Finish, offset);
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
        elements + vectors.bytes() + partials.bytes() + checks.bytes() + search.bytes()
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

macro_rules! bindings {
    ($($buffer:expr),*) => {
        vec![$(Binding::from($buffer)),*]
    };
}

fn bind<'a>(
    gpu: &Gpu,
    kernels: &[Kernel; KERNEL_COUNT],
    own: &'a Own,
    arrays: &'a Arrays,
) -> [BindGroup; KERNEL_COUNT] {
    let Own { pairs, around, lists, ranges, blocks, vectors, partials, checks, search } = own;
    let Arrays { position, compensation, velocity, history, touch, body_constants, flags, .. } =
        arrays;
    let Arrays { springs, damping, tets, volumes, .. } = arrays;
    // All of them end with the record.
    let bind = |kernel: SolverKernel, mut buffers: Vec<Binding<'a>>| {
        buffers.push(arrays.record());
        kernels[kernel as usize].bind(gpu, &buffers)
    };
    let swept = arrays.swept().to_vec();
    let decide = bindings![flags, partials, search];
    let line_search = bindings![position, velocity, body_constants, flags, search, vectors];
    let momentum = bindings![ranges, velocity, touch, flags, search, vectors];
    let inspect =
        bindings![position, velocity, springs, tets, volumes, body_constants, flags, touch, checks];
    [
        bind(
            SolverKernel::Linearise,
            bindings![pairs, around, position, springs, damping, tets, volumes, flags, blocks],
        ),
        bind(
            SolverKernel::Prepare,
            bindings![
                lists,
                blocks,
                position,
                velocity,
                touch,
                body_constants,
                flags,
                search,
                vectors
            ],
        ),
        bind(
            SolverKernel::Begin,
            [bindings![position], swept.clone(), bindings![vectors, partials]].concat(),
        ),
        bind(SolverKernel::OpenSearch, decide.clone()),
        bind(SolverKernel::Multiply, bindings![lists, blocks, search, vectors, partials]),
        bind(
            SolverKernel::CgUpdate,
            bindings![search, position, velocity, body_constants, vectors, partials],
        ),
        bind(SolverKernel::Decide, decide.clone()),
        bind(SolverKernel::CorrectMomentum, momentum.clone()),
        bind(SolverKernel::CorrectMomentumBeforeStep, momentum.clone()),
        bind(SolverKernel::CorrectMomentumAtEnd, momentum),
        bind(
            SolverKernel::Finish,
            bindings![
                position,
                compensation,
                velocity,
                history,
                body_constants,
                vectors,
                search,
                flags
            ],
        ),
        bind(SolverKernel::KeepStart, line_search.clone()),
        bind(SolverKernel::OpenNewton, decide.clone()),
        bind(SolverKernel::StepAlong, line_search),
        bind(SolverKernel::NewtonResidual, [swept, bindings![search, vectors, partials]].concat()),
        bind(SolverKernel::CheckNewton, decide),
        bind(SolverKernel::InspectStart, inspect.clone()),
        bind(SolverKernel::InspectEnd, inspect),
        bind(SolverKernel::Accept, bindings![checks, flags]),
    ]
}
