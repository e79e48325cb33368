//! Shape matching on a processor.

mod fading;
mod fours;

use std::ops::Range;

use super::formula::{Columns, Creep, Pull};
use super::matching::{Shape, pull};
use super::{Cluster, ClusterStates, Drive, Member, Shapes};
use crate::math::{Vec3, vec3};
use crate::model::Model;
use crate::scene::ShapeMode;
use crate::simd::{Lane4, Level};
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;
use crate::step::Advance;
use fading::{Fading, FadingJob};
use fours::{Fours, FoursJob};

/// Clusters by block, what they have become, and room for what they give to their vertices.
pub(crate) struct Matching {
    /// Clusters that go side by side.
    fours: Fours,
    fading: Fading,
    /// The others, and where those of each block begin, and where the last ones end. A cluster is of the block of its
    /// first vertex.
    clusters: Vec<u32>,
    first_cluster: Vec<u32>,
    /// The slot of each member.
    slots: Vec<u32>,
    vertices: Vec<Vertex>,
    /// Where the vertices of each block begin, and where the last ones end.
    first_vertex: Vec<u32>,
    /// Members that are the same vertex, vertex by vertex.
    entries: Vec<u32>,
    /// By member, the impulse that its cluster gives \[kg·m/s\].
    kicks: Vec<Vec3<f32>>,
    /// What clusters have become, but for the rotations of those that go side by side.
    states: ClusterStates,
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
        let mut is_grouped = vec![false; shapes.clusters.len()];
        let fours = Fours::new(model, slots, &mut is_grouped);
        let alone: Vec<u32> =
            (0..shapes.clusters.len() as u32).filter(|&n| !is_grouped[n as usize]).collect();
        let members = || {
            let of = |&n: &u32| {
                let cluster = &shapes.clusters[n as usize];
                cluster.first..cluster.first + cluster.count
            };
            alone.iter().flat_map(of)
        };
        let vertex = |n: u32| shapes.members[n as usize].vertex;
        let mut counts = vec![0_u32; model.vertex_count() + 1];
        members().for_each(|n| counts[vertex(n) as usize + 1] += 1);
        for v in 0..model.vertex_count() {
            counts[v + 1] += counts[v];
        }
        let (mut next, mut sorted) = (counts.clone(), vec![0_u32; members().count()]);
        for n in members() {
            let place = &mut next[vertex(n) as usize];
            sorted[*place as usize] = n;
            *place += 1;
        }
        let (mut vertices, mut entries) = (Vec::new(), Vec::new());
        let (mut first_cluster, mut first_vertex) = (vec![0], vec![0]);
        for block in &model.blocks {
            let first = |n: &u32| vertex(shapes.clusters[*n as usize].first);
            let end = alone.partition_point(|n| first(n) < block.vertices.end);
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
        // Nobody looks for what groups have.
        let room = if alone.is_empty() { 0 } else { shapes.members.len() };
        let slot = |m: &Member| slots.slot_of[m.vertex as usize];
        Some(Self {
            fours,
            fading: Fading::new(model, slots),
            clusters: alone,
            first_cluster,
            slots: shapes.members.iter().take(room).map(slot).collect(),
            vertices,
            first_vertex,
            entries,
            kicks: vec![Vec3::zero(); room],
            states: shapes.start(),
        })
    }

    /// Takes over what clusters of vertices that are there \[m\] have become.
    pub fn load(&mut self, shapes: &Shapes, states: &ClusterStates, x: &[[f32; 3]]) {
        match states.turns.len() == self.states.turns.len() {
            true => self.states.clone_from(states),
            false => self.states = shapes.start_at(x),
        }
        self.fours.load(&self.states.turns);
    }

    /// Goes back to what was written down.
    pub fn restore(&mut self, states: &ClusterStates) {
        self.states.clone_from(states);
        self.fours.load(&self.states.turns);
    }

    /// Writes down what clusters have become.
    pub fn save(&self, states: &mut ClusterStates) {
        states.clone_from(&self.states);
        self.fours.save(&mut states.turns);
    }

    /// For a stretch of steps.
    pub fn run<'a>(&'a mut self, model: &'a Model, advance: &Advance<'_>) -> MatchingJob<'a> {
        let drives = model.shapes.drives(advance.world, advance.h);
        let (kicks, turns) = (self.kicks.as_mut_ptr(), self.states.turns.as_mut_ptr());
        let taken = match self.states.taken.is_empty() {
            true => std::ptr::null_mut(),
            false => self.states.taken.as_mut_ptr(),
        };
        let Self { fours, fading, clusters, first_cluster, slots, .. } = self;
        let Self { vertices, first_vertex, entries, .. } = self;
        let lists = Lists { clusters, first_cluster, slots, vertices, first_vertex, entries };
        let (fours, fading) = (fours.run(), fading.run(&drives));
        let drives: Vec<Single> = drives.iter().map(Single::new).collect();
        let pulls = drives.iter().map(|drive| drive.pull).collect();
        let shapes = &model.shapes;
        MatchingJob { fours, fading, lists, shapes, drives, pulls, kicks, turns, taken }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let lists =
            [&self.clusters, &self.first_cluster, &self.slots, &self.first_vertex, &self.entries];
        self.fours.bytes()
            + self.fading.bytes()
            + 4 * lists.iter().map(|list| list.len()).sum::<usize>()
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
        let Pull { rate, beta, h } = drive.pull;
        let [rate, beta, h] = [rate, beta, h].map(|number| number as f32);
        let creep = drive.creep.map(|Creep { threshold, share, most }| {
            let [threshold, share, most] = [threshold, share, most].map(|number| number as f32);
            Creep { threshold, share, most }
        });
        Self { mode: drive.mode, pull: Pull { rate, beta, h }, creep }
    }
}

/// The lists of [`Matching`] of the same names.
struct Lists<'a> {
    clusters: &'a [u32],
    first_cluster: &'a [u32],
    slots: &'a [u32],
    vertices: &'a [Vertex],
    first_vertex: &'a [u32],
    entries: &'a [u32],
}

/// Clusters while a stretch runs.
///
/// Passes keep the workers apart: those of clusters write what a block's own clusters give and become and read vertices,
/// those of vertices write a block's own vertices and read what clusters give.
pub(crate) struct MatchingJob<'a> {
    fours: FoursJob<'a>,
    fading: FadingJob<'a>,
    lists: Lists<'a>,
    shapes: &'a Shapes,
    drives: Vec<Single>,
    /// What pulls in each of them.
    pulls: Vec<Pull<f32>>,
    kicks: *mut Vec3<f32>,
    turns: *mut [f32; 4],
    taken: *mut [f32; 9],
}

// SAFETY: see the type's documentation.
unsafe impl Sync for MatchingJob<'_> {}

impl MatchingJob<'_> {
    /// Finds what a block's clusters give to their vertices.
    pub fn find(&self, level: Level, work: &Work, block: usize) {
        self.fading.find(work, block);
        self.fours.find(level, work, block, &self.pulls);
        for &number in &self.lists.clusters[range(self.lists.first_cluster, block)] {
            let number = number as usize;
            let cluster = &self.shapes.clusters[number];
            let drive = &self.drives[cluster.kind as usize];
            let members = self.shapes.members_of(cluster);
            let first = cluster.first as usize;
            let slots = &self.lists.slots[first..first + members.len()];
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
        self.fading.take(work, block);
        self.fours.take(work, block);
        let Lists { vertices, first_vertex, entries, .. } = self.lists;
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
            let change = sum * velocity[3];
            velocity[0] += change.x;
            velocity[1] += change.y;
            velocity[2] += change.z;
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
