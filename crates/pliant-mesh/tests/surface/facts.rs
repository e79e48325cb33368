//! Files from the wild, with counts and measures found by other people's readers.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pliant_mesh::{Domain, Mesh};
use serde_json::Value;

use super::{area, read_path, volume};

/// The folder of test files; `None`, said aloud, where it is absent.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let there = folder.join("facts.json").exists();
    if !there {
        println!("skipped: no test files in {} (set PLIANT_DATA)", folder.display());
    }
    there.then_some(folder)
}

fn facts(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("facts.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    all.into_iter().filter(|fact| fact["kind"] == "surf").collect()
}

fn distinct_used_points(mesh: &Mesh) -> usize {
    let used = mesh.triangles.as_flattened().iter().map(|&c| mesh.points[c as usize]);
    used.map(|p| p.map(|x| (x + 0.0).to_bits())).collect::<HashSet<_>>().len()
}

/// How many points the reader should give.
fn expected_points(file: &str, fact: &Value) -> u64 {
    let key = match file.rsplit('.').next().unwrap() {
        "obj" => "obj_v",
        // Connected by coordinates.
        "stl" | "STL" => "vm",
        // The other reader split the fuze's points by texture coordinate.
        _ if file.contains("fuze") => "vm",
        _ => "v",
    };
    fact[key].as_u64().unwrap()
}

#[test]
fn counts_and_measures_agree_with_other_readers() {
    let Some(folder) = data() else { return };
    let mut checked = 0;
    for fact in facts(&folder) {
        let file = fact["file"].as_str().unwrap();
        let (mesh, warnings) = read_path(&folder.join(file));
        assert_eq!(mesh.points.len() as u64, expected_points(file, &fact), "points of {file}");
        assert_eq!(mesh.triangles.len() as u64, fact["f"].as_u64().unwrap(), "triangles of {file}");
        assert_eq!(
            distinct_used_points(&mesh) as u64,
            fact["vm"].as_u64().unwrap(),
            "welded {file}"
        );
        let (vol, surface) = (fact["vol"].as_f64().unwrap(), fact["area"].as_f64().unwrap());
        let near = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-6 * b.abs().max(1e-6 * scale);
        assert!(near(area(&mesh), surface, surface), "area of {file}: {} {surface}", area(&mesh));
        let scale = surface.powf(1.5);
        // An open or contradictory surface has no volume: readers differ in what they call it.
        let closed = fact["open"] == 0 && fact["wind"] == true;
        assert!(
            !closed || near(volume(&mesh), vol, scale),
            "volume of {file}: {} {vol}",
            volume(&mesh)
        );
        assert_eq!(
            mesh.points.is_empty(),
            warnings.iter().any(|w| w.contains("is empty")),
            "{file}"
        );
        checked += 1;
    }
    assert!(checked >= 38, "only {checked} files checked");
}

#[test]
fn odd_files_say_what_was_odd() {
    let Some(folder) = data() else { return };
    for (file, expected) in [
        ("defects/notenoughindices.obj", "left out 1 face with fewer than 3 corners"),
        (
            "defects/number_formats.obj",
            "6 coordinates have characters behind the number, which were ignored",
        ),
        ("defects/triangle_with_empty_solid.stl", "1 of 2 solids are empty"),
        ("defects/empty.stl", "the file holds no points: the mesh is empty"),
        ("defects/empty.obj", "the file holds no points: the mesh is empty"),
        ("defects/empty.ply", "the file holds no points: the mesh is empty"),
    ] {
        assert_eq!(read_path(&folder.join(file)).1, [expected], "{file}");
    }
    for file in ["surface/human_makehuman_base.obj", "defects/wallhole.obj", "defects/busted.STL"] {
        assert!(read_path(&folder.join(file)).1.is_empty(), "{file}");
    }
}

#[test]
fn number_forms_have_the_values_that_c_reads() {
    let Some(folder) = data() else { return };
    let (mesh, _) = read_path(&folder.join("defects/number_formats.obj"));
    let rows = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [100.0, 20.0, 310.0]];
    assert_eq!(mesh.points[1..5], rows);
    assert_eq!(mesh.points[7], [100.0, 20.0, 3.1]);
    assert_eq!(mesh.points[10], [0.01, 0.2, 3.1]);
    assert_eq!(mesh.points[13..], [[1e10, 20.0, 3.1e10], [100.0, 20.0, 310.0]]);
}

#[test]
fn nan_colours_do_not_hurt_the_points() {
    let Some(folder) = data() else { return };
    let (mesh, _) = read_path(&folder.join("defects/nancolor.obj"));
    let color = mesh.point_array("color").unwrap();
    assert_eq!(color.tuple_count(), 8);
    assert!(color.tuple(6).iter().all(|x| x.is_nan()));
    assert_eq!(color.tuple(7), [0.6701, 0.9693, 0.5287]);
}

#[test]
fn groups_and_solids_are_found() {
    let Some(folder) = data() else { return };
    let (human, _) = read_path(&folder.join("surface/human_makehuman_base.obj"));
    // 13,378 quads stand below `g body` lines.
    let text = std::fs::read_to_string(folder.join("surface/human_makehuman_base.obj")).unwrap();
    let mut in_body = false;
    let quads = text.lines().filter(|line| {
        if let Some(name) = line.strip_prefix("g ") {
            in_body = name.trim() == "body";
        }
        in_body && line.starts_with("f ")
    });
    let body = human.group("body", Domain::Triangles).unwrap();
    assert_eq!(body.members.len(), 2 * quads.count());
    assert!(body.members.len() > 20_000);

    let (bodies, _) = read_path(&folder.join("defects/multibody.stl"));
    let sizes: Vec<_> = bodies.groups.iter().map(|g| (&g.name[..], g.members.len())).collect();
    assert_eq!(sizes.iter().map(|s| s.1).sum::<usize>(), 32);
    assert_eq!([sizes[0].0, sizes[1].0], ["bodyB", "bodyA"]);
}

#[test]
fn twins_hold_the_same_mesh() {
    let Some(folder) = data() else { return };
    let read = |name: &str| read_path(&folder.join("formats").join(name)).0;
    let ascii = read("ply_suzanne_ascii.ply");
    assert_eq!(read("ply_suzanne_le.ply"), read("ply_suzanne_be.ply"));
    assert_eq!(single_precision(&ascii), read("ply_suzanne_le.ply"));

    let (text, binary) = (read("ply_ascii_fuze.ply"), read("ply_binary_le_fuze.ply"));
    assert_eq!(text.triangles, binary.triangles);
    assert_eq!(text.point_data, binary.point_data);
    assert_eq!(text.point_array("color").unwrap().tuple(0), [192.0, 192.0, 192.0, 255.0]);
    for (a, b) in text.points.iter().zip(&binary.points) {
        // The text has six decimals.
        assert!((0..3).all(|k| (a[k] - b[k]).abs() <= 0.51e-6), "{a:?} {b:?}");
    }

    let (text, binary) = (read("stl_ascii_spider.stl"), read("stl_binary_spider.stl"));
    assert_eq!(text.triangles, binary.triangles);
    assert_eq!(text.points.len(), binary.points.len());
}

fn single_precision(mesh: &Mesh) -> Mesh {
    let mut mesh = mesh.clone();
    mesh.points.iter_mut().for_each(|p| *p = p.map(|x| f64::from(x as f32)));
    mesh
}

#[test]
fn a_directx_cube_is_whole() {
    let Some(folder) = data() else { return };
    let (cube, warnings) = read_path(&folder.join("formats/directx_cube_text.x"));
    assert_eq!((cube.points.len(), cube.triangles.len()), (24, 12));
    assert_eq!(distinct_used_points(&cube), 8);
    // This cube is inside out by the rules of its own format: its normals contradict its corners.
    assert!((volume(&cube) + 8.0).abs() < 1e-5, "{}", volume(&cube));
    assert!((area(&cube) - 24.0).abs() < 1e-5);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_duck_stands_on_its_feet() {
    let Some(folder) = data() else { return };
    let (duck, _) = read_path(&folder.join("formats/glb_duck.glb"));
    let [low, high] = duck.bounds().unwrap();
    // The duck is 1.54 high and stands a little above the ground, which is z here and y in the file.
    assert!(low[2] > 0.0 && (high[2] - low[2] - 1.54).abs() < 0.01, "{low:?} {high:?}");
}
