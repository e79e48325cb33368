//! Surfaces that touch: the device against the processor, buffer by buffer and run by run.

use pliant_gpu::{Gpu, testing};
use pliant_mesh::shapes::{self, Split};

use crate::scene::{
    Accumulation, Body, Contact, Damping, Integrator, Mass, Material, Region, Scene, Source,
    Stiffness, Volume, World,
};
use crate::{Backend, Simulator};

fn body(name: &str, mesh: pliant_mesh::Mesh, density: f64, young: f64) -> Body {
    let material = Material {
        mass: Mass::Density(density),
        stiffness: Stiffness::Young(young),
        volume: Volume::Energy(young),
        damping: Damping::Time(1e-3),
    };
    Body { name: name.into(), source: Source::Inline(mesh), material, ..Body::default() }
}

/// Turned blocks on a plate that is locked, and a cloth that folds over them: vertices, edges and faces touch, of
/// solids and of skins, of other bodies and of the same.
fn pile(integrator: Integrator) -> Scene {
    let plate = shapes::bar([6, 6, 1], [0.5, 0.5, 0.1], Split::default());
    let mut plate = body("plate", plate, 1000.0, 1e5);
    plate.translate = [-0.25, -0.25, -0.1];
    plate.locks = vec![Region::HalfSpace { point: [0.0, 0.0, 1.0], normal: [0.0, 0.0, -1.0] }];
    let mut bodies = vec![plate];
    for n in 0..3 {
        let block = shapes::bar([3; 3], [0.1; 3], Split::default());
        let mut block = body(&format!("block {n}"), block, 1000.0, 1e5);
        let n = f64::from(n);
        block.translate = [-0.1 + 0.031 * n, -0.053 + 0.013 * n, 0.006 + 0.112 * n];
        block.rotate =
            crate::scene::Rotation::AxisAngle { axis: [0.3, 0.2, 1.0], degrees: 7.0 * n };
        block.velocity = [0.0, 0.0, -0.5];
        bodies.push(block);
    }
    let mut cloth = body("cloth", shapes::cloth([10, 10], [0.4, 0.4]).unwrap(), 0.3, 100.0);
    cloth.translate = [-0.2, -0.21, 0.37];
    cloth.velocity = [0.0, 0.0, -2.0];
    bodies.push(cloth);
    let contact = Some(Contact { friction: 0.4, ..Contact::default() });
    let world = World { integrator, timestep: 2e-4, contact, bounds: None, ..World::default() };
    Scene { name: "pile".into(), world, bodies, ..Scene::default() }
}

fn on_device(gpu: &Gpu, scene: &Scene) -> Simulator {
    Simulator::new(scene.clone(), Backend::Device(gpu.clone())).unwrap()
}

fn on_processor(scene: &Scene) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap()
}

#[test]
fn a_device_does_what_the_processor_does() {
    let Some(gpu) = testing::gpu("contact") else { return };
    let scene = pile(Integrator::Verlet);
    let [mut cpu, mut device] = [on_processor(&scene), on_device(&gpu, &scene)];
    for steps in [1, 1, 8, 40, 50, 100] {
        cpu.advance(steps).unwrap();
        device.advance(steps).unwrap();
        let apart = super::farthest(&cpu, &device);
        println!("{steps}: {apart:e} {:?} {:?}", cpu.report().contact, device.report().contact);
    }
}
