//! What each block computes: one program per block, and where the coefficients of elements are in it.

use super::exact_rest::make_rest_exact;
use super::fans::{self, Edges};
use super::kernel::{self, Window};
use super::program::{Coefficients, Places, Program};
use super::stars::place_springs;
use crate::model::partition::Block;
use crate::simd::{Lane4, Level};
use crate::stages::bending::Hinge;
use crate::stages::bending::cpu::BlockHinges;
use crate::stages::cpu::slots::Slots;
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
    /// Stiffness k \[N/m\] and k·L0 \[N\] of the springs.
    pub spring: &'a [[f32; 2]],
    /// Damping κ_d \[N·s/m\] of the springs.
    pub damping: Option<&'a [f32]>,
    /// Corners of the hinges.
    pub hinges: &'a [[u32; 4]],
    /// How they resist bending.
    pub hinge: &'a [Hinge<f32>],
    /// The blocks.
    pub blocks: &'a [Block],
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
            hinges: self.hinges,
            hinge: self.hinge,
        }
    }

    /// The vertices of a block's elements, in the order in which they are met.
    pub fn used(self, block: &Block) -> impl Iterator<Item = u32> + use<'a> {
        let tets = self.tets[indices(&block.tets)].iter().flatten();
        let springs = self.springs[indices(&block.springs)].iter().flatten();
        let hinges = self.hinges[indices(&block.hinges)].iter().flatten();
        tets.chain(springs).chain(hinges).copied()
    }
}

/// What one block computes.
#[derive(Debug)]
pub struct BlockProgram {
    /// Its springs, in model order.
    pub springs: Range<u32>,
    /// Its tetrahedra, in model order.
    pub tets: Range<u32>,
    /// The volume force of its tetrahedra.
    pub form: VolumeForm,
    /// Its hinges, in model order.
    pub hinges: BlockHinges,
    program: Program,
}

/// The programs of a model's blocks; see the [module](super) for how they are used.
#[derive(Debug)]
pub struct Layout {
    /// One for each block of the input.
    pub blocks: Vec<BlockProgram>,
    damped: bool,
    /// Where each element's coefficients are in its block's program.
    tet_place: Vec<u32>,
    spring_place: Vec<u32>,
}

impl Layout {
    /// Lays out the elements of a model whose vertices have these slots.
    pub fn build(input: &ElasticInput, slots: &Slots) -> Self {
        let mut layout = Self {
            blocks: Vec::with_capacity(input.blocks.len()),
            damped: input.damping.is_some(),
            tet_place: vec![0; input.tets.len()],
            spring_place: vec![0; input.springs.len()],
        };
        let mut local = vec![0; slots.count];
        for (number, block) in input.blocks.iter().enumerate() {
            slots.number_within(number, &mut local);
            let within = Within { slots, local: &local, dummy: slots.blocks[number].dummy() };
            layout.add_block(input, block, &within);
        }
        layout
    }

    fn add_block(&mut self, input: &ElasticInput, block: &Block, within: &Within<'_>) {
        // Bodies that are matched with their shapes have tetrahedra that give no force.
        let is_idle = block.springs.is_empty()
            && block.hinges.is_empty()
            && input.volume[indices(&block.tets)].iter().all(|volume| *volume == [0.0; 2]);
        let idle = Block { tets: block.tets.start..block.tets.start, ..block.clone() };
        let block = if is_idle { &idle } else { block };
        let dummy = within.dummy;
        let mut rest = vec![[0.0; 3]; usize::from(dummy)];
        for v in input.used(block) {
            rest[usize::from(within.number(v))] = input.rest[v as usize];
        }
        let number = |vertex: u32| within.number(vertex);
        let tets = &input.tets[indices(&block.tets)];
        let tets: Vec<[u16; 4]> = tets.iter().map(|tet| tet.map(number)).collect();
        let springs = &input.springs[indices(&block.springs)];
        let springs: Vec<[u16; 2]> = springs.iter().map(|ends| ends.map(number)).collect();

        let forms = &input.forms[indices(&block.tets)];
        debug_assert!(forms.iter().all(|f| *f == forms[0]), "one volume force per block");
        let edges = Edges::of(&tets);
        let mut plans = fans::plan(&edges, tets.len(), &rest, dummy);
        place_springs(&mut plans, &edges, &springs, dummy);
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
        make_rest_exact(&mut program, &rest, Level::detect().fuses());
        self.blocks.push(BlockProgram {
            springs: block.springs.clone(),
            tets: block.tets.clone(),
            form: forms.first().copied().unwrap_or_default(),
            hinges: BlockHinges {
                corners: input.hinges[indices(&block.hinges)]
                    .iter()
                    .map(|h| h.map(number))
                    .collect(),
                hinge: input.hinge[indices(&block.hinges)].to_vec(),
            },
            program,
        });
    }

    /// First half of a step: refreshes the block's halo, then computes the forces of its elements
    /// into its slots of `force`. Positions in \[m\], velocities in \[m/s\], forces in \[N\].
    ///
    /// Velocities are read, and copied to the halo, only if there is damping. Fourth components are
    /// not looked at; those of `force` are meaningless afterwards.
    ///
    /// # Safety
    /// The arrays have an entry for each of the `slots`. Meanwhile only this call writes the block's slots in
    /// `force` and its slots outside `owned` in `position` and `velocity`, and nobody writes the
    /// owned slots of any block in `position` and `velocity`.
    pub unsafe fn element_forces(
        &self,
        slots: &Slots,
        level: Level,
        block: usize,
        position: *mut Lane4,
        velocity: *mut Lane4,
        force: *mut Lane4,
    ) {
        let (block, own) = (&self.blocks[block], &slots.blocks[block]);
        // SAFETY: all slots lie within the arrays; the caller promises exclusive access.
        unsafe {
            own.refresh(position);
            if self.damped {
                own.refresh(velocity);
            }
            let base = own.slots.start as usize;
            let force = force.add(base);
            force.write_bytes(0, own.slots.len());
            let position = position.add(base);
            let arrays = Window { position, velocity: velocity.add(base), force };
            kernel::run(level, block.form, &block.program, arrays);
            block.hinges.add_forces(position, force);
        }
    }

    /// (k, k·L0, κ_d) of a spring of `block`, by its model number.
    pub fn spring(&self, block: usize, spring: u32) -> [f32; 3] {
        self.blocks[block].program.spring(self.spring_place[spring as usize])
    }

    /// (a, b) of a tetrahedron of `block`, by its model number.
    pub fn volume(&self, block: usize, tet: u32) -> [f32; 2] {
        if self.blocks[block].tets.is_empty() {
            return [0.0; 2];
        }
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
        // One without force is in no block's list.
        if self.blocks.get(at).is_none_or(|block| !block.tets.contains(&(tet as u32))) {
            return;
        }
        self.blocks[at].program.set_volume(self.tet_place[tet], coefficients);
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let maps = self.tet_place.capacity() + self.spring_place.capacity();
        maps * size_of::<u32>()
            + self.blocks.capacity() * size_of::<BlockProgram>()
            + self
                .blocks
                .iter()
                .map(|block| block.program.bytes() + block.hinges.bytes())
                .sum::<usize>()
    }
}

/// How the vertices of one block are numbered within it.
struct Within<'a> {
    slots: &'a Slots,
    /// By the owner's slot.
    local: &'a [u16],
    dummy: u16,
}

impl Within<'_> {
    fn number(&self, vertex: u32) -> u16 {
        self.local[self.slots.slot_of[vertex as usize] as usize]
    }
}

fn indices(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
