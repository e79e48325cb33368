//! Scripts, commands, files and resuming.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pliant_mesh::Mesh;
use pliant_sim::scene::{
    Action, ActionKind, Body, Carry, CarryMotion, Collider, ColliderShape, Drag, DragMotion, Every,
    Integrator, LiveValue, Output, Push, RunPlan, Scene, Set, Shape, Source, Stiffness,
};
use pliant_sim::stages::touch;
use pliant_sim::{Backend, checkpoint};

use crate::export::CHECKPOINT;
use crate::*;

mod films;
mod skins;
mod steps;
mod tables;

const DT: f64 = 0.001;

fn bar() -> Scene {
    let mut body = Body { name: "bar".into(), ..Body::default() };
    body.source = Source::Shape(Shape::bar([4, 2, 2], [0.4, 0.2, 0.2]));
    body.material.stiffness = Stiffness::Spring(5.0);
    body.translate = [0.0, 0.0, 1.0];
    let mut scene = Scene { name: "bar".into(), bodies: vec![body], ..Scene::default() };
    scene.world.timestep = DT;
    scene.world.gravity = [0.0; 3];
    scene.world.bounds = None;
    scene
}

fn drag(start: f64, end: Option<f64>, motion: DragMotion) -> Action {
    let drag = Drag { center: [0.4, 0.0, 1.0], radius: 0.05, motion, stiffness: 2.0 };
    Action { start, end, kind: ActionKind::Drag(drag) }
}

fn push(start: f64, end: Option<f64>) -> Action {
    let push =
        Push { origin: [0.2, 0.1, 0.0], direction: [0.0, 0.0, 2.0], radius: 0.15, force: 0.001 };
    Action { start, end, kind: ActionKind::Push(push) }
}

fn set(start: f64, key: &str, value: LiveValue) -> Action {
    Action { start, end: None, kind: ActionKind::Set(Set { key: key.into(), value }) }
}

fn carry(start: f64, end: Option<f64>, motion: CarryMotion) -> Action {
    let carry = Carry { collider: "ball".into(), motion };
    Action { start, end, kind: ActionKind::Carry(carry) }
}

/// A ball under the bar.
fn below() -> Collider {
    let shape = ColliderShape::Sphere { radius: 0.2, hollow: false };
    Collider { name: "ball".into(), shape, translate: [0.2, 0.1, 0.78], ..Collider::default() }
}

/// Every kind of action, overlapping, with times on, between and very near step boundaries.
fn busy() -> Scene {
    Scene {
        actions: vec![
            drag(0.0, Some(0.03), DragMotion::Velocity([0.0, 0.3, 0.1])),
            carry(0.005, Some(0.032), CarryMotion::By([0.0, 0.0, 0.1])),
            push(0.01, Some(0.0255)),
            drag(0.0105, None, DragMotion::Target([0.4, 0.0, 1.1])),
            set(0.02, "world.timestep", LiveValue::Number(0.0005)),
            drag(0.025, Some(0.04), DragMotion::Target([0.5, 0.1, 1.0])),
            set(0.03, "world.gravity", LiveValue::Vector([0.0, 0.0, -9.81])),
            push(0.04, None),
            carry(0.04, None, CarryMotion::Velocity([1.0, 0.0, -0.5])),
        ],
        colliders: vec![below()],
        ..bar()
    }
}

fn session(scene: Scene) -> Session {
    Session::new(scene, Backend::Cpu { threads: 1 }).unwrap()
}

#[test]
fn a_push_lasts_exactly_from_boundary_to_boundary() {
    // Without springs to pass it on, momentum is force × time × vertices.
    let mut scene = bar();
    scene.bodies[0].material.stiffness = Stiffness::Spring(0.0);
    scene.bodies[0].material.volume = pliant_sim::scene::Volume::None;
    scene.world.damping = 0.0;
    scene.actions = vec![push(0.0101, Some(0.02))];
    let mut session = session(scene);
    session.advance(50).unwrap();
    let reached = session.simulator().positions().iter().filter(|p| p[2] > 1.21).count();
    let momentum = session.simulator_mut().report().momentum[2];
    // Begins at step 11, ends at step 20: nine steps.
    let pushed = (momentum / (0.001 * 9.0 * DT)).round();
    assert!((momentum - pushed * 0.001 * 9.0 * DT).abs() < 1e-6 * momentum, "{momentum} {reached}");
    let near = |x: f64, y: f64| (x - 0.2).hypot(y - 0.1) <= 0.15;
    let columns = (0..5).flat_map(|i| (0..3).map(move |j| (0.1 * i as f64, 0.1 * j as f64)));
    let expected = 3 * columns.filter(|&(x, y)| near(x, y)).count();
    assert_eq!(pushed as usize, expected);
}

#[test]
fn pieces_and_resuming_anywhere_give_the_same_bits() {
    let mut whole = session(busy());
    let about_scene = whole.remote().messages();
    whole.advance(100).unwrap();
    let mut pieces = session(busy());
    for n in [1, 2, 3, 5, 7, 11, 13, 17, 19, 22] {
        pieces.advance(n).unwrap();
    }
    assert_eq!(pieces.simulator().hash(), whole.simulator().hash());
    for cut in (0..100).step_by(3).chain([10, 11, 20, 25, 30, 40]) {
        let mut first = session(busy());
        first.advance(cut).unwrap();
        let saved = checkpoint::decode(&first.checkpoint()).unwrap();
        let mut second = Session::resume(&saved, Backend::Cpu { threads: 2 }).unwrap();
        assert_eq!(second.remote().messages(), about_scene, "nothing was let go");
        second.advance(100 - cut).unwrap();
        assert_eq!(second.simulator().hash(), whole.simulator().hash(), "cut after step {cut}");
        assert_eq!(second.simulator().world(), whole.simulator().world());
    }
}

#[test]
fn a_set_action_happens_once_and_at_its_step() {
    let mut scene = bar();
    scene.world.damping = 0.0;
    // Its velocities belong to whole steps, so that the expected one is exact.
    scene.world.integrator = Integrator::SymplecticEuler;
    scene.actions = vec![set(0.005, "world.gravity", LiveValue::Vector([0.0, 0.0, -10.0]))];
    let mut session = session(scene);
    session.advance(15).unwrap();
    let report = session.simulator_mut().report();
    let speed = report.momentum[2] / (45.0 * 0.001);
    assert!((speed + 10.0 * 10.0 * DT).abs() < 1e-5, "{speed}");
}

#[test]
fn a_drag_that_grabs_nothing_says_so() {
    let mut scene = bar();
    let mut far = drag(0.002, Some(0.01), DragMotion::Velocity([0.0; 3]));
    if let ActionKind::Drag(drag) = &mut far.kind {
        drag.center = [9.0; 3];
    }
    scene.actions = vec![far];
    let mut session = session(scene);
    session.advance(20).unwrap();
    let messages = session.remote().messages();
    assert!(matches!(&messages[..], [Message::Warning(text)] if text.contains("grabs nothing")));
}

#[test]
fn commands_are_obeyed_between_steps() {
    let mut session = session(bar());
    let remote = session.remote();
    remote.send(Command::Pause);
    session.advance(10).unwrap();
    assert_eq!(session.simulator().step_count(), 0);
    remote.send(Command::Play);
    let hold = [0.4, 0.0, 1.0];
    remote.send(Command::Grab { hand: 1, center: hold, radius: 0.05, speed: 1.0, stiffness: 5.0 });
    remote.send(Command::Lead { hand: 1, to: [0.8, 0.0, 1.0] });
    session.advance(200).unwrap();
    assert!(session.simulator_mut().report().center_of_mass[0] > 0.21, "it is pulled along x");
    remote.send(Command::Release { hand: 1 });
    let push =
        touch::Push { origin: [0.0; 3], direction: [0.0, 0.0, 1.0], radius: 9.0, force: 0.01 };
    remote.send(Command::Push { hand: 2, push });
    let before = session.simulator_mut().report().momentum[2];
    session.advance(100).unwrap();
    let gain = session.simulator_mut().report().momentum[2] - before;
    let expected = 45.0 * 0.01 * 100.0 * DT;
    assert!((gain / expected - 1.0).abs() < 0.05, "{gain} {expected}, damping takes a little");
    remote.send(Command::Set { key: "world.timestep".into(), value: LiveValue::Number(-1.0) });
    remote.send(Command::Set { key: "world.damping".into(), value: LiveValue::Number(3.0) });
    remote.send(Command::Reset);
    session.advance(1).unwrap();
    assert_eq!(session.simulator().step_count(), 1);
    assert_eq!(session.simulator().world().damping, 3.0);
    assert_eq!(session.simulator().world().timestep, DT, "nonsense is refused");
    assert!(matches!(&remote.messages()[..], [Message::Warning(_)]));
    remote.send(Command::Stop);
    session.advance(5).unwrap();
    assert!(session.is_stopped());
    assert_eq!(session.simulator().step_count(), 1);
    let frame = session.frame(Fields { motion: true, stress: true, contact: false });
    assert_eq!(remote.latest().unwrap().positions, frame.positions);
    assert_eq!(frame.von_mises.len(), session.simulator().model().tets.len());
}

fn options(folder: &Path, steps: u64) -> RunOptions {
    RunOptions {
        plan: RunPlan { steps: Some(steps), duration: None },
        output: Output {
            every: Every::Steps(10),
            vtu: true,
            glb: true,
            obj: true,
            ply: true,
            csv: true,
            checkpoint_every: Some(25),
            ..Output::default()
        },
        folder: folder.to_owned(),
        name: "bar / one".into(),
        ..RunOptions::default()
    }
}

fn load(path: impl AsRef<Path>) -> Mesh {
    pliant_mesh::load(path.as_ref()).unwrap().mesh
}

#[test]
fn results_keep_the_arrays_of_mesh_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = bar();
    let mut mesh = pliant_mesh::shapes::bar([2; 3], [0.2; 3], pliant_mesh::shapes::Split::Six);
    let count = |n: usize| (0..n).map(|i| i as f64).collect::<Vec<_>>();
    let (points, tets) = (mesh.points.len(), mesh.tets.len());
    for name in ["density", "force"] {
        mesh.point_data.push(pliant_mesh::DataArray::scalar(name, count(points)));
    }
    mesh.tet_data.push(pliant_mesh::DataArray::scalar("region", count(tets)));
    let source = Source::Inline(mesh);
    let velocity = [0.0, 0.0, 1.0];
    scene.bodies.push(Body { name: "scan".into(), source, velocity, ..Body::default() });
    let mut session = session(scene);
    let output = Output { vtu: true, ..Output::default() };
    let options = RunOptions { output, ..options(folder.path(), 10) };
    run(&mut session, &options, &mut |_| {}).unwrap();
    let vtu = load(folder.path().join("vtu/bar---one-00000010.vtu"));
    let density = &vtu.point_array("density").unwrap().values;
    let first = vtu.points.len() - points;
    assert!(density[..first].iter().all(|v| v.is_nan()) && density[first..] == count(points));
    let region = &vtu.tet_array("region").unwrap().values;
    assert_eq!(region[region.len() - tets..], count(tets));
    let forces: Vec<_> = vtu.point_data.iter().filter(|a| a.name == "force").collect();
    assert!(forces.len() == 1 && forces[0].values[first..] != count(points), "it is measured anew");
    let moved = &vtu.point_array("displacement").unwrap().values;
    assert!(moved[..first].iter().all(|m| *m < 1e-6));
    assert!(moved[first..].iter().all(|m| (m - 0.01).abs() < 1e-4), "a metre a second: {moved:?}");
}

#[test]
fn frames_are_written_in_the_users_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(bar());
    let outcome = run(&mut session, &options(folder.path(), 25), &mut |_| {}).unwrap();
    assert_eq!(outcome.ending, Ending::Finished);
    let at = |name: &str| folder.path().join(name);
    let vtu = load(at("vtu/bar---one-00000000.vtu"));
    let rest =
        pliant_mesh::shapes::bar([4, 2, 2], [0.4, 0.2, 0.2], pliant_mesh::shapes::Split::Six);
    assert_eq!(vtu.points.len(), rest.points.len());
    for (a, b) in vtu.points.iter().zip(&rest.points) {
        assert!((0..3).all(|k| (a[k] - b[k] - [0.0, 0.0, 1.0][k]).abs() < 1e-6), "{a:?} {b:?}");
    }
    assert_eq!(vtu.tets, rest.tets);
    assert!(vtu.point_array("velocity").is_some() && vtu.tet_array("von_mises").is_some());
    let list = std::fs::read_to_string(at("bar---one.pvd")).unwrap();
    for step in ["00000000", "00000010", "00000020", "00000025"] {
        let file = format!("vtu/bar---one-{step}.vtu");
        assert!(list.contains(&file) && at(&file).exists(), "{list}");
    }
    let obj = load(at("obj/bar---one-00000020.obj"));
    let ply = load(at("ply/bar---one-00000020.ply"));
    assert_eq!(obj.triangles.len(), pliant_mesh::topology::boundary_faces(&rest.tets).len());
    assert_eq!((obj.points.len(), &obj.triangles), (ply.points.len(), &ply.triangles));
    assert!((obj.volume() - rest.volume()).abs() < 1e-3 * rest.volume(), "faces look outward");
    let table = std::fs::read_to_string(at("bar---one.csv")).unwrap();
    let steps: Vec<&str> = table.lines().skip(1).map(|l| l.split(',').next().unwrap()).collect();
    assert_eq!(steps, ["0", "10", "20", "25"]);
    let columns = |line: &str| line.split(',').count();
    assert!(table.lines().all(|l| columns(l) == columns(table.lines().next().unwrap())));
    assert!(outcome.outputs.iter().all(|p| p.exists()));
    assert_eq!(load(at("bar---one.glb")).triangles.len(), obj.triangles.len());
}

#[test]
fn a_continued_run_continues_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut whole = session(busy());
    let whole = run(&mut whole, &options(folder.path(), 60), &mut |_| {}).unwrap();
    let complete = std::fs::read_to_string(folder.path().join("bar---one.csv")).unwrap();
    let list = std::fs::read_to_string(folder.path().join("bar---one.pvd")).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let mut first = session(busy());
    run(&mut first, &options(folder.path(), 33), &mut |_| {}).unwrap();
    let bytes = std::fs::read(folder.path().join(CHECKPOINT)).unwrap();
    let saved = checkpoint::decode(&bytes).unwrap();
    assert_eq!(saved.state.step, 33);
    let mut second = Session::resume(&saved, Backend::Cpu { threads: 1 }).unwrap();
    let again = RunOptions { is_continued: true, ..options(folder.path(), 60) };
    let outcome = run(&mut second, &again, &mut |_| {}).unwrap();
    assert_eq!(outcome.hash, whole.hash);
    let without_33 = |text: String| -> Vec<String> {
        text.lines()
            .filter(|l| !l.starts_with("33,") && !l.contains("00000033"))
            .map(str::to_owned)
            .collect()
    };
    let table = std::fs::read_to_string(folder.path().join("bar---one.csv")).unwrap();
    assert_eq!(without_33(table), without_33(complete));
    let continued = std::fs::read_to_string(folder.path().join("bar---one.pvd")).unwrap();
    assert_eq!(without_33(continued), without_33(list));
}

#[test]
fn cancelling_leaves_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = Arc::new(AtomicBool::new(true));
    let options = RunOptions { cancel, output: Output::default(), ..options(folder.path(), 50) };
    let outcome = run(&mut session(bar()), &options, &mut |_| {}).unwrap();
    assert_eq!(outcome.ending, Ending::Stopped);
    let bytes = std::fs::read(outcome.checkpoint.unwrap()).unwrap();
    assert_eq!(checkpoint::decode(&bytes).unwrap().state.step, 0);
}

#[test]
fn divergence_is_told_and_the_last_good_state_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = bar();
    scene.world.timestep = 0.05;
    scene.bodies[0].material.stiffness = Stiffness::Spring(500.0);
    scene.actions = vec![push(0.0, None)];
    let mut session = session(scene);
    let mut told = Vec::new();
    let outcome = run(&mut session, &options(folder.path(), 4000), &mut |event| {
        if let Event::Message(message) = event {
            told.push(message.clone());
        }
    })
    .unwrap();
    let Ending::Diverged(diverged) = &outcome.ending else { panic!("{:?}", outcome.ending) };
    let is_warning = |m: &Message| matches!(m, Message::Warning(t) if t.contains("stable"));
    assert!(told.iter().any(is_warning), "{told:?}");
    assert!(told.contains(&Message::Diverged((**diverged).clone())));
    let bytes = std::fs::read(outcome.checkpoint.unwrap()).unwrap();
    let saved = checkpoint::decode(&bytes).unwrap();
    assert_eq!(saved.state.step, diverged.good_step);
    // The push of the very first boundary is found again, not doubled.
    let resumed = Session::resume(&saved, Backend::Cpu { threads: 1 }).unwrap();
    assert_eq!(resumed.simulator().state().touches.len(), 1);
}

#[test]
fn an_unwritable_folder_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "not a folder").unwrap();
    let error =
        run(&mut session(bar()), &options(&blocked.join("out"), 5), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}

#[test]
fn long_animations_are_thinned() {
    let mut scene = bar();
    scene.world.gravity = [0.0, 0.0, -9.81];
    let folder = tempfile::tempdir().unwrap();
    let output = Output { every: Every::Steps(1), glb: true, ..Output::default() };
    let options = RunOptions { output, ..options(folder.path(), 1100) };
    let mut notes = 0;
    let outcome = run(&mut session(scene), &options, &mut |event| {
        notes += usize::from(
            matches!(event, Event::Message(Message::Note(t)) if t.contains("keeps one")),
        );
    })
    .unwrap();
    assert_eq!(notes, 1);
    let size = std::fs::metadata(&outcome.outputs[0]).unwrap().len();
    // 551 frames of 45 vertices at 24 bytes, 551² weights, and some JSON.
    assert!((1_700_000..2_300_000).contains(&size), "{size}");
}

#[test]
fn scene_names_become_file_names() {
    let names = ["jelly", " a/b\\c ", "..", "", "größe 2.0", "../../etc/passwd"];
    let files = names.map(export::file_name);
    assert_eq!(files, ["jelly", "a-b-c", "scene", "scene", "größe-2.0", "etc-passwd"]);
}
