//! The same bits for any number of threads, however a run is cut, and after resuming anywhere.

use crate::support::*;
use crate::{block, scene, table, touching};
use pliant::mesh::shapes;
use pliant::scene::{Integrator, World};
use pliant::{Backend, Scene, Simulator, checkpoint};

/// A pile of solids, a cloth on it, yielding.
fn busy(integrator: Integrator) -> Scene {
    let mut bodies = vec![table(0.5)];
    for n in 0..4 {
        let mut next = block(&format!("block-{n}"), 3, 0.1);
        next.translate = [-0.1 + 0.03 * f64::from(n), -0.05, 0.01 + 0.115 * f64::from(n)];
        next.spin = [0.3, 0.2, 1.0];
        bodies.push(next);
    }
    let mut cloth = body(shapes::cloth([14, 14], [0.4, 0.4]).unwrap(), rubber(0.3, 100.0));
    cloth.name = "cloth".into();
    cloth.translate = [-0.2, -0.2, 0.48];
    bodies.push(cloth);
    let world = World { integrator, plasticity: 0.3, timestep: 2e-4, ..touching(0.4) };
    scene(bodies, world)
}

fn run(scene: &Scene, threads: usize) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap()
}

const STEPS: u64 = 900;

fn hash(scene: &Scene, threads: usize) -> u64 {
    let mut sim = run(scene, threads);
    let report = sim.step(STEPS).unwrap();
    assert!(report.contact.unwrap().contacts > 20, "{report:?}");
    sim.hash()
}

#[test]
fn threads_change_nothing() {
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk2] {
        let scene = busy(integrator);
        let one = hash(&scene, 1);
        for threads in [2, 3, 7] {
            assert_eq!(hash(&scene, threads), one, "{integrator}, {threads} threads");
        }
    }
}

#[test]
fn cuts_and_resumes_change_nothing() {
    for integrator in [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4] {
        let scene = busy(integrator);
        let straight = hash(&scene, 2);
        // Candidates are forgotten whenever a state is taken over.
        let mut cut = run(&scene, 1);
        for steps in [1, 399, 1, 1, 250, 48, 200] {
            cut.advance(steps).unwrap();
            let bytes = checkpoint::encode(&cut);
            let mut next = run(&scene, 2);
            next.load(&checkpoint::decode(&bytes).unwrap()).unwrap();
            assert_eq!(next.hash(), cut.hash(), "{integrator}");
            cut = next;
        }
        assert_eq!(cut.step_count(), STEPS);
        assert_eq!(cut.hash(), straight, "{integrator}");
    }
}

#[test]
fn drags_on_top_change_nothing_either() {
    let scene = busy(Integrator::Verlet);
    let dragged = |pieces: &[u64], threads: usize| {
        let mut sim = run(&scene, threads);
        assert!(sim.grab([-0.05, 0.0, 0.06], 0.05, 0.5, 50.0) > 0);
        if let pliant::touch::Touch::Drag(drag) = &mut sim.touches_mut()[0] {
            drag.cursor = [0.1, 0.1, 0.2];
        }
        pieces.iter().for_each(|&n| sim.advance(n).unwrap());
        sim.hash()
    };
    assert_eq!(dragged(&[300], 1), dragged(&[7, 100, 193], 3));
}
