//! Why a graphics card made no picture.

use pliant_gpu::GpuError;
use thiserror::Error;

use crate::error::RenderError;

/// Why a graphics card made no picture.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GpuRenderError {
    /// What was to be drawn cannot be drawn by anyone.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The device refused, or is gone.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// More pixels than the device can draw.
    #[error(
        "a picture of {width} × {height} pixels is too large for this GPU, which draws up to \
         {largest} to a side and {pixels} in all; choose a smaller one, or draw it with the CPU"
    )]
    Size {
        /// Pixels per row that were asked for.
        width: u32,
        /// Rows that were asked for.
        height: u32,
        /// The longest side.
        largest: u32,
        /// The most pixels.
        pixels: u64,
    },
    /// A number of samples that is not offered everywhere.
    #[error("{samples} samples per pixel cannot be drawn; choose 1 or 4")]
    Samples {
        /// What was asked for.
        samples: u32,
    },
    /// An array of a simulation that cannot be drawn.
    #[error("the array of {array} cannot be drawn: {problem}")]
    Resident {
        /// Which one.
        array: &'static str,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
}
