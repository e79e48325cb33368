//! Sixteen numbers at a time, on whatever the processor offers.
//!
//! All levels with fused multiply-add do the same operations in the same order on the same sixteen
//! lanes, so their results are equal bit by bit. The portable level rounds after each product and
//! differs in the last bits.
//!
//! The methods of [`Lanes16`] are safe to *call* but only make sense inside a function compiled for
//! their level: [`super::kernel`] has one such function per level and enters it only with a
//! [`Level`] that this machine was found to have. Everything is inlined into those functions.

use super::{Lane4, Lanes};
use std::sync::atomic::{AtomicU16, Ordering};

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
}

impl Level {
    /// Plain Rust, on every processor. The only level without fused multiply-add.
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
        levels
    }

    /// Whether products and sums are rounded together.
    pub fn fuses(self) -> bool {
        self != Self::PORTABLE
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
        }
    }

    pub(crate) fn kind(self) -> Kind {
        self.0
    }
}

/// Sixteen `f32`.
pub(super) trait Lanes16: Copy {
    fn zero() -> Self;
    fn splat(x: f32) -> Self;
    fn load(from: &Lanes) -> Self;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn div(self, o: Self) -> Self;
    fn max(self, o: Self) -> Self;
    fn sqrt(self) -> Self;
    /// `self · b + c`
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self · b − c`
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// `c − self · b`
    fn neg_mul_add(self, b: Self, c: Self) -> Self;

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
pub(super) const SCATTER_ORDER: [usize; 16] =
    [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15];

/// The entry that lane `lane` refers to.
///
/// The read is atomic because compilers otherwise turn the sixteen reads into one vector read and
/// sixteen extractions, which costs a quarter of the speed. Entry numbers are stored doubled,
/// so that the times-eight addressing mode reaches entries of sixteen bytes.
///
/// # Safety
/// `index` points at more than `lane` doubled entry numbers, all within `base`.
#[inline(always)]
unsafe fn entry(base: *const Lane4, index: *const u16, lane: usize) -> *const Lane4 {
    // SAFETY: promised by the caller.
    unsafe {
        let doubled = AtomicU16::from_ptr(index.add(lane).cast_mut()).load(Ordering::Relaxed);
        base.byte_add(usize::from(doubled) * 8)
    }
}

/// Plain arrays.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; 16]);

impl Portable {
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], o.0[lane])))
    }
}

impl Lanes16 for Portable {
    #[inline(always)]
    fn zero() -> Self {
        Self([0.0; 16])
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 16])
    }
    #[inline(always)]
    fn load(from: &Lanes) -> Self {
        Self(from.0)
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.zip(o, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        self.zip(o, |a, b| a / b)
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        self.zip(o, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self.mul(b).sub(c)
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c.sub(self.mul(b))
    }
    #[inline(always)]
    unsafe fn gather(base: *const Lane4, index: *const u16) -> [Self; 3] {
        let mut rows = [[0.0; 16]; 3];
        for lane in 0..16 {
            // SAFETY: promised by the caller.
            let row = unsafe { (*entry(base, index, lane)).0 };
            for axis in 0..3 {
                rows[axis][lane] = row[axis];
            }
        }
        rows.map(Self)
    }
    #[inline(always)]
    unsafe fn scatter_add(base: *mut Lane4, index: *const u16, value: [Self; 3]) {
        for lane in SCATTER_ORDER {
            // SAFETY: promised by the caller.
            let row = unsafe { &mut (*entry(base, index, lane).cast_mut()).0 };
            for axis in 0..3 {
                row[axis] += value[axis].0[lane];
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! AVX2 with FMA (two halves) and AVX-512.

    use super::{Lane4, Lanes, Lanes16, entry};
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2([__m256; 2]);

    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512);

    /// Calls an intrinsic for both halves.
    macro_rules! halves {
        ($f:ident($($arg:expr),*)) => {
            // SAFETY: only reached inside functions compiled for AVX2, see the module docs.
            Self(unsafe { [$f($($arg.0[0]),*), $f($($arg.0[1]),*)] })
        };
    }

    /// Calls an AVX-512 intrinsic.
    macro_rules! whole {
        ($f:ident($($arg:expr),*)) => {
            // SAFETY: only reached inside functions compiled for AVX-512, see the module docs.
            Self(unsafe { $f($($arg.0),*) })
        };
    }

    /// Entries of lanes `lane` and `lane + 4` side by side.
    ///
    /// # Safety
    /// As for [`Lanes16::gather`].
    #[inline(always)]
    unsafe fn load_pair(base: *const Lane4, index: *const u16, lane: usize) -> __m256 {
        // SAFETY: promised by the caller; entries are 16-byte aligned.
        unsafe {
            let low = _mm_load_ps(entry(base, index, lane).cast());
            let high = _mm_load_ps(entry(base, index, lane + 4).cast());
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
        }
    }

    /// Adds to the entries of lanes `lane` and `lane + 4`, which must differ.
    ///
    /// # Safety
    /// As for [`Lanes16::scatter_add`].
    #[inline(always)]
    unsafe fn add_pair(base: *mut Lane4, index: *const u16, lane: usize, value: __m256) {
        // SAFETY: promised by the caller; entries are 16-byte aligned.
        unsafe {
            let low: *mut f32 = entry(base, index, lane).cast_mut().cast();
            let high: *mut f32 = entry(base, index, lane + 4).cast_mut().cast();
            let old = _mm256_insertf128_ps::<1>(
                _mm256_castps128_ps256(_mm_load_ps(low)),
                _mm_load_ps(high),
            );
            let new = _mm256_add_ps(old, value);
            _mm_store_ps(low, _mm256_castps256_ps128(new));
            _mm_store_ps(high, _mm256_extractf128_ps::<1>(new));
        }
    }

    impl Avx2 {
        /// Lanes `first .. first + 8`, transposed to one register per axis.
        ///
        /// # Safety
        /// As for [`Lanes16::gather`].
        #[inline(always)]
        unsafe fn gather_half(base: *const Lane4, index: *const u16, first: usize) -> [__m256; 3] {
            // SAFETY: promised by the caller.
            unsafe {
                let r0 = load_pair(base, index, first);
                let r1 = load_pair(base, index, first + 1);
                let r2 = load_pair(base, index, first + 2);
                let r3 = load_pair(base, index, first + 3);
                let xy01 = _mm256_unpacklo_ps(r0, r1);
                let xy23 = _mm256_unpacklo_ps(r2, r3);
                let z01 = _mm256_unpackhi_ps(r0, r1);
                let z23 = _mm256_unpackhi_ps(r2, r3);
                [
                    _mm256_shuffle_ps::<0x44>(xy01, xy23),
                    _mm256_shuffle_ps::<0xee>(xy01, xy23),
                    _mm256_shuffle_ps::<0x44>(z01, z23),
                ]
            }
        }
    }

    impl Lanes16 for Avx2 {
        #[inline(always)]
        fn zero() -> Self {
            Self::splat(0.0)
        }
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: only reached inside functions compiled for AVX2, see the module docs.
            Self(unsafe { [_mm256_set1_ps(x); 2] })
        }
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            let from = from.0.as_ptr();
            // SAFETY: sixteen aligned floats; AVX2 as above.
            Self(unsafe { [_mm256_load_ps(from), _mm256_load_ps(from.add(8))] })
        }
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            halves!(_mm256_add_ps(self, o))
        }
        #[inline(always)]
        fn sub(self, o: Self) -> Self {
            halves!(_mm256_sub_ps(self, o))
        }
        #[inline(always)]
        fn mul(self, o: Self) -> Self {
            halves!(_mm256_mul_ps(self, o))
        }
        #[inline(always)]
        fn div(self, o: Self) -> Self {
            halves!(_mm256_div_ps(self, o))
        }
        #[inline(always)]
        fn max(self, o: Self) -> Self {
            halves!(_mm256_max_ps(self, o))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            halves!(_mm256_sqrt_ps(self))
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            halves!(_mm256_fmadd_ps(self, b, c))
        }
        #[inline(always)]
        fn mul_sub(self, b: Self, c: Self) -> Self {
            halves!(_mm256_fmsub_ps(self, b, c))
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            halves!(_mm256_fnmadd_ps(self, b, c))
        }
        #[inline(always)]
        unsafe fn gather(base: *const Lane4, index: *const u16) -> [Self; 3] {
            // SAFETY: promised by the caller.
            let low = unsafe { Self::gather_half(base, index, 0) };
            // SAFETY: promised by the caller.
            let high = unsafe { Self::gather_half(base, index, 8) };
            [Self([low[0], high[0]]), Self([low[1], high[1]]), Self([low[2], high[2]])]
        }
        #[inline(always)]
        unsafe fn scatter_add(base: *mut Lane4, index: *const u16, [x, y, z]: [Self; 3]) {
            for half in 0..2 {
                let first = 8 * half;
                // SAFETY: promised by the caller.
                unsafe {
                    let xy01 = _mm256_unpacklo_ps(x.0[half], y.0[half]);
                    let xy23 = _mm256_unpackhi_ps(x.0[half], y.0[half]);
                    let z = z.0[half];
                    add_pair(base, index, first, _mm256_shuffle_ps::<0x04>(xy01, z));
                    add_pair(base, index, first + 1, _mm256_shuffle_ps::<0x1e>(xy01, z));
                    add_pair(base, index, first + 2, _mm256_shuffle_ps::<0x24>(xy23, z));
                    add_pair(base, index, first + 3, _mm256_shuffle_ps::<0x3e>(xy23, z));
                }
            }
        }
    }

    impl Avx512 {
        /// Entries of lanes `lane`, `lane + 4`, `lane + 8` and `lane + 12` side by side.
        ///
        /// # Safety
        /// As for [`Lanes16::gather`].
        #[inline(always)]
        unsafe fn load_row(base: *const Lane4, index: *const u16, lane: usize) -> __m512 {
            // SAFETY: promised by the caller; entries are 16-byte aligned.
            unsafe {
                let row = _mm512_castps128_ps512(_mm_load_ps(entry(base, index, lane).cast()));
                let next = _mm_load_ps(entry(base, index, lane + 4).cast());
                let row = _mm512_insertf32x4::<1>(row, next);
                let next = _mm_load_ps(entry(base, index, lane + 8).cast());
                let row = _mm512_insertf32x4::<2>(row, next);
                let next = _mm_load_ps(entry(base, index, lane + 12).cast());
                _mm512_insertf32x4::<3>(row, next)
            }
        }
    }

    impl Lanes16 for Avx512 {
        #[inline(always)]
        fn zero() -> Self {
            Self::splat(0.0)
        }
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: only reached inside functions compiled for AVX-512, see the module docs.
            Self(unsafe { _mm512_set1_ps(x) })
        }
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            // SAFETY: sixteen aligned floats; AVX-512 as above.
            Self(unsafe { _mm512_load_ps(from.0.as_ptr()) })
        }
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            whole!(_mm512_add_ps(self, o))
        }
        #[inline(always)]
        fn sub(self, o: Self) -> Self {
            whole!(_mm512_sub_ps(self, o))
        }
        #[inline(always)]
        fn mul(self, o: Self) -> Self {
            whole!(_mm512_mul_ps(self, o))
        }
        #[inline(always)]
        fn div(self, o: Self) -> Self {
            whole!(_mm512_div_ps(self, o))
        }
        #[inline(always)]
        fn max(self, o: Self) -> Self {
            whole!(_mm512_max_ps(self, o))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            whole!(_mm512_sqrt_ps(self))
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            whole!(_mm512_fmadd_ps(self, b, c))
        }
        #[inline(always)]
        fn mul_sub(self, b: Self, c: Self) -> Self {
            whole!(_mm512_fmsub_ps(self, b, c))
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            whole!(_mm512_fnmadd_ps(self, b, c))
        }
        #[inline(always)]
        unsafe fn gather(base: *const Lane4, index: *const u16) -> [Self; 3] {
            // SAFETY: promised by the caller.
            unsafe {
                let r0 = Self::load_row(base, index, 0);
                let r1 = Self::load_row(base, index, 1);
                let r2 = Self::load_row(base, index, 2);
                let r3 = Self::load_row(base, index, 3);
                let xy01 = _mm512_unpacklo_ps(r0, r1);
                let xy23 = _mm512_unpacklo_ps(r2, r3);
                let z01 = _mm512_unpackhi_ps(r0, r1);
                let z23 = _mm512_unpackhi_ps(r2, r3);
                [
                    Self(_mm512_shuffle_ps::<0x44>(xy01, xy23)),
                    Self(_mm512_shuffle_ps::<0xee>(xy01, xy23)),
                    Self(_mm512_shuffle_ps::<0x44>(z01, z23)),
                ]
            }
        }
        #[inline(always)]
        unsafe fn scatter_add(base: *mut Lane4, index: *const u16, [x, y, z]: [Self; 3]) {
            // SAFETY: promised by the caller.
            unsafe {
                let xy01 = _mm512_unpacklo_ps(x.0, y.0);
                let xy23 = _mm512_unpackhi_ps(x.0, y.0);
                let rows = [
                    _mm512_shuffle_ps::<0x04>(xy01, z.0),
                    _mm512_shuffle_ps::<0x1e>(xy01, z.0),
                    _mm512_shuffle_ps::<0x24>(xy23, z.0),
                    _mm512_shuffle_ps::<0x3e>(xy23, z.0),
                ];
                add_pair(base, index, 0, _mm512_castps512_ps256(rows[0]));
                add_pair(base, index, 1, _mm512_castps512_ps256(rows[1]));
                add_pair(base, index, 2, _mm512_castps512_ps256(rows[2]));
                add_pair(base, index, 3, _mm512_castps512_ps256(rows[3]));
                add_pair(base, index, 8, _mm512_extractf32x8_ps::<1>(rows[0]));
                add_pair(base, index, 9, _mm512_extractf32x8_ps::<1>(rows[1]));
                add_pair(base, index, 10, _mm512_extractf32x8_ps::<1>(rows[2]));
                add_pair(base, index, 11, _mm512_extractf32x8_ps::<1>(rows[3]));
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
pub(super) use arm::Neon;

#[cfg(target_arch = "aarch64")]
mod arm {
    //! NEON, four quarters.

    use super::{Lane4, Lanes, Lanes16, SCATTER_ORDER, entry};
    use std::arch::aarch64::*;

    #[derive(Clone, Copy)]
    pub(in super::super) struct Neon([float32x4_t; 4]);

    /// Calls an intrinsic for all quarters.
    macro_rules! quarters {
        ($f:ident($($arg:expr),*)) => {
            // SAFETY: every aarch64 processor that Rust supports has NEON.
            Self(unsafe {
                [
                    $f($($arg.0[0]),*),
                    $f($($arg.0[1]),*),
                    $f($($arg.0[2]),*),
                    $f($($arg.0[3]),*),
                ]
            })
        };
    }

    impl Lanes16 for Neon {
        #[inline(always)]
        fn zero() -> Self {
            Self::splat(0.0)
        }
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: every aarch64 processor that Rust supports has NEON.
            Self(unsafe { [vdupq_n_f32(x); 4] })
        }
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            let from = from.0.as_ptr();
            // SAFETY: sixteen floats.
            Self(std::array::from_fn(|quarter| unsafe { vld1q_f32(from.add(4 * quarter)) }))
        }
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            quarters!(vaddq_f32(self, o))
        }
        #[inline(always)]
        fn sub(self, o: Self) -> Self {
            quarters!(vsubq_f32(self, o))
        }
        #[inline(always)]
        fn mul(self, o: Self) -> Self {
            quarters!(vmulq_f32(self, o))
        }
        #[inline(always)]
        fn div(self, o: Self) -> Self {
            quarters!(vdivq_f32(self, o))
        }
        #[inline(always)]
        fn max(self, o: Self) -> Self {
            quarters!(vmaxq_f32(self, o))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            quarters!(vsqrtq_f32(self))
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            quarters!(vfmaq_f32(c, self, b))
        }
        #[inline(always)]
        fn mul_sub(self, b: Self, c: Self) -> Self {
            // −(c − self·b): one rounding, and negation is exact.
            let negative = self.neg_mul_add(b, c);
            quarters!(vnegq_f32(negative))
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            quarters!(vfmsq_f32(c, self, b))
        }
        #[inline(always)]
        unsafe fn gather(base: *const Lane4, index: *const u16) -> [Self; 3] {
            let mut out = [Self::zero(); 3];
            for quarter in 0..4 {
                // SAFETY: promised by the caller.
                unsafe {
                    let row = |lane| vld1q_f32(entry(base, index, 4 * quarter + lane).cast());
                    let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
                    let xz01 = (vtrn1q_f32(r0, r1), vtrn2q_f32(r0, r1));
                    let xz23 = (vtrn1q_f32(r2, r3), vtrn2q_f32(r2, r3));
                    let double = |v| vreinterpretq_f64_f32(v);
                    let single = |v| vreinterpretq_f32_f64(v);
                    out[0].0[quarter] = single(vtrn1q_f64(double(xz01.0), double(xz23.0)));
                    out[1].0[quarter] = single(vtrn1q_f64(double(xz01.1), double(xz23.1)));
                    out[2].0[quarter] = single(vtrn2q_f64(double(xz01.0), double(xz23.0)));
                }
            }
            out
        }
        #[inline(always)]
        unsafe fn scatter_add(base: *mut Lane4, index: *const u16, [x, y, z]: [Self; 3]) {
            let mut rows = [x.0[0]; 16];
            for quarter in 0..4 {
                // SAFETY: every aarch64 processor that Rust supports has NEON.
                unsafe {
                    let (x, y, z) = (x.0[quarter], y.0[quarter], z.0[quarter]);
                    let double = |v| vreinterpretq_f64_f32(v);
                    let single = |v| vreinterpretq_f32_f64(v);
                    let (xy02, xy13) = (double(vtrn1q_f32(x, y)), double(vtrn2q_f32(x, y)));
                    let (z02, z13) = (double(vtrn1q_f32(z, z)), double(vtrn2q_f32(z, z)));
                    rows[4 * quarter] = single(vtrn1q_f64(xy02, z02));
                    rows[4 * quarter + 1] = single(vtrn1q_f64(xy13, z13));
                    rows[4 * quarter + 2] = single(vtrn2q_f64(xy02, z02));
                    rows[4 * quarter + 3] = single(vtrn2q_f64(xy13, z13));
                }
            }
            for lane in SCATTER_ORDER {
                // SAFETY: promised by the caller.
                unsafe {
                    let to: *mut f32 = entry(base, index, lane).cast_mut().cast();
                    vst1q_f32(to, vaddq_f32(vld1q_f32(to), rows[lane]));
                }
            }
        }
    }
}
