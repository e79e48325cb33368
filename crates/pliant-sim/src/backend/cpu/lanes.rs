//! Sixteen lanes: four vertices of x, y, z and a fourth number each.

use std::ops::{Add, Mul, Sub};

use crate::stages::integrate::Field;

/// Four vertices at once. Plain arrays: inside a function compiled for a wider instruction set the
/// loops over lanes become single instructions, and the results are the same everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; 16]);

impl Lanes {
    /// The same vector for all four vertices.
    pub fn vertex(v: [f32; 3], fourth: f32) -> Self {
        Self(std::array::from_fn(|i| if i % 4 == 3 { fourth } else { v[i % 4] }))
    }

    /// Each vertex's fourth number in all of its lanes.
    #[inline(always)]
    pub fn broadcast_fourth(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i | 3]))
    }

    /// The fourth numbers of `other`, everything else of `self`.
    #[inline(always)]
    pub fn with_fourth_of(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if i % 4 == 3 { other.0[i] } else { self.0[i] }))
    }

    /// Whether any lane is below `low`, above `high` or not a number.
    #[inline(always)]
    pub fn any_outside(self, low: Self, high: Self) -> bool {
        let mut inside = true;
        for i in 0..16 {
            inside &= (self.0[i] >= low.0[i]) & (self.0[i] <= high.0[i]);
        }
        !inside
    }
}

impl Field for Lanes {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x as f32; 16])
    }
}

macro_rules! lane_operator {
    ($($trait:ident $method:ident $op:tt),*) => { $(
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] $op o.0[i]))
            }
        }
    )* };
}
lane_operator!(Add add +, Sub sub -, Mul mul *);
