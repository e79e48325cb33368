//! The command line itself.

use std::io::Read;
use std::process::Stdio;

use crate::support::Place;

#[test]
fn help_teaches_by_example() {
    let place = Place::new();
    place.pliant(&["--help"]).exits(0).says(&["Examples:", "pliant demo", "pliant mesh info"]);
    place.pliant(&["run", "--help"]).exits(0).says(&[
        "--resume",
        "--set",
        "Ctrl-C",
        "Examples:",
        "implicit-euler",
        "solver",
    ]);
    place.pliant(&["--version"]).exits(0).says(&["pliant 0.1.0"]);
    let said = place.pliant(&["mesh", "--help", "--json"]).exits(0);
    assert!(said.json()["help"].as_str().unwrap().contains("convert"));
}

#[test]
fn mistakes_exit_with_2_and_say_what_is_possible() {
    let place = Place::with_scene();
    let mistakes: &[&[&str]] = &[
        &["dance"],
        &["run"],
        &["run", "bar.toml", "--steps", "0"],
        &["run", "bar.toml", "--steps", "-5"],
        &["run", "bar.toml", "--steps", "99999999999999999999999999"],
        &["run", "bar.toml", "--steps", "ten"],
        &["run", "bar.toml", "--duration", "NaN"],
        &["run", "bar.toml", "--duration", "-1"],
        &["run", "bar.toml", "--duration", "inf"],
        &["run", "bar.toml", "--duration", "1", "--steps", "1"],
        &["run", "bar.toml", "--threads", "0"],
        &["run", "bar.toml", "--threads", "100000"],
        &["run", "bar.toml", "--checkpoint-every", "0"],
        &["run", "bar.toml", "--every", "0"],
        &["run", "bar.toml", "--integrator", "guess"],
        &["link"],
        &["link", "bar.toml", "--out", "b.toml"],
        &["link", "bar.toml", "--decode", "#scene=A"],
        &["mesh", "convert", "a.obj"],
        &["mesh", "convert", "a.obj", "b.obj", "--scale", "0"],
        &["mesh", "info"],
        &["completions", "dos"],
        &["--color", "pink"],
    ];
    for args in mistakes {
        let said = place.pliant(args).exits(2).complains(&["error"]);
        assert_eq!(said.out, "");
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let said = place.pliant(&args).exits(2);
        assert!(said.json()["error"]["message"].is_string(), "{said}");
    }
    let said = place.pliant(&["run", "bar.toml", "--integrator", "guess"]);
    said.complains(&["verlet", "rk4"]);
    let said = place.pliant(&["bench", "--implicit", "bar5k-energy"]).exits(2);
    assert!(
        said.err.contains("there are bar5k, ") && !said.err.contains("bar20k-energy"),
        "{said}"
    );
}

#[test]
fn what_was_meant_is_suggested() {
    let place = Place::with_scene();
    let suggested = |args: &[&str], words: &[&str]| {
        let said = place.pliant(args).exits(2).complains(words);
        let args = [args, &["--json"]].concat();
        let help = place.pliant(&args).exits(2).json()["error"]["help"].clone();
        assert!(words.iter().all(|word| help.as_str().unwrap().contains(word)), "{help} {said}");
        assert!(!said.err.contains("similar"), "{said}");
    };
    suggested(&["convert", "a.obj", "b.vtu"], &["`pliant mesh convert`"]);
    suggested(&["check", "a.obj"], &["`pliant mesh check`"]);
    suggested(&["info", "a.obj"], &["`pliant mesh info`"]);
    suggested(&["run", "bar.toml", "--gravity", "0"], &["`--set world.gravity=…`"]);
    let young = "`--set bodies[0].material.stiffness.young=…`";
    suggested(&["run", "bar.toml", "--young=1e5"], &[young]);
    suggested(&["run", "bar.toml", "--external-force", "0"], &["world.external_force"]);
    suggested(&["mesh", "info", "a.obj", "--color", "stress"], &["run, demo and render", "never"]);
    place
        .pliant(&["run", "bar.toml", "--set", "young=1e5"])
        .exits(1)
        .complains(&["did you mean `bodies[0].material.stiffness.young`?"]);
}

#[test]
fn colours_may_be_spelt_in_both_ways() {
    let place = Place::with_scene();
    let picture = |args: &[&str]| {
        let start = ["render", "bar.toml", "--size", "80x60", "--out", "p.png"];
        place.pliant(&[&start[..], args].concat()).exits(0);
        std::fs::read(place.path("p.png")).unwrap()
    };
    let plain = picture(&["--colour", "plain"]);
    assert_eq!(picture(&["--color", "plain"]), plain);
    assert_eq!(picture(&["--color=plain", "--color", "never"]), plain);
    assert_ne!(picture(&["--color", "body"]), plain);
    place.pliant(&["run", "bar.toml", "--color", "red"]).exits(2).complains(&["red", "stress"]);
    for command in [&["--help"][..], &["run", "--help"], &["mesh", "info", "--help"]] {
        let said = place.pliant(command).exits(0);
        assert!(!said.out.contains("--color") && said.out.contains("--terminal-colour"), "{said}");
    }
}

#[test]
fn experiments_are_listed_apart_from_what_they_are_about() {
    let said = Place::new().pliant(&["reproduce"]).exits(0);
    let lines: Vec<&str> = said.out.lines().filter(|l| l.starts_with("s4-")).collect();
    assert!(lines.len() >= 3 && lines.iter().all(|l| l.contains("  ")), "{said}");
}

#[test]
fn huge_numbers_are_no_trouble() {
    let place = Place::with_scene();
    place
        .pliant(&["run", "bar.toml", "--steps", "5", "--checkpoint-every", "18446744073709551615"])
        .exits(0);
    place.pliant(&["run", "bar.toml", "--steps", "5", "--every", "1e300", "--csv"]).exits(0);
}

#[test]
fn completions_come_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        place.pliant(&["completions", shell]).exits(0).says(&["pliant", "checkpoint-every"]);
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    let mut child = place
        .command(&["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(child.wait().unwrap().success(), "{err}");
    assert_eq!(err, "");
}

#[test]
fn colours_come_when_asked_for() {
    let place = Place::new();
    let plain = place.pliant(&["mesh", "info", "nothing.obj"]);
    assert!(!plain.err.contains('\x1b'), "{plain}");
    let colored = place.pliant(&["mesh", "info", "nothing.obj", "--color", "always"]);
    assert!(colored.err.contains('\x1b'), "{colored}");
    let colored = place.pliant(&["dance", "--color=always"]);
    assert!(colored.err.contains('\x1b'), "{colored}");
    for option in ["--colour", "--terminal-colour"] {
        let colored = place.pliant(&["mesh", "info", "nothing.obj", option, "always"]);
        assert!(colored.err.contains('\x1b'), "{colored}");
    }
}
