//! A file that is handed out when it is complete, or not at all; for browsers, which have no disk.

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pliant_mesh::memory_fs;

/// Writes into memory; [`Self::finish`] leaves it in the files of the page.
pub struct PendingFile {
    path: PathBuf,
    out: Cursor<Vec<u8>>,
}

impl PendingFile {
    /// Begins a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), out: Cursor::default() })
    }

    /// Leaves it there.
    pub fn finish(self) -> io::Result<()> {
        memory_fs::write(&self.path, self.out.into_inner())
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.out.position() as usize + bytes.len() > memory_fs::MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for PendingFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}
