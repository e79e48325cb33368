//! Pliant's simulation: scenes become models, models are stepped.

pub mod math;
pub mod model;
pub mod scene;
pub mod stages;
