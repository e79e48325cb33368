//! NEON, four quarters.

use super::{Lane4, Lanes, Lanes16, SCATTER_ORDER, entry};
use std::arch::aarch64::*;

#[derive(Clone, Copy)]
pub(crate) struct Neon([float32x4_t; 4]);

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
    type Mask = [uint32x4_t; 4];

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
    fn store(self, to: &mut Lanes) {
        let to = to.0.as_mut_ptr();
        for quarter in 0..4 {
            // SAFETY: sixteen floats.
            unsafe { vst1q_f32(to.add(4 * quarter), self.0[quarter]) };
        }
    }
    #[inline(always)]
    fn broadcast_fourth(self) -> Self {
        // SAFETY: every aarch64 processor that Rust supports has NEON.
        Self(self.0.map(|quarter| unsafe { vdupq_laneq_f32::<3>(quarter) }))
    }
    #[inline(always)]
    fn turned(self) -> Self {
        Self(self.0.map(|a| {
            // SAFETY: every aarch64 processor that Rust supports has NEON.
            unsafe {
                let yzwx = vextq_f32::<1>(a, a);
                vcopyq_laneq_f32::<3, 3>(vcopyq_laneq_f32::<2, 0>(yzwx, a), a)
            }
        }))
    }
    #[inline(always)]
    fn with_fourth_of(self, other: Self) -> Self {
        // SAFETY: every aarch64 processor that Rust supports has NEON.
        let copy = |i: usize| unsafe { vcopyq_laneq_f32::<3, 3>(self.0[i], other.0[i]) };
        Self(std::array::from_fn(copy))
    }
    #[inline(always)]
    fn any_outside(self, low: Self, high: Self) -> bool {
        // SAFETY: every aarch64 processor that Rust supports has NEON.
        let inside = |i: usize| unsafe {
            let above = vcgeq_f32(self.0[i], low.0[i]);
            vminvq_u32(vandq_u32(above, vcleq_f32(self.0[i], high.0[i]))) != 0
        };
        !(0..4).all(inside)
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
    fn at_most(self, o: Self) -> Self::Mask {
        // SAFETY: every aarch64 processor that Rust supports has NEON.
        std::array::from_fn(|i| unsafe { vcleq_f32(self.0[i], o.0[i]) })
    }
    #[inline(always)]
    fn same_bits(self, o: Self) -> Self::Mask {
        // SAFETY: every aarch64 processor that Rust supports has NEON.
        std::array::from_fn(|i| unsafe {
            vceqq_u32(vreinterpretq_u32_f32(self.0[i]), vreinterpretq_u32_f32(o.0[i]))
        })
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        // SAFETY: every aarch64 processor that Rust supports has NEON.
        std::array::from_fn(|i| unsafe { vandq_u32(a[i], b[i]) })
    }
    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        // SAFETY: every aarch64 processor that Rust supports has NEON.
        std::array::from_fn(|i| unsafe { vorrq_u32(a[i], b[i]) })
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u16 {
        const WEIGHTS: [u32; 4] = [1, 2, 4, 8];
        (0..4).fold(0, |bits, i| {
            // SAFETY: four numbers; every aarch64 processor that Rust supports has NEON.
            let quarter = unsafe { vaddvq_u32(vandq_u32(mask[i], vld1q_u32(WEIGHTS.as_ptr()))) };
            bits | (quarter as u16) << (4 * i)
        })
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
