//! Which pairs may touch: found by boxes, sorted out by their distance, and kept until somebody has moved.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::approach::Approach;
use super::drift::Drift;
use super::facing::Facing;
use super::filter::{LANES, OF_REACH, Positions, Sixteen};
use super::turning::{Moved, Turning};
use crate::contact::Surface;
use crate::contact::owners::{Owners, Whose};
use crate::contact::search::{self, Among, CHUNK, Pairs};
use crate::contact::tree::{Apart, Tree};
use crate::math::Vec3;
use crate::pool::Team;
use crate::simd::{Lane4, Lanes, Lanes16, Level, Task, run_at};
use crate::stages::contact::formula::Kind;
use crate::stages::contact::layout::{Layout, count_of_first};
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Run;

/// How far a vertex may move beside its body until the next search, its skin: as far as it goes in so many substeps,
/// but no less and no more than these parts of its shortest edge. At rest skins are thin, and candidates few.
const SUBSTEPS_AHEAD: f32 = 12.0;
const LEAST_SKIN: f32 = 0.06;
const MOST_SKIN: f32 = 0.2;
/// How much faster bodies may become until the next search, and how much of what could be looked ahead is, at least.
const FASTER: f32 = 1.5;
const LEAST_AHEAD: f32 = 0.1;

/// The pairs that are near, and until when.
///
/// Those within bodies and those between two of them are lists of their own: the first last for as long as bodies keep
/// their shape, however they move and turn, and are many, since all that is near on a surface is among them; the others
/// are few, and last until bodies have moved beside each other.
pub(super) struct Candidates {
    vertices: Tree<1>,
    edges: Tree<2>,
    triangles: Tree<3>,
    /// Whose the primitives of these trees are.
    owners: [Owners; 3],
    /// By vertex of the model: where it is, as seen from a common origin, and how far it reaches \[m\].
    placed: Vec<Lane4>,
    /// By body: its origin as seen from a common one, and the sum of its coordinates' sizes \[m\].
    pub origins: Vec<Lane4>,
    pub within: List,
    pub between: List,
    /// How bodies have moved since the search between them, and how since that within them.
    pub drift: Drift,
    turning: Turning,
    facing: Facing,
    pub searches: u64,
    /// How far ahead of bodies that take implicit steps is looked at most; 0 where there are none \[m\].
    pub most_travel: f32,
}

/// Pairs within bodies, or between them.
pub(super) struct List {
    /// Whether there can be any.
    is_wanted: bool,
    /// By slot: where it was in the search, and how far it may go \[m\].
    searched: Vec<Lanes>,
    vertex_triangle: Pairs,
    edge_edge: Pairs,
    pub is_stale: bool,
    /// By body: how far a vertex has gone beside it since the search at most \[m\], as bits, which are ordered as the
    /// numbers are.
    farthest: Vec<AtomicU32>,
    /// By body: how much nearer one of its primitives may come to others within a substep at most \[m\].
    ahead: Vec<f32>,
}

impl List {
    fn new(is_wanted: bool, slot_count: usize, layout: &Layout) -> Self {
        let Surface { vertices, edges, .. } = &layout.surface;
        let body_count = layout.is_solid.len();
        Self {
            is_wanted,
            searched: vec![Lanes::default(); slot_count.div_ceil(4)],
            vertex_triangle: Pairs::none(vertices.corners.len()),
            edge_edge: Pairs::none(edges.corners.len()),
            is_stale: true,
            farthest: (0..body_count).map(|_| AtomicU32::new(0)).collect(),
            ahead: vec![0.0; body_count],
        }
    }

    /// Whether bodies are faster than the search was made for.
    fn is_too_slow(&self, whose: Whose, (layout, approach): (&Layout, &Approach)) -> bool {
        let is_outrun = |(body, &ahead): (usize, &f32)| {
            ahead < layout.most_ahead[body] && approach.of(whose, body) > ahead
        };
        self.is_wanted && self.ahead.iter().enumerate().any(is_outrun)
    }

    /// Looks as far ahead in the next substeps as bodies are fast now, or as far as it can. Nothing that is farther away
    /// than [`Layout::most_ahead`] counts, however fast it is.
    fn look_ahead(&mut self, whose: Whose, (layout, approach): (&Layout, Option<&Approach>)) {
        for (body, ahead) in self.ahead.iter_mut().enumerate() {
            let most = layout.most_ahead[body];
            let way = approach.map_or(most, |approach| FASTER * approach.of(whose, body));
            *ahead = way.max(LEAST_AHEAD * most).min(most);
        }
    }

    pub fn pairs(&self, kind: Kind) -> &Pairs {
        match kind {
            Kind::VertexTriangle => &self.vertex_triangle,
            Kind::EdgeEdge => &self.edge_edge,
        }
    }

    /// How far a vertex of a body has gone beside it since the search at most \[m\].
    pub fn farthest(&self, body: usize) -> f32 {
        f32::from_bits(self.farthest[body].load(Ordering::Relaxed)).sqrt()
    }

    fn forget_ways(&mut self) {
        self.farthest.iter_mut().for_each(|bits| *bits.get_mut() = 0);
    }

    /// Notes how far the vertices of a run have gone beside their body, which has `moved`; says whether one has left its
    /// skin.
    fn follow(&self, level: Level, work: &Work, run: &Run, moved: &Moved) -> bool {
        let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
        let searched = &self.searched[chunks.clone()];
        // SAFETY: the runs lie within the arrays, whose positions nobody writes now; the level was
        // detected.
        let (has_left, square) = unsafe {
            let first = work.arrays.position.add(chunks.start);
            let now = std::slice::from_raw_parts(first.cast_const(), chunks.len());
            run_at(level, Ways { searched, now, moved })
        };
        self.farthest[run.body as usize].fetch_max(square.to_bits(), Ordering::Relaxed);
        has_left
    }

    fn counts(&self) -> [usize; 2] {
        [self.vertex_triangle.count(), self.edge_edge.count()]
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.searched[..]) + self.vertex_triangle.bytes() + self.edge_edge.bytes()
    }
}

impl Candidates {
    pub fn new(layout: &Layout, slot_count: usize) -> Self {
        let Surface { vertices, edges, triangles } = &layout.surface;
        let body_count = layout.is_solid.len();
        let touches_itself = layout.within.contains(&true);
        Self {
            vertices: Tree::new(&vertices.corners),
            edges: Tree::new(&edges.corners),
            triangles: Tree::new(&triangles.corners),
            owners: [&layout.vertex_body, &layout.edge_body, &layout.triangle_body]
                .map(|bodies| Owners::new(bodies)),
            placed: vec![Lane4::default(); layout.slot_of.len()],
            origins: vec![Lane4::default(); body_count],
            within: List::new(touches_itself, slot_count, layout),
            between: List::new(body_count > 1, slot_count, layout),
            drift: Drift::new(body_count),
            turning: Turning::new(body_count),
            facing: Facing::new(layout),
            searches: 0,
            most_travel: 0.0,
        }
    }

    /// How many chunks of candidates there are of each kind.
    pub fn chunk_counts(&self) -> [usize; 2] {
        [self.vertices.len(), self.edges.len()].map(|count| count.div_ceil(CHUNK))
    }

    /// Both lists.
    pub fn lists(&self) -> [&List; 2] {
        [&self.within, &self.between]
    }

    pub fn chunk_pairs(&self, kind: Kind, chunk: usize) -> usize {
        self.lists().map(|list| list.pairs(kind).chunk_pairs(chunk)).iter().sum()
    }

    pub fn count(&self) -> usize {
        self.lists().iter().flat_map(|list| list.counts()).sum()
    }

    pub fn bytes(&self) -> usize {
        let owners = self.owners.iter().map(Owners::bytes).sum::<usize>();
        let lists = self.lists().map(List::bytes).iter().sum::<usize>();
        let ways = self.drift.bytes() + self.turning.bytes() + self.facing.bytes();
        size_of_val(&self.placed[..]) + ways + owners + lists
    }

    /// Lets both lists be searched for anew.
    pub fn forget(&mut self) {
        self.within.is_stale = true;
        self.between.is_stale = true;
    }

    /// Finds out how far everybody has gone since the searches, `moving` surfaces whose motion is given included, and
    /// which lists are too old for that.
    pub fn follow<'r>(
        &mut self,
        (team, level): (&Team, Level),
        work: &Work,
        near: (&Layout, &Approach),
        moving: impl Iterator<Item = &'r Run>,
    ) {
        let (layout, _) = near;
        let Self { within, between, drift, turning, .. } = self;
        within.is_stale |= within.is_too_slow(Whose::OneBody, near);
        between.is_stale |= between.is_too_slow(Whose::TwoBodies, near);
        between.is_stale |= between.is_wanted && drift.follow(work, layout);
        if within.is_wanted && !within.is_stale {
            turning.follow(work, layout, &within.searched);
        }
        within.forget_ways();
        between.forget_ways();
        let follows = [&*within, &*between].map(|list| list.is_wanted && !list.is_stale);
        let has_left = [const { AtomicBool::new(false) }; 2];
        if follows.contains(&true) {
            let (within, between, has_left) = (&*within, &*between, &has_left);
            let note = |run: &Run, follows: [bool; 2]| {
                let body = run.body as usize;
                if follows[0] && within.follow(level, work, run, &turning.moved[body]) {
                    has_left[0].store(true, Ordering::Relaxed);
                }
                let moved = Moved::along(drift.way[body]);
                if follows[1] && between.follow(level, work, run, &moved) {
                    has_left[1].store(true, Ordering::Relaxed);
                }
            };
            team.each(work.block_count(), &|block| {
                work.slots().blocks[block].runs.iter().for_each(|run| note(run, follows));
            });
            moving.for_each(|run| note(run, [false, follows[1]]));
        }
        let [left_within, left_between] = has_left.map(AtomicBool::into_inner);
        within.is_stale |= left_within;
        between.is_stale |= left_between;
    }

    /// Finds all pairs of the lists that are stale which are near enough to touch before a vertex has left its skin;
    /// says whether there were such lists.
    pub fn search(
        &mut self,
        with: (&Team, Level),
        work: &Work,
        frames: Frames<'_>,
        h: f64,
        near: (&Layout, Option<&Approach>),
    ) -> Result<bool, String> {
        let (layout, _) = near;
        let mut has_searched = false;
        for whose in [Whose::OneBody, Whose::TwoBodies] {
            let list = self.list(whose);
            if !list.is_stale {
                continue;
            }
            has_searched = true;
            if list.is_wanted {
                self.list_mut(whose).look_ahead(whose, near);
                self.place(whose, with.0, work, frames, h, layout);
                if whose == Whose::TwoBodies {
                    self.facing.turn_away(with.0, layout, &mut self.placed);
                }
                self.find(whose, with, layout)?;
                self.sort_out(whose, with, layout);
            }
            let list = self.list_mut(whose);
            list.forget_ways();
            list.is_stale = false;
        }
        self.searches += u64::from(has_searched);
        Ok(has_searched)
    }

    fn list(&self, whose: Whose) -> &List {
        match whose {
            Whose::OneBody => &self.within,
            Whose::TwoBodies => &self.between,
        }
    }

    fn list_mut(&mut self, whose: Whose) -> &mut List {
        match whose {
            Whose::OneBody => &mut self.within,
            Whose::TwoBodies => &mut self.between,
        }
    }

    /// Finds the pairs of one list whose boxes meet.
    fn find(&mut self, whose: Whose, with: (&Team, Level), layout: &Layout) -> Result<(), String> {
        self.vertices.refit(with.0, &self.placed, 0.0);
        self.edges.refit(with.0, &self.placed, 0.0);
        self.triangles.refit(with.0, &self.placed, 0.0);
        let Self { vertices, edges, triangles, owners, within, between, .. } = self;
        let list = if whose == Whose::OneBody { within } else { between };
        let [of_vertices, of_edges, of_triangles] = &*owners;
        // What is given does not touch what is given.
        let [v, e, t] = layout.soft_counts;
        let vertex_triangle =
            Among { passive: [v, t], owners: Some((whose, [of_vertices, of_triangles])) };
        let edge_edge = Among { passive: [e, e], owners: Some((whose, [of_edges, of_edges])) };
        loop {
            let found = &mut list.vertex_triangle;
            search::find_among::<false, 1, 3>(with, vertices, triangles, vertex_triangle, found);
            let found = &mut list.edge_edge;
            search::find_among::<true, 2, 2>(with, edges, edges, edge_edge, found);
            if list.vertex_triangle.are_complete() && list.edge_edge.are_complete() {
                return Ok(());
            }
            let count = list.counts().iter().sum::<usize>();
            if crate::memory::available().is_some_and(|there| 12 * count as u64 > there) {
                return Err(format!("{count} pairs of surfaces are near each other"));
            }
            list.vertex_triangle.grow();
            list.edge_edge.grow();
        }
    }

    /// Leaves those in one list that may touch before the next search, each with how much nearer it may come before it
    /// does.
    fn sort_out(&mut self, whose: Whose, (team, level): (&Team, Level), layout: &Layout) {
        let Self { within, between, origins, drift, .. } = self;
        let list = if whose == Whose::OneBody { within } else { between };
        let by_slot = list.searched.as_ptr().cast::<Lane4>();
        let positions = Positions { by_slot, origins };
        let filter = Filter { layout, positions, ahead: &list.ahead, margin: &drift.margin, level };
        let mut sixteen = Sixteen::EMPTY;
        list.vertex_triangle.rank(team, move |pairs, slack| {
            filter.keeps(Kind::VertexTriangle, pairs, &mut sixteen, slack)
        });
        let mut sixteen = Sixteen::EMPTY;
        list.edge_edge.rank(team, move |pairs, slack| {
            filter.keeps(Kind::EdgeEdge, pairs, &mut sixteen, slack)
        });
    }

    /// Notes where everybody is.
    fn place(
        &mut self,
        whose: Whose,
        team: &Team,
        work: &Work,
        frames: Frames<'_>,
        h: f64,
        layout: &Layout,
    ) {
        let origins = frames.origins;
        let count = origins.len().max(1) as f64;
        let middle: [f64; 3] =
            std::array::from_fn(|k| origins.iter().map(|o| o[k]).sum::<f64>() / count);
        for (to, origin) in self.origins.iter_mut().zip(origins) {
            let [x, y, z] = std::array::from_fn(|k| (origin[k] - middle[k]) as f32);
            *to = Lane4([x, y, z, x.abs() + y.abs() + z.abs()]);
        }
        let ahead = SUBSTEPS_AHEAD * h as f32;
        match whose {
            Whose::OneBody => self.turning.begin(work, layout),
            Whose::TwoBodies => self.drift.begin(work, layout, ahead),
        }
        let Self { placed, within, between, drift, turning, .. } = self;
        let velocity = if whose == Whose::OneBody { &turning.velocity } else { &drift.velocity };
        let list = if whose == Whose::OneBody { within } else { between };
        let most_travel = self.most_travel;
        let List { searched, ahead: ahead_of, .. } = list;
        let (placed, searched) = (Apart::new(placed, 1), Apart::new(searched, 1));
        let skin_of = |slot: u32, body: usize, edge: f32| {
            let way = ahead * speed_beside(work, slot, velocity[body]);
            layout.skin * way.min(MOST_SKIN * edge).max(LEAST_SKIN * edge)
        };
        let margin = |body: usize| if whose == Whose::OneBody { 0.0 } else { drift.margin[body] };
        let place_run = |run: &Run| {
            let body = run.body as usize;
            let origin = origins[body];
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            for chunk in chunks {
                // SAFETY: within the arrays; positions are written by nobody now, and the rest of a run by the one
                // worker who has it.
                let to = unsafe {
                    searched.get(chunk)[0] = *work.arrays.position.add(chunk);
                    &mut searched.get(chunk)[0].0
                };
                to.iter_mut().skip(3).step_by(4).for_each(|skin| *skin = f32::INFINITY);
            }
            for (vertex, slot) in (run.first_vertex as usize..).zip(run.slots.clone()) {
                let edge = layout.edge[vertex];
                if edge == 0.0 {
                    continue;
                }
                let travel = h as f32 * speed_beside(work, slot, [0.0; 3]);
                let skin = skin_of(slot, body, edge).max(travel.min(most_travel));
                let x = work.position(slot).to_f64();
                let at = |k: usize| (x[k] + (origin[k] - middle[k])) as f32;
                let reach = layout.vertex_reach[vertex] + ahead_of[body] + skin + margin(body);
                // SAFETY: as above; vertices of runs do not overlap either.
                unsafe {
                    placed.get(vertex)[0] = Lane4([at(0), at(1), at(2), reach]);
                    searched.get(slot as usize / 4)[0].0[4 * (slot as usize % 4) + 3] = skin;
                }
            }
        };
        let slots = work.slots();
        team.each(work.block_count(), &|block| slots.blocks[block].runs.iter().for_each(place_run));
        team.each(slots.given.len(), &|given| place_run(&slots.given[given]));
        if whose == Whose::TwoBodies {
            self.drift.let_go(layout, &self.placed);
        }
    }
}

/// What is needed to sort out pairs of which only boxes are known to meet.
#[derive(Clone, Copy)]
struct Filter<'a> {
    layout: &'a Layout,
    /// Those of the search, with skins as fourth numbers.
    positions: Positions<'a>,
    /// See [`List::ahead`] and [`Drift::margin`].
    ahead: &'a [f32],
    margin: &'a [f32],
    level: Level,
}

impl Filter<'_> {
    /// Which of up to sixteen pairs may touch before the next search, as bits, and how much nearer each may come before
    /// it does \[m\].
    fn keeps(
        self,
        kind: Kind,
        pairs: &[[u32; 2]],
        sixteen: &mut Sixteen,
        slack: &mut [f32; LANES],
    ) -> u16 {
        let Self { layout, positions, ahead, margin, level } = self;
        let most = |skins: &[f32]| skins.iter().fold(0.0_f32, |a, &b| a.max(b));
        let (mut asked, mut nearer) = (0, [0.0; LANES]);
        for (lane, &[first, second]) in pairs.iter().enumerate() {
            let bodies = layout.bodies(kind, first, second);
            let [a, b] = bodies.map(|body| body as usize);
            let is_asked = layout.may_touch(bodies) && !layout.is_sewn(kind, first, second);
            asked |= u16::from(is_asked) << lane;
            let drift = if a == b { 0.0 } else { margin[a] + margin[b] };
            let reach = layout.still_reach(kind, first, second);
            let slots = layout.slots(kind, first, second);
            // SAFETY: all slots are in the array, which nobody writes during a search.
            let skins = unsafe { sixteen.set(lane, kind, slots, bodies, positions, reach) };
            let (one, other) = skins.split_at(count_of_first(kind));
            let nearer_ahead = ahead[a] + ahead[b];
            nearer[lane] = (nearer_ahead + drift + most(one) + most(other)) * (1.0 + OF_REACH);
        }
        *slack = sixteen.slack(level, kind);
        let near = |lane: usize| u16::from(slack[lane] <= nearer[lane]) << lane;
        asked & (0..pairs.len()).fold(0, |bits, lane| bits | near(lane))
    }
}

/// How fast the vertex in a slot is beside its body \[m/s\].
fn speed_beside(work: &Work, slot: u32, body: [f32; 3]) -> f32 {
    let [x, y, z, _] = work.velocity(slot).0;
    let [x, y, z] = [x - body[0], y - body[1], z - body[2]];
    (x * x + y * y + z * z).sqrt()
}

/// The coordinates of bodies.
#[derive(Clone, Copy)]
pub(super) struct Frames<'a> {
    pub origins: &'a [[f64; 3]],
}

impl Frames<'_> {
    /// Where the corners of a pair are, as seen from the origin of the first body \[m\].
    #[inline]
    pub fn positions(
        self,
        kind: Kind,
        slots: [u32; 4],
        bodies: [u32; 2],
        work: &Work,
    ) -> [Vec3<f32>; 4] {
        let mut x = slots.map(|slot| work.position(slot));
        if bodies[0] != bodies[1] {
            let shift = self.shift(bodies);
            x[count_of_first(kind)..].iter_mut().for_each(|x| *x = shifted(*x, shift));
        }
        x
    }

    /// From the origin of the first body to that of the second, and what rounding took from that \[m\].
    #[inline]
    pub fn shift(self, bodies: [u32; 2]) -> [Vec3<f32>; 2] {
        let [a, b] = bodies.map(|body| self.origins[body as usize]);
        let way: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let high = way.map(|s| s as f32);
        let low: [f32; 3] = std::array::from_fn(|k| (way[k] - f64::from(high[k])) as f32);
        [high.into(), low.into()]
    }
}

/// A position in the coordinates of another body.
#[inline]
pub(super) fn shifted(x: Vec3<f32>, [high, low]: [Vec3<f32>; 2]) -> Vec3<f32> {
    (x + high) + low
}

/// How far vertices have gone beside their body: whether one has left its skin, and the largest square of a way \[m²\].
struct Ways<'a> {
    searched: &'a [Lanes],
    now: &'a [Lanes],
    moved: &'a Moved,
}

/// More than any skin, and less than none.
const HUGE: f32 = 1e30;

impl Task for Ways<'_> {
    type Output = (bool, f32);

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> (bool, f32) {
        let vertex =
            |[x, y, z]: [f32; 3]| S::load(&Lanes(std::array::from_fn(|i| [x, y, z, 0.0][i % 4])));
        let Moved { rotation: [p, q, r], shift } = *self.moved;
        // Diagonals of the rotation go with the coordinates as they are, turned once and turned twice.
        let own = vertex([p[0], q[1], r[2]]);
        let next = vertex([p[1], q[2], r[0]]);
        let last = vertex([p[2], q[0], r[1]]);
        let shift = vertex(shift);
        let (mut has_left, mut farthest) = (false, S::zero());
        for (then, now) in self.searched.iter().zip(self.now) {
            let then = S::load(then);
            let skin = then.broadcast_fourth();
            let then = then.with_fourth_of(S::zero());
            let once = then.turned();
            let moved = then.mul(own).add(once.mul(next)).add(once.turned().mul(last)).add(shift);
            let way = squared_length(S::load(now).sub(moved).with_fourth_of(S::zero()));
            has_left |= way.any_outside(S::zero(), skin.mul(skin));
            // 0 for vertices that have no skin, since they are on no surface, and 1 for all others.
            let counts = S::splat(HUGE).div(skin.add(S::splat(HUGE)));
            farthest = farthest.max(way.mul(counts));
        }
        let mut lanes = Lanes::default();
        farthest.store(&mut lanes);
        (has_left, lanes.0.iter().copied().fold(0.0, f32::max))
    }
}

/// Of four vertices in sixteen lanes: x² + y² + z² in the first three lanes of each, and 0 in the fourth.
#[inline(always)]
pub(super) fn squared_length<S: Lanes16>(v: S) -> S {
    let square = v.mul(v);
    let next = square.turned();
    square.add(next).add(next.turned()).with_fourth_of(S::zero())
}
