//! TetGen's `.node` (points) and `.ele` (tetrahedra), with an optional `.face` (triangles).
//!
//! The format is described in the TetGen manual, section "File formats". What the columns are
//! called here:
//!
//! | column | array |
//! |---|---|
//! | boundary marker of a node | point array `marker` |
//! | the only node attribute, all values 0 or 1 | point array `lock` (fixed nodes) |
//! | other node attributes | point arrays `attribute_0`, `attribute_1`, … |
//! | the only element attribute, when it flags the surface (see [`boundary_flags`]) | tetrahedron array `surface_flags` |
//! | other element attributes | tetrahedron arrays `attribute_0`, … |
//! | boundary marker of a face | triangle array `marker` |
//!
//! [`boundary_flags`]: crate::topology::boundary_flags

mod read;
mod table;
mod write;

#[cfg(test)]
mod tests;

pub use read::read;
pub use write::{write_ele, write_node};
