//! Skins on processors: vertices in patches of a thousand neighbours, each of which has all that its normals need.
//!
//! A patch computes its own vertices and, once more, the few at its border that its triangles have besides; then it
//! adds up the areas of these triangles. So all of it stays in the nearest cache, threads wait for nobody, and what comes out depends
//! on no thread.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::formula::{carried, carried_above, carried_value};
use super::{Anchor, Skin};
use crate::math::{Vec3, vec3};
use crate::simd::Lane4;

/// Vertices of a patch.
pub(super) const PATCH: usize = 1024;
/// Vertices that are worth a thread of their own: it takes some fifty microseconds to begin.
const PER_THREAD: usize = 16 * PATCH;

/// What is computed of a skin, by vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// Where vertices are, in the coordinates of the body's \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Unit vectors out of the surface; along z where there is no surface.
    pub normals: Vec<[f32; 3]>,
}

/// Vertices and triangles of all patches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Patches {
    list: Vec<Patch>,
    /// Vertices at borders.
    border: Vec<u32>,
    /// Triangles at vertices of a patch, numbered within it: its own vertices first, then those at its border.
    triangles: Vec<[u32; 3]>,
}

/// A patch has the vertices from its number times [`PATCH`] on.
#[derive(Clone, Debug, PartialEq)]
struct Patch {
    border: Range<u32>,
    triangles: Range<u32>,
}

/// An order in which points that are near each other come together: along Morton's curve.
pub(super) fn near_each_other(points: &[[f64; 3]]) -> Vec<u32> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(p[k]), high[k].max(p[k]));
        }
    }
    let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let place = |p: &[f64; 3]| -> u64 {
        (0..3).map(|k| spread(((p[k] - low[k]) / longest * 2_097_151.0) as u64) << k).sum()
    };
    let mut order: Vec<(u64, u32)> = points.iter().map(place).zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, vertex)| vertex).collect()
}

/// Puts two zeros between the lower 21 bits of a number.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

impl Patches {
    pub fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut of_patch: Vec<Vec<u32>> = vec![Vec::new(); vertices.div_ceil(PATCH)];
        for (number, triangle) in (0..).zip(triangles) {
            let mut own = triangle.map(|v| v as usize / PATCH);
            own.sort_unstable();
            for (i, &patch) in own.iter().enumerate() {
                if i == 0 || own[i - 1] != patch {
                    of_patch[patch].push(number);
                }
            }
        }
        let mut patches = Self::default();
        // Places at the border of the present patch.
        let mut place = std::collections::HashMap::new();
        for (number, own) in of_patch.iter().enumerate() {
            let first = number * PATCH;
            let count = PATCH.min(vertices - first);
            let (border, start) = (patches.border.len(), patches.triangles.len());
            place.clear();
            for &triangle in own {
                let corners = triangles[triangle as usize].map(|v| {
                    let within = (v as usize).wrapping_sub(first);
                    if within < count {
                        return within as u32;
                    }
                    *place.entry(v).or_insert_with(|| {
                        patches.border.push(v);
                        (count + patches.border.len() - border - 1) as u32
                    })
                });
                patches.triangles.push(corners);
            }
            patches.list.push(Patch {
                border: border as u32..patches.border.len() as u32,
                triangles: start as u32..patches.triangles.len() as u32,
            });
        }
        patches
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.list[..])
            + size_of_val(&self.border[..])
            + size_of_val(&self.triangles[..])
    }
}

impl Skin {
    /// Where the vertices are when those of the body are at `body` \[m\], in the user's order, and the normals there.
    pub fn carry(&self, body: &[[f32; 3]], threads: usize) -> Carried {
        let mut out = Carried::default();
        self.carry_into(body, threads, &mut out);
        out
    }

    /// The same into arrays that were used before.
    pub fn carry_into(&self, body: &[[f32; 3]], threads: usize, out: &mut Carried) {
        out.positions.resize(self.anchors.len(), [0.0; 3]);
        out.normals.resize(self.anchors.len(), [0.0; 3]);
        let parts = self.patches.list.iter().zip(self.anchors.chunks(PATCH));
        let parts = parts.zip(out.positions.chunks_mut(PATCH)).zip(out.normals.chunks_mut(PATCH));
        self.share(parts, threads, |(((patch, anchors), positions), normals), room| {
            self.carry_patch(body, patch, anchors, [positions, normals], room);
        });
    }

    /// Where the vertices are, without normals.
    pub fn positions(&self, body: &[[f32; 3]], threads: usize) -> Vec<[f32; 3]> {
        let mut positions = vec![[0.0; 3]; self.anchors.len()];
        let parts = self.anchors.chunks(PATCH).zip(positions.chunks_mut(PATCH));
        self.share(parts, threads, |(anchors, positions), _| {
            for (anchor, position) in anchors.iter().zip(positions) {
                *position = array(self.place(anchor, body));
            }
        });
        positions
    }

    /// Numbers that the body's vertices have, carried over. One that is missing at a corner is missing in all that hangs on it.
    pub fn values(&self, of_body: &[f32]) -> Vec<f32> {
        let value = |anchor: &Anchor| {
            let values = anchor.corners.map(|v| of_body[v as usize]);
            match values.iter().all(|v| v.is_finite()) {
                true => carried_value(values, anchor.weights),
                false => f32::NAN,
            }
        };
        self.anchors.iter().map(value).collect()
    }

    /// Vectors that the body's vertices have, such as velocities, carried over.
    pub fn vectors(&self, of_body: &[[f32; 3]]) -> Vec<[f32; 3]> {
        let vector = |anchor: &Anchor| {
            array(carried(anchor.corners.map(|v| vector(of_body[v as usize])), anchor.weights))
        };
        self.anchors.iter().map(vector).collect()
    }

    // Corner by corner, since what `map` makes of an array goes through memory.
    #[inline(always)]
    fn place(&self, anchor: &Anchor, body: &[[f32; 3]]) -> Vec3<f32> {
        let [a, b, c, d] = anchor.corners;
        let at = |v: u32| vector(body[v as usize]);
        match self.is_on_triangles {
            false => carried([at(a), at(b), at(c), at(d)], anchor.weights),
            true => carried_above([at(a), at(b), at(c)], anchor.weights),
        }
    }

    fn carry_patch(
        &self,
        body: &[[f32; 3]],
        patch: &Patch,
        anchors: &[Anchor],
        [positions, normals]: [&mut [[f32; 3]]; 2],
        room: &mut Room,
    ) {
        let range = |r: &Range<u32>| r.start as usize..r.end as usize;
        let border = &self.patches.border[range(&patch.border)];
        let all = anchors.iter().chain(border.iter().map(|&v| &self.anchors[v as usize]));
        room.places.clear();
        room.places.extend(all.map(|anchor| {
            let Vec3 { x, y, z } = self.place(anchor, body);
            Lane4([x, y, z, 0.0])
        }));
        room.areas.clear();
        room.areas.resize(room.places.len(), Lane4::default());
        for triangle in &self.patches.triangles[range(&patch.triangles)] {
            let [a, b, c] = triangle.map(|v| v as usize);
            let area = area([room.places[a], room.places[b], room.places[c]]);
            room.areas[a] = sum(room.areas[a], area);
            room.areas[b] = sum(room.areas[b], area);
            room.areas[c] = sum(room.areas[c], area);
        }
        for (position, &Lane4([x, y, z, _])) in positions.iter_mut().zip(&room.places) {
            *position = [x, y, z];
        }
        for (normal, &Lane4([x, y, z, _])) in normals.iter_mut().zip(&room.areas) {
            let area = vec3(x, y, z);
            let length = area.length();
            let unit = if length > 0.0 { area * (1.0 / length) } else { vec3(0.0, 0.0, 1.0) };
            *normal = array(unit);
        }
    }

    /// Hands out the parts to threads, of which no more are started than it is worth.
    fn share<T: Send>(
        &self,
        parts: impl Iterator<Item = T> + Send,
        threads: usize,
        work: impl Fn(T, &mut Room) + Sync,
    ) {
        let most = if cfg!(target_family = "wasm") { 1 } else { self.anchors.len() / PER_THREAD };
        let others = threads.min(most).saturating_sub(1);
        let parts = Mutex::new(parts);
        let run = || {
            let mut room = Room::default();
            loop {
                let part = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(part) = part else { break };
                work(part, &mut room);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..others {
                // Where no thread is to be had, this one does the work alone.
                if std::thread::Builder::new().spawn_scoped(scope, run).is_err() {
                    break;
                }
            }
            run();
        });
    }
}

/// What a thread works with: vectors of four numbers, which processors load and add at once.
#[derive(Default)]
struct Room {
    places: Vec<Lane4>,
    /// Sums of the areas round vertices, doubled \[m²\].
    areas: Vec<Lane4>,
}

/// The area of a triangle along its normal, doubled \[m²\].
#[inline]
fn area([a, b, c]: [Lane4; 3]) -> Lane4 {
    let from = |to: Lane4| -> [f32; 4] { std::array::from_fn(|k| to.0[k] - a.0[k]) };
    let (b, c) = (from(b), from(c));
    let turned = |v: [f32; 4]| [[v[1], v[2], v[0], 0.0], [v[2], v[0], v[1], 0.0]];
    let ([b1, b2], [c1, c2]) = (turned(b), turned(c));
    Lane4(std::array::from_fn(|k| b1[k] * c2[k] - b2[k] * c1[k]))
}

#[inline]
fn sum(a: Lane4, b: Lane4) -> Lane4 {
    Lane4(std::array::from_fn(|k| a.0[k] + b.0[k]))
}

fn vector([x, y, z]: [f32; 3]) -> Vec3<f32> {
    vec3(x, y, z)
}

fn array(v: Vec3<f32>) -> [f32; 3] {
    [v.x, v.y, v.z]
}
