//! The stages of a step, one folder each.

pub mod elastic;
