//! Sound files to start from: small meshes through our own writers, tiny literals of every dialect,
//! and the small files of the sample folder where it is present.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pliant_mesh::source::Memory;
use pliant_mesh::{DataArray, Domain, Group, Mesh, formats, shapes, topology};

mod literals;

/// Samples above this size are left out: damage is rarely where it matters in large files \[bytes\].
const SMALL: u64 = 24 << 10;

/// A file with its companions.
#[derive(Clone)]
pub struct Seed {
    /// The extension, which stands for the format.
    pub kind: String,
    pub name: String,
    pub bytes: Vec<u8>,
    pub companions: Memory,
}

impl Seed {
    pub fn new(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let kind = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        Self { kind, name: name.into(), bytes: bytes.into(), companions: Memory::default() }
    }

    fn with(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.companions.0.insert(name.into(), bytes.into());
        self
    }

    /// A saved file with everything beside it as companions.
    pub fn from_file(path: &Path) -> Option<Self> {
        let mut seed = Self::new(path.file_name()?.to_str()?, std::fs::read(path).ok()?);
        let neighbours = std::fs::read_dir(path.parent()?).ok()?;
        for other in neighbours.flatten().map(|e| e.path()).filter(|p| p != path) {
            if let (Some(name), Ok(bytes)) = (other.file_name(), std::fs::read(&other)) {
                seed.companions.0.insert(name.to_str()?.into(), bytes);
            }
        }
        Some(seed)
    }
}

/// All seeds, in the same order everywhere but for the samples.
pub fn all() -> Vec<Seed> {
    let mut seeds = written();
    seeds.extend(literals::all());
    seeds.extend(samples());
    seeds
}

/// Small meshes with arrays and groups, as our writers put them.
fn written() -> Vec<Seed> {
    let mut solid = shapes::bar([2, 1, 1], [2.0, 1.0, 1.0], shapes::Split::Five);
    solid.triangles = topology::boundary_faces(&solid.tets);
    decorate(&mut solid);
    let mut sheet = match shapes::cloth([2, 2], [1.0, 1.0]) {
        Ok(sheet) => sheet,
        Err(e) => panic!("the seed sheet: {e}"),
    };
    decorate(&mut sheet);
    let mut seeds = Vec::new();
    for mesh in [&solid, &sheet] {
        type Writer = fn(&Mesh, &mut dyn std::io::Write) -> std::io::Result<()>;
        let writers: [(&str, Writer); 6] = [
            ("m.msh", formats::gmsh::write),
            ("m.vtu", formats::vtu::write),
            ("m.obj", formats::obj::write),
            ("m.ply", formats::ply::write),
            ("m.stl", formats::stl::write),
            ("m.glb", formats::gltf_write::write),
        ];
        for (name, write) in writers {
            let mut bytes = Vec::new();
            if write(mesh, &mut bytes).is_ok() {
                seeds.push(Seed::new(name, bytes));
            }
        }
    }
    let (mut node, mut ele) = (Vec::new(), Vec::new());
    let pair = formats::tetgen::write_node(&solid, &mut node)
        .and_then(|()| formats::tetgen::write_ele(&solid, &mut ele));
    if pair.is_ok() {
        seeds.push(Seed::new("m.node", node.clone()).with("m.ele", ele.clone()));
        seeds.push(Seed::new("m.ele", ele).with("m.node", node));
    }
    seeds.extend(animated(&sheet));
    seeds
}

/// The sheet as it is lifted, with a morph target for each frame that differs from it.
fn animated(sheet: &Mesh) -> Option<Seed> {
    let lifted = |z: f32| -> Vec<[f32; 3]> {
        sheet.points.iter().map(|p| [p[0] as f32, p[1] as f32, z * p[0] as f32]).collect()
    };
    let animation = formats::gltf_write::Animation {
        name: "lift",
        triangles: &sheet.triangles,
        rest: &lifted(0.0),
        frames: &[0.0, 1.0, 3.0].map(lifted).to_vec(),
        times: &[0.0, 0.5, 2.0],
        colors: None,
    };
    let mut bytes = Vec::new();
    formats::gltf_write::write_animation(&animation, &mut bytes).ok()?;
    Some(Seed::new("lift.glb", bytes))
}

fn decorate(mesh: &mut Mesh) {
    let ramp = |n: usize| (0..n).map(|i| i as f64).collect::<Vec<f64>>();
    let points = mesh.points.len();
    mesh.point_data.push(DataArray::scalar("heat", ramp(points)));
    let values = ramp(3 * points);
    mesh.point_data.push(DataArray { name: "wind".into(), components: 3, values });
    mesh.tet_data.push(DataArray::scalar("region", vec![1.0; mesh.tets.len()]));
    mesh.triangle_data.push(DataArray::scalar("patch", vec![2.0; mesh.triangles.len()]));
    let group = |name: &str, domain, members| Group { name: name.into(), domain, members };
    mesh.groups.push(group("grip", Domain::Points, vec![0, 1, 3]));
    if !mesh.tets.is_empty() {
        mesh.groups.push(group("core", Domain::Tets, vec![0, 2]));
    }
}

/// Small sample files, by name.
fn samples() -> Vec<Seed> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(|| default.into(), PathBuf::from);
    let mut files = BTreeMap::new();
    for part in ["tet", "formats", "defects", "surface", "volume"] {
        let Ok(entries) = std::fs::read_dir(folder.join(part)) else { continue };
        for path in entries.flatten().map(|e| e.path()) {
            let small = path.metadata().is_ok_and(|m| m.len() <= SMALL);
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
            let skipped = [".bin", ".raw", ".mhd", ".poly", ".face", ".json", ".md"];
            if small
                && !skipped.iter().any(|s| name.ends_with(s))
                && let Ok(bytes) = std::fs::read(&path)
            {
                files.insert(name, (path, bytes));
            }
        }
    }
    if files.is_empty() {
        println!("no sample files in {} (set PLIANT_DATA)", folder.display());
    }
    files.iter().map(|(name, (path, bytes))| with_companions(name, path, bytes)).collect()
}

/// Gives TetGen files their other half and glTF files the buffers in their folder.
fn with_companions(name: &str, path: &Path, bytes: &[u8]) -> Seed {
    let mut seed = Seed::new(name, bytes);
    let belongs = |other: &Path| match seed.kind.as_str() {
        "node" => other == path.with_extension("ele"),
        "ele" => other == path.with_extension("node"),
        "gltf" => other.extension().is_some_and(|e| e == "bin"),
        _ => false,
    };
    let neighbours = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut companions: Vec<PathBuf> = neighbours
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|other| belongs(other))
        .collect();
    companions.sort();
    for other in companions {
        if let (Some(name), Ok(bytes)) = (other.file_name(), std::fs::read(&other)) {
            seed = seed.with(&name.to_string_lossy(), bytes);
        }
    }
    seed
}

#[cfg(test)]
mod tests {
    use pliant_mesh::formats::gltf::AnimatedMesh;

    use super::*;
    use crate::fuzz::trial;

    /// Damage tests a reader only as far as it gets, so undamaged seeds must be accepted.
    #[test]
    fn written_seeds_and_literals_are_read() {
        let mut seeds = written();
        assert_eq!(seeds.len(), 15, "a writer refused its seed");
        seeds.extend(literals::all());
        // A picture, not a mesh: there to be refused.
        seeds.retain(|s| s.name != "grid.vtk");
        for seed in seeds {
            let mesh = trial::read(&seed).unwrap_or_else(|e| panic!("{}: {e}", seed.name));
            assert!(mesh.tets.len() + mesh.triangles.len() > 0, "{}", seed.name);
            if ["lift.glb", "skinned.gltf"].contains(&seed.name.as_str()) {
                let read = AnimatedMesh::from_bytes(&seed.bytes, &seed.name, &seed.companions);
                assert_eq!(read.unwrap_or_else(|e| panic!("{}: {e}", seed.name)).clips().len(), 1);
            }
        }
    }
}
