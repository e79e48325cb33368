//! A file that appears when it is complete, or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes into a temporary neighbour of the file; removes it when dropped before [`Self::finish`].
pub struct PendingFile {
    path: PathBuf,
    temporary: PathBuf,
    /// Taken when the file is closed.
    out: Option<BufWriter<File>>,
}

impl PendingFile {
    /// Begins a file; folders that are missing are made.
    pub fn create(path: &Path) -> io::Result<Self> {
        // Several films may be made under one name at the same time; the last to finish stays.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        };
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "there is a folder so named"));
        }
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut name = name.to_owned();
        name.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        let out = BufWriter::with_capacity(1 << 16, File::create(&temporary)?);
        Ok(Self { path: path.to_owned(), temporary, out: Some(out) })
    }

    /// Writes the rest to the disk and gives the file its name.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let closed = out.into_inner().map_err(|e| e.into_error()).and_then(|file| file.sync_all());
        let done = closed.and_then(|()| fs::rename(&self.temporary, &self.path));
        if done.is_err() {
            let _ = fs::remove_file(&self.temporary);
        }
        done
    }

    fn out(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.out.as_mut().ok_or_else(|| io::Error::other("the file is closed"))
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Some(out) = self.out.take() {
            // Closed without writing the rest: some systems do not remove open files.
            drop(out.into_parts());
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out()?.flush()
    }
}

impl Seek for PendingFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out()?.seek(to)
    }
}
