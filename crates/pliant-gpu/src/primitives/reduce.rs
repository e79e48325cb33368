//! One value from many: sums, products, extremes, bit for bit the same everywhere.
//!
//! A sum of floating-point numbers depends on its order, so the order is fixed: it is a function of
//! the length alone. A block of 2048 elements is summed by 256 invocations, each over eight elements
//! 256 apart, and then by halving: `i` takes `i + 128`, then `i + 64`, … The results of the blocks
//! are an array that is summed in the same way. [`sum_f32`] and [`dot_f32`] write it down in Rust.
//!
//! Kernels keep compilers from fusing products with sums and from changing the order. What is left
//! to devices are numbers too small to be normal (below 1.2e-38), which WGSL lets them take for zero.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;

use super::bound::{Bound, Scratch};
use super::{
    BLOCK, BLOCKS, LEVEL, Level, assert_allowed, assert_distinct, assert_holds, blocks,
    check_capacity, level_buffers, levels,
};
use crate::Access::{Read, Uniform, Write};
use crate::{Access, Binding, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module, WORKGROUP};

const REDUCE: Module = Module { name: "pliant::reduce", source: include_str!("reduce.wgsl") };

const UNARY: &[Access] = &[Uniform, Write, Read];
const BINARY: &[Access] = &[Uniform, Write, Read, Read];

/// The kernel with these items; the last module of the library says what they are.
pub(super) const fn reduction(
    library: &'static [Module; 3],
    bindings: &'static [Access],
) -> KernelDesc<'static> {
    KernelDesc { library, module: REDUCE, entry: "reduce", constants: &[], bindings }
}

const fn items(source: &'static str) -> Module {
    Module { name: "pliant::reduce::items", source }
}

const SUM_F32: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/sum_f32.wgsl"))], UNARY);
const DOT_F32: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/dot_f32.wgsl"))], BINARY);
const MAX_F32: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/max_f32.wgsl"))], UNARY);
const MAX_U32: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/max_u32.wgsl"))], UNARY);
pub(super) const SUM_U32: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/sum_u32.wgsl"))], UNARY);
/// Numbers of set flags per block.
pub(super) const COUNT_FLAGS: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/flags.wgsl"))], UNARY);

pub(super) const KERNELS: [KernelDesc<'static>; 6] =
    [SUM_F32, DOT_F32, MAX_F32, MAX_U32, SUM_U32, COUNT_FLAGS];

/// A sum or a maximum of up to a certain number of elements. The result stays on the device.
pub struct Reduce<T> {
    gpu: Gpu,
    kernel: Arc<Kernel>,
    /// Results of blocks, of blocks of blocks, and so on.
    levels: Vec<Scratch>,
    capacity: usize,
    element: PhantomData<fn() -> T>,
}

impl Reduce<f32> {
    /// Sums; 0 of nothing. See [`sum_f32`] for the order.
    pub fn sum(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        Self::new(gpu, &SUM_F32, capacity)
    }

    /// Maxima; −∞ of nothing, and NaN as soon as one element is NaN. −0 is less than 0.
    pub fn max(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        Self::new(gpu, &MAX_F32, capacity)
    }
}

impl Reduce<u32> {
    /// Sums modulo 2³²; 0 of nothing.
    pub fn sum(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        Self::new(gpu, &SUM_U32, capacity)
    }

    /// Maxima; 0 of nothing.
    pub fn max(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        Self::new(gpu, &MAX_U32, capacity)
    }
}

impl<T: Pod> Reduce<T> {
    fn new(gpu: &Gpu, desc: &KernelDesc<'_>, capacity: usize) -> Result<Self, GpuError> {
        check_capacity("reduce", capacity)?;
        let kernel = Arc::new(Kernel::new(gpu, desc)?);
        let levels = level_buffers(gpu, "reduce", capacity)?;
        Ok(Self { gpu: gpu.clone(), kernel, levels, capacity, element: PhantomData })
    }

    /// Reduces the first `length` elements of `values` to the first one of `result`.
    ///
    /// # Panics
    /// If a buffer or the capacity is too small, or `result` is `values`.
    pub fn bind(
        &self,
        values: &Buffer<T>,
        result: &Buffer<T>,
        length: usize,
    ) -> Result<Bound, GpuError> {
        assert_holds(values, length);
        assert_distinct(&[values, result]);
        self.bind_from(&self.kernel, &[values.into()], result, length)
    }

    /// As `bind`, with `first` as the kernel of the lowest level and `inputs` for it.
    fn bind_from(
        &self,
        first: &Arc<Kernel>,
        inputs: &[Binding<'_>],
        result: &Buffer<T>,
        length: usize,
    ) -> Result<Bound, GpuError> {
        assert_allowed("reduce", length, self.capacity);
        assert_holds(result, 1);
        let mut bound = Bound::new(&self.gpu, &self.levels);
        let last = levels(length).count() - 1;
        for (k, n) in levels(length).enumerate() {
            let output = if k == last { result.into() } else { (&*self.levels[k]).into() };
            let mut buffers: Vec<Binding<'_>> = vec![output];
            match k {
                0 => buffers.extend_from_slice(inputs),
                _ => buffers.push((&*self.levels[k - 1]).into()),
            }
            let kernel = if k == 0 { first } else { &self.kernel };
            bound.run(kernel, Level::of(n), &buffers, blocks(n))?;
        }
        Ok(bound)
    }
}

/// A scalar product of two arrays of up to a certain length. The result stays on the device.
pub struct Dot {
    products: Arc<Kernel>,
    sum: Reduce<f32>,
}

impl Dot {
    /// For arrays of up to `capacity`.
    pub fn new(gpu: &Gpu, capacity: usize) -> Result<Self, GpuError> {
        let products = Arc::new(Kernel::new(gpu, &DOT_F32)?);
        Ok(Self { products, sum: Reduce::<f32>::sum(gpu, capacity)? })
    }

    /// The product of the first `length` elements of `left` and `right`, which may be the same, to
    /// the first one of `result`. See [`dot_f32`] for the order.
    ///
    /// # Panics
    /// If a buffer or the capacity is too small, or `result` is one of the others.
    pub fn bind(
        &self,
        left: &Buffer<f32>,
        right: &Buffer<f32>,
        result: &Buffer<f32>,
        length: usize,
    ) -> Result<Bound, GpuError> {
        for buffer in [left, right] {
            assert_holds(buffer, length);
            assert_distinct(&[buffer, result]);
        }
        self.sum.bind_from(&self.products, &[left.into(), right.into()], result, length)
    }
}

/// What the device makes of [`Reduce::<f32>::sum`], to the last bit.
pub fn sum_f32(values: &[f32]) -> f32 {
    reduce(values.len(), |i| values[i])
}

/// What the device makes of [`Dot`], to the last bit.
///
/// # Panics
/// If the lengths differ.
pub fn dot_f32(left: &[f32], right: &[f32]) -> f32 {
    assert_eq!(left.len(), right.len(), "lengths of the factors");
    reduce(left.len(), |i| left[i] * right[i])
}

/// What the device makes of [`Reduce::<f32>::max`]; which NaN it is, if it is one, is not said.
pub fn max_f32(values: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| match a.is_nan() || (!b.is_nan() && a.total_cmp(&b).is_ge()) {
        true => a,
        false => b,
    };
    values.iter().copied().fold(f32::NEG_INFINITY, larger)
}

/// How far [`sum_f32`] and [`dot_f32`] of `length` elements may be from the exact result, in parts
/// of the sum of the magnitudes of what is added.
///
/// A value passes at most `m` roundings on its way, one as a product and fifteen per level (of the
/// eight sums of an invocation, the first one adds zero; eight more halve the block). Then the bound
/// is `m·u / (1 − m·u)` with `u = 2⁻²⁴`; Higham, "Accuracy and Stability of Numerical Algorithms",
/// sections 3.1 and 4.2.
pub fn rounding_bound(length: usize) -> f64 {
    let m = 1.0 + 15.0 * levels(length).count() as f64;
    let u = f64::from(f32::EPSILON) / 2.0;
    m * u / (1.0 - m * u)
}

fn reduce(length: usize, item: impl Fn(usize) -> f32) -> f32 {
    let sum = |length, item: &dyn Fn(usize) -> f32| -> Vec<f32> {
        (0..blocks(length)).map(|b| reduce_block(b * BLOCK, length, item)).collect()
    };
    let mut level = sum(length, &item);
    while level.len() > 1 {
        level = sum(level.len(), &|i| level[i]);
    }
    level[0]
}

/// The sum of the block that begins at `first`.
fn reduce_block(first: usize, length: usize, item: &dyn Fn(usize) -> f32) -> f32 {
    let width = WORKGROUP as usize;
    let mut tree = vec![0.0; width];
    for i in first..(first + BLOCK).min(length) {
        tree[(i - first) % width] += item(i);
    }
    let mut half = width / 2;
    while half > 0 {
        for i in 0..half {
            tree[i] += tree[i + half];
        }
        half /= 2;
    }
    tree[0]
}
