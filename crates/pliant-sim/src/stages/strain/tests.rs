use super::formula::{impulse_change, overspeed, span};
use super::relaxation;
use crate::math::Vec3;
use crate::model::{Model, compile};
use crate::scene::{Integrator, LimitBy, Scene, StrainLimit};
use crate::state::State;
use crate::{Backend, Simulator};

/// A sheet of soft threads, 0.5 m wide, with more keys of its own.
fn sheet(cells: u32, by: &str, more: &str) -> Scene {
    let text = format!(
        "[world]\ntimestep = 0.0004\nbox = false\n[[bodies]]\nname = 'sheet'\n\
         shape = {{ kind = 'cloth', cells = [{cells}, {cells}], size = [0.5, 0.5] }}\n\
         rotate = [90, 0, 0]\nstrain_limit = {{ stretch = 0.1, by = '{by}', iterations = 8 }}\n{more}\n\
         material = {{ mass = {{ density = 0.2 }}, stiffness = {{ cloth = {{ stretch = 4, shear = 1 }} }}, \
         damping = {{ time = 0.001 }} }}\n"
    );
    Scene::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

const FORMS: [&str; 2] = ["velocity", "position"];
/// Both upper corners of a sheet.
const CORNERS: &str = "locks = [{ box = { min = [-0.01, -1, 0.49], max = [0.01, 1, 0.51] } }, \
                       { box = { min = [0.49, -1, 0.49], max = [0.51, 1, 0.51] } }]";

fn simulator(scene: &Scene, threads: usize) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap()
}

/// What the model has for its vertices, in the user's order, which states have.
fn by_user<T: Copy>(model: &Model, values: &[T]) -> Vec<T> {
    let mut sorted = values.to_vec();
    model.vertex_order.iter().zip(values).for_each(|(&v, &value)| sorted[v as usize] = value);
    sorted
}

/// A state in which edges are too long and get longer, in disorder.
fn disorder(sim: &Simulator) -> State {
    let mut state = sim.state();
    let inv_mass = by_user(sim.model(), &sim.model().inv_mass);
    // Not beyond limits, but for velocities when the next step would end, for positions when this one does.
    let scale = match sim.model().limits.kinds[0].by {
        LimitBy::Velocity => 1.075,
        LimitBy::Position => 1.09,
    };
    for v in (0..state.position.len()).filter(|&v| inv_mass[v] > 0.0) {
        let wave = |k: usize| ((v * (7 + k) % 23) as f32 / 11.0 - 1.0) * ((k + 1) as f32);
        let [x, _, z] = state.position[v];
        let noise = [2e-5 * wave(0), 4e-4 * wave(1), -2e-5 * wave(2)];
        state.position[v] = [scale * x + noise[0], noise[1], scale * z + noise[2]];
        state.velocity[v] = [45.0 * x - 9.0 * z, 0.3 * wave(0), 40.0 * z + 0.1 * wave(1)];
    }
    state
}

/// The same state after a step without limits, and after one with them.
fn stepped(scene: &Scene) -> [State; 2] {
    let start = disorder(&simulator(scene, 1));
    let mut without = scene.clone();
    without.bodies[0].strain_limit = None;
    [without, scene.clone()].map(|scene| {
        let mut sim = simulator(&scene, 1);
        sim.set_state(&start);
        sim.advance(1).unwrap();
        sim.state()
    })
}

/// What limits make of a state, in double precision: positions and velocities, in the order of the model.
fn limited(model: &Model, state: &State, h: f64) -> [Vec<Vec3<f64>>; 2] {
    let wide = |list: &[[f32; 3]]| -> Vec<Vec3<f64>> {
        model.vertex_order.iter().map(|&v| Vec3::of(list[v as usize].map(f64::from))).collect()
    };
    let (mut x, mut v) = (wide(&state.position), wide(&state.velocity));
    let limits = &model.limits;
    let mut impulses = vec![[0.0_f64; 2]; limits.edges.len()];
    for n in 0..limits.iterations() as usize {
        let mut changes = vec![Vec3::<f64>::zero(); x.len()];
        for (edge, so_far) in limits.edges.iter().zip(&mut impulses) {
            let kind = limits.kinds[edge.kind as usize];
            let [i, j] = edge.ends.map(|v| v as usize);
            let way = span(x[j] - x[i]);
            let u = if kind.by == LimitBy::Velocity { v[j] - v[i] } else { Vec3::zero() };
            let c = overspeed(way, u, f64::from(edge.limit), 1.0 / h);
            let numbers = limits.relaxation(edge.kind as usize)[n].map(f64::from);
            let change = impulse_change(c, f64::from(edge.gain), *so_far, numbers);
            *so_far = [so_far[0] + change, change];
            changes[i] += way.along * change;
            changes[j] -= way.along * change;
        }
        for (m, change) in changes.iter().enumerate() {
            let change = *change * f64::from(model.inv_mass[m]);
            v[m] += change;
            if limits.kinds[0].by == LimitBy::Position {
                x[m] += change * h;
            }
        }
    }
    [x, v]
}

/// What all iterations together leave of a mode: little of it, and none grows; and they build up N² of a steady load.
#[test]
fn iterations_leave_a_third_of_stiff_modes_and_build_up_loads() {
    for n in [1, 2, 3, 8, 31, 100] {
        let numbers = relaxation(n);
        assert_eq!(numbers.len(), n as usize);
        let left = |eigenvalue: f64| {
            let (mut left, mut change) = (1.0, 0.0);
            for [a, b] in &numbers {
                change = -f64::from(*a) * eigenvalue * left + f64::from(*b) * change;
                left += change;
            }
            left
        };
        let least = 2.0 / f64::from(n).powi(2);
        for i in 0..=1000 {
            let eigenvalue = f64::from(i) / 1000.0;
            let most = if eigenvalue > least { 0.34 } else { 1.0 };
            assert!(left(eigenvalue).abs() <= most, "{n}: {} of {eigenvalue}", left(eigenvalue));
        }
        let built = (1.0 - left(1e-7)) / 1e-7;
        assert!(built > 0.95 * f64::from(n).powi(2), "{n}: {built}");
    }
}

#[test]
fn an_edge_within_its_limit_is_left_alone_and_none_is_pushed() {
    let way = span(Vec3::of([0.0, 0.3, 0.4_f64]));
    assert_eq!((way.length, way.along), (0.5, Vec3::of([0.0, 0.6, 0.8])));
    let apart = |speed: f64| overspeed(way, way.along * speed, 0.55, 1000.0);
    assert!(apart(49.9) < 0.0 && apart(50.1) > 0.0);
    assert_eq!(impulse_change(apart(49.0), 2.0, [0.0; 2], [1.5, 0.0]), 0.0);
    let change = impulse_change(apart(51.0), 2.0, [0.0; 2], [1.5, 0.0]);
    assert!((change - 3.0).abs() < 1e-9, "{change}");
    // What was too much is taken back, and no more.
    assert_eq!(impulse_change(apart(-500.0), 2.0, [0.7, 0.1], [1.5, 0.5]), -0.7);
    let nowhere = span(Vec3::<f64>::zero());
    assert_eq!((nowhere.length, nowhere.along), (0.0, Vec3::zero()));
}

#[test]
fn limits_are_about_threads_and_not_about_diagonals() {
    let model = compile(&sheet(10, "velocity", CORNERS)).unwrap();
    assert_eq!(model.limits.edges.len(), 2 * 10 * 11);
    assert!(model.limits.edges.iter().all(|edge| (edge.limit - 0.055).abs() < 1e-6));
    assert!(model.limits.edges.is_sorted_by_key(|edge| edge.ends));
    for edge in &model.limits.edges {
        let count = |v: u32| model.limits.edges.iter().filter(|e| e.ends.contains(&v)).count();
        let sum: f32 =
            edge.ends.iter().map(|&v| model.inv_mass[v as usize] * count(v) as f32).sum();
        assert!((edge.gain * sum - 1.0).abs() < 1e-5, "{edge:?}");
    }
    // A mesh of springs has all its edges limited.
    let mut scene = sheet(10, "velocity", "");
    scene.bodies[0].material.stiffness = crate::scene::Stiffness::Spring(1.0);
    let model = compile(&scene).unwrap();
    assert_eq!(model.limits.edges.len(), model.springs.len());
    let other = StrainLimit { iterations: 9, ..StrainLimit::default() };
    scene.bodies[0].strain_limit = Some(other);
    assert_ne!(compile(&scene).unwrap().fingerprint(), model.fingerprint());
}

#[test]
fn the_driver_does_what_the_formula_says() {
    for by in FORMS {
        let scene = sheet(12, by, CORNERS);
        let model = compile(&scene).unwrap();
        let [without, with] = stepped(&scene);
        let [x, v] = limited(&model, &without, scene.world.timestep);
        let mut most = [0.0_f64; 2];
        let mut changed = 0;
        for m in 0..x.len() {
            let user = model.vertex_order[m] as usize;
            let [p, u] = [with.position[user], with.velocity[user]]
                .map(|a| Vec3::<f64>::of(a.map(f64::from)));
            most = [most[0].max((p - x[m]).length()), most[1].max((u - v[m]).length())];
            changed += usize::from(with.velocity[user] != without.velocity[user]);
        }
        let fastest = with.velocity.iter().flatten().fold(0.0_f32, |most, v| most.max(v.abs()));
        println!("{by}: {most:?}, of {fastest} m/s");
        assert!(most[0] < 1e-7 && most[1] < 1e-3, "{by}: {most:?}");
        assert!(changed > 100, "{by}: {changed}");
        let is_moved = with.position != without.position;
        assert_eq!(is_moved, by == "position");
    }
}

#[test]
fn momentum_is_kept_and_locked_vertices_stay() {
    for by in FORMS {
        let free = sheet(12, by, "");
        let model = compile(&free).unwrap();
        let mass = by_user(&model, &model.mass);
        let momenta = stepped(&free).map(|state| {
            let mut sums = crate::stages::measure::Sums::default();
            for m in 0..state.position.len() {
                let [x, v] =
                    [state.position[m], state.velocity[m]].map(|a| Vec3::of(a.map(f64::from)));
                sums.add_vertex(f64::from(mass[m]), x, v, false);
            }
            sums
        });
        let [a, b] = &momenta;
        let scale = (2.0 * a.kinetic * a.mass).sqrt();
        assert!(b.kinetic < 0.9 * a.kinetic, "{by}: {} of {} J", b.kinetic, a.kinetic);
        assert!((a.momentum - b.momentum).length() < 1e-6 * scale, "{by}: {a:?} {b:?}");
        // What is moved at once has another arm for what it had of momentum before.
        let slack = if by == "velocity" { 1e-6 } else { 1e-3 };
        assert!((a.angular - b.angular).length() < slack * scale, "{by}: {a:?} {b:?}");

        let hung = sheet(12, by, CORNERS);
        let model = compile(&hung).unwrap();
        let [_, with] = stepped(&hung);
        let (inv_mass, rest) = (by_user(&model, &model.inv_mass), by_user(&model, &model.rest));
        let locked = (0..model.vertex_count()).filter(|&v| inv_mass[v] == 0.0);
        let held: Vec<usize> = locked.collect();
        assert_eq!(held.len(), 2);
        for v in held {
            assert_eq!((with.position[v], with.velocity[v]), (rest[v], [0.0; 3]));
        }
    }
}

#[test]
fn what_stays_within_its_limit_keeps_every_bit() {
    for by in FORMS {
        let mut limited = sheet(16, by, CORNERS);
        limited.bodies[0].strain_limit.as_mut().unwrap().stretch = 8.0;
        let mut free = limited.clone();
        free.bodies[0].strain_limit = None;
        let hashes = [limited, free].map(|scene| {
            let mut sim = simulator(&scene, 2);
            sim.advance(300).unwrap();
            sim.state().hash()
        });
        assert_eq!(hashes[0], hashes[1], "{by}");
    }
}

#[test]
fn neither_threads_nor_cuts_nor_resumes_change_a_bit() {
    for (by, integrator) in [
        ("velocity", Integrator::Verlet),
        ("position", Integrator::Verlet),
        ("position", Integrator::VelocityVerlet),
    ] {
        let mut scene = sheet(80, by, CORNERS);
        scene.world.integrator = integrator;
        scene.world.timestep = 2e-4;
        let mut whole = simulator(&scene, 1);
        assert!(whole.model().blocks.len() > 1);
        whole.advance(150).unwrap();
        for threads in [2, 3, 7] {
            let mut sim = simulator(&scene, threads);
            sim.advance(50).unwrap();
            let state = sim.state();
            let mut sim = simulator(&scene, threads);
            sim.set_state(&state);
            sim.advance(100).unwrap();
            assert_eq!(sim.state().hash(), whole.state().hash(), "{by}, {integrator}, {threads}");
        }
    }
}

#[test]
fn every_integrator_keeps_limits() {
    for integrator in Integrator::EXPLICIT {
        for by in FORMS {
            let mut scene = sheet(12, by, CORNERS);
            scene.world.integrator = integrator;
            scene.world.damping = 0.5;
            let mut sim = simulator(&scene, 1);
            let mut worst = 0.0_f64;
            for _ in 0..20 {
                let report = sim.step(100).unwrap();
                worst = worst.max(report.strain.unwrap().beyond);
            }
            println!("{integrator}, {by}: {worst}");
            assert!(worst < 0.01, "{integrator}, {by}: {worst}");
            scene.bodies[0].strain_limit = None;
            let mut soft = simulator(&scene, 1);
            assert_eq!(soft.step(100).unwrap().strain, None);
        }
    }
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_limits_as_the_cpu_does() {
    let Some(gpu) = pliant_gpu::testing::gpu("strain") else { return };
    for by in FORMS {
        for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk4] {
            let mut scene = sheet(23, by, CORNERS);
            scene.world.integrator = integrator;
            let mut second = scene.bodies[0].clone();
            (second.name, second.translate) = ("second".into(), [2.0, 0.0, 0.0]);
            second.locks.clear();
            let limit = second.strain_limit.as_mut().unwrap();
            (limit.iterations, limit.by) = (3, LimitBy::Position);
            scene.bodies.push(second);
            let mut cpu = simulator(&scene, 1);
            let start = disorder(&cpu);
            let mut device = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
            for (steps, [near, slow]) in [(1, [2e-7, 2e-3]), (60, [2e-5, 0.2])] {
                let states = [&mut cpu, &mut device].map(|sim| {
                    sim.set_state(&start);
                    sim.advance(steps).unwrap();
                    sim.state()
                });
                let most = |of: fn(&State) -> &Vec<[f32; 3]>| {
                    let [a, b] = [of(&states[0]), of(&states[1])];
                    let pairs = a.iter().flatten().zip(b.iter().flatten());
                    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
                };
                let apart = [most(|s| &s.position), most(|s| &s.velocity)];
                println!("{by}, {integrator}, {steps}: {apart:?}");
                assert!(apart[0] < near && apart[1] < slow, "{by}, {integrator}: {apart:?}");
            }
            let [a, b] = [cpu.report().strain.unwrap(), device.report().strain.unwrap()];
            assert!(a.largest > 0.1 && (a.largest - b.largest).abs() < 1e-4, "{a:?} {b:?}");
            assert!((a.beyond - b.beyond).abs() < 1e-4, "{a:?} {b:?}");
        }
    }
}

#[test]
fn what_cannot_be_limited_is_named() {
    let refused = |limit: &str, world: &str| {
        let text = format!(
            "{world}\n[[bodies]]\nname = 'sheet'\n\
             shape = {{ kind = 'cloth', cells = [2, 2], size = [1, 1] }}\nstrain_limit = {limit}"
        );
        match Scene::from_toml(&text, "test") {
            Ok(scene) => {
                let opened = Simulator::new(scene, Backend::Cpu { threads: 1 });
                opened.err().expect("it is refused").to_string()
            }
            Err(error) => error.to_string(),
        }
    };
    for (limit, world, message) in [
        ("{ stretch = -0.1 }", "", "`bodies[0].strain_limit.stretch` must be between 0.001 and 10"),
        ("{ stretch = 15 }", "", "0.1 lets edges get 10 % longer"),
        ("{ iterations = 0 }", "", "`bodies[0].strain_limit.iterations` must be 1 to 100"),
        ("{ by = 'force' }", "", "known here: `velocity`, `position`"),
        ("{ limit = 1 }", "", "unknown key `limit`"),
        ("{}\nimplicit = true", "", "leave out one of `strain_limit` and `implicit`"),
        ("{}", "world.integrator = 'implicit-euler'", "stiff springs are enough"),
    ] {
        let error = refused(limit, world);
        assert!(error.contains(message), "{error}\nlacks {message:?}");
    }
}
