//! Measurements with Pliant: how fast it is, and how its results compare with published ones.
//!
//! [`mod@bench`] times steps of standard cases; [`reproduce`] repeats the experiments of the documents
//! that Pliant's methods come from and prints the published figures beside ours.

pub mod bench;
mod memory;
pub mod reproduce;
mod timing;
