//! Errors of reading and writing meshes.

use std::fmt;
use std::path::PathBuf;

use crate::Format;

/// Result of reading.
pub type Result<T, E = ReadError> = std::result::Result<T, E>;

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(n) => write!(f, ", line {n}"),
            Place::Byte(n) => write!(f, ", byte {n}"),
        }
    }
}

/// Why a mesh could not be read: the file, the place, the problem and what to do about it.
#[derive(Clone, Debug, thiserror::Error)]
pub struct ReadError {
    /// The file, where the mesh came from one.
    pub path: Option<PathBuf>,
    /// The format it was taken for.
    pub format: Option<Format>,
    /// Where.
    pub place: Place,
    /// What is wrong, as a sentence without its full stop.
    pub problem: String,
    /// What to do, as a sentence without its full stop; empty when the problem says it.
    pub help: String,
}

impl ReadError {
    /// An error about `place` of the file being read; path and format are added by the caller that
    /// knows them.
    pub fn at(place: Place, problem: impl Into<String>) -> Self {
        Self { path: None, format: None, place, problem: problem.into(), help: String::new() }
    }

    /// An error about the whole file.
    pub fn file(problem: impl Into<String>) -> Self {
        Self::at(Place::File, problem)
    }

    /// Adds what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}", path.display())?,
            None => write!(f, "mesh")?,
        }
        write!(f, "{}", self.place)?;
        if let Some(format) = self.format {
            write!(f, " ({format})")?;
        }
        write!(f, ": {}", self.problem)?;
        if !self.help.is_empty() {
            write!(f, ". {}", self.help)?;
        }
        Ok(())
    }
}

/// Why a mesh could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system said no.
    #[error("cannot write {path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file name's extension names no format that can be written.
    #[error(
        "cannot write {path}: no writer for this extension. Use one of {known}",
        path = path.display()
    )]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// Extensions that work.
        known: String,
    },
    /// The mesh lacks what the format stores.
    #[error("cannot write {format}: {problem}")]
    Unsuitable {
        /// The format.
        format: Format,
        /// What is missing or too large.
        problem: String,
    },
}
