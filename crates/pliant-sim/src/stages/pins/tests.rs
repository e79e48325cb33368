use crate::scene::{Integrator, Scene};
use crate::{Backend, Simulator};

/// A sheet in the xz plane from x = 0 to 1, whose upper edge is led.
fn sheet(pin: &str, more: &str) -> Scene {
    let timestep = if more.contains("timestep") { "" } else { "timestep = 0.001" };
    let text = format!(
        "[world]\n{timestep}\nbox = false\n{more}\n[[bodies]]\nname = 'sheet'\n\
         shape = {{ kind = 'cloth', cells = [6, 4], size = [0.6, 0.4] }}\nrotate = [90, 0, 0]\n\
         translate = [0, 0, 1]\npins = [{pin}]\n\
         material = {{ mass = {{ density = 0.2 }}, stiffness = {{ cloth = {{ stretch = 40, shear = 4 }} }}, \
         damping = {{ time = 0.002 }} }}\n"
    );
    Scene::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

const TOP: &str = "region = { half_space = { point = [0, 0, 1.399], normal = [0, 0, 1] } }";
const WAVE: &str = "motion = { keyframes = [{ time = 0 }, { time = 0.1, translate = [0.2, 0, 0.1] }, \
                    { time = 0.2, rotate = [0, 0, 90] }, { time = 0.4 }], repeat = true }";

fn simulator(scene: &Scene, threads: usize) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// How far the pinned vertices are from where the motion says, turned about the middle of the edge.
fn astray(sim: &Simulator) -> f64 {
    let pin = &sim.scene().bodies[0].pins[0];
    let pose = pin.motion.pose(sim.time());
    let about = pin.about.unwrap_or([0.3, 0.0, 1.4]);
    let start =
        Simulator::new(sim.scene().clone(), Backend::Cpu { threads: 1 }).unwrap().positions();
    let now = sim.positions();
    let top = (0..start.len()).filter(|&v| start[v][2] > 1.399);
    let target = |v: usize| {
        let turned = pose.place(std::array::from_fn(|k| start[v][k] - about[k]));
        std::array::from_fn(|k| turned[k] + about[k])
    };
    top.map(|v| distance(now[v], target(v))).fold(0.0, f64::max)
}

#[test]
fn vertices_go_where_they_are_led_in_every_integrator() {
    for integrator in Integrator::ALL {
        let mut scene = sheet(&format!("{{ {TOP}, {WAVE} }}"), "damping = 2\nsubsteps = 2");
        scene.world.integrator = integrator;
        let mut sim = simulator(&scene, 1);
        for steps in [50, 75, 200, 175] {
            sim.advance(steps).unwrap();
            let off = astray(&sim);
            // Damping holds them up by h² c v in the last substep.
            assert!(off < 3e-6, "{integrator}: {off} m at {} s", sim.time());
        }
    }
}

/// Rigidly led at a steady pace, all of the sheet comes along: it has the velocity that pins have.
#[test]
fn what_is_towed_takes_the_velocity_of_the_pins() {
    let pin = format!("{{ {TOP}, motion = {{ velocity = [0.5, 0, 0] }} }}");
    let mut scene = sheet(&pin, "damping = 0\ngravity = [0, 0, 0]");
    scene.bodies[0].material.damping = crate::scene::Damping::Time(0.005);
    let mut sim = simulator(&scene, 1);
    sim.advance(12_000).unwrap();
    for v in sim.velocities() {
        assert!(distance(v.map(f64::from), [0.5, 0.0, 0.0]) < 0.02, "{v:?}");
    }
    assert!((sim.positions()[0][0] - 6.0).abs() < 0.02, "{:?}", sim.positions()[0]);
}

#[test]
fn a_pin_that_stands_still_is_a_lock() {
    let pinned = sheet(&format!("{{ {TOP}, motion = {{ velocity = [0, 0, 0] }} }}"), "");
    let mut locked = pinned.clone();
    locked.bodies[0].locks = vec![locked.bodies[0].pins.remove(0).region];
    let states = [pinned, locked].map(|scene| {
        let mut sim = simulator(&scene, 1);
        sim.advance(300).unwrap();
        sim.state().hash()
    });
    assert_eq!(states[0], states[1]);
}

#[test]
fn neither_threads_nor_cuts_nor_resumes_change_a_bit() {
    let mut scene = sheet(&format!("{{ {TOP}, {WAVE} }}"), "substeps = 2");
    scene.world.timestep = 2e-4;
    scene.bodies[0].material.damping = crate::scene::Damping::Time(1e-4);
    scene.bodies[0].source = crate::scene::Source::Shape(crate::scene::Shape::Cloth {
        cells: [60, 40],
        size: [0.6, 0.4],
    });
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::ImplicitEuler] {
        scene.world.integrator = integrator;
        let steps = if integrator == Integrator::ImplicitEuler { 20 } else { 120 };
        let mut whole = simulator(&scene, 1);
        whole.advance(steps).unwrap();
        for threads in [2, 3, 7] {
            let mut sim = simulator(&scene, threads);
            sim.advance(steps / 3).unwrap();
            let state = sim.state();
            let mut sim = simulator(&scene, threads);
            sim.set_state(&state);
            sim.advance(steps - steps / 3).unwrap();
            assert_eq!(sim.state().hash(), whole.state().hash(), "{integrator}, {threads} threads");
        }
    }
}

/// Twisted by its ends in steps of 1/60 s, a strip is not refused a single one.
#[test]
fn implicit_steps_know_that_pins_do_work() {
    let mut scene = sheet("", "timestep = 0.0166666\nintegrator = 'implicit-euler'");
    let end = |x: f64, side: f64| crate::scene::Pin {
        region: crate::scene::Region::HalfSpace { point: [x, 0.0, 0.0], normal: [side, 0.0, 0.0] },
        motion: crate::scene::ColliderMotion::Steady {
            velocity: [0.0; 3],
            spin: [side * 3.0, 0.0, 0.0],
        },
        about: None,
    };
    scene.bodies[0].pins = vec![end(0.001, -1.0), end(0.599, 1.0)];
    let mut sim = simulator(&scene, 1);
    sim.advance(60).unwrap();
    let report = sim.solver_report().unwrap();
    assert_eq!((report.shortened, report.forced), (0, 0), "{report:?}");
    assert!(sim.report().energy.springs > 0.0);
    let now = sim.positions();
    assert!(now.iter().flatten().all(|x| x.is_finite() && x.abs() < 3.0));
}

/// Wound up by its ends under the guarantee, a strip goes nowhere through itself.
#[test]
fn what_is_guaranteed_holds_for_what_is_led() {
    let contact =
        "gravity = [0, 0, 0]\ntimestep = 0.0002\ndamping = 3\ncontact = { guarantee = true }";
    let mut scene = sheet("", contact);
    let end = |x: f64, side: f64| crate::scene::Pin {
        region: crate::scene::Region::HalfSpace { point: [x, 0.0, 0.0], normal: [side, 0.0, 0.0] },
        motion: crate::scene::ColliderMotion::Steady {
            velocity: [-0.3 * side, 0.0, 0.0],
            spin: [side * 20.0, 0.0, 0.0],
        },
        about: None,
    };
    scene.bodies[0].pins = vec![end(0.001, -1.0), end(0.599, 1.0)];
    let mut sim = simulator(&scene, 2);
    for _ in 0..10 {
        sim.advance(200).unwrap();
        assert_eq!(sim.crossings().unwrap().len(), 0, "at {} s", sim.time());
    }
    assert!(sim.report().contact.unwrap().contacts > 0);
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_leads_as_the_cpu_does() {
    let Some(gpu) = pliant_gpu::testing::gpu("pins") else { return };
    for integrator in [Integrator::Verlet, Integrator::Rk4, Integrator::ImplicitEuler] {
        let mut scene = sheet(&format!("{{ {TOP}, {WAVE} }}"), "substeps = 2");
        scene.world.integrator = integrator;
        let mut cpu = simulator(&scene, 1);
        let mut device = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        for sim in [&mut cpu, &mut device] {
            sim.advance(60).unwrap();
        }
        let (a, b) = (cpu.positions(), device.positions());
        let apart = a.iter().zip(&b).map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max);
        assert!(apart < 2e-5, "{integrator}: {apart} m");
        assert!(astray(&device) < 3e-6);
    }
}

#[test]
fn what_cannot_be_led_is_named() {
    let refused = |pin: &str| {
        let text = format!(
            "[[bodies]]\nname = 'sheet'\nshape = {{ kind = 'cloth', cells = [2, 2], size = [1, 1] }}\n\
             pins = [{pin}]"
        );
        match Scene::from_toml(&text, "test") {
            Ok(scene) => crate::model::compile(&scene).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    };
    for (pin, message) in [
        ("{ region = 'all', motion = { interval = 1 } }", "for colliders that are meshes"),
        (
            "{ region = 'all', motion = { keyframes = [{ time = 0, translate = [1, 0, 0] }] } }",
            "has moved the vertices by time 0",
        ),
        (
            "{ region = 'all', motion = { keyframes = [{ time = 0 }, { time = 1, translate = [1, 0, 0] }], \
             repeat = true } }",
            "jumps from its last keyframe to the first",
        ),
        (
            "{ region = { points = [99] }, motion = { velocity = [1, 0, 0] } }",
            "pins[0]: there is no point 99",
        ),
        (
            "{ region = { sphere = { center = [9, 9, 9], radius = 1 } }, motion = { velocity = [1, 0, 0] } }",
            "pins[0] holds no vertex",
        ),
        ("{ region = 'all' }", "the key `motion` is missing"),
    ] {
        let error = refused(pin);
        assert!(error.contains(message), "{error}\nlacks {message:?}");
    }
}
