//! Skins: detailed surfaces that coarse bodies carry along, as output.
//!
//! # Theory
//!
//! Each vertex of a skin hangs on one tetrahedron (or triangle) of its body by weights that never change
//! ([`pliant_mesh::embed`]), so that where it is follows from where four vertices of the body are: p = x₀ + Σ wₖ (xₖ − x₀). Written with
//! differences, it keeps the digits of small bodies far away. Numbers of vertices, such as forces, come over by the same
//! weights, but never beyond those of the four corners: a vertex outside of its tetrahedron would have a negative
//! size of a force. Normals are sums over the triangles round a vertex, by area.
//!
//! # Practice
//!
//! Nothing in a step knows of skins. They are computed for frames that are drawn or written: on processors block by block
//! ([`cpu`]), on devices for all skins at once, behind the body's own vertices in the arrays that are drawn ([`gpu`]).

pub mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

use pliant_mesh::embed::{self, Carrier};

/// How a vertex of a skin hangs on its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Vertices of the body, numbered from its first in the user's order; of a triangle, the fourth is the first again.
    pub corners: [u32; 4],
    /// Weights of the second, third and fourth; of a triangle, the third is the height above it \[m\].
    pub weights: [f32; 3],
}

/// A surface that a body carries. Its vertices are in an order in which neighbours follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// What each vertex hangs on.
    pub anchors: Vec<Anchor>,
    /// The surface, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Vertex `i` is the skin mesh's vertex `vertex_order[i]`.
    pub vertex_order: Vec<u32>,
    /// Whether triangles carry it, and not tetrahedra.
    pub is_on_triangles: bool,
    /// What normals are added up of.
    patches: cpu::Patches,
}

/// Vertices of a skin that are outside of the mesh that carries them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outside {
    /// How many are farther away than they should be.
    pub count: usize,
    /// How far the farthest is \[m\].
    pub farthest: f64,
}

impl Skin {
    /// Embeds a surface, given by its points \[m\] and triangles, in a mesh. Tells which vertices are farther from it than
    /// `far` \[m\]. There is no skin where nothing of the mesh can carry one.
    pub fn new(
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
        body: &[[f64; 3]],
        carrier: Carrier<'_>,
        far: f64,
    ) -> Option<(Self, Outside)> {
        let vertex_order = cpu::near_each_other(points);
        let mut place_of = vec![0; points.len()];
        for (place, &vertex) in vertex_order.iter().enumerate() {
            place_of[vertex as usize] = place as u32;
        }
        let places: Vec<[f64; 3]> = vertex_order.iter().map(|&v| points[v as usize]).collect();
        let found = embed::embed(body, carrier, &places)?;
        let mut outside = Outside::default();
        for anchor in found.iter().filter(|anchor| anchor.distance > far) {
            outside.count += 1;
            outside.farthest = outside.farthest.max(anchor.distance);
        }
        let single =
            |a: &embed::Anchor| Anchor { corners: a.corners, weights: a.weights.map(|w| w as f32) };
        let triangles: Vec<[u32; 3]> =
            triangles.iter().map(|t| t.map(|v| place_of[v as usize])).collect();
        let skin = Self {
            anchors: found.iter().map(single).collect(),
            patches: cpu::Patches::new(points.len(), &triangles),
            triangles,
            vertex_order,
            is_on_triangles: matches!(carrier, Carrier::Triangles(_)),
        };
        Some((skin, outside))
    }

    /// Something by vertex in the order of the skin's mesh.
    pub fn in_users_order<T: Copy + Default>(&self, by_vertex: &[T]) -> Vec<T> {
        let mut all = vec![T::default(); by_vertex.len()];
        for (&vertex, &value) in self.vertex_order.iter().zip(by_vertex) {
            all[vertex as usize] = value;
        }
        all
    }

    /// The triangles in the numbering of the skin's mesh.
    pub fn users_triangles(&self) -> Vec<[u32; 3]> {
        self.triangles.iter().map(|t| t.map(|v| self.vertex_order[v as usize])).collect()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.anchors[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.vertex_order[..])
            + self.patches.bytes()
    }
}
