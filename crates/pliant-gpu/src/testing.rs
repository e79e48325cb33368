//! Devices for tests: required where `PLIANT_GPU=required`, else their absence is told.

use crate::{AdapterChoice, Gpu};

/// A device for a test; hardware or software. `None`, and a line that says so, when there is none.
///
/// # Panics
/// When there is none although the environment says `PLIANT_GPU=required`.
pub fn gpu(test: &str) -> Option<Gpu> {
    match Gpu::open_blocking(&AdapterChoice::any()) {
        Ok(gpu) => Some(gpu),
        Err(e) if required() => panic!("{test} requires a GPU: {e}"),
        Err(e) => {
            println!("ignored: {test}: {e}");
            None
        }
    }
}

/// Whether tests may not go without a device.
pub fn required() -> bool {
    std::env::var("PLIANT_GPU").is_ok_and(|v| v == "required")
}
