//! Which pairs may touch: found by boxes, sorted out by their distance, and kept until somebody has moved.

use crate::contact::Surface;
use crate::contact::search::{self, CHUNK, Pairs};
use crate::contact::tree::Tree;
use crate::math::Vec3;
use crate::pool::Team;
use crate::simd::{Lane4, Lanes, Lanes16, Level, Task, run_at};
use crate::stages::contact::formula::{AHEAD, Kind, is_beyond, nearest};
use crate::stages::contact::layout::{
    LEAST_SKIN, Layout, MOST_SKIN, SUBSTEPS_AHEAD, count_of_first,
};
use crate::stages::cpu::Work;
use crate::step::Advance;

/// The pairs that are near, and until when.
pub(super) struct Candidates {
    vertices: Tree<1>,
    edges: Tree<2>,
    triangles: Tree<3>,
    /// By vertex of the model: where it is, as seen from a common origin, and how far it reaches \[m\].
    placed: Vec<Lane4>,
    /// By slot: where it was in the search, and how far it may go along each axis \[m\].
    searched: Vec<Lanes>,
    range: Vec<Lanes>,
    /// By vertex of the model: how far it may go \[m\].
    skin: Vec<f32>,
    vertex_triangle: Pairs,
    edge_edge: Pairs,
    pub is_stale: bool,
    pub searches: u64,
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
            range: vec![Lanes([f32::INFINITY; 16]); slot_count.div_ceil(4)],
            skin: vec![0.0; layout.slot_of.len()],
            vertex_triangle: Pairs::default(),
            edge_edge: Pairs::default(),
            is_stale: true,
            searches: 0,
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
        let arrays = size_of_val(&self.placed[..]) + 2 * size_of_val(&self.searched[..]);
        arrays + size_of_val(&self.skin[..]) + self.vertex_triangle.bytes() + self.edge_edge.bytes()
    }

    /// Whether a vertex of a block has moved farther than its skin since the search, along any axis.
    pub fn has_left(&self, level: Level, work: &Work, block: usize) -> bool {
        work.slots().blocks[block].runs.iter().any(|run| {
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            let (searched, range) = (&self.searched[chunks.clone()], &self.range[chunks.clone()]);
            // SAFETY: the runs lie within the arrays, whose positions nobody writes now; the level was
            // detected.
            unsafe {
                let first = work.arrays.position.add(chunks.start);
                let now = std::slice::from_raw_parts(first.cast_const(), chunks.len());
                run_at(level, HasLeft { searched, now, range })
            }
        })
    }

    /// Finds all pairs that are near enough to touch before a vertex has left its skin.
    pub fn search(
        &mut self,
        with: (&Team, Level),
        work: &Work,
        advance: &Advance<'_>,
        layout: &Layout,
    ) -> Result<(), String> {
        let (team, _) = with;
        let frames = Frames { origins: advance.origins };
        self.place(work, advance, layout);
        self.vertices.refit(team, &self.placed, 0.0);
        self.edges.refit(team, &self.placed, 0.0);
        self.triangles.refit(team, &self.placed, 0.0);
        loop {
            let (vertices, triangles) = (&self.vertices, &self.triangles);
            search::find::<false, 1, 3>(with, vertices, triangles, &mut self.vertex_triangle);
            search::find::<true, 2, 2>(with, &self.edges, &self.edges, &mut self.edge_edge);
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
        let skin = &self.skin;
        let keeps = |kind: Kind, first: u32, second: u32| {
            let bodies = layout.bodies(kind, first, second);
            if bodies[0] == bodies[1] && !layout.within_bodies {
                return false;
            }
            let skins = layout.corners(kind, first, second).map(|v| skin[v as usize]);
            let most = |skins: &[f32]| skins.iter().fold(0.0_f32, |a, &b| a.max(b));
            let (one, other) = skins.split_at(count_of_first(kind));
            let thickness = layout.thickness(kind, first, second);
            let reach = layout.reach(kind, second, thickness) + most(one) + most(other);
            let x = frames.positions(kind, layout.slots(kind, first, second), bodies, work);
            !is_beyond(kind, x, reach) && nearest(kind, x).distance() <= reach
        };
        self.vertex_triangle.retain(team, &|a, b| keeps(Kind::VertexTriangle, a, b));
        self.edge_edge.retain(team, &|a, b| keeps(Kind::EdgeEdge, a, b));
        self.is_stale = false;
        self.searches += 1;
        Ok(())
    }

    /// Notes where everybody is.
    fn place(&mut self, work: &Work, advance: &Advance<'_>, layout: &Layout) {
        let origins = advance.origins;
        let count = origins.len().max(1) as f64;
        let middle: [f64; 3] =
            std::array::from_fn(|k| origins.iter().map(|o| o[k]).sum::<f64>() / count);
        for run in work.slots().blocks.iter().flat_map(|block| &block.runs) {
            let origin = origins[run.body as usize];
            for (vertex, slot) in (run.first_vertex as usize..).zip(run.slots.clone()) {
                let edge = layout.edge[vertex];
                if edge == 0.0 {
                    continue;
                }
                let ahead = SUBSTEPS_AHEAD * advance.h as f32 * speed(work, slot);
                let skin = ahead.min(MOST_SKIN * edge).max(LEAST_SKIN * edge);
                let x = work.position(slot).to_f64();
                let at = |k: usize| (x[k] + (origin[k] - middle[k])) as f32;
                let reach = AHEAD as f32 * layout.radius[vertex] + skin;
                self.placed[vertex] = Lane4([at(0), at(1), at(2), reach]);
                self.skin[vertex] = skin;
                let lanes = &mut self.range[slot as usize / 4].0[4 * (slot as usize % 4)..];
                // Along each axis, so that the way itself is below the skin.
                lanes[..3].fill(skin / 3_f32.sqrt());
            }
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            for chunk in chunks {
                // SAFETY: within the arrays, whose positions nobody writes now.
                self.searched[chunk] = unsafe { *work.arrays.position.add(chunk) };
            }
        }
    }
}

/// How fast the vertex in a slot is \[m/s\].
fn speed(work: &Work, slot: u32) -> f32 {
    let [x, y, z, _] = work.velocity(slot).0;
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
    range: &'a [Lanes],
}

impl Task for HasLeft<'_> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> bool {
        self.searched.iter().zip(self.now).zip(self.range).any(|((then, now), range)| {
            let way = S::load(now).sub(S::load(then)).with_fourth_of(S::zero());
            let range = S::load(range);
            way.any_outside(S::zero().sub(range), range)
        })
    }
}
