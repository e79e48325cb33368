//! AVX2 with FMA (two halves) and AVX-512.

use super::{Lane4, Lanes, Lanes16, entry};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Avx2([__m256; 2]);

#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512);

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
        let old =
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high));
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
    type Mask = [__m256; 2];

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
    fn store(self, to: &mut Lanes) {
        let to = to.0.as_mut_ptr();
        // SAFETY: sixteen aligned floats; AVX2 as above.
        unsafe {
            _mm256_store_ps(to, self.0[0]);
            _mm256_store_ps(to.add(8), self.0[1]);
        }
    }
    #[inline(always)]
    fn broadcast_fourth(self) -> Self {
        // SAFETY: AVX2 as above.
        Self(self.0.map(|half| unsafe { _mm256_permute_ps::<0xff>(half) }))
    }
    #[inline(always)]
    fn turned(self) -> Self {
        // SAFETY: AVX2 as above.
        Self(self.0.map(|half| unsafe { _mm256_permute_ps::<0xc9>(half) }))
    }
    #[inline(always)]
    fn with_fourth_of(self, other: Self) -> Self {
        // SAFETY: AVX2 as above.
        let blend = |i: usize| unsafe { _mm256_blend_ps::<0x88>(self.0[i], other.0[i]) };
        Self([blend(0), blend(1)])
    }
    #[inline(always)]
    fn any_outside(self, low: Self, high: Self) -> bool {
        // SAFETY: AVX2 as above.
        let inside = |i: usize| unsafe {
            let above = _mm256_cmp_ps::<_CMP_GE_OQ>(self.0[i], low.0[i]);
            let below = _mm256_cmp_ps::<_CMP_LE_OQ>(self.0[i], high.0[i]);
            _mm256_movemask_ps(_mm256_and_ps(above, below))
        };
        inside(0) & inside(1) != 0xff
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
    fn at_most(self, o: Self) -> Self::Mask {
        // SAFETY: AVX2 as above.
        let compare = |i: usize| unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0[i], o.0[i]) };
        [compare(0), compare(1)]
    }
    #[inline(always)]
    fn same_bits(self, o: Self) -> Self::Mask {
        // SAFETY: AVX2 as above.
        let compare = |i: usize| unsafe {
            let [a, b] = [self.0[i], o.0[i]].map(|half| _mm256_castps_si256(half));
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b))
        };
        [compare(0), compare(1)]
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        // SAFETY: AVX2 as above.
        unsafe { [_mm256_and_ps(a[0], b[0]), _mm256_and_ps(a[1], b[1])] }
    }
    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        // SAFETY: AVX2 as above.
        unsafe { [_mm256_or_ps(a[0], b[0]), _mm256_or_ps(a[1], b[1])] }
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u16 {
        // SAFETY: AVX2 as above.
        let [low, high] = mask.map(|half| unsafe { _mm256_movemask_ps(half) } as u16);
        low | high << 8
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
    type Mask = __mmask16;

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
    fn store(self, to: &mut Lanes) {
        // SAFETY: sixteen aligned floats; AVX-512 as above.
        unsafe { _mm512_store_ps(to.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn broadcast_fourth(self) -> Self {
        // SAFETY: AVX-512 as above.
        Self(unsafe { _mm512_permute_ps::<0xff>(self.0) })
    }
    #[inline(always)]
    fn turned(self) -> Self {
        // SAFETY: AVX-512 as above.
        Self(unsafe { _mm512_permute_ps::<0xc9>(self.0) })
    }
    #[inline(always)]
    fn with_fourth_of(self, other: Self) -> Self {
        // SAFETY: AVX-512 as above.
        Self(unsafe { _mm512_mask_blend_ps(0x8888, self.0, other.0) })
    }
    #[inline(always)]
    fn any_outside(self, low: Self, high: Self) -> bool {
        // SAFETY: AVX-512 as above.
        let inside = unsafe {
            _mm512_cmp_ps_mask::<_CMP_GE_OQ>(self.0, low.0)
                & _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, high.0)
        };
        inside != 0xffff
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
    fn at_most(self, o: Self) -> Self::Mask {
        // SAFETY: AVX-512 as above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, o.0) }
    }
    #[inline(always)]
    fn same_bits(self, o: Self) -> Self::Mask {
        // SAFETY: AVX-512 as above.
        unsafe { _mm512_cmpeq_epi32_mask(_mm512_castps_si512(self.0), _mm512_castps_si512(o.0)) }
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a & b
    }
    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a | b
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u16 {
        mask
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
