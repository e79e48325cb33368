//! Which part of space each face, edge and vertex of a surface answers for.

use std::collections::HashMap;

use crate::contact::closest::Feature;
use crate::math::{Real, Vec3};

/// No vertex.
pub const NONE: u32 = u32::MAX;

/// How far beyond its part of space something may be and still be answered for, as a sine: rounding must not
/// let anything fall between two parts.
const TOLERANCE: f64 = 1e-4;

/// A triangle and what is round it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    /// Across the edge from corner `k` to the next: the third corner of the other triangle, or [`NONE`].
    pub opposite: [u32; 3],
    /// Bit `k`: it answers for that edge. Bit 3 + k: it answers for corner `k`.
    pub owns: u8,
}

/// What lies round triangles, and round vertices.
#[derive(Clone, Debug, Default)]
pub struct Neighbourhoods {
    /// By triangle.
    pub triangles: Vec<Neighbourhood>,
    /// The vertices that share an edge with vertex `v` are `around[start[v] .. start[v + 1]]`.
    pub start: Vec<u32>,
    /// See `start`.
    pub around: Vec<u32>,
}

impl Neighbourhoods {
    /// Those of a surface with so many vertices.
    pub fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        let mut across: HashMap<[u32; 2], Vec<(u32, u32)>> = HashMap::new();
        let mut owner = vec![NONE; vertex_count];
        let mut links = Vec::with_capacity(6 * triangles.len());
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b, c) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
                across.entry([a.min(b), a.max(b)]).or_default().push((t as u32, c));
                links.extend([(a, b), (b, a)]);
                let owner = &mut owner[a as usize];
                *owner = (*owner).min(t as u32);
            }
        }
        links.sort_unstable();
        links.dedup();
        let mut start = vec![0; vertex_count + 1];
        for &(from, _) in &links {
            start[from as usize + 1] += 1;
        }
        for v in 0..vertex_count {
            start[v + 1] += start[v];
        }
        let neighbourhood = |(t, corners): (usize, &[u32; 3])| {
            let t = t as u32;
            let mut all = Neighbourhood { opposite: [NONE; 3], owns: 0 };
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let sharing = &across[&[a.min(b), a.max(b)]];
                let other = sharing.iter().find(|(other, _)| *other != t);
                all.opposite[k] = other.map_or(NONE, |(_, corner)| *corner);
                let first = sharing.iter().map(|(triangle, _)| *triangle).min();
                all.owns |= u8::from(first == Some(t)) << k;
                all.owns |= u8::from(owner[a as usize] == t) << (3 + k);
            }
            all
        };
        Self {
            triangles: triangles.iter().enumerate().map(neighbourhood).collect(),
            start,
            around: links.into_iter().map(|(_, to)| to).collect(),
        }
    }

    /// The vertices round a vertex.
    pub fn around(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.around[self.start[v] as usize..self.start[v + 1] as usize]
    }

    /// Whether triangle `t` with these corners answers for `x`, of which `feature` is nearest; `at` tells where
    /// vertices are.
    pub fn answers<R: Real>(
        &self,
        t: usize,
        corners: [u32; 3],
        feature: Feature,
        x: Vec3<R>,
        at: impl Fn(u32) -> Vec3<R>,
    ) -> bool {
        let Neighbourhood { opposite, owns } = self.triangles[t];
        match feature {
            Feature::Face => true,
            Feature::Edge(k) => {
                let k = usize::from(k);
                let [a, b] = [at(corners[k]), at(corners[(k + 1) % 3])];
                let thirds = [corners[(k + 2) % 3], opposite[k]];
                owns >> k & 1 == 1
                    && thirds.iter().filter(|&&c| c != NONE).all(|&c| is_beyond(x, a, b, at(c)))
            }
            Feature::Corner(k) => {
                let k = usize::from(k);
                let corner = at(corners[k]);
                owns >> (3 + k) & 1 == 1
                    && self.around(corners[k]).iter().all(|&b| faces(x - corner, corner - at(b)))
            }
        }
    }
}

/// Whether `x` lies beyond the edge from `a` to `b` as seen from the third corner of a triangle.
fn is_beyond<R: Real>(x: Vec3<R>, a: Vec3<R>, b: Vec3<R>, third: Vec3<R>) -> bool {
    let edge = b - a;
    let along = (third - a).dot(edge) / edge.dot(edge);
    let foot = a + edge * along;
    faces(x - foot, foot - third)
}

/// Whether two vectors do not point away from each other.
fn faces<R: Real>(a: Vec3<R>, b: Vec3<R>) -> bool {
    a.dot(b) >= -R::of(TOLERANCE) * (a.length() * b.length())
}
