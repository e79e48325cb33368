//! Sums of blocks of whole numbers, which prefix sums and selection begin with.

use super::{BLOCKS, LEVEL};
use crate::Access::{Read, Uniform, Write};
use crate::{KernelDesc, Module};

const REDUCE: Module = Module { name: "pliant::reduce", source: include_str!("reduce.wgsl") };

/// The kernel with these items; the last module of the library says what they are.
const fn reduction(library: &'static [Module; 3]) -> KernelDesc<'static> {
    let bindings = &[Uniform, Write, Read];
    KernelDesc { library, module: REDUCE, entry: "reduce", constants: &[], bindings }
}

const fn items(source: &'static str) -> Module {
    Module { name: "pliant::reduce::items", source }
}

/// Sums of blocks, modulo 2³².
pub(super) const SUM_U32: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/sum_u32.wgsl"))]);
/// Numbers of set flags per block.
pub(super) const COUNT_FLAGS: KernelDesc<'static> =
    reduction(&[BLOCKS, LEVEL, items(include_str!("items/flags.wgsl"))]);

pub(super) const KERNELS: [KernelDesc<'static>; 2] = [SUM_U32, COUNT_FLAGS];
