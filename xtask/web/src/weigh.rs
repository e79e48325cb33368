//! What a visit transfers.

use std::io::Write;
use std::num::NonZeroU64;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::paths::{files, read};

/// The most that a first visit may transfer, compressed.
const LIMIT: usize = 3_000_000;

/// Prints every file's size, plain and compressed, and fails if a first visit is too heavy.
pub fn weigh(folder: &Path) -> Result<(), String> {
    let mut total = [0, 0];
    println!("{:>10} {:>10}", "bytes", "as sent");
    for path in files(folder)? {
        let bytes = read(&folder.join(&path))?;
        let sizes = [bytes.len(), as_sent(&path, &bytes).len()];
        total = [total[0] + sizes[0], total[1] + sizes[1]];
        println!("{:>10} {:>10}  {}", sizes[0], sizes[1], path.display());
    }
    println!("{:>10} {:>10}  a first visit in all", total[0], total[1]);
    match total[1] <= LIMIT {
        true => Ok(()),
        false => Err(format!("a first visit transfers {} bytes; {LIMIT} are the limit", total[1])),
    }
}

/// A file as a server sends it: compressed, unless it is a picture, which is already.
pub fn as_sent(path: &Path, bytes: &[u8]) -> Vec<u8> {
    match is_compressed(path) {
        true => bytes.to_vec(),
        false => gzip(bytes),
    }
}

/// Whether a file would not shrink.
pub fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["gz", "jpg", "png"].iter().any(|packed| e == *packed))
}

/// Compresses as well as gzip's format allows. That takes a minute instead of a second, and saves a thirtieth; more
/// rounds take more minutes and save next to nothing.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let once = zopfli::Options { iteration_count: NonZeroU64::MIN, ..zopfli::Options::default() };
    let mut packed = Vec::new();
    // Writing to memory does not fail.
    let done = zopfli::compress(once, zopfli::Format::Gzip, bytes, &mut packed);
    done.map_or_else(|_| gzip(bytes), |()| packed)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let done = encoder.write_all(bytes).and_then(|()| encoder.finish());
    done.unwrap_or_else(|_| bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn text_shrinks_pictures_do_not_and_too_much_is_refused() {
        let text = b"soft bodies ".repeat(100);
        assert!(as_sent(Path::new("a.js"), &text).len() < 100);
        assert_eq!(as_sent(Path::new("a.jpg"), &text), text);
        let packed = pack(&text);
        assert!(packed.len() <= gzip(&text).len() && is_compressed(Path::new("a.wasm.gz")));
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jpg");
        std::fs::write(&file, vec![0; LIMIT]).unwrap();
        weigh(folder.path()).unwrap();
        std::fs::write(&file, vec![0; LIMIT + 1]).unwrap();
        assert!(weigh(folder.path()).unwrap_err().contains("limit"));
    }
}
