//! Keys that had another name once: old files, overrides and checkpoints open as ever.

use super::*;
use crate::checkpoint;
use crate::simulator::{Backend, Simulator};

/// A scene with the old names, and the same with those of today.
fn old_and_new() -> [String; 2] {
    let text = "
        [world]
        friction = 1.5
        timestep = 0.001
        box = { size = [4, 4, 4], friction = 0.25 }

        [[bodies]]
        name = 'bar'
        shape = { kind = 'bar', cells = [1, 1, 1], size = [1, 1, 1] }
        translate = [0, 0, 0.5]
        material = { stiffness = { hardness = 7 }, damping = { time = 0.125 } }

        [[actions]]
        start = 0.01
        set = { key = 'world.friction', value = 3 }
        ";
    let new = text
        .replace("        friction", "        damping")
        .replace("hardness", "spring")
        .replace("world.friction", "world.damping");
    [text.into(), new]
}

#[test]
fn old_names_mean_what_they_meant() {
    let [old, new] = old_and_new();
    let scene = read(&old).unwrap();
    assert_eq!(scene, read(&new).unwrap());
    assert_eq!(scene.world.damping, 1.5);
    assert_eq!(scene.world.bounds.as_ref().unwrap().friction, 0.25, "that of walls is friction");
    let material = &scene.bodies[0].material;
    assert_eq!(
        (material.stiffness, material.damping),
        (Stiffness::Spring(7.0), Damping::Time(0.125))
    );
    // What is written has the names of today.
    for text in [scene.to_toml().unwrap(), scene.to_short_toml().unwrap()] {
        assert!(text.contains("damping = 1.5\n") && text.contains("spring = 7"), "{text}");
        assert!(text.contains("key = \"world.damping\"") && !text.contains("hardness"), "{text}");
    }
}

#[test]
fn old_names_in_overrides() {
    for text in old_and_new() {
        for [set, body, table] in [
            ["world.friction=2", "bodies.bar.material.stiffness.hardness=9", "run.steps=1"],
            ["world.damping=2", "bodies[0].material.stiffness={hardness=9}", "run.steps=1"],
            ["world={friction=2}", "bodies[0].material={stiffness={hardness=9}}", "run.steps=1"],
            ["world.damping=5", "bodies[0].material.stiffness.spring=9", "world.friction=2"],
        ] {
            let scene = read_with(&text, &[set, body, table]).unwrap();
            assert_eq!(scene.world.damping, 2.0, "{set}");
            assert_eq!(scene.bodies[0].material.stiffness, Stiffness::Spring(9.0), "{body}");
        }
        let young = read_with(&text, &["bodies[0].material.stiffness.young=5"]).unwrap();
        assert_eq!(young.bodies[0].material.stiffness, Stiffness::Young(5.0));
    }
    let overrides = Overrides::parse(["world.friction=1"]).unwrap();
    assert!(overrides.replaces("world.damping") && !overrides.replaces("world.box"));
}

#[test]
fn both_names_at_once_are_refused() {
    let error = read(&format!("{BAR}[world]\ndamping = 1\nfriction = 2")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\
error: `friction` and `damping` are the same key
 --> scene.toml:6:1
  |
6 | friction = 2
  | ^^^^^^^^
  |
  = help: keep `damping`; `friction` is what it was called before"
    );
    let both = "{ hardness = 1, spring = 2 }";
    let error = read(&format!("{BAR}material.stiffness = {both}")).unwrap_err();
    assert_eq!(error.problems[0].message, "`hardness` and `spring` are the same key");
    let error = read_with(BAR, &["world={friction=1,damping=2}"]).unwrap_err();
    assert_eq!(error.problems[0].message, "`friction` and `damping` are the same key");
    assert_eq!(error.problems[0].set.as_deref(), Some("world={friction=1,damping=2}"));
}

#[test]
fn slips_in_old_names_lead_to_those_of_today() {
    let help = |text: String| read(&text).expect_err(&text).problems[0].help.clone().unwrap();
    let said = help(format!("{BAR}[world]\nfricton = 1"));
    let told =
        "did you mean `damping`, which was called `friction` before? known here: `gravity`, ";
    assert!(said.starts_with(told), "{said}");
    let said = help(format!("{BAR}material.stiffness = {{ hardnes = 1 }}"));
    assert!(
        said.starts_with("did you mean `spring`, which was called `hardness` before?"),
        "{said}"
    );
    let said = help(format!("{BAR}[output]\nhardness = 0"));
    assert!(said.starts_with("did you mean `bodies[0].material.stiffness.spring`?"), "{said}");
    let said =
        help(format!("{BAR}[[actions]]\nstart = 0\nset = {{ key = 'world.fricton', value = 0 }}"));
    assert!(said.starts_with("did you mean `world.damping`? these can: "), "{said}");
}

#[test]
fn live_parameters_are_found_by_their_old_names() {
    let mut world = World::default();
    assert_eq!(
        world.set_live("world.friction", LiveValue::Number(4.0)).unwrap().key,
        "world.damping"
    );
    assert_eq!(world, World { damping: 4.0, ..World::default() });
    assert_eq!(Live::find("world.box.friction").unwrap().key, "world.box.friction");
    assert!(Live::find("world.box.damping").is_none() && Live::find("friction").is_none());
}

/// The checkpoint was written before the keys were renamed, at step 20 of the scene above, without the
/// damping of its material.
#[test]
fn checkpoints_written_before_go_on() {
    let checkpoint = checkpoint::decode(include_bytes!("before.pliant")).unwrap();
    assert_eq!((checkpoint.world.damping, checkpoint.state.step), (3.0, 20));
    assert_eq!(checkpoint.world.bounds.as_ref().unwrap().friction, 0.25);
    let scene = checkpoint.scene.as_ref().unwrap();
    assert_eq!(scene.bodies[0].material.stiffness, Stiffness::Spring(7.0));
    let set = Set { key: "world.damping".into(), value: LiveValue::Number(3.0) };
    assert_eq!(scene.actions[0].kind, ActionKind::Set(set));
    let mut sim = Simulator::resume(&checkpoint, Backend::Cpu { threads: 1 }).unwrap();
    sim.step(5).unwrap();
    assert_eq!(sim.step_count(), 25);
    assert_eq!(sim.world().damping, 3.0);
}
