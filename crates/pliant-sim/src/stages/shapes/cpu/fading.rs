//! What fades beside the rigid motion of wholes: sums by part, then what vertices lose.

use super::super::formula::{RigidMotion, Sums, beside, rigid_motion_of};
use super::super::{Drive, Shapes};
use super::range;
use crate::math::{Vec3, vec3};
use crate::model::Model;
use crate::simd::Lane4;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;

/// Wholes, cut at the borders of blocks.
pub struct Fading {
    /// Vertices, part by part.
    vertices: Vec<Entry>,
    /// Parts, block by block.
    parts: Vec<Part>,
    /// Where the parts of each block begin, and where the last ones end.
    first_part: Vec<u32>,
    wholes: Vec<Lot>,
    /// Parts of wholes, whole by whole.
    parts_of: Vec<u32>,
    /// What each part has found.
    sums: Vec<Found>,
}

/// A vertex of a whole.
struct Entry {
    slot: u32,
    mass: f32,
}

/// What a block has of a whole.
struct Part {
    whole: u32,
    /// Where its vertices end: they begin where those of the part before end.
    end: u32,
}

/// A whole as it is here.
struct Lot {
    kind: u32,
    inv_mass: f32,
    /// The slot of the vertex that the others are seen from.
    slot: u32,
    /// Where its parts end.
    end: u32,
}

/// Sums of a part, and position and velocity of the vertex that they are seen from.
#[derive(Clone, Copy, Default)]
struct Found {
    from: [Vec3<f32>; 2],
    sums: Sums<f64>,
}

impl Fading {
    /// Of the wholes of a model whose vertices have these slots.
    pub fn new(model: &Model, slots: &Slots) -> Self {
        let wholes = &model.shapes.wholes;
        // Vertex, whole and the bits of its mass: whole numbers are sorted elsewhere, too, which keeps the program small.
        let mut sorted: Vec<[u32; 3]> = Vec::with_capacity(wholes.vertices.len());
        for (n, whole) in (0..).zip(&wholes.all) {
            let own = &wholes.vertices[whole.first as usize..(whole.first + whole.count) as usize];
            sorted.extend(own.iter().map(|&(v, mass)| [v, n, mass.to_bits()]));
        }
        sorted.sort_unstable();
        let (mut parts, mut first_part, mut vertices) = (Vec::new(), vec![0], Vec::new());
        let mut of_whole = vec![Vec::new(); wholes.all.len()];
        for block in &model.blocks {
            let [start, end] = [block.vertices.start, block.vertices.end]
                .map(|v| sorted.partition_point(|&[vertex, ..]| vertex < v));
            let by_whole = |&[v, n, mass]: &[u32; 3]| [n, v, mass];
            let mut own: Vec<[u32; 3]> = sorted[start..end].iter().map(by_whole).collect();
            own.sort_unstable();
            for part in own.chunk_by(|a, b| a[0] == b[0]) {
                of_whole[part[0][0] as usize].push(parts.len() as u32);
                let entry = |&[_, v, mass]: &[u32; 3]| {
                    let slot = slots.slot_of[v as usize];
                    Entry { slot, mass: f32::from_bits(mass) }
                };
                vertices.extend(part.iter().map(entry));
                parts.push(Part { whole: part[0][0], end: vertices.len() as u32 });
            }
            first_part.push(parts.len() as u32);
        }
        let (mut lots, mut parts_of) = (Vec::new(), Vec::new());
        for (whole, own) in wholes.all.iter().zip(&of_whole) {
            parts_of.extend(own);
            let slot = slots.slot_of[wholes.vertices[whole.first as usize].0 as usize];
            let end = parts_of.len() as u32;
            lots.push(Lot { kind: whole.kind, inv_mass: whole.inv_mass, slot, end });
        }
        let sums = vec![Found::default(); parts.len()];
        Self { vertices, parts, first_part, wholes: lots, parts_of, sums }
    }

    /// For a stretch of steps in which kinds do this.
    pub fn run(&mut self, drives: &[Drive]) -> FadingJob<'_> {
        let sums = self.sums.as_mut_ptr();
        let losses = match Shapes::fades(drives) {
            true => drives.iter().map(|drive| drive.loss as f32).collect(),
            false => Vec::new(),
        };
        FadingJob { fading: self, losses, sums }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.vertices[..])
            + size_of_val(&self.parts[..])
            + size_of_val(&self.wholes[..])
            + size_of_val(&self.sums[..])
            + 4 * (self.first_part.len() + self.parts_of.len())
    }

    fn vertices_of(&self, part: usize) -> &[Entry] {
        let begin = if part == 0 { 0 } else { self.parts[part - 1].end };
        &self.vertices[begin as usize..self.parts[part].end as usize]
    }

    fn parts_of(&self, whole: usize) -> &[u32] {
        let begin = if whole == 0 { 0 } else { self.wholes[whole - 1].end };
        &self.parts_of[begin as usize..self.wholes[whole].end as usize]
    }
}

/// Fading while a stretch runs; sums of a block's parts are one worker's alone where they are found.
pub struct FadingJob<'a> {
    fading: &'a Fading,
    /// By kind; nothing if nothing fades.
    losses: Vec<f32>,
    sums: *mut Found,
}

impl FadingJob<'_> {
    /// Adds up what a block's parts do.
    pub fn find(&self, work: &Work, block: usize) {
        for part in self.parts_in(block) {
            let whole = &self.fading.wholes[self.fading.parts[part].whole as usize];
            let from = place(work, whole.slot);
            let mut sums = Sums::<f64>::default();
            for entry in self.fading.vertices_of(part) {
                let [x, v] = place(work, entry.slot);
                let [x, v] = [x - from[0], v - from[1]].map(wide);
                sums.add_vertex(f64::from(entry.mass), x, v);
            }
            // SAFETY: there is a place for each part, and those of a block are nobody else's in this pass.
            unsafe { *self.sums.add(part) = Found { from, sums } };
        }
    }

    /// Lets a block's vertices lose their share.
    pub fn take(&self, work: &Work, block: usize) {
        for part in self.parts_in(block) {
            let number = self.fading.parts[part].whole as usize;
            let whole = &self.fading.wholes[number];
            let loss = self.losses[whole.kind as usize];
            if loss == 0.0 {
                continue;
            }
            let mut sums = Sums::default();
            let mut from = [Vec3::zero(); 2];
            for &part in self.fading.parts_of(number) {
                // SAFETY: there is a place for each part, which nobody writes in this pass.
                let found = unsafe { *self.sums.add(part as usize) };
                sums.add(&found.sums);
                from = found.from;
            }
            let motion = narrow(rigid_motion_of(sums, f64::from(whole.inv_mass)));
            for entry in self.fading.vertices_of(part) {
                let x = work.position(entry.slot) - from[0];
                // SAFETY: the block's own slots, which nobody else uses in this pass.
                let velocity = unsafe {
                    &mut (*work.arrays.velocity.cast::<Lane4>().add(entry.slot as usize)).0
                };
                if velocity[3] == 0.0 {
                    continue;
                }
                let v = vec3(velocity[0], velocity[1], velocity[2]) - from[1];
                let lost = beside(motion, x, v) * loss;
                velocity[0] -= lost.x;
                velocity[1] -= lost.y;
                velocity[2] -= lost.z;
            }
        }
    }

    fn parts_in(&self, block: usize) -> std::ops::Range<usize> {
        match self.losses.is_empty() {
            true => 0..0,
            false => range(&self.fading.first_part, block),
        }
    }
}

fn place(work: &Work, slot: u32) -> [Vec3<f32>; 2] {
    let Lane4([x, y, z, _]) = work.velocity(slot);
    [work.position(slot), vec3(x, y, z)]
}

fn wide(v: Vec3<f32>) -> Vec3<f64> {
    Vec3::of([v.x, v.y, v.z].map(f64::from))
}

fn narrow(motion: RigidMotion<f64>) -> RigidMotion<f32> {
    let RigidMotion { centre, velocity, spin } = motion;
    let [centre, velocity, spin] = [centre, velocity, spin].map(|v| Vec3::of(v.to_f64()));
    RigidMotion { centre, velocity, spin }
}
