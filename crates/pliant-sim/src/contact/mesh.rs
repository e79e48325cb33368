//! What is near what, and what crosses what, in meshes as they are: in double precision, in the numbers of
//! their files.

use pliant_mesh::Mesh;
use pliant_mesh::topology::{boundary_faces, weld};

use super::closest::{edge_edge, point_triangle};
use super::crossing::triangles_cross;
use super::finder::Kind;
use super::{Finder, Surface, TooMany};
use crate::math::Vec3;

/// Most pairs of one kind whose boxes may meet: lists of them have four bytes for each.
const MOST_PAIRS: usize = 400_000_000;

/// Why nothing can be said about a mesh.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContactsError {
    /// A mesh has no surface.
    #[error("mesh {mesh} has no triangles and no tetrahedra, so it has no surface")]
    NoSurface {
        /// Which of the meshes.
        mesh: usize,
    },
    /// An element has a corner that does not exist.
    #[error("in mesh {mesh} {problem}")]
    BadIndex {
        /// Which of the meshes.
        mesh: usize,
        /// Which element and corner, in words.
        problem: String,
    },
    /// A coordinate is infinite or no number.
    #[error("point {point} of mesh {mesh} has coordinates that are infinite or no numbers")]
    NotFinite {
        /// Which of the meshes.
        mesh: usize,
        /// Which of its points.
        point: usize,
    },
    /// The radius lets everything be near everything.
    #[error("{0}: the radius is too large for a mesh this fine")]
    TooMany(#[from] TooMany),
}

/// Pairs that are near each other or cross.
///
/// Of two meshes only pairs between them are told, and vertices and triangles of the second are numbered
/// after those of the first. Triangles of a mesh with tetrahedra are its boundary faces, in the order of
/// [`boundary_faces`]. Points of a surface mesh that coincide are one vertex, the first of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Vertices, edges and triangles that were looked at.
    pub looked_at: [usize; 3],
    /// A vertex and a triangle nearer than the radius, in ascending order.
    pub vertex_triangle: Vec<[u32; 2]>,
    /// Two edges nearer than the radius, each as its vertices, in ascending order.
    pub edge_edge: Vec<[[u32; 2]; 2]>,
    /// Two triangles that cross, in ascending order.
    pub crossings: Vec<[u32; 2]>,
    /// The smallest distance of all these pairs \[m\].
    pub nearest: Option<f64>,
}

/// Everything that is nearer than `radius` \[m\], and everything that crosses, in a mesh or between two.
/// Pairs that share a corner are left out.
pub fn find_contacts(
    meshes: &[&Mesh],
    radius: f64,
    threads: usize,
) -> Result<Contacts, ContactsError> {
    let joined = Joined::new(meshes)?;
    let mut finder = joined.finder(threads);
    finder.refit(&joined.points, joined.middle, 0.5 * radius);
    finder.find(MOST_PAIRS)?;
    let near_vertices = joined.near_vertices(&mut finder, radius);
    let near_edges = joined.near_edges(&mut finder, radius);
    let crossings = joined.crossings(&mut finder)?;
    let distances = near_vertices.iter().map(|(_, d)| *d).chain(near_edges.iter().map(|(_, d)| *d));
    let nearest = match crossings.is_empty() {
        true => distances.reduce(f64::min),
        false => Some(0.0),
    };
    let Surface { vertices, edges, triangles } = finder.surface();
    Ok(Contacts {
        looked_at: [vertices.numbers.len(), edges.numbers.len(), triangles.numbers.len()],
        vertex_triangle: near_vertices.into_iter().map(|(pair, _)| pair).collect(),
        edge_edge: near_edges.into_iter().map(|(pair, _)| pair).collect(),
        crossings,
        nearest,
    })
}

/// The pairs of triangles of a mesh that cross and share no corner, in ascending order.
pub fn find_crossings(mesh: &Mesh, threads: usize) -> Result<Vec<[u32; 2]>, ContactsError> {
    let joined = Joined::new(&[mesh])?;
    joined.crossings(&mut joined.finder(threads))
}

/// The pairs of triangles that cross and share no corner, in ascending order.
pub(crate) fn crossing_triangles(
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    threads: usize,
) -> Result<Vec<[u32; 2]>, ContactsError> {
    if triangles.is_empty() || points.as_flattened().iter().any(|x| !x.is_finite()) {
        return Ok(Vec::new());
    }
    let joined = Joined::of(points, triangles, None);
    joined.crossings(&mut joined.finder(threads))
}

/// The surfaces of one or two meshes in one list.
struct Joined {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    /// The middle of all.
    middle: [f64; 3],
    /// The first vertex of the second mesh, if there are two.
    second: Option<u32>,
}

impl Joined {
    fn new(meshes: &[&Mesh]) -> Result<Self, ContactsError> {
        let (mut points, mut triangles, mut second) = (Vec::new(), Vec::new(), None);
        for (mesh, &Mesh { points: own, .. }) in meshes.iter().enumerate() {
            let first = points.len() as u32;
            if mesh > 0 {
                second = Some(first);
            }
            if let Some(point) = own.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
                return Err(ContactsError::NotFinite { mesh, point });
            }
            meshes[mesh]
                .check_indices()
                .map_err(|problem| ContactsError::BadIndex { mesh, problem })?;
            let faces = surface_of(meshes[mesh]);
            if faces.is_empty() {
                return Err(ContactsError::NoSurface { mesh });
            }
            points.extend_from_slice(own);
            triangles.extend(faces.iter().map(|face| face.map(|v| first + v)));
        }
        Ok(Self::of(points, triangles, second))
    }

    fn of(points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>, second: Option<u32>) -> Self {
        let mut range = [points[0]; 2];
        for point in &points {
            for axis in 0..3 {
                range[0][axis] = range[0][axis].min(point[axis]);
                range[1][axis] = range[1][axis].max(point[axis]);
            }
        }
        // Halved first: the sum of two huge numbers would be infinite.
        let middle = std::array::from_fn(|axis| 0.5 * range[0][axis] + 0.5 * range[1][axis]);
        Self { points, triangles, middle, second }
    }

    fn finder(&self, threads: usize) -> Finder {
        Finder::new(Surface::new(&self.points, &self.triangles), threads)
    }

    /// Whether pairs with these vertices are asked for.
    fn asks(&self, a: u32, b: u32) -> bool {
        self.second.is_none_or(|second| (a < second) != (b < second))
    }

    fn at(&self, vertex: u32) -> Vec3<f64> {
        self.points[vertex as usize].into()
    }

    fn near_vertices(&self, finder: &mut Finder, radius: f64) -> Vec<([u32; 2], f64)> {
        finder.filter(Kind::VertexTriangle, |Surface { vertices, triangles, .. }, first, second| {
            let [vertex] = vertices.corners[first];
            let corners = triangles.corners[second];
            if !self.asks(vertex, corners[0]) {
                return None;
            }
            let d = point_triangle(self.at(vertex), corners.map(|v| self.at(v))).distance();
            (d < radius).then(|| ([vertex, triangles.numbers[second]], d))
        })
    }

    fn near_edges(&self, finder: &mut Finder, radius: f64) -> Vec<([[u32; 2]; 2], f64)> {
        finder.filter(Kind::EdgeEdge, |Surface { edges, .. }, first, second| {
            let (a, b) = (edges.corners[first], edges.corners[second]);
            if !self.asks(a[0], b[0]) {
                return None;
            }
            let d = edge_edge(a.map(|v| self.at(v)), b.map(|v| self.at(v))).distance();
            (d < radius).then(|| ([a.min(b), a.max(b)], d))
        })
    }

    fn crossings(&self, finder: &mut Finder) -> Result<Vec<[u32; 2]>, ContactsError> {
        finder.refit(&self.points, self.middle, 0.0);
        finder.find_triangle_pairs(MOST_PAIRS)?;
        Ok(finder.filter(Kind::TriangleTriangle, |Surface { triangles, .. }, first, second| {
            let pair = [first, second].map(|place| triangles.corners[place]);
            if !self.asks(pair[0][0], pair[1][0]) {
                return None;
            }
            let [a, b] = pair.map(|corners| corners.map(|v| self.points[v as usize]));
            let numbers = [triangles.numbers[first], triangles.numbers[second]];
            triangles_cross(a, b).then(|| [numbers[0].min(numbers[1]), numbers[0].max(numbers[1])])
        }))
    }
}

/// The boundary of the tetrahedra, or the triangles with coinciding points joined.
fn surface_of(mesh: &Mesh) -> Vec<[u32; 3]> {
    if !mesh.tets.is_empty() {
        return boundary_faces(&mesh.tets);
    }
    let welded = weld(&mesh.points);
    mesh.triangles.iter().map(|t| t.map(|v| welded[v as usize])).collect()
}
