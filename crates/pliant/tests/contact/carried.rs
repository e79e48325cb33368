//! Mesh colliders that hands take along.

use crate::meshes::{collider, sheet, with};
use crate::support::*;
use crate::{block, touching};
use pliant::scene::{Collider, ColliderMotion, Integrator, World};
use pliant::touch::Touch;
use pliant::{Backend, Scene, Simulator, checkpoint};

const VELOCITY: [f64; 3] = [0.2, 0.0, 0.1];

/// A block that stands on a sheet, which moves by itself or does not.
fn on_sheet(motion: Option<ColliderMotion>, integrator: Integrator) -> Scene {
    let mut rider = block("rider", 2, 0.1);
    rider.translate = [-0.05, -0.05, 0.008];
    let tray = Collider { motion, friction: 0.9, ..collider("tray", sheet(4, 0.5)) };
    let timestep = if integrator == Integrator::ImplicitEuler { 4e-3 } else { 1e-3 };
    let world = World { damping: 3.0, timestep, substeps: 2, integrator, ..touching(0.5) };
    with(vec![tray], vec![rider], world)
}

fn lead(sim: &mut Simulator, seconds: f64) {
    sim.carry(0, [0.0; 3], length(VELOCITY)).unwrap();
    let Some(Touch::Carry(carry)) = sim.touches_mut().last_mut() else { unreachable!() };
    carry.cursor = VELOCITY.map(|v| v * seconds);
}

/// A mesh that is carried does what one does that moves so by itself; then it stays, and what is on it rests.
#[test]
fn a_mesh_that_is_carried_takes_along_what_is_on_it() {
    let all = [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk4];
    for integrator in all.into_iter().chain([Integrator::ImplicitEuler]) {
        let motion = ColliderMotion::Steady { velocity: VELOCITY, spin: [0.0; 3] };
        let mut steady = simulator(&on_sheet(Some(motion), integrator));
        let mut carried = simulator(&on_sheet(None, integrator));
        lead(&mut carried, 1.0);
        let steps = (0.4 / carried.world().timestep).round() as u64;
        let [moved, led] = [&mut steady, &mut carried].map(|sim| sim.step(steps).unwrap());
        let apart = largest_distance(&steady.positions(), &carried.positions());
        assert!(apart < 1e-4, "{integrator:?}: {apart} m: {led:?}, and {moved:?}");
        assert!(led.center_of_mass[0] > 0.06, "{integrator:?}: {led:?}");
        carried.touches_mut().clear();
        let rest = carried.step(steps).unwrap();
        let on_it = rest.center_of_mass[2] - carried.displacement(0)[2];
        assert!(on_it > 0.04 && on_it < 0.07, "{integrator:?}: {rest:?}");
        let points = carried.collider_points(0).unwrap();
        assert!((points[0][2] - 0.04).abs() < 1e-9, "{integrator:?}: {:?}", points[0]);
        assert!(rest.max_speed < 0.05, "{integrator:?}: {rest:?}");
    }
}

/// Whatever the number of threads and wherever a run is cut, also while it is carried.
#[test]
fn a_mesh_that_is_carried_has_the_same_bits() {
    for integrator in [Integrator::Verlet, Integrator::ImplicitEuler] {
        let scene = on_sheet(None, integrator);
        let mut whole = simulator(&scene);
        lead(&mut whole, 0.1);
        whole.advance(160).unwrap();
        // Back to where it was at once, and a while longer.
        whole.move_collider(0, [0.0; 3]).unwrap();
        whole.touches_mut().clear();
        whole.advance(40).unwrap();
        let mut cut = Simulator::new(scene, Backend::Cpu { threads: 3 }).unwrap();
        lead(&mut cut, 0.1);
        for steps in [1, 10, 59, 90] {
            cut.advance(steps).unwrap();
            let saved = checkpoint::decode(&checkpoint::encode(&cut)).unwrap();
            cut.reset();
            cut.load(&saved).unwrap();
        }
        cut.move_collider(0, [0.0; 3]).unwrap();
        cut.touches_mut().clear();
        cut.advance(40).unwrap();
        assert_eq!(cut.state().hash(), whole.state().hash(), "{integrator:?}");
    }
}
