//! What a step asks of a device: bytes and dispatches, counted from the model.
//!
//! # Theory
//!
//! A step computes little for each byte that it moves, so memory decides how fast it is. Two counts
//! bracket what really comes from memory. *Once* is the least: every array that a dispatch touches is
//! read once and written once, as with a perfect cache. *By access* is the most: every load and every
//! store of every invocation goes to memory, as without a cache. Bytes per step over a device's
//! bandwidth then bound the time of a step, before anybody has such a device at hand.
//!
//! # Practice
//!
//! [`StepCount::new`] needs no device. Counted are the stages of every step, elastic forces and the
//! integrator's sweep; touches and plasticity come and go. How many iterations an implicit step takes
//! nobody knows before: what each of them moves is a number of its own. Where some bodies take implicit
//! steps and others do not, vertices count as if they did both. Contact counts as if nothing were near. Uniforms are left out: they are a
//! hundred bytes that all invocations share. Loads count as the kernels write them: sixteen bytes for
//! a vector of four, also where three are used.

mod contact;
mod implicit;
#[cfg(test)]
mod tests;

use std::ops::AddAssign;

use crate::model::{Family, Model};
use crate::scene::{Accumulation, World};
use crate::stages::elastic::gpu::{accumulation_of, strategy_for};
use crate::stages::gpu::layout::{Layout, Lists, NONE, SLICE};
use crate::stages::gpu::record::Sizes;
use crate::stages::integrate::{history_count, keeps_forces};
use crate::step::{Stage, program};
use implicit::CountedPairs;

/// Bytes in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Bytes {
    /// From memory.
    pub read: u64,
    /// To memory.
    pub written: u64,
}

impl Bytes {
    /// Both directions together.
    pub fn total(self) -> u64 {
        self.read + self.written
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.read += other.read;
        self.written += other.written;
    }
}

/// What a stage moves in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct StageCount {
    /// Name of the stage.
    pub stage: &'static str,
    /// How often its kernel is dispatched.
    pub dispatches: u32,
    /// Bytes when every array is moved once per dispatch.
    pub once: Bytes,
    /// Bytes of all loads and stores.
    pub accesses: Bytes,
}

/// What one step moves.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct StepCount {
    /// How forces are added up; never `Auto`.
    pub accumulation: Accumulation,
    /// Stages in the order of their first dispatch.
    pub stages: Vec<StageCount>,
    /// What each iteration of an implicit step moves besides.
    pub iteration: Option<StageCount>,
}

impl StepCount {
    /// Counts a step of a model in a world: its integrator, its substeps, its strategy.
    pub fn new(model: &Model, world: &World) -> Self {
        let layout = Layout::new(model);
        let sizes = Sizes::of(model, &layout);
        let accumulation = strategy_for(accumulation_of(model, world), &layout);
        let mut counted = Counted::new(&layout, &sizes, accumulation, model.damping.is_some());
        let passes = program(world, model.families(world));
        let program: Vec<Stage> = passes.into_iter().flat_map(|pass| pass.stages).collect();
        if program.contains(&Stage::Implicit) {
            counted.pairs = Some(CountedPairs::new(&layout, Family::of(world.integrator)));
        }
        Self::of(&counted, world, &program)
    }

    fn of(counted: &Counted, world: &World, program: &[Stage]) -> Self {
        let mut stages: Vec<StageCount> = Vec::new();
        let (mut fresh, mut evaluations) = (false, 0);
        let is_apart = world.contact.is_some() && counted.accumulation != Accumulation::Gather;
        for &stage in program {
            let count = match stage {
                Stage::Contact => {
                    evaluations += 1;
                    counted.contact(evaluations == 1)
                }
                Stage::Collect if is_apart => counted.collected(),
                Stage::Elastic => counted.forces(),
                Stage::Integrate(_) => counted.integrate(world, fresh).stage(stage.name()),
                Stage::Implicit => counted.implicit(world),
                // Part of the sweep, not in every step, of a few vertices, or not on devices.
                Stage::Air
                | Stage::Collect
                | Stage::Pins
                | Stage::Strain(_)
                | Stage::Limit(_)
                | Stage::Shapes
                | Stage::Match
                | Stage::Seams
                | Stage::Weld(_)
                | Stage::Guard
                | Stage::Touch
                | Stage::Plasticity
                | Stage::Merge => continue,
                #[cfg(test)]
                Stage::Drill => continue,
            };
            fresh = stage == Stage::Elastic;
            let known = stages.iter().position(|s| s.stage == stage.name());
            let at = known.unwrap_or_else(|| {
                stages.push(StageCount { stage: stage.name(), ..StageCount::default() });
                stages.len() - 1
            });
            for _ in 0..world.substeps.max(1) {
                stages[at].dispatches += count.dispatches;
                stages[at].once += count.once;
                stages[at].accesses += count.accesses;
            }
        }
        Self { accumulation: counted.accumulation, stages, iteration: counted.iteration() }
    }

    /// Dispatches of a step.
    pub fn dispatches(&self) -> u32 {
        self.stages.iter().map(|s| s.dispatches).sum()
    }

    /// Bytes of a step when every array is moved once per dispatch.
    pub fn once(&self) -> Bytes {
        let mut sum = Bytes::default();
        self.stages.iter().for_each(|s| sum += s.once);
        sum
    }

    /// Bytes of all loads and stores of a step.
    pub fn accesses(&self) -> Bytes {
        let mut sum = Bytes::default();
        self.stages.iter().for_each(|s| sum += s.accesses);
        sum
    }
}

/// The two counts of one dispatch, under way.
#[derive(Default)]
struct Tally {
    once: Bytes,
    accesses: Bytes,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.once += other.once;
        self.accesses += other.accesses;
    }
}

impl Tally {
    /// An array of `array` bytes is read; all loads together are `loads` bytes.
    fn read(&mut self, array: usize, loads: usize) {
        self.once.read += array as u64;
        self.accesses.read += loads as u64;
    }

    /// The counts of a stage of one dispatch.
    fn stage(self, stage: &'static str) -> StageCount {
        StageCount { stage, dispatches: 1, once: self.once, accesses: self.accesses }
    }

    /// An array of `array` bytes is written; all stores together are `stores` bytes.
    fn write(&mut self, array: usize, stores: usize) {
        self.once.written += array as u64;
        self.accesses.written += stores as u64;
    }
}

/// Bytes of a list of elements, and of the loads of those who walk through it.
#[derive(Clone, Copy, Default)]
struct ListBytes {
    array: usize,
    loads: usize,
    entries: usize,
}

impl ListBytes {
    fn of(lists: &Lists, slots: usize) -> Self {
        let Lists { words, filled } = lists;
        // Lanes whose list is shorter than the longest of their slice read the mark of its end.
        let ends = |slice: usize| {
            let last = (words[slice + 1] as usize).saturating_sub(SLICE).max(words[slice] as usize);
            words[last..words[slice + 1] as usize].iter().filter(|&&w| w == NONE).count()
        };
        let ends: usize = (0..slots / SLICE).map(ends).sum();
        // Every invocation looks up where its slice begins and ends.
        Self { array: 4 * words.len(), loads: 4 * (2 * slots + filled + ends), entries: *filled }
    }
}

/// Everything that the counts follow from.
struct Counted {
    accumulation: Accumulation,
    slots: usize,
    springs: usize,
    tets: usize,
    hinges: usize,
    bodies: usize,
    damped: bool,
    /// Lists that the elastic stage walks through.
    lists: Vec<ListBytes>,
    /// The list from which the sweep adds stored forces.
    part_list: ListBytes,
    /// Hinges at vertices.
    hinge_list: ListBytes,
    /// Pairs, for implicit steps.
    pairs: Option<CountedPairs>,
}

/// Bytes of one vertex in an array of vectors.
const VECTOR: usize = 16;
/// Bytes of the flags that steps without a pause have to do with, and of the one that every invocation looks
/// at.
const FLAGS: [usize; 2] = [4 * 4, 4];
/// Bytes of one stored force.
const PART: usize = 12;
/// Bytes of one fixed-point sum.
const SUM: usize = 24;

impl Counted {
    fn new(layout: &Layout, sizes: &Sizes, accumulation: Accumulation, damped: bool) -> Self {
        let &Sizes { slots, springs, tets, hinges, bodies, .. } = sizes;
        let (mut lists, mut part_list) = (Vec::new(), ListBytes::default());
        match accumulation {
            Accumulation::EdgeGather => part_list = ListBytes::of(&layout.part_lists(), slots),
            Accumulation::EdgeScatter => {}
            Accumulation::Auto | Accumulation::Gather => {
                lists = [layout.spring_lists(), layout.tet_lists()]
                    .iter()
                    .map(|l| ListBytes::of(l, slots))
                    .collect();
            }
        }
        let hinge_list = match hinges {
            0 => ListBytes::default(),
            _ => ListBytes::of(&layout.hinge_lists(), slots),
        };
        Self {
            accumulation,
            slots,
            springs,
            tets,
            hinges,
            bodies,
            damped,
            lists,
            part_list,
            hinge_list,
            pairs: None,
        }
    }

    fn parts(&self) -> usize {
        self.springs + 4 * self.tets
    }

    /// Elastic forces and those of bending.
    fn forces(&self) -> StageCount {
        let mut count = self.elastic().stage(Stage::Elastic.name());
        if self.hinges > 0 {
            let bending = self.bending().stage(Stage::Elastic.name());
            count.dispatches += bending.dispatches;
            count.once += bending.once;
            count.accesses += bending.accesses;
        }
        count
    }

    /// The kernel bending/kernel.wgsl.
    fn bending(&self) -> Tally {
        let (vertices, entries) = (VECTOR * self.slots, self.hinge_list.entries);
        let mut tally = Tally::default();
        tally.read(FLAGS[0], FLAGS[1] * self.slots);
        tally.read(self.hinge_list.array, self.hinge_list.loads);
        tally.read(vertices, 4 * VECTOR * entries);
        tally.read(3 * VECTOR * self.hinges, 3 * VECTOR * entries);
        tally.read(vertices, vertices);
        tally.write(vertices, vertices);
        tally
    }

    /// The kernels gather.wgsl, edge_gather.wgsl and edge_scatter.wgsl.
    fn elastic(&self) -> Tally {
        self.elastic_of(self.damped)
    }

    fn elastic_of(&self, damped: bool) -> Tally {
        let &Self { slots, springs, tets, .. } = self;
        let gathers = matches!(self.accumulation, Accumulation::Auto | Accumulation::Gather);
        // How often each element is computed, by how many invocations in all.
        let (spring_times, tet_times, threads) = match gathers {
            true => (2 * springs, 4 * tets, slots),
            false => (springs, tets, springs + tets),
        };
        let vertices = VECTOR * slots;
        let mut tally = Tally::default();
        tally.read(FLAGS[0], FLAGS[1] * threads);
        tally.read(vertices, VECTOR * (2 * spring_times + 4 * tet_times));
        tally.read(16 * springs, 16 * spring_times);
        if damped {
            tally.read(vertices, VECTOR * 2 * spring_times);
            tally.read(4 * springs, 4 * spring_times);
        }
        tally.read(16 * tets, 16 * tet_times);
        tally.read(8 * tets, 8 * tet_times);
        match self.accumulation {
            Accumulation::EdgeGather => tally.write(PART * self.parts(), PART * self.parts()),
            Accumulation::EdgeScatter => {
                let ends = 2 * springs + 4 * tets;
                tally.read(SUM * slots, SUM * ends);
                tally.write(SUM * slots, SUM * ends);
            }
            Accumulation::Auto | Accumulation::Gather => {
                self.lists.iter().for_each(|l| tally.read(l.array, l.loads));
                tally.write(vertices, vertices);
            }
        }
        tally
    }

    /// The kernel integrate/kernel.wgsl; `fresh` when the elastic forces were computed just before.
    fn integrate(&self, world: &World, fresh: bool) -> Tally {
        let slots = self.slots;
        let vertices = VECTOR * slots;
        let mut tally = Tally::default();
        tally.read(FLAGS[0], FLAGS[1] * slots);
        let source = if fresh { self.accumulation } else { Accumulation::Gather };
        self.collect(&mut tally, source);
        if keeps_forces(world.integrator) && source != Accumulation::Gather {
            tally.write(vertices, vertices);
        }
        self.body_constants(&mut tally);
        // Position, what rounding took from it, velocity, and what the integrator remembers.
        let state = (3 + history_count(world.integrator)) * vertices;
        tally.read(state, state);
        tally.write(state, state);
        tally
    }

    /// Taking the elastic forces from where they are.
    fn collect(&self, tally: &mut Tally, source: Accumulation) {
        let slots = self.slots;
        match source {
            Accumulation::Auto | Accumulation::Gather => {
                tally.read(VECTOR * slots, VECTOR * slots);
            }
            Accumulation::EdgeGather => {
                let list = self.part_list;
                tally.read(list.array, list.loads);
                tally.read(PART * self.parts(), PART * list.entries);
            }
            Accumulation::EdgeScatter => {
                tally.read(SUM * slots, SUM * slots);
                tally.write(SUM * slots, SUM * slots);
            }
        }
    }

    /// The body of the slice, then the three vectors of the body.
    fn body_constants(&self, tally: &mut Tally) {
        let body_constants = VECTOR * (3 * self.bodies + (self.slots / SLICE).div_ceil(4));
        tally.read(body_constants, (4 + 3 * VECTOR) * self.slots);
    }
}
