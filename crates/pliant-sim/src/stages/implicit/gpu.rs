//! Implicit steps on a device.
//!
//! # Theory
//!
//! Conjugate gradients ask after each iteration whether it was the last one. A host that answers has
//! to wait for the device, every time. So the device answers: a *cycle* is always the same three
//! kernels (a product, what is done with it, a decision), and what they do is told by a phase that the
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
//! where it leads, a verdict, and cycles for the next system; the same phases tell what is due, and
//! kernels that know none only repeat what they did. `search.wgsl` has the phases, `vectors.wgsl` the
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
use super::{End, Solved};
use crate::backend::gpu::arrays::Arrays;
use crate::backend::gpu::layout::Layout;
use crate::backend::gpu::library::LIBRARY;
use crate::model::{BodyModel, Model};

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
    pub fn solved(&self) -> Solved {
        let mut solved =
            Solved::one(self.last_iterations, f64::from(self.residual), End::Converged);
        solved.systems = u64::from(self.systems);
        solved.iterations = u64::from(self.all_iterations);
        solved.worst_residual = f64::from(self.worst_residual);
        solved.unconverged = u64::from(self.unconverged);
        solved.limited = u64::from(self.limited);
        solved.imbalance = f64::from(self.imbalance);
        solved.unbalanced = u64::from(self.unbalanced);
        solved
    }
}

const LINEARISE: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const PREPARE: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const BEGIN: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Write, Record];
const MULTIPLY: &[Access] = &[Read, Read, Read, Write, Write, Record];
const DESCEND: &[Access] = &[Read, Read, Read, Read, Write, Write, Record];
const DECIDE: &[Access] = &[Read, Read, Write, Record];
const WEIGH: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Write, Record];
const WALK: &[Access] = &[Write, Write, Read, Read, Read, Write, Record];
const MEND: &[Access] = &[Read, Write, Read, Read, Read, Write, Record];
const INSPECT: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const ACCEPT: &[Access] = &[Read, Write, Record];
const FINISH: &[Access] = &[Write, Write, Write, Write, Read, Read, Read, Write, Record];

/// The kernels in the order of their first run.
#[derive(Clone, Copy)]
enum Pass {
    Linearise,
    Prepare,
    Begin,
    Open,
    Multiply,
    Descend,
    Decide,
    Mend,
    MendLast,
    Finish,
    Keep,
    Aim,
    Walk,
    Weigh,
    Judge,
    Before,
    After,
    Accept,
}

/// How many there are.
const PASSES: usize = 18;

macro_rules! module {
    ($file:literal) => {
        Module { name: $file, source: include_str!($file) }
    };
}

/// Descriptions of all kernels; `with` are the constants `DAMPED` and `VOLUMES`.
pub fn descriptions<'a>(with: &'a [(&'a str, f64); 2]) -> [KernelDesc<'a>; PASSES] {
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
        desc("open", module!("decide.wgsl"), DECIDE, &[]),
        desc("multiply", module!("multiply.wgsl"), MULTIPLY, &with[1..]),
        desc("descend", module!("descend.wgsl"), DESCEND, &[]),
        desc("decide", module!("decide.wgsl"), DECIDE, &[]),
        desc("mend", module!("momentum.wgsl"), MEND, &[]),
        desc("mend_last", module!("momentum.wgsl"), MEND, &[]),
        desc("finish", module!("finish.wgsl"), FINISH, &[]),
        desc("keep", module!("walk.wgsl"), WALK, &[]),
        desc("aim", module!("decide.wgsl"), DECIDE, &[]),
        desc("walk", module!("walk.wgsl"), WALK, &[]),
        desc("weigh", module!("weigh.wgsl"), WEIGH, &[]),
        desc("judge", module!("decide.wgsl"), DECIDE, &[]),
        desc("before", module!("inspect.wgsl"), INSPECT, &[]),
        desc("after", module!("inspect.wgsl"), INSPECT, &[]),
        desc("accept", module!("accept.wgsl"), ACCEPT, &[]),
    ]
}

/// The kernels of implicit steps, bound to a model's arrays, and what they alone need.
pub struct Solver {
    kernels: [Kernel; PASSES],
    groups: [BindGroup; PASSES],
    own: Own,
    slots: usize,
    pair_count: usize,
    /// Whether some bodies take explicit steps.
    pub is_mixed: bool,
    /// Cycles that recent systems needed at most, once it is known.
    expected: Option<u32>,
    /// Rounds of Newton's iterations likewise.
    expected_rounds: Option<u32>,
    solved: Solved,
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
    /// Finds the pairs of a model and makes the kernels; `arrays.memory` must have its room already.
    /// `is_mixed` if some bodies take explicit steps: they are no part of the system.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        layout: &Layout,
        arrays: &Arrays,
        is_mixed: bool,
    ) -> Result<Self, GpuError> {
        let (volumes, slots) = (has_volumes(layout, is_mixed), layout.slot_count());
        let found = Pairs::new(layout, is_mixed);
        let rows = if volumes { 3 } else { 1 };
        let own = Own {
            pairs: gpu.storage("pairs", &found.pairs)?,
            around: gpu.storage("tetrahedra round pairs", &found.around)?,
            lists: gpu.storage("pair lists", &found.lists)?,
            ranges: gpu.storage("free bodies", &free_bodies(model, layout, is_mixed))?,
            blocks: gpu.zeros("pair blocks", rows * found.count())?,
            vectors: gpu.zeros("vectors of the system", VECTORS * slots)?,
            partials: gpu.zeros("sums of the system", 2 * MOST_GROUPS)?,
            checks: gpu.zeros("inspection", 2 * MOST_GROUPS + layout.tets.len().div_ceil(4))?,
            search: gpu.zeros("search", SEARCH_WORDS)?,
        };
        let flag = |is: bool| f64::from(u8::from(is));
        let with = [("DAMPED", flag(model.damping.is_some())), ("VOLUMES", flag(volumes))];
        let mut kernels = Vec::with_capacity(PASSES);
        for description in descriptions(&with) {
            kernels.push(Kernel::new(gpu, &description)?);
        }
        let Ok(kernels) = <[Kernel; PASSES]>::try_from(kernels) else {
            unreachable!("one for each")
        };
        let groups = bind(gpu, &kernels, &own, arrays);
        let pair_count = found.count();
        let solved = Solved::default();
        Ok(Self {
            kernels,
            groups,
            own,
            slots,
            pair_count,
            is_mixed,
            expected: None,
            expected_rounds: None,
            solved,
        })
    }

    /// Binds the kernels again, because an array has been replaced.
    pub fn rebind(&mut self, gpu: &Gpu, arrays: &Arrays) {
        self.groups = bind(gpu, &self.kernels, &self.own, arrays);
    }

    fn run(&self, commands: &mut Commands, pass: Pass, offset: u32) {
        let workgroup = WORKGROUP as usize;
        let threads = match pass {
            Pass::Linearise => self.pair_count,
            Pass::Prepare | Pass::Finish | Pass::Keep | Pass::Walk => self.slots,
            Pass::Begin
            | Pass::Multiply
            | Pass::Descend
            | Pass::Weigh
            | Pass::Before
            | Pass::After => sum_groups(self.slots) * workgroup,
            Pass::Mend | Pass::MendLast => self.own.ranges.len() * workgroup,
            Pass::Open | Pass::Decide | Pass::Aim | Pass::Judge | Pass::Accept => workgroup,
        };
        let n = pass as usize;
        commands.run(&self.kernels[n], &self.groups[n], &[offset], threads);
    }

    /// Records what has to be known of the start of a step to judge its end.
    pub fn inspect_start(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, Pass::Before, offset);
    }

    /// Records the verdict on a step that has ended: one that cannot be right freezes what follows.
    pub fn inspect_end(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, Pass::After, offset);
        self.run(commands, Pass::Accept, offset);
    }

    /// Records how a system is set up; elastic and touch forces are there.
    pub fn begin(&self, commands: &mut Commands, offset: u32) {
        for pass in [Pass::Linearise, Pass::Prepare, Pass::Begin, Pass::Open] {
            self.run(commands, pass, offset);
        }
    }

    /// Records the beginning of Newton's iterations.
    pub fn begin_newton(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, Pass::Keep, offset);
        self.run(commands, Pass::Aim, offset);
    }

    /// Records a step along what the last system gave, if it is solved. While it is not, what comes up
    /// to [`Solver::judge`] computes once more what is there already.
    pub fn walk(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, Pass::Mend, offset);
        self.run(commands, Pass::Walk, offset);
    }

    /// Records the next system of Newton's iterations, or the end of them; elastic and touch forces
    /// are there.
    pub fn judge(&self, commands: &mut Commands, offset: u32) {
        for pass in [Pass::Linearise, Pass::Prepare, Pass::Weigh, Pass::Judge] {
            self.run(commands, pass, offset);
        }
    }

    /// Records a cycle; only with walls it may be asked in one what they hold.
    pub fn cycle(&self, commands: &mut Commands, offset: u32, has_walls: bool) {
        if has_walls {
            self.run(commands, Pass::Mend, offset);
        }
        for pass in [Pass::Multiply, Pass::Descend, Pass::Decide] {
            self.run(commands, pass, offset);
        }
    }

    /// Records what is done to a solution before the end of a step.
    pub fn mend(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, Pass::MendLast, offset);
    }

    /// Records the end of a step.
    pub fn finish(&self, commands: &mut Commands, offset: u32) {
        self.run(commands, Pass::Finish, offset);
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
        self.solved.add(&search.solved());
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
    pub fn take_solved(&mut self) -> Solved {
        std::mem::take(&mut self.solved)
    }

    /// Says what recent systems are said to have needed, for tests.
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
fn free_bodies(model: &Model, layout: &Layout, is_mixed: bool) -> Vec<[u32; 2]> {
    let slots_of = |(number, body): (usize, &BodyModel)| {
        let vertices = body.vertices.start as usize..body.vertices.end as usize;
        let is_locked = model.inv_mass[vertices].contains(&0.0);
        if is_locked || is_mixed && !body.is_implicit {
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
    kernels: &[Kernel; PASSES],
    own: &'a Own,
    arrays: &'a Arrays,
) -> [BindGroup; PASSES] {
    let Own { pairs, around, lists, ranges, blocks, vectors, partials, checks, search } = own;
    let Arrays { position, low, velocity, memory, touch, frames, flags, .. } = arrays;
    let Arrays { springs, damping, tets, volumes, .. } = arrays;
    // All of them end with the record.
    let bind = |pass: Pass, mut buffers: Vec<Binding<'a>>| {
        buffers.push(arrays.record());
        kernels[pass as usize].bind(gpu, &buffers)
    };
    let swept = arrays.swept().to_vec();
    let decide = bindings![flags, partials, search];
    let walk = bindings![position, velocity, frames, flags, search, vectors];
    let mend = bindings![ranges, velocity, touch, flags, search, vectors];
    let inspect =
        bindings![position, velocity, springs, tets, volumes, frames, flags, touch, checks];
    [
        bind(
            Pass::Linearise,
            bindings![pairs, around, position, springs, damping, tets, volumes, flags, blocks],
        ),
        bind(
            Pass::Prepare,
            bindings![lists, blocks, position, velocity, touch, frames, flags, search, vectors],
        ),
        bind(
            Pass::Begin,
            [bindings![position], swept.clone(), bindings![vectors, partials]].concat(),
        ),
        bind(Pass::Open, decide.clone()),
        bind(Pass::Multiply, bindings![lists, blocks, search, vectors, partials]),
        bind(Pass::Descend, bindings![search, position, velocity, frames, vectors, partials]),
        bind(Pass::Decide, decide.clone()),
        bind(Pass::Mend, mend.clone()),
        bind(Pass::MendLast, mend),
        bind(
            Pass::Finish,
            bindings![position, low, velocity, memory, frames, vectors, search, flags],
        ),
        bind(Pass::Keep, walk.clone()),
        bind(Pass::Aim, decide.clone()),
        bind(Pass::Walk, walk),
        bind(Pass::Weigh, [swept, bindings![search, vectors, partials]].concat()),
        bind(Pass::Judge, decide),
        bind(Pass::Before, inspect.clone()),
        bind(Pass::After, inspect),
        bind(Pass::Accept, bindings![checks, flags]),
    ]
}
