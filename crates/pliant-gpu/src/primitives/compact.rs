//! Selection: which elements have their flag set.

use std::sync::Arc;

use wgpu::BufferUsages;

use super::bound::{Bound, Scratch};
use super::reduce::COUNT_FLAGS;
use super::scan::Scan;
use super::{
    BLOCKS, GROUP_SCAN, LEVEL, Level, assert_allowed, assert_distinct, assert_holds, blocks,
    check_capacity,
};
use crate::Access::{Read, Uniform, Write};
use crate::{Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

pub(super) const COMPACT: KernelDesc<'static> = KernelDesc {
    library: &[BLOCKS, LEVEL, GROUP_SCAN],
    module: Module { name: "pliant::compact", source: include_str!("compact.wgsl") },
    entry: "compact",
    constants: &[],
    bindings: &[Uniform, Read, Read, Read, Write, Write],
};

/// Numbers in a buffer of [`Compact::selection`].
pub const SELECTION_LENGTH: usize = 4;

/// Which of them is the number of selected elements. Before it are the workgroups, as
/// [`crate::Commands::run_indirect`] takes them, for one invocation per selected element.
pub const SELECTION_COUNT: usize = 3;

/// Lists the elements whose flag is set, of up to a certain number of them.
pub struct Compact {
    gpu: Gpu,
    count: Arc<Kernel>,
    compact: Arc<Kernel>,
    scan: Scan,
    /// Selected elements of each block, before each block, and of all.
    counts: Scratch,
    offsets: Scratch,
    total: Scratch,
    capacity: usize,
}

impl Compact {
    /// For arrays of up to `capacity`.
    pub fn new(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        check_capacity("compact", capacity)?;
        let blocks = blocks(capacity);
        Ok(Self {
            gpu: gpu.clone(),
            count: Arc::new(Kernel::new(gpu, &COUNT_FLAGS)?),
            compact: Arc::new(Kernel::new(gpu, &COMPACT)?),
            scan: Scan::new(gpu, blocks)?,
            counts: Scratch::new(gpu, "compact counts", blocks)?,
            offsets: Scratch::new(gpu, "compact offsets", blocks)?,
            total: Scratch::new(gpu, "compact total", 1)?,
            capacity,
        })
    }

    /// A buffer for the size of a selection: three numbers of workgroups, and the count.
    pub fn selection(gpu: &Gpu, label: &str) -> Result<Buffer<u32>, GpuError> {
        gpu.array_for(label, SELECTION_LENGTH, BufferUsages::INDIRECT)
    }

    /// Writes the numbers of those of the first `length` elements whose flag is not zero to the
    /// start of `indices`, in ascending order, and how many there are to `selection`.
    ///
    /// # Panics
    /// If a buffer or the capacity is too small, or two of the buffers are the same. `indices` must
    /// have room for all `length`.
    pub fn bind(
        &self,
        flags: &Buffer<u32>,
        indices: &Buffer<u32>,
        selection: &Buffer<u32>,
        length: usize,
    ) -> Result<Bound, GpuError> {
        assert_allowed("compact", length, self.capacity);
        assert_holds(flags, length);
        assert_holds(indices, length);
        assert_holds(selection, SELECTION_LENGTH);
        assert_distinct(&[flags, indices, selection]);
        let Self { counts, offsets, total, .. } = self;
        let blocks = blocks(length);
        let mut bound = Bound::new(&self.gpu, [counts, offsets, total]);
        let buffers = [(&**counts).into(), flags.into()];
        bound.run(&self.count, Level::of(length), &buffers, blocks)?;
        bound.append(&self.scan.bind(counts, offsets, total, blocks)?);
        let buffers = [
            flags.into(),
            (&**offsets).into(),
            (&**total).into(),
            indices.into(),
            selection.into(),
        ];
        bound.run(&self.compact, Level::of(length), &buffers, blocks)?;
        Ok(bound)
    }
}
