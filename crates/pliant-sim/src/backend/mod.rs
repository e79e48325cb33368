//! What runs a model: the CPU, or a device.

pub mod cpu;
mod engine;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(feature = "gpu")]
pub mod split;
#[cfg(test)]
mod tests;

pub(crate) use engine::{AnyEngine, Engine, StageTimes};

use crate::scene::World;
use crate::state::State;
use crate::step::{Blowup, Pause, Stop};

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
    /// A list is too small; see [`Stop::Paused`].
    Paused(Pause),
    /// A list is too small, and there is no memory to make it longer. The arrays are those of the
    /// substeps that were complete.
    NoRoom {
        /// Substeps of the run that were complete before it.
        substep: u64,
        /// What was asked for, and why it cannot be had.
        reason: String,
    },
    /// The device failed, for this reason; what it holds is not to be trusted.
    Device(String),
    /// The device refused to make something, for this reason; the state on it is as good as before.
    Refused(String),
}

/// A state, and the settings that led on from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestorePoint {
    /// The state, in model order.
    pub state: State,
    /// The live parameters.
    pub world: World,
    /// Substeps per step.
    pub substeps: u32,
}

/// What the stages of a substep hand to each other: all that is needed to go on elsewhere. Vertices and
/// tetrahedra are in model order.
#[cfg(feature = "gpu")]
#[derive(Clone, Debug)]
pub struct Handed {
    /// Positions \[m\].
    pub position: Vec<[f32; 3]>,
    /// What rounding took from them \[m\].
    pub compensation: Vec<[f32; 3]>,
    /// Velocities \[m/s\].
    pub velocity: Vec<[f32; 3]>,
    /// Internal forces \[N\].
    pub force: Vec<[f32; 3]>,
    /// The integrator's history.
    pub history: Vec<Vec<[f32; 3]>>,
    /// Forces of drags and pushes \[N\], and the bands' share of an implicit system's diagonal; empty where
    /// nobody touches anything.
    pub touch: Vec<[f32; 4]>,
    /// Rest shapes, once plasticity was on.
    pub rest: Option<Vec<crate::stages::plasticity::RestShape<f32>>>,
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Blowup(blowup) => Self::Blowup(blowup),
            Stop::TooLong { substep } => Self::TooLong { substep },
            Stop::Paused(pause) => Self::Paused(pause),
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
