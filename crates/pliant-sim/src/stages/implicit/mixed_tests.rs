//! Worlds in which some bodies take implicit steps and others explicit ones, on a device.

use pliant_gpu::{Gpu, testing};

use super::pairs::{Pairs, has_full_blocks};
use crate::backend::gpu::tests::{BARS, farthest, pair};
use crate::model::{Family, compile};
use crate::scene::{Accumulation, Damping, Implicit, Integrator, Scene};
use crate::stages::gpu::layout::Layout;
use crate::stages::touch::{Push, Touch};
use crate::{Backend, Simulator};

/// How a world is stepped.
#[derive(Clone, Copy, Debug)]
struct Way {
    integrator: Integrator,
    accumulation: Accumulation,
    /// Which of the two bars takes implicit steps.
    implicit: usize,
    is_newton: bool,
    is_damped: bool,
}

impl Way {
    /// Every explicit integrator with and without Newton's iterations; all else changes from one to
    /// the next.
    fn all() -> Vec<Self> {
        let integrators = Integrator::EXPLICIT.into_iter().enumerate();
        let way = |(i, integrator), is_newton| {
            let n = i + usize::from(is_newton);
            Self {
                integrator,
                accumulation: Accumulation::STRATEGIES[n % 3],
                implicit: n / 2 % 2,
                is_newton,
                is_damped: n % 2 == 0,
            }
        };
        integrators.flat_map(|i| [false, true].map(|is_newton| way(i, is_newton))).collect()
    }

    fn apply(self, scene: &mut Scene) {
        scene.world.integrator = self.integrator;
        scene.world.accumulation = self.accumulation;
        scene.world.implicit = Implicit { tolerance: 1e-6, ..Implicit::default() };
        if self.is_newton {
            scene.world.implicit.newton_iterations = 20;
            scene.world.implicit.newton_tolerance = 1e-4;
        }
        scene.bodies[self.implicit].implicit = true;
        if !self.is_damped {
            scene.bodies.iter_mut().for_each(|b| b.material.damping = Damping::Time(0.0));
        }
    }

    fn scene(self) -> Scene {
        let mut scene = Scene::from_toml(BARS, "test").unwrap();
        self.apply(&mut scene);
        scene
    }
}

/// A hand that pulls and a push, on both bodies.
fn touch(sim: &mut Simulator) {
    for center in [[-0.6, 0.0, 0.5], [1.3, 1.2, 0.1]] {
        assert!(sim.grab(center, 0.3, 1.0, 50.0) > 3);
    }
    for touch in sim.touches_mut() {
        let Touch::Drag(drag) = touch else { continue };
        drag.cursor = [0.1, 0.3, 1.5];
    }
    sim.push(Push {
        origin: [0.0, 0.0, 3.0],
        direction: [0.1, 0.0, -1.0],
        radius: 3.0,
        force: 0.01,
    });
}

fn on_device(gpu: &Gpu, scene: Scene) -> Simulator {
    Simulator::new(scene, Backend::Device(gpu.clone())).unwrap()
}

#[test]
fn each_body_goes_where_it_goes_on_the_processor() {
    let Some(gpu) = testing::gpu("mixed") else { return };
    for way in Way::all() {
        let [mut cpu, mut device] = pair(&gpu, BARS, |scene| way.apply(scene));
        cpu.advance(40).unwrap();
        device.advance(40).unwrap();
        let apart = farthest(&cpu, &device);
        let faster = cpu
            .velocities()
            .iter()
            .zip(&device.velocities())
            .fold(0.0, |most, (a, b)| (0..3).map(|k| (a[k] - b[k]).abs()).fold(most, f32::max));
        println!("{way:?}: {apart:e} m, {faster:e} m/s apart");
        assert!(device.gpu().is_some(), "{:?}", device.take_messages());
        assert!(apart < 2e-6, "{way:?}: {apart} m apart");
        // Half a kick of gravity, which velocities of explicit bodies alone may lack, is 1e-3 m/s.
        assert!(faster < 3e-4, "{way:?}: {faster} m/s apart");
        let [on_cpu, on_gpu] = [&cpu, &device].map(|sim| sim.solver_report().unwrap());
        assert_eq!(on_gpu.unconverged, 0, "{way:?}");
        assert!(on_gpu.systems.abs_diff(on_cpu.systems) <= 10 && on_gpu.systems >= 40);
    }
}

#[test]
fn hands_pushes_and_yielding_work_as_on_the_processor() {
    let Some(gpu) = testing::gpu("mixed") else { return };
    for way in Way::all().into_iter().step_by(3) {
        let [mut cpu, mut device] = pair(&gpu, BARS, |scene| {
            way.apply(scene);
            scene.world.plasticity = 0.05;
            scene.world.substeps = 2;
        });
        for sim in [&mut cpu, &mut device] {
            touch(sim);
            sim.advance(40).unwrap();
        }
        let apart = farthest(&cpu, &device);
        println!("{way:?}: {apart:e} m apart");
        assert!(device.gpu().is_some(), "{:?}", device.take_messages());
        assert!(apart < 4e-6, "{way:?}: {apart} m apart");
    }
}

#[test]
fn an_explicit_body_does_not_notice_how_others_step() {
    let Some(gpu) = testing::gpu("mixed") else { return };
    for way in Way::all() {
        let run = |is_mixed: bool| {
            let mut scene = way.scene();
            scene.bodies[way.implicit].implicit = is_mixed;
            let mut sim = on_device(&gpu, scene);
            touch(&mut sim);
            sim.advance(40).unwrap();
            assert!(sim.gpu().is_some() && sim.solver_report().is_some() == is_mixed);
            let body = &sim.model().bodies[1 - way.implicit];
            let mine = body.vertices.start as usize..body.vertices.end as usize;
            (sim.positions()[mine.clone()].to_vec(), sim.velocities()[mine].to_vec())
        };
        assert_eq!(run(true), run(false), "{way:?}");
    }
}

#[test]
fn however_many_cycles_are_recorded_the_bits_are_the_same() {
    let Some(gpu) = testing::gpu("mixed") else { return };
    let integrators = [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Beeman];
    for way in Way::all().into_iter().filter(|w| integrators.contains(&w.integrator)) {
        let run = |cycles: Option<u32>| {
            let mut scene = way.scene();
            scene.world.plasticity = 0.05;
            let mut sim = on_device(&gpu, scene);
            touch(&mut sim);
            for _ in 0..4 {
                if let (Some(cycles), Some(device)) = (cycles, sim.gpu_mut()) {
                    device.solver_mut().unwrap().expect_cycles(cycles);
                }
                sim.advance(10).unwrap();
            }
            assert!(sim.gpu().is_some(), "{:?}", sim.take_messages());
            (sim.hash(), sim.solver_report().unwrap())
        };
        let usual = run(None);
        assert_eq!(run(None), usual, "{way:?}: not reproducible");
        assert_eq!(run(Some(0)), usual, "{way:?}");
    }
}

#[test]
fn a_cap_that_is_reached_is_said() {
    let Some(gpu) = testing::gpu("mixed") else { return };
    let mut scene = Way::all()[0].scene();
    scene.world.implicit = Implicit { max_iterations: 1, tolerance: 1e-7, ..Implicit::default() };
    let mut sim = on_device(&gpu, scene);
    touch(&mut sim);
    let solver = sim.step(3).unwrap().solver.unwrap();
    assert_eq!((solver.systems, solver.unconverged, solver.last_iterations), (3, 3, 1));
    let messages = sim.take_messages();
    assert!(messages.iter().any(|m| m.contains("linear systems were not")), "{messages:?}");
    assert!(sim.gpu().is_some());
}

#[test]
fn an_explicit_body_that_comes_apart_is_named() {
    let Some(gpu) = testing::gpu("mixed") else { return };
    for cycles in [None, Some(0)] {
        let [mut cpu, mut device] = pair(&gpu, BARS, |scene| {
            Way::all()[0].apply(scene);
            scene.world.timestep = 0.05;
            scene.world.implicit.tolerance = 1e-7;
        });
        if let (Some(cycles), Some(device)) = (cycles, device.gpu_mut()) {
            device.solver_mut().unwrap().expect_cycles(cycles);
        }
        let [on_cpu, on_gpu] = [&mut cpu, &mut device].map(|sim| sim.advance(50).unwrap_err());
        assert_eq!((on_gpu.body.as_str(), on_gpu.step), ("second", on_cpu.step));
        assert!(device.gpu().is_some(), "{:?}", device.take_messages());
    }
}

#[test]
fn bodies_that_begin_to_step_implicitly_are_part_of_the_system() {
    let Some(gpu) = testing::gpu("mixed") else { return };
    let [mut cpu, mut device] = pair(&gpu, BARS, |scene| Way::all()[0].apply(scene));
    let others = [Integrator::ImplicitEuler, Integrator::Beeman, Integrator::Rk4];
    for integrator in others.into_iter().chain([Integrator::ImplicitEuler, Integrator::Verlet]) {
        for sim in [&mut cpu, &mut device] {
            sim.advance(10).unwrap();
            let mut world = sim.world().clone();
            world.integrator = integrator;
            sim.set_world(world).unwrap();
            sim.advance(10).unwrap();
            // Steps go on from a state that was kept.
            let state = sim.state();
            sim.set_state(&state);
        }
        let apart = farthest(&cpu, &device);
        println!("{integrator}: {apart:e} m apart");
        assert!(device.gpu().is_some(), "{:?}", device.take_messages());
        assert!(apart < 2e-6, "{integrator}: {apart} m apart");
    }
}

#[test]
fn the_system_has_pairs_of_implicit_bodies_alone() {
    let model = compile(&Way::all()[0].scene()).unwrap();
    let layout = Layout::new(&model);
    let body = model.bodies.iter().position(|b| b.family == Some(Family::Implicit)).unwrap();
    let Pairs { pairs, lists, .. } = Pairs::new(&layout, Family::Explicit);
    let of_body = layout.springs.iter().filter(|s| layout.body_of(s[0]) == body).count();
    assert_eq!(pairs.len() - 1, of_body);
    assert!(pairs[..of_body].iter().all(|p| layout.body_of(p[0]) == body));
    assert!(lists.len() < Pairs::new(&layout, Family::Implicit).lists.len());
    assert!(has_full_blocks(&layout, Family::Explicit));
}
