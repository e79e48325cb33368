//! Steps that wait for room in a list: whatever runs, and wherever it waits, no bit changes.

use crate::model::compile;
use crate::scene::{Integrator, Scene};
use crate::stages::drill::Drill;
use crate::{Backend, Simulator};

/// Three bars that fall into a corner of the box; the second one yields.
const BARS: &str = r#"
    [world]
    timestep = 0.0004
    substeps = 2
    damping = 0.1
    plasticity = 0.02
    box = { size = [4, 4, 4], restitution = 0.3, friction = 0.2 }
    [[bodies]]
    name = "first"
    shape = { kind = "bar", cells = [9, 6, 4], size = [1, 0.6, 0.4] }
    rotate = [10, 20, 5]
    translate = [-1, 0, 0.5]
    velocity = [0.5, 0, -3]
    [bodies.material]
    mass = { density = 1000 }
    stiffness = { young = 2e4 }
    volume = { modulus = 5e4 }
    damping = { time = 0.0005 }
    [[bodies]]
    name = "second"
    shape = { kind = "bar", cells = [9, 6, 4], size = [0.9, 0.6, 0.4] }
    translate = [0.5, 1, 0.201]
    velocity = [2, 0, -1]
    [bodies.material]
    mass = { density = 500 }
    stiffness = { spring = 100 }
    [[bodies]]
    name = "third"
    shape = { kind = "bar", cells = [9, 6, 4], size = [0.9, 0.6, 0.4] }
    translate = [0, -1, 0.3]
    velocity = [0, 0, -2]
    [bodies.material]
    mass = { density = 500 }
    stiffness = { young = 2e4 }
"#;

fn bars(integrator: Integrator) -> Scene {
    let mut scene = Scene::from_toml(BARS, "test").unwrap();
    scene.world.integrator = integrator;
    scene
}

/// The scene with finer bars, so that there are blocks for several threads.
fn finer(scene: &Scene) -> Scene {
    let text = BARS.replace("[9, 6, 4]", "[14, 9, 7]");
    let fine = Scene::from_toml(&text, "test").unwrap();
    let mut scene = scene.clone();
    for (body, fine) in scene.bodies.iter_mut().zip(fine.bodies) {
        body.source = fine.source;
    }
    scene
}

/// A simulator whose substeps fill the list of a drill, or none.
fn simulator(scene: &Scene, backend: &Backend, drill: Option<Drill>) -> Simulator {
    let mut model = compile(scene).unwrap();
    model.drill = drill;
    Simulator::from_model(scene.clone(), model, backend).unwrap()
}

/// What a run came to: hash, clock, and what became of systems.
fn outcome(sim: &Simulator) -> (u64, u64, f64, String) {
    (sim.hash(), sim.step_count(), sim.time(), format!("{:?}", sim.solver_report()))
}

/// Some steps alone, and some with a hand that moves and a push.
fn run(sim: &mut Simulator) {
    sim.advance(12).unwrap();
    assert!(sim.grab([0.5, 1.0, 0.3], 0.4, 0.8, 30.0) > 0);
    let crate::stages::touch::Touch::Drag(drag) = &mut sim.touches_mut()[0] else { panic!() };
    drag.cursor = [1.0, 0.5, 1.0];
    sim.advance(5).unwrap();
    sim.touches_mut().clear();
    sim.advance(8).unwrap();
}

/// Runs with drills that pause other substeps, and without.
fn check(scene: &Scene, backend: &Backend) {
    let mut plain = simulator(scene, backend, None);
    run(&mut plain);
    assert_eq!(plain.pause_count(), 0);
    for (seed, is_timed) in [(1, false), (77, true)] {
        let mut paused = simulator(scene, backend, Some(Drill { seed, endless_from: None }));
        paused.time_stages(is_timed);
        run(&mut paused);
        let pauses = paused.pause_count();
        println!("{}, {}: {pauses} pauses", scene.world.integrator, paused.backend_name());
        assert!(pauses > 4, "{pauses} pauses");
        assert_eq!(outcome(&paused), outcome(&plain), "{}", scene.world.integrator);
    }
}

/// Scenes of all kinds: explicit ones, implicit ones, and both at once.
fn scenes(explicit: &[Integrator]) -> Vec<Scene> {
    let mut scenes: Vec<Scene> = explicit.iter().copied().map(bars).collect();
    for newton in [1, 5] {
        let mut implicit = bars(Integrator::ImplicitEuler);
        implicit.world.implicit.newton_iterations = newton;
        let mut mixed = bars(Integrator::VelocityVerlet);
        mixed.world.implicit.newton_iterations = newton;
        mixed.bodies[1].implicit = true;
        scenes.extend([implicit, mixed]);
    }
    scenes
}

#[test]
fn pauses_change_no_bit_with_any_number_of_threads() {
    let explicit = [
        Integrator::Verlet,
        Integrator::VelocityVerlet,
        Integrator::Beeman,
        Integrator::Heun,
        Integrator::Rk4,
    ];
    for scene in scenes(&explicit).iter().map(finer) {
        for threads in [1, 3] {
            let backend = Backend::Cpu { threads };
            assert_eq!(simulator(&scene, &backend, None).thread_count(), threads);
            check(&scene, &backend);
        }
    }
}

#[cfg(feature = "gpu")]
#[test]
fn pauses_change_no_bit_on_a_device() {
    use crate::scene::Accumulation;
    let Some(gpu) = pliant_gpu::testing::gpu("pauses") else { return };
    // One of each plan of updates: software devices take their time.
    for scene in &scenes(&[Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk4]) {
        check(scene, &Backend::Device(gpu.clone()));
    }
    for strategy in Accumulation::STRATEGIES {
        let mut scene = bars(Integrator::Verlet);
        scene.world.accumulation = strategy;
        check(&scene, &Backend::Device(gpu.clone()));
    }
}

/// A bar that is thrown to the ground so hard that implicit steps have to be divided.
#[test]
fn steps_that_are_divided_pause_like_others() {
    let text = r#"
        [world]
        timestep = 0.03
        substeps = 2
        integrator = "implicit-euler"
        box = { size = [40, 40, 4], center = [0, 0, 2] }
        [[bodies]]
        name = "thrown"
        shape = { kind = "bar", cells = [4, 2, 2], size = [0.4, 0.2, 0.2] }
        rotate = [20, 20, 0]
        translate = [0, 1, 0.5]
        velocity = [0, 0, -30]
        [bodies.material]
        mass = { density = 1000 }
        stiffness = { young = 1e8 }
    "#;
    let scene = Scene::from_toml(text, "test").unwrap();
    let backend = Backend::Cpu { threads: 1 };
    let drill = Some(Drill { seed: 5, endless_from: None });
    let [mut plain, mut paused] = [None, drill].map(|drill| simulator(&scene, &backend, drill));
    plain.advance(12).unwrap();
    paused.advance(12).unwrap();
    assert!(plain.solver_report().unwrap().shortened > 0);
    assert!(paused.pause_count() > 2);
    assert_eq!(outcome(&paused), outcome(&plain));
}

#[test]
fn what_diverges_does_so_in_the_same_step() {
    for auto in [false, true] {
        let mut scene = bars(Integrator::Verlet);
        (scene.world.timestep, scene.world.auto_substeps) = (0.02, auto);
        let backend = Backend::Cpu { threads: 2 };
        let drill = Some(Drill { seed: 9, endless_from: None });
        let [plain, paused] = [None, drill].map(|drill| {
            let mut sim = simulator(&scene, &backend, drill);
            let error = sim.advance(40).err();
            (error, sim.substeps(), outcome(&sim))
        });
        assert!(plain.0.is_some() || plain.1 > 2, "nothing diverged");
        assert_eq!(paused, plain);
    }
}

/// The error of a run whose list cannot be made longer.
fn without_room(scene: &Scene, backend: &Backend) {
    let from = 17;
    let mut plain = simulator(scene, backend, None);
    plain.advance(from).unwrap();
    let drill = Drill { seed: 3, endless_from: Some(from) };
    let mut endless = simulator(scene, backend, Some(drill));
    let error = endless.advance(40).unwrap_err();
    println!("{error}");
    assert!(error.no_room.as_ref().is_some_and(|reason| reason.contains("drill")), "{error}");
    assert_eq!((error.step, error.good_step), (from + 1, from));
    assert!(error.to_string().contains("step 18 (t = 0.0068"), "{error}");
    assert_eq!(endless.step_count(), from);
    // Nothing but the list is to blame, so it would go on if there were room.
    if matches!(backend, Backend::Cpu { .. }) {
        assert_eq!(outcome(&endless), outcome(&plain));
    }
    assert_eq!(endless.advance(1).unwrap_err().good_step, from, "it still has none");
}

#[test]
fn where_memory_ends_a_run_does_and_says_so() {
    for integrator in [Integrator::Verlet, Integrator::ImplicitEuler] {
        let mut scene = bars(integrator);
        without_room(&scene, &Backend::Cpu { threads: 2 });
        scene.world.auto_substeps = true;
        without_room(&scene, &Backend::Cpu { threads: 1 });
    }
}

/// A device that has no memory for the list leaves the rest to the processor, which has none either.
#[cfg(feature = "gpu")]
#[test]
fn a_device_without_memory_for_a_list_hands_over() {
    let Some(gpu) = pliant_gpu::testing::gpu("pauses without memory") else { return };
    let scene = bars(Integrator::Verlet);
    without_room(&scene, &Backend::Device(gpu.clone()));
    let drill = Drill { seed: 3, endless_from: Some(5) };
    let mut sim = simulator(&scene, &Backend::Device(gpu), Some(drill));
    sim.advance(9).unwrap_err();
    let told = sim.take_messages().join("\n");
    assert!(told.contains("no simulated time is lost"), "{told}");
    assert!(sim.backend_name().starts_with("CPU"), "{}", sim.backend_name());
}
