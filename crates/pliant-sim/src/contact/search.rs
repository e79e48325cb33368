//! All pairs of primitives whose boxes meet and that share no corner.
//!
//! Sixteen primitives of a leaf go through the tree together, with the box round them, and so find the
//! few leaves that any of them can meet. Then each looks for itself: sixteen of these leaves at a time,
//! and in those it meets sixteen primitives at a time. Leaves are found in ascending order, so every
//! primitive's list is in order as it is written.
//!
//! Nothing is allocated. Lists are written into segments of a fixed size, one for each chunk of
//! primitives; one that is too small is counted to its end, so that it is known what it needs.

use std::ops::Range;

use super::tree::{Apart, Bounds, Node, Tree, WIDTH, splat};
use crate::pool::Team;
use crate::simd::{Lanes16, Level, Task, run_at};

/// Leaves whose primitives are one chunk.
const CHUNK_LEAVES: usize = 16;
/// Primitives of a chunk.
pub(crate) const CHUNK: usize = CHUNK_LEAVES * WIDTH;
/// Most leaves that sixteen primitives keep in mind. If there are more, each goes through the tree by
/// itself.
const NEAR: usize = 256;
/// Most nodes that wait to be looked into: fifteen per level, and the one that is next.
const WAITING: usize = 16 * 8;

/// The pairs of one chunk.
#[derive(Clone, Debug)]
struct Segment {
    /// Where the list of each primitive ends.
    ends: [u32; CHUNK],
    /// The other primitives of the pairs: all there is room for.
    others: Vec<u32>,
    /// How many pairs there are.
    count: usize,
}

/// Pairs of a first and a second primitive, in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    segments: Vec<Segment>,
}

impl Pairs {
    /// None, of so many first primitives.
    pub fn none(first_count: usize) -> Self {
        Self { segments: vec![Segment::new(); first_count.div_ceil(CHUNK)] }
    }

    /// How many pairs there are, written or not.
    pub fn count(&self) -> usize {
        self.segments.iter().map(|segment| segment.count).sum()
    }

    /// Whether all of them were written.
    pub fn are_complete(&self) -> bool {
        self.segments.iter().all(Segment::is_complete)
    }

    /// Makes room for what the last search found, and half as much again.
    pub fn grow(&mut self) {
        for segment in self.segments.iter_mut().filter(|segment| !segment.is_complete()) {
            segment.others = vec![0; segment.count * 3 / 2 + ROOM];
        }
    }

    /// How many chunks of first primitives there are.
    pub fn chunk_count(&self) -> usize {
        self.segments.len()
    }

    /// The pairs of a chunk: each first primitive with its list of second ones.
    pub fn chunk(&self, chunk: usize) -> impl Iterator<Item = (u32, &[u32])> {
        let segment = &self.segments[chunk];
        segment.lists((chunk * CHUNK) as u32).map(|(first, list)| (first, &segment.others[list]))
    }

    /// Keeps only the pairs of which `test` says yes, on all workers. It is given up to sixteen of them at a time,
    /// and answers with a bit for each; every chunk has a copy of its own.
    pub fn retain(&mut self, team: &Team, test: impl FnMut(&[[u32; 2]]) -> u16 + Clone + Sync) {
        self.each_segment(team, &|first, segment| {
            segment.retain(first, test.clone());
        });
    }

    /// Calls `act` with the number of its first primitive and each segment that has pairs, on all workers.
    fn each_segment(&mut self, team: &Team, act: &(dyn Fn(u32, &mut Segment) + Sync)) {
        let segments = Apart::new(&mut self.segments, 1);
        team.each(segments.len(), &|chunk| {
            // SAFETY: the team gives each number to one worker.
            let segment = unsafe { &mut segments.get(chunk)[0] };
            debug_assert!(segment.is_complete(), "there was no room for all pairs");
            if segment.count > 0 {
                act((chunk * CHUNK) as u32, segment);
            }
        });
    }

    /// How many pairs a chunk has.
    pub fn chunk_pairs(&self, chunk: usize) -> usize {
        self.segments[chunk].count
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let lists = self.segments.iter().map(|segment| size_of_val(&segment.others[..]));
        size_of_val(&self.segments[..]) + lists.sum::<usize>()
    }

    /// All pairs.
    pub fn iter(&self) -> impl Iterator<Item = [u32; 2]> {
        (0..self.segments.len())
            .flat_map(|chunk| self.chunk(chunk))
            .flat_map(|(first, list)| list.iter().map(move |&second| [first, second]))
    }
}

/// What a segment must have left before a leaf is looked into, since sixteen places are written at once.
const ROOM: usize = 2 * WIDTH;

impl Segment {
    fn new() -> Self {
        Self { ends: [0; CHUNK], others: Vec::new(), count: 0 }
    }

    /// Each primitive, from `first` on, and where its list is.
    fn lists(&self, first: u32) -> impl Iterator<Item = (u32, Range<usize>)> {
        assert!(self.is_complete(), "there was no room for all pairs");
        let mut start = 0;
        self.ends.iter().zip(first..).map(move |(&end, primitive)| {
            let list = start..end as usize;
            start = end as usize;
            (primitive, list)
        })
    }

    /// See [`Pairs::retain`]; `first` is the first of the primitives.
    fn retain(&mut self, first: u32, mut test: impl FnMut(&[[u32; 2]]) -> u16) {
        let ends = std::mem::replace(&mut self.ends, [0; CHUNK]);
        let (mut owner, mut kept) = (0, 0);
        for start in (0..self.count).step_by(WIDTH) {
            let mut pairs = [[0; 2]; WIDTH];
            let count = WIDTH.min(self.count - start);
            for (pair, at) in pairs[..count].iter_mut().zip(start..) {
                while at >= ends[owner] as usize {
                    owner += 1;
                }
                *pair = [first + owner as u32, self.others[at]];
            }
            let mut yes = test(&pairs[..count]);
            while yes != 0 {
                let lane = yes.trailing_zeros() as usize;
                let [own, other] = pairs[lane];
                yes &= yes - 1;
                self.others[kept] = other;
                self.ends[(own - first) as usize] += 1;
                kept += 1;
            }
        }
        let mut end = 0;
        for count in &mut self.ends {
            end += *count;
            *count = end;
        }
        self.count = kept;
    }

    fn is_complete(&self) -> bool {
        self.count == 0 || self.count + ROOM <= self.others.len()
    }
}

/// Finds the pairs of a primitive of `first` and one of `second`. With `SELF` both are the same tree, and
/// a pair is found from its lower number only.
pub(crate) fn find<const SELF: bool, const A: usize, const B: usize>(
    with: (&Team, Level),
    first: &Tree<A>,
    second: &Tree<B>,
    pairs: &mut Pairs,
) {
    find_before::<SELF, A, B>(with, first, second, [first.len(), second.len()], pairs);
}

/// As [`find`], where primitives of the two trees from `passive` on are not paired. Some such pairs may be found.
pub(crate) fn find_before<const SELF: bool, const A: usize, const B: usize>(
    (team, level): (&Team, Level),
    first: &Tree<A>,
    second: &Tree<B>,
    passive: [usize; 2],
    pairs: &mut Pairs,
) {
    pairs.segments.resize_with(first.leaf_count().div_ceil(CHUNK_LEAVES), Segment::new);
    let segments = Apart::new(&mut pairs.segments, 1);
    team.each(segments.len(), &|chunk| {
        // SAFETY: the team gives each number to one worker; the task asks for nothing.
        unsafe {
            let segment = &mut segments.get(chunk)[0];
            run_at(level, Search::<SELF, A, B> { first, second, passive, chunk, segment });
        }
    });
}

/// The search of one chunk.
struct Search<'a, const SELF: bool, const A: usize, const B: usize> {
    first: &'a Tree<A>,
    second: &'a Tree<B>,
    passive: [usize; 2],
    chunk: usize,
    segment: &'a mut Segment,
}

impl<const SELF: bool, const A: usize, const B: usize> Task for Search<'_, SELF, A, B> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        let (first, second) = (self.first, self.second);
        let mut list = List { segment: self.segment, count: 0 };
        let mut near = Near { leaves: [0; NEAR], boxes: [Node::EMPTY; NEAR / WIDTH], count: 0 };
        list.segment.ends = [0; CHUNK];
        let leaves = self.chunk * CHUNK_LEAVES..first.leaf_count();
        let [passive, passive_end] = self.passive.map(|place| place.div_ceil(WIDTH));
        for (i, leaf) in leaves.take(CHUNK_LEAVES).enumerate() {
            let own = SELF.then_some(leaf);
            let end = if leaf < passive { usize::MAX } else { passive_end };
            near.count = 0;
            let bounds = first.leaf_bounds(leaf);
            let is_all = second
                .each_leaf::<S>(&bounds, (own, end), |found, bounds| near.push(found, bounds));
            near.close();
            for lane in 0..WIDTH.min(first.len() - leaf * WIDTH) {
                let query = Query::<A>::new(first, leaf, lane, own);
                if is_all {
                    near.each::<S>(&query.bounds, |found| {
                        query.look::<S, B>(second, found, &mut list)
                    });
                } else {
                    second.each_leaf::<S>(&query.bounds, (own, end), |found, _| {
                        query.look::<S, B>(second, found, &mut list);
                        true
                    });
                }
                list.segment.ends[i * WIDTH + lane] = list.count as u32;
            }
        }
        let written = chunk_len(first, self.chunk);
        list.segment.ends[written..].fill(list.count as u32);
        list.segment.count = list.count;
    }
}

/// How many primitives a chunk has.
fn chunk_len<const N: usize>(tree: &Tree<N>, chunk: usize) -> usize {
    CHUNK.min(tree.len() - chunk * CHUNK)
}

impl<const N: usize> Tree<N> {
    /// Calls `act` with each leaf whose box meets `bounds`, and with its box, in ascending order, until it
    /// says no; says whether it never did. Leaves before `own` and from `end` on are passed over.
    #[inline(always)]
    fn each_leaf<S: Lanes16>(
        &self,
        bounds: &Bounds,
        (own, end): (Option<usize>, usize),
        mut act: impl FnMut(u32, Bounds) -> bool,
    ) -> bool {
        let (low, high) = splat::<S>(bounds);
        let mut waiting = [(0_u8, 0_u32); WAITING];
        waiting[0] = ((self.levels.len() - 1) as u8, 0);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (level, number) = waiting[count];
            let node = &self.levels[usize::from(level)][number as usize];
            let mut met = S::bits(node.meets::<S>(low, high));
            let first = number * WIDTH as u32;
            if let Some(own) = own {
                met &= from_lane(child_of(own, level), first);
            }
            if end != usize::MAX {
                met &= !from_lane(child_of(end.saturating_sub(1), level) + 1, first);
            }
            if level == 1 {
                while met != 0 {
                    let lane = met.trailing_zeros();
                    met &= met - 1;
                    if !act(first + lane, node.get(lane as usize)) {
                        return false;
                    }
                }
                continue;
            }
            // The last comes to lie lowest.
            while met != 0 {
                let lane = met.ilog2();
                met ^= 1 << lane;
                waiting[count] = (level - 1, first + lane);
                count += 1;
            }
        }
        true
    }
}

/// The child, among all of a level, below which a leaf lies.
fn child_of(leaf: usize, level: u8) -> u32 {
    (leaf >> (4 * (u32::from(level) - 1))) as u32
}

/// Bits of the children `first` … `first` + 15 from `child` on.
fn from_lane(child: u32, first: u32) -> u16 {
    match child.saturating_sub(first) {
        lane @ 0..16 => u16::MAX << lane,
        _ => 0,
    }
}

/// Leaves that sixteen primitives have near them.
struct Near {
    leaves: [u32; NEAR],
    boxes: [Node; NEAR / WIDTH],
    count: usize,
}

impl Near {
    /// Keeps a leaf in mind, if there is room.
    fn push(&mut self, leaf: u32, bounds: Bounds) -> bool {
        if self.count == NEAR {
            return false;
        }
        self.leaves[self.count] = leaf;
        self.boxes[self.count / WIDTH].set(self.count % WIDTH, bounds);
        self.count += 1;
        true
    }

    /// What was left from before behind the last leaf must not be met.
    fn close(&mut self) {
        if let Some(last) = self.boxes.get_mut(self.count / WIDTH) {
            (self.count % WIDTH..WIDTH).for_each(|lane| last.set(lane, Bounds::EMPTY));
        }
    }

    /// Calls `act` with those that meet `bounds`.
    #[inline(always)]
    fn each<S: Lanes16>(&self, bounds: &Bounds, mut act: impl FnMut(u32)) {
        let (low, high) = splat::<S>(bounds);
        for (boxes, leaves) in
            self.boxes.iter().zip(self.leaves.chunks(WIDTH)).take(self.count.div_ceil(WIDTH))
        {
            let mut met = S::bits(boxes.meets::<S>(low, high));
            while met != 0 {
                let lane = met.trailing_zeros();
                met &= met - 1;
                act(leaves[lane as usize]);
            }
        }
    }
}

/// A primitive that looks for others.
struct Query<const N: usize> {
    bounds: Bounds,
    /// Its vertices, as bits.
    corners: [f32; N],
    /// Leaf and lane, where a pair is found from its lower number only.
    own: Option<(u32, u32)>,
}

impl<const N: usize> Query<N> {
    #[inline(always)]
    fn new(tree: &Tree<N>, leaf: usize, lane: usize, own: Option<usize>) -> Self {
        Self {
            bounds: tree.levels[0][leaf].get(lane),
            corners: tree.corners[leaf].each_ref().map(|corner| corner.0[lane]),
            own: own.map(|own| (own as u32, lane as u32)),
        }
    }

    /// Writes down the primitives of a leaf that meet this one.
    #[inline(always)]
    fn look<S: Lanes16, const B: usize>(&self, tree: &Tree<B>, leaf: u32, list: &mut List) {
        let (low, high) = splat::<S>(&self.bounds);
        let mut met = S::bits(tree.levels[0][leaf as usize].meets::<S>(low, high));
        if let Some((own, lane)) = self.own
            && own == leaf
        {
            met &= (u32::from(u16::MAX) << (lane + 1)) as u16;
        }
        if met == 0 {
            return;
        }
        let others = &tree.corners[leaf as usize];
        let mut shared = S::zero().same_bits(S::splat(1.0));
        for corner in self.corners {
            let corner = S::splat(corner);
            for other in others {
                shared = S::either(shared, S::load(other).same_bits(corner));
            }
        }
        list.push(leaf * WIDTH as u32, met & !S::bits(shared));
    }
}

/// A segment while it is written.
struct List<'a> {
    segment: &'a mut Segment,
    count: usize,
}

impl List<'_> {
    /// Adds `first` plus the number of each lane that is set.
    #[inline(always)]
    fn push(&mut self, first: u32, lanes: u16) {
        for half in 0..2 {
            let lanes = (lanes >> (8 * half)) as u8;
            if let Some(room) = self.segment.others.get_mut(self.count..self.count + 8) {
                // All eight places are written, and only those that count are kept.
                for (place, lane) in room.iter_mut().zip(SET_LANES[usize::from(lanes)]) {
                    *place = first + 8 * half + u32::from(lane);
                }
            }
            self.count += lanes.count_ones() as usize;
        }
    }
}

/// For each set of eight lanes, those that are in it, in ascending order; then anything.
static SET_LANES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set][count] = lane;
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};
