//! Gmsh's element types.

use crate::cells::CellKind;

/// What the reader knows about an element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ElementType {
    /// Nodes listed for each element, corners first.
    pub nodes: usize,
    /// What it becomes; `None` for points and lines.
    pub cell: Option<CellKind>,
    /// Dimension of the entities that hold it.
    pub dimension: u8,
    /// Whether it has nodes besides its corners.
    pub higher_order: bool,
}

/// The most nodes of a known type.
pub(super) const MAX_NODES: usize = 125;

/// Looks a type number up in the list of the reference manual and of `GmshDefines.h`; `None` for
/// those whose node count is not known here.
pub(super) fn element_type(number: i64) -> Option<ElementType> {
    use CellKind::{Hex, Prism, Pyramid, Quad, Tet, Triangle};
    let (nodes, cell) = match number {
        15 => (1, None),
        1 => (2, None),
        8 => (3, None),
        26 => (4, None),
        27 => (5, None),
        28 => (6, None),
        62..=66 => (number as usize - 55, None),
        2 => (3, Some(Triangle)),
        9 => (6, Some(Triangle)),
        20 => (9, Some(Triangle)),
        21 => (10, Some(Triangle)),
        22 => (12, Some(Triangle)),
        23 | 24 => (15, Some(Triangle)),
        25 => (21, Some(Triangle)),
        3 => (4, Some(Quad)),
        16 => (8, Some(Quad)),
        10 => (9, Some(Quad)),
        36 => (16, Some(Quad)),
        37 => (25, Some(Quad)),
        38 => (36, Some(Quad)),
        4 => (4, Some(Tet)),
        11 => (10, Some(Tet)),
        29 => (20, Some(Tet)),
        30 => (35, Some(Tet)),
        31 => (56, Some(Tet)),
        5 => (8, Some(Hex)),
        17 => (20, Some(Hex)),
        12 => (27, Some(Hex)),
        92 => (64, Some(Hex)),
        93 => (125, Some(Hex)),
        6 => (6, Some(Prism)),
        18 => (15, Some(Prism)),
        13 => (18, Some(Prism)),
        90 => (40, Some(Prism)),
        91 => (75, Some(Prism)),
        7 => (5, Some(Pyramid)),
        19 => (13, Some(Pyramid)),
        14 => (14, Some(Pyramid)),
        _ => return None,
    };
    let dimension = match cell {
        None => u8::from(nodes > 1),
        Some(Triangle | Quad) => 2,
        Some(_) => 3,
    };
    let corners = cell.map_or(2, CellKind::corner_count);
    Some(ElementType { nodes, cell, dimension, higher_order: nodes > corners })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_types_have_room_for_their_corners() {
        for number in -1..200 {
            let Some(t) = element_type(number) else { continue };
            assert!(t.nodes <= MAX_NODES);
            assert!(t.cell.is_none_or(|c| t.nodes >= c.corner_count()), "type {number}");
        }
        assert_eq!(element_type(4).unwrap().dimension, 3);
        assert_eq!(element_type(15).unwrap().dimension, 0);
        assert!(element_type(11).unwrap().higher_order);
        assert!(!element_type(5).unwrap().higher_order);
        assert_eq!(element_type(34), None);
    }
}
