//! Prefix sums: what comes before each element, in sum.
//!
//! Sums of blocks, prefix sums of those (by the same method), then prefix sums within each block:
//! two reads and one write per element, and no workgroup waits for another. Blelloch, "Prefix Sums
//! and Their Applications", on the implementation.

use std::sync::Arc;

use super::bound::{Bound, Scratch};
use super::reduce::SUM_U32;
use super::{
    BLOCKS, GROUP_SCAN, LEVEL, Level, assert_allowed, assert_distinct, assert_holds, blocks,
    check_capacity, level_buffers, levels,
};
use crate::Access::{Read, Uniform, Write};
use crate::{Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

pub(super) const SCAN: KernelDesc<'static> = KernelDesc {
    library: &[BLOCKS, LEVEL, GROUP_SCAN],
    module: Module { name: "pliant::scan", source: include_str!("scan.wgsl") },
    entry: "scan",
    constants: &[],
    bindings: &[Uniform, Read, Read, Write, Write],
};

/// Exclusive prefix sums, modulo 2³², of up to a certain number of elements.
pub struct Scan {
    gpu: Gpu,
    sum: Arc<Kernel>,
    scan: Arc<Kernel>,
    /// Sums of blocks, of blocks of blocks, and so on.
    sums: Vec<Scratch>,
    /// Their prefix sums.
    offsets: Vec<Scratch>,
    /// What comes before the only block of the highest level.
    nothing: Scratch,
    capacity: usize,
}

impl Scan {
    /// For arrays of up to `capacity`.
    pub fn new(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        check_capacity("scan", capacity)?;
        Ok(Self {
            gpu: gpu.clone(),
            sum: Arc::new(Kernel::new(gpu, &SUM_U32)?),
            scan: Arc::new(Kernel::new(gpu, &SCAN)?),
            sums: level_buffers(gpu, "scan sums", capacity)?,
            offsets: level_buffers(gpu, "scan offsets", capacity)?,
            nothing: Scratch::new(gpu, "scan nothing", 1)?,
            capacity,
        })
    }

    /// Each of the first `length` elements of `output` becomes the sum of those of `input` before
    /// it, and the first of `total` the sum of all.
    ///
    /// # Panics
    /// If a buffer or the capacity is too small, or two of the buffers are the same.
    pub fn bind(
        &self,
        input: &Buffer<u32>,
        output: &Buffer<u32>,
        total: &Buffer<u32>,
        length: usize,
    ) -> Result<Bound, GpuError> {
        assert_allowed("scan", length, self.capacity);
        assert_holds(input, length);
        assert_holds(output, length);
        assert_holds(total, 1);
        assert_distinct(&[input, output, total]);
        let lengths: Vec<usize> = levels(length).collect();
        let scratch = self.sums.iter().chain(&self.offsets).chain([&self.nothing]);
        let mut bound = Bound::new(&self.gpu, scratch);
        let input_of = |k: usize| if k == 0 { input } else { &*self.sums[k - 1] };
        for (k, &n) in lengths.iter().enumerate().take(lengths.len() - 1) {
            let buffers = [(&*self.sums[k]).into(), input_of(k).into()];
            bound.run(&self.sum, Level::of(n), &buffers, blocks(n))?;
        }
        for (k, &n) in lengths.iter().enumerate().rev() {
            let is_top = k + 1 == lengths.len();
            let before = if is_top { &self.nothing } else { &self.offsets[k] };
            let output = if k == 0 { output } else { &*self.offsets[k - 1] };
            let buffers = [input_of(k).into(), (&**before).into(), output.into(), total.into()];
            bound.run(&self.scan, Level::of(n), &buffers, blocks(n))?;
        }
        Ok(bound)
    }
}
