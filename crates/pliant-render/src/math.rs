//! Three-vectors in both precisions: cameras are `f64`, vertices `f32`.

use std::ops::{Add, Mul, Neg, Sub};

/// Three coordinates, or a colour in linear light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vec3<T> {
    pub x: T,
    pub y: T,
    pub z: T,
}

/// Coordinates of vertices and colours.
pub(crate) type Vec3f = Vec3<f32>;
/// Coordinates of cameras.
pub(crate) type Vec3d = Vec3<f64>;

pub(crate) const fn vec3<T>(x: T, y: T, z: T) -> Vec3<T> {
    Vec3 { x, y, z }
}

impl<T: Copy> From<[T; 3]> for Vec3<T> {
    fn from([x, y, z]: [T; 3]) -> Self {
        Self { x, y, z }
    }
}

impl<T> From<Vec3<T>> for [T; 3] {
    fn from(v: Vec3<T>) -> Self {
        [v.x, v.y, v.z]
    }
}

impl<T: Add<Output = T>> Add for Vec3<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        vec3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<T: Sub<Output = T>> Sub for Vec3<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        vec3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<T: Neg<Output = T>> Neg for Vec3<T> {
    type Output = Self;
    fn neg(self) -> Self {
        vec3(-self.x, -self.y, -self.z)
    }
}

impl<T: Copy + Mul<Output = T>> Mul<T> for Vec3<T> {
    type Output = Self;
    fn mul(self, s: T) -> Self {
        vec3(self.x * s, self.y * s, self.z * s)
    }
}

impl<T: Copy + Mul<Output = T> + Add<Output = T> + Sub<Output = T>> Vec3<T> {
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    pub fn cross(self, o: Self) -> Self {
        vec3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// Multiplies coordinate by coordinate: light that a colour reflects.
    pub fn times(self, o: Self) -> Self {
        vec3(self.x * o.x, self.y * o.y, self.z * o.z)
    }

    /// `self` at `t = 0`, `o` at `t = 1`.
    pub fn mix(self, o: Self, t: T) -> Self {
        self + (o - self) * t
    }
}

macro_rules! lengths {
    ($t:ty) => {
        impl Vec3<$t> {
            pub fn length(self) -> $t {
                self.dot(self).sqrt()
            }

            /// The unit vector, or `fallback` where there is no direction.
            pub fn unit_or(self, fallback: Self) -> Self {
                let length = self.length();
                if length > 0.0 && length.is_finite() { self * (1.0 / length) } else { fallback }
            }

            pub fn is_finite(self) -> bool {
                self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
            }
        }
    };
}
lengths!(f32);
lengths!(f64);

impl Vec3d {
    pub fn to_f32(self) -> Vec3f {
        vec3(self.x as f32, self.y as f32, self.z as f32)
    }
}

impl Vec3f {
    pub fn to_f64(self) -> Vec3d {
        vec3(self.x.into(), self.y.into(), self.z.into())
    }
}

/// 0 up to `from`, 1 beyond `to`, with a smooth step between.
pub(crate) fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
