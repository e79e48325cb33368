//! What there is at a path: on a disk, or in a browser in the page's [memory file system](crate::memory_fs).

use std::io::Result;
use std::path::Path;

/// The bytes of a file, `most` of them and one more if there are more.
#[cfg(not(target_arch = "wasm32"))]
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    use std::io::Read;
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(std::io::Error::other("it is a folder"));
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Bytes of a file, if there is one.
#[cfg(not(target_arch = "wasm32"))]
pub fn size(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|data| data.len())
}

/// Whether there is a file.
#[cfg(not(target_arch = "wasm32"))]
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Names in a folder, `most` of them at most; none if it cannot be read.
#[cfg(not(target_arch = "wasm32"))]
pub fn names(folder: &Path, most: usize) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.take(most).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// The bytes of a file, `most` of them and one more if there are more.
#[cfg(target_arch = "wasm32")]
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let bytes = crate::memory_fs::get(path)?;
    let length = most.saturating_add(1).min(bytes.len() as u64) as usize;
    Ok(bytes[..length].to_vec())
}

/// Bytes of a file, if there is one.
#[cfg(target_arch = "wasm32")]
pub fn size(path: &Path) -> Option<u64> {
    crate::memory_fs::get(path).ok().map(|bytes| bytes.len() as u64)
}

/// Whether there is a file.
#[cfg(target_arch = "wasm32")]
pub fn is_file(path: &Path) -> bool {
    crate::memory_fs::get(path).is_ok()
}

/// Names in a folder, `most` of them at most. There are no folders in memory.
#[cfg(target_arch = "wasm32")]
pub fn names(_: &Path, most: usize) -> Vec<String> {
    let name = |path: std::path::PathBuf| Some(path.file_name()?.to_str()?.to_owned());
    crate::memory_fs::names().into_iter().filter_map(name).take(most).collect()
}
