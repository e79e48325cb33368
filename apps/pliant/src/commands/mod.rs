//! The commands, one module each.

pub mod completions;
pub mod demo;
pub mod mesh;
pub mod run;
mod simulate;
