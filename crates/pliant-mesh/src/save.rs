//! Writing files so that a crash never leaves half of one.

use std::io::Write;
use std::path::Path;

use crate::WriteError;

/// Writes `path` through a temporary neighbour that is renamed when complete, so that readers see
/// the old file or the new one and never a part. In a browser it is left on the
/// [memory file system](crate::memory_fs) for the user to take.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    attempt(path, write).map_err(|source| WriteError::Io { path: path.to_owned(), source })
}

#[cfg(target_arch = "wasm32")]
fn attempt(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    crate::memory_fs::write(path, bytes)
}

#[cfg(not(target_arch = "wasm32"))]
fn attempt(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    use std::fs::{self, File};
    let temporary = temporary_name(path);
    let write_it = || -> std::io::Result<()> {
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let mut out = std::io::BufWriter::with_capacity(1 << 16, File::create(&temporary)?);
        write(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        fs::rename(&temporary, path)
    };
    write_it().inspect_err(|_| {
        // The error that matters is the first one; a leftover is harmless and named as such.
        let _ = fs::remove_file(&temporary);
    })
}

#[cfg(not(target_arch = "wasm32"))]
fn temporary_name(path: &Path) -> std::path::PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}
