//! `guarantee = true` with mesh colliders that move: nothing crosses them, or it is told that nothing can be promised.

use crate::meshes::{collider, sheet, trays, with};
use crate::support::*;
use crate::{block, touching};
use pliant::contact::GuardReport;
use pliant::mesh::shapes;
use pliant::scene::{
    Body, Collider, ColliderMotion, Contact, Integrator, Keyframe, Rotation, World,
};
use pliant::{Backend, Scene, Simulator, checkpoint};

fn guarded(friction: f64) -> World {
    let contact = Some(Contact { friction, guarantee: true, ..Contact::default() });
    World { contact, timestep: 2e-4, damping: 1.0, ..touching(friction) }
}

fn cloth(cells: u32, size: f64) -> Body {
    let mut cloth = body(shapes::cloth([cells; 2], [size; 2]).unwrap(), rubber(0.3, 200.0));
    cloth.name = "cloth".into();
    cloth
}

fn report(sim: &mut Simulator) -> GuardReport {
    sim.report().contact.and_then(|contact| contact.guarantee).unwrap()
}

/// Runs a scene, and looks at what crosses all the while.
fn never_crosses(name: &str, scene: &Scene, looks: u64, steps: u64) -> Simulator {
    let mut sim = simulator(scene);
    for look in 0..looks {
        assert_eq!(sim.crossings().unwrap().len(), 0, "{name}: look {look}");
        sim.advance(steps).unwrap();
    }
    assert_eq!(sim.crossings().unwrap().len(), 0, "{name}: in the end");
    let report = report(&mut sim);
    assert_eq!((report.withdrawn, report.squeezed_by, report.crossings), (0, None, 0), "{name}");
    sim
}

fn steady(velocity: [f64; 3], spin: [f64; 3]) -> Option<ColliderMotion> {
    Some(ColliderMotion::Steady { velocity, spin })
}

/// A block and a cloth above it, on whatever comes from below.
fn pile() -> Vec<Body> {
    let mut pushed = block("pushed", 2, 0.1);
    pushed.translate = [-0.05, -0.05, 0.012];
    let mut above = cloth(12, 0.4);
    above.translate = [-0.2, -0.19, 0.13];
    vec![pushed, above]
}

#[test]
fn a_plate_that_moves_and_turns_pushes_a_body_and_cloth() {
    let solid = shapes::rounded_box([0.5, 0.5, 0.04], 0.0, 1).unwrap();
    let mut solid = collider("box", solid);
    solid.translate = [0.0, 0.0, -0.02];
    for (name, plate) in [("sheet", collider("sheet", sheet(6, 0.5))), ("box", solid)] {
        let motion = steady([0.1, 0.0, 1.5], [0.3, 0.4, 1.0]);
        let plate = Collider { motion, ..plate };
        let mut sim = never_crosses(name, &with(vec![plate], pile(), guarded(0.4)), 40, 25);
        let report = sim.report();
        assert!(report.center_of_mass[2] > 0.2, "{name}: it is pushed up: {report:?}");
        assert!(report.contact.unwrap().contacts > 10, "{name}");
    }
}

#[test]
fn trays_on_keyframes_in_series_and_animations_carry_a_body_and_cloth() {
    let folder = tempfile::tempdir().unwrap();
    for (n, tray) in trays(folder.path()).into_iter().enumerate() {
        // As long as it does not begin again, which is a jump.
        let scene = with(vec![tray], pile(), World { substeps: 2, ..guarded(0.5) });
        never_crosses(&format!("tray {n}"), &scene, 20, 100);
    }
}

/// A shell with a bar in it, which turns and shakes the bodies in it.
#[test]
fn a_drum_tumbles_what_is_in_it() {
    let mut drum = collider("drum", shapes::ball(0.3, 0.12).unwrap());
    drum.motion = steady([0.0; 3], [0.0, 6.0, 0.0]);
    let mut inside = block("inside", 2, 0.1);
    inside.translate = [-0.05, -0.05, -0.12];
    let mut rag = cloth(8, 0.2);
    rag.translate = [-0.1, -0.1, 0.03];
    let world = World { timestep: 1e-4, ..guarded(0.6) };
    never_crosses("drum", &with(vec![drum], vec![inside, rag], world), 30, 100);
}

/// A hand drags it: not along any path that was known beforehand.
#[test]
fn a_mesh_that_is_carried_is_guarded() {
    let plate = collider("plate", sheet(6, 0.5));
    let mut sim = simulator(&with(vec![plate], pile(), guarded(0.4)));
    sim.carry(0, [0.0; 3], 1.0).unwrap();
    for look in 0..30 {
        let Some(pliant::touch::Touch::Carry(carry)) = sim.touches_mut().last_mut() else {
            panic!()
        };
        let turn = 0.5 * f64::from(look);
        carry.cursor = [0.1 * turn.sin(), 0.0, 0.05 + 0.1 * turn.cos()];
        sim.advance(50).unwrap();
        assert_eq!(sim.crossings().unwrap().len(), 0, "look {look}");
    }
    assert_eq!(report(&mut sim).withdrawn, 0);
}

/// Closes on a ball until nothing is left of it, and opens again.
fn vise() -> Scene {
    let key = |time: f64, z: f64| Keyframe {
        time,
        translate: [0.0, 0.0, z],
        rotate: Rotation::default(),
    };
    let keyframes = vec![key(0.0, 0.0), key(0.2, -0.215), key(0.25, -0.215), key(0.4, 0.0)];
    let motion = Some(ColliderMotion::Keyframes { keyframes, repeat: false });
    let lower = collider("lower", sheet(4, 0.5));
    let upper =
        Collider { translate: [0.0, 0.0, 0.21], motion, ..collider("upper", sheet(4, 0.5)) };
    let mut soft = body(shapes::ball(0.08, 0.04).unwrap(), rubber(1000.0, 1e4));
    soft.name = "ball".into();
    soft.translate = [0.0, 0.0, 0.1];
    with(vec![lower, upper], vec![soft], guarded(0.5))
}

#[test]
fn a_body_that_is_left_no_room_is_told() {
    let mut scene = vise();
    scene.world.auto_substeps = true;
    let mut sim = simulator(&scene);
    let mut told = Vec::new();
    while told.is_empty() && sim.time() < 0.25 {
        // Until then the promise holds.
        assert_eq!(sim.crossings().unwrap().len(), 0, "{} s", sim.time());
        if sim.advance(5).is_err() {
            break;
        }
        told.extend(sim.take_messages().into_iter().filter(|text| text.contains("no room")));
    }
    assert!(told.iter().any(|text| text.contains("\"upper\"")), "{} s: {told:?}", sim.time());
    assert!(report(&mut sim).withdrawn > 0);
}

#[test]
fn threads_cuts_and_resumes_change_nothing_with_meshes_that_move() {
    let folder = tempfile::tempdir().unwrap();
    let [keyframes, _, animation] = trays(folder.path());
    for (tray, integrator) in [
        (keyframes.clone(), Integrator::Verlet),
        (animation, Integrator::Verlet),
        (keyframes, Integrator::VelocityVerlet),
    ] {
        let world = World { substeps: 3, integrator, ..guarded(0.5) };
        let scene = with(vec![tray], pile(), world);
        let mut whole = simulator(&scene);
        whole.advance(500).unwrap();
        assert!(report(&mut whole).substeps == 1500);
        let mut cut = Simulator::new(scene.clone(), Backend::Cpu { threads: 3 }).unwrap();
        for steps in [1, 99, 150, 250] {
            cut.advance(steps).unwrap();
            let saved = checkpoint::decode(&checkpoint::encode(&cut)).unwrap();
            cut = Simulator::new(scene.clone(), Backend::Cpu { threads: 2 }).unwrap();
            cut.load(&saved).unwrap();
        }
        assert_eq!(cut.hash(), whole.hash(), "{integrator:?}");
    }
}

/// So fast that it goes far through what it meets in a substep, were that not taken along.
#[test]
fn a_fast_mesh_takes_along_what_it_meets() {
    let ball = shapes::ball(0.06, 0.03).unwrap();
    for speed in [20.0, 100.0] {
        let ball = Collider {
            translate: [0.0, 0.0, -0.1],
            motion: steady([0.0, 0.0, speed], [0.0; 3]),
            ..collider("ball", ball.clone())
        };
        let mut struck = cloth(16, 0.4);
        struck.translate = [-0.2, -0.19, 0.0];
        let world = World { gravity: [0.0; 3], timestep: 1e-4, ..guarded(0.2) };
        let steps = (0.3 / speed / 1e-4) as u64 / 15;
        let mut sim = never_crosses(
            &format!("{speed} m/s"),
            &with(vec![ball], vec![struck], world),
            15,
            steps.max(1),
        );
        let highest = sim.positions().iter().map(|p| p[2]).fold(0.0, f64::max);
        assert!(highest > 0.1, "{speed} m/s: {highest} m, {:?}", report(&mut sim));
    }
}
