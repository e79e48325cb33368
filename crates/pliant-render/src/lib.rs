//! Pictures of soft bodies.
//!
//! The caller describes what there is ([`Geometry`]) and how to show it ([`View`]). Both become a
//! [`DrawList`], plain triangles, lines and balls, which every renderer draws alike.

mod camera;
pub mod colour;
pub mod encode;
mod error;
mod font;
mod geometry;
mod image;
pub mod legend;
pub mod light;
pub mod list;
mod math;
mod view;

pub use camera::{Camera, Projection};
pub use colour::{Colour, ColourMap};
pub use error::RenderError;
pub use geometry::{Band, Body, Bounds, Geometry, Push, Values};
pub use image::Image;
pub use list::DrawList;
pub use view::{Colouring, Cut, Scale, Shading, View};
