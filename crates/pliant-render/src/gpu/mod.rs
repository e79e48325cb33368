//! Pictures with a graphics card: what [`crate::cpu`] draws, through wgpu.
//!
//! [`render_offscreen`] makes one picture. Windows and browsers keep a [`Renderer`] (pipelines, made once) and a
//! [`Scene`] (buffers, used again from frame to frame):
//!
//! 1. [`Scene::update`] uploads a [`DrawList`](crate::DrawList) for a view;
//! 2. [`Renderer::draw`] records the shadow map and the picture into any encoder and any target, such
//!    as the texture that a window shows; the window and its surface stay with the caller.
//!
//! A simulation that lives on the same device draws its own arrays as a [`Resident`] surface, without
//! a copy to the host. Its list then has no bodies, but still the floor, lines and
//! [`DrawList::extent`](crate::DrawList::extent), round which shadows are looked for.
//!
//! Letters and legends are not drawn here: [`render_offscreen`] writes them into the finished picture
//! as the CPU's renderer does, a window has its own text.

mod error;
#[cfg(not(target_arch = "wasm32"))]
mod offscreen;
mod pipelines;
mod renderer;
mod resident;
mod scene;
mod shaders;
#[cfg(test)]
mod tests;
mod uniforms;

pub use error::GpuRenderError;
#[cfg(not(target_arch = "wasm32"))]
pub use offscreen::{Offscreen, SAMPLES, render_offscreen};
pub use renderer::Renderer;
pub use resident::{Resident, ResidentBody, ResidentBuffers};
pub use scene::Scene;
