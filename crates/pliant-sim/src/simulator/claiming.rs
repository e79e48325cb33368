//! Which worker does which block, and when, changes no bit: workers sleep at random points, so that others
//! take their blocks, come late to passes, and miss some.

use super::Simulator;
use crate::Backend;
use crate::backend::AnyEngine;
use crate::scene::{Integrator, Scene};

/// One body of several blocks and small ones, of which some land on the floor.
const BODIES: &str = r#"
    [world]
    timestep = 0.0005
    [[bodies]]
    name = "large"
    shape = { kind = "bar", cells = [24, 12, 10], size = [2.4, 1.2, 1.0] }
    translate = [0, 0, 0.1]
    velocity = [0, 0, -3]
    [bodies.material]
    mass = { density = 1000 }
    stiffness = { young = 2e4 }
    [[bodies]]
    name = "small"
    shape = { kind = "bar", cells = [6, 4, 3], size = [0.6, 0.4, 0.3] }
    translate = [0, 2, 0.05]
    spin = [3, 2, 1]
    copies = { count = [3, 2, 1], spacing = [1, 1, 0] }
    [bodies.material]
    mass = { density = 500 }
    stiffness = { young = 1e4 }
    damping = { time = 1e-4 }
"#;

/// Steps a scene; with a seed, workers are disturbed.
fn hash_after(scene: &Scene, threads: usize, steps: u64, seed: Option<u64>) -> u64 {
    let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
    if let (AnyEngine::Cpu(cpu), Some(seed)) = (&sim.engine, seed) {
        assert!(sim.model().blocks.len() > 3, "{} blocks", sim.model().blocks.len());
        cpu.disturb(seed);
    }
    // In pieces, so that workers also come late to jobs.
    for n in [1, 2, steps - 3] {
        sim.advance(n).unwrap();
    }
    sim.hash()
}

fn check(scene: &Scene, steps: u64) {
    let alone = hash_after(scene, 1, steps, None);
    for (threads, seed) in [(2, 1), (2, 77), (3, 2), (5, 3), (0, 4)] {
        let hash = hash_after(scene, threads, steps, Some(seed));
        assert_eq!(hash, alone, "{threads} threads, seed {seed}");
    }
}

fn scene(integrator: Integrator, plasticity: f64) -> Scene {
    let mut scene = Scene::from_toml(BODIES, "test").unwrap();
    (scene.world.integrator, scene.world.plasticity) = (integrator, plasticity);
    scene
}

#[test]
fn explicit_and_plastic_steps_do_not_depend_on_who_does_a_block() {
    for integrator in [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4] {
        check(&scene(integrator, 0.0), 40);
    }
    check(&scene(Integrator::Verlet, 0.05), 60);
}

#[test]
fn implicit_steps_do_not_depend_on_who_does_a_block() {
    for newton_iterations in [1, 3] {
        let mut scene = scene(Integrator::ImplicitEuler, 0.05);
        scene.world.timestep = 0.005;
        scene.world.implicit.newton_iterations = newton_iterations;
        check(&scene, 6);
    }
}

#[test]
fn steps_of_both_kinds_do_not_depend_on_who_does_a_block() {
    let mut scene = scene(Integrator::Verlet, 0.05);
    scene.bodies[1].implicit = true;
    check(&scene, 20);
}
