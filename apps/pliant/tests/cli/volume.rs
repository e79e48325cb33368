//! Looking into bodies, and arrays of mesh files on their way through everything.

use pliant::mesh::{DataArray, Mesh, formats, shapes};

use crate::support::{Place, png_size};

/// A block with the distance from its middle on points and numbers on tetrahedra.
fn block() -> Mesh {
    let mut mesh = shapes::bar([4; 3], [0.2; 3], shapes::Split::Six);
    let distance = |p: &[f64; 3]| p.iter().map(|c| (c - 0.1).powi(2)).sum::<f64>().sqrt();
    let distances = mesh.points.iter().map(distance).collect();
    mesh.point_data.push(DataArray::scalar("depth", distances));
    let numbers = (0..mesh.tets.len()).map(|t| t as f64).collect();
    mesh.tet_data.push(DataArray::scalar("region", numbers));
    mesh
}

const SCENE: &str = "\
[world]
timestep = 0.0005
[[bodies]]
mesh = 'block.vtu'
material = { mass = { density = 1000 }, stiffness = { young = 20e3 } }
[run]
steps = 40
[output]
every = { steps = 20 }
";

const CLOTH: &str = "\
[[bodies]]
shape = { kind = 'cloth', cells = [4, 4], size = [1, 1] }
[run]
steps = 2
";

fn place() -> Place {
    let place = Place::new();
    formats::save(&block(), &place.path("block.vtu")).unwrap();
    place.write("block.toml", SCENE);
    place
}

#[test]
fn every_way_to_look_inside_gives_another_picture() {
    let place = place();
    let block = "block.vtu";
    place.renders_differently(&[
        &[block, "--field", "depth"],
        &[block, "--colour", "field:region"],
        &[block, "--volume"],
        &[block, "--volume", "--field", "region"],
        &[block, "--volume", "--transfer", "x-ray"],
        &[block, "--volume", "--transfer", "0:#000000:1,1:#ff0000:9"],
        &[block, "--volume", "--opacity", "4"],
        &[block, "--volume", "--opacity", "0", "--iso", "0.05"],
        &[block, "--volume", "--opacity", "0", "--iso", "0.05@0.3,0.1@0.3"],
        &[block, "--volume", "--slice", "y"],
        &[block, "--volume", "--slice", "x=0.15"],
        &[block, "--volume", "--quality", "fine"],
        &[block, "--volume", "--view", "top"],
    ]);
}

#[test]
fn runs_and_their_results_show_the_inside() {
    let place = place();
    let args = ["run", "block.toml", "--size", "64x48", "--out", "o", "--vtu", "--png"];
    let inside = [&args[..], &["--volume", "--transfer", "heat"]].concat();
    let said = place.pliant(&inside).exits(0);
    said.says(&["block.png"]);
    let picture = std::fs::read(place.path("o/block.png")).unwrap();
    place.pliant(&[&args[..], &["--colour", "displacement"]].concat()).exits(0);
    assert_ne!(std::fs::read(place.path("o/block.png")).unwrap(), picture);
    // The file's arrays are in the frames, and frames can be looked into like the file.
    let info = place.pliant(&["mesh", "info", "o/vtu/block-00000040.vtu"]).exits(0);
    info.says(&["\"depth\" on points", "\"region\" on tets", "\"displacement\" on points"]);
    let film = ["render", "o/block.pvd", "--gif", "--volume", "--size", "64x48"];
    place.pliant(&film).exits(0).says(&["block.gif"]);
    // Every frame is looked at, not only the first one.
    let last = place.path("o/vtu/block-00000040.vtu");
    let mut mesh = pliant::mesh::load(&last).unwrap().mesh;
    let depth = mesh.point_data.iter_mut().find(|array| array.name == "depth").unwrap();
    depth.values[7] = f64::INFINITY;
    formats::save(&mesh, &last).unwrap();
    let said = place.pliant(&film).exits(2);
    said.complains(&["block-00000040.vtu", "1 values of \"depth\"", "point 7"]);
    // Scenes say it themselves, and checkpoints and links keep it.
    let table = "[output.picture]\nsize = [64, 48]\ncolour = { field = 'region' }\n\
                 [output.picture.volume]\ntransfer = 'rainbow'\n";
    place.write("told.toml", format!("{SCENE}{table}"));
    place.pliant(&["run", "told.toml", "--checkpoint-every", "40", "--out", "c"]).exits(0);
    for file in ["told.toml", "c/checkpoint.pliant"] {
        place.pliant(&["render", file, "--out", "p.png"]).exits(0);
        assert_eq!(png_size(&place.path("p.png")), [64, 48]);
    }
}

#[test]
fn what_cannot_be_looked_into_is_refused() {
    let place = place();
    let mut mesh = block();
    mesh.point_data[0].values[7] = f64::NAN;
    formats::save(&mesh, &place.path("holes.vtu")).unwrap();
    mesh.point_data[0].values[7] = 1e308;
    formats::save(&mesh, &place.path("huge.vtu")).unwrap();
    mesh.point_data.clear();
    mesh.tet_data.clear();
    formats::save(&mesh, &place.path("bare.vtu")).unwrap();
    let values = vec![0.5; 9 * mesh.points.len()];
    mesh.point_data.push(DataArray { name: "strain".into(), components: 9, values });
    formats::save(&mesh, &place.path("tensor.vtu")).unwrap();
    place.write("told.toml", format!("{SCENE}[output.picture.volume]\n"));
    place.write("cloth.toml", CLOTH);
    place.write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (args, says) in [
        (&["tri.obj", "--volume"][..], &["tri.obj", "no tetrahedra"][..]),
        (&["bare.vtu", "--volume"], &["bare.vtu", "no values", "leave --volume away"]),
        (&["tensor.vtu", "--volume"], &["\"strain\" has 9 components"]),
        (&["huge.vtu", "--volume"], &["beyond single precision", "point 7"]),
        (&["block.vtu", "--volume", "--cut", "x=0.1"], &["--slice x=0.1"]),
        (&["told.toml", "--cut", "y"], &["--slice y"]),
        (&["cloth.toml", "--volume"], &["cloth.toml", "no tetrahedra"]),
        (&["block.vtu", "--volume", "--iso", "60@2"], &["from 0"]),
        (&["block.vtu", "--volume", "--transfer", "-1:#000000:1"], &["\"-1\"", "from 0 to 1"]),
        (&["block.vtu", "--volume", "--transfer", "tisue"], &["did you mean `tissue`?"]),
        (&["block.vtu", "--volume", "--field", "Depth"], &["\"Depth\"", "did you mean `depth`?"]),
        (&["block.vtu", "--colour", "field:x"], &["\"x\"", "`depth`, `region`"]),
        (&["block.toml", "--field", "x"], &["\"x\"", "`depth`, `region`"]),
        (&["holes.vtu", "--volume"], &["1 values of \"depth\"", "point 7"]),
        (&["block.vtu", "--volume", "--colour", "body"], &["--field"]),
        (&["block.vtu", "--opacity", "2"], &["--volume"]),
        (&["block.vtu", "--volume", "--transfer", "bones"], &["skin-and-bone"]),
        (&["block.vtu", "--volume", "--iso", "much"], &["80@0.3"]),
        (&["block.vtu", "--volume", "--slice", "w"], &["x, y or z"]),
        (&["block.vtu", "--volume", "--quality", "best"], &["`draft`, `normal`, `fine`"]),
    ] {
        place.pliant(&[&["render"], args].concat()).exits(2).complains(says);
    }
    let said = place.pliant(&["run", "block.toml", "--png", "--field", "x"]).exits(1);
    said.complains(&["output.picture.colour", "depth, region"]);
    let body = ["run", "block.toml", "--png", "--volume", "--colour", "body"];
    place.pliant(&body).exits(2).complains(&["--volume needs values"]);
    for args in [&["run", "cloth.toml"][..], &["demo", "cloth", "--steps", "1"]] {
        let said = place.pliant(&[args, &["--png", "--volume", "--out", "o"]].concat()).exits(2);
        said.complains(&["no tetrahedra", "leave --volume away"]);
    }
    place.pliant(&["demo", "jely", "--png"]).exits(2).complains(&["did you mean `jelly`?"]);
}

#[test]
fn meshes_of_which_nothing_would_be_seen_are_refused() {
    let place = place();
    let mut mesh = block();
    let corner = mesh.tets[5][2];
    mesh.points[corner as usize][1] = f64::NAN;
    formats::save(&mesh, &place.path("nowhere.vtu")).unwrap();
    let mut mesh = block();
    mesh.tets.extend(mesh.tets.clone());
    mesh.tet_data.clear();
    formats::save(&mesh, &place.path("twice.vtu")).unwrap();
    let point = format!("point {corner}");
    for more in [&[][..], &["--volume"]] {
        let said = place.pliant(&[&["render", "nowhere.vtu"], more].concat()).exits(1);
        said.complains(&[&point, "not finite", "`pliant mesh check nowhere.vtu`"]);
        let said = place.pliant(&[&["render", "twice.vtu"], more].concat()).exits(1);
        let first = format!("tetrahedron {} repeats", block().tets.len());
        said.complains(&["no outside", &first, "`pliant mesh check twice.vtu`"]);
    }
}

#[test]
fn wishes_without_effect_are_warned_of() {
    let place = place();
    let range = "[output.picture]\ncolour = { field = 'depth' }\nrange = [1000, 2000]\n\
                 [output.picture.volume]\nopacity = 0\n";
    place.write("told.toml", format!("{SCENE}{range}"));
    for (args, says) in [
        (&["block.vtu", "--slice", "x=-5", "--volume"][..], "the bodies reach from x = 0 to 0.2 m"),
        (&["block.vtu", "--slice", "x=1000", "--volume"], "no effect"),
        (&["block.vtu", "--iso", "1e30", "--volume"], "\"depth\" are from 0 to 0.17321"),
        (&["block.vtu", "--opacity", "0", "--volume"], "nothing is to be seen"),
        (&["told.toml"], "1000 to 2000"),
        (&["block.toml", "--iso", "9", "--volume"], "no surface at 9"),
    ] {
        let small = ["--size", "64x48", "--out", "p.png", "--json"];
        let said = place.pliant(&[&["render"], args, &small].concat()).exits(0);
        let warnings = said.json()["warnings"].to_string().replace("\\\"", "\"");
        assert!(warnings.contains(says), "{args:?}: {warnings}");
        said.complains(&["warning: ", says]);
    }
    let fine = ["render", "block.vtu", "--volume", "--slice", "x", "--size", "64x48", "--json"];
    assert_eq!(place.pliant(&fine).exits(0).json()["warnings"], serde_json::json!([]));
    let run = ["run", "told.toml", "--png", "--size", "64x48", "--out", "o", "--json"];
    let warnings = place.pliant(&run).exits(0).json()["warnings"].to_string();
    assert!(warnings.contains("1000 to 2000") && warnings.contains("nothing is"), "{warnings}");
}

#[test]
fn bodies_at_rest_are_seen() {
    let place = place();
    // Far below the scale of its stress: as good as at rest, and seen all the same.
    let run = ["run", "block.toml", "--png", "--volume", "--colour", "stress", "--out", "o"];
    place.pliant(&[&run[..], &["--size", "160x120"]].concat()).exits(0);
    let nothing = [&run[..], &["--opacity", "0", "--size", "160x120"]].concat();
    let seen = std::fs::read(place.path("o/block.png")).unwrap();
    place.pliant(&nothing).exits(0).complains(&["nothing is to be seen"]);
    assert_ne!(std::fs::read(place.path("o/block.png")).unwrap(), seen);
}
