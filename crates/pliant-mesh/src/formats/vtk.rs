//! VTK legacy `.vtk`: versions 1 to 5.1, text and binary, unstructured grids and polygon data.
//!
//! Cells become tetrahedra and triangles through [`CellSink`](crate::cells::CellSink); point and
//! cell arrays keep their names and follow the parts of split cells.

pub(super) mod grid;
mod legacy;
pub(super) mod number;
#[cfg(test)]
mod tests;

use super::Input;
use crate::{Mesh, Result};

/// Reads a legacy VTK file.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let grid = legacy::read(input.bytes, input.warnings)?;
    grid.into_mesh(input.warnings)
}
