//! Sixteen numbers at a time, on whatever the processor offers.
//!
//! All levels with fused multiply-add do the same operations in the same order on the same sixteen
//! lanes, so their results are equal bit by bit. The portable level and that of WebAssembly round
//! after each product; they differ from the others in the last bits, and not from each other.
//!
//! The methods of `Lanes16` are safe to *call* but only make sense inside a function compiled for
//! their level: the kernels have one such function per level and enter it only with a [`Level`]
//! that this machine was found to have. Everything is inlined into those functions.

/// Four numbers that are fetched together: x, y, z and one more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Lane4(pub [f32; 4]);

/// One number for each of sixteen lanes, or four times [`Lane4`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub [f32; 16]);

/// A set of processor instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Level {
    /// Plain Rust, on every processor, without fused multiply-add.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The best level of this machine.
    pub fn detect() -> Self {
        *Self::available().last().expect("the portable level is always there")
    }

    /// All levels of this machine, slowest first. A `Level` can only come from here, so whoever
    /// holds one may run it.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut levels = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                levels.push(Self(Kind::Avx2));
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                {
                    levels.push(Self(Kind::Avx512));
                }
            }
        }
        #[cfg(target_arch = "aarch64")]
        levels.push(Self(Kind::Neon));
        // A browser that lacks what a module was compiled for does not even load it.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        levels.push(Self(Kind::Simd128));
        levels
    }

    /// Whether products and sums are rounded together.
    pub fn fuses(self) -> bool {
        self != Self::PORTABLE && cfg!(not(target_arch = "wasm32"))
    }

    /// A short name for reports.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kind::Simd128 => "simd128",
        }
    }

    pub(crate) fn kind(self) -> Kind {
        self.0
    }
}

/// Sixteen `f32`.
pub(crate) trait Lanes16: Copy {
    /// Yes or no for each of the sixteen.
    type Mask: Copy;
    fn zero() -> Self;
    fn splat(x: f32) -> Self;
    fn load(from: &Lanes) -> Self;
    fn store(self, to: &mut Lanes);
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn div(self, o: Self) -> Self;
    fn max(self, o: Self) -> Self;
    fn sqrt(self) -> Self;
    /// `self · b + c`
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }
    /// `self · b − c`
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self.mul(b).sub(c)
    }
    /// `c − self · b`
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c.sub(self.mul(b))
    }

    /// Of four vertices in sixteen lanes: each one's fourth number in all of its lanes.
    fn broadcast_fourth(self) -> Self;
    /// Of four vertices in sixteen lanes: each one's (y, z, x) in place of (x, y, z).
    fn turned(self) -> Self;
    /// Of four vertices in sixteen lanes: the fourth numbers of `other`, the rest of `self`.
    fn with_fourth_of(self, other: Self) -> Self;
    /// Whether any lane is below `low`, above `high` or not a number.
    fn any_outside(self, low: Self, high: Self) -> bool;

    /// Whether `self ≤ o`, lane by lane; no where either is not a number.
    fn at_most(self, o: Self) -> Self::Mask;
    /// Whether all bits are the same, lane by lane: for whole numbers that are kept in lanes.
    fn same_bits(self, o: Self) -> Self::Mask;
    /// Lanes in which both say yes.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Lanes in which one of them says yes.
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Bit `k` is what lane `k` says.
    fn bits(mask: Self::Mask) -> u16;

    /// First three components of sixteen entries of `base`.
    ///
    /// # Safety
    /// `index` points at sixteen doubled entry numbers, all within `base`.
    unsafe fn gather(base: *const Lane4, index: *const u16) -> [Self; 3];

    /// Adds to the first three components of sixteen entries of `base` (the fourth becomes
    /// meaningless), in the order of [`SCATTER_ORDER`]. The two entries of a pair in that order
    /// must differ, unless nobody reads them.
    ///
    /// # Safety
    /// As for [`Self::gather`], and nobody else may access these entries meanwhile.
    unsafe fn scatter_add(base: *mut Lane4, index: *const u16, value: [Self; 3]);
}

/// Lanes in the order in which they are added to memory. Each pair of neighbours in this list is
/// one 256-bit operation where the processor has it.
pub(crate) const SCATTER_ORDER: [usize; 16] =
    [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15];

/// The entry that lane `lane` refers to.
///
/// The read is volatile because compilers otherwise turn the sixteen reads into one vector read and
/// sixteen extractions, which costs a quarter of the speed. (An atomic one would do, but takes two
/// instructions on x86.) Entry numbers are stored doubled, so that the times-eight addressing mode
/// reaches entries of sixteen bytes.
///
/// # Safety
/// `index` points at more than `lane` doubled entry numbers, all within `base`.
#[inline(always)]
unsafe fn entry(base: *const Lane4, index: *const u16, lane: usize) -> *const Lane4 {
    // SAFETY: promised by the caller.
    unsafe {
        let doubled = index.add(lane).read_volatile();
        base.byte_add(usize::from(doubled) * 8)
    }
}

// A module of WebAssembly that has other instructions is downloaded without these, which it would never
// run.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) use portable::Portable;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use arm::Neon;

#[cfg(target_arch = "aarch64")]
mod arm;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm::Simd128;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

mod check;
mod reader;
mod task;
pub(crate) mod three;

pub(crate) use reader::Reader;
pub(crate) use task::{Task, run_at};
