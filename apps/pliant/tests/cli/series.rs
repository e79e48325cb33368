//! Pictures and films of the series that runs write.

use std::path::Path;

use crate::support::{Place, gif_size, png_size};

/// A run of 100 steps of 1 ms with a frame every 20.
fn with_series() -> Place {
    let place = Place::with_scene();
    place.pliant(&["run", "bar.toml", "--vtu", "--every", "0.02", "--out", "o"]).exits(0);
    place
}

fn files(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().flatten().map(|e| e.file_name());
    let mut names: Vec<String> = names.map(|n| n.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn each_frame_of_a_series_becomes_a_picture() {
    let place = with_series();
    let said = place.pliant(&["render", "o/bar.pvd", "--size", "80x60"]).exits(0);
    said.says(&["bar-00000.png", "bar-00005.png", "6 files", "80 × 60"]);
    let names = files(&place.path("bar-frames"));
    assert_eq!(names, [0, 1, 2, 3, 4, 5].map(|i| format!("bar-0000{i}.png")));
    let pictures: Vec<_> = names
        .iter()
        .map(|name| std::fs::read(place.path("bar-frames").join(name)).unwrap())
        .collect();
    assert!(pictures.windows(2).all(|pair| pair[0] != pair[1]), "it falls");
    assert_eq!(png_size(&place.path("bar-frames/bar-00003.png")), [80, 60]);
}

#[test]
fn series_become_films_and_sheets() {
    let place = with_series();
    let films = ["--gif", "--mp4", "--sheet", "--size", "64x48", "--json"];
    let args = [&["render", "o/bar.pvd", "--out", "films"][..], &films].concat();
    let outputs = place.pliant(&args).exits(0).json()["outputs"].clone();
    let wanted = ["films/bar.gif", "films/bar.mp4", "films/bar-sheet.png"];
    assert_eq!(outputs, serde_json::json!(wanted));
    assert_eq!(gif_size(&place.path("films/bar.gif")), ([64, 48], 6));
    assert_eq!(png_size(&place.path("films/bar-sheet.png")), [4 * 68 - 4, 2 * 52 - 4]);
    assert_eq!(&std::fs::read(place.path("films/bar.mp4")).unwrap()[4..8], b"ftyp");

    // A folder with a list, one with frames only, and one frame stand for the same.
    for input in ["o", "o/vtu", "o/vtu/bar-00000060.vtu"] {
        let args = ["render", input, "--gif", "--fps", "10", "--size", "64x48", "--out", "again"];
        place.pliant(&args).exits(0);
        assert_eq!(gif_size(&place.path("again/bar.gif")), ([64, 48], 6), "{input}");
        std::fs::remove_file(place.path("again/bar.gif")).unwrap();
    }
}

#[test]
fn a_film_is_called_as_was_asked_for() {
    let place = with_series();
    let args = ["render", "o", "--mp4", "--out", "films/a.mp4", "--size", "64x48", "--json"];
    assert_eq!(place.pliant(&args).exits(0).json()["outputs"], serde_json::json!(["films/a.mp4"]));
    assert_eq!(&std::fs::read(place.path("films/a.mp4")).unwrap()[4..8], b"ftyp");
    assert_eq!(files(&place.path("films")), ["a.mp4"]);
    // The name says what it is to be.
    place.pliant(&["render", "o", "--out", "b.gif", "--size", "64x48"]).exits(0);
    assert_eq!(gif_size(&place.path("b.gif")), ([64, 48], 6));
    place.pliant(&["render", "o", "--sheet", "--out", "c.png", "--size", "64x48"]).exits(0);
    assert_eq!(png_size(&place.path("c.png")), [4 * 68 - 4, 2 * 52 - 4]);
}

#[test]
fn series_show_the_values_of_their_files() {
    let place = with_series();
    let mut sheets = Vec::new();
    for colour in ["body", "plain", "force", "stress", "speed"] {
        let args = ["render", "o", "--sheet", "--size", "64x48", "--colour", colour];
        place.pliant(&args).exits(0);
        let sheet = std::fs::read(place.path("bar-sheet.png")).unwrap();
        assert!(!sheets.contains(&sheet), "{colour} changes nothing");
        sheets.push(sheet);
    }
}

#[test]
fn meshes_of_other_tools_can_be_turned_upright() {
    let place = Place::new();
    // The same wedge with its height along z, along y and along x.
    let wedge = |turn: fn([i32; 3]) -> [i32; 3]| {
        let corners = [[0, 0, 0], [4, 0, 0], [0, 2, 0], [0, 0, 5]].map(turn);
        let lines = corners.map(|[x, y, z]| format!("v {x} {y} {z}\n"));
        lines.concat() + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    };
    place.write("z.obj", wedge(|p| p));
    place.write("y.obj", wedge(|[x, y, z]| [x, z, -y]));
    place.write("x.obj", wedge(|[x, y, z]| [z, x, y]));
    let draw = |file: &str, up: &str| {
        let args = ["render", file, "--up", up, "--size", "90x90", "--out", "p.png"];
        place.pliant(&args).exits(0);
        std::fs::read(place.path("p.png")).unwrap()
    };
    let upright = draw("z.obj", "z");
    assert_eq!(draw("y.obj", "y"), upright);
    assert_eq!(draw("x.obj", "X"), upright);
    assert_ne!(draw("y.obj", "z"), upright);
    place.pliant(&["render", "z.obj", "--up", "w"]).exits(2).complains(&["--up"]);
}

#[test]
fn what_is_no_series_is_refused() {
    let place = with_series();
    let refuse = |args: &[&str], code, words: &[&str]| {
        place.pliant(&[&["render"], args].concat()).exits(code).complains(words);
    };
    refuse(&["bar.toml", "--gif"], 2, &["bar.toml", "series", "--vtu"]);
    refuse(&["bar.toml", "--up", "y"], 2, &["bar.toml", "z is up"]);
    refuse(&["o/bar.pvd", "--gif", "--mp4", "--out", "film.gif"], 2, &["film.gif", "folder"]);
    refuse(&["o/bar.pvd", "--out", "film.png"], 2, &["film.png", "folder"]);
    refuse(&["o/bar.pvd", "--gif", "--fps", "0"], 2, &["--fps"]);
    refuse(&["lost.pvd", "--gif"], 1, &["lost.pvd", "no such file"]);
    refuse(&["o/vtu/lost-1.vtu", "--gif"], 1, &["lost-1.vtu", "no such file"]);
    refuse(&["."], 1, &["no .pvd and no .vtu", "--vtu"]);
    place.write("o/second.pvd", place.read("o/bar.pvd"));
    refuse(&["o"], 2, &["several series", "second.pvd"]);
    place.write("bad.pvd", "<VTKFile type=\"UnstructuredGrid\"/>");
    refuse(&["bad.pvd"], 1, &["bad.pvd", "lists no series"]);
    place.write("none.pvd", "<VTKFile type=\"Collection\"><Collection/></VTKFile>");
    refuse(&["none.pvd"], 1, &["none.pvd", "no frames"]);
    let entry = "<DataSet timestep=\"0\" file=\"gone-7.vtu\"/>";
    place.write("gone.pvd", format!("<VTKFile type=\"Collection\">{entry}</VTKFile>"));
    refuse(&["gone.pvd"], 1, &["gone-7.vtu", "no such file"]);
}
