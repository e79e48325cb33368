//! What the kernels of all stages share on devices: where vertices and elements lie, the buffers,
//! the parameters of kernels, and the WGSL that they import.

pub mod arrays;
pub mod layout;
pub mod library;
pub mod record;

use std::sync::OnceLock;

use pliant_gpu::GpuError;

/// The content of `cell`, built if it is not there yet.
pub(crate) fn get_or_build<T>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, GpuError>,
) -> Result<&T, GpuError> {
    match cell.get() {
        Some(there) => Ok(there),
        None => {
            let built = make()?;
            Ok(cell.get_or_init(|| built))
        }
    }
}
