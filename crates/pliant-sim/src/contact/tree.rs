//! A tree of boxes over primitives, sixteen wide.
//!
//! Level 0 has the boxes of the primitives, sixteen to a leaf; level k + 1 those of the nodes of level k.
//! The children of node i are 16 i … 16 i + 15, so nothing but boxes is stored. Lanes without a child
//! have a box that meets nothing.

use crate::pool::Team;
use crate::simd::{Lane4, Lanes, Lanes16};

/// Children of a node, and lanes.
pub(crate) const WIDTH: usize = 16;

/// Leaves or nodes that a worker refits at a time.
const GRAIN: usize = 64;

/// What a box grows by, relative to the size of its coordinates, so that rounding makes it no smaller:
/// positions that were rounded once (2⁻²⁴), the sum with the radius, and the growth itself.
const OUTWARD: f32 = 1.0 / (1 << 22) as f32;

/// The boxes of sixteen children \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub low: [Lanes; 3],
    pub high: [Lanes; 3],
}

/// A box \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

impl Bounds {
    /// Meets nothing.
    pub const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
}

impl Node {
    pub const EMPTY: Self =
        Self { low: [Lanes([f32::INFINITY; 16]); 3], high: [Lanes([f32::NEG_INFINITY; 16]); 3] };

    pub fn get(&self, lane: usize) -> Bounds {
        Bounds {
            low: self.low.each_ref().map(|lanes| lanes.0[lane]),
            high: self.high.each_ref().map(|lanes| lanes.0[lane]),
        }
    }

    pub fn set(&mut self, lane: usize, bounds: Bounds) {
        for axis in 0..3 {
            self.low[axis].0[lane] = bounds.low[axis];
            self.high[axis].0[lane] = bounds.high[axis];
        }
    }

    /// The box round all children.
    fn bounds(&self) -> Bounds {
        Bounds {
            low: self.low.each_ref().map(|lanes| fold(&lanes.0, |a, b| if b < a { b } else { a })),
            high: self
                .high
                .each_ref()
                .map(|lanes| fold(&lanes.0, |a, b| if b > a { b } else { a })),
        }
    }

    /// Which children's boxes meet a box, given in all lanes. Boxes that touch do.
    #[inline(always)]
    pub fn meets<S: Lanes16>(&self, low: [S; 3], high: [S; 3]) -> S::Mask {
        let axis = |k: usize| {
            S::both(S::load(&self.low[k]).at_most(high[k]), low[k].at_most(S::load(&self.high[k])))
        };
        S::both(S::both(axis(0), axis(1)), axis(2))
    }
}

/// Sixteen numbers as one, by halves, which suits vector registers.
fn fold(lanes: &[f32; WIDTH], act: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = *lanes;
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = act(lanes[lane], lanes[lane + half]);
        }
    }
    lanes[0]
}

/// A box in all lanes.
#[inline(always)]
pub(crate) fn splat<S: Lanes16>(bounds: &Bounds) -> ([S; 3], [S; 3]) {
    (bounds.low.map(S::splat), bounds.high.map(S::splat))
}

/// The tree over primitives with `N` corners each.
#[derive(Clone, Debug)]
pub(crate) struct Tree<const N: usize> {
    count: usize,
    /// Vertices of the primitives of each leaf, as bits.
    pub corners: Vec<[Lanes; N]>,
    /// Boxes, from the leaves to the root, which is one node.
    pub levels: Vec<Vec<Node>>,
}

impl<const N: usize> Tree<N> {
    /// A tree over primitives in this order. There are no boxes before it is refitted.
    pub fn new(primitives: &[[u32; N]]) -> Self {
        let lanes = |leaf: &[[u32; N]]| {
            std::array::from_fn(|corner| {
                let number = |lane: usize| leaf.get(lane).map_or(u32::MAX, |p| p[corner]);
                Lanes(std::array::from_fn(|lane| f32::from_bits(number(lane))))
            })
        };
        let corners: Vec<[Lanes; N]> = primitives.chunks(WIDTH).map(lanes).collect();
        let mut levels = vec![vec![Node::EMPTY; corners.len()]];
        while levels.len() < 2 || levels[levels.len() - 1].len() > 1 {
            let below = levels[levels.len() - 1].len();
            levels.push(vec![Node::EMPTY; below.div_ceil(WIDTH)]);
        }
        Self { count: primitives.len(), corners, levels }
    }

    /// How many primitives there are.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn leaf_count(&self) -> usize {
        self.corners.len()
    }

    /// The box of a whole leaf.
    pub fn leaf_bounds(&self, leaf: usize) -> Bounds {
        self.levels[1][leaf / WIDTH].get(leaf % WIDTH)
    }

    /// Makes the boxes anew, each larger by `radius` on all sides, and round each corner by what its position
    /// has as a fourth number.
    pub fn refit(&mut self, team: &Team, positions: &[Lane4], radius: f32) {
        let (corners, count) = (&self.corners, self.count);
        let (leaves, above) = self.levels.split_at_mut(1);
        each_node(team, &mut leaves[0], &|leaf, node| {
            let children = WIDTH.min(count - leaf * WIDTH);
            refit_leaf(node, &corners[leaf], children, positions, radius);
        });
        let mut below = &leaves[0];
        for level in above {
            let children = below;
            each_node(team, level, &|parent, node| {
                let first = parent * WIDTH;
                for (lane, child) in children[first..].iter().take(WIDTH).enumerate() {
                    node.set(lane, child.bounds());
                }
            });
            below = level;
        }
    }
}

/// Calls `act` with each node of a level, on all workers.
fn each_node(team: &Team, nodes: &mut [Node], act: &(dyn Fn(usize, &mut Node) + Sync)) {
    let grains = Apart::new(nodes, GRAIN);
    team.each(grains.len(), &|grain| {
        // SAFETY: the team gives each number to one worker.
        let nodes = unsafe { grains.get(grain) };
        for (i, node) in nodes.iter_mut().enumerate() {
            act(grain * GRAIN + i, node);
        }
    });
}

fn refit_leaf<const N: usize>(
    node: &mut Node,
    corners: &[Lanes; N],
    children: usize,
    positions: &[Lane4],
    radius: f32,
) {
    for lane in 0..children {
        let mut low = [f32::INFINITY; 4];
        let mut high = [f32::NEG_INFINITY; 4];
        for corner in corners {
            let position = positions[corner.0[lane].to_bits() as usize].0;
            let own = position[3];
            for axis in 0..4 {
                let (from, to) = (position[axis] - own, position[axis] + own);
                low[axis] = if from < low[axis] { from } else { low[axis] };
                high[axis] = if to > high[axis] { to } else { high[axis] };
            }
        }
        let growth = |x: f32| radius + (x.abs() + radius) * OUTWARD;
        for axis in 0..3 {
            node.low[axis].0[lane] = low[axis] - growth(low[axis]);
            node.high[axis].0[lane] = high[axis] + growth(high[axis]);
        }
    }
}

/// Pieces of a slice that workers have one each.
pub(crate) struct Apart<T> {
    first: *mut T,
    len: usize,
    grain: usize,
}

// SAFETY: the pieces do not overlap, and who gets one promises to be the only one.
unsafe impl<T: Send> Sync for Apart<T> {}

impl<T> Apart<T> {
    /// Pieces of `grain` elements; the slice must not be used while this is.
    pub fn new(slice: &mut [T], grain: usize) -> Self {
        Self { first: slice.as_mut_ptr(), len: slice.len(), grain }
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.len.div_ceil(self.grain)
    }

    /// Elements of the slice, wherever pieces begin.
    ///
    /// # Safety
    /// Nobody else has one of them, and the slice is still there.
    #[allow(clippy::mut_from_ref, reason = "each element has one user, as promised by the caller")]
    pub unsafe fn span(&self, range: std::ops::Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "there are such elements");
        // SAFETY: within the slice; promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }

    /// One of the pieces.
    ///
    /// # Safety
    /// Nobody else has the same piece, and the slice is still there.
    #[allow(clippy::mut_from_ref, reason = "each piece has one user, as promised by the caller")]
    pub unsafe fn get(&self, piece: usize) -> &mut [T] {
        let start = piece * self.grain;
        let len = self.grain.min(self.len.checked_sub(start).expect("there is such a piece"));
        // SAFETY: within the slice; promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), len) }
    }
}
