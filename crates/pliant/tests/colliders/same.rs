//! The same bits with moving colliders: for any number of threads, however steps are cut, after a checkpoint,
//! and nearly the same on a device.

use crate::suite::{block, scene_of, world};
use crate::support::*;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{
    Collider, ColliderGround, ColliderMotion, ColliderShape, Damping, Implicit, Integrator,
    Keyframe, Mannequin, MannequinMotion, Mass, Material, Rotation, Shape, Source, Stiffness,
    Volume, World,
};
use pliant::{Backend, Scene, Simulator, checkpoint};

/// Bodies between colliders of all kinds, most of which move; one of them has so many cells. No vertex is where
/// rounding decides which way it goes.
fn busy(integrator: Integrator, cells: [u32; 3]) -> Scene {
    let keyframe = |time: f64, z: f64, degrees: f64| Keyframe {
        time,
        translate: [0.0, 0.0, z],
        rotate: Rotation::AxisAngle { axis: [0.0, 1.0, 0.0], degrees },
    };
    let keyframes =
        vec![keyframe(0.0, 0.0, 0.0), keyframe(0.01, 0.02, 8.0), keyframe(0.02, 0.0, 0.0)];
    let steady = |velocity, spin| Some(ColliderMotion::Steady { velocity, spin });
    let of =
        |shape, translate, motion| Collider { shape, translate, motion, ..Collider::default() };
    let hills = ColliderShape::HeightMap(ColliderGround {
        file: None,
        heights: Some(vec![vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 1.0]]),
        size: [3.0, 2.0],
        height: 0.1,
    });
    let solid = false;
    let colliders = vec![
        of(hills, [-1.53, -0.57, -0.1], None),
        of(
            ColliderShape::Box { size: [0.3, 2.0, 0.3], hollow: solid },
            [-0.72, 0.43, -0.137],
            Some(ColliderMotion::Keyframes { keyframes, repeat: true }),
        ),
        of(
            ColliderShape::Cylinder { radius: 0.3, length: 2.0, hollow: solid },
            [0.013, 0.43, 1.1],
            steady([0.0, 0.0, -0.5], [5.0, 0.0, 0.0]),
        ),
        of(
            ColliderShape::Capsule { radius: 0.2, length: 0.5, hollow: solid },
            [1.197, 0.43, 0.417],
            steady([-0.5, 0.0, 0.0], [0.0, 3.0, 0.0]),
        ),
        of(ColliderShape::Sphere { radius: 5.0, hollow: true }, [0.0; 3], None),
    ];
    let mut big = body(shapes::bar(cells, [2.0, 0.8, 0.8], Split::Six), rubber(500.0, 20e3));
    (big.name, big.translate) = ("big".into(), [-1.0, 0.0, 0.02]);
    let mut small = block();
    (small.name, small.translate) = ("small".into(), [0.2, -0.3, 0.3]);
    let world = World { timestep: 5e-4, integrator, substeps: 2, ..world() };
    Scene { bodies: vec![big, small], colliders, world, ..Scene::default() }
}

fn after(scene: &Scene, threads: usize, pieces: &[u64]) -> Simulator {
    let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
    pieces.iter().for_each(|&steps| sim.advance(steps).unwrap());
    sim
}

#[test]
fn threads_and_cuts_change_no_bit() {
    for integrator in [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4] {
        let scene = busy(integrator, [20, 8, 8]);
        let mut one = after(&scene, 1, &[150]);
        assert!(one.report().colliders.unwrap().touching > 20, "{integrator}");
        for threads in [2, 3, 7] {
            let other = after(&scene, threads, &[1, 49, 100]);
            assert_eq!(one.hash(), other.hash(), "{integrator}, {threads} threads");
        }
    }
}

#[test]
fn a_checkpoint_changes_no_bit() {
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet] {
        let scene = busy(integrator, [20, 8, 8]);
        let straight = after(&scene, 2, &[80]);
        let first = after(&scene, 1, &[37]);
        let bytes = checkpoint::encode(&first);
        let mut second = simulator(&scene);
        second.load(&checkpoint::decode(&bytes).unwrap()).unwrap();
        second.advance(43).unwrap();
        assert_eq!(second.hash(), straight.hash(), "{integrator}");
        let mut other = scene.clone();
        other.colliders[0].friction = 0.1;
        let refused = simulator(&other).load(&checkpoint::decode(&bytes).unwrap());
        assert!(refused.is_err(), "other colliders are another model");
    }
}

/// A small mannequin that walks fast into a ring of cloth.
fn dressed(integrator: Integrator) -> Scene {
    let shape = Shape::Skirt { waist: 0.5, hem: 0.9, length: 0.3, depth: 0.8, cell: 0.05 };
    let mut skirt = block();
    (skirt.source, skirt.translate) = (Source::Shape(shape), [0.0, 0.0, 0.64]);
    skirt.material = Material {
        mass: Mass::Density(0.2),
        stiffness: Stiffness::Young(100.0),
        volume: Volume::None,
        damping: Damping::Time(1e-3),
    };
    let walker = Mannequin {
        height: 1.05,
        motion: MannequinMotion::Walk,
        start: 0.02,
        speed: 1.5,
        ..Mannequin::default()
    };
    let world = World { timestep: 5e-4, integrator, ..world() };
    Scene { mannequins: vec![walker], ..scene_of(skirt, Vec::new(), world) }
}

#[test]
fn a_walk_is_the_same_however_it_is_cut() {
    for integrator in [Integrator::Verlet, Integrator::ImplicitEuler] {
        let scene = dressed(integrator);
        let mut one = after(&scene, 1, &[400]);
        let report = one.report().colliders.unwrap();
        assert!(report.touching > 10 && report.on_colliders.len() == 19, "{report:?}");
        let first = after(&scene, 2, &[1, 136]);
        let bytes = checkpoint::encode(&first);
        let mut second = simulator(&scene);
        second.load(&checkpoint::decode(&bytes).unwrap()).unwrap();
        second.advance(263).unwrap();
        assert_eq!(second.hash(), one.hash(), "{integrator}");
    }
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_walks_as_the_processor_does() {
    let Some(gpu) = gpu("a mannequin that walks") else { return };
    for integrator in [Integrator::Verlet, Integrator::ImplicitEuler] {
        let scene = dressed(integrator);
        let mut cpu = simulator(&scene);
        let mut device = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        for sim in [&mut cpu, &mut device] {
            sim.advance(150).unwrap();
        }
        let apart = largest_distance(&cpu.positions(), &device.positions());
        assert!(apart < 1e-4, "{integrator}: {apart} m apart");
        let touching = device.report().colliders.unwrap().touching;
        assert!(touching > 0, "{integrator}");
    }
}

#[test]
fn a_collider_far_away_changes_no_bit() {
    let alone = scene_of(block(), Vec::new(), world());
    let far = Collider { translate: [0.0, 0.0, -1e3], ..Collider::default() };
    let beside = Scene { colliders: vec![far], ..alone.clone() };
    assert_eq!(after(&alone, 1, &[100]).hash(), after(&beside, 1, &[100]).hash());
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_goes_where_the_processor_goes() {
    let Some(gpu) = gpu("colliders") else { return };
    for integrator in Integrator::EXPLICIT {
        let scene = busy(integrator, [8, 3, 3]);
        let mut cpu = simulator(&scene);
        let mut device = Simulator::new(scene.clone(), Backend::Device(gpu.clone())).unwrap();
        for (steps, tolerance) in [(1, 1e-6), (99, 2e-5)] {
            let [a, b] = [&mut cpu, &mut device].map(|sim| {
                sim.advance(steps).unwrap();
                (sim.positions(), sim.report())
            });
            let apart = largest_distance(&a.0, &b.0);
            let [on, there] = [a.1, b.1].map(|report| report.colliders.unwrap());
            println!(
                "{integrator} after {steps}: {apart:.1e} m, {} {}",
                on.touching, there.touching
            );
            assert!(apart < tolerance, "{integrator} after {steps} steps: {apart} m apart");
        }
        let mut again = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        again.advance(100).unwrap();
        assert_eq!(again.hash(), device.hash(), "{integrator}: not the same twice");
    }
}

/// All bodies in implicit steps, or one of two.
#[cfg(feature = "gpu")]
fn implicitly(integrator: Integrator) -> Scene {
    let mut scene = busy(integrator, [8, 3, 3]);
    scene.bodies[0].implicit = true;
    scene.world.substeps = 1;
    scene.world.implicit = Implicit { tolerance: 1e-6, ..Implicit::default() };
    scene
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_takes_implicit_steps_where_the_processor_does() {
    let Some(gpu) = gpu("colliders") else { return };
    for way in [Integrator::ImplicitEuler, Integrator::Verlet] {
        let scene = implicitly(way);
        let mut cpu = simulator(&scene);
        let mut device = Simulator::new(scene.clone(), Backend::Device(gpu.clone())).unwrap();
        let wide = |v: Vec<[f32; 3]>| -> Vec<[f64; 3]> {
            v.into_iter().map(|v| v.map(f64::from)).collect()
        };
        for (steps, tolerance) in [(1, 1e-6), (29, 1e-5)] {
            let [a, b] = [&mut cpu, &mut device].map(|sim| {
                sim.advance(steps).unwrap();
                let forces = wide(sim.contact_forces());
                (sim.positions(), wide(sim.velocities()), forces)
            });
            let apart = largest_distance(&a.0, &b.0);
            let faster = largest_distance(&a.1, &b.1);
            let most = a.2.iter().map(|f| length(*f)).fold(0.0, f64::max);
            let force = largest_distance(&a.2, &b.2) / most;
            println!(
                "{way:?} after {steps}: {apart:.1e} m, {faster:.1e} m/s, {force:.1e} of {most} N"
            );
            assert!(apart < tolerance, "{way:?} after {steps} steps: {apart} m apart");
            // Surfaces are as fast as the last digits of positions tell in a substep.
            assert!(steps > 1 || (faster < 2e-4 && force < 1e-4), "{way:?}: {faster} m/s, {force}");
        }
        assert!(device.gpu().is_some(), "{:?}", device.take_messages());
        let mut again = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        [1, 17, 12].iter().for_each(|&steps| again.advance(steps).unwrap());
        assert_eq!(again.hash(), device.hash(), "{way:?}: not the same twice");
    }
}
