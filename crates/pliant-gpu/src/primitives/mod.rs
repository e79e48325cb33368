//! What algorithms on GPUs are put together from: prefix sums, sorting, selection.
//!
//! Each primitive is built once for a device and a largest length (its kernels and its scratch
//! memory), then *bound* to buffers and a length, which gives a [`Bound`]; recording that only
//! lists dispatches, as often as wanted and together with anything else:
//!
//! ```no_run
//! # use pliant_gpu::{AdapterChoice, Gpu, GpuError, primitives::Scan};
//! # fn main() -> Result<(), GpuError> {
//! # let gpu = Gpu::open_blocking(&AdapterChoice::any())?;
//! let scan = Scan::new(&gpu, 1000)?;
//! let sizes = gpu.storage("sizes", &[3u32, 0, 2])?;
//! let (starts, total) = (gpu.zeros("starts", 3)?, gpu.zeros("total", 1)?);
//! let bound = scan.bind(&sizes, &starts, &total, 3)?;
//! let mut commands = gpu.commands("example");
//! bound.record(&mut commands);
//! commands.submit();
//! assert_eq!(starts.read()?, [0, 3, 3]);
//! assert_eq!(total.read()?, [5]);
//! # Ok(())
//! # }
//! ```
//!
//! All of them give the same bits on every device and in every run: nothing depends on which
//! workgroup comes first. None waits for a workgroup of the same dispatch, which WebGPU does not
//! promise to make progress.

mod bound;
mod compact;
mod reduce;
mod scan;
mod sort;

pub use bound::Bound;
pub use compact::{Compact, SELECTION_COUNT, SELECTION_LENGTH};
pub use scan::Scan;
pub use sort::RadixSort;

use crate::{Buffer, Gpu, GpuError, KernelDesc, Module, WORKGROUP};

/// Elements per block, the share of a workgroup.
const BLOCK: usize = 8 * WORKGROUP as usize;

const BLOCKS: Module = Module { name: "pliant::block", source: include_str!("block.wgsl") };
const LEVEL: Module = Module { name: "pliant::level", source: include_str!("level.wgsl") };
const GROUP_SCAN: Module =
    Module { name: "pliant::group_scan", source: include_str!("group_scan.wgsl") };

/// Twin of `Level` in `level.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Level {
    length: u32,
    blocks: u32,
    padding: [u32; 2],
}

impl Level {
    fn of(length: usize) -> Self {
        Self { length: length as u32, blocks: blocks(length) as u32, padding: [0; 2] }
    }
}

/// Blocks of an array; even an empty one has a block, whose result is the neutral element.
fn blocks(length: usize) -> usize {
    length.div_ceil(BLOCK).max(1)
}

/// Lengths of an array, of the array of its blocks, of the blocks of that, until there is a single
/// block.
fn levels(length: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(length), |&n| (blocks(n) > 1).then(|| blocks(n)))
}

/// Refuses lengths that kernels cannot count.
fn check_capacity(label: &str, capacity: usize) -> Result<(), GpuError> {
    // Kernels number elements in 32 bits, and look up to a block beyond the end.
    let most = u32::MAX as usize - BLOCK;
    if capacity <= most {
        return Ok(());
    }
    let advice = format!("{capacity} elements are wanted and {most} can be numbered");
    let (needed, limit) = (4 * capacity as u64, 4 * most as u64);
    Err(GpuError::TooLarge { label: label.into(), needed, limit, advice })
}

/// Panics unless the first `length` elements of a buffer exist.
fn assert_holds<T>(buffer: &Buffer<T>, length: usize) {
    let (label, found) = (buffer.label(), buffer.len());
    assert!(length <= found, "{label}: {length} elements are wanted and it has {found}");
}

/// Panics if a primitive was not made for `length` elements.
fn assert_allowed(label: &str, length: usize, capacity: usize) {
    assert!(length <= capacity, "{label}: {length} elements are wanted and {capacity} allowed");
}

/// Panics if something is written where it is read.
fn assert_distinct<T>(buffers: &[&Buffer<T>]) {
    for (i, a) in buffers.iter().enumerate() {
        for b in &buffers[..i] {
            assert!(a.raw() != b.raw(), "{} and {} are the same buffer", b.label(), a.label());
        }
    }
}

/// Every kernel here, to be checked without a device. Each begins with a uniform of 16 bytes.
pub fn kernels() -> Vec<KernelDesc<'static>> {
    let mut all = vec![scan::SCAN, sort::COUNT, sort::SCATTER, compact::COMPACT];
    all.extend(reduce::KERNELS);
    all
}

/// Scratch memory for the levels above an array of `capacity`.
fn level_buffers(gpu: &Gpu, label: &str, capacity: usize) -> Result<Vec<bound::Scratch>, GpuError> {
    levels(capacity).skip(1).map(|n| bound::Scratch::new(gpu, label, n)).collect()
}

#[cfg(test)]
mod tests;
