//! Runs that are stopped, killed and continued.

use std::path::Path;
use std::time::{Duration, Instant};

use pliant::checkpoint;

use crate::support::{Place, Said, hash, mesh};

#[test]
fn resuming_gives_the_same_bits_as_running_through() {
    let place = Place::with_scene();
    let whole = hash(&place.pliant(&["run", "bar.toml", "--json"]).exits(0));
    for cut in ["1", "20", "50", "80"] {
        let out = format!("part-{cut}");
        let args = ["run", "bar.toml", "--steps", cut, "--checkpoint-every", "1000", "--out", &out];
        place.pliant(&args).exits(0);
        // Away from its folder, where the continued runs write theirs.
        let saved = format!("{cut}.pliant");
        std::fs::copy(place.path(&out).join("checkpoint.pliant"), place.path(&saved)).unwrap();
        let by_scene = ["run", "bar.toml", "--resume", &saved, "--json"];
        assert_eq!(hash(&place.pliant(&by_scene).exits(0)), whole, "after step {cut}");
        let alone = ["run", "--resume", &saved, "--steps", "100", "--json", "--threads", "2"];
        assert_eq!(hash(&place.pliant(&alone).exits(0)), whole, "after step {cut}");
        let elsewhere = ["run", "--resume", &saved, "--steps", "100", "--set", "world.damping=9"];
        let said = place.pliant(&[&elsewhere[..], &["--json"]].concat()).exits(0);
        assert_ne!(hash(&said), whole, "overrides hold for continued runs too");
    }
}

#[test]
fn unusable_checkpoints_are_refused() {
    let place = Place::with_scene();
    let save = ["run", "bar.toml", "--steps", "9", "--checkpoint-every", "9", "--out", "o"];
    place.pliant(&save).exits(0);
    let resume = |name: &str| place.pliant(&["run", "bar.toml", "--resume", name]);
    resume("lost.pliant").exits(1).complains(&["lost.pliant", "no such file"]);
    resume("bar.toml").exits(1).complains(&["no checkpoint"]);
    let bytes = std::fs::read(place.path("o/checkpoint.pliant")).unwrap();
    for length in [0, 7, 8, 15, 16, bytes.len() / 2, bytes.len() - 1] {
        place.write("cut.pliant", &bytes[..length]);
        resume("cut.pliant").exits(1).complains(&["checkpoint"]);
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 7) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        place.write("flipped.pliant", flipped);
        resume("flipped.pliant").exits(1).complains(&["checkpoint"]);
    }
    let other = crate::support::SCENE.replace("[6, 2, 2]", "[5, 2, 2]");
    place.write("bar.toml", other);
    let said = resume("o/checkpoint.pliant").exits(1);
    said.complains(&["cannot change its bodies", "`bodies[0].shape.cells`"]);
}

#[test]
fn a_continued_run_says_what_it_cannot_do() {
    let place = Place::with_scene();
    let save = ["run", "bar.toml", "--steps", "50", "--checkpoint-every", "50", "--out", "o"];
    place.pliant(&save).exits(0);
    // Away from its folder, where the continued runs write theirs.
    std::fs::copy(place.path("o/checkpoint.pliant"), place.path("50.pliant")).unwrap();
    let resume =
        |args: &[&str]| place.pliant(&[&["run", "--resume", "50.pliant", "--json"], args].concat());
    let young = "bodies.bar.material.stiffness.young=2e4";
    let said = resume(&["--set", young]).exits(1);
    let said =
        said.complains(&["`bodies[0].material.stiffness.young`", "cannot change its bodies"]);
    assert!(said.json()["error"]["help"].as_str().unwrap().contains("pliant view"), "{said}");
    place.write("soft.toml", crate::support::SCENE.replace("10e3", "9e3"));
    resume(&["soft.toml"]).exits(1).complains(&["`bodies[0].material.stiffness.young`"]);

    let said = resume(&["--set", "bodies.bar.spin=[0,0,1]", "--steps", "51"]).exits(0);
    let warning = said.json()["warnings"][0].as_str().unwrap().to_owned();
    assert!(warning.contains("`bodies[0].spin` only matters at the start"), "{warning}");

    for end in [["--steps", "50"], ["--steps", "7"], ["--duration", "0.01"]] {
        let said = resume(&end).exits(0).complains(&["nothing is left to do", "step 50"]);
        assert_eq!(
            (said.json()["steps"].as_u64(), said.json()["steps_done"].as_u64()),
            (Some(50), Some(0))
        );
        assert!(said.json()["warnings"][0].as_str().unwrap().contains("nothing is left"), "{said}");
    }
    let said = resume(&["--steps", "52"]).exits(0);
    assert_eq!(said.json()["warnings"].as_array().unwrap().len(), 0, "{said}");
}

/// A run that lasts until it is ended from outside.
const ENDLESS: [&str; 15] = [
    "run",
    "bar.toml",
    "--steps",
    "100000000",
    "--vtu",
    "--glb",
    "--csv",
    "--obj",
    "--checkpoint-every",
    "7",
    "--every",
    "0.005",
    "--out",
    "out",
    "--json",
];

fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} does not appear", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn killing_at_any_moment_leaves_readable_files() {
    for round in 0u64..10 {
        let place = Place::with_scene();
        let mut child = place.command(&ENDLESS).spawn().unwrap();
        wait_for(&place.path("out/checkpoint.pliant"));
        // Moments that have nothing to do with one another.
        std::thread::sleep(Duration::from_micros(round * round * 7919 % 300_000));
        child.kill().unwrap();
        child.wait().unwrap();
        check_files(&place, round);
        let saved = step_of(&place.path("out/checkpoint.pliant"));
        let goal = (saved + 5).to_string();
        let args = ["run", "--resume", "out/checkpoint.pliant", "--steps", &goal, "--json"];
        let continued = place.pliant(&args).exits(0).json();
        assert_eq!(continued["steps"].as_u64(), Some(saved + 5));
        check_files(&place, round);
    }
}

fn step_of(path: &Path) -> u64 {
    checkpoint::decode(&std::fs::read(path).unwrap()).unwrap().state.step
}

/// Reads everything that a run has written so far.
fn check_files(place: &Place, round: u64) {
    step_of(&place.path("out/checkpoint.pliant"));
    let table = place.read("out/bar.csv");
    let columns = table.lines().next().unwrap().split(',').count();
    assert!(table.ends_with('\n'), "round {round}: {table}");
    assert!(table.lines().skip(1).all(|row| row.split(',').count() == columns), "{table}");
    let list = place.read("out/bar.pvd");
    assert!(list.trim_end().ends_with("</VTKFile>"), "{list}");
    let listed: Vec<&str> =
        list.split("file=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(!listed.is_empty());
    for file in listed {
        assert_eq!(mesh(&place.path("out").join(file)).tets.len(), 144, "round {round}: {file}");
    }
    for file in super::runs::walk(&place.path("out")) {
        if file.ends_with(".obj") || file.ends_with(".glb") {
            assert!(!mesh(Path::new(&file)).triangles.is_empty(), "round {round}: {file}");
        }
    }
}

/// Sends a signal as a terminal does.
#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn interrupting_finishes_the_step_and_says_how_to_continue() {
    use std::process::Stdio;
    for name in ["INT", "TERM"] {
        let place = Place::with_scene();
        let child =
            place.command(&ENDLESS).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&place.path("out/checkpoint.pliant"));
        signal(&child, name);
        let said = Said::new(&ENDLESS, child.wait_with_output().unwrap()).exits(130);
        let run = said.json();
        assert_eq!((&run["stopped"], &run["diverged"]), (&true.into(), &false.into()));
        let said =
            said.complains(&["stopped after step", "pliant run --resume out/checkpoint.pliant"]);
        let steps = run["steps"].as_u64().unwrap();
        assert_eq!(step_of(&place.path("out/checkpoint.pliant")), steps, "{said}");
        check_files(&place, 0);

        let goal = (steps + 3).to_string();
        let resume = ["run", "--resume", "out/checkpoint.pliant", "--steps", &goal, "--json"];
        let continued = hash(&place.pliant(&resume).exits(0));
        let through = ["run", "bar.toml", "--steps", &goal, "--json", "--out", "other"];
        assert_eq!(continued, hash(&place.pliant(&through).exits(0)), "{name} after step {steps}");
    }
}
