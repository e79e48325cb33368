//! Where the vertices of a model live on processors.
//!
//! Each block has a contiguous stretch of *slots* in every vertex array: its own vertices, then copies of
//! those that it needs from other blocks (the halo), then a dummy for whoever has nothing to do there.
//! What a block computes for its copies comes in at the owners in the next pass, in ascending order, so
//! that every sum has one order. All families of bodies share this; what a block computes is the business
//! of stages.

use std::ops::Range;

use crate::model::partition::Block;
use crate::simd::Lane4;

/// The vertices of one body in one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Their slots; the first is a multiple of four, the padding behind them is not included.
    pub slots: Range<u32>,
    /// The model vertex in the first slot; the others follow.
    pub first_vertex: u32,
    /// The body.
    pub body: u32,
}

/// What other blocks computed for a block's own vertices.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// Owned slots that other blocks have copies of.
    pub slots: Vec<u32>,
    /// The copies of `slots[i]` are `copies[start[i] .. start[i + 1]]`.
    pub start: Vec<u32>,
    /// Halo slots of other blocks, ascending.
    pub copies: Vec<u32>,
}

/// The slots of one block.
#[derive(Debug)]
pub struct BlockSlots {
    /// All of them; both ends are multiples of four.
    pub slots: Range<u32>,
    /// Those of its own vertices, with padding; both ends are multiples of four.
    pub owned: Range<u32>,
    /// Its own vertices by body.
    pub runs: Vec<Run>,
    /// What to add to its own vertices.
    pub incoming: Incoming,
    /// The owner's slot of each halo slot, from `owned.end` on.
    pub halo_source: Vec<u32>,
}

/// The slots of a model.
#[derive(Debug)]
pub struct Slots {
    /// How many there are: the length of vertex arrays.
    pub count: usize,
    /// The slot of each model vertex in its owner's block.
    pub slot_of: Vec<u32>,
    /// One for each block of the model.
    pub blocks: Vec<BlockSlots>,
    /// Behind all blocks: the vertices of surfaces whose motion is given. They are numbered behind those of the model,
    /// and so are their bodies.
    pub given: Vec<Run>,
}

/// Slot numbers within a block are stored doubled in 16 bits.
const SLOT_LIMIT: usize = 1 << 15;

impl Slots {
    /// Gives every vertex a slot in its own block, and copies to blocks that refer to it: `used` are the
    /// vertices that a block refers to, in the order in which halos will have them.
    ///
    /// # Panics
    /// If a block refers to more vertices than 16-bit numbers reach. Blocks made by
    /// [`crate::model::partition::partition`] stay below that.
    pub fn build<I: Iterator<Item = u32>>(
        blocks: &[Block],
        body_vertices: &[Range<u32>],
        used: impl Fn(&Block) -> I,
    ) -> Self {
        let vertices = body_vertices.iter().map(|body| body.end as usize).max().unwrap_or(0);
        let mut all = Self {
            count: 0,
            slot_of: vec![0; vertices],
            blocks: Vec::with_capacity(blocks.len()),
            given: Vec::new(),
        };
        let mut is_seen = vec![false; vertices];
        for block in blocks {
            let runs = runs(body_vertices, block, all.count as u32);
            all.add(runs, halo(block, used(block), &mut is_seen));
        }
        all.connect();
        all
    }

    /// Adds slots for surfaces with so many vertices whose motion is given.
    pub fn add_given(&mut self, first_body: u32, vertex_counts: impl Iterator<Item = usize>) {
        let mut first_vertex = self.slot_of.len() as u32;
        for (body, count) in (first_body..).zip(vertex_counts) {
            let first = self.count as u32;
            self.given.push(Run { slots: first..first + count as u32, first_vertex, body });
            self.count = (self.count + count).next_multiple_of(4);
            first_vertex += count as u32;
        }
    }

    /// Adds a block with these vertices of its own, and vertices of other blocks.
    fn add(&mut self, runs: Vec<Run>, halo: Vec<u32>) {
        let base = self.count as u32;
        let owned = base..runs.last().map_or(base, |run| run.slots.end.next_multiple_of(4));
        for run in &runs {
            for (vertex, slot) in (run.first_vertex..).zip(run.slots.clone()) {
                self.slot_of[vertex as usize] = slot;
            }
        }
        let dummy = owned.len() + halo.len();
        assert!(dummy < SLOT_LIMIT, "a block refers to {dummy} vertices: cut it into smaller ones");
        let slots = base..(base + dummy as u32 + 1).next_multiple_of(4);
        self.count = slots.end as usize;
        let incoming = Incoming::default();
        self.blocks.push(BlockSlots { slots, owned, runs, incoming, halo_source: halo });
    }

    /// Turns the halos' vertices into their owners' slots, and tells the owners.
    fn connect(&mut self) {
        let mut copies: Vec<(u32, u32)> = Vec::new();
        for block in &mut self.blocks {
            for (source, halo) in block.halo_source.iter_mut().zip(block.owned.end..) {
                *source = self.slot_of[*source as usize];
                copies.push((*source, halo));
            }
        }
        copies.sort_unstable();
        let mut rest = copies.as_slice();
        for block in &mut self.blocks {
            let (own, others) = rest.split_at(rest.partition_point(|c| c.0 < block.slots.end));
            rest = others;
            let incoming = &mut block.incoming;
            for copies in own.chunk_by(|a, b| a.0 == b.0) {
                incoming.slots.push(copies[0].0);
                incoming.start.push(incoming.copies.len() as u32);
                incoming.copies.extend(copies.iter().map(|copy| copy.1));
            }
            incoming.start.push(incoming.copies.len() as u32);
            incoming.slots.shrink_to_fit();
            incoming.start.shrink_to_fit();
            incoming.copies.shrink_to_fit();
        }
    }

    /// Writes the numbers that vertices have within a block to `local`, at the owners' slots.
    pub fn number_within(&self, block: usize, local: &mut [u16]) {
        let block = &self.blocks[block];
        let base = block.slots.start;
        block.owned.clone().for_each(|slot| local[slot as usize] = (slot - base) as u16);
        for (&source, slot) in block.halo_source.iter().zip(block.halo()) {
            local[source as usize] = (slot - base) as u16;
        }
    }

    /// Adds what other blocks computed for this block's own vertices, of whatever it is.
    ///
    /// # Safety
    /// `array` has `count` entries, other blocks have written their copies in an earlier pass, and
    /// meanwhile only this call writes the block's owned slots and nobody writes halo slots.
    pub unsafe fn collect(&self, block: usize, array: *mut Lane4) {
        let incoming = &self.blocks[block].incoming;
        for (n, &slot) in incoming.slots.iter().enumerate() {
            let copies = incoming.start[n] as usize..incoming.start[n + 1] as usize;
            // SAFETY: all slots are below `count`; the caller promises exclusive access.
            unsafe {
                let total = &mut (*array.add(slot as usize)).0;
                for &copy in &incoming.copies[copies] {
                    let part = (*array.add(copy as usize)).0;
                    for axis in 0..3 {
                        total[axis] += part[axis];
                    }
                }
            }
        }
    }

    /// Heap memory \[bytes\], without the arrays that have these slots.
    pub fn bytes(&self) -> usize {
        self.slot_of.capacity() * size_of::<u32>()
            + self.blocks.capacity() * size_of::<BlockSlots>()
            + self.blocks.iter().map(BlockSlots::bytes).sum::<usize>()
    }
}

impl BlockSlots {
    /// The copies of other blocks' vertices.
    pub fn halo(&self) -> Range<u32> {
        self.owned.end..self.owned.end + self.halo_source.len() as u32
    }

    /// The number of the dummy within the block.
    pub fn dummy(&self) -> u16 {
        (self.halo().end - self.slots.start) as u16
    }

    /// Copies the halo's entries from their owners and gives the dummy a finite value.
    ///
    /// # Safety
    /// The array has an entry for each slot of the model. Meanwhile only this call writes the block's
    /// slots outside `owned`, and nobody writes the owned slots of any block.
    pub unsafe fn refresh(&self, array: *mut Lane4) {
        let halo = self.halo();
        // SAFETY: promised by the caller.
        unsafe {
            for (slot, &source) in halo.clone().zip(&self.halo_source) {
                *array.add(slot as usize) = *array.add(source as usize);
            }
            *array.add(halo.end as usize) = Lane4::default();
        }
    }

    fn bytes(&self) -> usize {
        let Incoming { slots, start, copies } = &self.incoming;
        let numbers = [slots, start, copies, &self.halo_source].map(Vec::capacity);
        self.runs.capacity() * size_of::<Run>() + numbers.iter().sum::<usize>() * size_of::<u32>()
    }
}

/// The vertices of other blocks among those that a block refers to, each once.
fn halo(block: &Block, used: impl Iterator<Item = u32>, is_seen: &mut [bool]) -> Vec<u32> {
    let mut halo: Vec<u32> = used.filter(|vertex| !block.vertices.contains(vertex)).collect();
    halo.retain(|&vertex| !std::mem::replace(&mut is_seen[vertex as usize], true));
    halo.iter().for_each(|&vertex| is_seen[vertex as usize] = false);
    halo.shrink_to_fit();
    halo
}

/// The block's own vertices by body, each at the next multiple of four from `base` on.
fn runs(body_vertices: &[Range<u32>], block: &Block, base: u32) -> Vec<Run> {
    let mut slot = base;
    let mut runs = Vec::new();
    for body in block.bodies.clone() {
        let vertices = &body_vertices[body as usize];
        let first = vertices.start.max(block.vertices.start);
        let count = vertices.end.min(block.vertices.end).saturating_sub(first);
        if count > 0 {
            runs.push(Run { slots: slot..slot + count, first_vertex: first, body });
            slot = (slot + count).next_multiple_of(4);
        }
    }
    runs
}
