//! Whose primitives are: so that a search can keep to pairs within bodies, or to those between two of them.

use super::tree::WIDTH;
use crate::simd::{Lanes, Lanes16};

/// What stands for a node below which several bodies have primitives.
const SEVERAL: u32 = u32::MAX;

/// The bodies of the primitives of a tree.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    /// As in the tree: the bodies of the primitives of each leaf, as bits, then those of the children of the nodes of
    /// each level, as far as they have one in common.
    levels: Vec<Vec<Lanes>>,
}

/// Which pairs are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of one body.
    OneBody,
    /// Those of two.
    TwoBodies,
}

impl Owners {
    /// Those of a tree over primitives of these bodies.
    pub fn new(bodies: &[u32]) -> Self {
        let mut levels = vec![lanes(bodies)];
        while levels.len() < 2 || levels[levels.len() - 1].len() > 1 {
            let common: Vec<u32> = levels[levels.len() - 1].iter().map(common).collect();
            levels.push(lanes(&common));
        }
        Self { levels }
    }

    /// The body that all primitives of a leaf belong to, if there is one.
    pub fn of_leaf(&self, leaf: usize) -> u32 {
        self.levels[1][leaf / WIDTH].0[leaf % WIDTH].to_bits()
    }

    /// That of a primitive.
    pub fn of(&self, leaf: usize, lane: usize) -> u32 {
        self.levels[0][leaf].0[lane].to_bits()
    }

    /// Which children of a node, or primitives of a leaf at level 0, something of body `own` may look for, as bits.
    #[inline(always)]
    pub fn among<S: Lanes16>(&self, whose: Whose, own: u32, level: usize, node: usize) -> u16 {
        if own == SEVERAL {
            return u16::MAX;
        }
        let children = S::load(&self.levels[level][node]);
        let same = S::bits(children.same_bits(S::splat(f32::from_bits(own))));
        match whose {
            Whose::OneBody => same | S::bits(children.same_bits(S::splat(f32::from_bits(SEVERAL)))),
            Whose::TwoBodies => !same,
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| size_of_val(&level[..])).sum()
    }
}

/// Sixteen to a node; where there are fewer, the last one stands for the rest.
fn lanes(bodies: &[u32]) -> Vec<Lanes> {
    let node = |node: &[u32]| {
        Lanes(std::array::from_fn(|lane| f32::from_bits(node[lane.min(node.len() - 1)])))
    };
    bodies.chunks(WIDTH).map(node).collect()
}

fn common(node: &Lanes) -> u32 {
    let [first, rest @ ..] = node.0.map(f32::to_bits);
    if rest.iter().all(|&body| body == first) { first } else { SEVERAL }
}
