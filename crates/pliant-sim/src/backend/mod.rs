//! What runs a model: the CPU, or a device.

pub mod cpu;
mod engine;
#[cfg(feature = "gpu")]
pub mod gpu;

pub(crate) use engine::Engine;

use cpu::Blowup;

/// Why a run did not reach its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// A vertex left all bounds.
    Blowup(Blowup),
    /// The device failed, for this reason.
    Device(String),
}

impl From<Blowup> for Trouble {
    fn from(blowup: Blowup) -> Self {
        Self::Blowup(blowup)
    }
}

#[cfg(feature = "gpu")]
impl From<pliant_gpu::GpuError> for Trouble {
    fn from(error: pliant_gpu::GpuError) -> Self {
        Self::Device(error.to_string())
    }
}
