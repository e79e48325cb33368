//! VTK XML unstructured grids, `.vtu`: text, base64 and raw data, plain or compressed.

mod collection;
mod decode;
mod document;
mod frame;
mod pieces;
#[cfg(test)]
mod tests;
mod write;

pub use collection::{read_pvd, write_pvd};
pub use frame::{VtuFrame, write_frame};
pub use write::write;

use super::Input;
use crate::{Mesh, Result};

/// Reads a `.vtu` file. Several pieces become one mesh.
pub fn read(input: &mut Input<'_>) -> Result<Mesh> {
    let document = document::parse(input.bytes, input.warnings)?;
    let grid = pieces::merge(&document, input.warnings)?;
    grid.into_mesh(input.warnings)
}
