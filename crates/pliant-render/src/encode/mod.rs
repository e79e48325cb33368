//! Pictures and films as files: PNG, GIF and MP4, in Rust alone.
//!
//! ```no_run
//! use pliant_render::{Image, encode::Film};
//!
//! # fn main() -> Result<(), pliant_render::encode::EncodeError> {
//! let mut film = Film::create("jelly.mp4".as_ref(), [1280, 720], 30.0)?;
//! for _ in 0..300 {
//!     film.add(&Image::filled(1280, 720, [40, 90, 160, 255]))?;
//! }
//! film.finish()?;
//! # Ok(())
//! # }
//! ```
//!
//! Every file is written under a temporary name beside it and renamed when complete; what is not
//! finished is removed. Films are written frame by frame and never held in memory.
//!
//! **Why an H.264 encoder of our own.** H.264 is what QuickTime, PowerPoint, browsers and phones all
//! play. The encoders there are need a C compiler or an installed program; the one in Rust on
//! crates.io stores pictures without compression. AV1 has an encoder in Rust, `rav1e`, which we tried:
//! two minutes to build on two busy cores, and at its fastest, without the assembly that takes another
//! program to build, some three minutes of processor time for ten seconds of 1280 × 720, in a format
//! that fewer programs play. What rendered films need of H.264 is small enough to be written and
//! tested here: it takes seven seconds of processor time, on as many cores as there are slices.

mod contact;
mod error;
#[cfg(not(target_arch = "wasm32"))]
mod file;
#[cfg(target_arch = "wasm32")]
#[path = "file_in_memory.rs"]
mod file;
mod film;
mod gif;
mod h264;
mod mp4;
mod palette;
mod png;

pub use contact::contact_sheet;
pub use error::EncodeError;
pub use film::{Film, FilmFormat};
pub use png::write_png;

/// The largest width and height of a picture or film \[pixels\].
pub const LARGEST_SIDE: u32 = 16384;
