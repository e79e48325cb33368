//! Covers the tetrahedra of a block with fans, and puts fans into groups of sixteen.

use super::program::{FLIPPED, GroupPlan, MAX_STEPS, NONE, SLOT_AXIS, slot_rim, slot_spoke};
use crate::stages::elastic::formula::EDGE_CORNERS;
use std::collections::VecDeque;
use std::ops::Range;

/// The edges of a block's tetrahedra, sorted, and what surrounds them.
pub(crate) struct Edges {
    /// Lower end in the high half, upper end in the low half.
    pub keys: Vec<u32>,
    /// `around[start[e] .. start[e + 1]]` lists the tetrahedra at edge e.
    start: Vec<u32>,
    around: Vec<Around>,
    /// The six edges of each tetrahedron, in the order of [`EDGE_CORNERS`].
    of_tet: Vec<[u32; 6]>,
}

/// A tetrahedron seen from one of its edges (a, b): its other corners, in the sense of positive
/// volume of (a, b, from, to).
#[derive(Clone, Copy)]
struct Around {
    tet: u32,
    from: u16,
    to: u16,
}

/// The key of an edge: the same whichever end comes first.
pub(crate) fn edge_key(i: u16, j: u16) -> u32 {
    u32::from(i.min(j)) << 16 | u32::from(i.max(j))
}

impl Edges {
    pub fn of(tets: &[[u16; 4]]) -> Self {
        let entries = sorted_edges(tets);
        let mut edges = Self {
            keys: Vec::new(),
            start: Vec::new(),
            around: Vec::with_capacity(entries.len()),
            of_tet: vec![[0; 6]; tets.len()],
        };
        for entry in entries {
            let (key, place) = ((entry >> 32) as u32, entry as u32 as usize);
            let (t, e) = (place / 6, place % 6);
            if edges.keys.last() != Some(&key) {
                edges.keys.push(key);
                edges.start.push(edges.around.len() as u32);
            }
            edges.of_tet[t][e] = edges.keys.len() as u32 - 1;
            let first = *edges.start.last().expect("an edge was begun above") as usize;
            if edges.around[first..].last().is_some_and(|last| last.tet == t as u32) {
                // A corner that is listed twice makes two of a tetrahedron's edges the same.
                continue;
            }
            let [a, b, c, d] = EDGE_CORNERS[e].map(|corner| tets[t][corner]);
            // Swapping both pairs is even as well.
            let (from, to) = if a <= b { (c, d) } else { (d, c) };
            edges.around.push(Around { tet: t as u32, from, to });
        }
        edges.start.push(edges.around.len() as u32);
        edges
    }

    /// Lower and upper end.
    fn ends(&self, edge: u32) -> [u16; 2] {
        let key = self.keys[edge as usize];
        [(key >> 16) as u16, key as u16]
    }

    fn around(&self, edge: u32) -> &[Around] {
        &self.around[self.start[edge as usize] as usize..self.start[edge as usize + 1] as usize]
    }

    /// The edge of tetrahedron `tet` between two of its corners.
    fn in_tet(&self, tet: u32, i: u16, j: u16) -> u32 {
        let key = edge_key(i, j);
        let edges = self.of_tet[tet as usize];
        edges.into_iter().find(|&e| self.keys[e as usize] == key).unwrap_or(NONE)
    }
}

/// Edge keys in the high half, six times the tetrahedron plus the edge's place in it in the low
/// half, sorted. Collecting by lower end first leaves only short stretches to sort.
fn sorted_edges(tets: &[[u16; 4]]) -> Vec<u64> {
    let vertex_count = tets.iter().flatten().max().map_or(0, |&v| usize::from(v) + 1);
    let lower =
        |tet: &[u16; 4], corners: &[usize; 4]| usize::from(tet[corners[0]].min(tet[corners[1]]));
    let mut next = vec![0u32; vertex_count + 1];
    for tet in tets {
        EDGE_CORNERS.iter().for_each(|corners| next[lower(tet, corners) + 1] += 1);
    }
    for v in 0..vertex_count {
        next[v + 1] += next[v];
    }
    let mut entries = vec![0u64; 6 * tets.len()];
    for (t, tet) in tets.iter().enumerate() {
        for (e, corners) in EDGE_CORNERS.iter().enumerate() {
            let key = edge_key(tet[corners[0]], tet[corners[1]]);
            let place = &mut next[lower(tet, corners)];
            entries[*place as usize] = u64::from(key) << 32 | (6 * t + e) as u64;
            *place += 1;
        }
    }
    // Each counter has moved on to the end of its stretch.
    let mut rest = entries.as_mut_slice();
    let mut from = 0;
    for &end in &next[..vertex_count] {
        let (stretch, others) = rest.split_at_mut((end - from) as usize);
        stretch.sort_unstable();
        (rest, from) = (others, end);
    }
    entries
}

/// Tetrahedra round one edge.
struct Fan {
    axis: u32,
    /// Stretch of [`Cover::ring`].
    ring: Range<u32>,
    /// Stretch of [`Cover::tets`].
    tets: Range<u32>,
    closed: bool,
}

/// Fans that contain every tetrahedron once.
struct Cover {
    fans: Vec<Fan>,
    ring: Vec<u16>,
    /// With [`FLIPPED`] where the fan goes round against the sense of the tetrahedron.
    tets: Vec<u32>,
}

/// How many tetrahedra round one edge are looked at together.
const MAX_AROUND: usize = 32;

/// A chain of unused tetrahedra round an edge. It grows at both ends from the middle of its arrays.
#[derive(Clone, Copy)]
struct Chain {
    ring: [u16; 2 * MAX_STEPS + 1],
    tets: [u32; 2 * MAX_STEPS],
    first: usize,
    steps: usize,
    closed: bool,
}

/// The unused tetrahedra round an edge.
struct Free {
    list: [Around; MAX_AROUND],
    count: usize,
    /// One bit each for those that are already in some chain.
    taken: u32,
}

impl Free {
    fn at(around: &[Around], used: &[bool]) -> Self {
        let mut free =
            Self { list: [Around { tet: 0, from: 0, to: 0 }; MAX_AROUND], count: 0, taken: 0 };
        for a in around.iter().filter(|a| !used[a.tet as usize]).take(MAX_AROUND) {
            free.list[free.count] = *a;
            free.count += 1;
        }
        free
    }

    fn is_taken(&self, n: usize) -> bool {
        self.taken >> n & 1 != 0
    }

    /// Takes a tetrahedron that continues a chain at ring vertex `end`: its number, its other ring
    /// vertex, and whether it is walked from `to` to `from`.
    fn take_at(&mut self, end: u16) -> Option<(u32, u16, bool)> {
        let fits = |n: &usize| {
            !self.is_taken(*n) && (self.list[*n].from == end || self.list[*n].to == end)
        };
        let n = (0..self.count).find(fits)?;
        self.taken |= 1 << n;
        let Around { tet, from, to } = self.list[n];
        Some(if from == end { (tet, to, false) } else { (tet, from, true) })
    }
}

impl Chain {
    const EMPTY: Self = Self {
        ring: [0; 2 * MAX_STEPS + 1],
        tets: [0; 2 * MAX_STEPS],
        first: MAX_STEPS,
        steps: 0,
        closed: false,
    };

    fn ring(&self) -> &[u16] {
        &self.ring[self.first..=self.first + self.steps - usize::from(self.closed)]
    }

    fn tets(&self) -> &[u32] {
        &self.tets[self.first..self.first + self.steps]
    }

    /// How good a fan this is: tetrahedra per vertex that has to be fetched, times 64.
    fn score(&self) -> usize {
        64 * self.steps / (3 + self.steps - usize::from(self.closed))
    }

    /// The best chain of unused tetrahedra round an edge.
    fn best(around: &[Around], used: &[bool]) -> Self {
        let mut free = Free::at(around, used);
        let mut best = Self::EMPTY;
        for n in 0..free.count {
            if !free.is_taken(n) {
                free.taken |= 1 << n;
                let start = free.list[n];
                let chain = Self::grown_from(start, &mut free);
                if chain.score() > best.score() {
                    best = chain;
                }
            }
        }
        best
    }

    fn grown_from(start: Around, free: &mut Free) -> Self {
        let mut chain = Self { steps: 1, ..Self::EMPTY };
        chain.ring[MAX_STEPS] = start.from;
        chain.ring[MAX_STEPS + 1] = start.to;
        chain.tets[MAX_STEPS] = start.tet;
        while chain.steps < MAX_STEPS {
            let end = chain.first + chain.steps;
            let Some((tet, other, flipped)) = free.take_at(chain.ring[end]) else { break };
            chain.tets[end] = tet | if flipped { FLIPPED } else { 0 };
            chain.steps += 1;
            if other == chain.ring[chain.first] && chain.steps > 2 {
                chain.closed = true;
                return chain;
            }
            chain.ring[end + 1] = other;
        }
        while chain.steps < MAX_STEPS {
            let Some((tet, other, flipped)) = free.take_at(chain.ring[chain.first]) else { break };
            chain.first -= 1;
            chain.steps += 1;
            // Walked backwards, so the senses are exchanged.
            chain.tets[chain.first] = tet | if flipped { 0 } else { FLIPPED };
            chain.ring[chain.first] = other;
        }
        chain
    }
}

impl Cover {
    /// Greedy: always the fan with the most tetrahedra per vertex, long edges first. In a grid of
    /// cubes the longest edges are the diagonals, each the axis of all tetrahedra of its cube.
    fn of(edges: &Edges, tet_count: usize, rest: &[[f32; 3]]) -> Self {
        let mut used = vec![false; tet_count];
        let mut cover =
            Self { fans: Vec::new(), ring: Vec::new(), tets: Vec::with_capacity(tet_count) };
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); 65];
        for edge in longest_first(edges, rest) {
            let score = Chain::best(edges.around(edge), &used).score();
            buckets[score].push(edge);
        }
        for score in (1..buckets.len()).rev() {
            let mut n = 0;
            while n < buckets[score].len() {
                let edge = buckets[score][n];
                n += 1;
                let chain = Chain::best(edges.around(edge), &used);
                if chain.score() < score {
                    // Some of its tetrahedra were taken meanwhile.
                    buckets[chain.score()].push(edge);
                    continue;
                }
                chain.tets().iter().for_each(|t| used[(t & !FLIPPED) as usize] = true);
                cover.push(edge, &chain);
                // There may be another chain round this edge.
                buckets[score].push(edge);
            }
            buckets[score] = Vec::new();
        }
        debug_assert_eq!(cover.tets.len(), tet_count);
        cover
    }

    fn push(&mut self, axis: u32, chain: &Chain) {
        let (ring, tets) = (self.ring.len() as u32, self.tets.len() as u32);
        self.ring.extend(chain.ring());
        self.tets.extend(chain.tets());
        self.fans.push(Fan {
            axis,
            ring: ring..self.ring.len() as u32,
            tets: tets..self.tets.len() as u32,
            closed: chain.closed,
        });
    }

    fn ring(&self, fan: &Fan) -> &[u16] {
        &self.ring[fan.ring.start as usize..fan.ring.end as usize]
    }

    fn tets(&self, fan: &Fan) -> &[u32] {
        &self.tets[fan.tets.start as usize..fan.tets.end as usize]
    }
}

/// All edges, by descending length.
fn longest_first(edges: &Edges, rest: &[[f32; 3]]) -> impl Iterator<Item = u32> {
    let square = |edge: u32| {
        let [a, b] = edges.ends(edge).map(|v| rest[usize::from(v)]);
        (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>()
    };
    let mut order: Vec<(u32, u32)> =
        (0..edges.keys.len() as u32).map(|e| (!square(e).to_bits(), e)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, edge)| edge)
}

/// Edges per vertex are counted in parts of this.
const PER_VERTEX: usize = 16;

/// One lane of a group: a fan's vertices, tetrahedra and edges.
struct Lane {
    vertices: Vec<u16>,
    tets: Vec<u32>,
    closed: bool,
}

/// Groups of fans for all tetrahedra of a block; their slots hold edges. `rest` and the corners
/// use the block's local numbers, `dummy` is the local number for empty lanes.
pub(crate) fn plan(
    edges: &Edges,
    tet_count: usize,
    rest: &[[f32; 3]],
    dummy: u16,
) -> Vec<GroupPlan> {
    Cover::of(edges, tet_count, rest).grouped(edges, dummy)
}

/// As [`plan`] for whoever needs edges only: just the fans that have enough edges which no other has.
pub(crate) fn plan_edges(
    edges: &Edges,
    tet_count: usize,
    rest: &[[f32; 3]],
    dummy: u16,
) -> Vec<GroupPlan> {
    let mut cover = Cover::of(edges, tet_count, rest);
    cover.thin(edges);
    cover.grouped(edges, dummy)
}

impl Cover {
    /// Keeps fans until nearly all edges are in one of them: always the fan with the most edges per
    /// vertex that are in none yet. What is left is cheaper one by one.
    fn thin(&mut self, edges: &Edges) {
        let lists: Vec<Vec<u32>> = self
            .fans
            .iter()
            .map(|fan| {
                let mut list = Vec::new();
                self.lane(edges, fan).for_each_edge(edges, |_, edge| list.push(edge));
                list
            })
            .collect();
        let mut is_taken = vec![false; edges.keys.len()];
        let score = |n: u32, is_taken: &[bool]| {
            let new = lists[n as usize].iter().filter(|&&e| e != NONE && !is_taken[e as usize]);
            PER_VERTEX * new.count() / (2 + self.ring(&self.fans[n as usize]).len())
        };
        // At most three edges per vertex: to both ends of the axis and to the next one.
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); 3 * PER_VERTEX + 1];
        (0..self.fans.len() as u32).for_each(|n| buckets[score(n, &is_taken)].push(n));
        let mut kept = Vec::new();
        for best in (PER_VERTEX..buckets.len()).rev() {
            for n in std::mem::take(&mut buckets[best]) {
                let now = score(n, &is_taken);
                if now < best {
                    buckets[now].push(n);
                    continue;
                }
                let own = lists[n as usize].iter().filter(|&&e| e != NONE);
                own.for_each(|&e| is_taken[e as usize] = true);
                kept.push(n);
            }
        }
        let mut is_kept = vec![false; self.fans.len()];
        kept.into_iter().for_each(|n| is_kept[n as usize] = true);
        let mut kept = is_kept.into_iter();
        self.fans.retain(|_| kept.next().unwrap_or(false));
    }

    /// Puts the fans into groups of sixteen.
    fn grouped(mut self, edges: &Edges, dummy: u16) -> Vec<GroupPlan> {
        let mut fans = std::mem::take(&mut self.fans);
        let cover = &self;
        // Fans of one kind together, each kind in the order of the tetrahedra, which is local in space.
        fans.sort_by_cached_key(|fan| {
            let first = cover.tets(fan).iter().map(|t| t & !FLIPPED).min();
            (std::cmp::Reverse(fan.tets.len()), !fan.closed, first)
        });
        let mut plans = Vec::new();
        let mut rest_of_kinds = VecDeque::new();
        for kind in fans.chunk_by(|a, b| a.tets.len() == b.tets.len() && a.closed == b.closed) {
            let mut queue: VecDeque<Lane> = kind.iter().map(|fan| cover.lane(edges, fan)).collect();
            while queue.len() >= 16 {
                plans.push(group(edges, &take_sixteen(&mut queue), dummy));
            }
            rest_of_kinds.extend(queue.into_iter().map(Lane::opened));
        }
        while !rest_of_kinds.is_empty() {
            plans.push(group(edges, &take_sixteen(&mut rest_of_kinds), dummy));
        }
        plans
    }

    fn lane(&self, edges: &Edges, fan: &Fan) -> Lane {
        let mut vertices = edges.ends(fan.axis).to_vec();
        vertices.extend(self.ring(fan));
        Lane { vertices, tets: self.tets(fan).to_vec(), closed: fan.closed }
    }
}

impl Lane {
    /// The same fan with its first ring vertex repeated at the end.
    fn opened(mut self) -> Self {
        if self.closed {
            self.vertices.push(self.vertices[2]);
            self.closed = false;
        }
        self
    }

    /// Whether two fans have the same vertex in the same place.
    fn meets(&self, other: &Self) -> bool {
        self.vertices.iter().zip(&other.vertices).any(|(a, b)| a == b)
    }
}

/// How far ahead a partner for a lane is searched.
const PARTNER_SEARCH: usize = 24;

/// Fills the lanes of a group. Partners ([`crate::simd::SCATTER_ORDER`]) must not meet; a lane
/// without a partner stays empty on its other side.
fn take_sixteen(queue: &mut VecDeque<Lane>) -> [Option<Lane>; 16] {
    let mut lanes: [Option<Lane>; 16] = Default::default();
    for pair in crate::simd::SCATTER_ORDER.chunks_exact(2) {
        let Some(lane) = queue.pop_front() else { break };
        let partner = queue.iter().take(PARTNER_SEARCH).position(|other| !lane.meets(other));
        lanes[pair[1]] = partner.and_then(|n| queue.remove(n));
        lanes[pair[0]] = Some(lane);
    }
    lanes
}

fn group(edges: &Edges, lanes: &[Option<Lane>; 16], dummy: u16) -> GroupPlan {
    let rows = lanes.iter().flatten().map(|lane| lane.vertices.len()).max().unwrap_or(0);
    let steps = lanes.iter().flatten().map(|lane| lane.tets.len()).max().unwrap_or(0);
    let closed = lanes.iter().flatten().any(|lane| lane.closed);
    let mut plan = GroupPlan {
        closed,
        axis: true,
        vertices: vec![[dummy; 16]; rows],
        tets: vec![[NONE; 16]; steps],
        slots: Vec::new(),
    };
    let slot_count = slot_rim(steps - 1) as usize + 1;
    let mut slots = vec![[NONE; 16]; slot_count];
    for (n, lane) in lanes.iter().enumerate() {
        let Some(lane) = lane else { continue };
        for (row, &vertex) in plan.vertices.iter_mut().zip(&lane.vertices) {
            row[n] = vertex;
        }
        for (row, &tet) in plan.tets.iter_mut().zip(&lane.tets) {
            row[n] = tet;
        }
        lane.for_each_edge(edges, |bit, edge| slots[bit as usize][n] = edge);
    }
    let used = (0u32..).zip(slots).filter(|(_, row)| row.iter().any(|&edge| edge != NONE));
    plan.slots = used.collect();
    plan
}

impl Lane {
    /// Calls `visit(slot, edge)` for every edge of the fan.
    fn for_each_edge(&self, edges: &Edges, mut visit: impl FnMut(u32, u32)) {
        let (a, b, ring) = (self.vertices[0], self.vertices[1], &self.vertices[2..]);
        let tet = |step: usize| self.tets[step.min(self.tets.len() - 1)] & !FLIPPED;
        visit(SLOT_AXIS, edges.in_tet(tet(0), a, b));
        for (i, &r) in ring.iter().enumerate() {
            visit(slot_spoke(i), edges.in_tet(tet(i), a, r));
            visit(slot_spoke(i) + 1, edges.in_tet(tet(i), b, r));
        }
        for step in 0..self.tets.len() {
            let next = ring[(step + 1) % ring.len()];
            visit(slot_rim(step), edges.in_tet(tet(step), ring[step], next));
        }
    }
}
