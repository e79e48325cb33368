//! How long each stage takes on the device.

use pliant_gpu::timer::Timer;

use super::GpuBackend;
use crate::backend::StageTimes;
use crate::step::Advance;

/// Most kernels that are timed before somebody asks for the times.
const TIMED_DISPATCHES: usize = 2048;

/// The device's clock, and what was timed with it.
pub struct Timing {
    timer: Timer,
    /// Substeps that were timed from beginning to end.
    substeps: u64,
}

impl Timing {
    /// The timer, for a substep of at most so many kernels; none when there is no room for all.
    pub(super) fn of_substep(&mut self, dispatches: usize) -> Option<&mut Timer> {
        if self.timer.room() < dispatches {
            return None;
        }
        self.substeps += 1;
        Some(&mut self.timer)
    }

    /// Begins anew.
    pub(super) fn forget(&mut self) {
        self.timer.forget();
        self.substeps = 0;
    }
}

impl GpuBackend {
    /// What a job is timed with: nothing if it is not, or if the device has no clock. That one cannot
    /// be had is no reason not to step.
    pub(super) fn timing_of(&mut self, job: &Advance<'_>) -> Option<Timing> {
        if !job.is_timed {
            return None;
        }
        let new = || Timer::new(&self.gpu, TIMED_DISPATCHES).ok().flatten();
        self.timing.take().or_else(|| Some(Timing { timer: new()?, substeps: 0 }))
    }

    /// What each stage of timed substeps took since the last call; waits for it. Beyond some two
    /// thousand kernels substeps are not timed. Timed ones are slower: every kernel gets a pass of
    /// its own.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn take_stage_times(&mut self) -> StageTimes {
        let Some(Timing { timer, substeps }) = &mut self.timing else {
            return StageTimes::default();
        };
        let substeps = std::mem::take(substeps);
        // A device that cannot tell is lost, which the next step finds out and repairs.
        StageTimes { sums: timer.take().unwrap_or_default(), substeps }
    }

    /// Nothing: a browser does not let anybody wait.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn take_stage_times(&mut self) -> StageTimes {
        self.forget_stage_times();
        StageTimes::default()
    }

    /// Begins anew.
    pub(crate) fn forget_stage_times(&mut self) {
        self.timing.iter_mut().for_each(Timing::forget);
    }

    /// Kernels that steps have run so far.
    pub fn dispatch_count(&self) -> u64 {
        self.dispatched
    }
}
