//! Bodies that fall, land and stand on slopes in large steps.

mod drops;
mod fall;
#[path = "../support/mod.rs"]
mod support;
