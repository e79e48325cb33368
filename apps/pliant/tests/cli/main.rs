//! The real program, driven as people and programs drive it.
//!
//! - `usage.rs`: the command line itself: help, mistakes, JSON, pipes.
//! - `meshes.rs`: `pliant mesh`.
//! - `gpus.rs`: `pliant gpus`.
//! - `backends.rs`: where commands run.
//! - `benches.rs`: tables of `pliant bench`.
//! - `links.rs`: `pliant link`, and links in place of files.
//! - `runs.rs`: `pliant run` and `pliant demo` that end by themselves.
//! - `pictures.rs`: pictures and films of runs, and `pliant render`.
//! - `volume.rs`: pictures of what is inside.
//! - `series.rs`: `pliant render` of series of results.
//! - `interruptions.rs`: runs that are stopped, killed and continued.

mod backends;
mod benches;
mod gpus;
mod interruptions;
mod links;
mod meshes;
mod pictures;
mod runs;
mod series;
mod support;
mod usage;
mod volume;
