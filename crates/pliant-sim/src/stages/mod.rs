//! The stages of a step, one folder each. What their drivers share is in `cpu` and `gpu`: where vertices
//! lie, the arrays, and the parameters of kernels.
//!
//! Stages know nothing of the backends, which run them; `crate::backend` has a test that reads it.

pub mod air;
pub mod bending;
pub mod colliders;
pub mod contact;
pub(crate) mod cpu;
#[cfg(test)]
pub(crate) mod drill;
pub mod elastic;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod implicit;
pub mod integrate;
pub mod measure;
pub mod pins;
pub mod plasticity;
pub mod seams;
pub mod shapes;
pub mod skin;
pub mod strain;
pub mod stress;
#[cfg(test)]
mod tether;
pub mod touch;
#[cfg(test)]
mod twins;
pub mod walls;
