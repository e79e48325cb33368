//! Writing files so that a crash never leaves half of one.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::WriteError;

/// Writes `path` through a temporary neighbour that is renamed when complete, so that readers see
/// the old file or the new one and never a part.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    let temporary = temporary_name(path);
    let attempt = || -> std::io::Result<()> {
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let mut out = BufWriter::with_capacity(1 << 16, File::create(&temporary)?);
        write(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        fs::rename(&temporary, path)
    };
    attempt().map_err(|source| {
        // The error that matters is the first one; a leftover is harmless and named as such.
        let _ = fs::remove_file(&temporary);
        WriteError::Io { path: path.to_owned(), source }
    })
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}
