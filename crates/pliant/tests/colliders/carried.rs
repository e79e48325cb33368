//! Colliders that hands take along, on every backend.

use crate::suite::{block, scene_of, world};
use crate::support::*;
use pliant::scene::{Collider, ColliderMotion, ColliderShape, World};
use pliant::touch::Touch;
use pliant::{Scene, Simulator};

/// The way that plates go, which are carried or move by themselves \[m/s\].
const VELOCITY: [f64; 3] = [0.3, 0.0, 0.1];

/// A block that stands on a plate, which moves or does not.
fn on_plate(motion: Option<ColliderMotion>) -> Scene {
    let shape = ColliderShape::Box { size: [1.0, 1.0, 0.1], hollow: false };
    let (translate, friction) = ([0.1, 0.1, -0.05], 0.9);
    let plate = Collider {
        name: "plate".into(),
        shape,
        translate,
        friction,
        motion,
        ..Collider::default()
    };
    scene_of(block(), vec![plate], world())
}

/// Takes hold of a collider, to lead it so far at the speed of [`VELOCITY`].
fn lead(sim: &mut Simulator, seconds: f64) {
    sim.carry(0, [0.0; 3], length(VELOCITY)).unwrap();
    let Some(Touch::Carry(carry)) = sim.touches_mut().last_mut() else { unreachable!() };
    carry.cursor = VELOCITY.map(|v| v * seconds);
}

/// A plate that is carried does what a plate does that moves so by itself.
pub fn what_is_carried_pushes_and_takes_along(on: &On) {
    let motion = ColliderMotion::Steady { velocity: VELOCITY, spin: [0.0; 3] };
    let mut steady = on.simulator(&on_plate(Some(motion)));
    let mut carried = on.simulator(&on_plate(None));
    lead(&mut carried, 1.0);
    let [moved, led] = [&mut steady, &mut carried].map(|sim| sim.step(400).unwrap());
    let way: [f64; 3] = std::array::from_fn(|k| led.center_of_mass[k] - moved.center_of_mass[k]);
    assert!(length(way) < 1e-5, "{led:?} is not {moved:?}");
    assert!(led.center_of_mass[0] > 0.2, "friction takes it along: {:?}", led.center_of_mass);
    let force = led.colliders.as_ref().unwrap().on_colliders[0][2];
    assert!(
        (force / moved.colliders.as_ref().unwrap().on_colliders[0][2] - 1.0).abs() < 1e-2,
        "{force}"
    );
    // The measured velocity, which lags behind in the state, knows where the plate goes.
    assert!((led.momentum[2] / moved.momentum[2] - 1.0).abs() < 1e-3, "{led:?} {moved:?}");
    // It stays where it is left, and the block comes to rest on it.
    carried.touches_mut().clear();
    carried.set_world(World { damping: 5.0, ..world() }).unwrap();
    let end = carried.step(2000).unwrap();
    let displaced = carried.displacement(0);
    let expected = VELOCITY.map(|v| 0.4 * v);
    assert!((0..3).all(|k| (displaced[k] - expected[k]).abs() < 1e-12), "{displaced:?}");
    assert!((end.center_of_mass[2] - 0.14).abs() < 2e-3 && end.max_speed < 1e-2, "{end:?}");
    assert_eq!(carried.collider_pose(0).unwrap().translation[0], 0.1 + displaced[0]);
}

/// Cut runs, resumes and states that are gone back to have the same bits, while it is carried and after it.
pub fn what_is_carried_has_the_same_bits(on: &On) {
    let mut scene = on_plate(None);
    scene.world.substeps = 2;
    let mut whole = on.simulator(&scene);
    lead(&mut whole, 0.15);
    let start = whole.state();
    whole.advance(300).unwrap();
    let (end, hash) = (whole.state(), whole.state().hash());
    assert_ne!(end.displaced, start.displaced);
    let mut cut = on.simulator(&scene);
    lead(&mut cut, 0.15);
    for steps in [1, 30, 69, 100] {
        cut.advance(steps).unwrap();
    }
    let saved = pliant::checkpoint::encode(&cut);
    cut.advance(100).unwrap();
    assert_eq!(cut.state().hash(), hash, "cut");
    let saved = pliant::checkpoint::decode(&saved).unwrap();
    let mut resumed = on.simulator(&scene);
    resumed.load(&saved).unwrap();
    assert_eq!(resumed.displacement(0), saved.state.displaced[0]);
    resumed.advance(100).unwrap();
    assert_eq!(resumed.state().hash(), hash, "resumed");
    whole.set_state(&start);
    assert_eq!(whole.displacement(0), [0.0; 3], "the pose is part of a state");
    whole.advance(300).unwrap();
    assert_eq!(whole.state().hash(), hash, "gone back");
    whole.reset();
    assert_eq!(whole.displacement(0), [0.0; 3]);
}

/// What is put somewhere at once pushes bodies out, and has no velocity that it could give them.
pub fn what_is_moved_at_once_has_no_velocity(on: &On) {
    let mut sim = on.simulator(&on_plate(None));
    sim.advance(100).unwrap();
    sim.move_collider(0, [0.0, 0.0, 0.02]).unwrap();
    let report = sim.step(1).unwrap();
    assert!(report.max_speed < 20.0 && report.center_of_mass[2] > 0.1, "{report:?}");
    let report = sim.step(1500).unwrap();
    assert!((report.center_of_mass[2] - 0.12).abs() < 2e-3, "{report:?}");
    assert!(sim.move_collider(1, [0.0; 3]).is_err() && sim.carry(7, [0.0; 3], 1.0).is_err());
    assert!(sim.move_collider(0, [f64::NAN, 0.0, 0.0]).is_err());
}
