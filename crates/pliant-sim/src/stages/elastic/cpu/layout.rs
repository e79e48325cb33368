//! Where everything is: slots of vertices, halos, and one program per block.

use super::fans::{self, Edges};
use super::kernel::{self, Slots};
use super::program::{Coefficients, Places, Program};
use super::settle::settle;
use super::stars::place_springs;
use crate::model::partition::Block;
use crate::simd::{Lane4, Level};
use crate::stages::elastic::{Elements, VolumeForm};
use std::ops::Range;

/// The elements of a model and its blocks, all in model order.
#[derive(Clone, Copy, Debug)]
pub struct ElasticInput<'a> {
    /// Rest positions \[m\].
    pub rest: &'a [[f32; 3]],
    /// Corners of the tetrahedra.
    pub tets: &'a [[u32; 4]],
    /// Volume coefficients (a, b) of the tetrahedra.
    pub volume: &'a [[f32; 2]],
    /// What they mean; the same for all tetrahedra of a block.
    pub forms: &'a [VolumeForm],
    /// Ends of the springs.
    pub springs: &'a [[u32; 2]],
    /// Hardness k \[N/m\] and k·L0 \[N\] of the springs.
    pub spring: &'a [[f32; 2]],
    /// Damping κ_d \[N·s/m\] of the springs.
    pub damping: Option<&'a [f32]>,
    /// The blocks.
    pub blocks: &'a [Block],
    /// The vertices of each body.
    pub body_vertices: &'a [Range<u32>],
}

impl<'a> ElasticInput<'a> {
    /// The elements alone.
    pub fn elements(&self) -> Elements<'a> {
        Elements {
            tets: self.tets,
            volume: self.volume,
            forms: self.forms,
            springs: self.springs,
            spring: self.spring,
            damping: self.damping,
        }
    }
}

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

/// Partial forces that other blocks computed for a block's own vertices.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// Owned slots that other blocks have copies of.
    pub slots: Vec<u32>,
    /// The copies of `slots[i]` are `copies[start[i] .. start[i + 1]]`.
    pub start: Vec<u32>,
    /// Halo slots of other blocks, ascending.
    pub copies: Vec<u32>,
}

/// One block's part of the layout.
#[derive(Debug)]
pub struct LayoutBlock {
    /// All its slots; both ends are multiples of four.
    pub slots: Range<u32>,
    /// The slots of its own vertices, with padding; both ends are multiples of four.
    pub owned: Range<u32>,
    /// Its own vertices by body.
    pub runs: Vec<Run>,
    /// Forces to add to its own vertices.
    pub incoming: Incoming,
    /// The owner's slot of each halo slot, from `owned.end` on.
    pub halo_source: Vec<u32>,
    /// Its springs, in model order.
    pub springs: Range<u32>,
    /// Its tetrahedra, in model order.
    pub tets: Range<u32>,
    /// The volume force of its tetrahedra.
    pub form: VolumeForm,
    program: Program,
}

impl LayoutBlock {
    /// The copies of other blocks' vertices.
    pub fn halo(&self) -> Range<u32> {
        self.owned.end..self.owned.end + self.halo_source.len() as u32
    }

    fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
            + (self.incoming.slots.capacity()
                + self.incoming.start.capacity()
                + self.incoming.copies.capacity()
                + self.halo_source.capacity())
                * size_of::<u32>()
            + self.program.bytes()
    }
}

/// The storage order of a model and its programs; see the [module](super) for how it is used.
#[derive(Debug)]
pub struct Layout {
    /// Length of the position, velocity and force arrays.
    pub slot_count: usize,
    /// The slot of each model vertex in its owner's block.
    pub slot_of: Vec<u32>,
    /// One per block of the input.
    pub blocks: Vec<LayoutBlock>,
    damped: bool,
    /// Where each element's coefficients are in its block's program.
    tet_place: Vec<u32>,
    spring_place: Vec<u32>,
}

/// Slot numbers within a block are stored doubled in 16 bits.
const SLOT_LIMIT: usize = 1 << 15;

impl Layout {
    /// Lays out a model.
    ///
    /// # Panics
    /// If a block refers to more vertices than 16-bit numbers reach. Blocks made by
    /// [`crate::model::partition::partition`] stay below that.
    pub fn build(input: &ElasticInput) -> Self {
        let mut layout = Self {
            slot_count: 0,
            slot_of: vec![0; input.rest.len()],
            blocks: Vec::with_capacity(input.blocks.len()),
            damped: input.damping.is_some(),
            tet_place: vec![0; input.tets.len()],
            spring_place: vec![0; input.springs.len()],
        };
        let mut local = Local { of: vec![u32::MAX; input.rest.len()], halo: Vec::new() };
        for block in input.blocks {
            layout.add_block(input, block, &mut local);
        }
        layout.connect();
        layout
    }

    fn add_block(&mut self, input: &ElasticInput, block: &Block, local: &mut Local) {
        let base = self.slot_count as u32;
        let runs = runs(input, block, base);
        let owned = base..runs.last().map_or(base, |run| run.slots.end.next_multiple_of(4));
        for run in &runs {
            for (vertex, slot) in (run.first_vertex..).zip(run.slots.clone()) {
                self.slot_of[vertex as usize] = slot;
                local.of[vertex as usize] = slot - base;
            }
        }
        local.halo.clear();
        let owned_count = owned.end - base;
        let tets: Vec<[u16; 4]> = input.tets[indices(&block.tets)]
            .iter()
            .map(|tet| tet.map(|vertex| local.number(vertex, owned_count)))
            .collect();
        let springs: Vec<[u16; 2]> = input.springs[indices(&block.springs)]
            .iter()
            .map(|ends| ends.map(|vertex| local.number(vertex, owned_count)))
            .collect();
        let dummy = owned_count as usize + local.halo.len();
        assert!(dummy < SLOT_LIMIT, "a block refers to {dummy} vertices: cut it into smaller ones");
        let rest = local_rest(input, &runs, &local.halo, base, dummy);

        let forms = &input.forms[indices(&block.tets)];
        debug_assert!(forms.iter().all(|f| *f == forms[0]), "one volume force per block");
        let edges = Edges::of(&tets);
        let mut plans = fans::plan(&edges, tets.len(), &rest, dummy as u16);
        place_springs(&mut plans, &edges, &springs, dummy as u16);
        let coefficients = Coefficients {
            volume: &input.volume[indices(&block.tets)],
            spring: &input.spring[indices(&block.springs)],
            damping: input.damping.map(|damping| &damping[indices(&block.springs)]),
        };
        let mut places = Places {
            tet: &mut self.tet_place[indices(&block.tets)],
            spring: &mut self.spring_place[indices(&block.springs)],
        };
        let mut program = Program::write(&plans, &coefficients, &mut places);
        let lane = |&[x, y, z]: &[f32; 3]| Lane4([x, y, z, 0.0]);
        let rest: Vec<Lane4> = rest.iter().map(lane).chain([Lane4::default()]).collect();
        settle(&mut program, &rest, Level::detect().fuses());
        let end = (base + dummy as u32 + 1).next_multiple_of(4);
        self.slot_count = end as usize;
        self.blocks.push(LayoutBlock {
            slots: base..end,
            owned,
            runs,
            incoming: Incoming::default(),
            halo_source: local.halo.clone(),
            springs: block.springs.clone(),
            tets: block.tets.clone(),
            form: forms.first().copied().unwrap_or_default(),
            program,
        });
        let halo = local.halo.iter().copied();
        halo.chain(block.vertices.clone()).for_each(|v| local.of[v as usize] = u32::MAX);
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

    /// First half of a step: refreshes the block's halo, then computes the forces of its elements
    /// into its slots of `force`. Positions in \[m\], velocities in \[m/s\], forces in \[N\].
    ///
    /// Velocities are read, and copied to the halo, only if there is damping. Fourth components are
    /// not looked at; those of `force` are meaningless afterwards.
    ///
    /// # Safety
    /// The arrays have `slot_count` entries. Meanwhile only this call writes the block's slots in
    /// `force` and its slots outside `owned` in `position` and `velocity`, and nobody writes the
    /// owned slots of any block in `position` and `velocity`.
    pub unsafe fn element_forces(
        &self,
        level: Level,
        block: usize,
        position: *mut Lane4,
        velocity: *mut Lane4,
        force: *mut Lane4,
    ) {
        let block = &self.blocks[block];
        // SAFETY: all slots are below `slot_count`; the caller promises exclusive access.
        unsafe {
            block.refresh(position);
            if self.damped {
                block.refresh(velocity);
            }
            let base = block.slots.start as usize;
            let force = force.add(base);
            force.write_bytes(0, block.slots.len());
            let slots = Slots { position: position.add(base), velocity: velocity.add(base), force };
            kernel::run(level, block.form, &block.program, slots);
        }
    }

    /// Second half of a step: adds what other blocks computed for this block's own vertices.
    ///
    /// # Safety
    /// `force` has `slot_count` entries, [`Self::element_forces`] is over for all blocks, and
    /// meanwhile only this call writes the block's owned slots and nobody writes halo slots.
    pub unsafe fn collect(&self, block: usize, force: *mut Lane4) {
        let incoming = &self.blocks[block].incoming;
        for (n, &slot) in incoming.slots.iter().enumerate() {
            let copies = incoming.start[n] as usize..incoming.start[n + 1] as usize;
            // SAFETY: all slots are below `slot_count`; the caller promises exclusive access.
            unsafe {
                let total = &mut (*force.add(slot as usize)).0;
                for &copy in &incoming.copies[copies] {
                    let part = (*force.add(copy as usize)).0;
                    for axis in 0..3 {
                        total[axis] += part[axis];
                    }
                }
            }
        }
    }

    /// (k, k·L0, κ_d) of a spring of `block`, by its model number.
    pub fn spring(&self, block: usize, spring: u32) -> [f32; 3] {
        self.blocks[block].program.spring(self.spring_place[spring as usize])
    }

    /// (a, b) of a tetrahedron of `block`, by its model number.
    pub fn volume(&self, block: usize, tet: u32) -> [f32; 2] {
        self.blocks[block].program.volume(self.tet_place[tet as usize])
    }

    /// Replaces (k, k·L0) of a spring, by its model number.
    pub fn set_spring(&mut self, spring: usize, coefficients: [f32; 2]) {
        let at = self.blocks.partition_point(|block| block.springs.end as usize <= spring);
        self.blocks[at].program.set_spring(self.spring_place[spring], coefficients);
    }

    /// Replaces (a, b) of a tetrahedron, by its model number.
    pub fn set_volume(&mut self, tet: usize, coefficients: [f32; 2]) {
        let at = self.blocks.partition_point(|block| block.tets.end as usize <= tet);
        self.blocks[at].program.set_volume(self.tet_place[tet], coefficients);
    }

    /// Heap memory of the layout \[bytes\], without the arrays that the backend holds.
    pub fn bytes(&self) -> usize {
        let maps =
            self.slot_of.capacity() + self.tet_place.capacity() + self.spring_place.capacity();
        maps * size_of::<u32>()
            + self.blocks.capacity() * size_of::<LayoutBlock>()
            + self.blocks.iter().map(LayoutBlock::bytes).sum::<usize>()
    }
}

impl LayoutBlock {
    /// Copies the halo's entries from their owners and gives the dummy a finite value.
    ///
    /// # Safety
    /// As for [`Layout::element_forces`].
    pub(crate) unsafe fn refresh(&self, array: *mut Lane4) {
        let halo = self.halo();
        // SAFETY: promised by the caller.
        unsafe {
            for (slot, &source) in halo.clone().zip(&self.halo_source) {
                *array.add(slot as usize) = *array.add(source as usize);
            }
            *array.add(halo.end as usize) = Lane4::default();
        }
    }
}

/// Local numbers of the vertices of the block that is being laid out.
struct Local {
    /// Per model vertex, `u32::MAX` if it is not in the block.
    of: Vec<u32>,
    /// The vertices of other blocks, in order of first use.
    halo: Vec<u32>,
}

impl Local {
    fn number(&mut self, vertex: u32, owned_count: u32) -> u16 {
        let number = &mut self.of[vertex as usize];
        if *number == u32::MAX {
            *number = owned_count + self.halo.len() as u32;
            self.halo.push(vertex);
        }
        // Truncation is caught by the limit on the number of slots.
        *number as u16
    }
}

fn indices(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// The block's own vertices by body, each at the next multiple of four from `base` on.
fn runs(input: &ElasticInput, block: &Block, base: u32) -> Vec<Run> {
    let mut slot = base;
    let mut runs = Vec::new();
    for body in block.bodies.clone() {
        let vertices = &input.body_vertices[body as usize];
        let first = vertices.start.max(block.vertices.start);
        let count = vertices.end.min(block.vertices.end).saturating_sub(first);
        if count > 0 {
            runs.push(Run { slots: slot..slot + count, first_vertex: first, body });
            slot = (slot + count).next_multiple_of(4);
        }
    }
    runs
}

/// Rest positions by local number.
fn local_rest(
    input: &ElasticInput,
    runs: &[Run],
    halo: &[u32],
    base: u32,
    count: usize,
) -> Vec<[f32; 3]> {
    let mut rest = vec![[0.0; 3]; count - halo.len()];
    for run in runs {
        let from = run.first_vertex as usize..run.first_vertex as usize + run.slots.len();
        let to = (run.slots.start - base) as usize..(run.slots.end - base) as usize;
        rest[to].copy_from_slice(&input.rest[from]);
    }
    rest.extend(halo.iter().map(|&v| input.rest[v as usize]));
    rest
}
