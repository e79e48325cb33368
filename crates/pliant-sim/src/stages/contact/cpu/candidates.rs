//! Which pairs may touch: found by boxes, sorted out by their distance, and kept until somebody has moved.

use super::drift::Drift;
use super::filter::{Positions, Sixteen};
use crate::contact::Surface;
use crate::contact::search::{self, CHUNK, Pairs};
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

/// The pairs that are near, and until when.
pub(super) struct Candidates {
    vertices: Tree<1>,
    edges: Tree<2>,
    triangles: Tree<3>,
    /// By vertex of the model: where it is, as seen from a common origin, and how far it reaches \[m\].
    placed: Vec<Lane4>,
    /// By slot: where it was in the search, and how far it may go \[m\].
    searched: Vec<Lanes>,
    /// By body: its origin as seen from a common one, and the sum of its coordinates' sizes \[m\].
    pub origins: Vec<Lane4>,
    /// By vertex of the model: how far it may go beside the drift of its body \[m\].
    skin: Vec<f32>,
    pub drift: Drift,
    vertex_triangle: Pairs,
    edge_edge: Pairs,
    pub is_stale: bool,
    pub searches: u64,
    /// How far ahead of bodies that take implicit steps is looked at most; 0 where there are none \[m\].
    pub most_travel: f32,
}

impl Candidates {
    pub fn new(layout: &Layout, slot_count: usize) -> Self {
        let Surface { vertices, edges, triangles } = &layout.surface;
        Self {
            vertices: Tree::new(&vertices.corners),
            edges: Tree::new(&edges.corners),
            triangles: Tree::new(&triangles.corners),
            placed: vec![Lane4::default(); layout.slot_of.len()],
            searched: vec![Lanes::default(); slot_count.div_ceil(4)],
            origins: vec![Lane4::default(); layout.is_solid.len()],
            skin: vec![0.0; layout.slot_of.len()],
            drift: Drift::new(layout.is_solid.len()),
            vertex_triangle: Pairs::default(),
            edge_edge: Pairs::default(),
            is_stale: true,
            searches: 0,
            most_travel: 0.0,
        }
    }

    /// How many chunks of candidates there are of each kind.
    pub fn chunk_counts(&self) -> [usize; 2] {
        [self.vertices.len(), self.edges.len()].map(|count| count.div_ceil(CHUNK))
    }

    pub fn pairs(&self, kind: Kind) -> &Pairs {
        match kind {
            Kind::VertexTriangle => &self.vertex_triangle,
            Kind::EdgeEdge => &self.edge_edge,
        }
    }

    pub fn chunk_pairs(&self, kind: Kind, chunk: usize) -> usize {
        self.pairs(kind).chunk_pairs(chunk)
    }

    pub fn counts(&self) -> [usize; 2] {
        [self.vertex_triangle.count(), self.edge_edge.count()]
    }

    pub fn bytes(&self) -> usize {
        let arrays =
            size_of_val(&self.placed[..]) + size_of_val(&self.searched[..]) + self.drift.bytes();
        arrays + size_of_val(&self.skin[..]) + self.vertex_triangle.bytes() + self.edge_edge.bytes()
    }

    /// Whether one of some vertices has moved farther than its skin since the search, beside the drift of its body.
    pub fn have_left<'r>(
        &self,
        level: Level,
        work: &Work,
        mut runs: impl Iterator<Item = &'r Run>,
    ) -> bool {
        runs.any(|run| {
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            let searched = &self.searched[chunks.clone()];
            let drift = self.drift.way[run.body as usize];
            // SAFETY: the runs lie within the arrays, whose positions nobody writes now; the level was
            // detected.
            unsafe {
                let first = work.arrays.position.add(chunks.start);
                let now = std::slice::from_raw_parts(first.cast_const(), chunks.len());
                run_at(level, HasLeft { searched, now, drift })
            }
        })
    }

    /// Finds all pairs that are near enough to touch before a vertex has left its skin.
    pub fn search(
        &mut self,
        with: (&Team, Level),
        work: &Work,
        frames: Frames<'_>,
        h: f64,
        layout: &Layout,
    ) -> Result<(), String> {
        let (team, level) = with;
        self.place(team, work, frames, h, layout);
        self.drift.let_go(layout, &self.placed);
        self.vertices.refit(team, &self.placed, 0.0);
        self.edges.refit(team, &self.placed, 0.0);
        self.triangles.refit(team, &self.placed, 0.0);
        loop {
            let (vertices, triangles) = (&self.vertices, &self.triangles);
            // What is given does not touch what is given.
            let [v, e, t] = layout.soft_counts;
            let found = &mut self.vertex_triangle;
            search::find_but::<false, 1, 3>(with, vertices, triangles, [v, t], found);
            let found = &mut self.edge_edge;
            search::find_but::<true, 2, 2>(with, &self.edges, &self.edges, [e, e], found);
            let is_complete = self.vertex_triangle.are_complete() && self.edge_edge.are_complete();
            if is_complete {
                break;
            }
            let bytes = 6 * self.counts().iter().sum::<usize>() as u64;
            if crate::memory::available().is_some_and(|there| bytes > there) {
                let count = self.counts().iter().sum::<usize>();
                return Err(format!("{count} pairs of surfaces are near each other"));
            }
            self.vertex_triangle.grow();
            self.edge_edge.grow();
        }
        let positions =
            Positions { by_slot: self.searched.as_ptr().cast::<Lane4>(), origins: &self.origins };
        let filter = Filter { layout, positions, margin: &self.drift.margin, level };
        let mut sixteen = Sixteen::EMPTY;
        let test =
            move |pairs: &[[u32; 2]]| filter.keeps(Kind::VertexTriangle, pairs, &mut sixteen);
        self.vertex_triangle.retain(team, test);
        let mut sixteen = Sixteen::EMPTY;
        let test = move |pairs: &[[u32; 2]]| filter.keeps(Kind::EdgeEdge, pairs, &mut sixteen);
        self.edge_edge.retain(team, test);
        self.is_stale = false;
        self.searches += 1;
        Ok(())
    }

    /// Notes where everybody is.
    fn place(&mut self, team: &Team, work: &Work, frames: Frames<'_>, h: f64, layout: &Layout) {
        let origins = frames.origins;
        let count = origins.len().max(1) as f64;
        let middle: [f64; 3] =
            std::array::from_fn(|k| origins.iter().map(|o| o[k]).sum::<f64>() / count);
        for (to, origin) in self.origins.iter_mut().zip(origins) {
            let [x, y, z] = std::array::from_fn(|k| (origin[k] - middle[k]) as f32);
            *to = Lane4([x, y, z, x.abs() + y.abs() + z.abs()]);
        }
        let ahead = SUBSTEPS_AHEAD * h as f32;
        self.drift.begin(work, layout, ahead);
        let Drift { velocity, margin, .. } = &self.drift;
        let most_travel = self.most_travel;
        let (placed, skins) = (Apart::new(&mut self.placed, 1), Apart::new(&mut self.skin, 1));
        let searched = Apart::new(&mut self.searched, 1);
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
                let way = ahead * speed_beside(work, slot, velocity[body]);
                let skin = layout.skin * way.min(MOST_SKIN * edge).max(LEAST_SKIN * edge);
                let travel = h as f32 * speed_beside(work, slot, [0.0; 3]);
                let skin = skin.max(travel.min(most_travel));
                let x = work.position(slot).to_f64();
                let at = |k: usize| (x[k] + (origin[k] - middle[k])) as f32;
                let reach = layout.vertex_reach[vertex] + skin + margin[body];
                // SAFETY: as above; vertices of runs do not overlap either.
                unsafe {
                    placed.get(vertex)[0] = Lane4([at(0), at(1), at(2), reach]);
                    skins.get(vertex)[0] = skin;
                    searched.get(slot as usize / 4)[0].0[4 * (slot as usize % 4) + 3] = skin;
                }
            }
        };
        let slots = work.slots();
        team.each(work.block_count(), &|block| slots.blocks[block].runs.iter().for_each(place_run));
        team.each(slots.given.len(), &|given| place_run(&slots.given[given]));
    }
}

/// What is needed to sort out pairs of which only boxes are known to meet.
#[derive(Clone, Copy)]
struct Filter<'a> {
    layout: &'a Layout,
    /// Those of the search, with skins as fourth numbers.
    positions: Positions<'a>,
    /// See [`Drift::margin`].
    margin: &'a [f32],
    level: Level,
}

impl Filter<'_> {
    /// Which of up to sixteen pairs may come near before the next search, as bits.
    fn keeps(self, kind: Kind, pairs: &[[u32; 2]], sixteen: &mut Sixteen) -> u16 {
        let Self { layout, positions, margin, level } = self;
        let most = |skins: &[f32]| skins.iter().fold(0.0_f32, |a, &b| a.max(b));
        let mut asked = 0;
        for (lane, &[first, second]) in pairs.iter().enumerate() {
            let bodies = layout.bodies(kind, first, second);
            let [a, b] = bodies.map(|body| body as usize);
            asked |= u16::from(layout.may_touch(bodies)) << lane;
            let drift = if a == b { 0.0 } else { margin[a] + margin[b] };
            let thickness = layout.thickness(kind, first, second);
            let reach = layout.reach(kind, second, thickness) + drift;
            let slots = layout.slots(kind, first, second);
            // SAFETY: all slots are in the array, which nobody writes during a search.
            unsafe {
                sixteen.set(lane, kind, slots, bodies, positions, |skins| {
                    let (one, other) = skins.split_at(count_of_first(kind));
                    reach + most(one) + most(other)
                });
            }
        }
        asked & sixteen.near(level, kind, pairs.len())
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

/// Whether positions have left those of the search.
struct HasLeft<'a> {
    searched: &'a [Lanes],
    now: &'a [Lanes],
    drift: [f32; 3],
}

impl Task for HasLeft<'_> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> bool {
        let [x, y, z] = self.drift;
        let drift = S::load(&Lanes(std::array::from_fn(|i| [x, y, z, 0.0][i % 4])));
        self.searched.iter().zip(self.now).any(|(then, now)| {
            let then = S::load(then);
            let way = S::load(now).sub(then).sub(drift).with_fourth_of(S::zero());
            let skin = then.broadcast_fourth();
            squared_length(way).any_outside(S::zero(), skin.mul(skin))
        })
    }
}

/// Of four vertices in sixteen lanes: x² + y² + z² in the first three lanes of each, and 0 in the fourth.
#[inline(always)]
pub(super) fn squared_length<S: Lanes16>(v: S) -> S {
    let square = v.mul(v);
    let next = square.turned();
    square.add(next).add(next.turned()).with_fourth_of(S::zero())
}
