//! The ground floor on GPUs: devices, buffers, kernels, and the primitives built from them.
//!
//! Everything stays within the limits of WebGPU's core (ten storage buffers per kernel, 256
//! invocations per workgroup, four bind groups, no floating-point atomics), so what runs here runs
//! on any vendor's device and in a browser. Nothing panics on what a device or a driver does: errors
//! come back as [`GpuError`], with the object, the limit and what to do.
//!
//! - [`adapter`]: which devices there are, and choosing one;
//! - [`Gpu`]: an open device, its health and its memory budget;
//! - [`Buffer`]: typed, labelled arrays on the device;
//! - [`compose`]: WGSL from modules that `#import` each other;
//! - [`Kernel`] and [`Commands`]: compiled entry points, and recording many of them per submission;
//! - [`primitives`]: prefix sums, sorting, selection;
//! - [`timer`]: how long each kernel takes.

pub mod adapter;
mod buffer;
mod commands;
pub mod compose;
mod device;
mod error;
mod kernel;
pub mod primitives;
mod readback;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
pub mod timer;
#[cfg(feature = "validate")]
pub mod validate;

pub use adapter::{AdapterChoice, AdapterSummary};
pub use buffer::Buffer;
pub use commands::Commands;
pub use compose::Module;
pub use device::Gpu;
pub use error::GpuError;
pub use kernel::{Access, Binding, Kernel, KernelDesc};
pub use readback::Readback;
pub use wgpu;

/// Invocations per workgroup of all our kernels; the most that WebGPU's core promises.
pub const WORKGROUP: u32 = 256;

/// WGSL modules that any kernel may import.
pub const MODULES: &[Module] =
    &[Module { name: "pliant::grid", source: include_str!("grid.wgsl") }];
