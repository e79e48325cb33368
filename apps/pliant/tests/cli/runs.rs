//! Runs that end by themselves.

use std::path::Path;

use crate::support::{Place, SCENE, Said, hash, mesh};

#[test]
fn a_run_reports_where_it_stands() {
    let place = Place::with_scene();
    let said = place.pliant(&["run", "bar.toml", "--json"]).exits(0);
    let run = said.json();
    assert_eq!(run["steps"], 100);
    assert!((run["time"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    assert_eq!(run["hash"].as_str().unwrap().len(), 16);
    assert_eq!((&run["diverged"], run["divergence"].is_null()), (&false.into(), true));
    assert_eq!(run["outputs"].as_array().unwrap().len(), 0);
    assert!(run["energy"]["kinetic"].as_f64().unwrap() > 0.0);
    assert!(run["momentum"][2].is_number());
    assert!(!place.path("pliant-out").exists(), "nothing was asked for");
    place.pliant(&["run", "bar.toml"]).exits(0).says(&["step 100"]).complains(&["--glb"]);
}

#[test]
fn implicit_steps_tell_how_their_systems_were_solved() {
    let place = Place::with_scene();
    let run = |more: &str| {
        let args = format!(
            "run bar.toml --threads 1 --steps 5 --integrator implicit-euler \
             --set bodies.bar.spin=[0,0,9] --set bodies.bar.material.stiffness.young=1e6 {more}"
        );
        place.pliant(&args.split_whitespace().collect::<Vec<_>>()).exits(0)
    };
    let solver = &run("--json").json()["solver"];
    assert_eq!((&solver["systems"], &solver["unconverged"]), (&5.into(), &0.into()), "{solver}");
    assert!(solver["worst_residual"].as_f64().unwrap() <= 1e-4, "{solver}");
    let mean = solver["iterations"].as_f64().unwrap() / 5.0;
    assert_eq!(solver["mean_iterations"].as_f64().unwrap(), mean);
    run("").says(&["5 linear systems", "all solved"]);
    run("--set world.implicit.max_iterations=1")
        .says(&["not solved: ", " within 1 iterations to 1e-4"]);

    let hopeless =
        "--set world.implicit.tolerance=1e-30 --set world.implicit.max_iterations=100000";
    let said = run(&format!("{hopeless} --json")).json();
    assert_eq!(
        (&said["solver"]["limited"], &said["diverged"]),
        (&5.into(), &false.into()),
        "{said}"
    );
    assert!(
        said["warnings"][0].as_str().unwrap().contains("could not be solved to 1e-30"),
        "{said}"
    );
    run(hopeless).says(&["5 in single precision to 1e-30"]);

    let newton = "--set world.implicit.newton_iterations=1000 \
                  --set world.implicit.newton_tolerance=1e-30";
    run(newton).says(&["forces balance to", "1e-30 was asked for"]);

    let explicit = place.pliant(&["run", "bar.toml", "--steps", "5", "--json"]).exits(0).json();
    assert!(explicit["solver"].is_null());
}

/// A tetrahedron as a volume and as its closed surface.
const TETRAHEDRON: &str = "\
MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n.3 0 0 0\n0 .3 0 0\n0 0 .3 0\n\
Tetrahedra 1\n1 2 3 4 0\nEnd\n";
const SHELL: &str =
    "OFF\n4 4 0\n0 0 0\n.3 0 0\n0 .3 0\n0 0 .3\n3 1 2 3\n3 0 3 2\n3 0 1 3\n3 0 2 1\n";

#[test]
fn a_mesh_alone_drops_into_a_box() {
    let place = Place::new();
    place.write("wedge.mesh", TETRAHEDRON);
    let said = place.pliant(&["run", "wedge.mesh", "--json", "--csv"]).exits(0);
    let run = said.json();
    assert_eq!(
        (&run["scene"], &run["outputs"][0]),
        (&"wedge".into(), &"pliant-out/wedge/wedge.csv".into())
    );
    assert!((run["time"].as_f64().unwrap() - 2.0).abs() < 1e-3, "{said}");
    assert!(run["wall_contacts"].as_u64().unwrap() > 0, "{said}");
    said.complains(&["4 vertices", "drops into a box", "--set"]);
    // The step that is chosen suits what was asked for.
    let timestep = |args: &[&str]| {
        let args = [&["run", "wedge.mesh", "--steps", "10", "--json"], args].concat();
        place.pliant(&args).exits(0).json()["time"].as_f64().unwrap() / 10.0
    };
    let young = "bodies.wedge.material.stiffness.young=1e8";
    assert!(timestep(&["--set", young]) < 0.5 * timestep(&[]));
    assert!((timestep(&["--set", "world.timestep=1e-5"]) - 1e-5).abs() < 1e-12);
    // What it is decides, not what it is called.
    place.write("wedge", TETRAHEDRON);
    place.pliant(&["run", "wedge", "--steps", "5"]).exits(0);
    place.write("scene.txt", SCENE);
    place.pliant(&["run", "scene.txt", "--steps", "5"]).exits(0);

    let save = ["run", "wedge.mesh", "--steps", "9", "--checkpoint-every", "9", "--out", "o"];
    place.pliant(&save).exits(0);
    let whole = hash(&place.pliant(&["run", "wedge.mesh", "--steps", "20", "--json"]).exits(0));
    let resume =
        ["run", "wedge.mesh", "--resume", "o/checkpoint.pliant", "--steps", "20", "--json"];
    assert_eq!(hash(&place.pliant(&resume).exits(0)), whole);
}

#[test]
fn meshes_that_cannot_run_say_why() {
    let place = Place::with_scene();
    place.write("shell.off", SHELL);
    let said = place.pliant(&["run", "shell.off", "--steps", "5"]).exits(0);
    said.complains(&["filled with a cage", "cells = 16"]);
    place.write("leaf.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1\n");
    let said = place.pliant(&["run", "leaf.off", "--steps", "5"]).exits(1);
    said.complains(&["leaf.off", "no tetrahedra", "flat", "--skin"]);
    let skin = place.pliant(&["run", "shell.off", "--skin", "--steps", "5", "--json"]).exits(0);
    assert_eq!(skin.json()["steps"], 5);
    place.pliant(&["run", "bar.toml", "--skin"]).exits(2).complains(&["bar.toml", "no mesh"]);
    place.write("beam.mesh", "MFEM mesh v1.0\n\ndimension\n3\n");
    place.pliant(&["run", "beam.mesh"]).exits(1).complains(&["beam.mesh", "MFEM", "PrintVTK"]);
    place.write("cut.stl", b"solid\0\xff\xfe");
    place.pliant(&["run", "cut.stl"]).exits(1).complains(&["cut.stl"]);
    place.pliant(&["run", "lost.stl"]).exits(1).complains(&["lost.stl", "no such file"]);
    let save = ["run", "bar.toml", "--steps", "9", "--checkpoint-every", "9", "--out", "o"];
    place.pliant(&save).exits(0);
    let said = place.pliant(&["run", "o/checkpoint.pliant"]).exits(2);
    said.complains(&["is a checkpoint", "pliant run --resume o/checkpoint.pliant"]);
}

#[test]
fn threads_do_not_change_the_result_but_options_do() {
    let place = Place::with_scene();
    let run = |more: &[&str]| {
        // On the CPU, also where there is a GPU.
        let args: Vec<&str> =
            ["run", "bar.toml", "--json", "--backend", "cpu"].iter().chain(more).copied().collect();
        hash(&place.pliant(&args).exits(0))
    };
    let one = run(&["--threads", "1"]);
    assert_eq!(one, run(&["--threads", "3"]));
    assert_eq!(one, run(&["--duration", "0.1"]));
    assert_ne!(one, run(&["--steps", "99"]));
    assert_ne!(one, run(&["--integrator", "rk4"]));
    assert_ne!(one, run(&["--set", "world.damping=0"]));
    assert_ne!(one, run(&["--set", "bodies.bar.material.stiffness.young=11e3"]));
}

#[test]
fn every_kind_of_result_is_written_where_it_was_asked_for() {
    let place = Place::with_scene();
    let args = "run bar.toml --vtu --glb --obj --ply --csv --checkpoint-every 30 --every 0.02 --json \
                --out my/results";
    let args: Vec<&str> = args.split_whitespace().collect();
    let run = place.pliant(&args).exits(0).json();
    let outputs: Vec<&str> =
        run["outputs"].as_array().unwrap().iter().map(|o| o.as_str().unwrap()).collect();
    let expected = [
        "my/results/bar.glb",
        "my/results/bar.pvd",
        "my/results/obj",
        "my/results/ply",
        "my/results/bar.csv",
        "my/results/checkpoint.pliant",
    ];
    assert_eq!(outputs.map_paths(), expected.map(Path::new));
    for step in ["00000000", "00000020", "00000100"] {
        for kind in ["vtu", "obj", "ply"] {
            let file = place.path(&format!("my/results/{kind}/bar-{step}.{kind}"));
            assert_eq!(mesh(&file).points.len(), if kind == "vtu" { 63 } else { 58 }, "{kind}");
        }
    }
    assert_eq!(place.read("my/results/bar.csv").lines().count(), 1 + 6);
    assert_eq!(mesh(&place.path("my/results/bar.glb")).triangles.len(), 112);
    let leftovers = walk(&place.path("my")).into_iter().filter(|p| p.ends_with(".tmp")).count();
    assert_eq!(leftovers, 0);
}

trait MapPaths {
    fn map_paths(&self) -> Vec<&Path>;
}

impl MapPaths for Vec<&str> {
    fn map_paths(&self) -> Vec<&Path> {
        self.iter().map(Path::new).collect()
    }
}

/// Every file below a folder.
pub fn walk(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path.display().to_string());
        }
    }
    files
}

#[test]
fn mistakes_in_a_scene_are_shown_with_their_line() {
    let place = Place::new();
    place.write("bad.toml", SCENE.replace("timestep = 0.001", "timstep = 0.001"));
    let said = place.pliant(&["run", "bad.toml"]).exits(1);
    let said = said.complains(&["bad.toml:4", "timstep", "timestep"]);
    assert_eq!(said.out, "");
    let said = place.pliant(&["run", "bad.toml", "--json"]).exits(1);
    let error = &said.json()["error"];
    assert_eq!((&error["line"], &error["file"]), (&4.into(), &"bad.toml".into()), "{said}");
    assert!(error["problems"].is_array());
    place.write("bad.toml", SCENE.replace("= 0.001", "= nan"));
    place.pliant(&["run", "bad.toml"]).exits(1).complains(&["bad.toml:4"]);
    place.write("bad.toml", SCENE.replace("shape = {", "mesh = 'lost.node' #"));
    place.pliant(&["run", "bad.toml"]).exits(1).complains(&["lost.node", "bad.toml:9"]);
    place.pliant(&["run", "nowhere.toml"]).exits(1).complains(&["nowhere.toml"]);
    place.write("bad.toml", [0xff, 0xfe, 0]);
    place.pliant(&["run", "bad.toml"]).exits(1).complains(&["bad.toml"]);
}

#[test]
fn mistakes_in_overrides_are_shown_too() {
    let place = Place::with_scene();
    let said = place.pliant(&["run", "bar.toml", "--set", "world.fricton=1"]).exits(1);
    said.complains(&["fricton", "did you mean `damping`, which was called `friction` before?"]);
    place.pliant(&["run", "bar.toml", "--set", "world.damping"]).exits(1).complains(&["="]);
    place.pliant(&["run", "bar.toml", "--set", "world.timestep=nan"]).exits(1);
    place.pliant(&["run", "bar.toml", "--set", "run.steps=-3"]).exits(1);
}

#[test]
fn a_bad_mesh_is_named_with_its_body() {
    let place = Place::new();
    place.write("bad.toml", SCENE.replace("shape = {", "mesh = 'bad.obj' #"));
    place.write("bad.obj", "v 0 0 0\nv zero 0 0\n");
    let said = place.pliant(&["run", "bad.toml", "--json"]).exits(1);
    let error = &said.json()["error"];
    assert_eq!((&error["line"], &error["body"]), (&2.into(), &"bar".into()), "{said}");
}

#[test]
fn an_unwritable_folder_ends_the_run_with_its_name() {
    let place = Place::with_scene();
    place.write("file", "in the way");
    let said = place.pliant(&["run", "bar.toml", "--csv", "--out", "file/out"]).exits(1);
    said.complains(&["file/out", "--out"]);
    let said = place.pliant(&["run", "bar.toml", "--vtu", "--out", "file", "--json"]).exits(1);
    assert!(said.json()["error"]["file"].as_str().unwrap().contains("file"), "{said}");
}

#[test]
fn divergence_is_a_failure_with_the_last_good_state() {
    let place = Place::with_scene();
    let said = place
        .pliant(&["run", "bar.toml", "--set", "world.timestep=0.05", "--steps", "5000", "--json"])
        .exits(1);
    let run = said.json();
    assert_eq!(run["diverged"], true);
    let good = run["divergence"]["good_step"].as_u64().unwrap();
    assert_eq!(run["steps"].as_u64().unwrap(), good, "{said}");
    assert!(run["divergence"]["suggested_timestep"].as_f64().unwrap() < 0.05);
    assert!(run["error"]["message"].as_str().unwrap().contains("diverged"));
    assert!(run["warnings"][0].as_str().unwrap().contains("stable"), "{said}");
    said.complains(&["diverged", "auto_substeps", "last good state"]);
    assert!(place.path("pliant-out/bar/checkpoint.pliant").exists());
}

#[test]
fn where_no_timestep_is_stable_an_integrator_that_holds_is_named() {
    let place = Place::with_scene();
    let args =
        "run bar.toml --integrator explicit-euler --set world.damping=0 --steps 50000 --json";
    let said = place.pliant(&args.split_whitespace().collect::<Vec<_>>()).exits(1);
    let run = said.json();
    assert!(run["divergence"]["suggested_timestep"].is_null(), "{said}");
    let warning = run["warnings"][0].as_str().unwrap();
    assert!(warning.contains("explicit-euler adds energy"), "{warning}");
    assert!(warning.contains("world.integrator = \"verlet\""), "{warning}");
    let help = run["error"]["help"].as_str().unwrap();
    assert!(help.contains("--integrator verlet") && !help.contains("shorten"), "{help}");
    said.complains(&["warning: explicit-euler adds energy", "--integrator verlet"]);
}

#[test]
fn what_was_perhaps_not_meant_is_in_the_warnings() {
    let place = Place::with_scene();
    place.write(
        "ball.off",
        "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 1 2 3\n3 0 3 2\n3 0 1 3\n3 0 2 1\n",
    );
    let bodies = "[[bodies]]\nname = 'ball'\nmesh = 'ball.off'\ntranslate = [0, 0, 2]\n\
                  material = { mass = { density = 1000 } }\n";
    place.write("more.toml", format!("{SCENE}{bodies}"));
    let args = "run more.toml --json --steps 1 --set bodies.bar.locks=['all']";
    let said = place.pliant(&args.split_whitespace().collect::<Vec<_>>()).exits(0);
    let warnings = said.json()["warnings"].to_string();
    for words in ["vertices are locked", "empty skin that weighs 2366.025 kg", "Gmsh"] {
        assert!(warnings.contains(words), "{warnings}");
    }
}

/// Under a limit of the address space, as shells set it.
#[cfg(target_os = "linux")]
#[test]
fn a_scene_that_does_not_fit_into_memory_is_refused_with_what_would() {
    let place = Place::with_scene();
    place.write("huge.toml", SCENE.replace("[6, 2, 2]", "[190, 190, 190]"));
    let program = env!("CARGO_BIN_EXE_pliant");
    let command = format!("ulimit -v 4194304; '{program}' run huge.toml --backend cpu --json");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &command]).current_dir(place.path("."));
    let said = Said::new(&["run"], shell.output().unwrap()).exits(1);
    let error = &said.json()["error"];
    assert!(error["needed_bytes"].as_u64() > Some(4 << 30), "{said}");
    assert!(error["available_bytes"].as_u64() < Some(4 << 30), "{said}");
    said.complains(&["41.2 million elements needs about", "million elements would fit"]);
}

#[test]
fn demos_are_listed_and_run() {
    let place = Place::new();
    let list = place.pliant(&["demo", "--list", "--json"]).exits(0).json();
    assert!(list.as_array().unwrap().len() >= 6);
    place.pliant(&["demo", "--list"]).exits(0).says(&["jelly", "cloth", "crowd"]);
    place.pliant(&["demo", "opera"]).exits(2).complains(&["opera", "jelly"]);
    let said = place.pliant(&["demo", "hanging-bar", "--steps", "200"]).exits(0);
    said.says(&["Written:", "hanging-bar.glb", "Blender", "hanging-bar.pvd", "ParaView"]);
    assert!(mesh(&place.path("pliant-out/hanging-bar/hanging-bar.glb")).triangles.len() > 100);
}

#[test]
fn without_a_command_the_first_demo_is_shown() {
    let place = Place::new();
    let run = place.pliant(&["--json", "--quiet"]).exits(0).json();
    assert_eq!(run["scene"], "jelly");
    assert_eq!(run["diverged"], false);
    assert!(place.path("pliant-out/jelly/jelly.glb").exists());
}
