//! Code that is compiled once for every level.

use super::{Kind, Lanes16, Level};

/// Something to do with the instructions of a level.
pub(crate) trait Task {
    /// What comes out.
    type Output;

    /// Does it with the lanes of one level. Implementations are `#[inline(always)]`, so that they
    /// become part of the function that is compiled for the level.
    ///
    /// # Safety
    /// Whatever the task says, inside a function compiled for the level of `S`.
    unsafe fn run<S: Lanes16>(self) -> Self::Output;
}

/// Does a task with the instructions of `level`.
///
/// # Safety
/// Whatever the task says.
pub(crate) unsafe fn run_at<T: Task>(level: Level, task: T) -> T::Output {
    // SAFETY: promised by the caller; a `Level` exists only for what the machine has.
    unsafe {
        match level.kind() {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Kind::Portable => task.run::<super::Portable>(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => x86::avx2(task),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => x86::avx512(task),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => task.run::<super::Neon>(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            // Both give the same bits.
            Kind::Portable | Kind::Simd128 => task.run::<super::Simd128>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! The functions that are compiled for more than the plain x86-64.

    use std::hint::black_box;

    use super::Task;
    use crate::simd::{Avx2, Avx512};

    /// Where one of these is on the stack, the stack is aligned for it.
    #[repr(align(64))]
    struct CacheLine(#[allow(dead_code)] u8);

    /// Aligns the stack of the function that this becomes part of. Kernels keep more than registers
    /// hold; compilers align the stack for variables but not for what they put aside themselves, and
    /// where it begins is chance. Registers that lie across two cache lines cost up to a third of the
    /// speed.
    #[inline(always)]
    fn align_stack() {
        black_box(&CacheLine(0));
    }

    /// # Safety
    /// As for [`super::run_at`], on a processor with these features.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn avx2<T: Task>(task: T) -> T::Output {
        align_stack();
        // SAFETY: promised by the caller.
        unsafe { task.run::<Avx2>() }
    }

    /// # Safety
    /// As for [`super::run_at`], on a processor with these features.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
    pub unsafe fn avx512<T: Task>(task: T) -> T::Output {
        align_stack();
        // SAFETY: promised by the caller.
        unsafe { task.run::<Avx512>() }
    }
}
