//! What does not intersect never does: cuts the motion of a substep short where surfaces would cross.
//!
//! A substep ends where all other stages have put the vertices, colliders and walls included. From where it began, each
//! goes a *share* of its way, which is 1 for nearly all: [`crate::stages::contact::separation`] says how pairs
//! of primitives find them. Pairs that cannot meet, whatever shares come out, are left out by their boxes; of the
//! others, those that no standing plane lets go free are *watched*. Rounds look whether watched pairs are still apart at
//! the end, and let those that are not keep to standing planes, until all hold. A smaller share of one vertex may be in
//! the way of another that would have flown along with it, so there may be several; after [`ROUNDS`] all that are
//! watched keep to standing planes, which nothing can spoil.
//!
//! The smallest share of all pairs counts, whatever their order. Nothing but positions decides, so nothing of this is
//! state. Whoever is cut short and keeps its velocity would strain the body that goes on behind it, for nothing; so an
//! inelastic impulse ends the approach of each pair that was cut. It acts on both sides, so that momentum is kept, and
//! takes more energy away than the strain gives.
//!
//! Surfaces whose motion is given go all of their way: planes leave them as much room as there is, others are cut
//! short for them, and what stands before one that is fast is taken along ([`way`]). Where that is not enough, since a
//! body has nowhere to go, nothing can be promised any more. That is counted, and what crosses then is left to the rows
//! until it has come apart, as at a start that crosses.
//!
//! Vertices that are welded are one: they go the same share, and primitives that have one of them in common are asked as
//! little as others that share a corner. Where a weld comes apart, its sides touch, which counts as crossing: nothing is
//! promised for them until they have come apart.

mod near;
mod tangles;
mod way;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use near::Near;
use tangles::Tangles;
use way::make_way;

use super::KINDS;
use super::given::GivenSurfaces;
use crate::contact::tree::Apart;
use crate::math::Vec3;
use crate::pool::Team;
use crate::simd::{Lanes, Level};
use crate::stages::contact::GuardReport;
use crate::stages::contact::formula::{Kind, combine, is_beyond, split_mass};
use crate::stages::contact::layout::Layout;
use crate::stages::contact::separation::{
    Separation, Side, free_distance, gap_along, holds, is_first, separation, shares,
};
use crate::stages::cpu::Work;
use crate::stages::seams::Member;
use crate::step::Advance;

/// How often pairs are looked at that may go on with a moving plane.
const ROUNDS: usize = 12;

/// The guard of a model, resident between steps.
pub(super) struct Guard {
    /// By slot: where the substep began \[m\].
    start: Vec<Lanes>,
    /// By slot: bits of the share of its way that a vertex goes. Numbers that are not negative are ordered as
    /// their bits are.
    share: Vec<AtomicU32>,
    near: Near,
    tangles: Tangles,
    /// Pairs that are watched, by kind and chunk, and the numbers of all chunks.
    watched: [Vec<Vec<Watched>>; 2],
    all: Vec<u32>,
    /// Pairs in which a surface whose motion is given has taken vertices along.
    taken_along: Vec<(Kind, [u32; 2])>,
    report: GuardReport,
}

/// A pair that might not stay apart.
#[derive(Clone, Copy, Debug)]
struct Watched {
    first: u32,
    second: u32,
    /// Whether it was found not to hold in this round.
    fails: bool,
    /// Whether it keeps to a standing plane.
    is_cut: bool,
}

/// What pairs are looked at with.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    layout: &'a Layout,
    origins: &'a [[f64; 3]],
    work: &'a Work,
    start: &'a [Lanes],
    share: &'a [AtomicU32],
}

/// A pair in the coordinates of the place where its first corner began.
struct Pair {
    kind: Kind,
    slots: [u32; 4],
    bodies: [u32; 2],
    /// That place, in the world \[m\].
    place: [f64; 3],
    start: [Vec3<f64>; 4],
    way: [Vec3<f64>; 4],
    /// What rounding may do to the position of each \[m\].
    rounding: [f64; 4],
    /// Whose motion is given, if it moves.
    given: Option<Side>,
}

impl Guard {
    pub fn new(layout: &Layout, slot_count: usize) -> Self {
        let near = Near::new(layout, slot_count);
        let counts = near.chunk_counts();
        let watched = counts.map(|count| vec![Vec::new(); count]);
        Self {
            start: vec![Lanes::default(); slot_count.div_ceil(4)],
            share: (0..slot_count).map(|_| AtomicU32::new(WHOLE)).collect(),
            near,
            tangles: Tangles::new(layout),
            watched,
            all: (0..(counts[0] + counts[1]) as u32).collect(),
            taken_along: Vec::new(),
            report: GuardReport {
                vertices: layout.surface.vertices.corners.len() as u64,
                ..GuardReport::default()
            },
        }
    }

    /// Another state: nothing is known of it.
    pub fn forget(&mut self) {
        self.near.is_stale = true;
        self.tangles.are_possible = true;
    }

    /// Welds have come apart: what they joined still touches.
    pub fn expect_tangles(&mut self) {
        self.tangles.are_possible = true;
    }

    /// Notes where a substep begins.
    pub fn mark(&mut self, position: &[Lanes]) {
        self.start.copy_from_slice(position);
    }

    pub fn report(&self) -> GuardReport {
        self.report
    }

    pub fn bytes(&self) -> usize {
        let watched = self.watched.iter().flatten().map(Vec::capacity).sum::<usize>();
        size_of_val(&self.start[..])
            + size_of_val(&self.share[..])
            + self.near.bytes()
            + self.tangles.bytes()
            + watched * size_of::<Watched>()
    }

    /// Cuts short what would cross. What there is no memory for is told.
    pub fn run(
        &mut self,
        with: (&Team, Level),
        work: &Work,
        (layout, sewn): (&Layout, &[Member]),
        (given, advance, substep): (&GivenSurfaces, &Advance<'_>, u64),
    ) -> Result<(), String> {
        let (team, _) = with;
        let origins = &given.origins[..];
        let Self { start, share, near, tangles, watched, all, taken_along, .. } = self;
        if near.is_stale {
            // Those that stand still are where they are.
            for chunk in work.slots().given.iter().flat_map(|run| run.slots.clone().step_by(4)) {
                let chunk = chunk as usize / 4;
                // SAFETY: within the arrays, whose positions nobody writes now.
                start[chunk] = unsafe { *work.arrays.position.add(chunk) };
            }
        }
        // What jumps may be anywhere.
        tangles.are_possible |= given.move_on(team, work, advance, substep, start);
        let view = View { layout, origins, work, start, share };
        if near.is_stale || near.has_left(team, work, given.moving()) {
            near.search_for(with, view, watched)?;
            tangles.is_stale = true;
        }
        tangles.find(with, view, near)?;
        taken_along.clear();
        if given.moving().next().is_some() {
            make_way((team, all), view, (near, tangles), watched, taken_along);
        }
        if !taken_along.is_empty() && near.has_left(team, work, given.moving()) {
            near.search_for(with, view, watched)?;
            tangles.is_stale = true;
        }
        let (near, tangles) = (&*near, &*tangles);
        let failing = AtomicU64::new(0);
        way::each_chunk(team, watched, all, &|kind, chunk, list| {
            list.clear();
            for (first, seconds) in near.pairs(kind).chunk(chunk) {
                for &second in seconds {
                    view.watch(kind, first, second, tangles, list);
                }
            }
            view.test(kind, list, &failing);
        });
        for round in 0.. {
            if failing.swap(0, Ordering::Relaxed) == 0 {
                break;
            }
            let is_last = round == ROUNDS;
            way::each_chunk(team, watched, all, &|kind, _, list| view.cut(kind, list, is_last));
            view.keep_together(sewn);
            if is_last {
                break;
            }
            way::each_chunk(team, watched, all, &|kind, _, list| view.test(kind, list, &failing));
        }
        self.look_for_room(work, layout, origins);
        self.finish(team, work, layout, origins);
        Ok(())
    }

    /// Counts the pairs of those that were cut for which there was no room: their other side went on all the same.
    fn look_for_room(&mut self, work: &Work, layout: &Layout, origins: &[[f64; 3]]) {
        let view = View { layout, origins, work, start: &self.start, share: &self.share };
        for (kind, lists) in KINDS.into_iter().zip(&self.watched) {
            for watched in lists.iter().flatten().filter(|pair| pair.is_cut) {
                let Some(pair) = view.pair(kind, watched.first, watched.second) else { continue };
                let Some(side) = pair.given else { continue };
                let end = view.end(&pair);
                let is_apart = |normal: Vec3<f64>| {
                    gap_along(kind, normal, pair.start) > 0.0 && gap_along(kind, normal, end) > 0.0
                };
                if !is_apart(pair.separation().normal) && !is_apart(separation(kind, end).normal) {
                    let body = pair.bodies[usize::from(side == Side::Second)];
                    self.report.withdraw(body);
                    self.tangles.are_possible = true;
                }
            }
        }
    }

    /// Puts vertices where they may go, and begins the next substep there.
    fn finish(&mut self, team: &Team, work: &Work, layout: &Layout, origins: &[[f64; 3]]) {
        let is_cut = self.watched.iter().flatten().flatten().any(|pair| pair.is_cut);
        let cut = AtomicU64::new(0);
        if is_cut {
            let view = View { layout, origins, work, start: &self.start, share: &self.share };
            team.each(work.block_count(), &|block| {
                cut.fetch_add(view.put_back(block), Ordering::Relaxed);
            });
            self.share.iter_mut().for_each(|share| *share.get_mut() = WHOLE);
        }
        if is_cut || !self.taken_along.is_empty() {
            self.end_approaches(work, layout, origins);
        }
        let start = Apart::new(&mut self.start, 1);
        team.each(work.block_count(), &|block| {
            for chunk in work.slots().blocks[block].owned.clone().step_by(4) {
                let chunk = chunk as usize / 4;
                // SAFETY: blocks own their slots, and nobody writes positions now.
                unsafe { start.get(chunk)[0] = *work.arrays.position.add(chunk) };
            }
        });
        self.report.note(cut.into_inner(), self.tangles.count);
    }

    /// Lets what was cut come no nearer: one pair after the other, in their order, so that each takes energy away.
    fn end_approaches(&mut self, work: &Work, layout: &Layout, origins: &[[f64; 3]]) {
        let view = View { layout, origins, work, start: &self.start, share: &self.share };
        let cut = KINDS.into_iter().zip(&self.watched).flat_map(|(kind, lists)| {
            let cut = lists.iter().flatten().filter(|pair| pair.is_cut);
            cut.map(move |pair| (kind, [pair.first, pair.second]))
        });
        for (kind, [first, second]) in cut.chain(self.taken_along.iter().copied()) {
            let Some(impact) = view.impact(kind, first, second) else { continue };
            let inverse = impact.slots.map(|slot| f64::from(work.velocity(slot).0[3]));
            let mass = split_mass(impact.weights, inverse, [1; 4]);
            let impulse = impact.normal * (impact.speed * mass);
            for (k, &slot) in impact.slots.iter().enumerate() {
                let change = (impulse * (impact.weights[k] * inverse[k])).to_f64();
                // SAFETY: the one who leads is alone between two passes, and slots lie within the array.
                let to = unsafe { &mut (*work.arrays.velocity.add(slot as usize / 4)).0 };
                let at = 4 * (slot as usize % 4);
                to[at..at + 3].iter_mut().zip(change).for_each(|(v, c)| *v += c as f32);
            }
        }
    }
}

/// What ends the approach of a pair.
struct Impact {
    slots: [u32; 4],
    weights: [f64; 4],
    normal: Vec3<f64>,
    /// How fast it comes nearer \[m/s\].
    speed: f64,
}

/// Bits of the share of vertices that go all of their way.
const WHOLE: u32 = 1.0_f32.to_bits();

impl<'a> View<'a> {
    /// Where a vertex began the substep, in the coordinates of its body \[m\].
    #[inline]
    pub fn began(&self, slot: u32) -> Vec3<f32> {
        let at = 4 * (slot as usize % 4);
        let lanes = &self.start[slot as usize / 4].0;
        Vec3::from([lanes[at], lanes[at + 1], lanes[at + 2]])
    }

    /// Where it ends, with the share that it has now \[m\].
    #[inline]
    fn ends(&self, slot: u32) -> Vec3<f32> {
        let share = self.share[slot as usize].load(Ordering::Relaxed);
        let end = self.work.position(slot);
        if share == WHOLE {
            return end;
        }
        let (start, share) = (self.began(slot).to_f64(), f64::from(f32::from_bits(share)));
        let end = end.to_f64();
        Vec3::of(std::array::from_fn(|k| start[k] + share * (end[k] - start[k])))
    }

    /// A place of a body in the world \[m\]: rounded just as it is for whoever asks where vertices are.
    #[inline]
    pub fn in_world(&self, body: u32, x: Vec3<f32>) -> [f64; 3] {
        let (origin, x) = (self.origins[body as usize], x.to_f64());
        std::array::from_fn(|k| origin[k] + x[k])
    }

    /// A pair, if its primitives could meet: else boxes round their ways are apart.
    fn pair(&self, kind: Kind, first: u32, second: u32) -> Option<Pair> {
        let bodies = self.layout.bodies(kind, first, second);
        let slots = self.layout.slots(kind, first, second);
        let body = |k: usize| bodies[usize::from(!is_first(kind, k))];
        let begins: [[f64; 3]; 4] =
            std::array::from_fn(|k| self.in_world(body(k), self.began(slots[k])));
        let ends: [[f64; 3]; 4] =
            std::array::from_fn(|k| self.in_world(body(k), self.work.position(slots[k])));
        if are_apart(kind, &begins, &ends) {
            return None;
        }
        let place = begins[0];
        let seen = |x: [f64; 3]| Vec3::from(std::array::from_fn::<_, 3, _>(|i| x[i] - place[i]));
        let start = begins.map(seen);
        let way = std::array::from_fn(|k| seen(ends[k]) - start[k]);
        let rounding = std::array::from_fn(|k| {
            let own = [self.began(slots[k]), self.work.position(slots[k])];
            rounding(own, [begins[k], ends[k]])
        });
        let moves = |k: usize| self.layout.is_given(body(k)) && begins[k] != ends[k];
        let given = match ((0..4).any(|k| is_first(kind, k) && moves(k)), (0..4).any(moves)) {
            (true, _) => Some(Side::First),
            (_, true) => Some(Side::Second),
            _ => None,
        };
        Some(Pair { kind, slots, bodies, place, start, way, rounding, given })
    }

    /// Writes a pair down that could meet, unless standing planes let it go free.
    fn watch(
        &self,
        kind: Kind,
        first: u32,
        second: u32,
        tangles: &Tangles,
        list: &mut Vec<Watched>,
    ) {
        let Some(pair) = self.pair(kind, first, second) else { return };
        if self.layout.is_welded(kind, first, second) {
            return;
        }
        let length = |k: usize| pair.way[k].length();
        let ways = [true, false].map(|of_first| {
            let own = (0..4).filter(|&k| is_first(kind, k) == of_first);
            own.map(length).fold(0.0, f64::max)
        });
        let reach = free_distance(ways, pair.most_rounding());
        if is_beyond(kind, pair.start, reach)
            || tangles.excuse(self.layout, kind, first, second)
            || pair.shares(&pair.separation()) == [1.0; 4]
        {
            return;
        }
        list.push(Watched { first, second, fails: false, is_cut: false });
    }

    /// Finds which watched pairs do not hold.
    fn test(&self, kind: Kind, list: &mut [Watched], failing: &AtomicU64) {
        let mut count = 0;
        for watched in list.iter_mut().filter(|pair| !pair.is_cut) {
            let Some(pair) = self.pair(kind, watched.first, watched.second) else { continue };
            let (end, rounding) = (self.end(&pair), pair.most_rounding());
            // What passes by is told from what meets by either of the two directions.
            let still_holds = |normal: Vec3<f64>| {
                let gap = |x: [Vec3<f64>; 4]| gap_along(kind, normal, x);
                holds(gap(pair.start), gap(end), rounding)
            };
            watched.fails = !still_holds(pair.separation().normal)
                && !still_holds(separation(kind, end).normal);
            count += u64::from(watched.fails);
        }
        failing.fetch_add(count, Ordering::Relaxed);
    }

    /// Lets pairs that do not hold, or all that are watched, keep to standing planes.
    fn cut(&self, kind: Kind, list: &mut [Watched], is_last: bool) {
        for watched in list.iter_mut().filter(|pair| pair.fails || is_last) {
            (watched.fails, watched.is_cut) = (false, true);
            let Some(pair) = self.pair(kind, watched.first, watched.second) else { continue };
            let shares = pair.shares(&pair.separation());
            for (k, (slot, share)) in pair.slots.into_iter().zip(shares).enumerate() {
                let side = if is_first(kind, k) { Side::First } else { Side::Second };
                if share < 1.0 && pair.given != Some(side) {
                    // Towards zero.
                    let share = (share as f32 * (1.0 - f32::EPSILON)).max(0.0);
                    self.share[slot as usize].fetch_min(share.to_bits(), Ordering::Relaxed);
                }
            }
        }
    }

    /// Lets vertices that are welded go the same share of their ways, which then end together, too.
    fn keep_together(&self, sewn: &[Member]) {
        let share = |vertex: u32| &self.share[self.layout.slot_of[vertex as usize] as usize];
        let first = |member: &Member| share(self.layout.welded[member.vertex as usize]);
        for member in sewn {
            let own = share(member.vertex).load(Ordering::Relaxed);
            first(member).fetch_min(own, Ordering::Relaxed);
        }
        for member in sewn {
            share(member.vertex).store(first(member).load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Where the corners of a pair end, as the pair sees them.
    fn end(&self, pair: &Pair) -> [Vec3<f64>; 4] {
        std::array::from_fn(|k| {
            let body = pair.bodies[usize::from(!is_first(pair.kind, k))];
            let x = self.in_world(body, self.ends(pair.slots[k]));
            Vec3::from(std::array::from_fn::<_, 3, _>(|i| x[i] - pair.place[i]))
        })
    }

    /// Puts the vertices of a block where they may go; returns how many that were cut short.
    fn put_back(&self, block: usize) -> u64 {
        let mut cut = 0;
        for slot in self.work.slots().blocks[block].runs.iter().flat_map(|run| run.slots.clone()) {
            if self.share[slot as usize].load(Ordering::Relaxed) == WHOLE {
                continue;
            }
            let end = self.ends(slot);
            if end == self.work.position(slot) {
                continue;
            }
            let (chunk, at) = (slot as usize / 4, 4 * (slot as usize % 4));
            // SAFETY: a block is one worker's, and its vertices are written by this call alone.
            unsafe {
                let position = &mut (*self.work.arrays.position.add(chunk)).0;
                position[at..at + 3].copy_from_slice(&<[f32; 3]>::from(end));
                // What rounding took belongs to where it did not get to.
                (&mut (*self.work.arrays.compensation.add(chunk)).0)[at..at + 3].fill(0.0);
            }
            cut += 1;
        }
        cut
    }

    /// What ends the approach of a pair that was cut, if it comes nearer. Positions are those of the end already.
    fn impact(&self, kind: Kind, first: u32, second: u32) -> Option<Impact> {
        let layout = self.layout;
        let bodies = layout.bodies(kind, first, second);
        let slots = layout.slots(kind, first, second);
        let places: [[f64; 3]; 4] = std::array::from_fn(|k| {
            let body = bodies[usize::from(!is_first(kind, k))];
            self.in_world(body, self.work.position(slots[k]))
        });
        let seen =
            places.map(|x| Vec3::from(std::array::from_fn::<_, 3, _>(|i| x[i] - places[0][i])));
        let Separation { normal, weights, .. } = separation(kind, seen);
        let v = slots.map(|slot| {
            let [x, y, z, _] = self.work.velocity(slot).0.map(f64::from);
            Vec3::from([x, y, z])
        });
        let speed = -normal.dot(combine(weights, v));
        (speed > 0.0).then_some(Impact { slots, weights, normal, speed })
    }
}

impl Pair {
    fn separation(&self) -> Separation<f64> {
        separation(self.kind, self.start)
    }

    fn shares(&self, separation: &Separation<f64>) -> [f64; 4] {
        shares(self.kind, separation, self.start, self.way, self.rounding, self.given)
    }

    fn most_rounding(&self) -> f64 {
        self.rounding.into_iter().fold(0.0, f64::max)
    }
}

/// Whether boxes round the ways of the two primitives do not meet.
#[inline]
fn are_apart(kind: Kind, begins: &[[f64; 3]; 4], ends: &[[f64; 3]; 4]) -> bool {
    let first = if kind == Kind::VertexTriangle { 1 } else { 2 };
    (0..3).any(|axis| {
        let range = |corners: std::ops::Range<usize>| {
            corners.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], k| {
                let (a, b) = (begins[k][axis], ends[k][axis]);
                [low.min(a).min(b), high.max(a).max(b)]
            })
        };
        let ([low, high], [other_low, other_high]) = (range(0..first), range(first..4));
        low > other_high || other_low > high
    })
}

/// What rounding may do to a position between two, given in the coordinates of a body and of the world \[m\].
fn rounding(own: [Vec3<f32>; 2], world: [[f64; 3]; 2]) -> f64 {
    let of_own = own.into_iter().flat_map(<[f32; 3]>::from).fold(0.0_f32, |m, x| m.max(x.abs()));
    let of_world = world.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    f64::from(f32::EPSILON) * f64::from(of_own) + 4.0 * f64::EPSILON * of_world
}
