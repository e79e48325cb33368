//! The compiled scene: plain arrays, immutable while it is stepped.

pub mod partition;
