//! How long each stage takes on the device.

use pliant_gpu::GpuError;
use pliant_gpu::timer::Timer;

use super::GpuBackend;

/// Most kernels that are timed between two calls of [`GpuBackend::take_stage_times`].
pub const TIMED_DISPATCHES: u64 = 2048;

impl GpuBackend {
    /// Times the stages of steps from now on, until [`GpuBackend::stop_timing`]; says whether the
    /// device has a clock. Timed steps are slower: every kernel gets a pass of its own.
    pub fn start_timing(&mut self) -> Result<bool, GpuError> {
        self.timer = Timer::new(&self.gpu, TIMED_DISPATCHES as usize)?;
        Ok(self.timer.is_some())
    }

    /// Seconds that each stage took since the last call, in the order of a step. Beyond
    /// [`TIMED_DISPATCHES`] kernels the rest was not timed.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn take_stage_times(&mut self) -> Result<Vec<(&'static str, f64)>, GpuError> {
        self.timer.as_mut().map_or(Ok(Vec::new()), Timer::take)
    }

    /// Ends timing.
    pub fn stop_timing(&mut self) {
        self.timer = None;
    }

    /// Kernels that steps have run so far.
    pub fn dispatch_count(&self) -> u64 {
        self.dispatched
    }
}
