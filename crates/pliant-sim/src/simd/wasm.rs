//! The 128-bit instructions of WebAssembly, four quarters.
//!
//! They have no fused multiply-add (the relaxed ones may or may not fuse, as the browser likes), so
//! this level rounds after each product and its results are those of the portable level, bit by bit.

use super::{Lane4, Lanes, Lanes16, SCATTER_ORDER, entry};
use std::arch::wasm32::*;

#[derive(Clone, Copy)]
pub(crate) struct Simd128([v128; 4]);

/// Calls an intrinsic for all quarters.
macro_rules! quarters {
    ($f:ident($($arg:expr),*)) => {
        Self([
            $f($($arg.0[0]),*),
            $f($($arg.0[1]),*),
            $f($($arg.0[2]),*),
            $f($($arg.0[3]),*),
        ])
    };
}

impl Lanes16 for Simd128 {
    type Mask = [v128; 4];

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([f32x4_splat(x); 4])
    }
    #[inline(always)]
    fn load(from: &Lanes) -> Self {
        let from: *const v128 = from.0.as_ptr().cast();
        // SAFETY: sixteen floats.
        Self(std::array::from_fn(|quarter| unsafe { v128_load(from.add(quarter)) }))
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        let to: *mut v128 = to.0.as_mut_ptr().cast();
        for quarter in 0..4 {
            // SAFETY: sixteen floats.
            unsafe { v128_store(to.add(quarter), self.0[quarter]) };
        }
    }
    #[inline(always)]
    fn broadcast_fourth(self) -> Self {
        Self(self.0.map(|quarter| i32x4_shuffle::<3, 3, 3, 3>(quarter, quarter)))
    }
    #[inline(always)]
    fn turned(self) -> Self {
        Self(self.0.map(|quarter| i32x4_shuffle::<1, 2, 0, 3>(quarter, quarter)))
    }
    #[inline(always)]
    fn with_fourth_of(self, other: Self) -> Self {
        quarters!(fourth_from(self, other))
    }
    #[inline(always)]
    fn any_outside(self, low: Self, high: Self) -> bool {
        let inside =
            |i: usize| v128_and(f32x4_ge(self.0[i], low.0[i]), f32x4_le(self.0[i], high.0[i]));
        let [a, b, c, d] = std::array::from_fn(inside);
        !i32x4_all_true(v128_and(v128_and(a, b), v128_and(c, d)))
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        quarters!(f32x4_add(self, o))
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        quarters!(f32x4_sub(self, o))
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        quarters!(f32x4_mul(self, o))
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        quarters!(f32x4_div(self, o))
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        // The second unless the first is greater, as everywhere; `f32x4_max` keeps what is not a number.
        quarters!(f32x4_pmax(o, self))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        quarters!(f32x4_sqrt(self))
    }
    #[inline(always)]
    fn at_most(self, o: Self) -> Self::Mask {
        std::array::from_fn(|i| f32x4_le(self.0[i], o.0[i]))
    }
    #[inline(always)]
    fn same_bits(self, o: Self) -> Self::Mask {
        std::array::from_fn(|i| i32x4_eq(self.0[i], o.0[i]))
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|i| v128_and(a[i], b[i]))
    }
    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|i| v128_or(a[i], b[i]))
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u16 {
        (0..4).fold(0, |bits, i| bits | u16::from(i32x4_bitmask(mask[i])) << (4 * i))
    }
    #[inline(always)]
    unsafe fn gather(base: *const Lane4, index: *const u16) -> [Self; 3] {
        let mut out = [Self::zero(); 3];
        for quarter in 0..4 {
            // SAFETY: promised by the caller.
            let row = |lane| unsafe { v128_load(entry(base, index, 4 * quarter + lane).cast()) };
            let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
            let (xy01, xy23) =
                (i32x4_shuffle::<0, 4, 1, 5>(r0, r1), i32x4_shuffle::<0, 4, 1, 5>(r2, r3));
            let (z01, z23) =
                (i32x4_shuffle::<2, 6, 3, 7>(r0, r1), i32x4_shuffle::<2, 6, 3, 7>(r2, r3));
            out[0].0[quarter] = i32x4_shuffle::<0, 1, 4, 5>(xy01, xy23);
            out[1].0[quarter] = i32x4_shuffle::<2, 3, 6, 7>(xy01, xy23);
            out[2].0[quarter] = i32x4_shuffle::<0, 1, 4, 5>(z01, z23);
        }
        out
    }
    #[inline(always)]
    unsafe fn scatter_add(base: *mut Lane4, index: *const u16, [x, y, z]: [Self; 3]) {
        let mut rows = [x.0[0]; 16];
        for quarter in 0..4 {
            let (x, y, z) = (x.0[quarter], y.0[quarter], z.0[quarter]);
            let (xy01, xy23) =
                (i32x4_shuffle::<0, 4, 1, 5>(x, y), i32x4_shuffle::<2, 6, 3, 7>(x, y));
            rows[4 * quarter] = i32x4_shuffle::<0, 1, 4, 4>(xy01, z);
            rows[4 * quarter + 1] = i32x4_shuffle::<2, 3, 5, 5>(xy01, z);
            rows[4 * quarter + 2] = i32x4_shuffle::<0, 1, 6, 6>(xy23, z);
            rows[4 * quarter + 3] = i32x4_shuffle::<2, 3, 7, 7>(xy23, z);
        }
        for lane in SCATTER_ORDER {
            // SAFETY: promised by the caller.
            unsafe {
                let to: *mut v128 = entry(base, index, lane).cast_mut().cast();
                v128_store(to, f32x4_add(v128_load(to), rows[lane]));
            }
        }
    }
}

/// The fourth number of `b` with the first three of `a`.
#[inline(always)]
fn fourth_from(a: v128, b: v128) -> v128 {
    i32x4_shuffle::<0, 1, 2, 7>(a, b)
}
