//! What is said about steps before the first, and about elements after the last.

use pliant_mesh::Mesh;
use pliant_sim::scene::{Damping, Volume};

use super::*;

/// What is said before the first step.
fn said(scene: Scene) -> Vec<String> {
    let mut session = session(scene);
    session.check_timestep();
    let warning = |m: &Message| matches!(m, Message::Warning(_)).then(|| m.to_string());
    session.remote().messages().iter().filter_map(warning).collect()
}

/// A bar on which nothing acts, with steps of an integrator.
fn undamped(integrator: Integrator) -> Scene {
    let mut scene = bar();
    (scene.world.integrator, scene.world.damping) = (integrator, 0.0);
    scene
}

#[test]
fn integrators_that_gain_energy_are_told_of_with_one_that_holds() {
    for integrator in [Integrator::ExplicitEuler, Integrator::Heun, Integrator::Rk2] {
        let told = said(undamped(integrator));
        let [text] = &told[..] else { panic!("{integrator}: {told:?}") };
        let (gains, holds) = (format!("{integrator} adds energy"), "world.integrator = \"verlet\"");
        assert!(text.contains(&gains) && text.contains(holds), "{text}");
        let mut damped = undamped(integrator);
        damped.bodies[0].material.damping = Damping::Time(2e-3);
        assert_eq!(said(damped), [""; 0], "{integrator}");
    }
    for integrator in [Integrator::Verlet, Integrator::Rk4, Integrator::ImplicitEuler] {
        assert_eq!(said(undamped(integrator)), [""; 0], "{integrator}");
    }
}

#[test]
fn a_run_that_is_too_short_to_gain_anything_is_left_alone() {
    let mut scene = undamped(Integrator::Rk2);
    scene.world.timestep = 1e-4;
    scene.run.steps = Some(10);
    assert_eq!(said(scene.clone()), [""; 0]);
    scene.run.steps = None;
    assert_eq!(said(scene).len(), 1);
}

#[test]
fn the_gain_is_as_large_as_it_is_said_to_be() {
    let mut scene = undamped(Integrator::Heun);
    // The bar swings in its stiffest way when every other vertex is displaced; energy grows from there.
    scene.bodies[0].spin = [0.0, 0.0, 2.0];
    let text = said(scene.clone()).remove(0);
    let (_, rest) = text.split_once("every ").unwrap();
    let seconds: f64 = rest.split_once(" s").unwrap().0.parse().unwrap();
    let mut session = session(scene);
    let start = session.simulator_mut().report().energy.total();
    let steps = (40.0 * seconds / DT) as u64;
    let end = match session.advance(steps) {
        Ok(()) => session.simulator_mut().report().energy.total(),
        Err(_) => f64::INFINITY,
    };
    assert!(end > 2.0 * start, "{start} J became {end} J in {steps} steps");
}

#[test]
fn needlessly_short_steps_are_told_of() {
    let mut scene = bar();
    scene.world.timestep = 1e-9;
    let told = said(scene);
    assert!(matches!(&told[..], [text] if text.contains("needlessly short")), "{told:?}");
}

/// A tetrahedron without forces, whose top is pulled through its base.
fn pulled_through() -> Scene {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 1.0]];
    let mesh = Mesh { points, tets: vec![[0, 1, 2, 3]], ..Mesh::default() };
    let mut scene = bar();
    let body = &mut scene.bodies[0];
    (body.source, body.translate) = (Source::Inline(mesh), [0.0; 3]);
    body.material.stiffness = Stiffness::Spring(0.0);
    body.material.volume = Volume::None;
    let motion = DragMotion::Velocity([0.0, 0.0, -40.0]);
    let drag = Drag { center: [0.2, 0.2, 1.0], radius: 0.1, motion, stiffness: 10.0 };
    scene.actions = vec![Action { start: 0.0, end: None, kind: ActionKind::Drag(drag) }];
    scene
}

#[test]
fn tetrahedra_that_a_run_turned_inside_out_are_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let told = |session: &mut Session, steps: u64| {
        let mut told = Vec::new();
        let options = RunOptions { output: Output::default(), ..options(folder.path(), steps) };
        run(session, &options, &mut |event| {
            if let Event::Message(Message::Warning(text)) = event {
                told.push(text.clone());
            }
        })
        .unwrap();
        told
    };
    let mut session = session(pulled_through());
    assert_eq!(told(&mut session, 5), [""; 0]);
    let warnings = told(&mut session, 100);
    assert!(
        matches!(&warnings[..], [text] if text.contains("1 tetrahedra are inside out at the end, 0 were")),
        "{warnings:?}"
    );
    assert_eq!(told(&mut session, 110), [""; 0], "it was before");
}
