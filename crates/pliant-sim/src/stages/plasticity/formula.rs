//! Yielding, one tetrahedron at a time.

use crate::math::{Real, Vec3};
use crate::stages::elastic::formula::six_volumes;

/// What a tetrahedron returns to: it starts as its shape in the scene and changes by yielding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestShape<R> {
    /// Rest lengths of its springs, in the order of the edge table \[m\].
    pub lengths: [R; 6],
    /// Six times its rest volume \[m³\].
    pub volume6: R,
}

/// Tests the six springs of a tetrahedron at `corners` and lets those that yield; says whether any
/// did.
pub fn yield_springs<R: Real>(
    corners: [Vec3<R>; 4],
    plasticity: R,
    rest: &mut RestShape<R>,
) -> bool {
    let mut any = false;
    for (k, [a, b]) in pliant_mesh::topology::TET_EDGES.into_iter().enumerate() {
        let length = (corners[b] - corners[a]).length();
        if (length - rest.lengths[k]).abs() > plasticity * rest.lengths[k] {
            rest.lengths[k] = length;
            any = true;
        }
    }
    if any {
        let volume6 = six_volumes(corners);
        // A tetrahedron that is squashed flat or inverted for a moment must not want to stay so.
        if volume6 > R::of(0.01) * rest.volume6 {
            rest.volume6 = volume6;
        }
    }
    any
}

/// Coefficients of a volume force whose rest volume has changed, from those the scene began with:
/// the stiffness a stays, the rest value b = a · 6 v₀ follows.
pub fn volume_coefficients<R: Real>([a, _]: [R; 2], rest6: R) -> [R; 2] {
    [a, a * rest6]
}
