//! Pictures of soft bodies.

mod image;

pub use image::Image;
