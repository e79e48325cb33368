//! Bytes and dispatches of implicit steps: the kernels in stages/implicit.

use super::{Counted, FLAGS, ListBytes, StageCount, Tally, VECTOR};
use crate::model::Family;
use crate::scene::{Accumulation, World};
use crate::stages::gpu::layout::{Layout, Lists, SLICE};
use crate::stages::implicit::gpu::sum_groups;
use crate::stages::implicit::pairs::{Pairs, has_full_blocks};

/// Everything about pairs that the counts follow from.
pub(super) struct CountedPairs {
    pairs: usize,
    /// Tetrahedra at pairs, all together.
    around: usize,
    /// Pairs of hinges, and hinges at them, all together.
    bent: [usize; 2],
    /// Bytes of a pair's block.
    block: usize,
    lists: ListBytes,
    /// The family of bodies that ask for none.
    of_world: Family,
}

/// Bytes of a workgroup's sums, and of what is known of a search.
const SUMS: usize = 8;
const SEARCH: usize = 4 * crate::stages::implicit::gpu::SEARCH_WORDS;

impl CountedPairs {
    pub fn new(layout: &Layout, of_world: Family) -> Self {
        let Pairs { pairs, around, bent, around_bent, mut lists } = Pairs::new(layout, of_world);
        let (slots, all) = (layout.slot_count(), 4 * lists.len());
        // The second half, the neighbours, is read where the first half has a pair.
        let starts = slots / SLICE + 1;
        lists.truncate(starts + (lists.len() - starts) / 2);
        let pairs = pairs.len() - 1;
        let mut bytes = ListBytes::of(&Lists { words: lists, filled: 2 * pairs }, slots);
        bytes.array = all;
        bytes.loads += 4 * (2 * pairs + 2 * slots);
        let block = if has_full_blocks(layout, of_world) { 3 * VECTOR } else { VECTOR };
        let bent = [bent.len() - 1, around_bent.len()];
        Self { pairs, around: around.len(), bent, block, lists: bytes, of_world }
    }

    /// Blocks and lists, as prepare.wgsl and multiply.wgsl walk through them, and `vectors` of each
    /// vertex and of its neighbours.
    fn gather(&self, tally: &mut Tally, slots: usize, vectors: usize) {
        tally.read(self.lists.array, self.lists.loads);
        tally.read(self.block * self.pairs, 2 * self.block * self.pairs);
        tally.read(vectors * VECTOR * slots, vectors * VECTOR * (slots + 2 * self.pairs));
    }
}

impl Counted {
    /// What every step does once: forces, the system, the end.
    pub(super) fn implicit(&self, world: &World) -> StageCount {
        let Some(pairs) = &self.pairs else { return StageCount::default() };
        let slots = self.slots;
        let vertices = |tally: &mut Tally, read: usize, written: usize| {
            tally.read(read * VECTOR * slots, read * VECTOR * slots);
            tally.write(written * VECTOR * slots, written * VECTOR * slots);
        };
        let mut tally = Tally::default();
        let mut dispatches = 9;
        // Explicit updates have left the forces; with damping they are others.
        let has_forces = pairs.of_world == Family::Explicit && !self.damped;
        if !has_forces {
            dispatches += 1;
            // Damping is in the matrix, not in the forces.
            tally = self.elastic_of(false);
        }
        if !has_forces && self.accumulation != Accumulation::Gather {
            dispatches += 1;
            self.collect(&mut tally, self.accumulation);
            vertices(&mut tally, 0, 1);
        }
        self.linearise(pairs, &mut tally);
        if pairs.bent[0] > 0 {
            // One to linearise, two to inspect, and their forces.
            dispatches += 3 + u32::from(!has_forces);
            self.bend(pairs, &mut tally, has_forces);
        }
        // prepare.wgsl
        tally.read(FLAGS[0], FLAGS[1] * slots);
        self.body_constants(&mut tally);
        pairs.gather(&mut tally, slots, 1);
        vertices(&mut tally, 1, 3);
        // begin.wgsl and `open` of decide.wgsl
        let groups = sum_groups(slots);
        tally.read(FLAGS[0], FLAGS[1] * groups);
        vertices(&mut tally, 7, 3);
        self.body_constants(&mut tally);
        tally.write(SUMS * groups, SUMS * groups);
        tally.read(SUMS * groups, SUMS * groups);
        tally.write(SEARCH, SEARCH);
        // momentum.wgsl, where nothing is missing
        vertices(&mut tally, 5, 0);
        // finish.wgsl
        tally.read(FLAGS[0], FLAGS[1] * slots);
        vertices(&mut tally, if world.bounds.is_some() { 8 } else { 4 }, 4);
        self.body_constants(&mut tally);
        self.inspect(&mut tally);
        StageCount { dispatches, ..tally.stage("implicit") }
    }

    /// inspect.wgsl before and after the step, and accept.wgsl.
    fn inspect(&self, tally: &mut Tally) {
        let (slots, groups) = (self.slots, sum_groups(self.slots));
        // Position and velocity before; with them both vectors of the own block after.
        for vectors in [2, 4] {
            tally.read(FLAGS[0], FLAGS[1] * groups);
            self.body_constants(tally);
            tally.read(16 * self.springs, 16 * self.springs);
            tally.read(24 * self.tets, 24 * self.tets);
            let corners = 2 * self.springs + 4 * self.tets;
            tally.read(vectors * VECTOR * slots, VECTOR * (vectors * slots + corners));
            tally.write(VECTOR * groups, VECTOR * groups);
        }
        // Which tetrahedra are upright.
        tally.write(4 * self.tets, 4 * self.tets);
        tally.read(4 * self.tets, 4 * self.tets);
        tally.read(2 * VECTOR * groups, 2 * VECTOR * groups);
    }

    /// linearise_bending.wgsl, inspect_bending.wgsl and, unless forces are there, bending/kernel.wgsl.
    fn bend(&self, pairs: &CountedPairs, tally: &mut Tally, has_forces: bool) {
        let (&[bent, around], groups) = (&pairs.bent, sum_groups(self.slots));
        if !has_forces {
            *tally += self.bending();
        }
        tally.read(FLAGS[0], FLAGS[1] * bent);
        tally.read(8 * (bent + 1), 16 * bent);
        tally.read(4 * around, 4 * around);
        tally.read(16 * pairs.pairs, 16 * around);
        tally.read(VECTOR * self.slots, 4 * VECTOR * around);
        tally.read(3 * VECTOR * self.hinges, 3 * VECTOR * around);
        tally.read(pairs.block * pairs.pairs, pairs.block * bent);
        tally.write(pairs.block * pairs.pairs, pairs.block * bent);
        for _ in 0..2 {
            tally.read(FLAGS[0], FLAGS[1] * groups);
            self.body_constants(tally);
            tally.read(VECTOR * self.slots, 4 * VECTOR * self.hinges);
            tally.read(3 * VECTOR * self.hinges, 3 * VECTOR * self.hinges);
            tally.read(VECTOR * groups, VECTOR * groups);
            tally.write(VECTOR * groups, VECTOR * groups);
        }
    }

    /// linearise.wgsl
    fn linearise(&self, pairs: &CountedPairs, tally: &mut Tally) {
        let &CountedPairs { pairs: count, around, block, .. } = pairs;
        tally.read(FLAGS[0], FLAGS[1] * count);
        tally.read(16 * (count + 1), 32 * count);
        tally.read(4 * around, 4 * around);
        tally.read(VECTOR * self.slots, VECTOR * (2 * count + 2 * around));
        tally.read(16 * self.springs, 16 * self.springs);
        if self.damped {
            tally.read(4 * self.springs, 4 * self.springs);
        }
        if around > 0 {
            tally.read(24 * self.tets, 24 * around);
        }
        tally.write(block * count, block * count);
    }

    /// What every iteration of conjugate gradients does: multiply.wgsl, cg_update.wgsl and `decide`.
    pub(super) fn iteration(&self) -> Option<StageCount> {
        let pairs = self.pairs.as_ref()?;
        let (slots, groups) = (self.slots, sum_groups(self.slots));
        let vertices = VECTOR * slots;
        let mut tally = Tally::default();
        pairs.gather(&mut tally, slots, 2);
        tally.read(vertices, vertices);
        tally.write(2 * vertices, 2 * vertices);
        tally.write(SUMS * groups, SUMS * groups);
        // Every workgroup adds up the sums of all.
        tally.read(SUMS * groups, SUMS * groups * groups);
        tally.read(7 * vertices, 7 * vertices);
        tally.write(3 * vertices, 3 * vertices);
        tally.write(SUMS * groups, SUMS * groups);
        tally.read(2 * SUMS * groups, 2 * SUMS * groups);
        tally.write(SEARCH, SEARCH);
        Some(StageCount { dispatches: 3, ..tally.stage("iteration") })
    }
}
