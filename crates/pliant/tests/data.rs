//! Every file of the shared data folder: read with the counts that independent readers found, or
//! refused for the reason its note gives.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pliant::mesh::{self, Mesh, doctor, topology};
use serde_json::Value;
use support::data;

/// Files that must be refused, and a word of the reason.
const REFUSED: [(&str, &str); 4] = [
    ("defects/malformed_22_missing_node.msh", "node"),
    ("defects/malformed_41_missing_element.msh", "element"),
    ("volume/HeadMRVolume.mhd", "can be read"),
    ("volume/HeadMRVolume.raw", "can be read"),
];

/// Files that no independent reader described, with points, tetrahedra and triangles from the
/// folder's own notes.
const NOTED: [(&str, [usize; 3]); 4] = [
    ("surface/tshirt.msh", [2180, 0, 4265]),
    ("formats/directx_cube_text.x", [24, 0, 12]),
    ("formats/netgen_shaft.vol.gz", [958, 2690, 1748]),
    // Eight hexahedra of six tetrahedra each.
    ("formats/vtk_legacy_binary_voxels.vtk", [27, 48, 0]),
];

/// Parts of other files, or no meshes at all.
const NOT_MESHES: [&str; 6] = [
    "README.md",
    "SHA256SUMS",
    "facts.json",
    "formats/Mesh_PrimitiveMode_04.bin",
    "tet/tetgen_example.face",
    "tet/tetgen_example.poly",
];

fn files(folder: &Path, below: &str, into: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), &format!("{name}/"), into);
        } else {
            into.insert(name);
        }
    }
}

#[test]
fn every_file_of_the_data_folder_is_accounted_for() {
    let Some(facts_path) = data("facts.json") else { return };
    let folder = facts_path.parent().unwrap();
    let facts: Vec<Value> = serde_json::from_slice(&std::fs::read(&facts_path).unwrap()).unwrap();
    let facts: BTreeMap<&str, &Value> =
        facts.iter().map(|f| (f["file"].as_str().unwrap(), f)).collect();
    let mut all = BTreeSet::new();
    files(folder, "", &mut all);
    let mut checked = 0;
    for file in all.iter().filter(|f| !NOT_MESHES.contains(&f.as_str())) {
        let outcome = mesh::load(folder.join(file));
        if let Some((_, reason)) = REFUSED.iter().find(|(name, _)| name == file) {
            let error = outcome.expect_err(file).to_string();
            assert!(error.contains(reason), "{file}: {error}");
        } else {
            let mesh = outcome.unwrap_or_else(|e| panic!("{e}")).mesh;
            if let Some((_, counts)) = NOTED.iter().find(|(name, _)| name == file) {
                let found = [mesh.points.len(), mesh.tets.len(), mesh.triangles.len()];
                assert_eq!(found, *counts, "{file}");
            } else {
                let fact = facts.get(file.as_str()).unwrap_or_else(|| panic!("{file} is unknown"));
                match fact["kind"].as_str() {
                    Some("tet") => check_tets(file, &mesh, fact),
                    Some("surf") => check_surface(file, &mesh, fact),
                    kind => panic!("{file}: facts of kind {kind:?}"),
                }
            }
        }
        checked += 1;
    }
    println!("{checked} files checked");
    assert!(checked >= 78, "{checked}");
}

fn number(fact: &Value, key: &str) -> f64 {
    fact[key].as_f64().unwrap_or_else(|| panic!("{key} is missing in {fact}"))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1e-12)
}

fn check_tets(file: &str, mesh: &Mesh, fact: &Value) {
    let report = doctor::examine(mesh);
    let counts = [
        ("verts", report.vertices),
        ("tets", report.tets),
        ("neg", report.inverted),
        ("bfaces", report.boundary_faces),
        ("comps", report.components),
        ("dup_pts", report.duplicate_points),
        ("edges", topology::unique_edges(&mesh.tets, &[]).len()),
    ];
    for (key, ours) in counts {
        assert_eq!(ours as f64, number(fact, key), "{file}: {key}");
    }
    let volume = |i: usize| mesh::geometry::signed_volume(mesh.tet_points(i)).abs();
    let total: f64 = (0..mesh.tets.len()).map(volume).sum();
    assert!(close(total, number(fact, "absvol")), "{file}: volume {total}");
    for (name, range) in fact["arrays"].as_object().into_iter().flatten() {
        let array = mesh.point_array(name).unwrap_or_else(|| panic!("{file}: no array {name}"));
        let least = array.values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = array.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let expected = [&range[1], &range[2]].map(|v| v.as_f64().unwrap());
        assert!(close(least, expected[0]) && close(most, expected[1]), "{file}: {name}");
    }
}

fn check_surface(file: &str, mesh: &Mesh, fact: &Value) {
    assert_eq!(mesh.triangles.len() as f64, number(fact, "f"), "{file}: triangles");
    let used: BTreeSet<[u64; 3]> = mesh
        .triangles
        .iter()
        .flatten()
        .map(|&v| mesh.points[v as usize].map(|c| (c + 0.0).to_bits()))
        .collect();
    assert_eq!(used.len() as f64, number(fact, "vm"), "{file}: points after welding");
    let area: f64 = mesh.triangles.iter().map(|t| area(t.map(|v| mesh.points[v as usize]))).sum();
    assert!(close(area, number(fact, "area")), "{file}: area {area}");
    if fact["wt"].as_bool() == Some(true) && fact["wind"].as_bool() == Some(true) {
        assert!(close(mesh.volume(), number(fact, "vol")), "{file}: volume {}", mesh.volume());
    }
}

fn area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let (u, v): ([f64; 3], [f64; 3]) =
        (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
    let n: [f64; 3] = std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        u[i] * v[j] - u[j] * v[i]
    });
    0.5 * n.iter().map(|x| x * x).sum::<f64>().sqrt()
}
