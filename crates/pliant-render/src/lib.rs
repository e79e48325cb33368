//! Pictures of soft bodies.

pub mod encode;
mod image;

pub use image::Image;
