//! Pictures of soft bodies.
//!
//! The caller describes what there is ([`Geometry`]) and how to show it ([`View`]). Both become a
//! [`DrawList`], plain triangles, lines and balls, which every renderer draws alike.
//! [`cpu::render`] needs no graphics card; the feature `gpu` has a module `gpu` that draws the same
//! pictures with one. [`encode`] makes files of them:
//!
//! ```
//! use pliant_render::{Body, Camera, Geometry, View, cpu};
//!
//! let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let triangles = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
//! let body = Body { positions: &positions, triangles: &triangles, ..Body::default() };
//! let scene = Geometry { bodies: vec![body], ground: Some(0.0), ..Geometry::default() };
//! let camera = Camera::framing(scene.bounds().unwrap(), [1.0, -2.0, 1.0], 4.0 / 3.0);
//! let picture = cpu::render(&scene, &View::new(camera), 160, 120, 1)?;
//! assert_eq!(picture.image.pixels.len(), 160 * 120);
//! assert_eq!(picture.skipped, 0);
//! # Ok::<(), pliant_render::RenderError>(())
//! ```

mod camera;
pub mod colour;
pub mod cpu;
pub mod encode;
mod error;
mod font;
mod geometry;
#[cfg(feature = "gpu")]
pub mod gpu;
mod image;
pub mod legend;
pub mod light;
pub mod list;
mod math;
mod obstacle;
pub mod shadow;
mod view;
pub mod volume;

pub use camera::{Camera, Projection};
pub use colour::{Colour, ColourMap};
pub use error::RenderError;
pub use geometry::{Arrow, Band, Body, Bounds, Geometry, Push, Values};
pub use image::Image;
pub use list::DrawList;
pub use obstacle::{Obstacle, RigidSurface};
pub use view::{Colouring, Cut, Scale, Shading, View};
