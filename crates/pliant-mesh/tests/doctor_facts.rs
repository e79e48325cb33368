//! The doctor's measures against facts that independent programs found about real files.

use std::path::PathBuf;

use pliant_mesh::doctor::{Code, Report, examine, repair};
use pliant_mesh::load;
use serde_json::Value;

/// The sample meshes' facts, with the path of each; empty (and a word about it) without them.
fn facts(kind: &str) -> Vec<(PathBuf, Value)> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(|| default.into(), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join("facts.json")) else {
        eprintln!("skipped: no facts.json in {} (set PLIANT_DATA)", folder.display());
        return Vec::new();
    };
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let of_kind = all.into_iter().filter(|f| f["kind"] == kind);
    of_kind.map(|f| (folder.join(f["file"].as_str().unwrap()), f)).collect()
}

fn expect_counts(file: &str, fact: &Value, found: &[(&str, usize)]) {
    for (name, found) in found {
        assert_eq!(fact[name].as_u64(), Some(*found as u64), "{name} of {file}");
    }
}

fn expect_near(file: &str, name: &str, fact: &Value, found: f64) {
    let expected = fact[name].as_f64().unwrap();
    // The program that measured surfaces rounds coordinates to single precision.
    let (scale, relative) = match fact["absvol"].as_f64() {
        Some(volume) => (volume, 1e-9),
        None => (expected.abs(), 1e-7),
    };
    let off = (found - expected).abs();
    assert!(off <= relative * scale, "{name} of {file}: {found}, not {expected}");
}

#[test]
fn tetrahedral_files() {
    for (path, fact) in facts("tet") {
        let file = fact["file"].as_str().unwrap();
        let mut mesh = load(&path).unwrap_or_else(|e| panic!("{e}")).mesh;
        // The facts are about the tetrahedra alone.
        mesh.triangles.clear();
        mesh.triangle_data.clear();
        let report: Report = examine(&mesh);
        expect_counts(
            file,
            &fact,
            &[
                ("verts", report.vertices),
                ("tets", report.tets),
                ("neg", report.inverted),
                ("zero", report.flat),
                ("used_verts", report.vertices - report.unused_points),
                ("faces_all", report.faces),
                ("bfaces", report.boundary_faces),
                ("bverts", report.boundary_vertices),
                ("nonman_bedges", report.non_manifold_edges),
                ("comps", report.components),
                ("dup_pts", report.duplicate_points),
            ],
        );
        assert_eq!(report.open_edges, 0, "{file}");
        expect_near(file, "vol", &fact, report.volume);

        repair(&mut mesh);
        let mended = examine(&mesh);
        assert_eq!(mended.inverted, 0, "{file}");
        expect_near(file, "absvol", &fact, mended.volume);
    }
}

#[test]
fn surface_files() {
    for (path, fact) in facts("surf") {
        let file = fact["file"].as_str().unwrap();
        if fact["f"] == 0 {
            continue;
        }
        let report = examine(&load(&path).unwrap_or_else(|e| panic!("{e}")).mesh);
        expect_counts(file, &fact, &[("f", report.triangles)]);
        let flat = [Code::RepeatedCornerTriangles, Code::FlatTriangles]
            .map(|code| report.finding(code).map_or(0, |f| f.count));
        // The facts count edges of triangles without area, which the doctor names instead.
        if fact["deg"] == 0 {
            let edges = [("open", report.open_edges), ("nonman", report.non_manifold_edges)];
            expect_counts(file, &fact, &edges);
            assert_eq!(flat, [0, 0], "{file}");
        } else {
            expect_counts(file, &fact, &[("deg", flat[0] + flat[1])]);
        }
        expect_near(file, "area", &fact, report.area);
        if fact["open"] == 0 && fact["wind"] == true {
            expect_near(file, "vol", &fact, report.volume);
        }
    }
}
