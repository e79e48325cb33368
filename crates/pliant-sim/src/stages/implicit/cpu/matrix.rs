//! The pair blocks of a block's elements, in the order in which the kernel reads them.
//!
//! The groups are those of the elastic stage ([`crate::stages::elastic::cpu`]): sixteen fans or
//! stars side by side, whose vertices are fetched once for several pairs. Only those are kept that
//! have pairs to compute, which are far fewer than the forces need.
//!
//! A pair of a body without volume forces is a spring, and four numbers define its block: `q I + e eᵀ`. Bending of
//! the quadratic form adds to q, for pairs without a spring, too. Otherwise a pair is a full 3×3 block. Pairs at the border of two blocks are in both, each with what
//! the block's own elements add.

use std::collections::BTreeMap;
use std::ops::Range;

use super::linearise;
use crate::math::Vec3;
use crate::model::Model;
use crate::simd::{Lane4, Lanes};
use crate::stages::bending::formula::{hinge_pair, hinge_slopes};
use crate::stages::bending::{Form, Hinge, PAIRS};
use crate::stages::cpu::slots::Slots;
use crate::stages::elastic::cpu::Layout;
use crate::stages::elastic::cpu::fans::{self, Edges, edge_key};
use crate::stages::elastic::cpu::program::{
    FLIPPED, Group, GroupPlan, LANES, NONE, SLOT_AXIS, slot_rim, slot_spoke,
};
use crate::stages::elastic::cpu::stars::place_springs;
use crate::stages::elastic::formula::EDGE_CORNERS;

/// Numbers that define the block of a spring, and of any pair.
pub(super) const SPRING_ROWS: usize = 4;
pub(super) const PAIR_ROWS: usize = 9;

/// The matrix of one block's elements.
pub(crate) struct BlockMatrix {
    pub(super) groups: Vec<Group>,
    /// Doubled slot numbers within the block, sixteen for each vertex of a group.
    pub(super) index: Vec<u16>,
    /// Sixteen at a time: the numbers that define a pair's block.
    pub(super) coefficient: Vec<Lanes>,
    /// The elements that give the coefficients, if pairs are full blocks.
    pub(super) volumes: Option<Volumes>,
    /// Otherwise: where the coefficients of pairs without a spring are, behind those of springs.
    pub(super) springless: Vec<([u16; 2], u32)>,
    /// What bending adds to q of each pair \[N/m\], springs first; empty without.
    pub(super) bending: Vec<f32>,
    /// Local ends of each spring and where its coefficients are; of full blocks, its pair.
    pub(super) springs: Vec<([u16; 2], u32)>,
    /// Local corners of each tetrahedron.
    pub(super) tets: Vec<[u16; 4]>,
    /// Which tetrahedra were not inside out when the step began.
    pub(super) upright: Vec<bool>,
}

/// Tetrahedra and the pairs between their corners.
pub(super) struct Volumes {
    /// Local ends of each pair, lower first, and where its coefficients are, with [`FLIPPED`] where
    /// the kernel meets it upper end first.
    pub pairs: Vec<([u16; 2], u32)>,
    /// Pairs of each tetrahedron's edges in the order of [`EDGE_CORNERS`], with [`FLIPPED`] where that has the
    /// upper end first.
    pub tet_pairs: Vec<[u32; 6]>,
    /// Likewise of each hinge, in the order of [`PAIRS`].
    pub hinge_pairs: Vec<[u32; 6]>,
    /// The blocks of the pairs while they are added up.
    pub sums: Vec<[f32; 9]>,
}

impl BlockMatrix {
    /// Lays out the matrix of block `number`; `local` has an entry for each slot.
    pub fn new(model: &Model, slots: &Slots, number: usize, local: &mut [u16]) -> Self {
        let block = &model.blocks[number];
        slots.number_within(number, local);
        let at = |vertex: u32| local[slots.slot_of[vertex as usize] as usize];
        let dummy = slots.blocks[number].dummy();
        let mut rest = vec![[0.0; 3]; usize::from(dummy)];
        let tets = &model.tets[indices(&block.tets)];
        let springs = &model.springs[indices(&block.springs)];
        let hinge_corners = model.hinges[indices(&block.hinges)].iter().flatten();
        for &v in tets.iter().flatten().chain(springs.iter().flatten()).chain(hinge_corners) {
            rest[usize::from(at(v))] = model.rest[v as usize];
        }
        let tets: Vec<[u16; 4]> = tets.iter().map(|t| t.map(at)).collect();
        let springs: Vec<[u16; 2]> = springs.iter().map(|s| s.map(at)).collect();
        let edges = Edges::of(&tets);
        let hinges = &model.hinges[indices(&block.hinges)];
        let hinges: Vec<[u16; 4]> = hinges.iter().map(|h| h.map(at)).collect();
        let hinge = &model.hinge[indices(&block.hinges)];
        let is_full = model.volume[indices(&block.tets)].iter().any(|[a, _]| *a != 0.0)
            || hinge.iter().any(|hinge| hinge.form == Form::Dihedral);
        let mut bending = Vec::new();
        let pairs = match is_full {
            true => all_pairs(&edges, &springs, &hinges),
            false => with_springless(&springs, &hinges, hinge, &mut bending),
        };
        let mut plans = fans::plan_edges(&edges, tets.len(), &rest, dummy);
        place_springs(&mut plans, &edges, &pairs, dummy);
        plans.retain(|plan| !plan.slots.is_empty());
        let rows = if is_full { PAIR_ROWS } else { SPRING_ROWS };
        let mut matrix = Self {
            groups: Vec::with_capacity(plans.len()),
            index: Vec::new(),
            coefficient: Vec::new(),
            volumes: None,
            springless: Vec::new(),
            bending,
            springs: Vec::new(),
            upright: vec![true; tets.len()],
            tets,
        };
        let mut places = vec![0; pairs.len()];
        plans.iter().for_each(|plan| matrix.write(plan, &pairs, rows, &mut places));
        if is_full {
            matrix.springs = springs.iter().map(|&s| (s, find(&pairs, s))).collect();
            matrix.volumes = Some(Volumes::new(pairs, places, &matrix.tets, &hinges));
        } else {
            let mut placed = pairs.into_iter().zip(places);
            matrix.springs = placed.by_ref().take(springs.len()).collect();
            matrix.springless = placed.collect();
        }
        matrix
    }

    /// Writes a group down and notes where its pairs went.
    fn write(&mut self, plan: &GroupPlan, pairs: &[[u16; 2]], rows: usize, places: &mut [u32]) {
        self.index.extend(plan.vertices.iter().flatten().map(|vertex| 2 * vertex));
        let mut bits = 0;
        for (bit, row) in &plan.slots {
            bits |= 1 << bit;
            let first = self.coefficient.len();
            self.coefficient.extend(std::iter::repeat_n(Lanes::default(), rows));
            let from = &plan.vertices[first_end(plan, *bit)];
            for lane in (0..LANES).filter(|&lane| row[lane] != NONE) {
                let pair = row[lane] as usize;
                let flipped = if from[lane] == pairs[pair][0] { 0 } else { FLIPPED };
                places[pair] = (LANES * first + lane) as u32 | flipped;
            }
        }
        self.groups.push(Group {
            slots: bits,
            steps: plan.steps() as u8,
            closed: plan.closed,
            axis: plan.axis,
        });
    }

    /// Computes the coefficients for timestep `h` at the block's positions, and adds what they give
    /// to the vertices' own blocks: (xx, yy, zz) to the first array of `diagonal`, (xy, yz, zx) to the
    /// second.
    ///
    /// # Safety
    /// The pointers lead to the block's slots; nobody writes the positions meanwhile, and nobody else
    /// accesses `diagonal`.
    pub unsafe fn linearise(
        &mut self,
        layout: &Layout,
        number: usize,
        h: f32,
        position: *const Lane4,
        diagonal: [*mut Lane4; 2],
    ) {
        // SAFETY: promised by the caller.
        unsafe { linearise::run(self, layout, number, h, position, diagonal) }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let Self {
            groups,
            index,
            coefficient,
            volumes,
            springs,
            springless,
            bending,
            tets,
            upright,
        } = self;
        let volumes = volumes.as_ref().map_or(0, |v| {
            let elements = size_of_val(&v.tet_pairs[..]) + size_of_val(&v.hinge_pairs[..]);
            size_of_val(&v.pairs[..]) + elements + size_of_val(&v.sums[..])
        });
        size_of_val(&groups[..])
            + size_of_val(&index[..])
            + size_of_val(&coefficient[..])
            + size_of_val(&springs[..])
            + size_of_val(&springless[..])
            + size_of_val(&bending[..])
            + size_of_val(&tets[..])
            + upright.len()
            + volumes
    }
}

impl Volumes {
    fn new(pairs: Vec<[u16; 2]>, places: Vec<u32>, tets: &[[u16; 4]], hinges: &[[u16; 4]]) -> Self {
        let pair = |[i, j]: [u16; 2]| find(&pairs, [i, j]) | if i < j { 0 } else { FLIPPED };
        let of_tet = |tet: &[u16; 4]| EDGE_CORNERS.map(|[i, j, ..]| pair([tet[i], tet[j]]));
        let of_hinge = |hinge: &[u16; 4]| PAIRS.map(|[i, j]| pair([hinge[i], hinge[j]]));
        let tet_pairs = tets.iter().map(of_tet).collect();
        let hinge_pairs = hinges.iter().map(of_hinge).collect();
        let sums = vec![[0.0; 9]; pairs.len()];
        Self { pairs: pairs.into_iter().zip(places).collect(), tet_pairs, hinge_pairs, sums }
    }
}

/// The edges of the tetrahedra, the springs and the pairs of hinges, each pair once, lower end first, in order.
fn all_pairs(edges: &Edges, springs: &[[u16; 2]], hinges: &[[u16; 4]]) -> Vec<[u16; 2]> {
    let mut keys = edges.keys.clone();
    keys.extend(springs.iter().map(|&[i, j]| edge_key(i, j)));
    keys.extend(pairs_of(hinges).map(|[i, j]| edge_key(i, j)));
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(|key| [(key >> 16) as u16, key as u16]).collect()
}

/// The pairs of hinges, hinge by hinge.
fn pairs_of(hinges: &[[u16; 4]]) -> impl Iterator<Item = [u16; 2]> {
    hinges.iter().flat_map(|hinge| PAIRS.map(|[i, j]| [hinge[i], hinge[j]]))
}

/// Springs, then pairs of hinges that no spring joins; what bending adds to each of them goes to `bending`.
fn with_springless(
    springs: &[[u16; 2]],
    hinges: &[[u16; 4]],
    hinge: &[Hinge<f32>],
    bending: &mut Vec<f32>,
) -> Vec<[u16; 2]> {
    let mut pairs = springs.to_vec();
    if hinges.is_empty() {
        return pairs;
    }
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    for (n, &[i, j]) in springs.iter().enumerate() {
        numbers.entry(edge_key(i, j)).or_insert(n);
    }
    bending.resize(springs.len(), 0.0);
    for (corners, hinge) in hinges.iter().zip(hinge) {
        let slopes = hinge_slopes([Vec3::zero(); 4], hinge);
        for [i, j] in PAIRS {
            let ends = [corners[i].min(corners[j]), corners[i].max(corners[j])];
            let number = *numbers.entry(edge_key(ends[0], ends[1])).or_insert_with(|| {
                pairs.push(ends);
                bending.push(0.0);
                pairs.len() - 1
            });
            // Of the quadratic form it is a multiple of the unit matrix, wherever corners are.
            bending[number] += hinge_pair(hinge, slopes, i, j)[0][0];
        }
    }
    pairs
}

/// The pair with these ends.
fn find(pairs: &[[u16; 2]], [i, j]: [u16; 2]) -> u32 {
    let pair = pairs.binary_search(&[i.min(j), i.max(j)]);
    pair.expect("every edge of an element is a pair") as u32
}

/// The row of vertices with the first ends of the pairs in slot `bit`.
fn first_end(plan: &GroupPlan, bit: u32) -> usize {
    let ring = 1 + usize::from(plan.axis);
    let vertices = plan.vertices.len() - ring;
    (0..vertices)
        .find_map(|i| {
            if bit == slot_rim(i) {
                Some(ring + i)
            } else {
                (bit == slot_spoke(i)).then_some(0).or((bit == slot_spoke(i) + 1).then_some(1))
            }
        })
        .unwrap_or(SLOT_AXIS as usize)
}

fn indices(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
