//! Files where there is no disk: in a browser, what the user has opened is kept in memory, and what is
//! written waits there to be handed out as a download.
//!
//! [`MemoryFs`] is plain data. In a browser there is one for the page, which everything that reads and writes
//! files by path uses.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes that files in it, and those that wait to be handed out, may have: a tab has 4 GiB
/// for everything.
pub const MOST_BYTES: usize = 512 << 20;

/// Files in memory, by name.
#[derive(Debug, Default)]
pub struct MemoryFs {
    /// The oldest first.
    files: VecDeque<(PathBuf, Arc<[u8]>)>,
    written: Vec<(PathBuf, Vec<u8>)>,
}

impl MemoryFs {
    /// Adds a file, in the place of one of the same name. Where there is no room the oldest
    /// others are thrown away.
    pub fn put(&mut self, path: &Path, bytes: Vec<u8>) -> Result<()> {
        check(bytes.len())?;
        self.files.retain(|(name, _)| name != path);
        self.files.push_back((path.to_owned(), bytes.into()));
        while self.files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > MOST_BYTES {
            self.files.pop_front();
        }
        Ok(())
    }

    /// The bytes of a file. Browsers tell names but not folders: a file that is not found by its whole
    /// path is looked for by its name.
    pub fn get(&self, path: &Path) -> Result<Arc<[u8]>> {
        let newest = || self.files.iter().rev();
        let exact = newest().find(|(name, _)| name == path);
        let found = exact.or_else(|| {
            let name = path.file_name()?;
            newest().find(|(other, _)| other.file_name() == Some(name))
        });
        let missing =
            || Error::new(ErrorKind::NotFound, "it was not opened together with the rest");
        found.map(|(_, bytes)| bytes.clone()).ok_or_else(missing)
    }

    /// Names of all files.
    pub fn names(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(name, _)| name.as_path())
    }

    /// Keeps a file that was written until it is handed out.
    pub fn write(&mut self, path: &Path, bytes: Vec<u8>) -> Result<()> {
        let waiting: usize = self.written.iter().map(|(_, bytes)| bytes.len()).sum();
        check(waiting.saturating_add(bytes.len()))?;
        self.written.push((path.to_owned(), bytes));
        Ok(())
    }

    /// Hands out what was written since the last call.
    pub fn take_written(&mut self) -> Vec<(PathBuf, Vec<u8>)> {
        std::mem::take(&mut self.written)
    }
}

fn check(bytes: usize) -> Result<()> {
    match bytes > MOST_BYTES {
        true => Err(Error::new(
            ErrorKind::FileTooLarge,
            format!(
                "a browser's tab takes files of {} MiB at most; use the desktop program",
                MOST_BYTES >> 20
            ),
        )),
        false => Ok(()),
    }
}

#[cfg(target_arch = "wasm32")]
mod of_the_page {
    use super::{Arc, MemoryFs, Path, PathBuf, Result};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    static FILES: Mutex<Option<MemoryFs>> = Mutex::new(None);

    fn with<T>(what: impl FnOnce(&mut MemoryFs) -> T) -> T {
        let mut files: MutexGuard<'_, Option<MemoryFs>> =
            FILES.lock().unwrap_or_else(PoisonError::into_inner);
        what(files.get_or_insert_default())
    }

    /// Adds a file to the page; see [`MemoryFs::put`].
    pub fn put(path: &Path, bytes: Vec<u8>) -> Result<()> {
        with(|files| files.put(path, bytes))
    }

    /// Hands out what was written since the last call.
    pub fn take_written() -> Vec<(PathBuf, Vec<u8>)> {
        with(MemoryFs::take_written)
    }

    pub(crate) fn get(path: &Path) -> Result<Arc<[u8]>> {
        with(|files| files.get(path))
    }

    pub(crate) fn names() -> Vec<PathBuf> {
        with(|files| files.names().map(Path::to_owned).collect())
    }

    /// Keeps a file until it is handed out; see [`MemoryFs::write`].
    pub fn write(path: &Path, bytes: Vec<u8>) -> Result<()> {
        with(|files| files.write(path, bytes))
    }
}

#[cfg(target_arch = "wasm32")]
pub(crate) use of_the_page::{get, names};
#[cfg(target_arch = "wasm32")]
pub use of_the_page::{put, take_written, write};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_path_or_else_by_name() {
        let mut files = MemoryFs::default();
        files.put("bar.node".as_ref(), vec![1]).unwrap();
        files.put("other/bar.ele".as_ref(), vec![2]).unwrap();
        files.put("bar.ele".as_ref(), vec![3]).unwrap();
        let get = |files: &MemoryFs, path: &str| files.get(path.as_ref()).map(|b| b.to_vec());
        assert_eq!(get(&files, "bar.node").unwrap(), [1]);
        assert_eq!(get(&files, "../meshes/bar.node").unwrap(), [1]);
        assert_eq!(get(&files, "other/bar.ele").unwrap(), [2]);
        assert_eq!(get(&files, "elsewhere/bar.ele").unwrap(), [3], "the newest");
        assert_eq!(get(&files, "bar").unwrap_err().kind(), ErrorKind::NotFound);
        files.put("bar.node".as_ref(), vec![4]).unwrap();
        assert_eq!(get(&files, "bar.node").unwrap(), [4]);
        assert_eq!(files.names().count(), 3);
    }

    #[test]
    fn room_is_bounded() {
        let mut files = MemoryFs::default();
        let third = || vec![0; MOST_BYTES / 3];
        for name in ["a", "b", "c", "d"] {
            files.put(name.as_ref(), third()).unwrap();
        }
        let names: Vec<&Path> = files.names().collect();
        assert_eq!(names, [Path::new("b"), Path::new("c"), Path::new("d")]);
        let refused = files.put("e".as_ref(), vec![0; MOST_BYTES + 1]).unwrap_err();
        assert!(refused.to_string().contains("512 MiB"), "{refused}");
        assert_eq!(files.names().count(), 3, "nothing is lost for what is refused");
    }

    #[test]
    fn what_is_written_is_handed_out_once() {
        let mut files = MemoryFs::default();
        files.write("a.glb".as_ref(), vec![1, 2]).unwrap();
        assert!(files.write("b".as_ref(), vec![0; MOST_BYTES - 1]).is_err());
        assert_eq!(files.take_written(), [(PathBuf::from("a.glb"), vec![1, 2])]);
        assert_eq!(files.take_written(), []);
        assert!(files.get("a.glb".as_ref()).is_err(), "it is the user's now");
    }
}
