//! What a vertex of a skin has from its four corners.

use crate::math::{Real, Vec3};

/// Where it is, if a tetrahedron carries it \[m\].
pub fn carried<R: Real>(corners: [Vec3<R>; 4], weights: [R; 3]) -> Vec3<R> {
    let [a, b, c, d] = corners;
    a + (b - a) * weights[0] + (c - a) * weights[1] + (d - a) * weights[2]
}

/// Where it is, if a triangle carries it: in its plane and above it \[m\].
pub fn carried_above<R: Real>(corners: [Vec3<R>; 3], weights: [R; 3]) -> Vec3<R> {
    let [a, b, c] = corners;
    let area = (b - a).cross(c - a);
    let size = area.length();
    // A triangle without an area has no side.
    let height = if size > R::of(0.0) { weights[2] / size } else { R::of(0.0) };
    a + (b - a) * weights[0] + (c - a) * weights[1] + area * height
}

/// A number that vertices have, within those of the corners.
pub fn carried_value<R: Real>(values: [R; 4], weights: [R; 3]) -> R {
    let [a, b, c, d] = values;
    let least = a.min(b).min(c.min(d));
    let most = a.max(b).max(c.max(d));
    let sum = a + (b - a) * weights[0] + (c - a) * weights[1] + (d - a) * weights[2];
    sum.max(least).min(most)
}
