//! Surfaces in patches, and how these move.
//!
//! What a patch did since the positions were looked at last is an affine motion and a rest: neighbours on a surface move
//! alike, however the body flies, turns and bends, so that the rest is small, and so is what two patches do beside each
//! other. The affine motion may be any, since what it misses is part of the rest; it is the one that fits best.

use std::ops::Range;

use super::ahead::Ahead;
use crate::contact::tree::Apart;
use crate::pool::Team;
use crate::simd::Lane4;
use crate::stages::contact::layout::Layout;
use crate::stages::cpu::Work;

/// Vertices of a patch.
const SIZE: usize = 64;

/// Patches that a worker looks at together.
const GRAIN: usize = 4;

/// The patches of all surfaces.
pub(super) struct Patches {
    pub list: Vec<Patch>,
    /// The patch of each vertex, edge and triangle, by place.
    pub of_vertex: Vec<u32>,
    pub of_edge: Vec<u32>,
    pub of_triangle: Vec<u32>,
    /// Slots of the corners of their primitives, patch by patch, and where these were when they were looked at last \[m\].
    slots: Vec<u32>,
    positions: Vec<Lane4>,
    /// Places of primitives, patch by patch, in ascending order, and their corners among those of the patch.
    vertices: Vec<(u32, [u16; 1])>,
    edges: Vec<(u32, [u16; 2])>,
    triangles: Vec<(u32, [u16; 3])>,
    /// By patch.
    pub motions: Vec<Motion>,
}

/// Neighbours on the surface of a body: some vertices, and edges and triangles at them.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub body: u32,
    /// Its typical edge \[m\].
    pub edge: f32,
    /// How far round its vertices primitives act at most \[m\].
    pub reach: f32,
    slots: Range<u32>,
    vertices: Range<u32>,
    edges: Range<u32>,
    triangles: Range<u32>,
}

/// How a patch moves, and where it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Motion {
    /// The box round it, as seen from a common origin \[m\].
    pub low: [f32; 3],
    pub high: [f32; 3],
    /// What it did since it was looked at last, and by how much lengths changed, over themselves.
    did: Affine,
    stretch: f32,
    /// How far a vertex went beside that at most, and how far it goes so until the end of the substep, without contact or
    /// with the velocity that it has now \[m\].
    beside: f32,
    beside_ahead: f32,
}

/// Ways of what is at x: `shift` plus the gradient, given by columns, times x − `from`.
#[derive(Clone, Copy, Debug, Default)]
struct Affine {
    /// As seen from a common origin \[m\].
    from: [f32; 3],
    shift: [f32; 3],
    gradient: [[f32; 3]; 3],
}

impl Affine {
    fn at(&self, x: [f32; 3]) -> [f32; 3] {
        let r: [f32; 3] = std::array::from_fn(|k| x[k] - self.from[k]);
        let [a, b, c] = self.gradient;
        std::array::from_fn(|k| self.shift[k] + (a[k] * r[0] + b[k] * r[1] + c[k] * r[2]))
    }

    /// By how much lengths change at most, over themselves.
    fn stretch(&self) -> f32 {
        let g = &self.gradient;
        let entry = |i: usize, j: usize| 0.5 * (g[i][j] + g[j][i]);
        let (mut strain, mut square) = (0.0, 0.0);
        for i in 0..3 {
            for j in 0..3 {
                strain += entry(i, j) * entry(i, j);
                square += g[i][j] * g[i][j];
            }
        }
        strain.sqrt() + square
    }
}

impl Motion {
    /// By how much two primitives of patches came nearer at most that are no farther apart than `reach`, and come in the
    /// substep \[m\].
    pub fn approach(&self, other: &Self, reach: f32) -> [f32; 2] {
        let (mut middle, mut square) = ([0.0; 3], 0.0);
        for k in 0..3 {
            let (low, high) = (self.low[k].max(other.low[k]), self.high[k].min(other.high[k]));
            middle[k] = 0.5 * (low + high);
            let half = 0.5 * (high - low).abs() + reach;
            square += half * half;
        }
        let (one, two) = (self.did.at(middle), other.did.at(middle));
        let mut apart = 0.0;
        for (a, b) in self.did.gradient.iter().zip(&other.did.gradient) {
            apart += length2(a, b);
        }
        let whole = length2(&one, &two).sqrt() + (apart * square).sqrt();
        let whole = whole + reach * self.stretch.min(other.stretch);
        let besides = [self.beside + other.beside, self.beside_ahead + other.beside_ahead];
        besides.map(|beside| 1.001 * (whole + beside))
    }

    /// The same of two of its own primitives \[m\].
    pub fn strained(&self, reach: f32) -> [f32; 2] {
        let besides = [self.beside, self.beside_ahead];
        besides.map(|beside| 1.001 * (reach * self.stretch + 2.0 * beside))
    }

    /// How far apart they are at least \[m\].
    pub fn gap(&self, other: &Self) -> f32 {
        let mut square = 0.0;
        for k in 0..3 {
            let gap = (self.low[k] - other.high[k]).max(other.low[k] - self.high[k]).max(0.0);
            square += gap * gap;
        }
        square.sqrt()
    }

    /// The size of the largest coordinate \[m\].
    pub fn size(&self) -> f32 {
        self.low.iter().chain(&self.high).fold(0.0, |most: f32, c| most.max(c.abs()))
    }
}

/// The square of a distance.
#[inline]
fn length2(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
}

impl Patches {
    pub fn new(layout: &Layout) -> Self {
        let surface = &layout.surface;
        let places = layout.vertex_body.len();
        let body_count = layout.is_solid.len();
        // Vertices are in an order in which neighbours follow each other.
        let mut of_body: Vec<Vec<u32>> = vec![Vec::new(); body_count];
        for (place, &body) in layout.vertex_body.iter().enumerate() {
            of_body[body as usize].push(place as u32);
        }
        let mut of_vertex = vec![0; places];
        let mut bodies = Vec::new();
        for (body, own) in of_body.iter().enumerate() {
            // Parts of one size, so that none is much smaller than the others.
            let count = own.len().div_ceil(SIZE);
            for part in 0..count {
                for &place in &own[part * own.len() / count..(part + 1) * own.len() / count] {
                    of_vertex[place as usize] = bodies.len() as u32;
                }
                bodies.push(body as u32);
            }
        }
        let mut place_of = vec![u32::MAX; layout.slot_of.len()];
        for (place, &[v]) in surface.vertices.corners.iter().enumerate() {
            place_of[v as usize] = place as u32;
        }
        let patch_of = |corners: &[u32]| {
            let patch = |v: &u32| of_vertex[place_of[*v as usize] as usize];
            corners.iter().map(patch).min().unwrap_or(0)
        };
        let of_edge: Vec<u32> = surface.edges.corners.iter().map(|c| patch_of(c)).collect();
        let of_triangle: Vec<u32> = surface.triangles.corners.iter().map(|c| patch_of(c)).collect();
        let mut patches = Self {
            list: Vec::with_capacity(bodies.len()),
            slots: Vec::new(),
            positions: Vec::new(),
            vertices: Vec::new(),
            edges: Vec::new(),
            triangles: Vec::new(),
            motions: vec![Motion::default(); bodies.len()],
            of_vertex,
            of_edge,
            of_triangle,
        };
        let [of_vertex, of_edge, of_triangle] =
            [&patches.of_vertex, &patches.of_edge, &patches.of_triangle]
                .map(|of| members(of, bodies.len()));
        let mut local = std::collections::HashMap::new();
        for (number, &body) in bodies.iter().enumerate() {
            let start = [
                patches.slots.len(),
                patches.vertices.len(),
                patches.edges.len(),
                patches.triangles.len(),
            ]
            .map(|count| count as u32);
            local.clear();
            let (mut reach, mut edge, mut count) = (0.0_f32, 0.0, 0);
            let slots = &mut patches.slots;
            let mut corner = |v: u32| {
                *local.entry(v).or_insert_with(|| {
                    slots.push(layout.slot_of[v as usize]);
                    reach = reach.max(layout.vertex_reach[v as usize]);
                    (edge, count) = (edge + layout.edge[v as usize], count + 1);
                    (slots.len() as u32 - start[0] - 1) as u16
                })
            };
            for &place in &of_vertex[number] {
                let corners = surface.vertices.corners[place as usize].map(&mut corner);
                patches.vertices.push((place, corners));
            }
            for &place in &of_edge[number] {
                let corners = surface.edges.corners[place as usize].map(&mut corner);
                patches.edges.push((place, corners));
            }
            for &place in &of_triangle[number] {
                let corners = surface.triangles.corners[place as usize].map(&mut corner);
                patches.triangles.push((place, corners));
            }
            let [slots, vertices, edges, triangles] = start;
            patches.list.push(Patch {
                body,
                edge: edge / count.max(1) as f32,
                reach,
                slots: slots..patches.slots.len() as u32,
                vertices: vertices..patches.vertices.len() as u32,
                edges: edges..patches.edges.len() as u32,
                triangles: triangles..patches.triangles.len() as u32,
            });
        }
        patches.positions = vec![Lane4::default(); patches.slots.len()];
        patches
    }

    /// Where the corners of a patch were when they were looked at last \[m\].
    pub fn positions(&self, patch: &Patch) -> &[Lane4] {
        &self.positions[range(&patch.slots)]
    }

    /// The vertices of a patch, by place, and their corners among its positions.
    pub fn vertices(&self, patch: &Patch) -> &[(u32, [u16; 1])] {
        &self.vertices[range(&patch.vertices)]
    }

    /// The same of its edges.
    pub fn edges(&self, patch: &Patch) -> &[(u32, [u16; 2])] {
        &self.edges[range(&patch.edges)]
    }

    /// The same of its triangles.
    pub fn triangles(&self, patch: &Patch) -> &[(u32, [u16; 3])] {
        &self.triangles[range(&patch.triangles)]
    }

    /// Looks at all patches. Nothing has moved if this `begins` anew. `origins` are those of bodies, as seen from a common
    /// one.
    pub fn look(
        &mut self,
        team: &Team,
        work: &Work,
        (ahead, h): (&Ahead, f32),
        origins: &[Lane4],
        begins: bool,
    ) {
        let Self { list, slots, positions, motions, .. } = self;
        let positions = Apart::new(positions, 1);
        let grains = Apart::new(motions, GRAIN);
        let (list, slots) = (&*list, &*slots);
        team.each(grains.len(), &|grain| {
            // SAFETY: the team gives each number to one worker, and slots of patches do not overlap in these arrays.
            let motions = unsafe { grains.get(grain) };
            for (motion, patch) in motions.iter_mut().zip(&list[grain * GRAIN..]) {
                let own = range(&patch.slots);
                // SAFETY: as above.
                let positions = unsafe { positions.span(own.clone()) };
                let origin = origins[patch.body as usize];
                motion.look(work, (ahead, h), (&slots[own], positions), origin, begins);
            }
        });
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.list[..])
            + size_of_val(&self.motions[..])
            + 20 * self.slots.len()
            + 10 * self.vertices.len()
            + 12 * self.edges.len()
            + 16 * self.triangles.len()
    }
}

fn range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// The numbers of those that each patch has, in ascending order.
fn members(of: &[u32], patches: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); patches];
    of.iter().zip(0..).for_each(|(&patch, number)| members[patch as usize].push(number));
    members
}

impl Motion {
    /// Takes note of where the vertices of a patch are, and of what they did since the last time.
    fn look(
        &mut self,
        work: &Work,
        (ahead, h): (&Ahead, f32),
        (slots, positions): (&[u32], &mut [Lane4]),
        origin: Lane4,
        begins: bool,
    ) {
        let Lane4([ox, oy, oz, _]) = origin;
        let origin = [ox, oy, oz, 0.0];
        let from = four(match slots.first() {
            Some(&slot) => {
                let Lane4(x) = work.position4(slot);
                [x[0] + origin[0], x[1] + origin[1], x[2] + origin[2]]
            }
            None => [0.0; 3],
        });
        let (mut low, mut high) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
        // Sums of r and d, and of products with the coordinates of r.
        let (mut sum_r, mut sum_d) = ([0.0; 4], [0.0; 4]);
        let (mut rr, mut dr) = ([[0.0; 4]; 3], [[0.0; 4]; 3]);
        for (&slot, then) in slots.iter().zip(&mut *positions) {
            let Lane4([x, y, z, _]) = work.position4(slot);
            let now = [x, y, z, 0.0];
            if begins {
                *then = Lane4(now);
            }
            let d: [f32; 4] = each(|k| now[k] - then.0[k]);
            let x: [f32; 4] = each(|k| now[k] + origin[k]);
            low = each(|k| if x[k] < low[k] { x[k] } else { low[k] });
            high = each(|k| if x[k] > high[k] { x[k] } else { high[k] });
            let r: [f32; 4] = each(|k| x[k] - from[k]);
            sum_r = each(|k| sum_r[k] + r[k]);
            sum_d = each(|k| sum_d[k] + d[k]);
            for i in 0..3 {
                rr[i] = each(|k| rr[i][k] + r[k] * r[i]);
                dr[i] = each(|k| dr[i][k] + d[k] * r[i]);
            }
        }
        let three = |v: [f32; 4]| [v[0], v[1], v[2]];
        (self.low, self.high) = (three(low), three(high));
        let per_count = 1.0 / slots.len().max(1) as f32;
        self.did = fitted(three(from), per_count, [sum_r, sum_d], rr, dr);
        self.stretch = self.did.stretch();

        let from = four(self.did.from);
        let shift = four(self.did.shift);
        let [ga, gb, gc] = self.did.gradient.map(four);
        let (mut beside, mut beside_ahead) = (0.0_f32, 0.0_f32);
        for (&slot, then) in slots.iter().zip(positions) {
            let Lane4([x, y, z, _]) = work.position4(slot);
            let now = [x, y, z, 0.0];
            let d: [f32; 4] = each(|k| now[k] - then.0[k]);
            *then = Lane4(now);
            let r: [f32; 4] = each(|k| now[k] + origin[k] - from[k]);
            let own: [f32; 4] = each(|k| shift[k] + (ga[k] * r[0] + gb[k] * r[1] + gc[k] * r[2]));
            beside = most(beside, square(each(|k| d[k] - own[k])));
            let [vx, vy, vz, _] = ahead.velocity4(slot);
            let Lane4([ux, uy, uz, _]) = work.velocity(slot);
            let (v, u) = ([vx, vy, vz, 0.0], [ux, uy, uz, 0.0]);
            let over = square(each(|k| h * v[k] - own[k]));
            let under = square(each(|k| h * u[k] - own[k]));
            beside_ahead = most(beside_ahead, most(over, under));
        }
        (self.beside, self.beside_ahead) = (beside.sqrt(), beside_ahead.sqrt());
    }
}

/// The affine motion that fits best, from sums over vertices; `from` is where they are seen from.
fn fitted(
    from: [f32; 3],
    per_count: f32,
    [sum_r, sum_d]: [[f32; 4]; 2],
    rr: [[f32; 4]; 3],
    dr: [[f32; 4]; 3],
) -> Affine {
    let mean = sum_r.map(|sum| sum * per_count);
    let shift: [f32; 3] = std::array::from_fn(|k| sum_d[k] * per_count);
    // Seen from the middle.
    let m: [[f32; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|k| rr[i][k] * per_count - mean[i] * mean[k]));
    let b: [[f32; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|k| dr[i][k] * per_count - mean[i] * shift[k]));
    let from: [f32; 3] = std::array::from_fn(|k| from[k] + mean[k]);
    let gradient = divided(b, m).unwrap_or_default();
    Affine { from, shift, gradient }
}

/// The gradient G, by columns, of which G M = B, where B is given by columns and M is symmetric: all but flat patches
/// tell nothing across themselves.
fn divided(b: [[f32; 3]; 3], mut m: [[f32; 3]; 3]) -> Option<[[f32; 3]; 3]> {
    let trace = m[0][0] + m[1][1] + m[2][2];
    if !(trace > f32::MIN_POSITIVE && trace.is_finite()) {
        return None;
    }
    for row in &mut m {
        row.iter_mut().for_each(|entry| *entry /= trace);
    }
    (0..3).for_each(|i| m[i][i] += 1e-3);
    let cross = |a: [f32; 3], b: [f32; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let adjugate = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let determinant: f32 = (0..3).map(|k| m[0][k] * adjugate[0][k]).sum();
    let scale = 1.0 / (determinant * trace);
    let gradient: [[f32; 3]; 3] = std::array::from_fn(|j| {
        std::array::from_fn(|k| (0..3).map(|i| b[i][k] * adjugate[i][j]).sum::<f32>() * scale)
    });
    gradient.as_flattened().iter().all(|entry| entry.is_finite()).then_some(gradient)
}

#[inline(always)]
fn each(of: impl FnMut(usize) -> f32) -> [f32; 4] {
    std::array::from_fn(of)
}

fn four([x, y, z]: [f32; 3]) -> [f32; 4] {
    [x, y, z, 0.0]
}

#[inline(always)]
fn square(v: [f32; 4]) -> f32 {
    (v[0] * v[0] + v[1] * v[1]) + (v[2] * v[2] + v[3] * v[3])
}

/// The larger of two numbers; what is none is larger than any.
#[inline(always)]
fn most(a: f32, b: f32) -> f32 {
    if b <= a || a.is_nan() { a } else { b }
}
