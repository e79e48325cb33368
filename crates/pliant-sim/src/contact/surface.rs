//! What may touch something: triangles, their edges and their corners.

use pliant_mesh::topology::unique_edges;

use super::order;

/// Primitives of one kind in the order of their tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Primitives<const N: usize> {
    /// The vertices of each.
    pub corners: Vec<[u32; N]>,
    /// What each is called by whoever made the surface: number of the vertex, of the triangle, or of the
    /// edge among [`unique_edges`].
    pub numbers: Vec<u32>,
}

impl<const N: usize> Primitives<N> {
    fn new(corners: &[[u32; N]], positions: &[[f64; 3]]) -> Self {
        // Seen from one of them, so that single precision can tell them apart far away from zero.
        let origin = corners.first().map_or([0.0; 3], |first| positions[first[0] as usize]);
        let centre = |corners: &[u32; N]| -> [f32; 3] {
            std::array::from_fn(|axis| {
                let at = |&v: &u32| positions[v as usize][axis] - origin[axis];
                (corners.iter().map(at).sum::<f64>() / N as f64) as f32
            })
        };
        let centres: Vec<[f32; 3]> = corners.iter().map(centre).collect();
        let numbers = order::by_halves(&centres);
        Self { corners: numbers.iter().map(|&i| corners[i as usize]).collect(), numbers }
    }

    /// Adds others, whose vertices are numbered from `first_vertex` on.
    fn extend(&mut self, others: Self, first_vertex: u32) {
        let count = self.numbers.len() as u32;
        self.corners.extend(others.corners.iter().map(|c| c.map(|v| first_vertex + v)));
        self.numbers.extend(others.numbers.iter().map(|number| count + number));
    }
}

/// The primitives of a triangle surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Vertices that triangles have as corners.
    pub vertices: Primitives<1>,
    /// Edges of the triangles, each once.
    pub edges: Primitives<2>,
    /// The triangles.
    pub triangles: Primitives<3>,
}

impl Surface {
    /// The surface of these triangles, put in order by where their corners are.
    ///
    /// # Panics
    /// If a corner is no position.
    pub fn new(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut vertices: Vec<[u32; 1]> =
            triangles.as_flattened().iter().map(|&vertex| [vertex]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut ordered = Primitives::new(&vertices, positions);
        ordered.numbers = ordered.corners.iter().map(|corner| corner[0]).collect();
        Self {
            vertices: ordered,
            edges: Primitives::new(&unique_edges(&[], triangles), positions),
            triangles: Primitives::new(triangles, positions),
        }
    }

    /// This one and, behind its primitives, those of another, whose vertices are numbered from `first_vertex` on.
    pub(crate) fn followed_by(mut self, other: Self, first_vertex: u32) -> Self {
        self.vertices.extend(other.vertices, first_vertex);
        self.vertices.numbers = self.vertices.corners.iter().map(|corner| corner[0]).collect();
        self.edges.extend(other.edges, first_vertex);
        self.triangles.extend(other.triangles, first_vertex);
        self
    }
}
