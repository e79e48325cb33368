//! How long kernels take, by name, from the device's own clock.

use wgpu::{BufferUsages, QuerySetDescriptor, QueryType};

use crate::{Buffer, Commands, Gpu, GpuError};

/// Times kernels that are run with [`Commands::run_timed`].
pub struct Timer {
    gpu: Gpu,
    queries: wgpu::QuerySet,
    resolved: Buffer<u64>,
    names: Vec<&'static str>,
    capacity: usize,
}

impl Timer {
    /// A timer for up to `capacity` runs at a time; none if the device has no clock.
    pub fn new(gpu: &Gpu, capacity: usize) -> Result<Option<Self>, GpuError> {
        if !gpu.has_timestamps() {
            return Ok(None);
        }
        // A query set holds 4096 numbers at most.
        let capacity = capacity.min(2048);
        let queries = gpu.device().create_query_set(&QuerySetDescriptor {
            label: Some("timer"),
            ty: QueryType::Timestamp,
            count: 2 * capacity as u32,
        });
        let resolved = gpu.array_for("timer", 2 * capacity, BufferUsages::QUERY_RESOLVE)?;
        Ok(Some(Self { gpu: gpu.clone(), queries, resolved, names: Vec::new(), capacity }))
    }

    /// How many more runs can be timed.
    pub fn room(&self) -> usize {
        self.capacity - self.names.len()
    }

    /// Forgets what was timed.
    pub fn forget(&mut self) {
        self.names.clear();
    }

    /// Query set and first index for the next run; none when the timer is full.
    pub(crate) fn begin(&mut self, name: &'static str) -> Option<(&wgpu::QuerySet, u32)> {
        if self.names.len() == self.capacity {
            return None;
        }
        self.names.push(name);
        Some((&self.queries, 2 * (self.names.len() as u32 - 1)))
    }

    /// Seconds of every run since the last call, by name in the order of first use; waits for them,
    /// which a browser does not let anybody do.
    pub fn take(&mut self) -> Result<Vec<(&'static str, f64)>, GpuError> {
        let names = std::mem::take(&mut self.names);
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let count = 2 * names.len();
        let mut commands: Commands = self.gpu.commands("timer");
        commands.encoder().resolve_query_set(
            &self.queries,
            0..count as u32,
            self.resolved.raw(),
            0,
        );
        commands.submit();
        let ticks = self.resolved.read_range(0..count)?;
        let period = f64::from(self.gpu.queue().get_timestamp_period()) * 1e-9;
        let mut sums: Vec<(&'static str, f64)> = Vec::new();
        for (name, pair) in names.into_iter().zip(ticks.chunks_exact(2)) {
            let seconds = pair[1].saturating_sub(pair[0]) as f64 * period;
            match sums.iter_mut().find(|(n, _)| *n == name) {
                Some((_, sum)) => *sum += seconds,
                None => sums.push((name, seconds)),
            }
        }
        Ok(sums)
    }
}
