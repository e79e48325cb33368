//! Yielding: springs stretched or squeezed too far take their present length as their new rest
//! length (Echtler 2004, "Plasticity").
//!
//! A spring of a tetrahedron yields when its force exceeds rest length × hardness × plasticity, that
//! is when |l − r| > plasticity · r, whatever its hardness. Its rest length becomes its present
//! length, and the rest volume of its tetrahedron the present volume. The test looks at the springs
//! of each tetrahedron; the merged spring of an edge afterwards takes their hardness-weighted mean.

mod around;
pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

use crate::math::{Real, Vec3};

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
        let [a, b, c] = [1, 2, 3].map(|i| corners[i] - corners[0]);
        let volume6 = a.cross(b).dot(c);
        // A tetrahedron that is squashed flat or inverted for a moment must not want to stay so.
        if volume6 > R::of(0.01) * rest.volume6 {
            rest.volume6 = volume6;
        }
    }
    any
}

/// Coefficients of a volume force whose rest volume has changed, from those the scene began with:
/// the hardness a stays, the rest value b = a · 6 v₀ follows.
pub fn volume_coefficients<R: Real>([a, _]: [R; 2], rest6: R) -> [R; 2] {
    [a, a * rest6]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec3;

    fn unit() -> ([Vec3<f64>; 4], RestShape<f64>) {
        let corners =
            [vec3(0.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
        let d = 2.0f64.sqrt();
        (corners, RestShape { lengths: [1.0, 1.0, 1.0, d, d, d], volume6: 1.0 })
    }

    #[test]
    fn below_the_limit_nothing_yields() {
        let (mut corners, mut rest) = unit();
        corners[1].x = 1.04;
        let before = rest;
        assert!(!yield_springs(corners, 0.05, &mut rest));
        assert_eq!(rest, before);
    }

    #[test]
    fn a_spring_beyond_the_limit_keeps_its_length_and_the_volume_follows() {
        let (mut corners, mut rest) = unit();
        corners[1].x = 1.2;
        assert!(yield_springs(corners, 0.15, &mut rest));
        assert_eq!(rest.lengths[0], 1.2);
        // The diagonals grew by 10 % only.
        assert_eq!(rest.lengths[3], 2.0f64.sqrt());
        assert!((rest.volume6 - 1.2).abs() < 1e-12);
    }

    #[test]
    fn an_inverted_tetrahedron_keeps_its_rest_volume() {
        let (mut corners, mut rest) = unit();
        corners[3].z = -1.5;
        assert!(yield_springs(corners, 0.1, &mut rest));
        assert_eq!(rest.volume6, 1.0);
    }
}
