//! Pliant's simulation: scenes become models, models are stepped.

pub mod backend;
pub mod checkpoint;
pub mod contact;
pub mod math;
pub mod matrix;
pub mod memory;
pub mod model;
mod pool;
pub mod report;
pub mod scene;
pub mod simd;
mod simulator;
pub mod stability;
pub mod stages;
mod state;
pub mod step;

pub use model::{BuildError, Model};
pub use report::{Energy, StepReport};
pub use scene::Scene;
pub use simulator::{Backend, Diverged, Simulator, at_once};
pub use stages::contact::{ContactReport, PairForce, Touching};
pub use stages::implicit::SolverReport;
pub use state::State;
