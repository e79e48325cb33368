//! Pictures by a graphics card, compared with those by the CPU.
#![cfg(feature = "gpu")]

mod clouds;
mod errors;
mod golden;
mod resident;
mod scenes;
mod simulated;
mod window;
