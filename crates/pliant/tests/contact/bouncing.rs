//! Mesh colliders give back what their restitution says.

use crate::meshes::{collider, sheet, with};
use crate::support::*;
use crate::{block, touching};
use pliant::Simulator;
use pliant::mesh::shapes;
use pliant::scene::{Collider, Integrator, World};

/// Gravity \[m/s²\].
const G: f64 = 9.81;

fn mass(sim: &Simulator) -> f64 {
    sim.model().mass.iter().map(|&m| f64::from(m)).sum()
}

fn world(integrator: Integrator) -> World {
    World { integrator, timestep: 1e-3, damping: 0.0, ..touching(0.0) }
}

/// Those that look at contact once in a step; for the others a warning says that it is less.
const INTEGRATORS: [Integrator; 3] =
    [Integrator::Verlet, Integrator::SymplecticEuler, Integrator::VelocityVerlet];

/// A slack cloth that falls flat is as good as a point.
#[test]
fn what_falls_on_a_mesh_comes_back_as_restitution_says() {
    for integrator in INTEGRATORS {
        for restitution in [0.0, 0.5, 0.9] {
            let floor = Collider { restitution, friction: 0.0, ..collider("floor", sheet(2, 2.0)) };
            let mut cloth = body(shapes::cloth([2, 2], [0.2, 0.2]).unwrap(), rubber(1.0, 10.0));
            cloth.translate = [0.13, 0.09, 0.5];
            let mut sim = simulator(&with(vec![floor], vec![cloth], world(integrator)));
            // It touches a thickness above the floor.
            let mut height = 0.5;
            while sim.collider_forces()[0][2] == 0.0 {
                height = sim.positions()[0][2];
                sim.advance(1).unwrap();
            }
            let speed = (2.0 * G * (0.5 - height)).sqrt();
            sim.advance(4).unwrap();
            let up = sim.report().momentum[2] / mass(&sim);
            let expected = restitution * speed;
            assert!(speed > 2.9, "{integrator:?}: {speed} m/s");
            assert!(
                (up - expected).abs() < 0.06,
                "{integrator:?}, {restitution}: {up} m/s, not {expected}"
            );
        }
    }
}

/// What has bounced its last lies still, and the mesh carries its weight.
#[test]
fn what_rests_on_a_mesh_that_gives_back_does_not_jump() {
    for integrator in INTEGRATORS {
        let floor =
            Collider { restitution: 0.8, friction: 0.5, ..collider("floor", sheet(6, 0.8)) };
        let mut dropped = block("dropped", 2, 0.1);
        dropped.translate = [-0.03, -0.06, 0.05];
        let world = World { damping: 2.0, ..world(integrator) };
        let mut sim = simulator(&with(vec![floor], vec![dropped], world));
        sim.advance(3000).unwrap();
        let heights =
            |sim: &Simulator| -> Vec<f64> { sim.positions().iter().map(|p| p[2]).collect() };
        let before = heights(&sim);
        let report = sim.step(300).unwrap();
        let (weight, force) = (mass(&sim) * G, sim.collider_forces()[0]);
        assert!((force[2] / weight + 1.0).abs() < 0.02, "{integrator:?}: {force:?} of {weight} N");
        assert!(report.max_speed < 2e-3, "{integrator:?}: {} m/s", report.max_speed);
        let moved =
            heights(&sim).iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved < 1e-5, "{integrator:?}: {moved} m");
    }
}

/// A plate that comes from below throws what it meets: relative to it the same holds.
#[test]
fn a_mesh_that_moves_throws_what_it_meets() {
    for integrator in INTEGRATORS {
        let motion =
            pliant::scene::ColliderMotion::Steady { velocity: [0.0, 0.0, 1.0], spin: [0.0; 3] };
        let plate = Collider {
            restitution: 0.5,
            friction: 0.0,
            motion: Some(motion),
            ..collider("plate", sheet(2, 2.0))
        };
        let mut cloth = body(shapes::cloth([2, 2], [0.2, 0.2]).unwrap(), rubber(1.0, 10.0));
        cloth.translate = [0.13, 0.09, 0.1];
        let world = World { gravity: [0.0; 3], ..world(integrator) };
        let mut sim = simulator(&with(vec![plate], vec![cloth], world));
        let report = sim.step(150).unwrap();
        let up = report.momentum[2] / mass(&sim);
        assert!((up - 1.5).abs() < 0.03, "{integrator:?}: {up} m/s");
    }
}

#[test]
fn integrators_that_give_back_less_are_told() {
    for (integrator, count) in
        [(Integrator::Verlet, 0), (Integrator::Rk2, 1), (Integrator::ImplicitEuler, 1)]
    {
        let floor = Collider { restitution: 0.5, ..collider("floor", sheet(2, 2.0)) };
        let scene = with(vec![floor], vec![block("block", 1, 0.1)], world(integrator));
        let told = scene.validate().unwrap();
        let told = told.iter().filter(|warning| warning.path == "colliders[0].restitution");
        assert_eq!(told.count(), count, "{integrator}");
    }
}
