//! Sorting whole numbers that carry a payload, digit by digit from the lowest.
//!
//! Per digit of four bits: count the digits of every block; prefix sums of the counts say where each
//! block's keys of each digit go; they are moved there without changing the order of equals. Satish,
//! Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", on radix sort.

use std::sync::Arc;

use super::bound::{Bound, Scratch};
use super::scan::Scan;
use super::{
    BLOCKS, GROUP_SCAN, assert_allowed, assert_distinct, assert_holds, blocks, check_capacity,
};
use crate::Access::{Read, Uniform, Write};
use crate::{Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

/// Bits of a digit, and its values.
const DIGIT_BITS: u32 = 4;
const DIGITS: usize = 1 << DIGIT_BITS;

const DIGIT: Module = Module { name: "pliant::digit", source: include_str!("digit.wgsl") };

pub(super) const COUNT: KernelDesc<'static> = KernelDesc {
    library: &[BLOCKS, DIGIT],
    module: Module { name: "pliant::sort_count", source: include_str!("sort_count.wgsl") },
    entry: "count_digits",
    constants: &[],
    bindings: &[Uniform, Read, Write],
};

pub(super) const SCATTER: KernelDesc<'static> = KernelDesc {
    library: &[BLOCKS, DIGIT, GROUP_SCAN],
    module: Module { name: "pliant::sort_scatter", source: include_str!("sort_scatter.wgsl") },
    entry: "scatter",
    constants: &[],
    bindings: &[Uniform, Read, Read, Read, Write, Write],
};

/// Twin of `Digit` in `digit.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Digit {
    length: u32,
    blocks: u32,
    shift: u32,
    width: u32,
}

/// Sorts up to a certain number of keys, each with a payload. Equal keys keep their order.
pub struct RadixSort {
    gpu: Gpu,
    count: Arc<Kernel>,
    scatter: Arc<Kernel>,
    scan: Scan,
    /// Keys and payloads after every other digit.
    keys: Scratch,
    payload: Scratch,
    /// A number per digit and block, their prefix sums, and the sum of all, which nobody needs.
    counts: Scratch,
    offsets: Scratch,
    total: Scratch,
    capacity: usize,
}

impl RadixSort {
    /// For up to `capacity` keys; needs as much memory as they and their payloads do.
    pub fn new(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        check_capacity("sort", capacity)?;
        let counts = DIGITS * blocks(capacity);
        Ok(Self {
            gpu: gpu.clone(),
            count: Arc::new(Kernel::new(gpu, &COUNT)?),
            scatter: Arc::new(Kernel::new(gpu, &SCATTER)?),
            scan: Scan::new(gpu, counts)?,
            keys: Scratch::new(gpu, "sort keys", capacity)?,
            payload: Scratch::new(gpu, "sort payload", capacity)?,
            counts: Scratch::new(gpu, "sort counts", counts)?,
            offsets: Scratch::new(gpu, "sort offsets", counts)?,
            total: Scratch::new(gpu, "sort total", 1)?,
            capacity,
        })
    }

    /// Sorts the first `length` elements of `keys` by their low `bits` (32 for all), in place, and
    /// takes those of `payload` along. The higher bits are kept and do not count. Time grows by
    /// steps of four bits.
    ///
    /// # Panics
    /// If a buffer or the capacity is too small, `bits` is above 32, or the buffers are the same.
    pub fn bind(
        &self,
        keys: &Buffer<u32>,
        payload: &Buffer<u32>,
        length: usize,
        bits: u32,
    ) -> Result<Bound, GpuError> {
        assert_allowed("sort", length, self.capacity);
        assert!(bits <= u32::BITS, "sort: keys have 32 bits, not {bits}");
        assert_holds(keys, length);
        assert_holds(payload, length);
        assert_distinct(&[keys, payload]);
        let scratch = [&self.keys, &self.payload, &self.counts, &self.offsets, &self.total];
        let mut bound = Bound::new(&self.gpu, scratch);
        if length < 2 {
            return Ok(bound);
        }
        let scan =
            self.scan.bind(&self.counts, &self.offsets, &self.total, DIGITS * blocks(length))?;
        let mut from = [keys, payload];
        let mut to = [&*self.keys, &*self.payload];
        for shift in (0..bits).step_by(DIGIT_BITS as usize) {
            let width = DIGIT_BITS.min(bits - shift);
            let digit =
                Digit { length: length as u32, blocks: blocks(length) as u32, shift, width };
            self.bind_digit(&mut bound, &scan, digit, from, to)?;
            std::mem::swap(&mut from, &mut to);
        }
        // After an odd number of digits everything is in our memory.
        if !std::ptr::eq(from[0], keys) {
            bound.copy(from[0], keys, length);
            bound.copy(from[1], payload, length);
        }
        Ok(bound)
    }

    /// Adds the pass that sorts keys and payloads by one digit.
    fn bind_digit(
        &self,
        bound: &mut Bound,
        scan: &Bound,
        digit: Digit,
        from: [&Buffer<u32>; 2],
        to: [&Buffer<u32>; 2],
    ) -> Result<(), GpuError> {
        let (counts, offsets) = (&*self.counts, &*self.offsets);
        let blocks = digit.blocks as usize;
        bound.run(&self.count, digit, &[from[0].into(), counts.into()], blocks)?;
        bound.append(scan);
        let buffers = [from[0].into(), from[1].into(), offsets.into(), to[0].into(), to[1].into()];
        bound.run(&self.scatter, digit, &buffers, blocks)
    }
}

#[cfg(test)]
impl Digit {
    pub(super) const MEMBERS: [(&str, usize); 4] = [
        ("length", std::mem::offset_of!(Digit, length)),
        ("blocks", std::mem::offset_of!(Digit, blocks)),
        ("shift", std::mem::offset_of!(Digit, shift)),
        ("width", std::mem::offset_of!(Digit, width)),
    ];
}
