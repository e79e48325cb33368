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
//! [`formula`] holds the derivatives of one element, [`reference`] the system in its plainest form.

pub mod formula;
pub mod reference;
#[cfg(test)]
mod tests;
