//! What implicit Euler promises: stability however stiff a body, first order, and the same rest.

mod support;

use pliant::Simulator;
use pliant::mesh::{Mesh, shapes};
use pliant::scene::{
    Body, Damping, Implicit, Integrator, Mass, Material, Region, Stiffness, Volume, World, WorldBox,
};
use pliant::touch::{Push, Touch};
use support::*;

/// Mass of every vertex in the tests of stability \[kg\].
const MASS: f64 = 0.01;
/// Their timestep \[s\].
const STEP: f64 = 0.01;
/// How many there are.
const STEPS: u64 = 2000;

/// Newton's iterations, enough of them to balance the forces.
const NEWTON: Implicit = Implicit {
    tolerance: 1e-4,
    max_iterations: 500,
    newton_iterations: 30,
    newton_tolerance: 1e-3,
};

/// Stretched by a fifth, squeezed across, and turning: a start with energy of all kinds.
fn stretched(mesh: Mesh, stiffness: f64, implicit: Implicit) -> Simulator {
    let material = Material {
        mass: Mass::Vertex(MASS),
        stiffness: Stiffness::Spring(stiffness),
        volume: Volume::Energy(stiffness),
        damping: Damping::Time(0.0),
    };
    let world =
        World { timestep: STEP, integrator: Integrator::ImplicitEuler, implicit, ..space() };
    let body = Body { spin: [0.0, 0.0, 2.0], ..body(mesh, material) };
    let mut sim = simulator(&pliant::Scene { bodies: vec![body], world, ..Default::default() });
    let mut state = sim.state();
    for x in &mut state.position {
        *x = [1.2 * x[0], 0.95 * x[1], 0.95 * x[2]];
    }
    sim.set_state(&state);
    sim
}

/// Runs, and gives the energy at the start, its peak, and that at the end.
fn energies(sim: &mut Simulator, steps: u64) -> [f64; 3] {
    let start = sim.energy().total();
    let mut peak = start;
    for _ in 0..steps / 20 {
        // The peak comes early: look at every step of the first hundred.
        let every = if sim.step_count() < 100 { 1 } else { 20 };
        for _ in 0..20 / every {
            let report = sim.step(every).unwrap_or_else(|e| panic!("{e}"));
            let energy = report.energy.total();
            assert!(energy.is_finite() && report.max_speed.is_finite());
            peak = peak.max(energy);
        }
    }
    [start, peak, sim.energy().total()]
}

fn stays_together(name: &str, mesh: &Mesh, stiffnesses: &[f64], steps: u64) {
    for &stiffness in stiffnesses {
        for (mode, implicit) in [("once", Implicit::default()), ("newton", NEWTON)] {
            let mut sim = stretched(mesh.clone(), stiffness, implicit);
            let [start, peak, end] = energies(&mut sim, steps);
            let solver = sim.solver_report().unwrap();
            println!(
                "{name}, κ = {stiffness:e} N/m, m = {MASS} kg, h = {STEP} s, {mode}: energy {start:.3e} J at \
                 the start, peak {:.3} of it, {:.2e} of it at the end; {:.1} iterations per system, {} of {} \
                 unsolved, residual up to {:.1e}, {} steps unbalanced",
                peak / start,
                end / start,
                solver.iterations as f64 / solver.systems as f64,
                solver.unconverged,
                solver.systems,
                solver.worst_residual,
                solver.unbalanced,
            );
            assert!(end <= start, "{name} {stiffness} {mode}: {end} after {start}");
            if mode == "newton" {
                assert_eq!(solver.unbalanced, 0, "{name} {stiffness}");
                assert!(peak <= 1.05 * start, "{name} {stiffness}: peak {peak} after {start}");
            }
        }
    }
}

const STIFFNESSES: [f64; 5] = [3e3, 3e4, 3e5, 3e6, 3e7];

#[test]
fn a_bar_stays_together_however_stiff() {
    stays_together("bar", &small_bar(), &STIFFNESSES, STEPS);
}

#[test]
fn a_cloth_stays_together_however_stiff() {
    let mesh = shapes::cloth([12, 12], [1.0, 1.0]).unwrap();
    stays_together("cloth", &mesh, &STIFFNESSES, STEPS);
}

// One test each, so that they run side by side.

#[test]
fn a_soft_bunny_stays_together() {
    bunny_stays_together(3e3);
}

#[test]
fn a_stiff_bunny_stays_together() {
    bunny_stays_together(3e5);
}

#[test]
fn a_bunny_of_wood_stays_together() {
    bunny_stays_together(3e7);
}

fn bunny_stays_together(stiffness: f64) {
    let Some(path) = data("tet/bunny.node") else { return };
    let mesh = pliant::mesh::load(path).unwrap().mesh;
    stays_together("bunny", &mesh, &[stiffness], sized(400, STEPS));
}

#[test]
fn free_fall_is_exact() {
    let h = 0.01;
    let mut body = body(small_bar(), rubber(1000.0, 1e6));
    body.translate = [0.0, 0.0, 3.0];
    for newton_iterations in [1, 4] {
        let world = World {
            gravity: [0.0, 0.0, -9.81],
            timestep: h,
            integrator: Integrator::ImplicitEuler,
            implicit: Implicit { newton_iterations, ..Implicit::default() },
            ..space()
        };
        let mut sim =
            simulator(&pliant::Scene { bodies: vec![body.clone()], world, ..Default::default() });
        let before = sim.positions();
        sim.advance(100).unwrap();
        let t = sim.time();
        // The sum of h² g (1 + 2 + … + n): half a step's more than the parabola.
        let fall = 0.5 * 9.81 * t * (t + h);
        for (v, (a, b)) in sim.velocities().iter().zip(before.iter().zip(sim.positions())) {
            let speed = f64::from(v[2]);
            assert!(
                (speed + 9.81 * t).abs() < 100.0 * 9.81 * t * f64::from(f32::EPSILON),
                "{speed}"
            );
            let fallen = a[2] - b[2];
            assert!((fallen / fall - 1.0).abs() < 2e-6, "{fallen} instead of {fall}");
            assert!((a[0] - b[0]).abs() < 1e-6 && v[0].abs() < 1e-5, "{v:?}");
        }
    }
}

/// Two vertices and their spring: an oscillator whose motion is known.
#[test]
fn an_oscillator_is_followed_to_first_order() {
    let mesh = Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1e-3, 0.0]],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    };
    let error = |steps: u64| {
        let material = Material {
            mass: Mass::Vertex(1.0),
            stiffness: Stiffness::Spring(1.0),
            ..Material::default()
        };
        let mut held = body(mesh.clone(), material);
        held.locks = vec![Region::HalfSpace { point: [0.6, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] }];
        let world = World {
            timestep: 1.0 / steps as f64,
            integrator: Integrator::ImplicitEuler,
            implicit: Implicit { tolerance: 1e-7, ..Implicit::default() },
            ..space()
        };
        let mut sim = simulator(&pliant::Scene { bodies: vec![held], world, ..Default::default() });
        let mut state = sim.state();
        // Along the line of both springs, so that the motion is in one dimension.
        state.position[1][0] += 0.01;
        sim.set_state(&state);
        sim.advance(steps).unwrap();
        // Both springs pull at the one free vertex: ω² = 2.
        let exact = 0.01 * 2f64.sqrt().cos();
        sim.positions()[1][0] - 1.0 - exact
    };
    let [coarse, fine, finest] = [50, 100, 200].map(error);
    println!("errors {coarse:e}, {fine:e}, {finest:e}");
    for ratio in [coarse / fine, fine / finest] {
        assert!((ratio - 2.0).abs() < 0.15, "{ratio}");
    }
}

/// Where a hanging bar comes to rest.
fn sag(integrator: Integrator, timestep: f64, implicit: Implicit) -> f64 {
    let mut hanging = body(small_bar(), rubber(1000.0, 60e3));
    hanging.locks = vec![Region::HalfSpace { point: [0.01, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] }];
    hanging.translate = [0.0, 0.0, 1.0];
    let world = World {
        gravity: [0.0, 0.0, -9.81],
        damping: 6.0,
        timestep,
        integrator,
        implicit,
        ..space()
    };
    let mut sim = simulator(&pliant::Scene { bodies: vec![hanging], world, ..Default::default() });
    let lowest =
        |sim: &Simulator| sim.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    let start = lowest(&sim);
    sim.advance((0.2 / timestep) as u64).unwrap();
    let swinging = start - lowest(&sim);
    sim.advance((5.8 / timestep) as u64).unwrap();
    println!("{integrator}: {swinging} m after 0.2 s");
    start - lowest(&sim)
}

#[test]
fn it_sags_as_the_explicit_solver_does() {
    let explicit = sag(Integrator::Verlet, 2e-4, Implicit::default());
    for implicit in [Implicit::default(), NEWTON] {
        let found = sag(Integrator::ImplicitEuler, 0.01, implicit);
        println!("{found} m, explicit {explicit} m");
        assert!((found / explicit - 1.0).abs() < 5e-3);
    }
}

#[test]
fn a_stiff_block_lands_and_lies_still() {
    for implicit in [Implicit::default(), NEWTON] {
        let mut block = body(small_bar(), rubber(1000.0, 5e6));
        block.translate = [0.0, 0.0, 0.5];
        block.velocity = [0.5, 0.0, 0.0];
        let bounds = Some(WorldBox { friction: 0.4, ..WorldBox::default() });
        let world = World {
            timestep: 0.01,
            integrator: Integrator::ImplicitEuler,
            implicit,
            bounds,
            ..World::default()
        };
        let mut sim =
            simulator(&pliant::Scene { bodies: vec![block], world, ..Default::default() });
        let report = sim.step(400).unwrap();
        let lowest = sim.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
        println!("{report:?}");
        assert!(lowest.abs() < 1e-6, "{lowest}");
        assert!(report.max_speed < 1e-3 && report.wall_contact_count > 4, "{report:?}");
        assert_eq!(report.inverted_count, 0);
        let weight = report.center_of_mass[2];
        assert!((weight - 0.05).abs() < 2e-3, "middle at {weight} m");
    }
}

fn move_hand(sim: &mut Simulator, to: [f64; 3]) {
    for touch in sim.touches_mut() {
        if let Touch::Drag(drag) = touch {
            drag.cursor = to;
        }
    }
}

#[test]
fn hands_plasticity_and_pushes_work_with_large_steps() {
    let mut held = body(small_bar(), rubber(1000.0, 2e5));
    held.locks = vec![Region::HalfSpace { point: [0.01, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] }];
    let world =
        World { timestep: 0.01, damping: 1.0, integrator: Integrator::ImplicitEuler, ..space() };
    let mut sim = simulator(&pliant::Scene { bodies: vec![held], world, ..Default::default() });
    let rest = sim.positions();
    let tip = |sim: &Simulator| {
        let far = |n: &usize| rest[*n][0] > 0.39;
        let all: Vec<[f64; 3]> = (0..rest.len()).filter(far).map(|n| sim.positions()[n]).collect();
        all.iter().map(|p| p[2]).sum::<f64>() / all.len() as f64
    };
    let before = tip(&sim);
    // A band far stiffer than what explicit steps of this length could bear.
    assert!(sim.grab([0.4, 0.05, 0.05], 0.08, 1.0, 1e5) > 4);
    move_hand(&mut sim, [0.4, 0.05, 0.15]);
    sim.step(200).unwrap();
    let lifted = tip(&sim) - before;
    assert!((lifted - 0.1).abs() < 0.01, "{lifted}");
    sim.touches_mut().clear();
    sim.step(400).unwrap();
    assert!((tip(&sim) - before).abs() < 1e-3, "elastic: it comes back");
    // The same with springs that yield: it stays bent.
    let world = World { plasticity: 0.02, ..sim.world().clone() };
    sim.set_world(world).unwrap();
    sim.grab([0.4, 0.05, 0.05], 0.08, 1.0, 1e5);
    move_hand(&mut sim, [0.4, 0.05, 0.15]);
    sim.step(200).unwrap();
    sim.touches_mut().clear();
    sim.step(400).unwrap();
    let bent = tip(&sim) - before;
    assert!(bent > 0.02, "{bent}");
    // A push from above lowers it.
    let down =
        Push { origin: [0.4, 0.05, 1.0], direction: [0.0, 0.0, -1.0], radius: 0.05, force: 0.5 };
    sim.push(down);
    sim.step(100).unwrap();
    assert!(tip(&sim) - before < bent - 1e-3);
}

#[test]
fn a_stiff_body_among_soft_ones_takes_steps_of_its_own() {
    let material = |young: f64| rubber(1000.0, young);
    let mut soft = body(small_bar(), material(2e4));
    (soft.name, soft.translate) = ("soft".into(), [0.0, 0.0, 0.3]);
    let mut stiff = Body { translate: [0.0, 1.0, 0.3], ..body(small_bar(), material(2e8)) };
    (stiff.name, stiff.implicit) = ("stiff".into(), true);
    for integrator in [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4] {
        let world = World { timestep: 2e-4, integrator, ..World::default() };
        let run = |bodies: Vec<Body>, integrator: Integrator| {
            let world = World { integrator, ..world.clone() };
            let mut sim = simulator(&pliant::Scene { bodies, world, ..Default::default() });
            sim.step(2000).unwrap_or_else(|e| panic!("{e}"));
            let solver = sim.solver_report().is_some();
            (sim.positions(), sim.velocities(), solver)
        };
        let together = run(vec![soft.clone(), stiff.clone()], integrator);
        let alone = run(vec![soft.clone()], integrator);
        // Explicit steps of this length would tear it apart.
        let stiff_alone = run(vec![stiff.clone()], Integrator::ImplicitEuler);
        assert!(together.2 && !alone.2 && stiff_alone.2);
        let count = alone.0.len();
        assert_eq!(together.0[..count], alone.0, "{integrator}: positions of the soft one");
        assert_eq!(together.1[..count], alone.1, "{integrator}: velocities of the soft one");
        assert_eq!(together.0[count..], stiff_alone.0, "{integrator}: positions of the stiff one");
        assert_eq!(together.1[count..], stiff_alone.1, "{integrator}: velocities of the stiff one");
    }
}
