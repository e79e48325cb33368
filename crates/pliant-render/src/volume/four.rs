//! Four numbers at once: what a step of a ray computes fits into a few of these.

use std::ops::{Add, Mul, Sub};

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Four numbers; on x86-64 in one register.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Four(__m128);

/// Four numbers.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Four([f32; 4]);

/// Four yes or no answers, as all or no bits of four numbers.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Mask([u32; 4]);

impl Mask {
    /// Yes for number `k` only; for none of them with 3, since three corners make a ring.
    pub const ONLY: [Mask; 4] = [
        Mask([u32::MAX, 0, 0, 0]),
        Mask([0, u32::MAX, 0, 0]),
        Mask([0, 0, u32::MAX, 0]),
        Mask([0, 0, 0, 0]),
    ];
}

impl From<[f32; 4]> for Four {
    #[inline(always)]
    fn from(four: [f32; 4]) -> Self {
        Self::load(&four)
    }
}

// Every x86-64 processor has SSE2.
#[cfg(target_arch = "x86_64")]
impl Four {
    #[inline(always)]
    pub fn load(four: &[f32; 4]) -> Self {
        // SAFETY: four numbers may be read, whatever their alignment.
        Self(unsafe { _mm_loadu_ps(four.as_ptr()) })
    }

    #[inline(always)]
    pub fn all(one: f32) -> Self {
        // SAFETY: SSE2 is there.
        Self(unsafe { _mm_set1_ps(one) })
    }

    #[inline(always)]
    pub fn array(self) -> [f32; 4] {
        let mut four = [0.0; 4];
        // SAFETY: four numbers may be written, whatever their alignment.
        unsafe { _mm_storeu_ps(four.as_mut_ptr(), self.0) };
        four
    }

    /// Those of `other` where the mask says yes.
    #[inline(always)]
    pub fn replaced(self, other: Self, by: &Mask) -> Self {
        // SAFETY: SSE2 is there, and a mask is 16 bytes at a multiple of 16.
        unsafe {
            let mask = _mm_load_ps(by.0.as_ptr().cast());
            Self(_mm_or_ps(_mm_and_ps(mask, other.0), _mm_andnot_ps(mask, self.0)))
        }
    }

    /// Numbers 1, 2, 0 of the first three.
    #[inline(always)]
    pub fn next(self) -> Self {
        // SAFETY: SSE2 is there.
        Self(unsafe { _mm_shuffle_ps::<0b11_00_10_01>(self.0, self.0) })
    }

    /// Numbers 2, 0, 1 of the first three, negated.
    #[inline(always)]
    pub fn previous_negated(self) -> Self {
        // SAFETY: SSE2 is there.
        unsafe {
            let turned = _mm_shuffle_ps::<0b11_01_00_10>(self.0, self.0);
            Self(_mm_xor_ps(turned, _mm_set1_ps(-0.0)))
        }
    }

    /// The sign bits of the first three: bit k is set where number k is below zero.
    #[inline(always)]
    pub fn signs(self) -> u32 {
        // SAFETY: SSE2 is there.
        (unsafe { _mm_movemask_ps(self.0) }) as u32 & 7
    }

    /// Which of the first three are zero.
    #[inline(always)]
    pub fn zeros(self) -> u32 {
        // SAFETY: SSE2 is there.
        (unsafe { _mm_movemask_ps(_mm_cmpeq_ps(self.0, _mm_setzero_ps())) }) as u32 & 7
    }

    /// The sum of the first three.
    #[inline(always)]
    pub fn sum3(self) -> f32 {
        // SAFETY: SSE2 is there.
        unsafe {
            let second = _mm_shuffle_ps::<0b01_01_01_01>(self.0, self.0);
            let third = _mm_movehl_ps(self.0, self.0);
            _mm_cvtss_f32(_mm_add_ss(_mm_add_ss(self.0, second), third))
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Four {
    #[inline(always)]
    pub fn load(four: &[f32; 4]) -> Self {
        Self(*four)
    }

    #[inline(always)]
    pub fn all(one: f32) -> Self {
        Self([one; 4])
    }

    #[inline(always)]
    pub fn array(self) -> [f32; 4] {
        self.0
    }

    /// Those of `other` where the mask says yes.
    #[inline(always)]
    pub fn replaced(self, other: Self, by: &Mask) -> Self {
        Self(std::array::from_fn(|k| if by.0[k] != 0 { other.0[k] } else { self.0[k] }))
    }

    /// Numbers 1, 2, 0 of the first three.
    #[inline(always)]
    pub fn next(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([b, c, a, d])
    }

    /// Numbers 2, 0, 1 of the first three, negated.
    #[inline(always)]
    pub fn previous_negated(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([-c, -a, -b, -d])
    }

    /// The sign bits of the first three: bit k is set where number k is below zero.
    #[inline(always)]
    pub fn signs(self) -> u32 {
        let sign = |k: usize| self.0[k].to_bits() >> 31 << k;
        sign(0) | sign(1) | sign(2)
    }

    /// Which of the first three are zero.
    #[inline(always)]
    pub fn zeros(self) -> u32 {
        let zero = |k: usize| u32::from(self.0[k] == 0.0) << k;
        zero(0) | zero(1) | zero(2)
    }

    /// The sum of the first three.
    #[inline(always)]
    pub fn sum3(self) -> f32 {
        self.0[0] + self.0[1] + self.0[2]
    }
}

impl Four {
    /// The number at one place.
    #[inline(always)]
    pub fn at<const K: usize>(self) -> f32 {
        self.array()[K]
    }
}

macro_rules! operator {
    ($trait:ident, $name:ident, $op:tt, $intrinsic:ident) => {
        impl $trait for Four {
            type Output = Self;
            #[inline(always)]
            fn $name(self, o: Self) -> Self {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: SSE2 is there.
                let result = unsafe { $intrinsic(self.0, o.0) };
                #[cfg(not(target_arch = "x86_64"))]
                let result = std::array::from_fn(|k| self.0[k] $op o.0[k]);
                Self(result)
            }
        }
    };
}

operator!(Add, add, +, _mm_add_ps);
operator!(Sub, sub, -, _mm_sub_ps);
operator!(Mul, mul, *, _mm_mul_ps);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_numbers_at_once_are_four_numbers() {
        let (a, b) = (Four::from([1.0, -2.0, 3.0, 9.0]), Four::from([4.0, 0.0, -6.0, 9.0]));
        assert_eq!((a + b).array(), [5.0, -2.0, -3.0, 18.0]);
        assert_eq!((a - b).array(), [-3.0, -2.0, 9.0, 0.0]);
        assert_eq!((a * b).array(), [4.0, -0.0, -18.0, 81.0]);
        assert_eq!(a.next().array()[..3], [-2.0, 3.0, 1.0]);
        assert_eq!(a.previous_negated().array()[..3], [-3.0, -1.0, 2.0]);
        assert_eq!((a.signs(), b.signs(), b.zeros()), (0b010, 0b100, 0b010));
        assert_eq!(a.sum3(), 2.0);
        assert_eq!((a.at::<2>(), Four::all(7.0).array()), (3.0, [7.0; 4]));
        assert_eq!(a.replaced(b, &Mask::ONLY[1]).array(), [1.0, 0.0, 3.0, 9.0]);
        assert_eq!(a.replaced(b, &Mask::ONLY[3]).array(), a.array());
    }
}
