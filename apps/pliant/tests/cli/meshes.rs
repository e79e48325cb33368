//! `pliant mesh`.

use std::path::Path;

use pliant::mesh::{Mesh, formats, shapes};

use crate::support::{Place, mesh};

fn bar() -> Mesh {
    shapes::bar([3, 2, 1], [3.0, 2.0, 1.0], shapes::Split::Six)
}

fn place_with_bar() -> Place {
    let place = Place::new();
    formats::save(&bar(), &place.path("bar.vtu")).unwrap();
    place
}

#[test]
fn info_counts_and_measures() {
    let place = place_with_bar();
    let info = place.pliant(&["mesh", "info", "bar.vtu", "--json"]).exits(0).json();
    let expected = [
        ("vertices", 24),
        ("tets", 36),
        ("triangles", 0),
        ("boundary_faces", 44),
        ("components", 1),
        ("inverted", 0),
        ("open_edges", 0),
    ];
    for (key, value) in expected {
        assert_eq!(info[key], value, "{key}");
    }
    assert!((info["volume"].as_f64().unwrap() - 6.0).abs() < 1e-9);
    assert_eq!(info["bounds"][1][0], 3.0);
    assert_eq!(info["format"], "VTU");
    for key in ["warnings", "arrays", "groups", "findings"] {
        assert!(info[key].is_array(), "{key}");
    }
    assert!(info["quality"]["min_dihedral"].is_number());
    let texts = ["bar.vtu (VTU)", "vertices", "36", "6.000000 m³"];
    place.pliant(&["mesh", "info", "bar.vtu"]).exits(0).says(&texts);
}

#[test]
fn several_files_give_an_array_that_keeps_failures() {
    let place = place_with_bar();
    let said = place.pliant(&["mesh", "info", "bar.vtu", "no.vtu", "bar.vtu", "--json"]).exits(1);
    let list = said.json();
    assert_eq!(list.as_array().unwrap().len(), 3);
    assert_eq!(list[2]["tets"], 36);
    assert!(list[1]["error"]["message"].as_str().unwrap().contains("no such file"), "{said}");
}

#[test]
fn check_fails_only_on_errors() {
    let place = place_with_bar();
    place.pliant(&["mesh", "check", "bar.vtu"]).exits(0).says(&["nothing is wrong"]);
    let said = place.pliant(&["mesh", "check", "-q", "bar.vtu"]).exits(0);
    assert_eq!(said.out.trim(), "");
    let mut broken = bar();
    broken.points[5][1] = f64::NAN;
    formats::save(&broken, &place.path("broken.vtu")).unwrap();
    let said = place.pliant(&["mesh", "check", "broken.vtu", "--json"]).exits(1).json();
    assert_eq!(said["ok"], false);
    assert_eq!(said["worst"], "error");
    assert_eq!(said["findings"][0]["code"], "not-finite-points");
    place.pliant(&["mesh", "check", "broken.vtu"]).exits(1).says(&["error: ", "finite"]);
}

#[test]
fn convert_repairs_scales_and_changes_format() {
    let place = Place::new();
    let mut twisted = bar();
    twisted.tets[3].swap(0, 1);
    formats::save(&twisted, &place.path("twisted.vtu")).unwrap();
    let args = ["mesh", "convert", "twisted.vtu", "new/bar.msh", "--repair", "--scale", "0.5"];
    place.pliant(&args).exits(0).says(&["24 vertices, 36 tetrahedra"]).complains(&["repaired"]);
    let converted = mesh(&place.path("new/bar.msh"));
    assert_eq!(converted.tets.len(), 36);
    assert!((converted.volume() - 6.0 / 8.0).abs() < 1e-9);
    for name in ["bar.obj", "bar.ply", "bar.stl", "bar.glb", "bar.node"] {
        let said = place.pliant(&["mesh", "convert", "new/bar.msh", name, "--json"]).exits(0);
        assert_eq!(said.json()["output"], name);
        let back = mesh(&place.path(name));
        assert!((back.volume() - 0.75).abs() < 1e-6, "{name}: {}", back.volume());
    }
}

#[test]
fn bad_files_are_named_with_place_and_remedy() {
    let place = place_with_bar();
    let said = place.pliant(&["mesh", "info", "nothing.obj"]).exits(1);
    said.complains(&["nothing.obj", "no such file", "help: Check the path"]);
    place.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 one 0\nf 1 2 3\n");
    let said = place.pliant(&["mesh", "info", "bad.obj", "--json"]).exits(1);
    let error = &said.json()["error"];
    assert_eq!(error["line"], 3, "{said}");
    assert_eq!(error["file"], "bad.obj");
    said.complains(&["bad.obj, line 3 (OBJ)"]);
    place.pliant(&["mesh", "convert", "bar.vtu", "bar.xyz"]).exits(1).complains(&["extension"]);
    place.write("file", "in the way");
    place
        .pliant(&["mesh", "convert", "bar.vtu", "file/bar.obj"])
        .exits(1)
        .complains(&["file/bar.obj"]);
    place.pliant(&["mesh", "info", "."]).exits(1).complains(&["folder"]);
}

#[test]
fn the_bunny_has_its_published_counts() {
    let data = std::env::var("PLIANT_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let bunny = Path::new(&data).join("tet/bunny.node");
    if !bunny.exists() {
        eprintln!("skipped: there is no {}; set PLIANT_DATA to the data folder", bunny.display());
        return;
    }
    let said = Place::new().pliant(&["mesh", "info", "--json", bunny.to_str().unwrap()]).exits(0);
    let info = said.json();
    let counts = ["vertices", "tets", "boundary_faces"].map(|k| info[k].as_u64().unwrap());
    assert_eq!(counts, [3098, 11216, 5020]);
}
