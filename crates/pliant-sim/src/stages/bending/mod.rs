//! Bending: how a surface resists being folded along its edges.
//!
//! # Theory
//!
//! Every inner edge of a triangle mesh is a *hinge* between two triangles. A thin sheet of flexural rigidity D \[N·m\]
//! (of an isotropic plate E t³/12(1 − ν²)) that is bent to a curvature κ without being stretched has the energy ½ D κ²
//! per area. With the area A of the two triangles of a hinge and the length |e| of its edge at rest, both forms add up
//! to that over all hinges:
//!
//! | form | energy of a hinge | for |
//! |---|---|---|
//! | dihedral | ½ D \|e\|²/A (θ − θ₀)², θ the angle between the triangles (Grinspun et al. 2003, *Discrete shells*) | any rest shape |
//! | quadratic | ½ D/A \|Σ k x\|² with weights k of cotangents (Bergou et al. 2006, *A quadratic bending model for inextensible surfaces*) | flat rest shapes |
//!
//! The sum of the quadratic form is |e| times the jump of the slope across the edge, so that both are the same where
//! the bend is slight. Its derivative is constant, which suits implicit steps; folded sharply it resists less.
//!
//! Whatever a hinge measures at rest is rounding. So that flat cloth at rest stays as it is bit by bit, what is smaller
//! than a few last digits ([`Hinge::slack`]) counts as nothing, and larger values begin there, without a jump.
//!
//! # Practice
//!
//! [`formula`] has one hinge. Bending joins the elastic stage: on processors a block adds the forces of its hinges
//! behind those of its springs (`cpu`); on devices each vertex gathers from the hinges in its list (`gpu`).

pub(crate) mod cpu;
#[cfg(test)]
mod elastica_tests;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

use crate::math::{Real, Vec3};

/// How a hinge resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By its angle.
    Dihedral,
    /// By the jump of its slope.
    Quadratic,
}

/// Corners of a hinge whose motion is coupled: all of them with each other.
pub const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The coefficients of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge<R> {
    /// What they mean.
    pub form: Form,
    /// Of the dihedral form D |e|²/A \[N·m\], of the quadratic one D/A \[N/m\].
    pub stiffness: R,
    /// What the measured value may differ from that at rest by rounding \[rad or m\]; above zero.
    pub slack: R,
    /// Of the dihedral form the least squared normals of its two triangles \[m⁴\], of the quadratic one the weights of
    /// corners 1, 2 and 3.
    pub shape: [R; 3],
    /// The value at rest: an angle \[rad\] and nothing, or a vector \[m\].
    pub rest: Vec3<R>,
}

impl Hinge<f64> {
    /// Rounded to single precision.
    pub fn rounded(&self) -> Hinge<f32> {
        Hinge {
            form: self.form,
            stiffness: self.stiffness as f32,
            slack: self.slack as f32,
            shape: self.shape.map(|s| s as f32),
            rest: Vec3::of(self.rest.to_f64()),
        }
    }
}

impl Hinge<f32> {
    /// In the precision that formulas are asked for.
    pub fn widened<R: Real>(&self) -> Hinge<R> {
        let real = |c: f32| R::of(f64::from(c));
        Hinge {
            form: self.form,
            stiffness: real(self.stiffness),
            slack: real(self.slack),
            shape: self.shape.map(real),
            rest: Vec3::of(self.rest.to_f64()),
        }
    }

    /// As devices keep it: stiffness and shape; the value at rest and the slack, negative for the dihedral form.
    pub fn words(&self) -> [[f32; 4]; 2] {
        let slack = match self.form {
            Form::Dihedral => -self.slack,
            Form::Quadratic => self.slack,
        };
        let ([a, b, c], [x, y, z]) = (self.shape, self.rest.into());
        [[self.stiffness, a, b, c], [x, y, z, slack]]
    }

    /// Whether single precision can hold it.
    pub fn is_finite(&self) -> bool {
        self.words().as_flattened().iter().all(|w| w.is_finite())
    }
}

/// Forces of all hinges are added to `out` \[N\], in order, from positions `x` \[m\].
pub fn forces_reference<R: Real>(
    hinges: &[[u32; 4]],
    hinge: &[Hinge<f32>],
    x: &[Vec3<R>],
    out: &mut [Vec3<R>],
) {
    for (corners, hinge) in hinges.iter().zip(hinge) {
        let corners = corners.map(|c| c as usize);
        let forces = formula::hinge_forces(corners.map(|c| x[c]), &hinge.widened());
        corners.into_iter().zip(forces).for_each(|(corner, force)| out[corner] += force);
    }
}
