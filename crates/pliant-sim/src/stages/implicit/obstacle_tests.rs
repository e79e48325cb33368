//! Colliders in implicit steps on a device: what holds vertices, and what is free of them then.

use pliant_gpu::testing;

use super::contact::STICKS;
use super::planes::{square, times};
use crate::backend::gpu::tests::{farthest, pair};
use crate::math::Vec3;
use crate::{Backend, Simulator};

/// A bar in a corner of two slopes and a wall, beside a ball that rolls over it.
const CORNER: &str = r#"
    [world]
    timestep = 0.005
    integrator = "implicit-euler"
    implicit = { tolerance = 1e-6 }
    box = { size = [4, 0.36, 4], center = [0, 0.15, 0], friction = 0.2 }
    [[bodies]]
    shape = { kind = "bar", cells = [6, 3, 3], size = [0.6, 0.3, 0.3] }
    translate = [-0.3, 0, 0.21]
    velocity = [0.3, 1, -1]
    material = { mass = { density = 1000 }, stiffness = { young = 1e5 }, volume = { modulus = 1e5 } }
    [[colliders]]
    shape = { kind = "plane" }
    rotate = [0, 30, 0]
    friction = 0.3
    [[colliders]]
    shape = { kind = "plane" }
    rotate = [0, -35, 0]
    friction = 0
    restitution = 0.4
    [[colliders]]
    shape = { kind = "sphere", radius = 0.2 }
    translate = [0.02, 0.1, 0.73]
    motion = { velocity = [0.2, 0, -0.3], spin = [1, 5, 0] }
"#;

/// Numbers of vectors, see vectors.wgsl.
const DELTA: usize = 0;
const MASK: usize = 9;
const CONTACT: usize = 12;
const MASK_REST: usize = 13;
const PLANES: usize = 14;

fn three([x, y, z, _]: [f32; 4]) -> Vec3<f32> {
    Vec3::from([x, y, z])
}

#[test]
fn planes_take_their_directions_out_of_the_system_on_the_device() {
    let Some(gpu) = testing::gpu("obstacles") else { return };
    let scene = crate::scene::Scene::from_toml(CORNER, "corner").unwrap();
    let mut sim = Simulator::new(scene, Backend::Device(gpu)).unwrap();
    let mut seen = [0; 4];
    for _ in 0..12 {
        sim.advance(3).unwrap();
        let before = sim.gpu().unwrap().arrays().velocity.read().unwrap();
        sim.advance(1).unwrap();
        let solver = sim.gpu().unwrap().solver().unwrap();
        let [delta, mask, contact, rest] =
            [DELTA, MASK, CONTACT, MASK_REST].map(|number| solver.vector(number));
        let planes: Vec<_> = (0..6).map(|n| solver.vector(PLANES + n)).collect();
        for slot in (0..mask.len()).filter(|&slot| before[slot][3] > 0.0) {
            let names = rest[slot][3] as u32;
            let count = (0..3).filter(|i| names >> (8 * i) & 255 != 0).count();
            seen[count] += 1;
            let free = [three(mask[slot]).into(), three(rest[slot]).into()];
            let sticks = contact[slot][0] as u32 & STICKS != 0;
            let trace: f32 = mask[slot][..3].iter().sum();
            let expected = if sticks { 0.0 } else { 3.0 - count as f32 };
            assert!((trace - expected).abs() < 1e-5, "{trace}, {count} planes");
            // P² = P.
            let v = Vec3::from([0.7, -0.2, 1.9]);
            let once = times(&free, v);
            assert!((times(&free, once) - once).length() < 1e-5);
            let end = three(before[slot]) + three(delta[slot]);
            for i in 0..count {
                let (n, moves) = (planes[2 * i][slot], three(planes[2 * i + 1][slot]));
                let normal = three(n);
                assert!((square(normal)[0].iter().sum::<f32>() - 1.0).abs() < 1e-5);
                assert!(times(&free, normal).length() < 1e-5, "{normal:?} is not free");
                assert!((end.dot(normal) - n[3]).abs() < 1e-4, "{end:?} along {normal:?}: {n:?}");
                assert!(moves.length() < 3.0, "{moves:?}");
            }
        }
    }
    println!("{seen:?} vertices with so many planes");
    assert!(seen[1] > 20 && seen[2] > 2, "{seen:?}");
}

#[test]
fn a_corner_with_walls_and_a_ball_is_that_of_the_processor() {
    let Some(gpu) = testing::gpu("obstacles") else { return };
    let [mut cpu, mut device] = pair(&gpu, CORNER, |_| ());
    // What touches, one step after the other, then many.
    for (steps, most) in [(1, 1e-6), (19, 1e-5), (40, 1e-4)] {
        let [on, there] = [&mut cpu, &mut device].map(|sim| {
            sim.advance(steps).unwrap();
            sim.report().colliders.unwrap()
        });
        let apart = farthest(&cpu, &device);
        println!("{steps} steps: {apart:e} m\n{on:?}\n{there:?}");
        assert!(apart < most, "{steps} steps: {apart} m apart");
    }
    assert!(device.gpu().is_some(), "{:?}", device.take_messages());
}

#[test]
fn however_many_cycles_are_recorded_colliders_hold_the_same() {
    let Some(gpu) = testing::gpu("obstacles") else { return };
    let run = |cycles: Option<u32>| {
        let scene = crate::scene::Scene::from_toml(CORNER, "corner").unwrap();
        let mut sim = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
        for _ in 0..3 {
            if let (Some(cycles), Some(device)) = (cycles, sim.gpu_mut()) {
                device.solver_mut().unwrap().expect_cycles(cycles);
            }
            sim.advance(10).unwrap();
        }
        (sim.hash(), sim.collider_forces())
    };
    assert_eq!(run(None), run(Some(1)));
}
