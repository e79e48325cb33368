//! The fast driver for processors.
//!
//! # Theory
//!
//! The blocks of the elastic stage keep their pair blocks ([`matrix`]), and a product with the matrix
//! is a sum of the blocks' products. Every block has its own copies of the vertices at its border, so
//! an iteration of conjugate gradients takes two passes: in the first, each block moves its search
//! direction on, in its own vertices and in the copies alike, multiplies, and sums p·Ap over all of
//! them; in the second, it collects what others computed for its vertices, and updates unknowns and residual. Scalars
//! are kept by block and summed in the order of blocks, in `f64`, by the thread that leads and decides:
//! any number of threads gives the same bits, whoever does a block.
//!
//! The residual that the iterations carry along drifts from the true one, since numbers are `f32`.
//! When it says that the end is reached, the true one is computed, and the search goes on from there
//! if it is still too large: what is reported is always the true one.
//!
//! # Practice
//!
//! [`matrix`] lays out and `linearise` fills in, `kernel` multiplies, `vectors` does the rest of an
//! iteration, `begin` and `finish` lead from a state to a system and back, `contact` finds what walls
//! hold, `obstacles` what colliders and walls hold where there are any, `pairs` what bodies do to each
//! other, `seams` what is sewn together, `search` solves a system, `momentum` corrects what that missed, `inspect` accepts or refuses the
//! step, [`solve`] runs it all, and `newton` runs it several times.

mod begin;
mod contact;
mod finish;
mod inspect;
mod kernel;
mod linearise;
pub(crate) mod matrix;
mod momentum;
mod newton;
mod obstacles;
mod pairs;
mod seams;
mod search;
pub(crate) mod solve;
#[cfg(test)]
mod tests;
mod vectors;

pub(crate) use solve::{Solver, SolverJob};
