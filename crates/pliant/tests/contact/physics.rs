//! What contact does is what physics says.

use crate::support::*;
use crate::{block, scene, table, touching};
use pliant::Simulator;
use pliant::contact::{Touching, find_crossings};
use pliant::mesh::Mesh;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Damping, Integrator, Region, Stiffness, World};

/// Gravity \[m/s²\].
pub const G: f64 = 9.81;

/// The sum of the forces of contact on a body \[N\].
pub fn force_on(sim: &mut Simulator, body: usize) -> [f64; 3] {
    let forces = sim.contact_forces();
    let all = sim.model().bodies[body].vertices.clone();
    all.fold([0.0; 3], |sum, v| std::array::from_fn(|k| sum[k] + f64::from(forces[v as usize][k])))
}

/// The middle of a body's vertices \[m\].
pub fn middle(sim: &Simulator, body: usize) -> [f64; 3] {
    let (x, all) = (sim.positions(), sim.model().bodies[body].vertices.clone());
    let count = all.len() as f64;
    all.fold([0.0; 3], |sum, v| std::array::from_fn(|k| sum[k] + x[v as usize][k] / count))
}

pub fn mass(sim: &Simulator, body: usize) -> f64 {
    let all = sim.model().bodies[body].vertices.clone();
    all.map(|v| f64::from(sim.model().mass[v as usize])).sum()
}

/// The pairs of surface triangles that cross now.
pub fn crossings(sim: &Simulator) -> usize {
    let user = |v: u32| sim.model().vertex_order[v as usize];
    let triangles = sim.model().triangles.iter().map(|t| t.map(user)).collect();
    let mesh = Mesh { points: sim.positions(), triangles, ..Mesh::default() };
    find_crossings(&mesh, 1).unwrap().len()
}

#[test]
fn what_rests_is_carried_with_its_weight_in_every_explicit_integrator() {
    for integrator in Integrator::EXPLICIT {
        let mut upper = block("upper", 3, 0.15);
        upper.translate = [-0.06, -0.08, 0.01];
        // Explicit Euler adds energy at any step that it could take otherwise.
        let h = if integrator == Integrator::ExplicitEuler { 5e-5 } else { 5e-4 };
        let world = World { integrator, damping: 5.0, timestep: h, ..touching(0.5) };
        let mut sim = simulator(&scene(vec![table(0.4), upper], world));
        let report = sim.step((1.5 / h).round() as u64).unwrap();
        let weight = mass(&sim, 1) * G;
        let force = force_on(&mut sim, 1);
        assert!((force[2] / weight - 1.0).abs() < 0.01, "{integrator}: {force:?} of {weight} N");
        assert!(length([force[0], force[1], 0.0]) < 0.01 * weight, "{integrator}: {force:?}");
        let contact = report.contact.unwrap();
        assert!(contact.contacts > 10 && report.max_speed < 1e-2, "{integrator}: {report:?}");
        // All that touch say so, and their forces add up to the same.
        let on_upper =
            |c: &Touching| f64::from(if c.bodies[0] == 1 { c.force[2] } else { -c.force[2] });
        let all: f64 = sim.contacts().iter().map(on_upper).sum();
        assert!((all / weight - 1.0).abs() < 0.01, "{integrator}: {all} N");
        assert_eq!(crossings(&sim), 0, "{integrator}");
    }
}

/// Along a slope of tan α = 0.5, given by gravity: how far a block goes in some time, and how much faster it gets
/// meanwhile. It has time to lean into the slope before.
fn on_slope(friction: f64, young: f64, h: f64, leans: f64, seconds: f64) -> (f64, f64) {
    let angle = 0.5_f64.atan();
    let mut upper = block("upper", 2, 0.1);
    upper.material.stiffness = Stiffness::Young(young);
    upper.translate = [-0.7, -0.05, 0.025];
    let gravity = [0.0, 0.0, -G * angle.cos()];
    let world = World { gravity, damping: 5.0, timestep: h, ..touching(friction) };
    let mut sim = simulator(&scene(vec![table(1.6), upper], world));
    let run = |sim: &mut Simulator, time: f64| sim.advance((time / h).round() as u64).unwrap();
    run(&mut sim, 0.6);
    let tilted = [G * angle.sin(), 0.0, -G * angle.cos()];
    let world = World { gravity: tilted, damping: 2.0, ..sim.world().clone() };
    sim.set_world(world.clone()).unwrap();
    run(&mut sim, leans);
    sim.set_world(World { damping: 0.0, ..world }).unwrap();
    let speed = |sim: &mut Simulator| sim.report().momentum[0] / mass(sim, 1);
    let (start, before) = (middle(&sim, 1), speed(&mut sim));
    run(&mut sim, seconds);
    let end = middle(&sim, 1);
    (length(std::array::from_fn(|k| end[k] - start[k])), speed(&mut sim) - before)
}

#[test]
fn a_block_on_a_slope_stands_for_a_minute_if_friction_holds_it() {
    let (way, speed) = on_slope(0.55, 1e5, 1e-3, 4.0, 60.0);
    assert!(way < 1e-5 && speed.abs() < 1e-5, "{way} m, {speed} m/s");
}

#[test]
fn a_block_on_a_slope_slides_as_coulomb_says_if_friction_does_not_hold_it() {
    let angle = 0.5_f64.atan();
    for friction in [0.0, 0.2, 0.4] {
        let (_, speed) = on_slope(friction, 1e5, 1e-3, 0.3, 0.5);
        let wanted = 0.5 * G * (angle.sin() - friction * angle.cos());
        assert!((speed / wanted - 1.0).abs() < 0.03, "{friction}: {speed} instead of {wanted} m/s");
    }
}

#[test]
fn momentum_is_kept_when_bodies_collide() {
    let mut left = block("left", 3, 0.1);
    (left.velocity, left.spin) = ([2.0, 0.0, 0.0], [0.0, 0.0, 3.0]);
    let mut right = block("right", 4, 0.12);
    right.translate = [0.16, 0.03, 0.02];
    right.velocity = [-1.0, 0.2, 0.0];
    for friction in [0.0, 0.5] {
        let world = World { contact: touching(friction).contact, timestep: 2e-4, ..space() };
        let mut sim = simulator(&scene(vec![left.clone(), right.clone()], world));
        let start = sim.report();
        let end = sim.step(1000).unwrap();
        assert!(length(force_on(&mut sim, 0)) == 0.0, "they are apart again");
        let of = |sim: &Simulator, body: usize| middle(sim, body)[0];
        assert!(of(&sim, 1) > 0.22, "the right one was hit");
        let scale = mass(&sim, 0) * 2.0;
        let lost = |a: [f64; 3], b: [f64; 3]| length(std::array::from_fn(|k| a[k] - b[k]));
        assert!(lost(start.momentum, end.momentum) < 1e-5 * scale, "{start:?} {end:?}");
        // Friction acts at the two surfaces, which are a thickness apart: 7 mm of the 100 mm of a block.
        let allowed = if friction == 0.0 { 1e-5 } else { 0.02 };
        let turned = lost(start.angular_momentum, end.angular_momentum);
        assert!(turned < allowed * scale * 0.1, "friction {friction}: {turned}");
        assert!(end.energy.total() <= start.energy.total() * 1.001, "no energy is gained");
    }
}

#[test]
fn ten_blocks_stand_on_each_other_for_a_minute() {
    // Flat ones: a tower of soft cubes would buckle under its own weight.
    let mesh = shapes::bar([2, 2, 1], [0.2, 0.2, 0.05], Split::default());
    let mut low = body(mesh, rubber(1000.0, 1e5));
    low.material.damping = Damping::Time(1e-3);
    low.translate = [-0.1, -0.1, 0.005];
    let mut bodies = vec![table(0.4)];
    for n in 0..10 {
        let mut next = low.clone();
        next.name = format!("block-{n}");
        next.translate[2] += 0.058 * f64::from(n);
        // None exactly above the other.
        next.translate[0] += 0.004 * f64::from(n % 3);
        bodies.push(next);
    }
    let mut sim = simulator(&scene(bodies, World { damping: 2.0, ..touching(0.5) }));
    sim.advance(5000).unwrap();
    let before: Vec<_> = (1..11).map(|b| middle(&sim, b)).collect();
    let report = sim.step(60_000).unwrap();
    for (n, before) in before.iter().enumerate() {
        let now = middle(&sim, n + 1);
        let way = length(std::array::from_fn(|k| now[k] - before[k]));
        assert!(way < 1e-3, "block {n} has gone {way} m, {report:?}");
    }
    assert_eq!((crossings(&sim), report.inverted_count), (0, 0));
}

#[test]
fn a_heavy_block_does_not_sink_into_a_light_one() {
    let mut light = block("light", 3, 0.1);
    light.material.stiffness = Stiffness::Young(4e5);
    light.translate = [-0.05, -0.05, 0.004];
    let mut heavy = block("heavy", 3, 0.1);
    heavy.material = rubber(8000.0, 4e5);
    heavy.material.damping = Damping::Time(5e-4);
    heavy.translate = [-0.045, -0.055, 0.11];
    let bodies = vec![table(0.4), light, heavy];
    let world = World { damping: 3.0, timestep: 5e-4, ..touching(0.5) };
    let mut sim = simulator(&scene(bodies, world));
    sim.advance(6000).unwrap();
    let force = force_on(&mut sim, 2)[2];
    assert!((force / (mass(&sim, 2) * G) - 1.0).abs() < 0.01, "{force} N");
    assert_eq!(crossings(&sim), 0);
}

#[test]
fn cloth_falls_on_a_ball_and_on_itself_without_crossing() {
    let ball = shapes::ball(0.1, 0.03).unwrap();
    let mut ball = body(ball, rubber(1000.0, 1e5));
    ball.name = "ball".into();
    ball.translate = [0.0, 0.0, 0.1];
    ball.locks = vec![Region::HalfSpace { point: [0.0, 0.0, 1.0], normal: [0.0, 0.0, -1.0] }];
    let mut cloth = body(shapes::cloth([24, 24], [0.5, 0.5]).unwrap(), rubber(0.3, 200.0));
    cloth.name = "cloth".into();
    cloth.translate = [-0.25, -0.24, 0.215];
    let bounds = World::default().bounds;
    let world = World { timestep: 2e-4, damping: 1.0, bounds, ..touching(0.3) };
    let mut sim = simulator(&scene(vec![ball, cloth], world));
    for _ in 0..8 {
        let report = sim.step(1000).unwrap();
        assert_eq!(crossings(&sim), 0, "{report:?}");
    }
    let low = sim.positions().iter().map(|x| x[2]).fold(f64::INFINITY, f64::min);
    let contact = sim.report().contact.unwrap();
    assert!(low < 0.05 && contact.contacts > 30, "it hangs down at {low} m: {contact:?}");
}

#[test]
fn bodies_that_start_inside_each_other_come_apart_gently() {
    let lower = block("lower", 3, 0.1);
    let mut upper = block("upper", 3, 0.1);
    upper.translate = [0.02, 0.01, 0.097];
    let world = World { contact: touching(0.3).contact, timestep: 2e-4, ..space() };
    let mut sim = simulator(&scene(vec![lower, upper], world));
    let mut fastest: f64 = 0.0;
    for _ in 0..20 {
        fastest = fastest.max(sim.step(100).unwrap().max_speed);
    }
    assert_eq!(crossings(&sim), 0);
    assert!(fastest < 1.0, "{fastest} m/s");
}

/// Nearer to each other than surfaces are thick, as everybody would pile up blocks.
#[test]
fn blocks_that_are_laid_flush_on_each_other_stay_there() {
    let mut bodies = vec![table(0.4)];
    for n in 0..3 {
        let mut next = block(&format!("block-{n}"), 3, 0.15);
        next.translate = [-0.07, -0.08, 0.15 * f64::from(n)];
        bodies.push(next);
    }
    let mut sim = simulator(&scene(bodies, World { timestep: 5e-4, ..touching(0.5) }));
    let before = middle(&sim, 3);
    let (mut fastest, mut highest) = (0.0_f64, 0.0_f64);
    for _ in 0..80 {
        fastest = fastest.max(sim.step(50).unwrap().max_speed);
        highest = highest.max(middle(&sim, 3)[2] - before[2]);
    }
    // Three gaps as wide as the surfaces are thick, 12 mm, and a little more.
    assert!(highest < 0.06 && fastest < 1.0, "up by {highest} m, {fastest} m/s");
    let now = middle(&sim, 3);
    let aside = length([now[0] - before[0], now[1] - before[1], 0.0]);
    assert!(aside < 0.03 && now[2] > before[2] - 0.02, "{before:?} {now:?}");
}

/// At rest, and well below the stable timestep, until it is hit by something that crosses several edges in a step.
#[test]
fn contact_is_named_when_it_throws_a_body_out_of_bounds() {
    let resting = block("hit", 2, 0.1);
    let mut bullet = block("bullet", 2, 0.1);
    bullet.material.mass = pliant::scene::Mass::Density(8000.0);
    bullet.translate = [0.115, 0.01, 0.02];
    bullet.velocity = [-600.0, 0.0, 0.0];
    let world = World { contact: touching(0.3).contact, timestep: 1e-3, ..space() };
    let mut scene = scene(vec![resting, bullet], world);
    let error = simulator(&scene).advance(20).unwrap_err();
    println!("{error}");
    assert_eq!(error.stage, "contact", "{error}");
    let h = error.suggested_timestep.unwrap();
    assert!(h < 1e-4, "{h} s");
    scene.world.timestep = h;
    simulator(&scene).advance((1e-3 / h) as u64).unwrap();
}

#[test]
fn without_the_key_bodies_pass_through_each_other_as_before() {
    let mut upper = block("upper", 2, 0.1);
    upper.translate = [-0.05, -0.05, 0.05];
    let plain = World { contact: None, ..touching(0.5) };
    let mut sim = simulator(&scene(vec![table(0.4), upper], plain));
    let report = sim.step(500).unwrap();
    assert!(report.contact.is_none() && sim.contacts().is_empty() && middle(&sim, 1)[2] < -0.2);
}

#[test]
fn implicit_steps_cannot_be_guarded() {
    let mut stiff = block("stiff", 2, 0.1);
    stiff.implicit = true;
    let mut scene = scene(vec![stiff], touching(0.5));
    scene.world.contact.iter_mut().for_each(|contact| contact.guarantee = true);
    let Err(error) = Simulator::new(scene, cpu()) else { panic!("it is not refused") };
    let text = error.to_string();
    assert!(text.contains("stiff") && text.contains("guarantee"), "{text}");
}
