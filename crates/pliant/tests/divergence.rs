//! Nothing explodes quietly: divergence is found, named and survived.

mod support;

use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Damping, Integrator, Mass, Region, Stiffness, Volume, World, WorldBox};
use pliant::stability::stable_timestep;
use pliant::{Scene, Simulator};
use support::*;

fn hanging(world: World) -> Scene {
    let mut bar = body(small_bar(), rubber(1000.0, 30e3));
    bar.name = "bar".into();
    bar.locks = vec![Region::Box { min: [-1.0; 3], max: [1e-9, 1.0, 1.0] }];
    scene(bar, World { gravity: [0.0, 0.0, -9.81], ..world })
}

#[test]
fn too_large_a_timestep_is_named_and_the_last_good_state_kept() {
    let mut scene = hanging(space());
    let stable = scene.world.timestep;
    scene.world.timestep = 6.0 * stable;
    let mut sim = simulator(&scene);
    let error = sim.step(5000).unwrap_err();
    println!("{error}");
    assert_eq!(error.body, "bar");
    assert!(error.stage.starts_with("elastic"));
    assert_eq!(error.good_step + 1, error.step);
    assert!((error.vertex as usize) < sim.model().vertex_count());
    let suggested = error.suggested_timestep.unwrap();
    assert!(suggested < scene.world.timestep && suggested > 0.5 * stable);
    // The kept state is the one a run of just so many steps has, to the bit.
    assert_eq!(sim.step_count(), error.good_step);
    assert!(sim.positions().iter().flatten().all(|c| c.is_finite()));
    let mut again = simulator(&scene);
    again.advance(error.good_step).unwrap();
    assert_eq!(again.hash(), sim.hash());
    // And the suggestion holds.
    scene.world.timestep = suggested;
    simulator(&scene).advance(5000).unwrap();
}

#[test]
fn automatic_substeps_save_the_run_and_say_so() {
    let mut scene = hanging(space());
    scene.world.timestep *= 6.0;
    scene.world.auto_substeps = true;
    let mut sim = simulator(&scene);
    sim.take_messages();
    let report = sim.step(2000).unwrap();
    assert!(report.substeps > 1);
    let messages = sim.take_messages();
    assert!(messages.iter().any(|m| m.contains("substeps")), "{messages:?}");
}

/// A block thrown at the floor so hard that steps which are short enough before and after are too long.
fn thrown() -> Simulator {
    let mut block = body(small_bar(), rubber(1000.0, 30e3));
    block.material.volume = Volume::Energy(3e6);
    block.material.damping = Damping::Time(5e-4);
    block.translate = [0.0, 0.0, 2.0];
    block.velocity = [0.0, 0.0, -60.0];
    let bounds = Some(WorldBox { friction: 0.3, ..WorldBox::default() });
    let world = World { gravity: [0.0, 0.0, -9.81], damping: 4.0, bounds, ..space() };
    let mut scene = scene(block, world);
    scene.world.timestep *= 0.7;
    scene.world.auto_substeps = true;
    let mut sim = simulator(&scene);
    sim.take_messages();
    sim
}

#[test]
fn automatic_substeps_come_down_when_danger_is_over() {
    let mut sim = thrown();
    assert_eq!(sim.step(100).unwrap().substeps, 1, "in the air");
    let landed = sim.step(150).unwrap();
    let messages = sim.take_messages();
    assert!(landed.substeps > 1 && messages[0].contains("diverging"), "{messages:?}");
    let settled = sim.step(1500).unwrap();
    let messages = sim.take_messages();
    println!("{} substeps at step {}, then: {messages:?}", landed.substeps, landed.step);
    assert_eq!(settled.substeps, 1);
    assert!(messages.iter().any(|m| m.contains("calm again, 1 substeps")), "{messages:?}");
}

#[test]
fn automatic_substeps_come_down_wherever_a_run_is_cut() {
    // A retry goes back to where the call began, so that nobody sees time go backwards: cuts come after.
    let run = |cuts: &[u64]| {
        let mut sim = thrown();
        let mut substeps = Vec::new();
        for &step in [250].iter().chain(cuts).chain(&[1500]) {
            sim.advance(step - sim.step_count()).unwrap();
            substeps.push(sim.substeps());
        }
        println!("cut at {cuts:?}: {substeps:?} substeps");
        (sim.hash(), sim.take_messages())
    };
    let whole = run(&[]);
    assert!(whole.1.iter().any(|m| m.contains("calm again")), "{:?}", whole.1);
    for cuts in [&[251][..], &[512], &[600, 700, 767], &[768], &[769], &[1024, 1025, 1300]] {
        assert_eq!(run(cuts), whole, "cut at {cuts:?}");
    }
}

#[test]
fn a_live_timestep_gives_no_kick() {
    for integrator in SYMPLECTIC {
        let scene = hanging(World { integrator, ..space() });
        let mut sim = simulator(&scene);
        sim.advance(400).unwrap();
        let (x, v) = (sim.positions(), sim.velocities());
        for factor in [0.5, 1.0, 0.25] {
            let world = World { timestep: factor * scene.world.timestep, ..sim.world().clone() };
            sim.set_world(world).unwrap();
            assert_eq!(sim.positions(), x);
            let now = sim.velocities();
            let change = now.iter().flatten().zip(v.iter().flatten()).map(|(a, b)| (a - b).abs());
            assert!(change.fold(0.0, f32::max) < 1e-6, "{integrator}");
        }
        // Energy goes on as if nothing had happened.
        let before = sim.report().energy.total();
        let after = sim.step(400).unwrap().energy.total();
        assert!((after / before - 1.0).abs() < 0.05, "{integrator}: {before} {after}");
    }
}

#[test]
fn impossible_live_parameters_are_refused_and_change_nothing() {
    let mut sim = simulator(&hanging(space()));
    sim.advance(20).unwrap();
    let (hash, world) = (sim.hash(), sim.world().clone());
    let bad = [
        World { timestep: f64::NAN, ..world.clone() },
        World { timestep: -1e-3, ..world.clone() },
        World { gravity: [0.0, f64::INFINITY, 0.0], ..world.clone() },
        World { damping: -1.0, ..world.clone() },
        World { substeps: 0, ..world.clone() },
    ];
    for bad in bad {
        let error = sim.set_world(bad).unwrap_err().to_string();
        assert!(error.contains("world."), "{error}");
        assert_eq!((sim.hash(), sim.world()), (hash, &world));
    }
}

#[test]
fn what_single_precision_cannot_hold_is_refused_by_name() {
    let refused = |change: fn(&mut pliant::scene::Body), word: &str| {
        let mut scene = hanging(space());
        change(&mut scene.bodies[0]);
        let error = Simulator::new(scene, cpu()).err().expect("out of range").to_string();
        assert!(error.contains(word) && error.contains("bar"), "{error}");
    };
    refused(|b| b.velocity = [1e39, 0.0, 0.0], "velocity");
    refused(|b| b.material.mass = Mass::Vertex(1e-50), "masses");
    refused(|b| b.material.stiffness = Stiffness::Spring(1e40), "springs");
    refused(|b| b.scale = pliant::scene::Scale::Uniform(1e40), "coordinates");
}

#[test]
fn a_fall_in_large_steps_is_no_divergence() {
    // 0.1 s steps: gravity alone moves the bar by more than its cells, and nothing is wrong.
    let mut limp = body(small_bar(), rubber(1000.0, 1e-3));
    limp.material.volume = Volume::None;
    let world = World { gravity: [0.0, 0.0, -98.1], timestep: 0.1, ..space() };
    let scene = Scene { world, bodies: vec![limp], ..Scene::default() };
    simulator(&scene).advance(20).unwrap();
}

#[test]
fn a_reset_gives_the_bits_of_a_new_simulator() {
    for integrator in [Integrator::Verlet, Integrator::Beeman] {
        let mut scene = hanging(World { integrator, ..space() });
        scene.world.timestep *= 6.0;
        scene.world.auto_substeps = true;
        let mut sim = simulator(&scene);
        let start = sim.hash();
        let first = (sim.step(300).unwrap(), sim.hash());
        sim.reset();
        assert_eq!(sim.hash(), start, "{integrator}");
        assert_eq!((sim.step(300).unwrap(), sim.hash()), first, "{integrator}");
    }
}

#[test]
fn changing_the_integrator_while_running_keeps_the_motion() {
    let scene = hanging(space());
    let mut sim = simulator(&scene);
    sim.advance(300).unwrap();
    for integrator in
        [Integrator::Rk4, Integrator::Beeman, Integrator::LeapFrog, Integrator::Verlet]
    {
        let v = sim.velocities();
        sim.set_world(World { integrator, ..sim.world().clone() }).unwrap();
        let now = sim.velocities();
        let change = now.iter().flatten().zip(v.iter().flatten()).map(|(a, b)| (a - b).abs());
        assert!(change.fold(0.0, f32::max) < 1e-5, "{integrator}");
        sim.advance(50).unwrap();
    }
}

/// Largest stable timestep found by trying: the amplitude of a small vibration stays bounded.
fn bisect(scene: &Scene, guess: f64) -> f64 {
    let stable = |h: f64| {
        let mut scene = scene.clone();
        scene.world.timestep = h;
        let mut sim = Simulator::new(scene, cpu()).unwrap();
        // Small noise in every vertex, so that the stiffest mode takes part.
        let mut state = sim.state();
        let mut seed = 1u32;
        let size = sim.model().bodies[0].size as f32;
        for (m, x) in state.position.iter_mut().enumerate() {
            if sim.model().inv_mass
                [sim.model().vertex_order.iter().position(|&u| u as usize == m).unwrap()]
                > 0.0
            {
                for c in x {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *c += 1e-4 * size * (seed as f32 / u32::MAX as f32 - 0.5);
                }
            }
        }
        sim.set_state(&state);
        let start = sim.report().energy;
        let start = start.elastic() + start.kinetic;
        (0..6).all(|_| {
            sim.advance(500).is_ok() && {
                let e = sim.report().energy;
                e.elastic() + e.kinetic < 4.0 * start
            }
        })
    };
    let (mut low, mut high) = (0.3 * guess, 3.0 * guess);
    assert!(stable(low), "not even {low} is stable");
    assert!(!stable(high), "even {high} is stable");
    for _ in 0..7 {
        let middle = (low * high).sqrt();
        *(if stable(middle) { &mut low } else { &mut high }) = middle;
    }
    low
}

#[test]
fn the_estimated_timestep_is_within_a_fifth_of_the_bisected_one() {
    let damped = |time: f64| {
        let mut scene = hanging(space());
        scene.world.gravity = [0.0; 3];
        scene.bodies[0].material.damping = Damping::Time(time);
        scene
    };
    let thesis = {
        let mut block =
            body(shapes::bar([6, 3, 3], [2.0, 1.0, 1.0], Split::Five), rubber(1.0, 1.0));
        block.material.mass = Mass::Vertex(0.001);
        block.material.stiffness = Stiffness::Spring(2.5);
        block.material.volume = Volume::Thesis(25.0);
        scene(block, World { damping: 0.35, ..space() })
    };
    let cases = [
        (Integrator::Verlet, damped(0.0), "verlet"),
        (Integrator::LeapFrog, damped(2e-4), "leap-frog, damped springs"),
        (Integrator::VelocityVerlet, damped(2e-4), "velocity verlet, damped springs"),
        (Integrator::Rk4, damped(0.0), "rk4"),
        (Integrator::ExplicitEuler, damped(1e-3), "explicit euler, damped springs"),
        (Integrator::Verlet, thesis, "verlet, thesis material"),
    ];
    for (integrator, mut scene, name) in cases {
        scene.world.integrator = integrator;
        let estimate = stable_timestep(&simulator(&scene)).unwrap();
        let found = bisect(&scene, estimate);
        println!("{name}: estimated {estimate:.3e} s, bisected {found:.3e} s");
        assert!((estimate / found - 1.0).abs() < 0.2, "{name}: {estimate} {found}");
    }
}

#[test]
fn a_hundred_random_scenes_never_go_wrong_silently() {
    let mut seed = 42u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut fine, mut diverged) = (0, 0);
    for case in 0..100 {
        let mut log = |low: f64, high: f64| low * (high / low).powf(random());
        let mut block = body(
            shapes::bar([3, 2, 2], [log(0.1, 3.0), log(0.1, 3.0), log(0.1, 3.0)], Split::Five),
            rubber(log(1.0, 1e4), log(1.0, 1e7)),
        );
        block.material.volume = match case % 3 {
            0 => Volume::Energy(log(1.0, 1e7)),
            1 => Volume::Thesis(log(0.1, 1e6)),
            _ => Volume::None,
        };
        block.material.damping = Damping::Time(if case % 2 == 0 { 0.0 } else { log(1e-6, 1e-2) });
        block.spin = [log(0.1, 30.0), 0.0, -log(0.1, 30.0)];
        block.velocity = [0.0, log(0.1, 100.0), 0.0];
        block.translate = [0.0, 0.0, 3.0];
        let world = World {
            timestep: log(1e-5, 1e-1),
            damping: log(0.01, 100.0),
            plasticity: if case % 5 == 0 { log(0.01, 1.0) } else { 0.0 },
            integrator: Integrator::EXPLICIT[case % 9],
            bounds: Some(WorldBox { restitution: 0.3, friction: 0.4, ..WorldBox::default() }),
            ..World::default()
        };
        let scene = Scene { name: "random".into(), world, bodies: vec![block], ..Scene::default() };
        let mut sim = simulator(&scene);
        match sim.step(300) {
            Ok(report) => {
                fine += 1;
                assert!(
                    report.energy.total().is_finite() && report.max_speed.is_finite(),
                    "case {case}"
                );
            }
            Err(error) => {
                diverged += 1;
                assert!(error.to_string().contains("diverged"));
            }
        }
        assert!(sim.positions().iter().flatten().all(|c| c.is_finite()), "case {case}");
        assert!(sim.velocities().iter().flatten().all(|c| c.is_finite()), "case {case}");
    }
    println!("{fine} ran through, {diverged} were reported as diverging");
    assert!(fine > 20 && diverged > 5);
}
