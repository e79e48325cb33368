//! Yielding: springs stretched or squeezed too far take their present length as their new rest
//! length (Echtler 2004, "Plasticity").
//!
//! A spring of a tetrahedron yields when its force exceeds rest length × stiffness × plasticity, that
//! is when |l − r| > plasticity · r, whatever its stiffness. Its rest length becomes its present
//! length, and the rest volume of its tetrahedron the present volume. The test looks at the springs
//! of each tetrahedron; the merged spring of an edge afterwards takes their stiffness-weighted mean.

mod around;
pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;

pub use formula::RestShape;

#[cfg(test)]
mod tests {
    use super::formula::*;
    use crate::math::{Vec3, vec3};

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
