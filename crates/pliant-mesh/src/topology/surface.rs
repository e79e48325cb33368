//! Edges of triangle surfaces, and points that coincide.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::bucket_sorted;

/// Edges at which a triangle surface is no closed, consistently oriented manifold. All as (smaller,
/// larger) vertex, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceEdges {
    /// How many different edges there are.
    pub count: usize,
    /// Edges of one triangle only.
    pub open: Vec<[u32; 2]>,
    /// Edges of more than two triangles.
    pub non_manifold: Vec<[u32; 2]>,
    /// Edges that two triangles run along in the same direction: one of them is turned over.
    pub flipped: Vec<[u32; 2]>,
}

impl SurfaceEdges {
    /// Whether there is a surface and every edge of it has triangles on both sides.
    pub fn is_closed(&self) -> bool {
        self.count > 0 && self.open.is_empty()
    }

    /// Whether the surface is closed and every edge joins exactly two triangles.
    pub fn is_closed_manifold(&self) -> bool {
        self.open.is_empty() && self.non_manifold.is_empty()
    }
}

/// Finds open, non-manifold and flipped edges. Where `representative` is given (see [`weld`]),
/// points count as the one they coincide with. Edges of no length are passed over.
pub fn surface_edges(triangles: &[[u32; 3]], representative: Option<&[u32]>) -> SurfaceEdges {
    assert!(triangles.len() < 1 << 31, "more than 2^31 triangles");
    let of = |v: u32| representative.map_or(v, |r| r[v as usize]);
    // The lowest bit of the key says in which direction the triangle runs along the edge.
    let keys = bucket_sorted(triangles.len(), 3, |i, k| {
        let (a, b) = (of(triangles[i][k]), of(triangles[i][(k + 1) % 3]));
        u128::from(a.min(b)) << 96 | u128::from(a.max(b)) << 64 | u128::from(a > b)
    });
    let mut edges = SurfaceEdges::default();
    for uses in keys.chunk_by(|a, b| a >> 64 == b >> 64) {
        let edge = [(uses[0] >> 96) as u32, (uses[0] >> 64) as u32];
        if edge[0] == edge[1] {
            continue;
        }
        edges.count += 1;
        match uses {
            [_] => edges.open.push(edge),
            [a, b] if a == b => edges.flipped.push(edge),
            [_, _] => {}
            _ => edges.non_manifold.push(edge),
        }
    }
    edges
}

/// For each point, the first one with exactly the same coordinates (itself where there is none
/// before it). Points that are not finite coincide with nothing.
pub fn weld(points: &[[f64; 3]]) -> Vec<u32> {
    let mut first = HashMap::with_capacity(points.len());
    points
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let i = i as u32;
            if p.iter().any(|x| x.is_nan()) {
                return i;
            }
            // Adding zero makes -0.0 and 0.0 the same bits.
            match first.entry(p.map(|x| (x + 0.0).to_bits())) {
                Entry::Occupied(e) => *e.get(),
                Entry::Vacant(e) => *e.insert(i),
            }
        })
        .collect()
}
