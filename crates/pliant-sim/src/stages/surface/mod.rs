//! Normals and colours of the visible surface, as output.
//!
//! # Theory
//!
//! The normal of a vertex is the sum of the area vectors ½ (b − a) × (c − a) of all triangles at it,
//! made a unit vector: large triangles count more, slivers next to nothing. (Echtler 2004 averages
//! two incident triangles to save passes.) A triangle without area adds nothing, and a vertex whose
//! area vectors are nothing in sum has no normal: the null vector.
//!
//! Its colour shows the net force F on it, from grey to red: lerp(grey, red, min(|F|/F_ref, 1))
//! (Echtler 2004).
//!
//! # Practice
//!
//! [`vertex_normals`] scatters from triangles to vertices. On a device every vertex gathers from a
//! list of its triangles (`normals.wgsl`), in the same order; what comes out stays there for a
//! renderer, and is copied back only when somebody asks.

#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

use crate::math::{Real, Vec3};

/// Colour of a vertex without force: red, green, blue and opacity.
pub const GREY: [f32; 4] = [0.6, 0.6, 0.6, 1.0];

/// Colour of a vertex with the reference force, or a larger one.
pub const RED: [f32; 4] = [0.9, 0.05, 0.05, 1.0];

/// Vectors whose components are all below this have no direction \[m²\].
pub const NO_AREA: f64 = 1e-30;

/// Rounding of a normal on a device, relative to Σ |area vectors| / |their sum|: the differences, the
/// cross product and a sum of some ten triangles, each operation good to 2⁻²⁴ of coordinates that
/// are several edges long.
pub const NORMAL_TOLERANCE: f64 = 64.0 / (1u64 << 24) as f64;

/// Twice the area vector of a triangle \[m²\].
pub fn double_area<R: Real>([a, b, c]: [Vec3<R>; 3]) -> Vec3<R> {
    (b - a).cross(c - a)
}

/// The direction of a vector, null for one that has none.
pub fn unit<R: Real>(n: Vec3<R>) -> Vec3<R> {
    let largest = n.x.abs().max(n.y.abs()).max(n.z.abs());
    if largest <= R::of(NO_AREA) {
        return Vec3::zero();
    }
    // Scaled first: squares of small areas would be zero.
    let n = n * (R::of(1.0) / largest);
    n * (R::of(1.0) / n.length())
}

/// Unit normals of all vertices; null where there is no triangle.
pub fn vertex_normals<R: Real>(x: &[Vec3<R>], triangles: &[[u32; 3]]) -> Vec<Vec3<R>> {
    let mut sums = vec![Vec3::zero(); x.len()];
    for triangle in triangles {
        let corners = triangle.map(|v| v as usize);
        let area = double_area(corners.map(|v| x[v]));
        corners.into_iter().for_each(|v| sums[v] += area);
    }
    sums.into_iter().map(unit).collect()
}

/// A reference force that can be divided by. One that is not a positive number makes every force
/// red.
pub fn usable_reference(reference: f64) -> f32 {
    // `max` takes the other one for a NaN.
    (reference as f32).max(f32::MIN_POSITIVE)
}

/// Colour of a vertex with net force `force` \[N\].
pub fn force_colour(force: [f32; 3], reference: f32) -> [f32; 4] {
    let t = (Vec3::from(force).length() / reference).min(1.0);
    // Exact at both ends.
    std::array::from_fn(|k| (1.0 - t) * GREY[k] + t * RED[k])
}
