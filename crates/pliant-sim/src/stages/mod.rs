//! The stages of a step, one folder each.

pub mod elastic;
pub mod implicit;
pub mod integrate;
pub mod measure;
pub mod plasticity;
pub mod stress;
pub mod surface;
pub mod touch;
pub mod walls;
