//! Tetrahedral and triangle meshes for Pliant.
//!
//! A [`Mesh`] is what a file holds: points, tetrahedra, triangles, the arrays attached to them and
//! named groups. [`load`] reads one in any supported [`Format`], found by its content;
//! [`doctor`] says what is wrong with it, and [`shapes`] makes one from nothing. A [`cage`](cage::cage) is a coarse mesh round a
//! surface, and [`embed`](embed::embed) hangs points on one. Meshes that move, with
//! animations or as a series of files, are a [`motion::Motion`]; a [`height_map::HeightMap`] is ground.
//!
//! ```
//! use pliant_mesh::shapes;
//!
//! let bar = shapes::bar([4, 1, 1], [4.0, 1.0, 1.0], shapes::Split::Six);
//! assert_eq!(bar.tets.len(), 24);
//! assert!((bar.volume() - 4.0).abs() < 1e-12);
//! ```

mod box_tree;
pub mod bytes;
pub mod cage;
pub mod cells;
pub mod disk;
pub mod doctor;
pub mod embed;
mod error;
pub mod formats;
pub mod geometry;
pub mod height_map;
pub mod memory_fs;
mod mesh;
pub mod motion;
pub mod save;
pub mod series;
pub mod shapes;
pub mod source;
pub mod text;
pub mod topology;
pub mod winding;

pub use error::{Place, ReadError, Result, WriteError};
pub use formats::{Format, Loaded, load, read_bytes};
pub use mesh::{DataArray, Domain, Group, Mesh};
pub use save::write_atomically;
