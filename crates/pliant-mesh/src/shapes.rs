//! Meshes made in code.

use crate::Mesh;

/// How a cube cell is cut into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Five tetrahedra, mirrored from cell to cell.
    Five,
    /// Six tetrahedra round the main diagonal (Kuhn).
    Six,
}

/// A bar of `cells` cube cells from the origin to `size` \[m\].
pub fn bar(cells: [u32; 3], size: [f64; 3], split: Split) -> Mesh {
    let _ = (cells, size, split);
    Mesh::default()
}
