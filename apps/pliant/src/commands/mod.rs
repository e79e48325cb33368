//! The commands, one module each.

pub mod bench;
pub mod completions;
pub mod demo;
pub mod gpus;
pub mod link;
pub mod mesh;
mod open;
mod place;
pub mod render;
pub mod reproduce;
pub mod run;
mod simulate;
pub mod view;
