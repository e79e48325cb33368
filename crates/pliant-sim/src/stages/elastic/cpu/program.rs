//! A block's elements in the order in which the kernel reads them.

use crate::simd::Lanes;

/// Sixteen fans or stars of equal length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Which springs are present, in the order of their coefficients: a–b; a–r0, b–r0; then for
    /// each step i: a–r_{i+1}, b–r_{i+1}, r_i–r_{i+1}.
    pub slots: u64,
    /// Tetrahedra per fan, or chain links per star.
    pub steps: u8,
    /// The ring ends where it begins.
    pub closed: bool,
    /// Fans have an axis a–b; stars have only a.
    pub axis: bool,
}

/// Most steps in a fan: the slots must fit 64 bits.
pub(crate) const MAX_STEPS: usize = 16;

/// Bit of the spring a–b.
pub(crate) const SLOT_AXIS: u32 = 0;

/// Bit of the spring a–r_i; that of b–r_i is the next one.
pub(crate) fn slot_spoke(i: usize) -> u32 {
    if i == 0 { 1 } else { 3 * i as u32 }
}

/// Bit of the spring r_i–r_{i+1}.
pub(crate) fn slot_rim(i: usize) -> u32 {
    3 * i as u32 + 5
}

/// What a block computes.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub groups: Vec<Group>,
    /// Doubled slot numbers within the block, sixteen for each vertex of a group: a, b if there is
    /// an axis, then the ring.
    pub index: Vec<u16>,
    /// Sixteen at a time: k, k·L0 and, if damped, κ_d for a spring; a, w0 = b/a for a tetrahedron.
    pub coefficient: Vec<Lanes>,
    /// Springs have a third coefficient.
    pub damped: bool,
}

/// No vertex, tetrahedron or spring in this lane.
pub(crate) const NONE: u32 = u32::MAX;
/// Set on a tetrahedron that a fan walks through in the sense of negative volume.
pub(crate) const FLIPPED: u32 = 1 << 31;

/// A group before it is written down.
#[derive(Debug)]
pub(crate) struct GroupPlan {
    pub closed: bool,
    pub axis: bool,
    /// One row per vertex, local slot numbers.
    pub vertices: Vec<[u16; 16]>,
    /// One row per step, with [`FLIPPED`] or [`NONE`]; empty for stars.
    pub tets: Vec<[u32; 16]>,
    /// Springs (or, while they are placed, edges) for some slots, ascending by bit.
    pub slots: Vec<(u32, [u32; 16])>,
}

impl GroupPlan {
    pub fn steps(&self) -> usize {
        self.vertices.len() - 2 - usize::from(self.axis) + usize::from(self.closed)
    }
}

/// Coefficients of a block's elements, in the block's numbering.
pub(crate) struct Coefficients<'a> {
    pub volume: &'a [[f32; 2]],
    pub spring: &'a [[f32; 2]],
    pub damping: Option<&'a [f32]>,
}

/// Where an element's coefficients are.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    /// Per tetrahedron: number of the float that holds a, with [`FLIPPED`] if b is negated.
    pub tet: &'a mut [u32],
    /// Per spring: number of the float that holds k.
    pub spring: &'a mut [u32],
}

/// The n-th coefficient of an element follows the first by this many floats.
pub(crate) const LANES: usize = 16;

impl Program {
    /// Writes the plans down and notes where each element went.
    pub fn write(plans: &[GroupPlan], coefficients: &Coefficients, places: &mut Places) -> Self {
        let mut program = Self { damped: coefficients.damping.is_some(), ..Self::default() };
        let rows: usize = plans.iter().map(|plan| plan.vertices.len()).sum();
        program.groups.reserve_exact(plans.len());
        program.index.reserve_exact(LANES * rows);
        let per_spring = if program.damped { 3 } else { 2 };
        let lanes = plans.iter().map(|p| 2 * p.tets.len() + per_spring * p.slots.len());
        program.coefficient.reserve_exact(lanes.sum());
        for plan in plans {
            program.write_group(plan, coefficients, places);
        }
        program
    }

    fn write_group(&mut self, plan: &GroupPlan, from: &Coefficients, places: &mut Places) {
        let doubled = plan.vertices.iter().flatten().map(|vertex| 2 * vertex);
        self.index.extend(doubled);
        let steps = plan.steps();
        let mut slots = plan.slots.iter().peekable();
        let mut bits = 0;
        let mut springs_below = |program: &mut Self, limit: u32| {
            while let Some((bit, springs)) = slots.next_if(|(bit, _)| *bit < limit) {
                bits |= 1 << bit;
                program.write_springs(springs, from, places.spring);
            }
        };
        springs_below(self, 3);
        for step in 0..steps {
            springs_below(self, slot_rim(step) + 1);
            if let Some(tets) = plan.tets.get(step) {
                self.write_tets(tets, from, places.tet);
            }
        }
        debug_assert!(slots.next().is_none(), "a spring slot beyond the last step");
        self.groups.push(Group {
            slots: bits,
            steps: steps as u8,
            closed: plan.closed,
            axis: plan.axis,
        });
    }

    fn write_springs(&mut self, springs: &[u32; 16], from: &Coefficients, places: &mut [u32]) {
        let first = self.coefficient.len();
        let rows = if self.damped { 3 } else { 2 };
        self.coefficient.extend([Lanes::default(); 3][..rows].iter());
        for (lane, &spring) in springs.iter().enumerate().filter(|(_, s)| **s != NONE) {
            let spring = spring as usize;
            places[spring] = (LANES * first + lane) as u32;
            self.coefficient[first].0[lane] = from.spring[spring][0];
            self.coefficient[first + 1].0[lane] = from.spring[spring][1];
            if let Some(damping) = from.damping {
                self.coefficient[first + 2].0[lane] = damping[spring];
            }
        }
    }

    fn write_tets(&mut self, tets: &[u32; 16], from: &Coefficients, places: &mut [u32]) {
        let first = self.coefficient.len();
        self.coefficient.extend([Lanes::default(); 2]);
        for (lane, &entry) in tets.iter().enumerate().filter(|(_, t)| **t != NONE) {
            let tet = (entry & !FLIPPED) as usize;
            let place = (LANES * first + lane) as u32 | entry & FLIPPED;
            places[tet] = place;
            self.set_volume(place, from.volume[tet]);
        }
    }

    /// (k, k·L0, κ_d) of the spring at `place`.
    pub fn spring(&self, place: u32) -> [f32; 3] {
        let (row, lane) = (place as usize / LANES, place as usize % LANES);
        let damping = if self.damped { self.coefficient[row + 2].0[lane] } else { 0.0 };
        [self.coefficient[row].0[lane], self.coefficient[row + 1].0[lane], damping]
    }

    /// (a, b) of the tetrahedron at `place`.
    pub fn volume(&self, place: u32) -> [f32; 2] {
        let at = (place & !FLIPPED) as usize;
        let (row, lane) = (at / LANES, at % LANES);
        let (a, rest) = (self.coefficient[row].0[lane], self.coefficient[row + 1].0[lane]);
        [a, a * if place & FLIPPED != 0 { -rest } else { rest }]
    }

    /// Replaces (k, k·L0) of the spring at `place`.
    pub fn set_spring(&mut self, place: u32, [k, k_rest]: [f32; 2]) {
        let (row, lane) = (place as usize / LANES, place as usize % LANES);
        self.coefficient[row].0[lane] = k;
        self.coefficient[row + 1].0[lane] = k_rest;
    }

    /// Replaces (a, b) of the tetrahedron at `place`. Walked through the other way, w changes its
    /// sign, and so do w0 and the gradients.
    pub fn set_volume(&mut self, place: u32, [a, b]: [f32; 2]) {
        let at = (place & !FLIPPED) as usize;
        let (row, lane) = (at / LANES, at % LANES);
        let rest = if a == 0.0 { 0.0 } else { b / a };
        self.coefficient[row].0[lane] = a;
        self.coefficient[row + 1].0[lane] = if place & FLIPPED != 0 { -rest } else { rest };
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + self.index.capacity() * size_of::<u16>()
            + self.coefficient.capacity() * size_of::<Lanes>()
    }
}
