//! Shape matching on a processor.

use std::ops::Range;

use super::formula::{Columns, Creep, Pull};
use super::matching::{Shape, pull};
use super::{Cluster, ClusterStates, Drive, Member, Shapes};
use crate::math::{Vec3, vec3};
use crate::model::Model;
use crate::scene::ShapeMode;
use crate::simd::Lane4;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;
use crate::step::Advance;

/// Clusters by block, what they have become, and room for what they give to their vertices.
pub(crate) struct Matching {
    /// Where the clusters of each block begin, and where the last ones end. A cluster is of the block of its first vertex.
    first_cluster: Vec<u32>,
    /// The slot of each member.
    slots: Vec<u32>,
    vertices: Vec<Vertex>,
    /// Where the vertices of each block begin, and where the last ones end.
    first_vertex: Vec<u32>,
    /// Members that are the same vertex, vertex by vertex.
    entries: Vec<u32>,
    /// By member, its share of what its cluster gives \[m/s\].
    kicks: Vec<Vec3<f32>>,
    /// What clusters have become.
    pub states: ClusterStates,
}

/// A vertex of clusters that can move.
struct Vertex {
    slot: u32,
    /// Where its entries end: they begin where those of the one before end.
    end: u32,
}

impl Matching {
    /// The clusters of a model whose vertices have these slots; nothing if there are none.
    pub fn new(model: &Model, slots: &Slots) -> Option<Self> {
        let shapes = &model.shapes;
        if shapes.is_empty() {
            return None;
        }
        let mut counts = vec![0_u32; model.vertex_count() + 1];
        shapes.members.iter().for_each(|member| counts[member.vertex as usize + 1] += 1);
        for v in 0..model.vertex_count() {
            counts[v + 1] += counts[v];
        }
        let (mut next, mut sorted) = (counts.clone(), vec![0_u32; shapes.members.len()]);
        for (n, member) in shapes.members.iter().enumerate() {
            let place = &mut next[member.vertex as usize];
            sorted[*place as usize] = n as u32;
            *place += 1;
        }
        let (mut vertices, mut entries) = (Vec::new(), Vec::new());
        let (mut first_cluster, mut first_vertex) = (vec![0], vec![0]);
        for block in &model.blocks {
            let first = |c: &Cluster| shapes.members[c.first as usize].vertex;
            let end = shapes.clusters.partition_point(|c| first(c) < block.vertices.end);
            first_cluster.push(end as u32);
            for v in block.vertices.clone().map(|v| v as usize) {
                let own = &sorted[counts[v] as usize..counts[v + 1] as usize];
                if own.is_empty() || model.inv_mass[v] == 0.0 {
                    continue;
                }
                entries.extend(own);
                vertices.push(Vertex { slot: slots.slot_of[v], end: entries.len() as u32 });
            }
            first_vertex.push(vertices.len() as u32);
        }
        Some(Self {
            first_cluster,
            slots: shapes.members.iter().map(|m| slots.slot_of[m.vertex as usize]).collect(),
            vertices,
            first_vertex,
            entries,
            kicks: vec![Vec3::zero(); shapes.members.len()],
            states: shapes.start(),
        })
    }

    /// Takes over what clusters have become; nothing is what they are at the start.
    pub fn load(&mut self, shapes: &Shapes, states: &ClusterStates) {
        match states.turns.len() == self.states.turns.len() {
            true => self.states.clone_from(states),
            false => self.states = shapes.start(),
        }
    }

    /// For a stretch of steps.
    pub fn run<'a>(&'a mut self, model: &'a Model, advance: &Advance<'_>) -> MatchingJob<'a> {
        let drives = model.shapes.drives(advance.world, advance.h);
        let (kicks, turns) = (self.kicks.as_mut_ptr(), self.states.turns.as_mut_ptr());
        let taken = match self.states.taken.is_empty() {
            true => std::ptr::null_mut(),
            false => self.states.taken.as_mut_ptr(),
        };
        let drives = drives.iter().map(Single::new).collect();
        MatchingJob { matching: self, shapes: &model.shapes, drives, kicks, turns, taken }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let lists = [&self.first_cluster, &self.slots, &self.first_vertex, &self.entries];
        4 * lists.iter().map(|list| list.len()).sum::<usize>()
            + size_of_val(&self.vertices[..])
            + size_of_val(&self.kicks[..])
            + size_of_val(&self.states.turns[..])
            + size_of_val(&self.states.taken[..])
    }
}

/// A [`Drive`] in single precision.
struct Single {
    mode: ShapeMode,
    pull: Pull<f32>,
    creep: Option<Creep<f32>>,
}

impl Single {
    fn new(drive: &Drive) -> Self {
        let Pull { rate, beta, loss, h } = drive.pull;
        let [rate, beta, loss, h] = [rate, beta, loss, h].map(|number| number as f32);
        let creep = drive.creep.map(|Creep { threshold, share, most }| {
            let [threshold, share, most] = [threshold, share, most].map(|number| number as f32);
            Creep { threshold, share, most }
        });
        Self { mode: drive.mode, pull: Pull { rate, beta, loss, h }, creep }
    }
}

/// Clusters while a stretch runs.
///
/// Passes keep the workers apart: those of clusters write what a block's own clusters give and become and read vertices,
/// those of vertices write a block's own vertices and read what clusters give.
pub(crate) struct MatchingJob<'a> {
    matching: &'a Matching,
    shapes: &'a Shapes,
    drives: Vec<Single>,
    kicks: *mut Vec3<f32>,
    turns: *mut [f32; 4],
    taken: *mut [f32; 9],
}

// SAFETY: see the type's documentation.
unsafe impl Sync for MatchingJob<'_> {}

impl MatchingJob<'_> {
    /// Finds what a block's clusters give to their vertices.
    pub fn find(&self, work: &Work, block: usize) {
        for number in range(&self.matching.first_cluster, block) {
            let cluster = &self.shapes.clusters[number];
            let drive = &self.drives[cluster.kind as usize];
            let members = self.shapes.members_of(cluster);
            let first = cluster.first as usize;
            let slots = &self.matching.slots[first..first + members.len()];
            // SAFETY: there is a place for each member and each cluster, and those of a block's clusters are nobody
            // else's in this pass.
            let (kicks, turn) = unsafe {
                let kicks = std::slice::from_raw_parts_mut(self.kicks.add(first), members.len());
                (kicks, &mut *self.turns.add(number))
            };
            let place = |n: usize| {
                let slot = slots[n];
                let Lane4([x, y, z, _]) = work.velocity(slot);
                [work.position(slot), vec3(x, y, z)]
            };
            let shape = self.shape(cluster, members, drive.mode);
            match drive.creep {
                None => pull(&shape, (drive.pull, None), (turn, None), place, kicks),
                Some(_) => {
                    // SAFETY: where a kind yields there is one for each cluster.
                    let taken = unsafe { &mut *self.taken.add(number) };
                    let mut columns = columns(taken);
                    let with = (turn, Some(&mut columns));
                    pull(&shape, (drive.pull, drive.creep), with, place, kicks);
                    *taken = numbers(columns);
                }
            }
        }
    }

    fn shape<'s>(
        &'s self,
        cluster: &'s Cluster,
        members: &'s [Member],
        mode: ShapeMode,
    ) -> Shape<'s> {
        let matrices = &self.shapes.matrices[cluster.matrix as usize..];
        Shape { cluster, members, matrices, mode }
    }

    /// Lets a block's vertices take what their clusters give.
    pub fn take(&self, work: &Work, block: usize) {
        let Matching { vertices, first_vertex, entries, .. } = self.matching;
        let range = range(first_vertex, block);
        let mut begin = match range.start {
            0 => 0,
            first => vertices[first - 1].end as usize,
        };
        for vertex in &vertices[range] {
            let end = vertex.end as usize;
            let mut sum = Vec3::<f32>::zero();
            for &entry in &entries[begin..end] {
                // SAFETY: numbers of members, which nobody writes in this pass.
                sum += unsafe { *self.kicks.add(entry as usize) };
            }
            begin = end;
            // SAFETY: the block's own slots, which nobody else uses in this pass.
            let velocity =
                unsafe { &mut (*work.arrays.velocity.cast::<Lane4>().add(vertex.slot as usize)).0 };
            velocity[0] += sum.x;
            velocity[1] += sum.y;
            velocity[2] += sum.z;
        }
    }
}

fn range(bounds: &[u32], block: usize) -> Range<usize> {
    bounds[block] as usize..bounds[block + 1] as usize
}

/// Nine numbers as columns.
pub fn columns(numbers: &[f32; 9]) -> Columns<f32> {
    let [a, b, c, d, e, f, g, h, i] = *numbers;
    [vec3(a, b, c), vec3(d, e, f), vec3(g, h, i)]
}

/// Columns as nine numbers.
pub fn numbers([a, b, c]: Columns<f32>) -> [f32; 9] {
    [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
}
