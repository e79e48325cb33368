//! Bodies that fall, land and stand on slopes in large steps.

mod drops;
mod fall;
mod slope;
#[path = "../support/mod.rs"]
mod support;
