//! What a simulator asks of its backend to know how long the stages of steps take.

use super::Engine;

/// What stages took.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StageTimes {
    /// Seconds of each stage, in the order of a step; empty where nothing was timed.
    pub sums: Vec<(&'static str, f64)>,
    /// Substeps in which these passed.
    pub substeps: u64,
}

impl Engine {
    /// What the stages of timed substeps took since the last call.
    pub fn take_stage_times(&mut self) -> StageTimes {
        match self {
            Self::Cpu(cpu) => cpu.take_stage_times(),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.take_stage_times(),
        }
    }

    /// Begins anew without looking at what was timed.
    pub fn forget_stage_times(&mut self) {
        match self {
            Self::Cpu(cpu) => drop(cpu.take_stage_times()),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.forget_stage_times(),
        }
    }
}
