//! No simulation is lost to a GPU: devices vanish, memory runs out, kernels do not compile, and the
//! run goes on, says so, and leaves checkpoints that can be read.
#![cfg(feature = "gpu")]

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use pliant::scene::{Accumulation, Every, Integrator, Scene};
use pliant::session::{Ending, Event, Message, RunOptions, Session};
use pliant::touch::Push;
use pliant::{Backend, Simulator, State, checkpoint};
use pliant_gpu::{AdapterChoice, Gpu, testing};

/// A soft bar that falls onto the floor of its box, with damping and a lock.
const BAR: &str = r#"
    [world]
    timestep = 0.0002
    damping = 0.1
    box = { size = [4, 4, 4], restitution = 0.3, friction = 0.2 }
    [[bodies]]
    name = "bar"
    shape = { kind = "bar", cells = [9, 3, 2], size = [1, 0.3, 0.2] }
    rotate = [10, 20, 5]
    translate = [-1, 0, 0.4]
    velocity = [0.5, 0, -3]
    locks = [{ half_space = { point = [-0.98, 0, 0], normal = [-1, 0, 0] } }]
    [bodies.material]
    mass = { density = 1000 }
    stiffness = { young = 2e4 }
    volume = { modulus = 5e4 }
    damping = { time = 0.0005 }
"#;

const HOUR: Duration = Duration::from_secs(3600);

fn bar() -> Scene {
    Scene::from_toml(BAR, "bar").unwrap()
}

fn on(gpu: &Gpu, scene: Scene) -> Simulator {
    Simulator::new(scene, Backend::Device(gpu.clone())).unwrap()
}

/// Whoever holds the simulator's device destroys it.
fn lose(sim: &Simulator) {
    sim.gpu().expect("it runs on a device").gpu().destroy();
}

/// The only message there is.
fn message(sim: &mut Simulator) -> String {
    let messages = sim.take_messages();
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0].clone()
}

fn saved(sim: &Simulator) -> checkpoint::Checkpoint {
    checkpoint::decode(&checkpoint::encode(sim)).unwrap()
}

fn farthest(a: &Simulator, b: &Simulator) -> f64 {
    support::largest_distance(&a.positions(), &b.positions())
}

/// Everything that can be changed from outside, at steps of its own.
fn busy_run(sim: &mut Simulator, mut after: impl FnMut(&mut Simulator)) {
    let mut go = |sim: &mut Simulator, steps| {
        sim.advance(steps).unwrap();
        after(sim);
    };
    go(sim, 70);
    let mut world = sim.world().clone();
    world.gravity = [1.0, 0.0, -3.0];
    sim.set_world(world).unwrap();
    go(sim, 60);
    sim.set_substeps(2);
    go(sim, 50);
    assert!(sim.grab([0.0, 0.15, 0.4], 0.3, 2.0, 50.0) > 0);
    if let Some(pliant::touch::Touch::Drag(drag)) = sim.touches_mut().last_mut() {
        drag.cursor = [1.0, 0.5, 1.0];
    }
    go(sim, 40);
    let direction = [0.0, 0.0, 1.0];
    sim.push(Push { origin: [-0.5, 0.1, 0.0], direction, radius: 0.2, force: 0.5 });
    go(sim, 45);
    sim.touches_mut().clear();
    let mut world = sim.world().clone();
    world.timestep = 0.00015;
    sim.set_world(world).unwrap();
    go(sim, 35);
}

#[test]
fn a_lost_device_is_opened_again_and_the_run_comes_to_the_same_end() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut whole = on(&gpu, bar());
    busy_run(&mut whole, |_| {});
    let whole = (whole.hash(), whole.world().clone());
    for (interval, lost_after) in
        [(Some(HOUR), 6), (Some(HOUR), 4), (Some(Duration::ZERO), 3), (Some(Duration::ZERO), 5)]
    {
        let mut sim = on(&testing::gpu("faults").unwrap(), bar());
        sim.set_rescue_interval(interval);
        let mut pieces = 0;
        let mut names = Vec::new();
        busy_run(&mut sim, |sim| {
            pieces += 1;
            if pieces == lost_after {
                names.push(sim.backend_name());
                lose(sim);
                // Reading does not notice, or says what was last known, with its own clock.
                let known = sim.state();
                assert!(known.step < sim.step_count());
                assert_eq!(known.hash(), saved(sim).state.hash());
                sim.check_device().unwrap();
                names.push(sim.backend_name());
            }
        });
        assert_eq!(names[0], names[1]);
        let told = message(&mut sim);
        println!("{told}");
        assert!(told.contains("lost") && told.contains("computed again"), "{told}");
        assert_eq!(told.contains("from step 0 (t = 0.000000 s)"), interval == Some(HOUR), "{told}");
        assert_eq!((sim.hash(), sim.world().clone()), whole, "{interval:?}, {lost_after}");
        assert_eq!(saved(&sim).state.hash(), whole.0);
    }
}

#[test]
fn a_device_that_is_lost_again_and_again_is_given_up() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut sim = on(&gpu, bar());
    sim.set_rescue_interval(Some(Duration::ZERO));
    for time in 1..=4u64 {
        sim.advance(300).unwrap();
        lose(&sim);
        let known = saved(&sim);
        let (step, present) = (known.state.step, sim.step_count());
        // Stretches end at multiples of 256 steps and where the caller stops.
        assert!(step < present && present - step <= 256, "{step} {present}");
        sim.advance(10).unwrap();
        assert_eq!(sim.step_count(), 310 * time);
        let told = message(&mut sim);
        println!("{told}");
        let lost = known.world.timestep * (present - step) as f64;
        assert!(told.contains(&format!("from step {step} (t = ")), "{told}");
        assert!(told.contains(&format!("{lost:.6} s of simulated time are lost")), "{told}");
        if time < 4 {
            continue;
        }
        assert!(told.contains("failure 4"), "{told}");
        assert!(sim.gpu().is_none() && sim.backend_name().starts_with("CPU"));
        // It went on from what was known, as any run on the processor would.
        let mut same = Simulator::resume(&known, Backend::cpu()).unwrap();
        same.advance(310 * time - step).unwrap();
        assert_eq!(sim.hash(), same.hash());
    }
}

#[test]
fn what_is_read_from_a_lost_device_is_one_moment() {
    let Some(gpu) = testing::gpu("faults") else { return };
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Beeman] {
        let mut scene = bar();
        scene.world.integrator = integrator;
        let mut sim = on(&testing::gpu("faults").unwrap(), scene.clone());
        sim.set_rescue_interval(Some(HOUR));
        let known = |sim: &Simulator| {
            // Forces are computed again, so that they need not be known.
            let State { step, time, position, velocity, .. } = sim.state();
            (step, time, position, velocity, sim.positions())
        };
        let start = known(&sim);
        sim.advance(100).unwrap();
        let mut whole = on(&gpu, scene);
        whole.advance(100).unwrap();
        lose(&sim);
        assert!(known(&sim) == start, "{integrator}");
        // Measuring may go on elsewhere: it then belongs to the present.
        assert_eq!(sim.report(), whole.report());
        assert!(sim.hash() == whole.hash() && sim.positions() == whole.positions(), "{integrator}");
        assert!(sim.forces() == whole.forces(), "{integrator}");
        lose(&sim);
        let mut world = sim.world().clone();
        world.integrator = Integrator::Rk4;
        sim.set_world(world.clone()).unwrap();
        whole.set_world(world).unwrap();
        sim.advance(20).unwrap();
        whole.advance(20).unwrap();
        assert_eq!(sim.hash(), whole.hash(), "{integrator}");
        assert_eq!(sim.take_messages().len(), 2);
    }
}

#[test]
fn what_has_yielded_stays_yielded() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut scene = bar();
    scene.world.plasticity = 0.005;
    let mut whole = on(&gpu, scene.clone());
    whole.advance(700).unwrap();
    let mut sim = on(&testing::gpu("faults").unwrap(), scene);
    sim.set_rescue_interval(Some(Duration::ZERO));
    let rest = sim.state().rest_shapes;
    sim.advance(600).unwrap();
    lose(&sim);
    let known = sim.state();
    assert!(known.step > 0 && known.rest_shapes.is_some() && known.rest_shapes != rest);
    sim.advance(100).unwrap();
    assert!(message(&mut sim).contains("computed again"));
    assert_eq!(sim.hash(), whole.hash());
}

#[test]
fn without_copies_a_loss_goes_back_to_the_start_and_still_arrives() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut sim = on(&gpu, bar());
    sim.set_rescue_interval(None);
    sim.advance(40).unwrap();
    lose(&sim);
    sim.advance(10).unwrap();
    assert_eq!(sim.step_count(), 50);
    assert!(message(&mut sim).contains("from step 0"));
}

#[test]
fn an_error_of_the_driver_is_survived_too() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut sim = on(&gpu, bar());
    sim.advance(30).unwrap();
    // A kernel that does not compile, in the middle of a run.
    let source = pliant_gpu::wgpu::ShaderSource::Wgsl("fn broken( {".into());
    let descriptor = pliant_gpu::wgpu::ShaderModuleDescriptor { label: None, source };
    drop(gpu.device().create_shader_module(descriptor));
    sim.advance(30).unwrap();
    let told = message(&mut sim);
    assert!(told.contains("reported an error") && told.contains("from step 0"), "{told}");
    let mut whole = on(&testing::gpu("faults").unwrap(), bar());
    whole.advance(60).unwrap();
    assert_eq!(saved(&sim).state.hash(), whole.hash());
}

#[test]
fn too_little_memory_at_the_start_is_refused_with_what_would_fit() {
    let Some(gpu) = testing::gpu("faults") else { return };
    gpu.set_memory_budget(Some(100_000));
    let refused = Simulator::new(bar(), Backend::Device(gpu.clone())).err().expect("too large");
    let refused = refused.to_string();
    println!("{refused}");
    for part in ["no room", "324 tetrahedra takes at least", "would fit", "CPU", "97.7 KiB"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    assert_eq!(gpu.memory_used(), 0, "what was made before is given back");
    gpu.set_memory_budget(None);
    on(&gpu, bar()).advance(1).unwrap();
}

#[test]
fn too_little_memory_later_moves_the_run_to_the_processor_and_loses_nothing() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut sim = on(&gpu, bar());
    sim.advance(50).unwrap();
    let before = sim.state();
    // Enough to read back three arrays of 128 vertices, too little for the four that the integrator
    // remembers.
    gpu.set_memory_budget(Some(gpu.memory_used() + 7000));
    let mut world = sim.world().clone();
    world.integrator = Integrator::Rk4;
    sim.set_world(world).unwrap();
    let told = message(&mut sim);
    println!("{told}");
    assert!(told.contains("\"history\"") && told.contains("CPU") && told.contains("from step 50"));
    assert_eq!(sim.state().position, before.position);
    assert!(sim.gpu().is_none());
    sim.advance(50).unwrap();
    assert_eq!(saved(&sim).state.step, 100);
    assert_eq!(sim.world().integrator, Integrator::Rk4);

    // The same for another way to add up forces, which is only made when a step needs it.
    gpu.set_memory_budget(None);
    let mut scene = bar();
    scene.world.accumulation = Accumulation::Gather;
    let mut sim = on(&gpu, scene);
    sim.advance(50).unwrap();
    let before = saved(&sim);
    gpu.set_memory_budget(Some(gpu.memory_used() + 7000));
    let mut world = sim.world().clone();
    world.accumulation = Accumulation::EdgeGather;
    sim.set_world(world).unwrap();
    sim.advance(50).unwrap();
    let told = message(&mut sim);
    println!("{told}");
    assert!(told.contains("no simulated time is lost") && told.contains("from step 50"), "{told}");
    let mut same = Simulator::resume(&before, Backend::cpu()).unwrap();
    same.advance(50).unwrap();
    assert_eq!(sim.hash(), same.hash());
}

#[test]
fn no_room_for_copies_is_told_and_the_run_goes_on() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut sim = on(&gpu, bar());
    sim.advance(10).unwrap();
    gpu.set_memory_budget(Some(gpu.memory_used() + 1000));
    sim.set_rescue_interval(Some(Duration::ZERO));
    sim.advance(600).unwrap();
    let told = message(&mut sim);
    println!("{told}");
    assert!(told.contains("copy of the state") && told.contains("from step 0"), "{told}");
    assert!(sim.gpu().is_some() && sim.step_count() == 610);
    // Not even a look at the state fits: that is said, not hidden, and nothing is lost.
    assert_eq!(sim.state().step, 0);
    gpu.set_memory_budget(None);
    sim.advance(1).unwrap();
    assert!(message(&mut sim).contains("CPU"));
    assert_eq!(saved(&sim).state.step, 611);
}

#[test]
fn a_missing_adapter_and_a_dead_device_are_refused_by_name() {
    let adapter = AdapterChoice::named("no such");
    let refused = Simulator::new(bar(), Backend::Gpu { adapter }).err().expect("none").to_string();
    println!("{refused}");
    assert!(refused.contains("\"no such\"") && refused.contains("CPU"), "{refused}");
    let Some(gpu) = testing::gpu("faults") else { return };
    assert!(refused.contains(&gpu.adapter().name), "{refused}");
    gpu.destroy();
    let refused = Simulator::new(bar(), Backend::Device(gpu)).err().expect("dead").to_string();
    assert!(refused.contains("lost"), "{refused}");
}

/// Two drags, a push and changes of the world, one after the other and at the same time.
const ACTIONS: &str = r#"
    [[actions]]
    start = 0.002
    end = 0.02
    drag = { center = [0, 0.15, 0.2], radius = 0.3, velocity = [0, 1, 1], stiffness = 50 }
    [[actions]]
    start = 0.004
    set = { key = "world.gravity", value = [0, 1, -5] }
    [[actions]]
    start = 0.006
    end = 0.012
    push = { origin = [-0.5, 0.1, 0], direction = [0, 0, 1], radius = 0.2, force = 0.5 }
    [[actions]]
    start = 0.014
    set = { key = "world.timestep", value = 0.0001 }
"#;

#[test]
fn a_run_whose_device_is_lost_writes_the_same_files() {
    let Some(_) = testing::gpu("faults") else { return };
    let scene = Scene::from_toml(&format!("{BAR}{ACTIONS}"), "bar").unwrap();
    let run_losing_at = |steps: &[u64]| {
        let gpu = testing::gpu("faults").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut options = RunOptions { folder: folder.path().into(), ..RunOptions::default() };
        options.name = "bar".into();
        options.plan.steps = Some(170);
        options.output.every = Every::Steps(10);
        (options.output.csv, options.output.vtu, options.output.ply) = (true, true, true);
        options.output.checkpoint_every = Some(25);
        let mut session = Session::new(scene.clone(), Backend::Device(gpu.clone())).unwrap();
        session.simulator_mut().set_rescue_interval(Some(HOUR));
        let mut warnings = Vec::new();
        let mut left = steps.iter().peekable();
        let mut seen = 0;
        let outcome = pliant::session::run(&mut session, &options, &mut |event| match event {
            Event::Progress(progress) => {
                assert!(progress.step >= seen, "the clock of a run never goes back");
                seen = progress.step;
                if left.next_if(|&&step| progress.step >= step).is_some() {
                    gpu.destroy();
                }
            }
            Event::Message(Message::Warning(text)) => warnings.push(text.clone()),
            Event::Message(_) => {}
        });
        let outcome = outcome.unwrap();
        assert!(matches!(outcome.ending, Ending::Finished));
        let mut files = Vec::new();
        let mut folders = vec![folder.path().to_path_buf()];
        while let Some(place) = folders.pop() {
            for entry in std::fs::read_dir(place).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => files.push((path.clone(), std::fs::read(&path).unwrap())),
                }
            }
        }
        let strip = |p: &std::path::Path| p.strip_prefix(folder.path()).unwrap().to_path_buf();
        let files: BTreeMap<_, _> = files.into_iter().map(|(p, c)| (strip(&p), c)).collect();
        (outcome.hash, files, warnings)
    };
    let whole = run_losing_at(&[]);
    assert_eq!(whole.2, [""; 0]);
    assert!(whole.1.len() > 30, "{} files", whole.1.len());
    for step in [5, 40, 100] {
        let lost = run_losing_at(&[step]);
        assert_eq!(lost.0, whole.0, "lost after step {step}");
        assert!(lost.1.keys().eq(whole.1.keys()), "{:?}", lost.1.keys());
        for (name, content) in &lost.1 {
            assert!(content == &whole.1[name], "{} differs", name.display());
        }
        let [told] = &lost.2[..] else { panic!("{:?}", lost.2) };
        assert!(told.contains("lost") && told.contains("simulated time"), "{told}");
    }
}

#[test]
fn checkpoints_go_from_device_to_processor_and_back() {
    let Some(gpu) = testing::gpu("faults") else { return };
    for integrator in Integrator::ALL {
        let mut cpu: Option<(checkpoint::Checkpoint, Simulator)> = None;
        for strategy in Accumulation::STRATEGIES {
            let what = format!("{integrator}, {strategy}");
            let mut scene = bar();
            (scene.world.integrator, scene.world.accumulation) = (integrator, strategy);
            let mut whole = on(&gpu, scene.clone());
            whole.advance(40).unwrap();
            let middle = saved(&whole);
            whole.advance(40).unwrap();
            let end: State = whole.state();

            let mut resumed = Simulator::resume(&middle, Backend::Device(gpu.clone())).unwrap();
            resumed.advance(40).unwrap();
            assert_eq!(resumed.hash(), end.hash(), "{what}: resumed on the same device");

            let mut moved = Simulator::resume(&middle, Backend::Cpu { threads: 1 }).unwrap();
            moved.advance(40).unwrap();
            let apart = farthest(&moved, &whole);
            assert!(apart < 2e-6, "{what}: {apart} m apart on the processor");

            let (from_cpu, on_cpu) = cpu.get_or_insert_with(|| {
                let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
                sim.advance(40).unwrap();
                let middle = saved(&sim);
                sim.advance(40).unwrap();
                (middle, sim)
            });
            // Into the device that has just run, whose integrator and strategy may be others.
            whole.load(from_cpu).unwrap();
            assert_eq!(whole.hash(), from_cpu.state.hash(), "{what}");
            whole.advance(40).unwrap();
            let apart = farthest(on_cpu, &whole);
            assert!(apart < 2e-6, "{what}: {apart} m apart on the device");
            assert_eq!(whole.take_messages(), [""; 0], "{what}");
        }
    }
}

#[test]
fn a_checkpoint_brings_its_integrator_and_what_that_remembers() {
    let Some(gpu) = testing::gpu("faults") else { return };
    let mut scene = bar();
    scene.world.integrator = Integrator::Beeman;
    let mut whole = on(&gpu, scene.clone());
    whole.advance(30).unwrap();
    let middle = saved(&whole);
    whole.advance(30).unwrap();
    scene.world.integrator = Integrator::Verlet;
    let mut other = on(&gpu, scene);
    other.advance(5).unwrap();
    other.load(&middle).unwrap();
    assert_eq!(other.hash(), middle.state.hash());
    other.advance(30).unwrap();
    assert_eq!(other.hash(), whole.hash());
}
