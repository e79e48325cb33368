//! Editing the scene while it moves.

use super::*;
use pliant_sim::scene::{Damping, Integrator};

fn edit(scene: &Scene) -> Order {
    Order::Edit(Box::new(scene.clone()))
}

/// A bar that hangs from one end.
fn hanging() -> Scene {
    let mut scene = bar();
    scene.bodies[0].locks = vec![Region::Box { min: [-0.1, -9.0, -9.0], max: [0.01, 9.0, 9.0] }];
    scene.world.bounds = None;
    scene
}

#[test]
fn stiffness_changes_while_it_moves() {
    for integrator in Integrator::ALL {
        let mut scene = hanging();
        scene.world.integrator = integrator;
        let mut test = Test::new(scene.clone());
        test.steps(50);
        let sim = test.player.session_mut().simulator_mut();
        let (positions, velocities) = (sim.positions(), sim.velocities());
        scene.bodies[0].material.stiffness = Stiffness::Spring(10.0);
        scene.bodies[0].material.damping = Damping::Time(0.01);
        test.obey([edit(&scene)]);
        assert_eq!(test.controls.messages(), []);
        let sim = test.player.session_mut().simulator_mut();
        assert_eq!((sim.positions(), sim.step_count()), (positions, 50), "{integrator}");
        assert!((sim.time() - 50.0 * DT).abs() < 1e-12);
        // Those of staggered schemes are brought to the time of the positions by the new forces.
        for (a, b) in sim.velocities().iter().zip(&velocities) {
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 0.2), "{integrator}: {a:?} {b:?}");
        }
        let mut soft = Test::new(hanging());
        soft.steps(400);
        test.steps(350);
        let sag =
            |test: &mut Test| test.player.session_mut().simulator_mut().report().center_of_mass[2];
        assert!(sag(&mut test) > sag(&mut soft) + 0.01, "{integrator}: the stiffer one sags less");
    }
}

#[test]
fn an_edit_of_nothing_changes_no_bit() {
    let mut scene = hanging();
    let mut test = Test::new(scene.clone());
    let mut other = Test::new(scene.clone());
    test.steps(50);
    other.steps(100);
    // The model is built anew, and is the same.
    scene.bodies[0].name = "another name".into();
    test.obey([edit(&scene)]);
    assert_eq!(test.player.session().simulator().model().bodies[0].name, "another name");
    test.steps(50);
    assert_eq!(test.hash(), other.hash());
}

#[test]
fn edits_of_the_world_need_no_new_model_and_keep_what_was_set() {
    let mut scene = scripted();
    let mut test = Test::new(scene.clone());
    test.steps(350);
    // By the name that it had before.
    test.obey([set("world.friction", LiveValue::Number(2.0))]);
    scene.world.integrator = Integrator::Heun;
    scene.world.external_force = [1e-4, 0.0, 0.0];
    scene.name = "edited".into();
    test.obey([edit(&scene)]);
    let world = test.controls.status().world;
    assert_eq!((world.integrator, world.external_force[0]), (Integrator::Heun, 1e-4));
    assert_eq!(
        (world.damping, world.gravity[2]),
        (2.0, -1.0),
        "neither the user's nor the script's"
    );
    assert_eq!(test.player.session().simulator().scene().name, "edited");
    scene.world.gravity = [0.0, 0.0, -2.0];
    test.obey([edit(&scene)]);
    assert_eq!(test.controls.status().world.gravity[2], -2.0, "an edit overrules the script");
    test.obey([Order::Reset]);
    assert_eq!(test.controls.status().world.gravity[2], -2.0);
}

#[test]
fn actions_go_on_with_new_numbers() {
    let mut scene = scripted();
    let mut test = Test::new(scene.clone());
    test.steps(300);
    test.obey([grab(0.2, 0.1, 0.3)]);
    assert_eq!(test.player.session().simulator().touches().len(), 3);
    let ActionKind::Push(push) = &mut scene.actions[1].kind else { panic!() };
    push.force = 0.02;
    scene.actions.remove(0);
    scene.bodies[0].material.stiffness = Stiffness::Spring(7.0);
    test.obey([edit(&scene)]);
    let touches = test.player.session().simulator().touches().to_vec();
    let [Touch::Push(push), Touch::Drag(drag)] = &touches[..] else { panic!("{touches:?}") };
    assert_eq!(
        (push.force, drag.stiffness),
        (0.02, 3.0),
        "the script's drag is gone, the hand stays"
    );
    test.steps(200);
    assert_eq!(test.player.session().simulator().touches().len(), 1, "the push has ended");
    assert_eq!(test.controls.status().held.len(), 1);
    test.obey([Order::Lead { hand: 7, ray: ray(0.0, 0.0) }]);
    assert_eq!(test.controls.messages(), []);
}

#[test]
fn locks_hold_and_let_go() {
    let mut scene = bar();
    let mut test = Test::new(scene.clone());
    test.steps(50);
    let before = test.player.session().simulator().positions();
    scene.bodies[0].locks = vec![Region::All];
    test.obey([edit(&scene)]);
    test.steps(50);
    assert_eq!(test.player.session().simulator().positions(), before);
    // Moments of the time before know nothing of the locks.
    test.obey([Order::Rewind(0)]);
    test.steps(20);
    assert!((test.player.session().simulator().positions()[0][2] - 1.0).abs() < 1e-6);
    scene.bodies[0].locks.clear();
    test.obey([edit(&scene)]);
    test.steps(100);
    assert!(test.player.session().simulator().positions()[0][2] < 0.8);
}

#[test]
fn bad_edits_are_refused() {
    let mut test = Test::new(hanging());
    test.steps(20);
    let before = test.hash();
    let mut other_mesh = hanging();
    other_mesh.bodies[0].source = Source::Shape(Shape::bar([4, 2, 3], [0.4, 0.2, 0.2]));
    let mut same_size = hanging();
    same_size.bodies[0].source = Source::Shape(Shape::bar([2, 4, 2], [0.4, 0.2, 0.2]));
    let mut two = hanging();
    two.bodies.push(Body { name: "second".into(), ..bar().bodies[0].clone() });
    let mut nonsense = hanging();
    nonsense.world.timestep = -1.0;
    let mut no_file = hanging();
    no_file.bodies[0].source = Source::Mesh { path: "does/not/exist.vtk".into(), group: None };
    for scene in [other_mesh, same_size, two, nonsense, no_file] {
        test.obey([edit(&scene)]);
        let told = test.controls.messages();
        assert!(
            matches!(&told[..], [Message::Warning(t)] if t.contains("not taken over")),
            "{told:?}"
        );
        assert_eq!(test.hash(), before);
    }
    test.steps(20);
    let mut undisturbed = Test::new(hanging());
    undisturbed.steps(40);
    assert_eq!(test.hash(), undisturbed.hash());
}

#[test]
fn what_has_yielded_stays_so() {
    let mut scene = bar();
    scene.world.plasticity = 0.05;
    scene.world.bounds.as_mut().unwrap().size = [15.0, 15.0, 5.0];
    scene.bodies[0].velocity = [0.0, 0.0, -6.0];
    let mut test = Test::new(scene.clone());
    test.steps(200);
    let rest = test.player.session().simulator().state().rest_shapes.expect("it has hit the floor");
    scene.bodies[0].material.stiffness = Stiffness::Spring(6.0);
    test.obey([edit(&scene)]);
    assert_eq!(test.player.session().simulator().state().rest_shapes, Some(rest));
}
