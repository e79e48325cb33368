//! Pairs of vertices as a device knows them: which elements lie round each, and which pairs each
//! vertex has.

use crate::model::Family;
use crate::stages::bending::PAIRS;
use crate::stages::elastic::formula::EDGE_CORNERS;
use crate::stages::gpu::layout::{Layout, Lists, NONE};

/// The pairs of a model: springs, the pairs of its hinges and, with volume forces, the edges of its tetrahedra.
pub struct Pairs {
    /// Both ends (slots, the lower one first), the spring or [`NONE`], and where its part of
    /// `around` begins; one more for the end.
    pub pairs: Vec<[u32; 4]>,
    /// `8·tet + edge` for each tetrahedron round a pair, edges in the order of [`EDGE_CORNERS`].
    pub around: Vec<u32>,
    /// The pairs of hinges, and where their parts of `around_bent` begin; one more for the end.
    pub bent: Vec<[u32; 2]>,
    /// `8·hinge + pair` for each hinge round a pair, in the order of [`PAIRS`].
    pub around_bent: Vec<u32>,
    /// Lists per slot of `2·pair + end`, then in the same order the slots at the other ends.
    pub lists: Vec<u32>,
}

/// Whether pair blocks are full matrices: there are volume forces, or hinges of the dihedral form, in the bodies that
/// [`Pairs::new`] looks at.
pub fn has_full_blocks(layout: &Layout, of_world: Family) -> bool {
    let is_dihedral = |(n, _): (usize, &[u32; 4])| layout.hinge[n][1][3] < 0.0;
    hard_tets(layout, of_world).next().is_some() || hinges(layout, of_world).any(is_dihedral)
}

/// The hinges, and their numbers.
fn hinges(layout: &Layout, of_world: Family) -> impl Iterator<Item = (usize, &[u32; 4])> {
    let all = layout.hinges.iter().enumerate();
    all.filter(move |(_, hinge)| is_part(layout, of_world, hinge[0]))
}

/// The tetrahedra with volume forces, and their numbers.
fn hard_tets(layout: &Layout, of_world: Family) -> impl Iterator<Item = (usize, &[u32; 4])> {
    let tets = layout.tets.iter().zip(&layout.volumes).enumerate();
    let hard = tets.filter(|(_, (_, volume))| volume[0] != 0.0).map(|(n, (tet, _))| (n, tet));
    hard.filter(move |(_, tet)| is_part(layout, of_world, tet[0]))
}

fn is_part(layout: &Layout, of_world: Family, slot: u32) -> bool {
    layout.families[layout.body_of(slot)].unwrap_or(of_world) == Family::Implicit
}

impl Pairs {
    /// Finds the pairs of the bodies that take implicit steps; those that ask for no family are of that
    /// of the world.
    pub fn new(layout: &Layout, of_world: Family) -> Self {
        let (mut pairs, mut around) = (Vec::with_capacity(layout.springs.len() + 1), Vec::new());
        let (mut bent, mut around_bent) = (Vec::new(), Vec::new());
        for part in parts(layout, of_world).chunk_by(|a, b| a.ends == b.ends) {
            let springs = part.iter().filter_map(|p| p.spring());
            let [i, j] = part[0].ends;
            let first = springs.clone().next().unwrap_or(NONE);
            pairs.push([i, j, first, around.len() as u32]);
            around.extend(part.iter().filter_map(|p| p.tet()));
            if part.iter().any(|p| p.hinge().is_some()) {
                bent.push([pairs.len() as u32 - 1, around_bent.len() as u32]);
                around_bent.extend(part.iter().filter_map(|p| p.hinge()));
            }
            // A second spring between the same vertices is a pair of its own.
            pairs.extend(springs.skip(1).map(|s| [i, j, s, around.len() as u32]));
        }
        let lists = lists(layout, &pairs);
        pairs.push([NONE, NONE, NONE, around.len() as u32]);
        bent.push([NONE, around_bent.len() as u32]);
        Self { pairs, around, bent, around_bent, lists }
    }

    /// Number of pairs.
    pub fn count(&self) -> usize {
        self.pairs.len() - 1
    }
}

/// What an element at a pair is. Springs come before tetrahedra, and these before hinges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Spring,
    Tet,
    Hinge,
}

/// An element at a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ImplicitStep {
    ends: [u32; 2],
    kind: Kind,
    /// The spring, `8·tet + edge` or `8·hinge + pair`.
    element: u32,
}

impl ImplicitStep {
    fn spring(&self) -> Option<u32> {
        (self.kind == Kind::Spring).then_some(self.element)
    }

    fn tet(&self) -> Option<u32> {
        (self.kind == Kind::Tet).then_some(self.element)
    }

    fn hinge(&self) -> Option<u32> {
        (self.kind == Kind::Hinge).then_some(self.element)
    }
}

/// What lies at pairs, sorted by them.
fn parts(layout: &Layout, of_world: Family) -> Vec<ImplicitStep> {
    let part =
        |a: u32, b: u32, kind, element| ImplicitStep { ends: [a.min(b), a.max(b)], kind, element };
    let mut parts: Vec<ImplicitStep> =
        Vec::with_capacity(layout.springs.len() + 6 * layout.tets.len());
    let springs = layout.springs.iter().enumerate();
    let springs = springs.filter(|(_, spring)| is_part(layout, of_world, spring[0]));
    parts.extend(springs.map(|(n, &[i, j, ..])| part(i, j, Kind::Spring, n as u32)));
    for (n, tet) in hard_tets(layout, of_world) {
        for (edge, [i, j, ..]) in EDGE_CORNERS.into_iter().enumerate() {
            parts.push(part(tet[i], tet[j], Kind::Tet, (8 * n + edge) as u32));
        }
    }
    for (n, hinge) in hinges(layout, of_world) {
        for (pair, [i, j]) in PAIRS.into_iter().enumerate() {
            parts.push(part(hinge[i], hinge[j], Kind::Hinge, (8 * n + pair) as u32));
        }
    }
    parts.sort_unstable();
    parts
}

fn lists(layout: &Layout, pairs: &[[u32; 4]]) -> Vec<u32> {
    let slots = layout.slot_count();
    let ends = pairs
        .iter()
        .enumerate()
        .flat_map(|(n, &[i, j, ..])| [(i, 2 * n as u32), (j, 2 * n as u32 + 1)]);
    let others = pairs.iter().flat_map(|&[i, j, ..]| [(i, j), (j, i)]);
    let (mut words, starts) =
        (Lists::new(slots, ends).words, slots / crate::stages::gpu::layout::SLICE + 1);
    words.extend_from_slice(&Lists::new(slots, others).words[starts..]);
    words
}
