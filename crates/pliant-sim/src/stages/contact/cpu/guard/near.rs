//! Which pairs could meet before somebody leaves the box that it was searched with.

use crate::contact::Surface;
use crate::contact::search::{self, CHUNK, Pairs};
use crate::contact::tree::Tree;
use crate::pool::Team;
use crate::simd::{Lane4, Lanes, Level};
use crate::stages::contact::formula::Kind;
use crate::stages::contact::layout::Layout;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Run;
use std::sync::atomic::{AtomicBool, Ordering};

use super::View;
use crate::stages::contact::cpu::KINDS;

/// How many substeps ahead boxes reach, if everybody goes on as now.
const SUBSTEPS_AHEAD: f32 = 8.0;
/// How much farther they reach on all sides, in shortest edges.
const SKIN: f32 = 0.04;

/// Pairs of primitives whose boxes meet. A box is where a vertex may be until the next search.
pub(super) struct Near {
    vertices: Tree<1>,
    edges: Tree<2>,
    pub triangles: Tree<3>,
    /// By vertex of the model: the middle of its box as seen from a common origin, and half its size \[m\].
    placed: Vec<Lane4>,
    /// By slot: the same in the coordinates of its body \[m\].
    middle: Vec<Lanes>,
    half: Vec<Lanes>,
    vertex_triangle: Pairs,
    edge_edge: Pairs,
    pub is_stale: bool,
}

impl Near {
    pub fn new(layout: &Layout, slot_count: usize) -> Self {
        let Surface { vertices, edges, triangles } = &layout.surface;
        Self {
            vertices: Tree::new(&vertices.corners),
            edges: Tree::new(&edges.corners),
            triangles: Tree::new(&triangles.corners),
            placed: vec![Lane4::default(); layout.slot_of.len()],
            middle: vec![Lanes::default(); slot_count.div_ceil(4)],
            half: vec![Lanes([f32::INFINITY; 16]); slot_count.div_ceil(4)],
            vertex_triangle: Pairs::default(),
            edge_edge: Pairs::default(),
            is_stale: true,
        }
    }

    pub fn chunk_counts(&self) -> [usize; 2] {
        [self.vertices.len(), self.edges.len()].map(|count| count.div_ceil(CHUNK))
    }

    pub fn pairs(&self, kind: Kind) -> &Pairs {
        match kind {
            Kind::VertexTriangle => &self.vertex_triangle,
            Kind::EdgeEdge => &self.edge_edge,
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.placed[..])
            + 2 * size_of_val(&self.middle[..])
            + self.vertex_triangle.bytes()
            + self.edge_edge.bytes()
    }

    /// Whether a vertex would leave its box in this substep.
    /// Of surfaces whose motion is given these are asked.
    pub fn has_left<'r>(
        &self,
        team: &Team,
        work: &Work,
        mut given: impl Iterator<Item = &'r Run>,
    ) -> bool {
        let has_left = |run: &Run| {
            let mut chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            chunks.any(|chunk| {
                // SAFETY: within the arrays, whose positions nobody writes now.
                let now = unsafe { &(*work.arrays.position.add(chunk)).0 };
                let (middle, half) = (&self.middle[chunk].0, &self.half[chunk].0);
                let is_in = |i: usize| (now[i] - middle[i]).abs() <= half[i];
                !(0..16).fold(true, |all, i| all & is_in(i))
            })
        };
        let has_any = AtomicBool::new(given.any(has_left));
        team.each(work.block_count(), &|block| {
            if work.slots().blocks[block].runs.iter().any(has_left) {
                has_any.store(true, Ordering::Relaxed);
            }
        });
        has_any.into_inner()
    }

    /// Searches, and makes room in `lists` for all that is found.
    pub fn search_for<T: Clone>(
        &mut self,
        with: (&Team, Level),
        view: View<'_>,
        lists: &mut [Vec<Vec<T>>; 2],
    ) -> Result<(), String> {
        self.search(with, view)?;
        for (kind, lists) in KINDS.into_iter().zip(lists) {
            for (chunk, list) in lists.iter_mut().enumerate() {
                list.clear();
                let pairs = self.pairs(kind).chunk_pairs(chunk);
                list.try_reserve(pairs).map_err(|_| format!("{pairs} pairs are near"))?;
            }
        }
        Ok(())
    }

    /// Finds all pairs that could meet on the ways of this substep, and as far ahead as boxes reach.
    fn search(&mut self, with: (&Team, Level), view: View<'_>) -> Result<(), String> {
        let (team, _) = with;
        self.place(view);
        self.vertices.refit(team, &self.placed, 0.0);
        self.edges.refit(team, &self.placed, 0.0);
        self.triangles.refit(team, &self.placed, 0.0);
        loop {
            let (vertices, triangles) = (&self.vertices, &self.triangles);
            let [v, e, t] = view.layout.soft_counts;
            let found = &mut self.vertex_triangle;
            search::find_before::<false, 1, 3>(with, vertices, triangles, [v, t], found);
            let found = &mut self.edge_edge;
            search::find_before::<true, 2, 2>(with, &self.edges, &self.edges, [e, e], found);
            let is_complete = make_room(&mut self.vertex_triangle)?;
            if make_room(&mut self.edge_edge)? && is_complete {
                break;
            }
        }
        let layout = view.layout;
        let keeps = move |kind: Kind, pairs: &[[u32; 2]]| {
            pairs.iter().enumerate().fold(0, |bits, (lane, &[first, second])| {
                bits | u16::from(layout.may_touch(layout.bodies(kind, first, second))) << lane
            })
        };
        self.vertex_triangle.retain(team, move |pairs| keeps(Kind::VertexTriangle, pairs));
        self.edge_edge.retain(team, move |pairs| keeps(Kind::EdgeEdge, pairs));
        self.is_stale = false;
        Ok(())
    }

    /// Gives every vertex of a surface its box.
    fn place(&mut self, view: View<'_>) {
        let count = view.origins.len().max(1) as f64;
        let middle: [f64; 3] =
            std::array::from_fn(|k| view.origins.iter().map(|o| o[k]).sum::<f64>() / count);
        let slots = view.work.slots();
        for run in slots.blocks.iter().flat_map(|block| &block.runs).chain(&slots.given) {
            let origin = view.origins[run.body as usize];
            for (vertex, slot) in (run.first_vertex as usize..).zip(run.slots.clone()) {
                let edge = view.layout.edge[vertex];
                if edge == 0.0 {
                    continue;
                }
                let start: [f32; 3] = view.began(slot).into();
                let end: [f32; 3] = view.work.position(slot).into();
                let ahead: [f32; 3] =
                    std::array::from_fn(|k| 0.5 * SUBSTEPS_AHEAD * (end[k] - start[k]));
                let own: [f32; 3] = std::array::from_fn(|k| start[k] + ahead[k]);
                let farthest = ahead.iter().fold(0.0_f32, |m, a| m.max(a.abs()));
                let size = own.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
                // With room for the rounding of all this.
                let half = farthest + view.layout.skin * SKIN * edge + 8.0 * f32::EPSILON * size;
                let at = |k: usize| (f64::from(own[k]) + (origin[k] - middle[k])) as f32;
                let reach = 1.0001 * half + 2.0 * f32::EPSILON * size;
                self.placed[vertex] = Lane4([at(0), at(1), at(2), reach]);
                let (chunk, lane) = (slot as usize / 4, 4 * (slot as usize % 4));
                self.middle[chunk].0[lane..lane + 3].copy_from_slice(&own);
                self.half[chunk].0[lane..lane + 3].fill(half);
            }
        }
    }
}

/// Makes room where a list had too little; says whether it was enough. What there is no memory for is told.
pub(super) fn make_room(pairs: &mut Pairs) -> Result<bool, String> {
    if pairs.are_complete() {
        return Ok(true);
    }
    let count = pairs.count();
    if crate::memory::available().is_some_and(|there| 24 * count as u64 > there) {
        return Err(format!("{count} pairs of surfaces could meet"));
    }
    pairs.grow();
    Ok(false)
}
