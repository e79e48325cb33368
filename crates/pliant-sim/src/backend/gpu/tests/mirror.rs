//! A mirrored present is the present, is read without the device, and is gone when time goes on.

use super::*;
use crate::at_once;

fn bars(gpu: &Gpu, integrator: Integrator, plasticity: f64) -> Simulator {
    let mut scene = Scene::from_toml(BARS, "bars").unwrap();
    scene.world.integrator = integrator;
    scene.world.plasticity = plasticity;
    Simulator::new(scene, Backend::Device(gpu.clone())).unwrap()
}

#[test]
fn a_mirror_answers_what_the_device_would() {
    let Some(gpu) = testing::gpu("mirror") else { return };
    for (integrator, plasticity) in
        [(Integrator::Verlet, 0.0), (Integrator::Beeman, 0.0), (Integrator::VelocityVerlet, 0.02)]
    {
        let mut sim = bars(&gpu, integrator, plasticity);
        sim.advance(700).unwrap();
        let (state, positions) = (sim.state(), sim.positions());
        let (forces, velocities, report) = (sim.forces(), sim.velocities(), sim.report());
        at_once(sim.mirror_async());
        let read = gpu.bytes_read();
        assert_eq!(sim.state(), state, "{integrator}");
        assert_eq!((sim.positions(), sim.hash()), (positions, state.hash()));
        let apart = |a: &[[f32; 3]], b: &[[f32; 3]]| {
            let largest = b.iter().flatten().fold(0f32, |m, c| m.max(c.abs()));
            let apart = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
            apart.fold(0f32, f32::max) / largest
        };
        // The host rounds the last sums of forces and half steps otherwise than the device.
        assert!(apart(&sim.forces(), &forces) < 1e-6, "{integrator}");
        assert!(apart(&sim.velocities(), &velocities) < 1e-6, "{integrator}");
        let energy = sim.report().energy.total();
        assert!((energy / report.energy.total() - 1.0).abs() < 1e-5, "{integrator}: {energy}");
        assert_eq!(gpu.bytes_read(), read, "{integrator}: the device was asked");
    }
}

#[test]
fn a_mirror_ends_with_the_next_step_and_changes_nothing() {
    let Some(gpu) = testing::gpu("mirror") else { return };
    let mut hashes = [0, 1].map(|_| bars(&gpu, Integrator::Beeman, 0.02)).map(|sim| (sim, 0));
    for (i, (sim, hash)) in hashes.iter_mut().enumerate() {
        sim.advance(300).unwrap();
        if i == 1 {
            at_once(sim.mirror_async());
        }
        let before = sim.positions();
        sim.advance(300).unwrap();
        assert_ne!(sim.positions(), before);
        *hash = sim.hash();
    }
    assert_eq!(hashes[0].1, hashes[1].1);
    let (sim, _) = &mut hashes[1];
    at_once(sim.mirror_async());
    let later = sim.positions();
    sim.reset();
    assert_ne!(sim.positions(), later);
}
