//! Forces of springs and volumes.
//!
//! # Theory
//!
//! A body is a net of springs, and of tetrahedra that resist a change of their volume (Echtler
//! 2004, *mass-spring tetrahedra on the GPU*). Every edge carries one spring. Where several
//! tetrahedra share an edge, their springs are summed into one beforehand: the force is linear in
//! the stiffness k and in k·L0, so nothing is lost. A tetrahedron pushes its corners apart or
//! together in proportion to s = a·w − b, where w is six times its signed volume; what (a, b) mean
//! depends on the [`VolumeForm`].
//!
//! # Practice
//!
//! [`formula`] holds the forces of one element in either precision. [`forces_reference`] adds them
//! up in the plainest way. [`cpu`] is the fast driver: the same sums, regrouped into fans of
//! tetrahedra that run sixteen at a time. Its tests compare it with the reference in `f64`.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod fixed;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

use crate::math::{Real, Vec3};
use crate::stages::bending::{self, Hinge};

/// Which volume force a model uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VolumeForm {
    /// Gradient of `½ k_v (v − v0)²/v0`; conserves momentum. k_v in \[Pa\].
    #[default]
    Energy,
    /// `D_v (v − v0)` along the unit normals of the faces; D_v in \[N/m³\]. Kept to reproduce
    /// published figures: a free body may drift.
    Thesis,
}

/// Springs, tetrahedra and hinges as plain arrays.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    /// Corners of each tetrahedron.
    pub tets: &'a [[u32; 4]],
    /// Volume coefficients (a, b) of each tetrahedron, see [`formula`].
    pub volume: &'a [[f32; 2]],
    /// What the volume coefficients of each tetrahedron mean.
    pub forms: &'a [VolumeForm],
    /// Ends of each spring.
    pub springs: &'a [[u32; 2]],
    /// Stiffness k \[N/m\] and k·L0 \[N\] of each spring.
    pub spring: &'a [[f32; 2]],
    /// Damping κ_d \[N·s/m\] of each spring, if there is any.
    pub damping: Option<&'a [f32]>,
    /// Corners of each hinge.
    pub hinges: &'a [[u32; 4]],
    /// How each hinge resists bending.
    pub hinge: &'a [Hinge<f32>],
}

/// Adds the forces of all elements to `out` \[N\], in order, from positions `x` \[m\] and
/// velocities `v` \[m/s\]. `v` is read only if there is damping.
pub fn forces_reference<R: Real>(
    elements: &Elements,
    x: &[Vec3<R>],
    v: &[Vec3<R>],
    out: &mut [Vec3<R>],
) {
    let real = |c: f32| R::of(f64::from(c));
    for (n, (&[i, j], &[k, k_rest])) in elements.springs.iter().zip(elements.spring).enumerate() {
        let (i, j) = (i as usize, j as usize);
        let l = x[j] - x[i];
        let mut force = formula::spring_force(l, real(k), real(k_rest));
        if let Some(damping) = elements.damping {
            force += formula::spring_damping_force(l, v[j] - v[i], real(damping[n]));
        }
        out[i] += force;
        out[j] -= force;
    }
    for ((corners, &[a, b]), form) in elements.tets.iter().zip(elements.volume).zip(elements.forms)
    {
        let corners = corners.map(|c| c as usize);
        let x = corners.map(|c| x[c]);
        let forces = formula::volume_forces(x, real(a), real(b), *form);
        for (corner, force) in corners.into_iter().zip(forces) {
            out[corner] += force;
        }
    }
    bending::forces_reference(elements.hinges, elements.hinge, x, out);
}
