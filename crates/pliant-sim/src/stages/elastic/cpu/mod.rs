//! The fast driver for processors.
//!
//! # Theory
//!
//! The arithmetic of a tetrahedron is cheap next to fetching its corners and adding the forces
//! back. So elements are regrouped to share what is fetched:
//!
//! - A *fan* is k tetrahedra round an edge (a, b): their other corners form a chain r0 … rk, or a
//!   ring. One fan touches k + 3 (ring: k + 2) vertices instead of 4k.
//! - With e_i = r_i − a, eb = b − a, c_i = eb × e_i and d_i = e_i × e_{i+1}, tetrahedron i has
//!   w = eb·d_i, and its gradients are d_i at b, −c_{i+1} at r_i, c_i at r_{i+1}: each product
//!   serves two tetrahedra. The force on a is minus the sum of all others in the fan.
//! - The springs a–b, a–r_i, b–r_i and r_i–r_{i+1} have their ends at hand: each spring of the
//!   mesh is computed in one of the fans that contain it. What is left over, and all springs of
//!   surfaces, runs as *stars*: fans without b and without volumes.
//! - Sixteen fans of equal length run side by side, one per lane of a vector register.
//!
//! # Practice
//!
//! [`Layout::build`] turns the blocks of a model ([`crate::model::partition`]) into one program
//! per block, which works on the slots of the block (`stages/cpu/slots.rs`). A step is: for all
//! blocks [`Layout::element_forces`]; a barrier; for all blocks what comes in from the others and the
//! integration of the owned slots; a barrier. Blocks can run on any thread in any order: each sum has
//! one fixed order.
//!
//! `fans` finds the fans, `stars` places the springs, `program` writes both down, `exact_rest` makes
//! their rest exact, `kernel` runs them with the instructions of [`crate::simd`].

mod exact_rest;
pub(crate) mod fans;
mod kernel;
mod layout;
pub(crate) mod program;
pub(crate) mod stars;
#[cfg(test)]
mod tests;

pub use crate::simd::{Lane4, Level};
pub use layout::{BlockProgram, ElasticInput, Layout};
