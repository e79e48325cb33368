//! Netgen's native `.vol` and its neutral `.mesh`, both text and counted from 1.
//!
//! The arrays are called alike: `region` is the sub-domain of a tetrahedron, `boundary` the
//! boundary condition number of a triangle. Names that a `.vol` gives to them become groups.
//! Netgen's tetrahedra turn the other way round than TetGen's; orientation stays as it is.

mod neutral;
mod vol;

#[cfg(test)]
mod tests;

pub use neutral::read_neutral;
pub use vol::read_vol;

use crate::cells::{CellKind, CellSink};
use crate::{DataArray, Mesh};

/// Surface and volume elements with the numbers they carry.
#[derive(Default)]
struct Cells {
    sink: CellSink,
    /// Region or boundary of each cell.
    tags: Vec<f64>,
    second_order: usize,
}

impl Cells {
    fn push(&mut self, kind: CellKind, tag: i64, nodes: &[u32]) {
        self.second_order += usize::from(nodes.len() > kind.corner_count());
        self.sink.push(kind, &nodes[..kind.corner_count()]);
        self.tags.push(tag as f64);
    }

    fn finish(self, mesh: &mut Mesh, warnings: &mut Vec<String>) {
        if self.second_order > 0 {
            warnings.push(format!(
                "{} elements of second order were reduced to their corners; their other nodes \
                 stay as unused points",
                self.second_order
            ));
        }
        if self.sink.split_count > 0 {
            warnings.push(format!(
                "{} quadrilaterals, hexahedra, prisms or pyramids were split",
                self.sink.split_count
            ));
        }
        self.sink.finish_with_arrays(&[DataArray::scalar("region", self.tags)], mesh);
        for array in &mut mesh.triangle_data {
            array.name = "boundary".into();
        }
    }
}

/// What a surface element with so many nodes is.
fn surface_kind(nodes: usize) -> Option<CellKind> {
    match nodes {
        3 | 6 => Some(CellKind::Triangle),
        4 | 8 => Some(CellKind::Quad),
        _ => None,
    }
}

/// What a volume element with so many nodes is.
fn volume_kind(nodes: usize) -> Option<CellKind> {
    match nodes {
        4 | 10 => Some(CellKind::Tet),
        5 | 13 => Some(CellKind::Pyramid),
        6 | 15 => Some(CellKind::Prism),
        8 | 20 => Some(CellKind::Hex),
        _ => None,
    }
}

/// The most nodes that an element has.
const MAX_NODES: usize = 20;
