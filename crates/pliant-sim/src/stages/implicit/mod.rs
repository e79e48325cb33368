//! Large steps: implicit Euler, solved by conjugate gradients.
//!
//! # Theory
//!
//! Explicit schemes fail when a step is longer than the stiffest spring's swing. Implicit Euler asks
//! for velocities at which the forces at the *end* of the step explain the change of momentum, and
//! is stable at any length. With the forces linearised about the start of the step, the change Δv
//! solves (Baraff & Witkin 1998, *Large steps in cloth simulation*, section 3; Tejada & Ertl 2005
//! multiply by M⁻¹, which destroys the symmetry that conjugate gradients need)
//!
//! > (M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f + h ∂f/∂x v)
//!
//! The matrix is symmetric, and is made positive definite by leaving out of each element's derivative
//! what is negative ([`formula`]): then the method of conjugate gradients finds Δv, and there is
//! always exactly one. Vertices that may not move are filtered out of every vector.
//!
//! # Practice
//!
//! [`formula`] holds the derivatives of one element, [`contact`] what walls do to one vertex,
//! [`mod@reference`] the system in its plainest form, `cpu` the fast driver, `gpu` that of devices. [`SolverReport`] is what it reports.

pub mod contact;
#[cfg(test)]
mod contact_tests;
pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(all(test, feature = "gpu"))]
mod gpu_tests;
#[cfg(all(test, feature = "gpu"))]
mod mixed_tests;
#[cfg(all(test, feature = "gpu"))]
mod obstacle_tests;
#[cfg(feature = "gpu")]
pub mod pairs;
pub mod planes;
pub mod reference;
pub mod row;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::scene::Implicit;

/// How many times the tolerance a residual is at least to be called far above it.
const FAR: f64 = 10.0;

/// How the search for a solution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Within the tolerance.
    Converged,
    /// Above it, with nothing more to gain.
    Limited,
    /// Above it, at the largest number of iterations or with something that is not a number.
    GivenUp,
}

/// The report of the solver of implicit steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SolverReport {
    /// Linear systems.
    pub systems: u64,
    /// Iterations of all of them together.
    pub iterations: u64,
    /// Iterations of the last one.
    pub last_iterations: u32,
    /// True residual ‖b − A x‖/‖b‖ of the last one.
    pub residual: f64,
    /// The largest residual of all.
    pub worst_residual: f64,
    /// Systems that were given up at the largest number of iterations, with a residual above the
    /// tolerance.
    pub unconverged: u64,
    /// Systems whose residual is above the tolerance, where numbers of single precision allowed no more:
    /// the stiffer a body, the more digits its velocities would need. Residuals far above the tolerance,
    /// even above 1, mean that the motion may be wrong.
    pub limited: u64,
    /// What Newton's iterations left of the imbalance of forces in the last step; 0 without them.
    pub imbalance: f64,
    /// Steps in which that stayed above its tolerance.
    pub unbalanced: u64,
    /// Substeps that could not be taken in one go, since bodies would have gained energy or been turned
    /// inside out, and were taken in shorter ones.
    pub shortened: u64,
    /// Into how many the worst of them was divided.
    pub most_parts: u32,
    /// Substeps that even the shortest steps could not follow.
    pub forced: u64,
}

impl SolverReport {
    /// One system.
    pub fn one(iterations: u32, residual: f64, end: End) -> Self {
        Self {
            systems: 1,
            iterations: u64::from(iterations),
            last_iterations: iterations,
            residual,
            worst_residual: residual,
            unconverged: u64::from(end == End::GivenUp),
            limited: u64::from(end == End::Limited),
            ..Self::default()
        }
    }

    /// The end of Newton's iterations.
    pub fn balanced(imbalance: f64, converged: bool) -> Self {
        Self { imbalance, unbalanced: u64::from(!converged), ..Self::default() }
    }

    /// A substep that was taken in shorter ones; `is_forced` if these were not short enough either.
    pub fn shortened(parts: u32, is_forced: bool) -> Self {
        Self { shortened: 1, most_parts: parts, forced: u64::from(is_forced), ..Self::default() }
    }

    /// Iterations of one system, on average.
    pub fn mean_iterations(&self) -> f64 {
        self.iterations as f64 / self.systems.max(1) as f64
    }

    /// Systems that single precision kept from the tolerance if residuals are far above it, so that
    /// motion may be wrong; 0 if they are near it. Newton's iterations correct what one system
    /// leaves, and report the imbalance of forces instead.
    pub fn coarse(&self, settings: &Implicit) -> u64 {
        let is_far = self.worst_residual > FAR * settings.tolerance;
        if is_far && settings.newton_iterations <= 1 { self.limited } else { 0 }
    }

    /// Adds what came later.
    pub fn add(&mut self, later: &Self) {
        self.unbalanced += later.unbalanced;
        self.shortened += later.shortened;
        self.most_parts = self.most_parts.max(later.most_parts);
        self.forced += later.forced;
        if later.shortened == 0 {
            self.imbalance = later.imbalance;
        }
        if later.systems == 0 {
            return;
        }
        self.systems += later.systems;
        self.iterations += later.iterations;
        self.last_iterations = later.last_iterations;
        self.residual = later.residual;
        self.worst_residual = self.worst_residual.max(later.worst_residual);
        self.unconverged += later.unconverged;
        self.limited += later.limited;
    }
}
