//! Numbers and vectors that work in both precisions.
//!
//! The formulas of all stages are generic over [`Real`]: the backends run them in `f32`, tests and
//! measurements in `f64`.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `f32` or `f64`.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Send
    + Sync
    + 'static
{
    /// Rounds a constant to this precision.
    fn of(x: f64) -> Self;
    /// The value in double precision.
    fn to_f64(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The angle of the point (`x`, `self`), from −π to π \[rad\].
    fn atan2(self, x: Self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The larger of the two; a NaN in `self` gives `other`.
    fn max(self, other: Self) -> Self;
    /// The smaller of the two; a NaN in `self` gives `other`.
    fn min(self, other: Self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

macro_rules! real {
    ($($type:ident by $angle:path),*) => { $(
        impl Real for $type {
            fn of(x: f64) -> Self {
                x as $type
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn atan2(self, x: Self) -> Self {
                $angle(self, x)
            }
            fn abs(self) -> Self {
                self.abs()
            }
            fn max(self, other: Self) -> Self {
                self.max(other)
            }
            fn min(self, other: Self) -> Self {
                self.min(other)
            }
            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }
    )* };
}
real!(f32 by arc_tangent, f64 by f64::atan2);

/// The angle of a point (x, y) in single precision, to a few last digits and with the same bits on every machine, which
/// libraries do not promise. (Polynomial of the Cephes library, Moshier 1989; twin in bending/formula.wgsl.)
fn arc_tangent(y: f32, x: f32) -> f32 {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let (low, high) = (x.abs().min(y.abs()), x.abs().max(y.abs()));
    let ratio = low / high.max(1e-36);
    // Above tan(π/8) the angle from the diagonal is found.
    let is_steep = ratio > 0.414_213_56;
    let t = if is_steep { (ratio - 1.0) / (ratio + 1.0) } else { ratio };
    let s = t * t;
    let series = ((8.053_744_5e-2 * s - 1.387_768_6e-1) * s + 1.997_771_1e-1) * s - 3.333_295e-1;
    let mut angle = (series * s * t + t) + if is_steep { FRAC_PI_4 } else { 0.0 };
    angle = if y.abs() > x.abs() { FRAC_PI_2 - angle } else { angle };
    angle = if x < 0.0 { PI - angle } else { angle };
    if y < 0.0 { -angle } else { angle }
}

/// A vector of three numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<R> {
    /// First component.
    pub x: R,
    /// Second component.
    pub y: R,
    /// Third component.
    pub z: R,
}

/// Shorthand for a [`Vec3`].
pub fn vec3<R>(x: R, y: R, z: R) -> Vec3<R> {
    Vec3 { x, y, z }
}

impl<R: Real> Vec3<R> {
    /// The null vector.
    pub fn zero() -> Self {
        Self::default()
    }

    /// From an array of doubles, rounded.
    pub fn of(a: [f64; 3]) -> Self {
        vec3(R::of(a[0]), R::of(a[1]), R::of(a[2]))
    }

    /// As an array of doubles.
    pub fn to_f64(self) -> [f64; 3] {
        [self.x.to_f64(), self.y.to_f64(), self.z.to_f64()]
    }

    /// Scalar product.
    pub fn dot(self, o: Self) -> R {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Vector product.
    pub fn cross(self, o: Self) -> Self {
        vec3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// Length.
    pub fn length(self) -> R {
        self.dot(self).sqrt()
    }

    /// Component by component.
    pub fn map(self, f: impl Fn(R) -> R) -> Self {
        vec3(f(self.x), f(self.y), f(self.z))
    }

    /// All components finite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl<R> From<[R; 3]> for Vec3<R> {
    fn from([x, y, z]: [R; 3]) -> Self {
        vec3(x, y, z)
    }
}

impl<R> From<Vec3<R>> for [R; 3] {
    fn from(v: Vec3<R>) -> Self {
        [v.x, v.y, v.z]
    }
}

impl<R: Real> Add for Vec3<R> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        vec3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<R: Real> Sub for Vec3<R> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        vec3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<R: Real> Neg for Vec3<R> {
    type Output = Self;
    fn neg(self) -> Self {
        self.map(|c| -c)
    }
}

impl<R: Real> Mul<R> for Vec3<R> {
    type Output = Self;
    fn mul(self, s: R) -> Self {
        self.map(|c| c * s)
    }
}

impl<R: Real> AddAssign for Vec3<R> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<R: Real> SubAssign for Vec3<R> {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
