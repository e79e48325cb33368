//! What runs a model: the CPU, or a device.

pub mod cpu;
mod engine;
#[cfg(feature = "gpu")]
pub mod gpu;
mod outputs;
mod rescue;
mod timing;

pub(crate) use engine::Engine;
pub(crate) use timing::StageTimes;

use crate::scene::World;
use crate::state::State;
use cpu::{Blowup, Stop};

/// Why a run did not reach its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// A vertex left all bounds.
    Blowup(Blowup),
    /// An implicit substep was too long; see [`Stop::TooLong`].
    TooLong {
        /// Substeps of the run that were complete before it.
        substep: u64,
    },
    /// The device failed, for this reason; what it holds is not to be trusted.
    Device(String),
    /// The device refused to make something, for this reason; the state on it is as good as before.
    Refused(String),
}

/// A state, and the settings that led on from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// The state, in model order.
    pub state: State,
    /// The live parameters.
    pub world: World,
    /// Substeps per step.
    pub substeps: u32,
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Blowup(blowup) => Self::Blowup(blowup),
            Stop::TooLong { substep } => Self::TooLong { substep },
        }
    }
}

#[cfg(feature = "gpu")]
impl From<pliant_gpu::GpuError> for Trouble {
    fn from(error: pliant_gpu::GpuError) -> Self {
        use pliant_gpu::GpuError::{Kernel, NoAdapter, Open, OutOfMemory, TooLarge};
        match error {
            NoAdapter { .. }
            | Open { .. }
            | TooLarge { .. }
            | OutOfMemory { .. }
            | Kernel { .. } => Self::Refused(error.to_string()),
            _ => Self::Device(error.to_string()),
        }
    }
}
