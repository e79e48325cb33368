//! Files of the shared collection, in both VTK formats.

use std::path::PathBuf;

use serde_json::Value;

use crate::Mesh;
use crate::formats::{Input, vtk, vtu};
use crate::geometry::signed_volume;
use crate::source::Memory;

fn data(name: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let bytes = std::fs::read(folder.join(name)).ok();
    if bytes.is_none() {
        eprintln!("skipped: {name} is not in {}", folder.display());
    }
    bytes
}

fn load(name: &str) -> Option<Mesh> {
    let bytes = data(name)?;
    let mut warnings = Vec::new();
    let companions = Memory::default();
    let mut input = Input { bytes: &bytes, name, companions: &companions, warnings: &mut warnings };
    let read = if name.ends_with(".vtk") { vtk::read } else { vtu::read };
    Some(read(&mut input).unwrap_or_else(|e| panic!("{name}: {e}")))
}

#[test]
fn shared_files_agree_with_independent_facts() {
    let Some(facts) = data("facts.json") else { return };
    let facts: Vec<Value> = serde_json::from_slice(&facts).unwrap();
    let mut checked = 0;
    for fact in &facts {
        let name = fact["file"].as_str().unwrap();
        if !name.ends_with(".vtk") && !name.ends_with(".vtu") {
            continue;
        }
        let mesh = load(name).unwrap();
        assert_eq!(mesh.points.len() as u64, fact["verts"].as_u64().unwrap(), "{name}");
        for (array, facts) in fact["arrays"].as_object().unwrap() {
            let found =
                &mesh.point_array(array).unwrap_or_else(|| panic!("{name}: {array}")).values;
            let low = found.iter().copied().fold(f64::INFINITY, f64::min);
            let high = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // All arrays of the collection hold 32-bit numbers or less.
            let fact = [1, 2].map(|k| facts[k].as_f64().unwrap() as f32);
            assert_eq!([low as f32, high as f32], fact, "{name}: {array}");
        }
        if fact["kind"] == "tet" {
            assert_eq!(mesh.tets.len() as u64, fact["tets"].as_u64().unwrap(), "{name}");
            let volumes: Vec<f64> =
                (0..mesh.tets.len()).map(|i| signed_volume(mesh.tet_points(i))).collect();
            let inverted = volumes.iter().filter(|v| **v < 0.0).count();
            assert_eq!(inverted as u64, fact["neg"].as_u64().unwrap(), "{name}");
            let sum: f64 = volumes.iter().map(|v| v.abs()).sum();
            let expected = fact["absvol"].as_f64().unwrap();
            assert!((sum - expected).abs() < 1e-9 * expected, "{name}: {sum} {expected}");
        }
        checked += 1;
    }
    assert_eq!(checked, 11);
}

#[test]
fn one_grid_in_seven_dresses() {
    let Some(reference) = load("volume/post.vtk") else { return };
    for form in ["ascii", "inline_base64", "inline_zlib", "appended_raw", "appended_base64"] {
        let mesh = load(&format!("formats/vtu_post_{form}.vtu")).unwrap();
        assert!(mesh == reference, "{form}");
    }
    assert!(load("formats/vtu_post_appended_raw_zlib_u64.vtu").unwrap() == reference);
}

#[test]
fn voxels_split_with_their_volume_and_arrays() {
    let Some(mesh) = load("formats/vtk_legacy_binary_voxels.vtk") else { return };
    let [low, high] = mesh.bounds().unwrap();
    let volume: f64 = (0..3).map(|k| high[k] - low[k]).product();
    assert!(volume > 0.0 && (mesh.volume() - volume).abs() < 1e-9 * volume);
    assert!((40..=48).contains(&mesh.tets.len()), "{}", mesh.tets.len());
    assert_eq!((mesh.point_data.len(), mesh.tet_data.len()), (7, 5));
    let tets = mesh.tets.len();
    assert!(mesh.tet_data.iter().all(|a| a.tuple_count() == tets));
    assert_eq!(mesh.tet_array("cVects").unwrap().components, 3);
}
