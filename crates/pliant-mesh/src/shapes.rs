//! Meshes made in code.
//!
//! Boxes come from a grid ([`bar`], [`irregular_bar`], [`phantom`]), sheets from [`cloth`], round bars and pipes
//! from extruded rings ([`cylinder`], [`tube`]), garments from patterns ([`cape`], [`skirt`], [`skirt_panels`],
//! [`tshirt`]) and everything curved from its distance function
//! ([`from_distance`], which serves [`ball`], [`torus`], [`capsule`], [`star`] and [`bunny`]). All
//! tetrahedra have positive volume, and their surfaces are closed. Surfaces alone, of things that do not deform,
//! come from [`lathe`] and [`rounded_box`], and from [`knot`], which is a body in a cage.

mod extrude;
mod garments;
mod grid;
mod knot;
mod lattice;
mod pattern;
mod phantom;
mod shells;
mod solids;
#[cfg(test)]
mod tests;

pub use extrude::{cylinder, tube};
pub use garments::{cape, skirt, skirt_panels, tshirt};
pub(crate) use grid::cell_tets;
pub use grid::{bar, cloth, irregular_bar, try_bar};
pub use knot::knot;
pub use lattice::from_distance;
pub use phantom::phantom;
pub use shells::{lathe, rounded_box};
pub use solids::{ball, bunny, capsule, star, torus};

/// How a cube cell is cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// Five tetrahedra, mirrored from cell to cell.
    Five,
    /// Six tetrahedra round the main diagonal (Kuhn).
    #[default]
    Six,
}

/// The most points or elements that a shape may have: 4 GiB of memory or so, and well within 32-bit
/// indices.
pub const MAX_ELEMENTS: u64 = 1 << 26;

/// Why a shape cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length or count that must be positive and finite is not.
    #[error("{what} must be positive and finite, but is {value}")]
    NotPositive {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Two parameters do not go together.
    #[error("{problem}")]
    Impossible {
        /// What is wrong and what to do.
        problem: &'static str,
    },
    /// More elements than a machine can hold.
    #[error(
        "the shape would have about {count:.3e} elements, above the limit of {MAX_ELEMENTS}. Use fewer \
         or larger cells"
    )]
    TooLarge {
        /// How many it would have.
        count: f64,
    },
    /// The cells are too large for the shape's thinnest part.
    #[error("cells of {cell} m are too large for this shape: {problem}. Use smaller cells")]
    TooCoarse {
        /// The cell size \[m\].
        cell: f64,
        /// What went wrong.
        problem: &'static str,
    },
    /// The distance function gave something that is no number.
    #[error("the distance function is not a number at {at:?}")]
    NotANumber {
        /// Where \[m\].
        at: [f64; 3],
    },
}

/// Checks a length \[m\].
fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ShapeError::NotPositive { what, value })
    }
}

/// Checks counts of cells along each direction and that `elements_per_cell` times their product
/// stays within [`MAX_ELEMENTS`].
fn check_cells(cells: &[u32], elements_per_cell: f64) -> Result<(), ShapeError> {
    if let Some(&zero) = cells.iter().find(|c| **c == 0) {
        return Err(ShapeError::NotPositive {
            what: "the number of cells",
            value: f64::from(zero),
        });
    }
    // Points are counted too: a long thin row of cells has four of them per cell.
    let points: f64 = cells.iter().map(|c| f64::from(*c) + 1.0).product();
    let elements = elements_per_cell * cells.iter().map(|c| f64::from(*c)).product::<f64>();
    let count = points.max(elements);
    if count > MAX_ELEMENTS as f64 { Err(ShapeError::TooLarge { count }) } else { Ok(()) }
}
