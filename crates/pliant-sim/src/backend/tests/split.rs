//! Runs on a device some of whose stages the processor does.

use pliant_gpu::{Gpu, testing};

use crate::backend::gpu::tests::{BARS, farthest};
use crate::scene::{Integrator, Scene};
use crate::stages::touch::Touch;
use crate::step::Stage;
use crate::{Backend, Simulator};

/// How far apart backends may be \[m\], as in the other tests of parity with these bars.
const APART: f64 = 2e-6;

fn bars(integrator: Integrator, plasticity: f64) -> Scene {
    let mut scene = Scene::from_toml(BARS, "test").unwrap();
    (scene.world.integrator, scene.world.plasticity) = (integrator, plasticity);
    scene.world.implicit.tolerance = 1e-6;
    scene
}

/// The scenes between them have every stage that can be moved.
fn scenes() -> Vec<Scene> {
    let mut mixed = bars(Integrator::VelocityVerlet, 0.0);
    mixed.bodies[0].implicit = true;
    let explicit = [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4];
    let mut scenes: Vec<Scene> = explicit.map(|integrator| bars(integrator, 0.0)).into();
    scenes.extend([bars(Integrator::Verlet, 0.01), bars(Integrator::ImplicitEuler, 0.0), mixed]);
    scenes
}

/// The scene after some steps in which a hand pulls at a bar.
fn pulled(scene: &Scene, backend: Backend, broken: Option<Stage>) -> Simulator {
    let mut sim = Simulator::new(scene.clone(), backend).unwrap();
    if let Some(gpu) = sim.gpu_mut() {
        gpu.broken = broken;
    }
    sim.advance(10).unwrap();
    assert!(sim.grab([1.4, 1.0, 0.1], 0.2, 2.0, 1000.0) > 0);
    let Touch::Drag(drag) = &mut sim.touches_mut()[0] else { panic!() };
    drag.cursor = [1.5, 0.5, 0.8];
    sim.advance(50).unwrap();
    sim
}

fn split(gpu: &Gpu, on_cpu: &[Stage]) -> Backend {
    Backend::Split { device: Box::new(Backend::Device(gpu.clone())), on_cpu: on_cpu.to_vec() }
}

#[test]
fn wherever_a_stage_runs_bodies_go_to_the_same_place() {
    let Some(gpu) = testing::gpu("split runs") else { return };
    for scene in scenes() {
        let cpu = pulled(&scene, Backend::Cpu { threads: 2 }, None);
        let all = [Stage::MOVABLE];
        for on_cpu in Stage::MOVABLE.chunks(1).chain(all) {
            let sim = pulled(&scene, split(&gpu, on_cpu), None);
            let apart = farthest(&cpu, &sim);
            println!("{}, {}: {apart:e}", scene.world.integrator, sim.backend_name());
            assert!(apart < APART, "{}, {on_cpu:?}: {apart} m apart", scene.world.integrator);
        }
    }
}

#[test]
fn with_all_stages_on_the_processor_bits_are_those_of_the_processor() {
    let Some(gpu) = testing::gpu("split runs") else { return };
    for integrator in [Integrator::Verlet, Integrator::Rk4, Integrator::ImplicitEuler] {
        let scene = bars(integrator, 0.0);
        let cpu = pulled(&scene, Backend::Cpu { threads: 1 }, None);
        let sim = pulled(&scene, split(&gpu, Stage::MOVABLE), None);
        assert_eq!(sim.hash(), cpu.hash(), "{integrator}");
    }
}

/// What the option is for: where the device is wrong, only moving the stage that is helps.
#[test]
fn a_stage_that_is_broken_on_the_device_is_found() {
    let Some(gpu) = testing::gpu("split runs") else { return };
    let scene = bars(Integrator::Verlet, 0.01);
    let cpu = pulled(&scene, Backend::Cpu { threads: 2 }, None);
    let suspects = [Stage::Elastic, Stage::Touch, Stage::Integrate(0), Stage::Plasticity];
    for broken in suspects {
        let whole = pulled(&scene, Backend::Device(gpu.clone()), Some(broken));
        let apart = farthest(&cpu, &whole);
        assert!(apart > 10.0 * APART, "{broken:?} does nothing, and nothing changes: {apart} m");
        let helps = |on_cpu: &&Stage| {
            let sim = pulled(&scene, split(&gpu, &[**on_cpu]), Some(broken));
            farthest(&cpu, &sim) < APART
        };
        let found: Vec<&Stage> = suspects.iter().filter(helps).collect();
        assert_eq!(found, [&broken]);
    }
}

#[test]
fn without_a_gpu_there_is_nothing_to_move_and_that_is_said() {
    let device = Box::new(Backend::Cpu { threads: 1 });
    let backend = Backend::Split { device, on_cpu: vec![Stage::Elastic] };
    let mut sim = Simulator::new(bars(Integrator::Verlet, 0.0), backend).unwrap();
    assert!(sim.take_messages().join("\n").contains("no GPU"));
    assert_eq!(sim.backend_name(), "CPU, 1 thread");
}
