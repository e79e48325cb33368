//! Contact between bodies in implicit steps: soft and stiff, long steps and short ones, with and without Newton's
//! iterations, and beside bodies that take explicit ones.

use crate::physics::{crossings, force_on, mass, middle};
use crate::support::*;
use crate::{block, scene, table, touching};
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Body, Implicit, Integrator, Region, Stiffness, World};
use pliant::{Backend, Scene, Simulator, checkpoint};

/// Gravity \[m/s²\].
const G: f64 = 9.81;
/// A video's frame \[s\].
const FRAME: f64 = 1.0 / 60.0;

/// Young's modulus, timestep and Newton's iterations of what is tried.
const CASES: [(f64, f64, u32); 5] =
    [(1e5, FRAME, 1), (1e6, FRAME, 1), (1e8, FRAME, 1), (1e6, FRAME, 3), (1e6, 4e-3, 1)];

fn world(friction: f64, h: f64, newton: u32) -> World {
    World {
        integrator: Integrator::ImplicitEuler,
        implicit: Implicit { newton_iterations: newton, ..Implicit::default() },
        timestep: h,
        ..touching(friction)
    }
}

fn of(young: f64, body: Body) -> Body {
    let mut body = body;
    body.material.stiffness = Stiffness::Young(young);
    body.material.damping = pliant::scene::Damping::default();
    body
}

fn run(sim: &mut Simulator, seconds: f64) {
    let steps = (seconds / sim.world().timestep).round() as u64;
    sim.advance(steps).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_block_stands_on_another_and_is_carried_with_its_weight() {
    for (young, h, newton) in CASES {
        let mut lower = of(young, block("lower", 3, 0.15));
        lower.translate = [-0.075, -0.075, 0.01];
        let mut upper = of(young, block("upper", 3, 0.12));
        upper.translate = [-0.05, -0.065, 0.17];
        let air = World { damping: 5.0, ..world(0.5, h, newton) };
        let mut sim = simulator(&scene(vec![table(0.4), lower, upper], air.clone()));
        run(&mut sim, 1.5);
        sim.set_world(World { damping: 0.0, ..air }).unwrap();
        run(&mut sim, 0.5);
        let start = [1, 2].map(|body| middle(&sim, body));
        run(&mut sim, 10.0);
        let case = format!("{young:.0e} Pa, {h:.4} s, Newton {newton}");
        let weight = [1, 2].map(|body| mass(&sim, body) * G);
        let force = [1, 2].map(|body| force_on(&mut sim, body));
        let way = [0, 1].map(|n| {
            let end = middle(&sim, n + 1);
            length(std::array::from_fn(|k| end[k] - start[n][k]))
        });
        println!("{case}: {force:?} of {weight:?} N, {way:?} m, {:?}", sim.solver_report());
        assert!(way[0] < 1e-3 && way[1] < 1e-3, "{case}: {way:?} m");
        for n in 0..2 {
            let off = length([force[n][0], force[n][1], force[n][2] - weight[n]]);
            assert!(off < 0.01 * weight[n], "{case}: {force:?} of {weight:?} N");
        }
        assert!(sim.contacts().iter().any(|c| c.bodies[0] != c.bodies[1]), "{case}");
        assert_eq!(crossings(&sim), 0, "{case}");
    }
}

#[test]
fn momentum_is_kept_when_bodies_collide() {
    for (young, h, newton) in CASES {
        let mut left = of(young, block("left", 3, 0.1));
        left.velocity = [1.0, 0.0, 0.0];
        let mut right = of(young, block("right", 4, 0.12));
        right.translate = [0.16, 0.03, 0.02];
        right.velocity = [-0.5, 0.1, 0.0];
        for friction in [0.0, 0.5] {
            let contact = touching(friction).contact;
            let base = world(friction, h, newton);
            let open = World { contact, gravity: [0.0; 3], damping: 0.0, ..base };
            let mut sim = simulator(&scene(vec![left.clone(), right.clone()], open));
            let start = sim.report();
            run(&mut sim, 0.5);
            let end = sim.report();
            let case = format!("{young:.0e} Pa, {h:.4} s, Newton {newton}, friction {friction}");
            let lost = length(std::array::from_fn(|k| start.momentum[k] - end.momentum[k]));
            println!("{case}: {lost:.1e} of {:.1e}", mass(&sim, 0));
            assert!(lost < 1e-5 * mass(&sim, 0), "{case}: {lost}");
            let [a, b] = [0, 1].map(|body| middle(&sim, body));
            let apart = length(std::array::from_fn(|k| b[k] - a[k]));
            assert!(apart > 0.1, "{case}: {apart} m apart");
            assert!(end.energy.total() <= start.energy.total() * 1.001, "{case}: energy is gained");
            assert_eq!(crossings(&sim), 0, "{case}");
        }
    }
}

#[test]
fn cloth_lies_down_on_a_soft_ball() {
    let ball = shapes::ball(0.1, 0.03).unwrap();
    let mut ball = body(ball, rubber(1000.0, 1e5));
    ball.locks = vec![Region::HalfSpace { point: [0.0; 3], normal: [0.0, 0.0, 1.0] }];
    ball.name = "ball".into();
    ball.translate = [0.0, 0.0, 0.1];
    let mut cloth = body(shapes::cloth([20, 20], [0.4, 0.4]).unwrap(), rubber(0.3, 500.0));
    cloth.name = "cloth".into();
    cloth.translate = [-0.2, -0.19, 0.215];
    let air = World { damping: 2.0, ..world(0.3, FRAME, 1) };
    let mut sim = simulator(&scene(vec![ball, cloth], air));
    run(&mut sim, 1.5);
    let cloth = sim.model().bodies[1].vertices.clone();
    let x = sim.positions();
    let low = cloth.clone().map(|v| x[v as usize][2]).fold(f64::INFINITY, f64::min);
    let contact = sim.report().contact.unwrap();
    println!("{low} m, {contact:?}, {} crossings, {:?}", crossings(&sim), sim.solver_report());
    assert!(low < 0.19 && middle(&sim, 1)[2] > 0.05 && contact.contacts > 20, "{low}");
}

/// A stiff block that takes implicit steps on soft ones that take explicit ones.
fn mixed() -> Scene {
    let mut bodies = vec![table(0.5)];
    for n in 0..2 {
        let mut soft = block(&format!("soft-{n}"), 3, 0.1);
        soft.translate = [-0.12 + 0.13 * f64::from(n), -0.05, 0.01];
        bodies.push(soft);
    }
    let mesh = shapes::bar([6, 3, 1], [0.24, 0.12, 0.04], Split::default());
    let mut stiff = body(mesh, rubber(1000.0, 1e8));
    (stiff.name, stiff.implicit) = ("stiff".into(), true);
    stiff.translate = [-0.12, -0.06, 0.125];
    bodies.push(stiff);
    scene(bodies, World { timestep: 5e-4, damping: 3.0, ..touching(0.5) })
}

#[test]
fn a_stiff_body_lies_on_soft_ones_that_take_explicit_steps() {
    let mut sim = simulator(&mixed());
    run(&mut sim, 2.0);
    let weight = mass(&sim, 3) * G;
    let force = force_on(&mut sim, 3);
    println!("{force:?} of {weight} N, {:?}", sim.report().max_speed);
    assert!((force[2] / weight - 1.0).abs() < 0.01, "{force:?} of {weight} N");
    assert!(middle(&sim, 3)[2] > 0.11 && crossings(&sim) == 0, "{:?}", middle(&sim, 3));
}

#[test]
fn threads_cuts_and_resumes_change_no_bit() {
    let mut bodies = vec![table(0.5)];
    for n in 0..4 {
        let mut next = of(1e6, block(&format!("block-{n}"), 4, 0.1));
        next.translate = [-0.1 + 0.03 * f64::from(n), -0.05, 0.01 + 0.115 * f64::from(n)];
        next.spin = [0.3, 0.2, 1.0];
        bodies.push(next);
    }
    let pile = scene(bodies, world(0.4, FRAME, 1));
    let newton = Scene { world: world(0.4, FRAME, 2), ..pile.clone() };
    for (scene, steps) in [(pile, 40), (newton, 40), (mixed(), 200)] {
        let start = |threads| Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
        let mut one = start(1);
        let report = one.step(steps).unwrap();
        assert!(report.contact.unwrap().contacts > 10, "{report:?}");
        for threads in [2, 3, 7] {
            let mut other = start(threads);
            [1, 13, steps - 14].iter().for_each(|&n| other.advance(n).unwrap());
            assert_eq!(one.hash(), other.hash(), "{threads} threads");
        }
        let mut first = start(2);
        first.advance(17).unwrap();
        let mut second = start(1);
        second.load(&checkpoint::decode(&checkpoint::encode(&first)).unwrap()).unwrap();
        second.advance(steps - 17).unwrap();
        assert_eq!(one.hash(), second.hash());
    }
}

#[test]
fn a_block_slides_on_another_as_coulomb_says() {
    for (young, h, newton) in CASES {
        let angle = 0.5f64.atan();
        let gravity = [G * angle.sin(), 0.0, -G * angle.cos()];
        let mut block = of(young, block("block", 3, 0.12));
        block.translate = [-0.5, -0.06, 0.006];
        let slope = World { gravity, damping: 0.0, ..world(0.3, h, newton) };
        let air = World { damping: 20.0, ..slope.clone() };
        let mut sim = simulator(&scene(vec![table(1.2), block], air));
        run(&mut sim, 0.5);
        sim.set_world(slope).unwrap();
        let start = sim.report();
        run(&mut sim, 0.5);
        let end = sim.report();
        let found = (end.momentum[0] - start.momentum[0]) / mass(&sim, 1) / (end.time - start.time);
        let expected = G * (angle.sin() - 0.3 * angle.cos());
        let case = format!("{young:.0e} Pa, {h:.4} s, Newton {newton}");
        println!("{case}: {found:.4} of {expected:.4}, {:?}", sim.solver_report());
        // Forces inside a stiff body are mostly rounding in such steps, and friction with them.
        let most = if young < 1e8 { 0.03 } else { 0.05 };
        assert!((found / expected - 1.0).abs() < most, "{case}: {found} m/s² of {expected}");
    }
}

#[test]
fn a_block_stands_on_a_slope_of_another_that_friction_holds() {
    for (young, h, newton) in CASES {
        let angle = 0.5f64.atan();
        let gravity = [G * angle.sin(), 0.0, -G * angle.cos()];
        let mut block = of(young, block("block", 3, 0.12));
        block.translate = [-0.06, -0.06, 0.006];
        let slope = World { gravity, damping: 0.0, ..world(0.6, h, newton) };
        let air = World { damping: 20.0, ..slope.clone() };
        let mut sim = simulator(&scene(vec![table(0.4), block], air));
        run(&mut sim, 0.5);
        sim.set_world(slope).unwrap();
        run(&mut sim, 2.0);
        let start = middle(&sim, 1);
        run(&mut sim, 4.0);
        let end = middle(&sim, 1);
        let way = length(std::array::from_fn(|k| end[k] - start[k]));
        println!("{young:.0e} Pa, {h:.4} s, Newton {newton}: {way:.1e} m");
        assert!(way < 1e-4, "{young:.0e} Pa, {h:.4} s, Newton {newton}: {way} m");
    }
}

#[test]
fn ten_blocks_stand_on_each_other() {
    // A tower of 1e6 Pa would buckle under its own weight.
    for (young, seconds) in [(1e7, 5.0), (1e8, 10.0)] {
        let mut bodies = vec![table(0.4)];
        for n in 0..10 {
            let mut next = of(young, block(&format!("block-{n}"), 2, 0.1));
            next.translate = [-0.05, -0.05, 0.01 + 0.11 * f64::from(n)];
            bodies.push(next);
        }
        let mut sim = simulator(&scene(bodies, world(0.5, FRAME, 1)));
        run(&mut sim, 1.0);
        let start = middle(&sim, 10);
        run(&mut sim, seconds);
        let (end, speed) = (middle(&sim, 10), sim.report().max_speed);
        println!("{young:.0e} Pa: {start:?} m, {end:?} m, {speed} m/s, {:?}", sim.solver_report());
        assert!((end[2] - start[2]).abs() < 1e-3 && speed < 0.05, "{young:.0e} Pa: {end:?} m");
        assert!(end[0].hypot(end[1]) < 0.03, "{young:.0e} Pa: {end:?} m");
    }
}
