//! Films, whatever the format.

use std::path::Path;

use super::error::{check_pixels, check_size};
use super::file::PendingFile;
use super::gif::Gif;
use super::mp4::{FRAME_TICKS, Mp4};
use super::{EncodeError, h264};
use crate::Image;

/// How a film is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmFormat {
    /// H.264 in an MP4 file: small, plays everywhere.
    Mp4,
    /// Animated GIF, endlessly: 255 colours, for documents and web pages that take no films.
    Gif,
}

impl FilmFormat {
    /// The format that a file name's extension names, in capitals or not.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "mp4" | "m4v" => Some(Self::Mp4),
            "gif" => Some(Self::Gif),
            _ => None,
        }
    }
}

/// A film in the making. Dropped before [`Film::finish`], it leaves nothing behind.
pub struct Film {
    path: std::path::PathBuf,
    size: [u32; 2],
    added: u64,
    /// Nothing after a frame that could not be written.
    writer: Option<Writer>,
}

enum Writer {
    Mp4 { file: PendingFile, film: Box<Mp4> },
    Gif(Box<Gif<PendingFile>>),
}

impl Film {
    /// Begins a film of `size` pixels and a number of frames per second, in the format that the
    /// extension of `path` names.
    ///
    /// Sizes go up to [`LARGEST_SIDE`](super::LARGEST_SIDE), in MP4 up to some 35 million pixels. MP4
    /// has only even sizes: an odd one is made even by repeating the last column or row. GIF counts
    /// hundredths of a second: frames are placed as close as that allows, and above fifty per second
    /// some are left out.
    pub fn create(
        path: &Path,
        size: [u32; 2],
        frames_per_second: f64,
    ) -> Result<Self, EncodeError> {
        let Some(format) = FilmFormat::from_path(path) else {
            return Err(EncodeError::UnknownExtension { path: path.to_owned() });
        };
        check_size(path, size)?;
        if !(0.1..=1000.0).contains(&frames_per_second) {
            let path = path.to_owned();
            return Err(EncodeError::FrameRate { path, rate: frames_per_second });
        }
        let to_error = |e| EncodeError::io(path, e);
        let writer = match format {
            FilmFormat::Gif => {
                let file = PendingFile::create(path).map_err(to_error)?;
                Writer::Gif(Box::new(Gif::new(file, size, frames_per_second)))
            }
            FilmFormat::Mp4 => {
                let even = size.map(|n| n.next_multiple_of(2));
                let level = mp4_level(path, even, frames_per_second)?;
                let ticks = (frames_per_second * f64::from(FRAME_TICKS)).round() as u32;
                let mut file = PendingFile::create(path).map_err(to_error)?;
                let film = Mp4::create(&mut file, even, level, ticks).map_err(to_error)?;
                Writer::Mp4 { file, film: Box::new(film) }
            }
        };
        Ok(Self { path: path.to_owned(), size, added: 0, writer: Some(writer) })
    }

    /// Appends a frame. Translucent pixels are seen over black.
    pub fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        let found = [image.width, image.height];
        if found != self.size {
            return Err(EncodeError::FrameSize {
                path: self.path.clone(),
                frame: self.added,
                expected: self.size,
                found,
            });
        }
        check_pixels(&self.path, image)?;
        let result = match &mut self.writer {
            Some(Writer::Mp4 { file, film }) => film.add(file, image),
            Some(Writer::Gif(film)) => film.add(image),
            None => return Err(self.broken()),
        };
        if let Err(source) = result {
            self.writer = None;
            return Err(EncodeError::io(&self.path, source));
        }
        self.added += 1;
        Ok(())
    }

    /// How many frames were added.
    pub fn frames(&self) -> u64 {
        self.added
    }

    /// Completes the film; only now there is a file of its name.
    pub fn finish(mut self) -> Result<(), EncodeError> {
        let Some(writer) = self.writer.take() else { return Err(self.broken()) };
        if self.added == 0 {
            return Err(EncodeError::NoFrames { path: self.path });
        }
        let done = match writer {
            Writer::Mp4 { mut file, film } => film.finish(&mut file).and_then(|()| file.finish()),
            Writer::Gif(film) => film.finish().and_then(PendingFile::finish),
        };
        done.map_err(|source| EncodeError::io(&self.path, source))
    }

    fn broken(&self) -> EncodeError {
        EncodeError::Broken { path: self.path.clone() }
    }
}

fn mp4_level(path: &Path, even: [u32; 2], frames_per_second: f64) -> Result<u8, EncodeError> {
    let [columns, rows] = even.map(|n| n.div_ceil(16));
    h264::level(columns, rows, frames_per_second).ok_or_else(|| EncodeError::Size {
        path: path.to_owned(),
        width: even[0],
        height: even[1],
        problem: "MP4 takes at most 35 million pixels, such as 8192 × 4320; choose a smaller size",
    })
}
