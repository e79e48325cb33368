//! Pictures with a graphics card: what [`crate::cpu`] draws, through wgpu.
//!
//! [`render_offscreen`] makes one picture. Windows and browsers keep a [`Renderer`] (pipelines, made once) and a
//! [`Scene`] (buffers, used again from frame to frame):
//!
//! 1. [`Scene::update`] uploads a [`DrawList`](crate::DrawList) for a view;
//! 2. [`Renderer::draw`] records the shadow map and the picture into any encoder and any target, such
//!    as the texture that a window shows; the window and its surface stay with the caller.
//!
//! ```no_run
//! # use pliant_gpu::{Gpu, wgpu::{TextureFormat, TextureView}};
//! # use pliant_render::{DrawList, Geometry, View};
//! # use pliant_render::gpu::{GpuRenderError, Renderer, Scene};
//! # fn frames(gpu: &Gpu, geometry: &Geometry, view: &View, target: &TextureView)
//! # -> Result<(), GpuRenderError> {
//! let mut renderer = Renderer::new(gpu, TextureFormat::Bgra8UnormSrgb, 4)?;
//! let mut scene = Scene::new(&renderer)?;
//! // For every frame, of 1280 × 720 pixels here:
//! let projection = view.camera.projection(geometry.origin, 1280, 720)?;
//! let list = DrawList::new(geometry, view, &projection)?;
//! scene.update(&renderer, &list, view, &projection)?;
//! let mut commands = gpu.commands("frame");
//! renderer.draw(commands.encoder(), &scene, &[], target)?;
//! commands.submit();
//! # Ok(())
//! # }
//! ```
//!
//! A simulation that lives on the same device draws its own arrays as [`Resident`] bodies, without a
//! copy to the host, in all ways that a view knows. The list then has no bodies, but still the floor,
//! walls and pushes; [`DrawList::around`](crate::DrawList::around) is told where the bodies are, so that
//! shadows are looked for there.
//!
//! Bodies that are looked into ([`crate::volume`]) come with the list, or from resident bodies; rays are
//! cast by a compute shader, before what is opaque. [`Quality::Draft`](crate::volume::Quality) is
//! drawn like normal here.
//!
//! Letters and legends are not drawn here: [`render_offscreen`] writes them into the finished picture
//! as the CPU's renderer does, a window has its own text.

mod clouds;
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
pub use resident::{
    Resident, ResidentBand, ResidentBody, ResidentMoment, ResidentShape, ResidentValues,
};
pub use scene::Scene;
