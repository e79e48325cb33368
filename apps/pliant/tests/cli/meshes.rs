//! `pliant mesh`.

use std::path::Path;

use pliant::mesh::formats::gltf_write::{Animation, write_animation};
use pliant::mesh::formats::vtu::write_pvd;
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

/// `lift.glb`: a triangle that is lifted by 1 m within 2 s.
fn place_with_lift() -> Place {
    let place = Place::new();
    let at = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let animation = Animation {
        name: "lift",
        triangles: &[[0, 1, 2]],
        rest: &at(0.0),
        frames: &vec![at(0.0), at(1.0)],
        times: &[0.0, 2.0],
        colors: None,
    };
    let mut glb = Vec::new();
    write_animation(&animation, &mut glb).unwrap();
    place.write("lift.glb", glb);
    place
}

fn height(place: &Place, name: &str) -> f64 {
    mesh(&place.path(name)).points[0][2]
}

#[test]
fn animations_are_listed_and_poses_written() {
    let place = place_with_lift();
    let info = place.pliant(&["mesh", "info", "lift.glb", "--json"]).exits(0).json();
    let clip = &info["animations"][0];
    assert_eq!(*clip, serde_json::json!({"name": "lift", "duration": 2.0, "channels": 1}));
    assert_eq!((&info["morph_targets"], &info["skins"]), (&1.into(), &serde_json::json!([])));
    let said = place.pliant(&["mesh", "info", "lift.glb"]).exits(0);
    said.says(&["animation", "0 \"lift\", 2.000 s, 1 channels", "morph targets   1"]);

    let convert = |more: &[&str]| {
        place.pliant(&[&["mesh", "convert", "lift.glb", "pose.obj"], more].concat())
    };
    for (more, z) in [
        (&["--time", "0.5"][..], 0.25),
        (&["--time", "1.5", "--animation", "lift"], 0.75),
        (&["--time", "1", "--animation", "0", "--scale", "2"], 1.0),
        (&[], 0.0),
    ] {
        convert(more).exits(0).says(&["3 vertices"]);
        assert!((height(&place, "pose.obj") - z).abs() < 1e-6, "{more:?}");
    }
    convert(&["--time", "5"]).exits(0).complains(&["from 0 s to 2 s", "at its end"]);
    let said = convert(&["--time", "0", "--animation", "fall"]).exits(1);
    said.complains(&["lift.glb", "no animation \"fall\"", "help: It has 0 \"lift\""]);
    convert(&["--animation", "lift"]).exits(2).complains(&["--time"]);
    convert(&["--time", "soon"]).exits(2).complains(&["finite number"]);
}

#[test]
fn moments_of_a_series_are_written() {
    let place = Place::new();
    std::fs::create_dir(place.path("frames")).unwrap();
    for i in 0..3 {
        let mut frame = bar();
        frame.points.iter_mut().for_each(|p| p[2] += f64::from(i));
        formats::save(&frame, &place.path(&format!("frames/bar-{i}.vtu"))).unwrap();
    }
    let mut list = Vec::new();
    let names = ["frames/bar-0.vtu", "frames/bar-1.vtu", "frames/bar-2.vtu"];
    write_pvd(&[(1.0, names[0]), (3.0, names[1]), (4.0, names[2])], &mut list).unwrap();
    place.write("bar.pvd", list);
    let convert = |input: &str, more: &[&str]| {
        place.pliant(&[&["mesh", "convert", input, "now.vtu"], more].concat())
    };
    for (input, more, z) in [
        ("bar.pvd", &["--time", "2"][..], 0.5),
        ("frames", &["--time", "0.06"], 1.5),
        ("frames/bar-*.vtu", &["--time", "0.5", "--interval", "1"], 0.5),
    ] {
        convert(input, more).exits(0).says(&["24 vertices, 36 tetrahedra"]);
        assert!((height(&place, "now.vtu") - z).abs() < 1e-9, "{input}");
    }
    convert("bar.pvd", &[]).exits(1).complains(&["lists the frames of a series", "--time"]);
    convert("frames", &["--time", "0", "--animation", "a"]).exits(2).complains(&["leave"]);
    convert("frames/bar-0.vtu", &["--time", "0"]).exits(1).complains(&["holds no animations"]);
    let other = shapes::bar([2, 2, 1], [3.0, 2.0, 1.0], shapes::Split::Six);
    formats::save(&other, &place.path("frames/bar-1.vtu")).unwrap();
    let said = convert("frames", &["--time", "0"]).exits(1);
    said.complains(&["bar-1.vtu", "has 18 points, but the first frame has 24"]);
}

#[test]
fn height_maps_become_ground() {
    let place = Place::new();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let heights = [0u16, 0, 65535, 0, 0, 0].map(u16::to_be_bytes);
    encoder.write_header().unwrap().write_image_data(heights.as_flattened()).unwrap();
    place.write("heights.png", bytes);
    let convert = |more: &[&str]| {
        place.pliant(&[&["mesh", "convert", "heights.png", "ground.obj"], more].concat())
    };
    convert(&["--size", "4,1.5", "--height", "2"]).exits(0).says(&["6 vertices", "4 triangles"]);
    let ground = mesh(&place.path("ground.obj"));
    assert_eq!(ground.bounds().unwrap(), [[0.0; 3], [4.0, 1.5, 2.0]]);
    // The upper right corner of the picture is the far one.
    assert_eq!(ground.points[5], [4.0, 1.5, 2.0]);
    convert(&[]).exits(1).complains(&["is a picture", "--size"]);
    convert(&["--size", "4,1"]).exits(2).complains(&["--height"]);
    convert(&["--size", "4", "--height", "1"]).exits(2).complains(&["such as 20,10"]);
    place.write("heights.png", "\u{0}");
    convert(&["--size", "4,1", "--height", "1"]).exits(1).complains(&["heights.png", "Give a PNG"]);
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

/// Two triangles of a sheet, and one that pierces the first of them.
const PIERCED: &str = "\
v 0 0 0
v 1 0 0
v 0 1 0
v 1 1 0
v 0.2 0.2 -1
v 0.3 0.2 1
v 0.2 0.3 1
f 1 2 3
f 2 4 3
f 5 6 7
";

#[test]
fn contacts_are_counted_and_named() {
    let place = Place::new();
    std::fs::write(place.path("pierced.obj"), PIERCED).unwrap();
    let ask = ["mesh", "contacts", "pierced.obj", "--radius", "0.3", "--json"];
    let found = place.pliant(&ask).exits(0).json();
    assert_eq!(found["intersections"], 1);
    assert_eq!(found["nearest"], 0.0);
    assert_eq!(found["triangles"], 3);
    assert!(found["edge_edge"].as_u64().unwrap() > 0);
    assert!(found["pairs"].is_null());
    let found = place.pliant(&[&ask[..], &["--pairs", "--threads", "1"]].concat()).exits(0).json();
    assert_eq!(found["pairs"]["intersections"][0][0], 0);
    assert_eq!(found["pairs"]["intersections"][0][1], 2);
    let listed = found["pairs"]["edge_edge"].as_array().unwrap().len() as u64;
    assert_eq!(found["edge_edge"].as_u64(), Some(listed));
    let said = place.pliant(&["mesh", "contacts", "pierced.obj", "--radius", "0.3", "--pairs"]);
    said.exits(0).says(&["3 triangles", "intersections     1", "triangle 0 crosses 2"]);
}

#[test]
fn contacts_between_two_meshes_leave_out_those_within() {
    let place = Place::new();
    std::fs::write(place.path("pierced.obj"), PIERCED).unwrap();
    std::fs::write(place.path("above.obj"), PIERCED.replace(" 0\n", " 0.1\n")).unwrap();
    let ask = ["mesh", "contacts", "pierced.obj", "above.obj", "--radius", "0.05", "--json"];
    let found = place.pliant(&ask).exits(0).json();
    assert_eq!(found["triangles"], 6);
    // The piercing triangle of each meets the sheet and its like of the other one.
    assert_eq!(found["intersections"], 3);
}

#[test]
fn questions_about_contacts_that_have_no_answer() {
    let place = place_with_bar();
    std::fs::write(place.path("points.obj"), "v 0 0 0\nv 1 0 0\n").unwrap();
    place.pliant(&["mesh", "contacts", "bar.vtu"]).exits(2).complains(&["--radius"]);
    let zero = ["mesh", "contacts", "bar.vtu", "--radius", "0"];
    place.pliant(&zero).exits(2).complains(&["finite number above 0"]);
    let nothing = ["mesh", "contacts", "bar.vtu", "nothing.obj", "--radius", "1"];
    place.pliant(&nothing).exits(1).complains(&["nothing.obj"]);
    // Of a volume mesh the boundary is looked at.
    let bar = ["mesh", "contacts", "bar.vtu", "--radius", "0.5", "--json"];
    let found = place.pliant(&bar).exits(0).json();
    assert_eq!((&found["triangles"], &found["intersections"]), (&44.into(), &0.into()));
    assert!(found["nearest"].is_null());
}

#[test]
fn check_names_triangles_that_cross() {
    let place = Place::new();
    std::fs::write(place.path("pierced.obj"), PIERCED).unwrap();
    let said = place.pliant(&["mesh", "check", "pierced.obj", "--json"]).exits(0).json();
    let findings = said["findings"].as_array().unwrap();
    let found = findings.iter().find(|f| f["code"] == "crossing-triangles").unwrap();
    assert_eq!((&found["count"], &found["severity"]), (&1.into(), &"warning".into()));
    assert_eq!(found["subject"], "triangle-pairs");
    assert_eq!(found["first"].as_array().unwrap().len(), 2);
    let texts = ["1 pair of triangles", "(0 and 2)", "Move them apart"];
    place.pliant(&["mesh", "check", "pierced.obj"]).exits(0).says(&texts);
}
