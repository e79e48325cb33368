//! Pictures and films.

use crate::support::{Place, SCENE, gif_size, png_size};

#[test]
fn a_demo_can_be_looked_at_at_once() {
    let place = Place::new();
    let said = place.pliant(&["demo", "blob", "--steps", "500"]).exits(0);
    said.says(&["blob.gif", "any browser", "blob.png", "last frame", "blob.glb"]);
    assert_eq!(png_size(&place.path("pliant-out/blob/blob.png")), [640, 480]);
    assert_eq!(gif_size(&place.path("pliant-out/blob/blob.gif")), ([640, 480], 6));
    let more = ["demo", "cloth", "--steps", "160", "--size", "99x61", "--mp4", "--sheet", "--json"];
    let outputs = place.pliant(&more).exits(0).json()["outputs"].clone();
    let names = ["cloth.gif", "cloth.mp4", "cloth.png", "cloth-sheet.png"];
    for (output, name) in outputs.as_array().unwrap().iter().zip(names) {
        assert!(output.as_str().unwrap().ends_with(name), "{outputs}");
    }
    assert_eq!(png_size(&place.path("pliant-out/cloth/cloth.png")), [99, 61]);
}

#[test]
fn runs_are_drawn_as_scene_and_command_line_say() {
    let place = Place::new();
    let output = "[output]\nevery = 0.02\npicture = { size = [64, 48], colour = \"stress\" }\n";
    place.write("bar.toml", format!("{SCENE}{output}"));
    place.pliant(&["run", "bar.toml", "--png", "--gif", "--out", "o"]).exits(0);
    assert_eq!(png_size(&place.path("o/bar.png")), [64, 48]);
    assert_eq!(gif_size(&place.path("o/bar.gif")), ([64, 48], 6));
    let picture = std::fs::read(place.path("o/bar.png")).unwrap();
    let args = ["run", "bar.toml", "--png", "--out", "o", "--colour", "speed"];
    place.pliant(&args).exits(0);
    assert_ne!(std::fs::read(place.path("o/bar.png")).unwrap(), picture);
    let other = ["--set", "output.picture.size=[50,40]", "--set", "output.picture.colour=plain"];
    place.pliant(&[&["run", "bar.toml", "--sheet", "--out", "o"][..], &other].concat()).exits(0);
    assert_eq!(png_size(&place.path("o/bar-sheet.png")), [4 * 54 - 4, 2 * 44 - 4]);
}

#[test]
fn the_only_result_can_be_given_its_own_name() {
    let place = Place::new();
    let output = "[output]\nevery = 0.02\npicture = { size = [64, 48] }\n";
    place.write("bar.toml", format!("{SCENE}{output}"));
    let said = place.pliant(&["run", "bar.toml", "--mp4", "--out", "film.mp4"]).exits(0);
    said.says(&["film.mp4", "any player"]);
    let film = std::fs::read(place.path("film.mp4")).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
    // A name that ends as films do asks for one.
    place.pliant(&["run", "bar.toml", "--out", "some/where/a.gif"]).exits(0);
    assert_eq!(gif_size(&place.path("some/where/a.gif")), ([64, 48], 6));
    place.pliant(&["demo", "blob", "--steps", "60", "--out", "blob.png"]).exits(0);
    assert_eq!(png_size(&place.path("blob.png")), [640, 480]);
    assert!(!place.path("blob.gif").exists() && !place.path("pliant-out").exists());
    for (args, words) in [
        (&["--mp4", "--gif", "--out", "b.mp4"][..], ["b.mp4 is one file", "folder"]),
        (&["--mp4", "--out", "my film.mp4"], ["my film.mp4", "my-film.mp4"]),
    ] {
        let said = place.pliant(&[&["run", "bar.toml"][..], args].concat()).exits(2);
        said.complains(&words);
    }
    assert!(!place.path("b.mp4").exists());
}

#[test]
fn wishes_that_cannot_be_drawn_are_refused() {
    let place = Place::with_scene();
    for bad in [
        &["--size", "0x5"][..],
        &["--size", "960"],
        &["--size", "99999x10"],
        &["--fps", "0"],
        &["--fps", "-3"],
        &["--fps", "nan"],
        &["--colour", "mauve"],
    ] {
        let said = place.pliant(&[&["run", "bar.toml", "--gif"][..], bad].concat()).exits(2);
        said.complains(&["error", bad[0]]);
    }
    for (key, message) in [
        ("size=[0,5]", "from 1 to 16384"),
        ("size=[5]", "two numbers"),
        ("fps=0", "from 0.1 to 1000"),
        ("range=[3,2]", "must rise"),
        ("colour=mauve", "unknown choice"),
        ("camera.direction=[0,0,0]", "must not be zero"),
        ("camera.distance=-1", "greater than 0"),
    ] {
        let set = format!("output.picture.{key}");
        place.pliant(&["run", "bar.toml", "--set", &set]).exits(1).complains(&[message]);
    }
    let args = ["run", "bar.toml", "--mp4", "--size", "16000x16000"];
    place.pliant(&args).exits(1).complains(&["MP4"]);
}

#[test]
fn anything_can_be_rendered() {
    let place = Place::with_scene();
    let save = ["run", "bar.toml", "--checkpoint-every", "100", "--vtu", "--out", "o"];
    place.pliant(&save).exits(0);
    place.pliant(&["render", "bar.toml"]).exits(0).says(&["bar.png", "960 × 720"]);
    assert_eq!(png_size(&place.path("bar.png")), [960, 720]);
    let checkpoint = "o/checkpoint.pliant";
    let frame = "o/vtu/bar-00000100.vtu";
    place.renders_differently(&[
        &[checkpoint],
        &[checkpoint, "--colour", "stress"],
        &[checkpoint, "--view", "top"],
        &[checkpoint, "--view", "-1,0.5,2"],
        &[checkpoint, "--wireframe"],
        &[checkpoint, "--cut", "y"],
        &[checkpoint, "--cut", "x=0.1"],
        &[frame],
        &[frame, "--colour", "stress"],
        &[frame, "--colour", "speed"],
    ]);
}

#[test]
fn what_cannot_be_rendered_is_refused() {
    let place = Place::with_scene();
    place.pliant(&["mesh", "convert", "--help"]).exits(0);
    place.write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    place.pliant(&["render", "tri.obj"]).exits(0);
    let said = place.pliant(&["render", "tri.obj", "--colour", "stress"]).exits(2);
    said.complains(&["tri.obj", "stress", "--vtu"]);
    place.pliant(&["render", "tri.obj", "--out", "tri.jpg"]).exits(2).complains(&[".png"]);
    place.pliant(&["render", "lost.obj"]).exits(1).complains(&["lost.obj"]);
    place.pliant(&["render", "tri.obj", "--view", "inside"]).exits(2).complains(&["front"]);
    place.pliant(&["render", "tri.obj", "--cut", "w"]).exits(2).complains(&["x, y or z"]);
    place.write("bad.pliant", b"PLIANT\x00\x01rest");
    place.pliant(&["render", "bad.pliant"]).exits(1).complains(&["checkpoint"]);
}
