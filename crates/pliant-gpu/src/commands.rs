//! Recording work for the device: many kernels per submission.

use wgpu::{BindGroup, ComputePass, ComputePassDescriptor, ComputePassTimestampWrites};

use crate::timer::Timer;
use crate::{Buffer, Gpu, Kernel, WORKGROUP};

/// A list of kernels and copies, run in order once submitted. What one writes, the next one sees.
pub struct Commands {
    gpu: Gpu,
    encoder: wgpu::CommandEncoder,
    /// Kernels in a row share a pass: opening one costs more than a small kernel.
    pass: Option<ComputePass<'static>>,
    dispatches: u32,
}

impl Commands {
    pub(crate) fn new(gpu: &Gpu, label: &'static str) -> Self {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some(label) };
        let encoder = gpu.device().create_command_encoder(&descriptor);
        Self { gpu: gpu.clone(), encoder, pass: None, dispatches: 0 }
    }

    /// Runs a kernel with at least `threads` invocations; none runs nothing. `offsets` choose the
    /// records of its [`crate::Access::Record`] bindings.
    pub fn run(&mut self, kernel: &Kernel, group: &BindGroup, offsets: &[u32], threads: usize) {
        if threads == 0 {
            return;
        }
        let [x, y] = self.grid(threads);
        let pass = self.shared_pass();
        set_kernel(pass, kernel, group, offsets);
        pass.dispatch_workgroups(x, y, 1);
    }

    /// As [`Commands::run`], timed under `name`.
    pub fn run_timed(
        &mut self,
        timer: &mut Timer,
        name: &'static str,
        kernel: &Kernel,
        group: &BindGroup,
        offsets: &[u32],
        threads: usize,
    ) {
        if threads == 0 {
            return;
        }
        let Some((queries, first)) = timer.begin(name) else {
            return self.run(kernel, group, offsets, threads);
        };
        let [x, y] = self.grid(threads);
        self.dispatches += 1;
        self.pass = None;
        let descriptor = timed(name, queries, first);
        let mut pass = self.encoder.begin_compute_pass(&descriptor).forget_lifetime();
        set_kernel(&mut pass, kernel, group, offsets);
        pass.dispatch_workgroups(x, y, 1);
    }

    /// Times all kernels until [`Commands::end_timed`] together, under `name`; they share a pass.
    /// Copies among them end it.
    pub fn begin_timed(&mut self, timer: &mut Timer, name: &'static str) {
        self.pass = timer.begin(name).map(|(queries, first)| {
            let descriptor = timed(name, queries, first);
            self.encoder.begin_compute_pass(&descriptor).forget_lifetime()
        });
    }

    /// Ends what [`Commands::begin_timed`] began.
    pub fn end_timed(&mut self) {
        self.pass = None;
    }

    /// Runs a kernel with the number of workgroups found at element `first` of `counts`.
    pub fn run_indirect(
        &mut self,
        kernel: &Kernel,
        group: &BindGroup,
        offsets: &[u32],
        counts: &Buffer<u32>,
        first: usize,
    ) {
        let pass = self.shared_pass();
        set_kernel(pass, kernel, group, offsets);
        pass.dispatch_workgroups_indirect(counts.raw(), 4 * first as u64);
    }

    /// The pass for one more kernel that is not timed.
    fn shared_pass(&mut self) -> &mut ComputePass<'static> {
        self.dispatches += 1;
        self.pass.get_or_insert_with(|| {
            let descriptor = ComputePassDescriptor { label: None, timestamp_writes: None };
            self.encoder.begin_compute_pass(&descriptor).forget_lifetime()
        })
    }

    fn grid(&self, threads: usize) -> [u32; 2] {
        grid(threads, self.gpu.limits().max_compute_workgroups_per_dimension)
    }

    /// Copies the first `length` elements of `from` to the start of `to`.
    pub fn copy<T>(&mut self, from: &Buffer<T>, to: &Buffer<T>, length: usize) {
        let bytes = (length * size_of::<T>()) as u64;
        self.copy_raw(from.raw(), 0, to.raw(), 0, bytes.next_multiple_of(4));
    }

    /// Sets a buffer to zero.
    pub fn clear<T>(&mut self, buffer: &Buffer<T>) {
        self.pass = None;
        self.encoder.clear_buffer(buffer.raw(), 0, None);
    }

    pub(crate) fn copy_raw(
        &mut self,
        from: &wgpu::Buffer,
        first: u64,
        to: &wgpu::Buffer,
        at: u64,
        bytes: u64,
    ) {
        self.pass = None;
        if bytes > 0 {
            self.encoder.copy_buffer_to_buffer(from, first, to, at, Some(bytes));
        }
    }

    /// The encoder, for what this type does not offer; closes the present pass.
    pub fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        &mut self.encoder
    }

    /// Kernels recorded so far.
    pub fn dispatch_count(&self) -> u32 {
        self.dispatches
    }

    /// Hands everything to the device and returns at once.
    pub fn submit(mut self) {
        self.pass = None;
        let commands = self.encoder.finish();
        self.gpu.queue().submit([commands]);
    }
}

fn timed<'a>(
    name: &'static str,
    queries: &'a wgpu::QuerySet,
    first: u32,
) -> ComputePassDescriptor<'a> {
    let timestamp_writes = Some(ComputePassTimestampWrites {
        query_set: queries,
        beginning_of_pass_write_index: Some(first),
        end_of_pass_write_index: Some(first + 1),
    });
    ComputePassDescriptor { label: Some(name), timestamp_writes }
}

fn set_kernel(
    pass: &mut ComputePass<'static>,
    kernel: &Kernel,
    group: &BindGroup,
    offsets: &[u32],
) {
    pass.set_pipeline(&kernel.pipeline);
    pass.set_bind_group(0, group, offsets);
}

/// Workgroups along x and y for `threads` invocations, at most `most` along x.
fn grid(threads: usize, most: u32) -> [u32; 2] {
    let groups = threads.div_ceil(WORKGROUP as usize);
    let rows = groups.div_ceil(most as usize);
    [groups.div_ceil(rows.max(1)) as u32, rows as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_cover_all_threads_and_keep_to_the_limit() {
        assert_eq!(grid(1, 65_535), [1, 1]);
        assert_eq!(grid(257, 65_535), [2, 1]);
        for threads in [65_535 * 256, 65_535 * 256 + 1, 100_000_000] {
            let [x, y] = grid(threads, 65_535);
            assert!(x <= 65_535 && u64::from(x) * u64::from(y) * 256 >= threads as u64);
            assert!(u64::from(x) * u64::from(y) * 256 < threads as u64 + 256 * u64::from(y));
        }
    }
}
