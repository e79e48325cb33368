//! Pairs of vertices as a device knows them: which elements lie round each, and which pairs each
//! vertex has.

use super::formula::EDGE_CORNERS;
use crate::backend::gpu::layout::{Layout, Lists, NONE};

/// The pairs of a model: springs and, with volume forces, the edges of its tetrahedra.
pub struct Pairs {
    /// Both ends (slots, the lower one first), the spring or [`NONE`], and where its part of
    /// `around` begins; one more for the end.
    pub pairs: Vec<[u32; 4]>,
    /// `8·tet + edge` for each tetrahedron round a pair, edges in the order of [`EDGE_CORNERS`].
    pub around: Vec<u32>,
    /// Lists per slot of `2·pair + end`, then in the same order the slots at the other ends.
    pub lists: Vec<u32>,
}

/// Whether there are volume forces in a laid out model, or in those of its bodies that [`Pairs::new`]
/// looks at.
pub fn has_volumes(layout: &Layout, is_mixed: bool) -> bool {
    hard_tets(layout, is_mixed).next().is_some()
}

/// The tetrahedra with volume forces, and their numbers.
fn hard_tets(layout: &Layout, is_mixed: bool) -> impl Iterator<Item = (usize, &[u32; 4])> {
    let tets = layout.tets.iter().zip(&layout.volumes).enumerate();
    let hard = tets.filter(|(_, (_, volume))| volume[0] != 0.0).map(|(n, (tet, _))| (n, tet));
    hard.filter(move |(_, tet)| is_part(layout, is_mixed, tet[0]))
}

fn is_part(layout: &Layout, is_mixed: bool, slot: u32) -> bool {
    !is_mixed || layout.is_implicit[layout.body_of(slot)]
}

impl Pairs {
    /// Finds the pairs of a model; of the bodies alone that take implicit steps in any world if others
    /// take explicit ones.
    pub fn new(layout: &Layout, is_mixed: bool) -> Self {
        let (mut pairs, mut around) = (Vec::with_capacity(layout.springs.len() + 1), Vec::new());
        for part in parts(layout, is_mixed).chunk_by(|a, b| a.ends == b.ends) {
            let springs = part.iter().filter_map(|p| p.spring());
            let [i, j] = part[0].ends;
            let first = springs.clone().next().unwrap_or(NONE);
            pairs.push([i, j, first, around.len() as u32]);
            around.extend(part.iter().filter_map(|p| p.tet()));
            // A second spring between the same vertices is a pair of its own.
            pairs.extend(springs.skip(1).map(|s| [i, j, s, around.len() as u32]));
        }
        let lists = lists(layout, &pairs);
        pairs.push([NONE, NONE, NONE, around.len() as u32]);
        Self { pairs, around, lists }
    }

    /// Number of pairs.
    pub fn count(&self) -> usize {
        self.pairs.len() - 1
    }
}

/// An element at a pair. Springs come before tetrahedra.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    ends: [u32; 2],
    is_tet: bool,
    /// The spring, or `8·tet + edge`.
    element: u32,
}

impl Part {
    fn spring(&self) -> Option<u32> {
        (!self.is_tet).then_some(self.element)
    }

    fn tet(&self) -> Option<u32> {
        self.is_tet.then_some(self.element)
    }
}

/// What lies at pairs, sorted by them.
fn parts(layout: &Layout, is_mixed: bool) -> Vec<Part> {
    let part =
        |a: u32, b: u32, is_tet, element| Part { ends: [a.min(b), a.max(b)], is_tet, element };
    let mut parts: Vec<Part> = Vec::with_capacity(layout.springs.len() + 6 * layout.tets.len());
    let springs = layout.springs.iter().enumerate();
    let springs = springs.filter(|(_, spring)| is_part(layout, is_mixed, spring[0]));
    parts.extend(springs.map(|(n, &[i, j, ..])| part(i, j, false, n as u32)));
    for (n, tet) in hard_tets(layout, is_mixed) {
        for (edge, [i, j, ..]) in EDGE_CORNERS.into_iter().enumerate() {
            parts.push(part(tet[i], tet[j], true, (8 * n + edge) as u32));
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
        (Lists::new(slots, ends).words, slots / crate::backend::gpu::layout::SLICE + 1);
    words.extend_from_slice(&Lists::new(slots, others).words[starts..]);
    words
}
