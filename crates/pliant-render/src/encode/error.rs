//! What can go wrong.

use std::path::{Path, PathBuf};

use super::LARGEST_SIDE;
use crate::Image;

/// Why a picture or film could not be written. All messages name the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The operating system said no.
    #[error("cannot write {path}: {source}. {remedy}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// The file name's extension names no format for films.
    #[error(
        "cannot write {path}: its extension names no film format. Use .mp4 or .gif",
        path = path.display()
    )]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// The size cannot be written.
    #[error("cannot write {path} with {width} × {height} pixels: {problem}", path = path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Pixels per row.
        width: u32,
        /// Rows.
        height: u32,
        /// What is wrong, and what to do.
        problem: &'static str,
    },
    /// The frame rate cannot be written.
    #[error(
        "cannot write {path} with {rate} frames per second: choose a rate from 0.1 to 1000",
        path = path.display()
    )]
    FrameRate {
        /// The file.
        path: PathBuf,
        /// The rate asked for \[1/s\].
        rate: f64,
    },
    /// A frame does not have the size of the film.
    #[error(
        "cannot add frame {frame} to {path}: it has {found:?} pixels, the film {expected:?}. \
         Draw every frame in the size the film was created with",
        path = path.display()
    )]
    FrameSize {
        /// The file.
        path: PathBuf,
        /// The frame, from 0.
        frame: u64,
        /// Width and height of the film.
        expected: [u32; 2],
        /// Width and height of the frame.
        found: [u32; 2],
    },
    /// A picture's list of pixels does not have the length its size asks for.
    #[error(
        "cannot write {path}: the picture has {found} pixels where its size asks for {expected}. \
         Set `width`, `height` and `pixels` together",
        path = path.display()
    )]
    PixelCount {
        /// The file.
        path: PathBuf,
        /// Width times height.
        expected: u64,
        /// Pixels there are.
        found: usize,
    },
    /// A film without frames is no film.
    #[error("cannot finish {path}: it has no frames. Add at least one", path = path.display())]
    NoFrames {
        /// The file.
        path: PathBuf,
    },
    /// An earlier frame could not be written.
    #[error(
        "cannot go on with {path}: an earlier frame could not be written. Create the film again",
        path = path.display()
    )]
    Broken {
        /// The file.
        path: PathBuf,
    },
    /// The encoder of a format refused.
    #[error("cannot write {path}: {problem}", path = path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its own words.
        problem: String,
    },
}

impl EncodeError {
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let remedy = match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "Free some space or choose a folder on another disk"
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "Choose a folder that you may write to"
            }
            _ => "Check the path and the disk, or choose another folder",
        };
        Self::Io { path: path.to_owned(), source, remedy }
    }
}

/// Refuses sizes that no format stores.
pub fn check_size(path: &Path, [width, height]: [u32; 2]) -> Result<(), EncodeError> {
    let problem = if width == 0 || height == 0 {
        "it needs at least one pixel each way"
    } else if width > LARGEST_SIDE || height > LARGEST_SIDE {
        "at most 16384 pixels each way are possible; choose a smaller size"
    } else {
        return Ok(());
    };
    Err(EncodeError::Size { path: path.to_owned(), width, height, problem })
}

/// Refuses pictures whose fields contradict each other.
pub fn check_pixels(path: &Path, image: &Image) -> Result<(), EncodeError> {
    let expected = u64::from(image.width) * u64::from(image.height);
    if image.pixels.len() as u64 == expected {
        return Ok(());
    }
    Err(EncodeError::PixelCount { path: path.to_owned(), expected, found: image.pixels.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn a_full_disk_says_what_to_do() {
        let full = EncodeError::io(Path::new("a.mp4"), Error::from(ErrorKind::StorageFull));
        let text = full.to_string();
        assert!(text.contains("a.mp4") && text.contains("Free some space"), "{text}");
    }
}
