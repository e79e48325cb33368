//! What the tests of the volume formats share: the sample meshes with the facts that independent
//! readers found about them, and hostile variations of a file.

use std::path::PathBuf;

use super::{Format, Input, read_as};
use crate::geometry::signed_volume;
use crate::source::{Companions, Folder, Memory, gunzip, read_file};
use crate::{Mesh, Result};

/// Reads `bytes` as `format`, with the warnings.
pub fn read_with(
    format: Format,
    bytes: &[u8],
    name: &str,
    companions: &dyn Companions,
) -> Result<(Mesh, Vec<String>)> {
    let mut warnings = Vec::new();
    let mesh = read_as(format, &mut Input { bytes, name, companions, warnings: &mut warnings })?;
    mesh.check_indices().expect("readers check indices themselves");
    Ok((mesh, warnings))
}

/// Reads a file that needs no other.
pub fn read_alone(format: Format, bytes: &[u8]) -> Result<(Mesh, Vec<String>)> {
    read_with(format, bytes, "test", &Memory::default())
}

/// The folder of sample meshes, `None` (and a word about it) where it is absent.
pub fn data_folder() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(|| default.into(), PathBuf::from);
    if !folder.join("facts.json").is_file() {
        eprintln!("skipped: no sample meshes in {} (set PLIANT_DATA)", folder.display());
        return None;
    }
    Some(folder)
}

/// The bytes of a sample, unpacked; `None` where the samples are absent.
pub fn sample_bytes(file: &str) -> Option<Vec<u8>> {
    let bytes = read_file(&data_folder()?.join(file)).unwrap();
    Some(if file.ends_with(".gz") { gunzip(&bytes).unwrap() } else { bytes })
}

/// Reads a sample; `None` where the samples are absent.
pub fn sample(format: Format, file: &str) -> Option<(Mesh, Vec<String>)> {
    let bytes = sample_bytes(file)?;
    let path = data_folder()?.join(file);
    let name = path.file_name()?.to_str()?.trim_end_matches(".gz");
    let folder = Folder(path.parent()?.to_owned());
    Some(read_with(format, &bytes, name, &folder).unwrap_or_else(|e| panic!("{file}: {e}")))
}

/// Reads a sample and compares it with what `facts.json` says about it.
pub fn sample_with_facts(format: Format, file: &str) -> Option<(Mesh, Vec<String>)> {
    let (mesh, warnings) = sample(format, file)?;
    let text = std::fs::read_to_string(data_folder()?.join("facts.json")).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let facts = all.iter().find(|f| f["file"] == file).expect("the sample has facts");
    let count = |key: &str| facts[key].as_u64().unwrap() as usize;
    assert_eq!(mesh.points.len(), count("verts"), "{file}: points");
    if facts["kind"] != "tet" {
        return Some((mesh, warnings));
    }

    assert_eq!(mesh.tets.len(), count("tets"), "{file}: tetrahedra");
    let volumes: Vec<f64> =
        (0..mesh.tets.len()).map(|i| signed_volume(mesh.tet_points(i))).collect();
    let negative = volumes.iter().filter(|&&v| v < 0.0).count();
    assert_eq!(negative, count("neg"), "{file}: inverted tetrahedra");
    let absolute: f64 = volumes.iter().map(|v| v.abs()).sum();
    for (found, key) in [(mesh.volume(), "vol"), (absolute, "absvol")] {
        let expected = facts[key].as_f64().unwrap();
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{file}: {key} is {found}");
    }
    let flags = crate::topology::boundary_flags(&mesh.tets);
    let boundary: u32 = flags.iter().map(|f| f.count_ones()).sum();
    assert_eq!(boundary as usize, count("bfaces"), "{file}: boundary faces");
    let bounds = mesh.bounds().unwrap();
    for (side, k) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
        let expected = facts["bbox"][side][k].as_f64().unwrap();
        // The facts give the box to six decimals.
        assert!((bounds[side][k] - expected).abs() <= 5.01e-7, "{file}: box {side} {k}");
    }
    Some((mesh, warnings))
}

/// Reads every prefix of `bytes` and many copies with changed bytes: errors are welcome, panics are
/// not.
pub fn survives_damage(bytes: &[u8], read: impl Fn(&[u8])) {
    for cut in 0..bytes.len() {
        read(&bytes[..cut]);
    }
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as usize
    };
    let likely = b"0123456789-+.eE $#\n\x00\xff";
    for _ in 0..4000 {
        let mut damaged = bytes.to_vec();
        for _ in 0..1 + next() % 3 {
            let at = next() % damaged.len();
            damaged[at] =
                if next() % 2 == 0 { likely[next() % likely.len()] } else { next() as u8 };
        }
        read(&damaged);
    }
}
