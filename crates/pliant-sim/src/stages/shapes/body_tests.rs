//! Bodies that are drawn back to their shapes: what they do as a whole.

use super::rotation_tests::Numbers;
use crate::math::Vec3;
use crate::scene::{Scene, WorldBox};
use crate::stages::measure::Sums;
use crate::state::State;
use crate::{Backend, Simulator};

pub(super) const MODES: [&str; 3] = ["rigid", "linear", "quadratic"];

/// A block of 0.6 m in empty space with these keys of shape matching, and more of the body.
pub(super) fn block(matching: &str, more: &str) -> Scene {
    let text = format!(
        "[world]\ntimestep = 0.001\nbox = false\ngravity = [0, 0, 0]\ndamping = 0\n[[bodies]]\nname = 'block'\n\
         shape = {{ kind = 'bar', cells = [6, 4, 4], size = [0.6, 0.4, 0.4] }}\n\
         shape_matching = {{ {matching} }}\n\
         material = {{ mass = {{ density = 1000 }} }}\n{more}\n"
    );
    Scene::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

pub(super) fn simulator(scene: &Scene, threads: usize) -> Simulator {
    Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap()
}

/// Momenta of a state.
fn sums(sim: &Simulator, state: &State) -> Sums {
    let mut sums = Sums::default();
    for (m, &v) in sim.model().vertex_order.iter().enumerate() {
        let [x, u] = [&state.position, &state.velocity]
            .map(|array| Vec3::of(array[v as usize].map(f64::from)));
        sums.add_vertex(f64::from(sim.model().mass[m]), x, u, false);
    }
    sums
}

/// The largest part by which a distance between two vertices differs from that at rest.
fn distortion(sim: &Simulator, state: &State) -> f64 {
    let rest = simulator(sim.scene(), 1).state().position;
    let distance = |x: &[[f32; 3]], a: usize, b: usize| {
        (0..3).map(|k| f64::from(x[a][k] - x[b][k]).powi(2)).sum::<f64>().sqrt()
    };
    let (mut most, count) = (0.0_f64, rest.len());
    for a in 0..count {
        for b in [(a + 1) % count, (7 * a + 3) % count].into_iter().filter(|&b| b != a) {
            let now = distance(&state.position, a, b);
            most = most.max((now / distance(&rest, a, b) - 1.0).abs());
        }
    }
    most
}

/// The volume of all tetrahedra \[m³\].
pub(super) fn volume(sim: &Simulator) -> f64 {
    let (state, model) = (sim.state(), sim.model());
    let at = |v: u32| {
        let user = model.vertex_order[v as usize] as usize;
        Vec3::<f64>::of(state.position[user].map(f64::from))
    };
    let volume = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(at);
        (b - a).dot((c - a).cross(d - a)) / 6.0
    };
    model.tets.iter().map(volume).sum()
}

#[test]
fn a_rigid_one_flies_and_turns_like_a_rigid_body() {
    for clusters in [1, 4] {
        let matching = format!("mode = 'rigid', alpha = 1, damping = 0, clusters = {clusters}");
        let mut scene = block(&matching, "velocity = [0.3, 0, 1]\nspin = [1, 2, 5]");
        scene.world.gravity = [0.0, 0.0, -9.81];
        let mut sim = simulator(&scene, 1);
        let start = sums(&sim, &sim.state());
        sim.advance(10_000).unwrap();
        let state = sim.state();
        let end = sums(&sim, &state);
        let centre = sim.report().center_of_mass;
        // As the integrator lets anything fall.
        scene.bodies[0].shape_matching = None;
        let mut springs = simulator(&scene, 1);
        springs.advance(10_000).unwrap();
        let fallen = springs.report().center_of_mass;
        for k in 0..3 {
            // Near 100 m/s velocities are multiples of 8 µm/s, to which each step rounds what gravity adds.
            let slack = if k == 2 { 0.04 } else { 1e-4 };
            assert!((centre[k] - fallen[k]).abs() < slack, "{centre:?} and not {fallen:?}");
        }
        // About the centre of mass, which is where velocities are seen from.
        let about = |s: &Sums| {
            let [p, c] = [s.momentum, s.moment * (1.0 / s.mass)];
            s.angular - c.cross(p)
        };
        let (before, after) = (about(&start), about(&end));
        let lost = (after - before).length() / before.length();
        println!(
            "{clusters} clusters: {lost:e} of the angular momentum, {:e} distorted",
            distortion(&sim, &state)
        );
        assert!(lost < 0.01, "{lost}");
        assert!(distortion(&sim, &state) < 2e-3, "{}", distortion(&sim, &state));
    }
}

#[test]
fn momentum_is_kept_whatever_the_state() {
    for mode in MODES {
        let scene = block(&format!("mode = '{mode}', clusters = 5, alpha = 0.7"), "");
        let mut sim = simulator(&scene, 1);
        let mut state = sim.state();
        let mut numbers = Numbers(2);
        for (x, v) in state.position.iter_mut().zip(&mut state.velocity) {
            let [dx, dv] = [numbers.vector(), numbers.vector()].map(Vec3::to_f64);
            (0..3).for_each(|k| x[k] += 0.05 * dx[k] as f32);
            *v = dv.map(|c| 2.0 * c as f32);
        }
        sim.set_state(&state);
        let start = sums(&sim, &state);
        sim.advance(2000).unwrap();
        let end = sums(&sim, &sim.state());
        let scale = (2.0 * start.kinetic * start.mass).sqrt();
        let change = (end.momentum - start.momentum).length() / scale;
        let spin = (end.angular - start.angular).length() / scale;
        println!("{mode}: {change:e} of momentum, {spin:e} m of angular momentum");
        assert!(change < 1e-5 && spin < 1e-4, "{mode}: {change:e} {spin:e}");
        assert!(end.kinetic < 0.5 * start.kinetic, "{mode}: {} of {}", end.kinetic, start.kinetic);
    }
}

#[test]
fn rest_stays_at_rest_bit_by_bit() {
    for mode in MODES {
        for clusters in ["1", "6", "'elements'"] {
            let matching = format!("mode = '{mode}', alpha = 1, clusters = {clusters}");
            let mut sim = simulator(&block(&matching, "translate = [30, -7, 3]"), 1);
            let start = sim.state();
            sim.advance(300).unwrap();
            let end = sim.state();
            assert_eq!(end.position, start.position, "{mode}, {clusters}");
            assert_eq!(end.velocity, start.velocity, "{mode}, {clusters}");
        }
    }
}

#[test]
fn whatever_was_done_to_it_it_comes_back() {
    let mut numbers = Numbers(17);
    let mut noise = |size: f64| numbers.vector().to_f64().map(|c| (size * c) as f32);
    for mode in MODES {
        for clusters in [1, 6] {
            let matching = format!(
                "mode = '{mode}', alpha = 0.8, beta = 0.5, damping = 20, clusters = {clusters}"
            );
            let scene = block(&matching, "");
            let rest = simulator(&scene, 1).state();
            for what in ["flattened", "inverted", "collapsed", "randomised"] {
                // What is in disorder through and through has no orientation that many clusters could agree on.
                if what == "randomised" && clusters > 1 {
                    continue;
                }
                let mut sim = simulator(&scene, 1);
                let mut state = rest.clone();
                for x in &mut state.position {
                    *x = match what {
                        "flattened" => [x[0], x[1], 0.0],
                        "inverted" => [x[0], x[1], -x[2]],
                        "collapsed" => x.map(|c| 1e-3 * c),
                        _ => noise(0.4),
                    };
                }
                sim.set_state(&state);
                sim.advance(6000).unwrap();
                let left = distortion(&sim, &sim.state());
                println!("{mode}, {clusters}, {what}: {left:e}");
                assert!(left < 0.02, "{mode}, {clusters}, {what}: {left}");
            }
        }
    }
}

/// A stretched block swings about its shape with the frequency that α stands for, in any timestep.
#[test]
fn stiffness_does_not_depend_on_the_timestep() {
    let omega = 60.0 * (0.3_f64 / 0.7).sqrt();
    for h in [4e-4, 1e-4] {
        let mut scene = block("mode = 'rigid', alpha = 0.3, damping = 0, clusters = 1", "");
        scene.world.timestep = h;
        // The same for all, so that the axes are those of the block.
        scene.bodies[0].material.mass = crate::scene::Mass::Vertex(0.01);
        let mut sim = simulator(&scene, 1);
        let mut state = sim.state();
        // So little that the pull is as soft as it is at rest.
        state.position.iter_mut().for_each(|x| x[0] *= 1.01);
        sim.set_state(&state);
        let quarter = (0.5 * std::f64::consts::PI / omega / h).round() as u64;
        sim.advance(quarter).unwrap();
        let length = |state: &State| {
            let along = state.position.iter().map(|x| x[0]);
            along.clone().fold(f32::MIN, f32::max) - along.fold(f32::MAX, f32::min)
        };
        let at_quarter = f64::from(length(&sim.state())) - 0.6;
        sim.advance(quarter).unwrap();
        let at_half = f64::from(length(&sim.state())) - 0.6;
        println!("{h} s: {at_quarter} m, then {at_half} m");
        // The implicit method damps a little, and swings a little slower, the more the longer the step is.
        assert!(at_quarter.abs() < 4e-4 && (at_half + 6e-3).abs() < 0.012 * omega * h + 1e-4);
    }
}

/// What a deformation of the whole block is pulled by at first: nothing, if goals follow it.
fn pull_of(matching: &str, deformed: impl Fn([f32; 3]) -> [f32; 3]) -> f64 {
    let mut sim = simulator(&block(matching, ""), 1);
    let mut state = sim.state();
    state.position.iter_mut().for_each(|x| *x = deformed(*x));
    sim.set_state(&state);
    sim.advance(8).unwrap();
    let end = sim.state();
    let moved = end.position.iter().flatten().zip(state.position.iter().flatten());
    f64::from(moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max))
}

#[test]
fn linear_and_quadratic_goals_follow_their_deformations_exactly() {
    // Shear and stretch that keep the volume.
    let affine = |[x, y, z]: [f32; 3]| [1.25 * x + 0.2 * y, 0.8 * y, z + 0.3 * x - 0.1 * y];
    let bent = |[x, y, z]: [f32; 3]| {
        [x - 0.4 * x * y, y + 0.5 * x * x + 0.2 * y * z, z + 0.3 * x * y - 0.2 * z * z]
    };
    let with = |mode: &str, beta: f64| {
        format!("mode = '{mode}', alpha = 1, beta = {beta}, damping = 0, clusters = 1")
    };
    let found = [
        ("rigid", 1.0, pull_of(&with("rigid", 1.0), affine), false),
        ("linear", 1.0, pull_of(&with("linear", 1.0), affine), true),
        ("linear", 0.5, pull_of(&with("linear", 0.5), affine), false),
        ("quadratic", 1.0, pull_of(&with("quadratic", 1.0), affine), true),
        ("linear, bent", 1.0, pull_of(&with("linear", 1.0), bent), false),
        ("quadratic, bent", 1.0, pull_of(&with("quadratic", 1.0), bent), true),
        ("quadratic, bent", 0.5, pull_of(&with("quadratic", 0.5), bent), false),
    ];
    for (what, beta, moved, follows) in found {
        println!("{what}, {beta}: {moved:e} m");
        match follows {
            true => assert!(moved < 3e-5, "{what}, {beta}: {moved:e}"),
            false => assert!(moved > 3e-3, "{what}, {beta}: {moved:e}"),
        }
    }
}

/// A volume that was lost comes back even where goals follow all else.
#[test]
fn linear_clusters_restore_their_volume() {
    let matching = "mode = 'linear', alpha = 0.5, beta = 1, damping = 20, clusters = 1";
    let mut sim = simulator(&block(matching, ""), 1);
    let mut state = sim.state();
    state.position.iter_mut().for_each(|x| *x = [x[0], 0.7 * x[1], x[2]]);
    sim.set_state(&state);
    let squeezed = volume(&sim);
    sim.advance(3000).unwrap();
    let restored = volume(&sim);
    println!("{squeezed} m³, then {restored} m³");
    assert!((squeezed / 0.096 - 0.7).abs() < 1e-3 && (restored / 0.096 - 1.0).abs() < 0.01);
}

/// What has fallen never moves with more energy than it fell with, and lies where it fell, however soft it is.
#[test]
fn soft_bodies_land_without_being_blown_up() {
    for (alpha, beta) in [(0.6, 0.9), (0.8, 0.9), (0.8, 0.97)] {
        for clusters in [1, 6] {
            let matching = format!(
                "mode = 'linear', alpha = {alpha}, beta = {beta}, damping = 8, clusters = {clusters}"
            );
            let mut scene = block(&matching, "translate = [0, 0, 1.6]");
            scene.world.gravity = [0.0, 0.0, -9.81];
            scene.world.bounds = Some(WorldBox::default());
            let mut sim = simulator(&scene, 1);
            let high = sim.energy().gravity;
            let (mut most, mut widest) = (0.0_f64, 0.0_f64);
            for _ in 0..400 {
                sim.advance(20).unwrap();
                most = most.max(sim.energy().kinetic);
                let x = sim.positions().into_iter().map(|p| p[0]);
                let [low, far] = x.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, far], x| {
                    [low.min(x), far.max(x)]
                });
                widest = widest.max(far - low);
            }
            println!("α {alpha}, β {beta}, {clusters}: {most} J of {high} J, {widest} m wide");
            assert!(most < 1.05 * high, "{alpha}, {beta}, {clusters}: {most} J of {high} J");
            assert!(widest < 1.2, "{alpha}, {beta}, {clusters}: {widest} m");
        }
    }
}

/// A bar that sways comes to rest in a second or so with the usual damping, whatever number of clusters it is of; how it
/// moves as a whole is left alone.
#[test]
fn what_sways_comes_to_rest_whatever_the_number_of_clusters() {
    for clusters in ["1", "4", "12", "40", "'elements'"] {
        let mut scene = block(&format!("mode = 'rigid', clusters = {clusters}"), "");
        let text = "[[bodies]]\nname = 'bar'\nshape = { kind = 'bar', cells = [30, 3, 3], size = [3, 0.3, 0.3] }";
        scene.bodies[0].source = Scene::from_toml(text, "test").unwrap().bodies[0].source.clone();
        let mut sim = simulator(&scene, 1);
        let mut state = sim.state();
        let moved = [0.7_f32, -0.2, 0.4];
        for (x, v) in state.position.iter().zip(&mut state.velocity) {
            // Bent, twisted and stretched, but not turned; positions are seen from the middle.
            let [x, y, z] = *x;
            let along = x / 1.5;
            *v = [
                moved[0] + 0.5 * along,
                moved[1] - along * z,
                moved[2] + along * along + along * y,
            ];
        }
        sim.set_state(&state);
        let inner = |sim: &Simulator| {
            let s = sums(sim, &sim.state());
            let p = s.momentum;
            (s.kinetic - 0.5 * p.dot(p) / s.mass, p)
        };
        let (before, p) = inner(&sim);
        sim.advance(1500).unwrap();
        let (after, q) = inner(&sim);
        println!("{clusters} clusters: {after:e} of {before:e} J");
        assert!(after < 1e-3 * before, "{clusters}: {after:e} of {before:e} J");
        assert!((p - q).length() < 1e-5 * p.length(), "{p:?} {q:?}");
    }
}
