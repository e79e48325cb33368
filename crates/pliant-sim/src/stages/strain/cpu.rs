//! Strain limits on a processor.

use std::ops::Range;

use super::StrainLimits;
use super::formula::{impulse_change, moved, overspeed, span};
use crate::math::{Vec3, vec3};
use crate::model::Model;
use crate::scene::LimitBy;
use crate::simd::Lane4;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;

/// Limited edges in the numbering of slots, by block, and room for their impulses.
pub(crate) struct Limiting {
    edges: Vec<Edge>,
    /// Where the edges of each block begin, and where the last ones end. An edge is of the block of its first end.
    first_edge: Vec<u32>,
    vertices: Vec<Vertex>,
    /// Where the vertices of each block begin, and where the last ones end.
    first_vertex: Vec<u32>,
    /// Edges of vertices, vertex by vertex: twice their number, and one more at their second ends.
    entries: Vec<u32>,
    kinds: Vec<Kind>,
    impulses: Vec<Impulse>,
}

struct Edge {
    slots: [u32; 2],
    kind: u32,
    limit: f32,
    gain: f32,
}

/// A vertex with limited edges that can move.
struct Vertex {
    slot: u32,
    /// Where its entries end: they begin where those of the one before end.
    end: u32,
    /// Whether it is moved, and not only its velocity changed.
    is_moved: bool,
}

struct Kind {
    by: LimitBy,
    relaxation: Vec<[f32; 2]>,
}

/// What an iteration leaves for an edge.
#[derive(Clone, Copy, Default)]
struct Impulse {
    /// The last change, along the edge \[kg·m/s\].
    change: Vec3<f32>,
    /// Its size, and the impulse so far.
    last: f32,
    total: f32,
}

impl Limiting {
    /// Those of a model whose vertices have these slots; nothing if there are none.
    pub fn new(model: &Model, slots: &Slots) -> Option<Self> {
        let limits = &model.limits;
        if limits.is_empty() {
            return None;
        }
        let mut at_vertex = vec![Vec::new(); model.vertex_count()];
        for (n, edge) in limits.edges.iter().enumerate() {
            (0..2).for_each(|end| at_vertex[edge.ends[end] as usize].push((2 * n + end) as u32));
        }
        let (mut vertices, mut first_vertex, mut entries) = (Vec::new(), vec![0], Vec::new());
        let mut first_edge = vec![0];
        for block in &model.blocks {
            let edges = limits.edges.partition_point(|edge| edge.ends[0] < block.vertices.end);
            first_edge.push(edges as u32);
            for v in block.vertices.clone().map(|v| v as usize) {
                if at_vertex[v].is_empty() || model.inv_mass[v] == 0.0 {
                    continue;
                }
                let kind = limits.edges[at_vertex[v][0] as usize / 2].kind as usize;
                let is_moved = limits.kinds[kind].by == LimitBy::Position;
                entries.extend(&at_vertex[v]);
                let end = entries.len() as u32;
                vertices.push(Vertex { slot: slots.slot_of[v], end, is_moved });
            }
            first_vertex.push(vertices.len() as u32);
        }
        let edge = |edge: &super::LimitedEdge| Edge {
            slots: edge.ends.map(|v| slots.slot_of[v as usize]),
            kind: edge.kind,
            limit: edge.limit,
            gain: edge.gain,
        };
        Some(Self {
            edges: limits.edges.iter().map(edge).collect(),
            first_edge,
            vertices,
            first_vertex,
            entries,
            kinds: kinds(limits),
            impulses: vec![Impulse::default(); limits.edges.len()],
        })
    }

    /// For steps of length `h` \[s\].
    pub fn run(&mut self, h: f64) -> LimitingJob<'_> {
        let impulses = self.impulses.as_mut_ptr();
        LimitingJob { limiting: self, impulses, h: h as f32, per_h: (1.0 / h) as f32 }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.edges[..])
            + size_of_val(&self.vertices[..])
            + size_of_val(&self.impulses[..])
            + 4 * (self.entries.len() + self.first_edge.len() + self.first_vertex.len())
    }
}

fn kinds(limits: &StrainLimits) -> Vec<Kind> {
    let of = |kind: usize| Kind { by: limits.kinds[kind].by, relaxation: limits.relaxation(kind) };
    (0..limits.kinds.len()).map(of).collect()
}

/// Limits while a stretch runs.
///
/// Passes keep the workers apart: those of edges write impulses of a block's own edges and read vertices, those of
/// vertices write a block's own vertices and read impulses.
pub(crate) struct LimitingJob<'a> {
    limiting: &'a Limiting,
    impulses: *mut Impulse,
    h: f32,
    per_h: f32,
}

// SAFETY: see the type's documentation.
unsafe impl Sync for LimitingJob<'_> {}

impl LimitingJob<'_> {
    /// Finds the impulses of a block's edges in iteration `n`.
    pub fn find(&self, work: &Work, block: usize, n: u8) {
        for number in range(&self.limiting.first_edge, block) {
            let Edge { slots: [i, j], kind, limit, gain } = self.limiting.edges[number];
            let kind = &self.limiting.kinds[kind as usize];
            let span = span(work.position(j) - work.position(i));
            let u = match kind.by {
                LimitBy::Velocity => velocity(work, j) - velocity(work, i),
                LimitBy::Position => Vec3::zero(),
            };
            // SAFETY: there is one for each edge, and those of a block are nobody else's in this pass.
            let impulse = unsafe { &mut *self.impulses.add(number) };
            if n == 0 {
                *impulse = Impulse::default();
            }
            let overspeed = overspeed(span, u, limit, self.per_h);
            let so_far = [impulse.total, impulse.last];
            let last = impulse_change(overspeed, gain, so_far, kind.relaxation[usize::from(n)]);
            *impulse = Impulse { change: span.along * last, last, total: impulse.total + last };
        }
    }

    /// Lets a block's vertices take the impulses that were found last.
    pub fn take(&self, work: &Work, block: usize) {
        let Limiting { vertices, first_vertex, entries, .. } = self.limiting;
        let arrays = &work.arrays;
        let range = range(first_vertex, block);
        let mut begin = match range.start {
            0 => 0,
            first => vertices[first - 1].end as usize,
        };
        for vertex in &vertices[range] {
            let (slot, end) = (vertex.slot as usize, vertex.end as usize);
            let mut sum = Vec3::<f32>::zero();
            for &entry in &entries[begin..end] {
                // SAFETY: numbers of edges, which nobody writes in this pass.
                let change = unsafe { (*self.impulses.add(entry as usize / 2)).change };
                sum += if entry % 2 == 0 { change } else { -change };
            }
            begin = end;
            if sum == Vec3::zero() {
                continue;
            }
            // SAFETY: the block's own slots, which nobody else uses in this pass.
            unsafe {
                let place =
                    |array: *mut crate::simd::Lanes| &mut (*array.cast::<Lane4>().add(slot)).0;
                let velocity = place(arrays.velocity);
                let change = sum * velocity[3];
                add(velocity, change);
                if vertex.is_moved {
                    let (x, lost) = (place(arrays.position), place(arrays.compensation));
                    let new = moved(xyz(x), xyz(lost), change * self.h);
                    x[..3].copy_from_slice(&<[f32; 3]>::from(new[0]));
                    lost[..3].copy_from_slice(&<[f32; 3]>::from(new[1]));
                }
            }
        }
    }
}

fn range(bounds: &[u32], block: usize) -> Range<usize> {
    bounds[block] as usize..bounds[block + 1] as usize
}

fn velocity(work: &Work, slot: u32) -> Vec3<f32> {
    xyz(&work.velocity(slot).0)
}

fn xyz(lanes: &[f32; 4]) -> Vec3<f32> {
    vec3(lanes[0], lanes[1], lanes[2])
}

fn add(lanes: &mut [f32; 4], d: Vec3<f32>) {
    lanes[0] += d.x;
    lanes[1] += d.y;
    lanes[2] += d.z;
}
