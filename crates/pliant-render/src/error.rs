//! Why a picture could not be made.

use thiserror::Error;

use crate::encode::LARGEST_SIDE;

/// Why a picture could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RenderError {
    /// No pixels, or too many.
    #[error(
        "a picture of {width} × {height} pixels cannot be made; choose sides from 1 to {LARGEST_SIDE}"
    )]
    Size {
        /// Pixels per row that were asked for.
        width: u32,
        /// Rows that were asked for.
        height: u32,
    },
    /// The machine has no memory for it.
    #[error("no memory for a picture of {width} × {height} pixels; choose a smaller one")]
    Memory {
        /// Pixels per row that were asked for.
        width: u32,
        /// Rows that were asked for.
        height: u32,
    },
    /// A camera that sees nothing.
    #[error("the camera's {what}; frame the scene anew, for example with Camera::framing")]
    Camera {
        /// What is wrong.
        what: &'static str,
    },
    /// A triangle, tetrahedron or lock that names a vertex which does not exist.
    #[error("body {body}: {kind} {element} names vertex {vertex}, but there are only {count}")]
    Index {
        /// Number of the body.
        body: usize,
        /// `triangle`, `tetrahedron` or `lock`.
        kind: &'static str,
        /// Number of the element.
        element: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices the body has.
        count: usize,
    },
    /// An array of values of the wrong length.
    #[error("body {body} has {got} values for {want} {of}; give one value for each")]
    Values {
        /// Number of the body.
        body: usize,
        /// How many there are.
        got: usize,
        /// How many there should be.
        want: usize,
        /// `vertices` or `tetrahedra`.
        of: &'static str,
    },
    /// A look into bodies that makes no picture.
    #[error("the look into bodies: {what}")]
    Look {
        /// What is wrong, and what would be right.
        what: String,
    },
    /// More than can be numbered.
    #[error(
        "the picture has more than 2³¹ vertices, triangles, lines or points, or 2³⁰ tetrahedra to look into; draw less of it"
    )]
    TooMuch,
}

/// Refuses sizes that cannot be drawn.
pub(crate) fn check_size(width: u32, height: u32) -> Result<(), RenderError> {
    let fits = |side: u32| (1..=LARGEST_SIDE).contains(&side);
    if fits(width) && fits(height) { Ok(()) } else { Err(RenderError::Size { width, height }) }
}
