//! Drivers compared with the formula, and what changes no bit.

use super::body_tests::{MODES, block, simulator, volume};
use super::cpu::{columns, numbers};
use super::formula::{Columns, Sums, beside, rigid_motion_of};
use super::matching::{Shape, pull};
use super::rotation_tests::Numbers;
use crate::checkpoint;
use crate::math::Vec3;
use crate::model::Model;
use crate::scene::{Integrator, Scene};
use crate::state::State;
use crate::{Backend, Simulator};

/// A block in disorder, which turns.
fn disorder(sim: &Simulator) -> State {
    let mut state = sim.state();
    let mut numbers = Numbers(23);
    for (x, v) in state.position.iter_mut().zip(&mut state.velocity) {
        let [dx, dv] = [numbers.vector(), numbers.vector()].map(Vec3::to_f64);
        *v = [x[1] * -4.0, x[0] * 4.0, 0.0];
        for k in 0..3 {
            x[k] += 0.02 * dx[k] as f32;
            v[k] += 0.5 * dv[k] as f32;
        }
    }
    state
}

/// Velocities, rotations, and what was taken over.
type Matched = (Vec<Vec3<f64>>, Vec<[f64; 4]>, Vec<Columns<f64>>);

/// What clusters make of velocities, rotations and what was taken over, in double precision and in the order of the
/// model.
fn matched(model: &Model, scene: &Scene, state: &State) -> Matched {
    let wide = |list: &[[f32; 3]]| -> Vec<Vec3<f64>> {
        model.vertex_order.iter().map(|&v| Vec3::of(list[v as usize].map(f64::from))).collect()
    };
    let (x, v) = (wide(&state.position), wide(&state.velocity));
    let (shapes, mut after) = (&model.shapes, v.clone());
    let mut turns: Vec<[f64; 4]> =
        shapes.start().turns.iter().map(|turn| turn.map(f64::from)).collect();
    let identity = columns(&super::UNTOUCHED).map(|c| Vec3::of([c.x, c.y, c.z].map(f64::from)));
    let mut taken = vec![identity; shapes.clusters.len()];
    let drives = shapes.drives(&scene.world, scene.world.timestep);
    for whole in &shapes.wholes.all {
        let own = &shapes.wholes.vertices[whole.first as usize..][..whole.count as usize];
        let first = own[0].0 as usize;
        let seen = |u: usize| (x[u] - x[first], v[u] - v[first]);
        let mut sums = Sums::default();
        for &(u, mass) in own {
            let (x, v) = seen(u as usize);
            sums.add_vertex(f64::from(mass), x, v);
        }
        let motion = rigid_motion_of(sums, f64::from(whole.inv_mass));
        for &(u, _) in own.iter().filter(|(u, _)| model.inv_mass[*u as usize] > 0.0) {
            let (x, v) = seen(u as usize);
            after[u as usize] -= beside(motion, x, v) * drives[whole.kind as usize].loss;
        }
    }
    for (n, cluster) in shapes.clusters.iter().enumerate() {
        let drive = &drives[cluster.kind as usize];
        let members = shapes.members_of(cluster);
        let matrices = &shapes.matrices[cluster.matrix as usize..];
        let shape = Shape { cluster, members, matrices, mode: drive.mode };
        let place = |m: usize| [&x, &v].map(|list| list[members[m].vertex as usize]);
        let mut kicks = vec![Vec3::zero(); members.len()];
        let plastic = drive.creep.map(|_| &mut taken[n]);
        pull(&shape, (drive.pull, drive.creep), (&mut turns[n], plastic), place, &mut kicks);
        for (member, kick) in members.iter().zip(kicks) {
            let inv_mass = f64::from(model.inv_mass[member.vertex as usize]);
            after[member.vertex as usize] += kick * inv_mass;
        }
    }
    (after, turns, taken)
}

/// Keys of all kinds of matching.
fn kinds() -> Vec<String> {
    let yields = "plasticity = { yield = 0.01, creep = 30 }";
    let all = MODES.iter().flat_map(|mode| {
        ["1", "7", "'elements'"].map(|clusters| format!("mode = '{mode}', clusters = {clusters}"))
    });
    let plastic = MODES.iter().map(|mode| format!("mode = '{mode}', clusters = 3, {yields}"));
    all.chain(plastic).collect()
}

#[test]
fn the_driver_does_what_the_formula_says() {
    for kind in kinds() {
        let scene = block(&format!("{kind}, alpha = 0.6, damping = 5"), "");
        let model = crate::model::compile(&scene).unwrap();
        let mut without = scene.clone();
        without.bodies[0].shape_matching.as_mut().unwrap().alpha = Some(0.0);
        without.bodies[0].shape_matching.as_mut().unwrap().damping = Some(0.0);
        let start = disorder(&simulator(&scene, 1));
        let [placed, with] = [&without, &scene].map(|scene| {
            let mut sim = simulator(scene, 1);
            sim.set_state(&start);
            sim.advance(1).unwrap();
            sim.state()
        });
        assert_eq!(placed.position, with.position, "velocities alone are changed");
        let (velocity, turns, taken) = matched(&model, &scene, &placed);
        let (mut most, mut changed) = (0.0_f64, 0.0_f64);
        for (m, wanted) in velocity.iter().enumerate() {
            let user = model.vertex_order[m] as usize;
            let found = Vec3::<f64>::of(with.velocity[user].map(f64::from));
            let before = Vec3::<f64>::of(placed.velocity[user].map(f64::from));
            most = most.max((found - *wanted).length());
            changed = changed.max((found - before).length());
        }
        let turned = turns.iter().flatten().zip(with.clusters.turns.iter().flatten());
        let turned = turned.map(|(a, &b)| (a - f64::from(b)).abs()).fold(0.0, f64::max);
        println!("{kind}: {most:e} m/s of {changed}, rotations {turned:e}");
        assert!(changed > 0.05 && most < 3e-5 * changed + 1e-6, "{kind}: {most:e} of {changed}");
        assert!(turned < 2e-5, "{kind}: {turned:e}");
        for (wanted, found) in taken.iter().zip(&with.clusters.taken) {
            let found = columns(found);
            for k in 0..3 {
                let found = Vec3::<f64>::of(<[f32; 3]>::from(found[k]).map(f64::from));
                assert!((found - wanted[k]).length() < 2e-5, "{kind}: {found:?} {wanted:?}");
            }
        }
        let is_plastic = with.clusters.taken.iter().any(|taken| *taken != super::UNTOUCHED);
        assert_eq!(is_plastic, kind.contains("plasticity"));
    }
    assert_eq!(numbers(columns(&super::UNTOUCHED)), super::UNTOUCHED);
}

/// A block that is cut into several blocks of work.
fn large(integrator: Integrator) -> Scene {
    let plastic = "plasticity = { yield = 0.02, creep = 10 }";
    let mut scene = block(&format!("clusters = 60, alpha = 0.6, {plastic}"), "");
    let shape = "shape = { kind = 'bar', cells = [24, 16, 16], size = [0.6, 0.4, 0.4] }";
    let text = scene.to_toml().unwrap();
    let body = format!("[[bodies]]\nname = 'block'\n{shape}");
    let other = Scene::from_toml(&body, "test").unwrap_or_else(|e| panic!("{e}\n{text}"));
    scene.bodies[0].source = other.bodies[0].source.clone();
    scene.world.integrator = integrator;
    scene
}

#[test]
fn neither_threads_nor_cuts_nor_resumes_change_a_bit() {
    for integrator in [Integrator::Verlet, Integrator::VelocityVerlet] {
        let scene = large(integrator);
        let mut whole = simulator(&scene, 1);
        assert!(whole.model().blocks.len() > 2, "{}", whole.model().blocks.len());
        let start = disorder(&whole);
        whole.set_state(&start);
        whole.advance(60).unwrap();
        assert!(whole.state().clusters.taken.iter().any(|taken| *taken != super::UNTOUCHED));
        for threads in [2, 3, 7] {
            let mut sim = simulator(&scene, threads);
            sim.set_state(&start);
            sim.advance(25).unwrap();
            let saved = checkpoint::decode(&checkpoint::encode(&sim)).unwrap();
            let mut sim = Simulator::resume(&saved, Backend::Cpu { threads }).unwrap();
            sim.advance(35).unwrap();
            assert_eq!(sim.state().hash(), whole.state().hash(), "{integrator}, {threads}");
        }
        // Rotations are part of what is compared.
        let mut other = whole.state();
        other.clusters.turns[0][1] += 1e-6;
        assert_ne!(other.hash(), whole.state().hash());
        other.clusters.turns.pop();
        let error = other.check(whole.model()).unwrap_err();
        assert!(error.contains("rotations of clusters"), "{error}");
    }
}

#[test]
fn every_integrator_draws_shapes_back() {
    for integrator in Integrator::EXPLICIT {
        let mut scene = block("clusters = 4, alpha = 0.6, damping = 10", "");
        scene.world.integrator = integrator;
        let mut sim = simulator(&scene, 1);
        let start = disorder(&sim);
        sim.set_state(&start);
        sim.advance(2000).unwrap();
        let left = volume(&sim) / 0.096;
        println!("{integrator}: {left}");
        assert!((left - 1.0).abs() < 0.01, "{integrator}: {left}");
    }
}

#[test]
fn dents_stay_and_keep_the_volume() {
    for mode in MODES {
        let plastic = "plasticity = { yield = 0.05, creep = 40, max = 0.6 }";
        let matching =
            format!("mode = '{mode}', clusters = 8, alpha = 0.7, beta = 0.2, damping = 10");
        let mut left = [0.0; 2];
        for (k, more) in ["", plastic].into_iter().enumerate() {
            let comma = if more.is_empty() { "" } else { "," };
            let mut sim = simulator(&block(&format!("{matching}{comma} {more}"), ""), 1);
            let rest = sim.state();
            // Pressed in from above for a tenth of a second, then left alone.
            let dented = |x: [f32; 3]| {
                let deep = 0.25 * (1.0 - (x[0] / 0.2).powi(2)).max(0.0);
                [x[0], x[1] * (1.0 + 0.5 * deep), x[2] - deep * (x[2] + 0.2)]
            };
            for _ in 0..10 {
                let mut state = sim.state();
                for (x, at_rest) in state.position.iter_mut().zip(&rest.position) {
                    *x = dented(*at_rest);
                }
                state.velocity.fill([0.0; 3]);
                sim.set_state(&state);
                sim.advance(10).unwrap();
            }
            let depth = |x: &[[f32; 3]]| {
                let top = |wanted: bool| {
                    let is_mid = |at: &[f32; 3]| (at[0].abs() < 0.11) == wanted && at[2] > 0.19;
                    let own = rest.position.iter().zip(x).filter(|(at, _)| is_mid(at));
                    let heights: Vec<f64> = own.map(|(_, x)| f64::from(x[2])).collect();
                    heights.iter().sum::<f64>() / heights.len() as f64
                };
                top(false) - top(true)
            };
            sim.advance(4000).unwrap();
            left[k] = depth(&sim.state().position);
            let kept = volume(&sim) / 0.096;
            println!("{mode}, {more}: {:.4} m deep, volume {kept}", left[k]);
            assert!((kept - 1.0).abs() < 0.01, "{mode}: {kept}");
        }
        assert!(left[0].abs() < 1e-4 && left[1] > 0.003, "{mode}: {left:?}");
    }
}

#[test]
fn locked_vertices_hold_a_body() {
    let lock = "locks = [{ box = { min = [-0.01, -1, -1], max = [0.01, 1, 1] } }]";
    for clusters in ["1", "8"] {
        let matching = format!(
            "mode = 'linear', alpha = 0.9, beta = 0.1, clusters = {clusters}, damping = 20"
        );
        let mut scene = block(&matching, lock);
        scene.world.gravity = [0.0, 0.0, -9.81];
        let mut sim = simulator(&scene, 1);
        let start = sim.state();
        sim.advance(3000).unwrap();
        let state = sim.state();
        let sunk: Vec<f32> =
            start.position.iter().zip(&state.position).map(|(a, b)| a[2] - b[2]).collect();
        let deepest = sunk.iter().copied().fold(0.0, f32::max);
        println!("{clusters}: {deepest} m");
        assert!(deepest < 0.1 && deepest > 1e-5, "{clusters}: {deepest}");
        let held = start.position.iter().filter(|x| x[0] < -0.29).count();
        assert_eq!(sunk.iter().filter(|sunk| **sunk == 0.0).count(), held);
    }
}

#[test]
fn all_keys_read_back_as_they_were_written() {
    let plasticity = "plasticity = { yield = 0.2, creep = 3.0, max = 0.5 }";
    for clusters in ["12", "'auto'", "'elements'", "['left', 'right']"] {
        let scene = block(
            &format!(
                "mode = 'quadratic', alpha = 0.25, beta = 0.75, damping = 2.5, clusters = {clusters}, seed = 9, \
                 springs = true, {plasticity}"
            ),
            "",
        );
        let again = Scene::from_toml(&scene.to_toml().unwrap(), "again").unwrap();
        assert_eq!(again, scene);
        let matching = again.bodies[0].shape_matching.as_ref().unwrap();
        assert_eq!((matching.seed, matching.springs), (9, true));
        assert_eq!(matching.plasticity.unwrap().threshold, 0.2);
    }
}

#[test]
fn what_cannot_be_matched_is_named() {
    let refused = |matching: &str, more: &str| {
        let text = format!(
            "{more}\n[[bodies]]\nname = 'block'\nshape = {{ kind = 'bar', cells = [2, 2, 2], size = [1, 1, 1] }}\n\
             shape_matching = {matching}"
        );
        match Scene::from_toml(&text, "test") {
            Ok(scene) => match Simulator::new(scene, Backend::Cpu { threads: 1 }) {
                Ok(mut sim) => sim.take_messages().join("\n"),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        }
    };
    for (matching, more, message) in [
        ("{ alpha = 1.5 }", "", "`bodies[0].shape_matching.alpha` must be between 0 and 1"),
        ("{ beta = -1 }", "", "`bodies[0].shape_matching.beta` must be between 0 and 1"),
        ("{ damping = -1 }", "", "`bodies[0].shape_matching.damping`"),
        ("{ clusters = 0 }", "", "`bodies[0].shape_matching.clusters` must be 1 to 100000"),
        ("{ clusters = 1000 }", "", "there are only 27 vertices"),
        ("{ clusters = 'some' }", "", "`auto`, `elements`"),
        ("{ clusters = ['left'] }", "", "no group \"left\""),
        ("{ clusters = [] }", "", "name at least one group"),
        ("{ mode = 'soft' }", "", "`rigid`, `linear`, `quadratic`"),
        ("{ rigidity = 1 }", "", "unknown key `rigidity`"),
        ("{ plasticity = { yield = -1 } }", "", "`bodies[0].shape_matching.plasticity.yield`"),
        ("{}\nimplicit = true", "", "leave out one of the two"),
        ("{}\nstrain_limit = {}", "", "which is about springs"),
        ("{}", "world.integrator = 'implicit-euler'", "is for explicit ones"),
        ("{}\nmaterial = { stiffness = { young = 1e5 } }", "", "takes the place of springs"),
        (
            "{}",
            "world.shape_matching.alpha = 2",
            "`world.shape_matching.alpha` must be between 0 and 1",
        ),
    ] {
        let error = refused(matching, more);
        assert!(error.contains(message), "{error}\nlacks {message:?}");
    }
}

#[cfg(feature = "gpu")]
#[test]
fn a_device_draws_shapes_back_as_the_cpu_does() {
    let Some(gpu) = pliant_gpu::testing::gpu("shapes") else { return };
    for kind in kinds() {
        for integrator in [Integrator::Verlet, Integrator::VelocityVerlet, Integrator::Rk4] {
            if integrator != Integrator::Verlet && !kind.contains("plasticity") {
                continue;
            }
            let lock = "locks = [{ box = { min = [-0.01, -0.01, -1], max = [0.01, 0.01, 1] } }]";
            let mut scene = block(&format!("{kind}, alpha = 0.6, damping = 5"), lock);
            scene.world.integrator = integrator;
            let mut second = scene.bodies[0].clone();
            (second.name, second.translate) = ("second".into(), [2.0, 0.0, 0.0]);
            second.locks.clear();
            let matching = second.shape_matching.as_mut().unwrap();
            (matching.alpha, matching.mode) = (Some(1.0), crate::scene::ShapeMode::Rigid);
            scene.bodies.push(second);
            let mut cpu = simulator(&scene, 1);
            let mut start = disorder(&cpu);
            // Far beyond limits rounding grows quickly, on both.
            for (x, at_rest) in start.position.iter_mut().zip(&cpu.state().position) {
                (0..3).for_each(|k| x[k] = at_rest[k] + 0.2 * (x[k] - at_rest[k]));
            }
            let mut device = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
            for (steps, [near, slow]) in [(1, [1e-7, 2e-4]), (40, [1e-5, 5e-3])] {
                let states = [&mut cpu, &mut device].map(|sim| {
                    sim.set_state(&start);
                    sim.advance(steps).unwrap();
                    sim.state()
                });
                let most = |of: fn(&State) -> Vec<f32>| {
                    let [a, b] = [of(&states[0]), of(&states[1])];
                    assert_eq!(a.len(), b.len());
                    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
                };
                let apart = [
                    most(|s| s.position.as_flattened().to_vec()),
                    most(|s| s.velocity.as_flattened().to_vec()),
                    most(|s| s.clusters.turns.as_flattened().to_vec()),
                    most(|s| s.clusters.taken.as_flattened().to_vec()),
                ];
                println!("{kind}, {integrator}, {steps}: {apart:?}");
                assert!(apart[0] < near && apart[1] < slow, "{kind}, {integrator}: {apart:?}");
                assert!(apart[2] < 20.0 * near && apart[3] < 20.0 * near, "{kind}: {apart:?}");
            }
            // Going back and on again leads to the same.
            let saved = device.state();
            device.advance(10).unwrap();
            let there = device.state().hash();
            device.set_state(&saved);
            device.advance(10).unwrap();
            assert_eq!(device.state().hash(), there, "{kind}");
        }
    }
}
