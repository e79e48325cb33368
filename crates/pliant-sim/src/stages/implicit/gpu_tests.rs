//! The device against the plain system in double precision, and against the processor.

use std::mem::offset_of;

use pliant_gpu::validate::{assert_layout, validate};
use pliant_gpu::{Gpu, testing};

use super::SolverReport;
use super::gpu::{Search, With, bending_descriptions, descriptions};
use super::pairs::Pairs;
use super::reference::{System, precondition};
use super::testing::{CLOTHS, MATERIALS, assert_falls, bar, cloth, expected, spinning_ball, stir};
use crate::backend::RestorePoint;
use crate::backend::gpu::GpuBackend;
use crate::backend::gpu::tests::{BARS, Random, farthest, pair};
use crate::math::Vec3;
use crate::model::{Family, Model, compile};
use crate::scene::{Accumulation, Implicit, Integrator, Scene};
use crate::stages::elastic::forces_reference;
use crate::stages::gpu::layout::{Layout, NONE};
use crate::state::State;
use crate::step::{Advance, Places, Start};
use crate::{Backend, Simulator, at_once};

#[test]
fn kernels_are_valid_and_know_the_host_structs() {
    for (has_elements, has_colliders) in
        [(false, false), (true, false), (false, true), (true, true)]
    {
        let with = With { is_damped: has_elements, has_volumes: has_elements, has_colliders };
        let constants = with.constants();
        let all = descriptions(&with, &constants).into_iter();
        for description in all.chain(bending_descriptions(&constants[1..])) {
            let kernel = validate(&description).unwrap();
            if kernel.struct_layout("Search").is_none() {
                continue;
            }
            assert_layout::<Search>(
                &kernel,
                "Search",
                &[
                    ("phase", offset_of!(Search, phase)),
                    ("iterations", offset_of!(Search, iterations)),
                    ("cycle", offset_of!(Search, cycle)),
                    ("is_fresh", offset_of!(Search, is_fresh)),
                    ("rz", offset_of!(Search, rz)),
                    ("beta", offset_of!(Search, beta)),
                    ("reference", offset_of!(Search, reference)),
                    ("goal", offset_of!(Search, goal)),
                    ("last_true", offset_of!(Search, last_true)),
                    ("newton", offset_of!(Search, newton)),
                    ("trial", offset_of!(Search, trial)),
                    ("rounds", offset_of!(Search, rounds)),
                    ("is_balanced", offset_of!(Search, is_balanced)),
                    ("first", offset_of!(Search, first)),
                    ("balance", offset_of!(Search, balance)),
                    ("downhill", offset_of!(Search, downhill)),
                    ("reached", offset_of!(Search, reached)),
                    ("part_of_step", offset_of!(Search, part_of_step)),
                    ("revision", offset_of!(Search, revision)),
                    ("so_far", offset_of!(Search, so_far)),
                    ("tolerance", offset_of!(Search, tolerance)),
                    ("share", offset_of!(Search, share)),
                    ("has_prescribed", offset_of!(Search, has_prescribed)),
                    ("substep", offset_of!(Search, substep)),
                    ("systems", offset_of!(Search, systems)),
                    ("all_iterations", offset_of!(Search, all_iterations)),
                    ("last_iterations", offset_of!(Search, last_iterations)),
                    ("unconverged", offset_of!(Search, unconverged)),
                    ("residual", offset_of!(Search, residual)),
                    ("worst_residual", offset_of!(Search, worst_residual)),
                    ("most_cycles", offset_of!(Search, most_cycles)),
                    ("unbalanced", offset_of!(Search, unbalanced)),
                    ("imbalance", offset_of!(Search, imbalance)),
                    ("most_rounds", offset_of!(Search, most_rounds)),
                    ("limited", offset_of!(Search, limited)),
                ],
            );
        }
    }
}

#[test]
fn pairs_have_every_spring_and_every_edge_once() {
    let model = compile(&bar(MATERIALS[1], [5, 3, 2])).unwrap();
    let layout = Layout::new(&model);
    let Pairs { pairs, around, lists, .. } = Pairs::new(&layout, Family::Implicit);
    assert_eq!(around.len(), 6 * model.tets.len());
    let count = pairs.len() - 1;
    let springs = pairs[..count].iter().filter(|p| p[2] != NONE).count();
    assert_eq!((springs, count), (model.springs.len(), model.springs.len()));
    for n in 0..count {
        let [i, j, spring, first] = pairs[n];
        let [a, b, ..] = layout.springs[spring as usize];
        assert_eq!([i, j], [a.min(b), a.max(b)]);
        for &entry in &around[first as usize..pairs[n + 1][3] as usize] {
            let tet = layout.tets[entry as usize / 8];
            let [c, d, ..] = crate::stages::elastic::formula::EDGE_CORNERS[entry as usize % 8];
            assert_eq!([i, j], [tet[c].min(tet[d]), tet[c].max(tet[d])]);
        }
    }
    // Starts of the slices, then twice as many words: pairs and the other ends.
    let starts = layout.slot_count() / 32 + 1;
    let entries = (lists.len() - starts) / 2;
    assert_eq!((lists[starts - 1] - lists[0]) as usize, entries);
    let filled = |words: &[u32]| words.iter().filter(|&&w| w != NONE).count();
    assert_eq!(filled(&lists[starts..starts + entries]), 2 * count);
    for (&entry, &other) in lists[starts..].iter().zip(&lists[starts + entries..]) {
        assert!(entry == NONE || pairs[entry as usize / 2][1 - entry as usize % 2] == other);
    }
}

/// A model on the device after one step from a stirred state, and that state in model order.
struct AfterStep {
    device: GpuBackend,
    model: Model,
    scene: Scene,
    before: State,
}

fn after_step(gpu: &Gpu, scene: Scene) -> AfterStep {
    let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap();
    stir(&mut sim);
    let model = compile(&scene).unwrap();
    let before = sim.state().reordered(&model.vertex_order, &model.tet_order);
    let mut device = GpuBackend::new(gpu, &model, &scene.world).unwrap();
    let restore_point =
        RestorePoint { state: before.clone(), world: scene.world.clone(), substeps: 1 };
    device.upload(&model, &restore_point).unwrap();
    let job = Advance {
        world: &scene.world,
        start: Start { step: 0, time: 0.0, substep: 0, of: 1 },
        count: 1,
        done: 0,
        h: scene.world.timestep,
        h_last: 0.0,
        touches: &[],
        displaced: &[],
        origins: &before.origins,
        is_timed: false,
        is_strict: false,
        places: Places::ALL,
    };
    at_once(device.advance(&model, &job)).unwrap();
    AfterStep { device, model, scene, before }
}

fn wide(v: &[[f32; 3]]) -> Vec<Vec3<f64>> {
    v.iter().map(|c| Vec3::of(c.map(f64::from))).collect()
}

#[test]
fn blocks_preconditioner_and_right_hand_side_are_those_of_the_plain_system() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    let bars = MATERIALS.map(|material| (material, bar(material, [6, 2, 2])));
    let cloths = CLOTHS.map(|form| (form, cloth(form, [7, 5])));
    for (material, scene) in bars.into_iter().chain(cloths) {
        let AfterStep { device, model, scene, before } = after_step(&gpu, scene);
        let (world, h) = (&scene.world, scene.world.timestep);
        let (x, v) = (wide(&before.position), wide(&before.velocity));
        let is_free: Vec<bool> = model.inv_mass.iter().map(|&m| m > 0.0).collect();
        let mass: Vec<f64> = model.mass.iter().map(|&m| f64::from(m)).collect();
        let full = mass.iter().map(|m| m * (1.0 + h * world.damping)).collect();
        let elements = model.elements();
        let system = System::new(&elements, &x, full, is_free, h);
        let solver = device.solver().unwrap();
        check_blocks(material, &system, device.layout(), &solver.blocks());
        let slot = |v: usize| device.layout().slot_of[v] as usize;
        // The preconditioner.
        let (own, below) = (solver.vector(7), solver.vector(8));
        let mut random = Random(3);
        for (vertex, inverse) in system.preconditioner().iter().enumerate() {
            if !system.is_free[vertex] {
                assert_eq!(own[slot(vertex)], [0.0; 4]);
                continue;
            }
            let r = Vec3::of(random.vector(1.0).map(f64::from));
            let (found, exact) = (
                factors_times(own[slot(vertex)], below[slot(vertex)], r),
                precondition(inverse, r),
            );
            let error = (found - exact).length() / exact.length();
            assert!(error < 1e-4, "{material}, vertex {vertex}: {error:e}");
        }
        // The right-hand side.
        let massless = System { mass: vec![0.0; mass.len()], ..system.clone() };
        let mut force = vec![Vec3::zero(); x.len()];
        let without_damping = crate::stages::elastic::Elements { damping: None, ..elements };
        forces_reference(&without_damping, &x, &v, &mut force);
        let (gravity, pull) = (Vec3::from(world.gravity), massless.product(&v));
        let right = solver.vector(1);
        let exact =
            |n: usize| (force[n] + (gravity - v[n] * world.damping) * mass[n]) * h - pull[n];
        let free = (0..x.len()).filter(|&n| system.is_free[n]);
        let size = free.clone().map(|n| exact(n).length()).fold(0.0, f64::max);
        for n in free {
            let [a, b, c, _] = right[slot(n)].map(f64::from);
            let error = (Vec3::from([a, b, c]) - exact(n)).length() / size;
            assert!(error < 3e-6, "{material}, b[{n}]: {error:e}");
        }
    }
}

fn check_blocks(name: &str, system: &System<f64>, layout: &Layout, blocks: &[[f32; 4]]) {
    let found = Pairs::new(layout, Family::Implicit);
    let rows = blocks.len() / found.count();
    let size =
        system.pairs.iter().flat_map(|p| p.1).flatten().fold(0.0, |s: f64, c| s.max(c.abs()));
    let of_pair: std::collections::HashMap<_, _> =
        system.pairs.iter().map(|p| (p.0, p.1)).collect();
    for (n, &[i, j, ..]) in found.pairs[..found.count()].iter().enumerate() {
        let [i, j] = [i, j].map(|slot| layout.vertex_of[slot as usize]);
        let exact = of_pair[&[i.min(j), i.max(j)]];
        for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
            let block = match rows {
                1 => {
                    let e = blocks[n].map(f64::from);
                    e[r] * e[c] + if r == c { e[3] } else { 0.0 }
                }
                _ => f64::from(blocks[3 * n + r][c]),
            };
            let exact = if i < j { exact[r][c] } else { exact[c][r] };
            let error = (block - exact).abs() / size;
            assert!(error < 3e-6, "{name}, pair {n} ({r}, {c}): {block} and {exact}");
        }
    }
}

/// What `precondition` in formula.wgsl does, in double precision.
fn factors_times(own: [f32; 4], below: [f32; 4], r: Vec3<f64>) -> Vec3<f64> {
    let (d, l) = (own.map(f64::from), below.map(f64::from));
    let y = r.y - l[0] * r.x;
    let z = (r.z - l[1] * r.x - l[2] * y) * d[2];
    let y = y * d[1] - l[2] * z;
    Vec3::from([r.x * d[0] - l[0] * y - l[1] * z, y, z])
}

#[test]
fn a_step_is_that_of_the_plain_system() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    for (material, cells) in MATERIALS.iter().flat_map(|m| [(m, [6, 2, 2]), (m, [24, 8, 8])]) {
        let scene = bar(material, cells);
        let mut sims = [Backend::Cpu { threads: 2 }, Backend::Device(gpu.clone())]
            .map(|backend| Simulator::new(scene.clone(), backend).unwrap());
        sims.iter_mut().for_each(stir);
        let wanted = expected(&sims[0]);
        let size = wanted.iter().map(|d| d.length()).fold(0.0, f64::max);
        let [on_cpu, on_gpu] = sims.each_mut().map(|sim| {
            let order = sim.model().vertex_order.clone();
            let velocity = |sim: &Simulator| -> Vec<Vec3<f64>> { wide(&sim.state().velocity) };
            let before = velocity(sim);
            let solver = sim.step(1).unwrap().solver.unwrap();
            assert!(solver.residual <= 1e-6 && solver.unconverged == 0, "{solver:?}");
            assert_eq!(solver.systems, 1);
            let after = velocity(sim);
            println!("{material} {cells:?}: {solver:?}");
            order.iter().map(|&o| after[o as usize] - before[o as usize]).collect::<Vec<_>>()
        });
        let worst = |a: &[Vec3<f64>], b: &[Vec3<f64>]| {
            a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max) / size
        };
        let (exact, twin) = (worst(&on_gpu, &wanted), worst(&on_gpu, &on_cpu));
        println!("worst {exact:e} from the plain system, {twin:e} from the processor");
        assert!(exact < 2e-5 && twin < 2e-5, "{material}: {exact:e}, {twin:e} of {size} m/s");
    }
}

fn implicit(scene: &mut Scene, tolerance: f64) {
    scene.world.integrator = Integrator::ImplicitEuler;
    scene.world.implicit = Implicit { tolerance, ..Implicit::default() };
}

#[test]
fn a_hundred_steps_against_walls_go_where_the_cpu_goes() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    for accumulation in Accumulation::STRATEGIES {
        let [mut cpu, mut device] = pair(&gpu, BARS, |scene| {
            implicit(scene, 1e-6);
            scene.world.timestep = 0.002;
            scene.world.accumulation = accumulation;
        });
        cpu.advance(100).unwrap();
        device.advance(100).unwrap();
        let apart = farthest(&cpu, &device);
        let [on_cpu, on_gpu] = [&mut cpu, &mut device].map(|s| s.report().solver.unwrap());
        println!("{accumulation}: {apart:e}\n{on_cpu:?}\n{on_gpu:?}");
        assert!(apart < 2e-6, "{accumulation}: {apart} m apart");
        assert_eq!((on_gpu.systems, on_gpu.unconverged), (100, 0));
        assert!(device.gpu().is_some(), "{:?}", device.take_messages());
    }
}

#[test]
fn however_many_cycles_are_recorded_the_bits_are_the_same() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    let run = |cycles: Option<u32>| -> (u64, SolverReport) {
        let mut scene = bar(MATERIALS[2], [12, 4, 4]);
        scene.world.implicit.tolerance = 1e-5;
        let mut sim = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        stir(&mut sim);
        for _ in 0..4 {
            if let (Some(cycles), Some(device)) = (cycles, sim.gpu_mut()) {
                device.solver_mut().unwrap().expect_cycles(cycles);
            }
            sim.advance(10).unwrap();
        }
        (sim.hash(), sim.report().solver.unwrap())
    };
    let usual = run(None);
    assert_eq!(usual.1.systems, 40);
    assert_eq!(run(None), usual);
    // Far too few, and far too many.
    assert_eq!(run(Some(1)), usual);
    assert_eq!(run(Some(300)), usual);
}

#[test]
fn a_cap_that_is_reached_is_said() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    let mut scene = bar(MATERIALS[1], [6, 2, 2]);
    scene.world.implicit = Implicit { max_iterations: 2, ..Implicit::default() };
    let mut sim = Simulator::new(scene, Backend::Device(gpu)).unwrap();
    stir(&mut sim);
    let solver = sim.step(3).unwrap().solver.unwrap();
    assert_eq!((solver.systems, solver.unconverged, solver.last_iterations), (3, 3, 2));
    assert!(solver.residual > 1e-4 && solver.worst_residual >= solver.residual, "{solver:?}");
    let messages = sim.take_messages();
    assert!(messages.iter().any(|m| m.contains("3 of 3 linear systems")), "{messages:?}");
    assert!(sim.gpu().is_some());
}

#[test]
fn free_fall_is_exact_and_hardly_needs_to_search() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    let mut scene = bar(MATERIALS[1], [4, 2, 2]);
    scene.bodies[0].locks.clear();
    scene.world.damping = 0.0;
    scene.world.implicit = Implicit::default();
    let h = scene.world.timestep;
    let mut sim = Simulator::new(scene, Backend::Device(gpu)).unwrap();
    let start = sim.positions();
    let solver = sim.step(50).unwrap().solver.unwrap();
    let t = 50.0 * h;
    for (x, before) in sim.positions().iter().zip(&start) {
        let fallen = before[2] - x[2];
        let exact = 0.5 * 9.81 * t * (t + h);
        assert!((fallen - exact).abs() < 1e-5 * exact, "{fallen} m instead of {exact} m");
    }
    // Rounding of positions is all there is to solve for.
    assert!(solver.systems == 50 && solver.iterations <= 50, "{solver:?}");
}

#[test]
fn dragged_and_yielding_bodies_go_where_the_cpu_goes() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    let [mut cpu, mut device] = pair(&gpu, BARS, |scene| {
        implicit(scene, 1e-6);
        scene.world.timestep = 0.002;
        scene.world.substeps = 2;
        scene.world.plasticity = 0.05;
    });
    for sim in [&mut cpu, &mut device] {
        let grabbed = sim.grab([-0.6, 0.0, 0.5], 0.3, 1.0, 50.0);
        assert!(grabbed > 3, "{grabbed}");
        if let crate::stages::touch::Touch::Drag(drag) = &mut sim.touches_mut()[0] {
            drag.cursor = [-0.4, 0.3, 1.5];
        }
        sim.advance(1).unwrap();
        let lengths = |sim: &Simulator| -> Vec<[f32; 6]> {
            sim.state().rest_shapes.unwrap().iter().map(|rest| rest.lengths).collect()
        };
        let before = lengths(sim);
        sim.advance(59).unwrap();
        let yielded = lengths(sim).iter().zip(&before).filter(|(a, b)| a != b).count();
        assert!(yielded > 10, "{yielded} tetrahedra yielded");
    }
    let apart = farthest(&cpu, &device);
    println!("dragged: {apart:e}");
    assert!(apart < 4e-6, "{apart} m apart");
    assert!(device.gpu().is_some(), "{:?}", device.take_messages());
}

#[test]
fn newtons_iterations_balance_forces_as_on_the_processor() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    for (material, cycles) in [(MATERIALS[1], None), (MATERIALS[2], None), (MATERIALS[2], Some(1))]
    {
        let mut scene = bar(material, [12, 4, 4]);
        scene.world.implicit.newton_iterations = 20;
        scene.world.implicit.newton_tolerance = 1e-4;
        let mut sims = [Backend::Cpu { threads: 1 }, Backend::Device(gpu.clone())]
            .map(|backend| Simulator::new(scene.clone(), backend).unwrap());
        let solver = sims.each_mut().map(|sim| {
            stir(sim);
            for _ in 0..4 {
                if let (Some(cycles), Some(device)) = (cycles, sim.gpu_mut()) {
                    device.solver_mut().unwrap().expect_cycles(cycles);
                }
                sim.advance(5).unwrap();
            }
            sim.report().solver.unwrap()
        });
        let apart = farthest(&sims[0], &sims[1]);
        println!("{material}: {apart:e}\n{:?}\n{:?}", solver[0], solver[1]);
        assert!(sims[1].gpu().is_some(), "{:?}", sims[1].take_messages());
        assert!(solver[1].systems > 20, "more than one for each step");
        assert!(solver[1].unbalanced <= solver[0].unbalanced);
        assert!(solver[1].systems.abs_diff(solver[0].systems) <= 6);
        assert!(apart < 1e-5, "{material}: {apart} m apart");
    }
}

#[test]
fn newtons_iterations_meet_walls_hands_and_yielding_as_on_the_processor() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    for accumulation in Accumulation::STRATEGIES {
        let [mut cpu, mut device] = pair(&gpu, BARS, |scene| {
            implicit(scene, 1e-6);
            scene.world.accumulation = accumulation;
            scene.world.implicit.newton_iterations = 20;
            scene.world.implicit.newton_tolerance = 1e-4;
            scene.world.timestep = 0.002;
            scene.world.plasticity = 0.05;
        });
        for sim in [&mut cpu, &mut device] {
            assert!(sim.grab([-0.6, 0.0, 0.5], 0.3, 1.0, 50.0) > 3);
            sim.advance(60).unwrap();
        }
        let apart = farthest(&cpu, &device);
        let [on_cpu, on_gpu] = [&mut cpu, &mut device].map(|s| s.report().solver.unwrap());
        println!("{accumulation}: {apart:e}\n{on_cpu:?}\n{on_gpu:?}");
        assert!(device.gpu().is_some(), "{:?}", device.take_messages());
        assert!(on_gpu.unbalanced <= on_cpu.unbalanced + 2 && on_gpu.systems > 60, "{on_gpu:?}");
        assert!(apart < 2e-5, "{accumulation}: {apart} m apart");
    }
}

/// A cloth and a bar with springs of the given stiffness \[N/m\], held at an edge, at steps of 10 ms.
fn stiff(stiffness: f64) -> [Scene; 2] {
    let scene = |shape: &str, volume: &str| {
        let text = format!(
            "[world]\n\
             timestep = 0.01\n\
             integrator = 'implicit-euler'\n\
             box = false\n\
             [[bodies]]\n\
             shape = {shape}\n\
             locks = [{{ half_space = {{ point = [0.01, 0, 0], normal = [-1, 0, 0] }} }}]\n\
             material = {{ mass = {{ vertex = 0.01 }}, stiffness = {{ spring = {stiffness:e} }}, \
                          volume = {volume} }}\n"
        );
        Scene::from_toml(&text, "stiff").unwrap()
    };
    [
        scene("{ kind = 'cloth', cells = [16, 16], size = [1, 1] }", "'none'"),
        scene("{ kind = 'bar', cells = [12, 4, 4], size = [1, 0.3, 0.3] }", "{ modulus = 1e5 }"),
    ]
}

#[test]
fn stiff_bodies_at_large_steps_are_solved_as_on_the_processor() {
    let Some(gpu) = testing::gpu("implicit") else { return };
    for stiffness in [3e3, 3e5, 3e7] {
        // How far apart positions may be: a cloth so stiff flutters, and the least difference grows.
        for (scene, most) in stiff(stiffness).into_iter().zip([2e-2, 1e-5]) {
            let [on_cpu, on_gpu] =
                [Backend::Cpu { threads: 1 }, Backend::Device(gpu.clone())].map(|backend| {
                    let mut sim = Simulator::new(scene.clone(), backend).unwrap();
                    (sim.step(12).unwrap().solver.unwrap(), sim)
                });
            println!("{stiffness:e}: {:?}\n{:?}", on_cpu.0, on_gpu.0);
            let apart = farthest(&on_cpu.1, &on_gpu.1);
            println!("{apart:e} m apart");
            let [cpu, device] = [&on_cpu, &on_gpu].map(|(solver, ..)| solver);
            // At 3e7 N/m a few systems end where single precision has no more digits.
            assert!(device.unconverged <= 10 && device.worst_residual < 1e-3, "{device:?}");
            let most_iterations = cpu.iterations + cpu.iterations / 5 + 60;
            assert!(device.iterations <= most_iterations, "{device:?} and {cpu:?}");
            let flutters = stiffness > 1e7 && most > 1e-4;
            assert!(flutters || apart < most, "{stiffness:e}: {apart:e} m apart");
        }
    }
}

/// Gravity is lost in the right-hand side of a steel ball that spins.
#[test]
fn what_the_search_misses_of_momentum_is_made_up_on_the_device() {
    let Some(gpu) = testing::gpu("momentum") else { return };
    let mut sim = Simulator::new(spinning_ball(2e11, ""), Backend::Device(gpu)).unwrap();
    assert_falls(&mut sim, 1e-3);
}
