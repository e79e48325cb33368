//! Which pairs may touch: found patch by patch, and kept for each two patches until they have come nearer.
//!
//! A *couple* is two patches whose boxes are near, or one and itself. Its *candidates* are all pairs of primitives that are
//! no farther apart than they may come nearer until the couple searches again. An odometer counts by how much they can have
//! come nearer since then, at most, from how the patches moved; each candidate knows at what reading it can touch, and
//! sleeps until then. When it wakes it is looked at, and told a new reading.
//!
//! A couple searches by itself, when its odometer has run out: where bodies lie still beside each other, or fly and turn as
//! wholes, hardly ever; where they meet, few couples and not all.

use std::sync::atomic::{AtomicBool, Ordering};

use super::KINDS;
use super::filter::{LANES, OF_REACH, Origins, Sixteen};
use super::meet::{SCRATCH, Scratch};
use super::patches::{Patch, Patches};
use super::rows::{Chunk, Hold, View};
use crate::contact::search::{self, Pairs};
use crate::contact::tree::{Apart, Tree, WIDTH};
use crate::pool::Team;
use crate::simd::{Lane4, Level};
use crate::stages::contact::formula::Kind;
use crate::stages::contact::layout::{Layout, count_of_first};
use crate::stages::cpu::Work;

/// How much nearer the primitives of a couple may come until it searches again: as much as they do in so many
/// substeps, but no less and no more than these parts of an edge. Where nothing moves candidates are few.
const SUBSTEPS_AHEAD: f32 = 24.0;
const LEAST: f32 = 0.03;
const MOST: f32 = 0.45;
/// How much faster they may become.
const FASTER: f32 = 1.5;
/// How far a patch may move until couples are looked for again, in its edges.
const MARGIN: f32 = 1.0;
/// Couples that a worker looks at together.
const GRAIN: usize = 8;

/// All couples.
pub(super) struct Couples {
    patches: Patches,
    /// In ascending order of their patches.
    pub all: Vec<Couple>,
    /// Those of before, and some that are free to be used.
    before: Vec<Couple>,
    spare: Vec<Couple>,
    /// Over the boxes of patches: two corners each.
    tree: Tree<2>,
    /// The lowest and the highest corner of the box of each patch when couples were looked for, and how much larger they
    /// were made \[m\].
    placed: Vec<Lane4>,
    pairs: Pairs,
    /// By body: its origin as seen from a common one, and the sum of its coordinates' sizes \[m\].
    pub origins: Vec<Lane4>,
    is_stale: bool,
    /// Whether positions have nothing to do with those before.
    begins: bool,
    pub searches: u64,
}

/// Two patches, the first of which is not behind the second.
pub(super) struct Couple {
    patches: [u32; 2],
    /// Whether implicit steps solve what their primitives do to each other.
    pub is_implicit: bool,
    /// Whether there are candidates.
    is_searched: bool,
    /// How much nearer primitives can have come since the search \[m\], and when it is to be made again.
    odometer: f32,
    horizon: f32,
    /// How much nearer they came in the last substep at most \[m\].
    rate: f32,
    candidates: [Candidates; 2],
    /// Rows of vertices and triangles, then of edges.
    pub chunks: [Chunk; 2],
}

/// Pairs of one kind.
#[derive(Default)]
struct Candidates {
    pairs: Vec<Candidate>,
    /// The reading of the odometer up to which they cannot touch \[m\].
    asleep: Vec<f32>,
}

/// A pair, and what is needed to look at it.
#[derive(Clone, Copy)]
struct Candidate {
    pair: [u32; 2],
    slots: [u32; 4],
    /// From how near it touches \[m\].
    reach: f32,
    /// Whether the first primitive is of the second patch.
    is_turned: bool,
}

/// What a couple looks at.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub patches: &'a Patches,
    pub view: View<'a>,
    pub origins: Origins<'a>,
    pub level: Level,
}

impl Couple {
    fn new(patches: [u32; 2]) -> Self {
        Self {
            patches,
            is_implicit: false,
            is_searched: false,
            odometer: 0.0,
            horizon: 0.0,
            rate: 0.0,
            candidates: Default::default(),
            chunks: Default::default(),
        }
    }

    fn forget(&mut self) {
        self.is_searched = false;
        self.rate = 0.0;
        for Candidates { pairs, asleep } in &mut self.candidates {
            pairs.clear();
            asleep.clear();
        }
    }

    fn has_holds(&self) -> bool {
        self.chunks.iter().any(|chunk| !chunk.holds.is_empty())
    }

    fn count(&self) -> usize {
        self.candidates.iter().map(|list| list.pairs.len()).sum()
    }

    /// Finds the rows of the present substep; says whether there was room.
    fn find(&mut self, here: Here<'_>, has_searched: &AtomicBool) -> bool {
        let Here { patches, view, .. } = here;
        let [p, q] = self.patches.map(|patch| patch as usize);
        let (one, other) = (&patches.motions[p], &patches.motions[q]);
        let both = [&patches.list[p], &patches.list[q]];
        let reach = both[0].reach + both[1].reach;
        let most_ahead: f32 =
            both.iter().map(|patch| view.layout.most_ahead[patch.body as usize]).sum();
        let distance = reach + self.horizon.max(most_ahead);
        let [rate, ahead] =
            if p == q { one.strained(distance) } else { one.approach(other, distance) };
        if view.wants_implicit {
            // Nobody looks again in the step.
            let travel = ahead.min(view.most_travel) + most_ahead;
            self.is_searched = false;
            if one.gap(other) <= reach + travel {
                has_searched.store(true, Ordering::Relaxed);
                if !self.search(here, both, travel) {
                    return false;
                }
            } else {
                self.forget();
            }
            return self.find_rows(here, f32::INFINITY);
        }
        self.rate = rate;
        self.odometer += rate;
        // Nothing that is farther away counts, however fast it is. What is not a number does.
        let ahead = if ahead > most_ahead { most_ahead } else { ahead };
        let is_valid = self.is_searched && self.odometer + ahead <= self.horizon;
        if !is_valid {
            let edge = view.layout.skin * both[0].edge.min(both[1].edge);
            let skin = (SUBSTEPS_AHEAD * view.layout.skin * self.rate).min(MOST * edge);
            let horizon = (FASTER * ahead).min(most_ahead) + skin.max(LEAST * edge);
            if one.gap(other) > reach + horizon {
                self.forget();
            } else {
                has_searched.store(true, Ordering::Relaxed);
                if !self.search(here, both, horizon) {
                    return false;
                }
            }
        }
        self.find_rows(here, ahead)
    }

    /// Finds the rows of candidates that can come so much nearer within the substep.
    fn find_rows(&mut self, here: Here<'_>, ahead: f32) -> bool {
        let odometer = self.odometer;
        let bodies = self.patches.map(|patch| here.patches.list[patch as usize].body);
        for ((kind, list), chunk) in
            KINDS.into_iter().zip(&mut self.candidates).zip(&mut self.chunks)
        {
            chunk.rows.clear();
            if list.pairs.is_empty() && chunk.holds.is_empty() {
                continue;
            }
            chunk.near.clear();
            list.wake(kind, here, (odometer, ahead, bodies), &mut chunk.near);
            if !chunk.find(kind, here.view) {
                return false;
            }
        }
        true
    }

    /// Finds all candidates: those that can touch before they have come nearer than `horizon`; says whether there was room.
    fn search(&mut self, here: Here<'_>, both: [&Patch; 2], horizon: f32) -> bool {
        self.odometer = 0.0;
        self.horizon = horizon;
        self.is_searched = true;
        let is_same = self.patches[0] == self.patches[1];
        for (kind, list) in KINDS.into_iter().zip(&mut self.candidates) {
            list.pairs.clear();
            list.asleep.clear();
            let has_room = SCRATCH.with_borrow_mut(|scratch| {
                let [p, q] = self.patches;
                let mut has_room = true;
                if scratch.meet(kind, here, both, [p, q], horizon) {
                    has_room = list.take(kind, here, both, scratch, (horizon, false));
                }
                let turned = [both[1], both[0]];
                if kind == Kind::VertexTriangle
                    && !is_same
                    && scratch.meet(kind, here, turned, [q, p], horizon)
                {
                    has_room &= list.take(kind, here, turned, scratch, (horizon, true));
                }
                has_room
            });
            if !has_room {
                return false;
            }
        }
        true
    }
}

impl Candidates {
    /// Takes over those pairs of boxes that meet which may touch before they have come nearer than `horizon`; `is_turned` says
    /// that the first of these patches is the second of the couple.
    fn take(
        &mut self,
        kind: Kind,
        here: Here<'_>,
        both: [&Patch; 2],
        scratch: &Scratch,
        (horizon, is_turned): (f32, bool),
    ) -> bool {
        let layout = here.view.layout;
        let Scratch { one, other, found, .. } = scratch;
        let bodies = both.map(|patch| patch.body);
        let [there, back] = [bodies, [bodies[1], bodies[0]]].map(|b| here.origins.shift(b));
        let mut sixteen = Sixteen::EMPTY;
        for some in found.chunks(LANES) {
            let mut batch = [None; LANES];
            for (lane, &[i, j]) in some.iter().enumerate() {
                let (mut first, mut second) = (&one[i as usize], &other[j as usize]);
                let is_back = kind == Kind::EdgeEdge && first.place > second.place;
                if is_back {
                    (first, second) = (second, first);
                }
                let shift = if is_back { back } else { there };
                let thickness = first.radius + second.radius;
                let (x, slots, reach) = match kind {
                    Kind::VertexTriangle => {
                        let [a, b, c] = second.x;
                        let [p, q, r] = second.slots;
                        (
                            [first.x[0], a, b, c],
                            [first.slots[0], p, q, r],
                            thickness.max(second.depth),
                        )
                    }
                    Kind::EdgeEdge => {
                        let ([a, b, _], [c, d, _]) = (first.x, second.x);
                        let ([p, q, _], [r, s, _]) = (first.slots, second.slots);
                        ([a, b, c, d], [p, q, r, s], thickness)
                    }
                };
                sixteen.put(lane, kind, x, shift, reach);
                let pair = [first.place, second.place];
                let is_turned = is_turned != is_back;
                batch[lane] = Some(Candidate { pair, slots, reach, is_turned });
            }
            let slack = sixteen.slack(here.level, kind);
            for (candidate, slack) in batch.into_iter().zip(slack) {
                let Some(candidate) = candidate else { continue };
                let [first, second] = candidate.pair;
                if slack > horizon * (1.0 + OF_REACH) || layout.is_sewn(kind, first, second) {
                    continue;
                }
                if self.pairs.try_reserve(1).is_err() || self.asleep.try_reserve(1).is_err() {
                    return false;
                }
                self.pairs.push(candidate);
                self.asleep.push(slack);
            }
        }
        true
    }

    /// Adds those to `near` that may give a row, and tells all that are awake when to wake again.
    fn wake(
        &mut self,
        kind: Kind,
        here: Here<'_>,
        (odometer, ahead, bodies): (f32, f32, [u32; 2]),
        near: &mut Vec<[u32; 2]>,
    ) {
        let Self { pairs, asleep } = self;
        let most = odometer + ahead;
        let shifts = [bodies, [bodies[1], bodies[0]]].map(|b| here.origins.shift(b));
        let (mut sixteen, mut places, mut count) = (Sixteen::EMPTY, [0; LANES], 0);
        let mut look = |places: &[usize], asleep: &mut [f32]| {
            for (lane, &at) in places.iter().enumerate() {
                let Candidate { pair, slots, reach, is_turned } = pairs[at];
                let x = slots.map(|slot| here.view.work.position4(slot));
                sixteen.put(lane, kind, x, shifts[usize::from(is_turned)], reach);
                if kind == Kind::VertexTriangle {
                    let round = &here.view.layout.neighbourhoods.triangles;
                    sixteen.answers(lane, round[pair[1] as usize].owns);
                }
            }
            let slack = sixteen.slack(here.level, kind);
            let mut ways = [f32::NEG_INFINITY; LANES];
            let mut is_any = false;
            for ((&at, slack), way) in places.iter().zip(slack).zip(&mut ways) {
                asleep[at] = odometer + slack;
                // What is not a number may do anything.
                let is_far = slack > ahead;
                if !is_far {
                    *way = here.way(kind, pairs[at].slots, ahead);
                    let is_beyond = slack > *way;
                    is_any |= !is_beyond;
                }
            }
            if !is_any {
                return;
            }
            let slack = sixteen.slack_of_rows(here.level, kind);
            for ((&at, slack), way) in places.iter().zip(slack).zip(ways) {
                let is_beyond = slack > way;
                if !is_beyond {
                    near.push(pairs[at].pair);
                }
            }
        };
        for start in (0..pairs.len()).step_by(WIDTH) {
            let end = pairs.len().min(start + WIDTH);
            // What is not a number is awake.
            let sleeps = |(lane, &until): (usize, &f32)| u16::from(until > most) << lane;
            let far = asleep[start..end].iter().enumerate().map(sleeps).fold(0, |a, b| a | b);
            let mut bits = !far & (u16::MAX >> (WIDTH - (end - start)));
            while bits != 0 {
                places[count] = start + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                count += 1;
                if count == LANES {
                    look(&places, asleep);
                    count = 0;
                }
            }
        }
        if count > 0 {
            look(&places[..count], asleep);
        }
    }
}

impl Here<'_> {
    /// How much nearer the primitives of a pair come in the substep at most, which is no more than `most` \[m\].
    fn way(&self, kind: Kind, slots: [u32; 4], most: f32) -> f32 {
        if self.view.wants_implicit {
            return most;
        }
        let v = slots.map(|slot| self.view.ahead.velocity4(slot));
        let (one, other) = v.split_at(count_of_first(kind));
        let square = |a: &[f32; 4], b: &[f32; 4]| -> f32 {
            (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
        };
        let all = one.iter().flat_map(|a| other.iter().map(move |b| square(a, b)));
        let fastest = all.fold(0.0, |most: f32, v| if v <= most { most } else { v });
        let way = 1.001 * self.view.h * fastest.sqrt();
        if way > most { most } else { way }
    }
}

impl Couples {
    pub fn new(layout: &Layout) -> Self {
        let patches = Patches::new(layout);
        let count = patches.list.len() as u32;
        let corners: Vec<[u32; 2]> = (0..count).map(|patch| [2 * patch, 2 * patch + 1]).collect();
        Self {
            all: Vec::new(),
            before: Vec::new(),
            spare: Vec::new(),
            tree: Tree::new(&corners),
            placed: vec![Lane4::default(); 2 * count as usize],
            pairs: Pairs::none(count as usize),
            origins: vec![Lane4::default(); layout.is_solid.len()],
            is_stale: true,
            begins: true,
            searches: 0,
            patches,
        }
    }

    /// The couple of a pair of primitives, which is made if there is none.
    fn of_pair(&mut self, kind: Kind, pair: [u32; 2]) -> &mut Couple {
        let patches = self.patches_of(kind, pair);
        let found = self.all.binary_search_by_key(&patches, |couple| couple.patches);
        let place = found.unwrap_or_else(|place| {
            self.all.insert(place, Couple::new(patches));
            place
        });
        &mut self.all[place]
    }

    /// Lets a pair of primitives hold on.
    pub fn keep(&mut self, kind: Kind, hold: Hold) {
        let holds = &mut self.of_pair(kind, hold.pair()).chunks[kind as usize].holds;
        let place = holds.partition_point(|before| before.pair() < hold.pair());
        holds.insert(place, hold);
    }

    /// What a pair of primitives holds on to, if anything.
    pub fn hold(&self, kind: Kind, pair: [u32; 2]) -> Option<&Hold> {
        let patches = self.patches_of(kind, pair);
        let found = self.all.binary_search_by_key(&patches, |couple| couple.patches).ok()?;
        let holds = &self.all[found].chunks[kind as usize].holds;
        holds.get(holds.binary_search_by_key(&pair, Hold::pair).ok()?)
    }

    /// The patches of a pair of primitives, in order.
    fn patches_of(&self, kind: Kind, [first, second]: [u32; 2]) -> [u32; 2] {
        let [first, second] = [first as usize, second as usize];
        let [p, q] = match kind {
            Kind::VertexTriangle => {
                [self.patches.of_vertex[first], self.patches.of_triangle[second]]
            }
            Kind::EdgeEdge => [first, second].map(|edge| self.patches.of_edge[edge]),
        };
        [p.min(q), p.max(q)]
    }

    /// The bodies of a couple.
    pub fn bodies(&self, couple: &Couple) -> [u32; 2] {
        couple.patches.map(|patch| self.patches.list[patch as usize].body)
    }

    /// How many pairs are looked at.
    pub fn count(&self) -> usize {
        self.all.iter().map(Couple::count).sum()
    }

    /// Lets all be searched for anew: positions have nothing to do with those before.
    pub fn forget(&mut self) {
        self.is_stale = true;
        self.begins = true;
    }

    /// Lets the candidates of all couples be searched for anew.
    pub fn forget_candidates(&mut self) {
        self.all.iter_mut().for_each(Couple::forget);
    }

    /// Takes note of where everybody is, and looks for couples if somebody has left the box of the last time. `travel` is
    /// how much farther than usual somebody may go before anybody looks again \[m\].
    pub fn look(
        &mut self,
        with: (&Team, Level),
        work: &Work,
        view: Beginning<'_>,
        travel: f32,
    ) -> Result<(), String> {
        self.take_origins(view.origins);
        if self.begins {
            self.forget_candidates();
        }
        let begins = std::mem::take(&mut self.begins);
        self.patches.look(with.0, work, (view.ahead, view.h), &self.origins, begins);
        if self.is_stale || travel > 0.0 || self.has_left(view.layout) {
            self.is_stale = false;
            self.searches += 1;
            self.pair_up(with, view, travel)?;
        }
        Ok(())
    }

    fn take_origins(&mut self, origins: &[[f64; 3]]) {
        let count = origins.len().max(1) as f64;
        let middle: [f64; 3] =
            std::array::from_fn(|k| origins.iter().map(|o| o[k]).sum::<f64>() / count);
        for (to, origin) in self.origins.iter_mut().zip(origins) {
            let [x, y, z] = std::array::from_fn(|k| (origin[k] - middle[k]) as f32);
            *to = Lane4([x, y, z, x.abs() + y.abs() + z.abs()]);
        }
    }

    /// Whether a patch is no longer where it may be.
    fn has_left(&self, layout: &Layout) -> bool {
        let all = self.patches.motions.iter().zip(&self.patches.list);
        all.zip(self.placed.chunks(2)).any(|((motion, patch), placed)| {
            let margin = MARGIN * layout.skin * patch.edge;
            !(0..3).all(|k| {
                motion.low[k] >= placed[0].0[k] - margin
                    && motion.high[k] <= placed[1].0[k] + margin
            })
        })
    }

    /// Finds the couples of patches that are near each other.
    fn pair_up(
        &mut self,
        with: (&Team, Level),
        Beginning { layout, is_implicit, .. }: Beginning<'_>,
        travel: f32,
    ) -> Result<(), String> {
        let all = self.patches.motions.iter().zip(&self.patches.list);
        for ((motion, patch), placed) in all.zip(self.placed.chunks_mut(2)) {
            let most_ahead = layout.most_ahead[patch.body as usize];
            let skin = layout.skin * patch.edge * (MARGIN + MOST);
            let reach = patch.reach + most_ahead + skin + travel;
            let corner = |[x, y, z]: [f32; 3]| Lane4([x, y, z, reach]);
            placed[0] = corner(motion.low);
            placed[1] = corner(motion.high);
        }
        let count = self.count();
        let Self { tree, placed, pairs, .. } = self;
        tree.refit(with.0, placed, 0.0);
        loop {
            search::find::<true, 2, 2>(with, tree, tree, pairs);
            if pairs.are_complete() {
                break;
            }
            pairs.grow();
        }
        if crate::memory::available().is_some_and(|there| 12 * count as u64 > there) {
            return Err(format!("{count} pairs of surfaces are near each other"));
        }
        let Self { patches, all, before, spare, .. } = self;
        std::mem::swap(all, before);
        let mut old = before.drain(..).peekable();
        let mut add = |wanted: [u32; 2]| {
            while old.peek().is_some_and(|couple| couple.patches < wanted) {
                let Some(mut couple) = old.next() else { break };
                if couple.has_holds() {
                    all.push(couple);
                } else {
                    couple.forget();
                    couple.chunks.iter_mut().for_each(|chunk| chunk.rows.clear());
                    spare.push(couple);
                }
            }
            if wanted[0] == u32::MAX {
                return;
            }
            let next = old.next_if(|couple| couple.patches == wanted);
            let couple = next.or_else(|| {
                let bodies = wanted.map(|patch| patches.list[patch as usize].body);
                if !layout.may_touch(bodies) {
                    return None;
                }
                let mut couple = spare.pop().unwrap_or_else(|| Couple::new(wanted));
                couple.patches = wanted;
                couple.is_implicit = is_implicit(bodies);
                Some(couple)
            });
            all.extend(couple);
        };
        let mut others = pairs.iter().peekable();
        for patch in 0..patches.list.len() as u32 {
            add([patch, patch]);
            while let Some(pair) = others.next_if(|pair| pair[0] == patch) {
                add(pair);
            }
        }
        add([u32::MAX; 2]);
        Ok(())
    }

    /// Finds the rows of all couples that the view is about; says what there was no memory for.
    pub fn find(&mut self, (team, level): (&Team, Level), view: View<'_>) -> Result<(), String> {
        let Self { patches, all, origins, .. } = self;
        let here = Here { patches, view, origins: Origins(origins), level };
        let [has_searched, is_full] = [const { AtomicBool::new(false) }; 2];
        let grains = Apart::new(all, GRAIN);
        team.each(grains.len(), &|grain| {
            // SAFETY: the team gives each number to one worker.
            for couple in unsafe { grains.get(grain) } {
                let is_wanted = couple.is_implicit == view.wants_implicit;
                if is_wanted && !couple.find(here, &has_searched) {
                    is_full.store(true, Ordering::Relaxed);
                }
            }
        });
        self.searches += u64::from(has_searched.into_inner());
        match is_full.into_inner() {
            true => Err(format!("{} pairs of surfaces are near each other", self.count())),
            false => Ok(()),
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let of = |couple: &Couple| {
            let lists = couple.candidates.iter();
            let pairs = lists.map(|list| {
                size_of::<Candidate>() * list.pairs.capacity() + 4 * list.asleep.capacity()
            });
            let rows = couple.chunks.iter().map(Chunk::bytes);
            size_of::<Couple>() + pairs.sum::<usize>() + rows.sum::<usize>()
        };
        let all = self.all.iter().chain(&self.spare).map(of).sum::<usize>();
        all + self.patches.bytes() + size_of_val(&self.placed[..]) + self.pairs.bytes()
    }
}

/// What there is to know when everybody is looked at.
#[derive(Clone, Copy)]
pub(super) struct Beginning<'a> {
    pub layout: &'a Layout,
    pub ahead: &'a super::ahead::Ahead,
    /// Length of the substep \[s\].
    pub h: f32,
    /// Of all bodies.
    pub origins: &'a [[f64; 3]],
    /// Whether implicit steps solve what two bodies do to each other.
    pub is_implicit: &'a dyn Fn([u32; 2]) -> bool,
}
