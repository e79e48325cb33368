//! The statements of physics on a device: short runs of small bodies, since a software GPU takes its time.

use crate::physics::{G, crossings, force_on, mass, middle};
use crate::support::*;
use crate::{block, scene, table, touching};
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Damping, World};
use pliant::{Scene, Simulator};

/// A simulator of a scene on the device, if there is one.
fn device(scene: &Scene) -> Option<Simulator> {
    On::gpu("contact").map(|on| on.simulator(scene))
}

/// A block that has come to rest on a table, at a step of a millisecond.
fn at_rest(friction: f64) -> Option<Simulator> {
    let mut upper = block("upper", 2, 0.1);
    upper.translate = [-0.3, -0.05, 0.025];
    let mut sim =
        device(&scene(vec![table(0.8), upper], World { damping: 5.0, ..touching(friction) }))?;
    sim.advance(500).unwrap();
    Some(sim)
}

/// Lets gravity pull along a slope of tan α = 0.5.
fn tilt(sim: &mut Simulator, damping: f64) {
    let angle = 0.5_f64.atan();
    let gravity = [G * angle.sin(), 0.0, -G * angle.cos()];
    sim.set_world(World { gravity, damping, ..sim.world().clone() }).unwrap();
}

#[test]
fn a_block_rests_with_its_weight_and_slides_as_coulomb_says() {
    let Some(mut sim) = at_rest(0.2) else { return };
    let weight = mass(&sim, 1) * G;
    let force = force_on(&mut sim, 1);
    assert!((force[2] / weight - 1.0).abs() < 0.01, "{force:?} of {weight} N");
    let on_upper = |c: &pliant::contact::Touching| {
        f64::from(if c.bodies[0] == 1 { c.force[2] } else { -c.force[2] })
    };
    let all: f64 = sim.contacts().iter().map(on_upper).sum();
    assert!((all / weight - 1.0).abs() < 0.01, "{all} N");
    assert!(sim.report().contact.unwrap().contacts > 3);
    tilt(&mut sim, 0.0);
    sim.advance(200).unwrap();
    let speed = |sim: &mut Simulator| sim.report().momentum[0] / mass(sim, 1);
    let before = speed(&mut sim);
    sim.advance(300).unwrap();
    let gained = speed(&mut sim) - before;
    let angle = 0.5_f64.atan();
    let wanted = 0.3 * G * (angle.sin() - 0.2 * angle.cos());
    assert!((gained / wanted - 1.0).abs() < 0.03, "{gained} instead of {wanted} m/s");
}

#[test]
fn a_block_on_a_slope_stands_if_friction_holds_it() {
    let Some(mut sim) = at_rest(0.55) else { return };
    tilt(&mut sim, 2.0);
    sim.advance(3000).unwrap();
    let start = middle(&sim, 1);
    sim.advance(500).unwrap();
    let end = middle(&sim, 1);
    let way = length(std::array::from_fn(|k| end[k] - start[k]));
    assert!(way < 1e-5, "{way} m in half a second");
}

#[test]
fn momentum_is_kept_when_bodies_collide() {
    let mut left = block("left", 2, 0.1);
    (left.velocity, left.spin) = ([2.0, 0.0, 0.0], [0.0, 0.0, 3.0]);
    let mut right = block("right", 3, 0.12);
    right.translate = [0.12, 0.03, 0.02];
    right.velocity = [-1.0, 0.2, 0.0];
    let world = World { contact: touching(0.0).contact, timestep: 2e-4, ..space() };
    let Some(mut sim) = device(&scene(vec![left, right], world)) else { return };
    let start = sim.report();
    let end = sim.step(600).unwrap();
    assert!(length(force_on(&mut sim, 0)) == 0.0, "they are apart again");
    assert!(
        end.contact.unwrap().searches > 0 && middle(&sim, 1)[0] > 0.17,
        "the right one was hit"
    );
    let scale = mass(&sim, 0) * 2.0;
    let lost = |a: [f64; 3], b: [f64; 3]| length(std::array::from_fn(|k| a[k] - b[k]));
    assert!(lost(start.momentum, end.momentum) < 1e-5 * scale, "{start:?} {end:?}");
    assert!(lost(start.angular_momentum, end.angular_momentum) < 1e-5 * scale * 0.1);
    assert!(end.energy.total() <= start.energy.total() * 1.001, "no energy is gained");
}

#[test]
fn plates_stand_on_each_other() {
    let mesh = shapes::bar([2, 2, 1], [0.2, 0.2, 0.05], Split::default());
    let mut low = body(mesh, rubber(1000.0, 1e5));
    low.material.damping = Damping::Time(1e-3);
    low.translate = [-0.1, -0.1, 0.005];
    let mut bodies = vec![table(0.4)];
    for n in 0..4 {
        let mut next = low.clone();
        next.name = format!("plate-{n}");
        next.translate[2] += 0.058 * f64::from(n);
        next.translate[0] += 0.004 * f64::from(n % 3);
        bodies.push(next);
    }
    let Some(mut sim) = device(&scene(bodies, World { damping: 2.0, ..touching(0.5) })) else {
        return;
    };
    sim.advance(1200).unwrap();
    let before: Vec<_> = (1..5).map(|b| middle(&sim, b)).collect();
    let report = sim.step(800).unwrap();
    for (n, before) in before.iter().enumerate() {
        let now = middle(&sim, n + 1);
        let way = length(std::array::from_fn(|k| now[k] - before[k]));
        assert!(way < 1e-3, "plate {n} has gone {way} m, {report:?}");
    }
    assert_eq!((crossings(&sim), report.inverted_count), (0, 0));
}

#[test]
fn the_pile_falls_as_it_does_on_the_processor() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/pile.toml");
    let scene = Scene::load(path).unwrap();
    let Some(mut there) = device(&scene) else { return };
    let mut here = simulator(&scene);
    // The balls have reached the floor and each other.
    here.advance(300).unwrap();
    let moment = pliant::checkpoint::decode(&pliant::checkpoint::encode(&here)).unwrap();
    there.load(&moment).unwrap();
    here.advance(20).unwrap();
    there.advance(20).unwrap();
    let apart = largest_distance(&here.positions(), &there.positions());
    let [mine, theirs] = [here, there].map(|mut sim| sim.report().contact.unwrap());
    println!("{apart:e} m apart, {mine:?} {theirs:?}");
    assert!(apart < 1e-5 && mine.contacts > 0, "{apart} m apart, {mine:?} {theirs:?}");
}
