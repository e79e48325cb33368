//! Where the bytes of a mesh come from: a file with its neighbours, or memory.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{ReadError, Result, disk};

/// The largest file that is read, in bytes: far above any mesh that fits a machine's memory, far
/// below what a hostile header or a compression bomb could ask for.
pub const MAX_BYTES: u64 = 8 << 30;

/// Gives a reader the files that belong to the one it reads: `.ele` beside `.node`, buffers of a
/// glTF.
pub trait Companions {
    /// The bytes of the file called `name` in the same folder; names that leave the folder are
    /// refused.
    fn open(&self, name: &str) -> Result<Vec<u8>>;
}

/// Companions in a folder.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Companions for Folder {
    fn open(&self, name: &str) -> Result<Vec<u8>> {
        let path = Path::new(name);
        let plain = path.components().all(|c| matches!(c, std::path::Component::Normal(_)));
        if !plain {
            return Err(ReadError::file(format!(
                "refers to {name:?}, which is not below its folder"
            )));
        }
        read_file(&self.0.join(path))
    }
}

/// Companions in memory, for tests, archives and the web.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub BTreeMap<String, Vec<u8>>);

impl Companions for Memory {
    fn open(&self, name: &str) -> Result<Vec<u8>> {
        self.0
            .get(name)
            .cloned()
            .ok_or_else(|| ReadError::file(format!("the companion file {name:?} is missing")))
    }
}

/// Reads a whole file, up to [`MAX_BYTES`].
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let fail = |problem: String, help: &str| ReadError {
        path: Some(path.to_owned()),
        ..ReadError::file(problem).help(help)
    };
    let bytes = disk::read(path, MAX_BYTES).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => fail("no such file".into(), "Check the path"),
        _ => fail(format!("cannot be read: {e}"), ""),
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(fail(format!("is larger than {} GiB", MAX_BYTES >> 30), "Split the mesh"));
    }
    Ok(bytes)
}

/// Unpacks gzip data, up to [`MAX_BYTES`].
pub fn gunzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes)
        .take(MAX_BYTES + 1)
        .read_to_end(&mut out)
        .map_err(|e| ReadError::file(format!("the gzip data is damaged: {e}")))?;
    if out.len() as u64 > MAX_BYTES {
        return Err(ReadError::file(format!("unpacks to more than {} GiB", MAX_BYTES >> 30)));
    }
    Ok(out)
}
