//! Trees, threads and lists of candidates in one place.

use super::search::{self, Pairs};
use super::surface::Surface;
use super::tree::{Apart, Tree};
use crate::pool::{Pool, Threads};
use crate::simd::{Lane4, Level};

/// More pairs than there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {most} pairs of boxes meet")]
pub struct TooMany {
    /// How many there may be.
    pub most: usize,
}

/// Lists of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    VertexTriangle,
    EdgeEdge,
    TriangleTriangle,
}

/// Finds candidates on a surface that moves.
pub struct Finder {
    surface: Surface,
    vertices: Tree<1>,
    edges: Tree<2>,
    triangles: Tree<3>,
    positions: Vec<Lane4>,
    vertex_triangle: Pairs,
    edge_edge: Pairs,
    triangle_triangle: Pairs,
    pool: Pool,
    pub(super) level: Level,
}

impl Finder {
    /// A finder for this surface, with so many threads.
    pub fn new(surface: Surface, threads: usize) -> Self {
        Self {
            vertices: Tree::new(&surface.vertices.corners),
            edges: Tree::new(&surface.edges.corners),
            triangles: Tree::new(&surface.triangles.corners),
            surface,
            positions: Vec::new(),
            vertex_triangle: Pairs::default(),
            edge_edge: Pairs::default(),
            triangle_triangle: Pairs::default(),
            pool: Pool::new(Threads::Exactly(threads)),
            level: Level::detect(),
        }
    }

    /// The surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// How many threads there are.
    pub fn thread_count(&self) -> usize {
        self.pool.count()
    }

    /// Lets the boxes follow the vertices \[m\]; each grows by `radius` \[m\] on all sides. Positions are
    /// taken relative to `origin`, so that they keep their digits far away from zero.
    ///
    /// # Panics
    /// If the surface has vertices that have no position.
    pub fn refit(&mut self, positions: &[[f64; 3]], origin: [f64; 3], radius: f64) {
        self.place(positions, origin);
        self.refit_placed(radius);
    }

    /// Takes over positions without refitting the trees.
    pub fn place(&mut self, positions: &[[f64; 3]], origin: [f64; 3]) {
        self.positions.resize(positions.len(), Lane4::default());
        for (to, from) in self.positions.iter_mut().zip(positions) {
            let [x, y, z] = std::array::from_fn(|axis| (from[axis] - origin[axis]) as f32);
            *to = Lane4([x, y, z, 0.0]);
        }
    }

    /// Refits the trees to the positions that were taken over.
    pub fn refit_placed(&mut self, radius: f64) {
        // Rounded up.
        let radius = (radius as f32).next_up();
        let team = self.pool.lead();
        self.vertices.refit(&team, &self.positions, radius);
        self.edges.refit(&team, &self.positions, radius);
        self.triangles.refit(&team, &self.positions, radius);
    }

    /// Finds vertices and triangles, and edges, whose boxes meet.
    pub fn find(&mut self, most: usize) -> Result<(), TooMany> {
        loop {
            let team = self.pool.lead();
            let with = (&team, self.level);
            let (first, second) = (&self.vertices, &self.triangles);
            search::find::<false, 1, 3>(with, first, second, &mut self.vertex_triangle);
            search::find::<true, 2, 2>(with, &self.edges, &self.edges, &mut self.edge_edge);
            drop(team);
            let is_complete = grow(&mut self.vertex_triangle, most)?;
            if grow(&mut self.edge_edge, most)? && is_complete {
                return Ok(());
            }
        }
    }

    /// Finds triangles whose boxes meet.
    pub fn find_triangle_pairs(&mut self, most: usize) -> Result<(), TooMany> {
        loop {
            let team = self.pool.lead();
            let (with, trees) = ((&team, self.level), &self.triangles);
            search::find::<true, 3, 3>(with, trees, trees, &mut self.triangle_triangle);
            drop(team);
            if grow(&mut self.triangle_triangle, most)? {
                return Ok(());
            }
        }
    }

    /// Vertices and triangles that were found, as places in the lists of the surface, in ascending order.
    pub fn vertex_triangle(&self) -> impl Iterator<Item = [u32; 2]> {
        self.vertex_triangle.iter()
    }

    /// Edges that were found, as places in the list of the surface, in ascending order.
    pub fn edge_edge(&self) -> impl Iterator<Item = [u32; 2]> {
        self.edge_edge.iter()
    }

    /// Triangles that were found, as places in the list of the surface, in ascending order.
    pub fn triangle_triangle(&self) -> impl Iterator<Item = [u32; 2]> {
        self.triangle_triangle.iter()
    }

    /// What `test` makes of the pairs of a list, on all threads, in ascending order. It is given the
    /// places of both in the lists of the surface.
    pub(super) fn filter<T: Send + PartialOrd>(
        &mut self,
        kind: Kind,
        test: impl Fn(&Surface, usize, usize) -> Option<T> + Sync,
    ) -> Vec<T> {
        let pairs = match kind {
            Kind::VertexTriangle => &self.vertex_triangle,
            Kind::EdgeEdge => &self.edge_edge,
            Kind::TriangleTriangle => &self.triangle_triangle,
        };
        let mut found: Vec<Vec<T>> = (0..pairs.chunk_count()).map(|_| Vec::new()).collect();
        let chunks = Apart::new(&mut found, 1);
        let surface = &self.surface;
        self.pool.lead().each(chunks.len(), &|chunk| {
            // SAFETY: the team gives each number to one worker.
            let found = unsafe { &mut chunks.get(chunk)[0] };
            for (first, list) in pairs.chunk(chunk) {
                let kept = |&second: &u32| test(surface, first as usize, second as usize);
                found.extend(list.iter().filter_map(kept));
            }
        });
        let mut found: Vec<T> = found.into_iter().flatten().collect();
        found.sort_by(|a, b| a.partial_cmp(b).expect("numbers that compare"));
        found
    }

    /// How many pairs of a vertex and a triangle, and of edges, there are.
    pub fn counts(&self) -> [usize; 2] {
        [self.vertex_triangle.count(), self.edge_edge.count()]
    }
}

/// Makes room where it was missing; says whether there was enough.
fn grow(pairs: &mut Pairs, most: usize) -> Result<bool, TooMany> {
    if pairs.count() > most {
        return Err(TooMany { most });
    }
    let is_complete = pairs.are_complete();
    pairs.grow();
    Ok(is_complete)
}
