//! Drags and pushes on a device against those on the CPU.

use super::*;
use crate::math::Vec3;
use crate::model::{Model, compile};
use crate::scene::World;
use crate::stages::gpu::arrays::{Arrays, CLEAR};
use crate::stages::gpu::layout::{Layout, NONE, SLICE};
use crate::stages::gpu::record::{STRIDE, Sizes};
use crate::stages::touch::gpu::{Band, HeldVertex, PushWords, TOTAL, TouchForces, descriptions};
use crate::stages::touch::{Drag, Push, Touch, drag_force, push_force, total_force};
use crate::step::{Advance, Places, Start};

/// How far backends may be apart after 200 steps of dragging and pushing \[m\].
///
/// The bodies are about a metre large, so positions round by 6e-8 m; forces pass on a small part of
/// that, and what a band pulls together it also damps. Measured: 6e-8. Ten times that is left for
/// devices whose roots and quotients round less well. A vertex that crossed the surface of a
/// cylinder within that distance would feel the push a substep earlier on one backend; none does
/// here.
const TOUCHED: f64 = 6e-7;

#[test]
fn kernels_are_valid_and_know_the_host_structs() {
    let [pushed, dragged] = descriptions().map(|d| validate(&d).unwrap());
    validate(&TOTAL).unwrap();
    let of_push = [
        ("axis", std::mem::offset_of!(PushWords, axis)),
        ("radius2", std::mem::offset_of!(PushWords, radius2)),
        ("force", std::mem::offset_of!(PushWords, force)),
    ];
    assert_layout::<PushWords>(&pushed, "Push", &of_push);
    let of_hold = [
        ("slot", std::mem::offset_of!(HeldVertex, slot)),
        ("first", std::mem::offset_of!(HeldVertex, first)),
        ("end", std::mem::offset_of!(HeldVertex, end)),
    ];
    assert_layout::<HeldVertex>(&dragged, "HeldVertex", &of_hold);
    let of_band = [
        ("offset", std::mem::offset_of!(Band, offset)),
        ("grip", std::mem::offset_of!(Band, grip)),
    ];
    assert_layout::<Band>(&dragged, "Band", &of_band);
}

/// A model on a device with vertices at random places, for the touch kernels alone.
struct Bench {
    gpu: Gpu,
    model: Model,
    layout: Layout,
    arrays: Arrays,
    sizes: Sizes,
    origins: Vec<[f64; 3]>,
    position: Vec<[f32; 4]>,
    velocity: Vec<[f32; 4]>,
    forces: TouchForces,
}

impl Bench {
    fn new(gpu: &Gpu) -> Self {
        let model = compile(&Scene::from_toml(BARS, "test").unwrap()).unwrap();
        let layout = Layout::new(&model);
        let mut arrays = Arrays::new(gpu, &model, &layout).unwrap();
        let slots = layout.slot_count();
        arrays.touch = gpu.zeros("touch", slots).unwrap();
        let mut random = Random(7);
        let position: Vec<[f32; 4]> =
            (0..slots).map(|_| [random.next(), random.next(), random.next(), 0.25]).collect();
        let velocity: Vec<[f32; 4]> =
            (0..slots).map(|_| [random.next(), random.next(), random.next(), 4.0]).collect();
        arrays.position.write(0, &position);
        arrays.velocity.write(0, &velocity);
        let mut body_constants = vec![[0u32; 4]; 3 * model.bodies.len()];
        body_constants.extend(
            layout
                .slice_body
                .chunks(4)
                .map(|c| std::array::from_fn(|i| c.get(i).copied().unwrap_or(0))),
        );
        arrays.body_constants.write(0, &body_constants);
        let sizes = Sizes::of(&model, &layout);
        let origins = vec![[1000.0, -3.0, 0.5], [1000.5, -2.5, 0.25]];
        let forces = TouchForces::new(gpu, &model, &layout, &arrays).unwrap();
        let gpu = gpu.clone();
        Self { gpu, model, layout, arrays, sizes, origins, position, velocity, forces }
    }

    /// What the kernels write in substep `now` of a submission of `substeps`.
    fn run(
        &mut self,
        touches: &[Touch],
        substeps: std::ops::Range<u64>,
        now: u64,
    ) -> Vec<[f32; 4]> {
        let world = World::default();
        let origins = self.origins.clone();
        let job = Advance {
            world: &world,
            start: Start { step: 0, time: 0.0, substep: 0, of: 1 },
            count: 40,
            done: 0,
            h: 1e-3,
            h_last: 0.0,
            touches,
            displaced: &[],
            origins: &origins,
            is_timed: false,
            is_strict: false,
            places: Places::ALL,
        };
        let Self { gpu, layout, arrays, forces, .. } = self;
        forces.prepare(gpu, layout, arrays, (touches, &origins), 16).unwrap();
        forces.write_hands(&job, substeps);
        let record = Step::update(&self.sizes, &job, now, 0).record();
        arrays.records.write(1, &[record]);
        let mut commands = gpu.commands("test");
        for (kernel, group, threads) in forces.dispatch() {
            commands.run(kernel, group, &[STRIDE], threads);
        }
        commands.submit();
        arrays.touch.read().unwrap()
    }

    /// The same in double precision, from the formulas.
    fn expected(&self, touches: &[Touch], now: u64) -> Vec<[f64; 3]> {
        let mut sums = vec![Vec3::<f64>::zero(); self.layout.slot_count()];
        let xyz = |v: [f32; 4]| Vec3::<f64>::from([v[0], v[1], v[2]].map(f64::from));
        let origin = |slot: usize| self.origins[self.layout.slice_body[slot / SLICE] as usize];
        let world = |slot: usize| xyz(self.position[slot]) + Vec3::from(origin(slot));
        let slot_of = |user: u32| {
            let vertex = self.model.vertex_order.iter().position(|&v| v == user).unwrap();
            self.layout.slot_of[vertex] as usize
        };
        for touch in touches {
            match touch {
                Touch::Push(p) => {
                    let axis = Vec3::<f64>::from(p.direction);
                    let axis = axis * (1.0 / axis.length());
                    for (slot, sum) in sums.iter_mut().enumerate() {
                        *sum += push_force(world(slot), p.origin.into(), axis, p.radius, p.force);
                    }
                }
                Touch::Drag(d) => {
                    let hand = Vec3::from(d.hand_after((now + 1) as f64 * 1e-3));
                    for (&user, &offset) in d.vertices.iter().zip(&d.offsets) {
                        let slot = slot_of(user);
                        let goal = hand + Vec3::from(offset);
                        let v = xyz(self.velocity[slot]);
                        sums[slot] += drag_force(world(slot), v, goal, 0.25, d.stiffness);
                    }
                }
                Touch::Carry(_) => {}
            }
        }
        sums.into_iter().map(Into::into).collect()
    }
}

/// Pushes, some of which cannot reach anything, and drags that hold some vertices twice.
fn touches(drags: usize) -> Vec<Touch> {
    let push = |direction, radius, force| {
        Touch::Push(Push { origin: [1000.2, -2.9, 3.0], direction, radius, force })
    };
    let mut touches = vec![
        push([0.3, 0.2, -2.0], 0.3, 4.0),
        push([0.0; 3], 1.0, 100.0),
        push([1.0, 0.0, 0.0], f64::NAN, 100.0),
        push([0.0, -1.0, 0.5], 1e30, 2.0),
        push([0.0, 0.0, 1.0], 0.0, 50.0),
    ];
    let mut random = Random(11);
    for n in 0..drags as u32 {
        let vertices: Vec<u32> = (0..60).map(|i| (n + i * 3) % 180).chain([5, 5]).collect();
        let mut point = || std::array::from_fn(|_| f64::from(random.next()));
        let offsets = vertices.iter().map(|_| point()).collect();
        let hand = [1000.5, -3.0, 0.5 + f64::from(n)];
        let cursor = [1000.7, -2.0, 0.0];
        let stiffness = 10.0 + f64::from(n);
        let drag = Drag { vertices, offsets, hand, cursor, speed: 3.0, stiffness };
        touches.insert(n as usize, Touch::Drag(drag));
    }
    touches
}

fn assert_near(found: &[[f32; 4]], expected: &[[f64; 3]], vertex_of: &[u32]) {
    for (slot, (f, e)) in found.iter().zip(expected).enumerate() {
        // A drag of two hundred newtons rounds by 1e-5 N; coordinates of 1 m by as much.
        let near = (0..3).all(|k| (f64::from(f[k]) - e[k]).abs() < 1e-4);
        assert!(near || vertex_of[slot] == NONE, "slot {slot}: {f:?} instead of {e:?}");
    }
}

#[test]
fn forces_are_those_of_the_formulas() {
    let Some(gpu) = testing::gpu("touch") else { return };
    let mut bench = Bench::new(&gpu);
    // More of everything later, so that arrays have to grow, then less, then none.
    for drags in [1, 3, 0, 2] {
        let touches = touches(drags);
        let found = bench.run(&touches, 5..16, 7);
        assert_near(&found, &bench.expected(&touches, 7), &bench.layout.vertex_of);
    }
    assert!(bench.run(&[], 0..1, 0).iter().flatten().all(|&f| f == 0.0));
}

#[test]
fn nothing_changes_after_a_bad_substep() {
    let Some(gpu) = testing::gpu("touch") else { return };
    let mut bench = Bench::new(&gpu);
    let before = bench.run(&touches(2), 0..4, 2);
    // Substeps are numbered from 1 there.
    bench.arrays.flags.write(0, &[4, 0, 0, 0]);
    assert_eq!(bench.run(&touches(1), 2..6, 4), before);
    // The bad substep itself still runs to its end.
    assert_ne!(bench.run(&touches(1), 2..6, 3), before);
    bench.arrays.flags.write(0, &CLEAR);
}

/// Grabs a corner of each body and pushes at both.
fn touched(sim: &mut Simulator) {
    assert!(sim.grab([-1.0, 0.0, 0.45], 0.25, 2.0, 60.0) > 0);
    assert!(sim.grab([-0.9, 0.0, 0.45], 0.25, 1.0, 30.0) > 0);
    assert!(sim.grab([1.5, 1.4, 0.3], 0.2, 1.5, 5.0) > 0);
    let goals = [[-1.2, 0.3, 0.9], [-0.5, 0.1, 0.6], [1.8, 1.4, 0.5]];
    for (touch, goal) in sim.touches_mut().iter_mut().zip(goals) {
        if let Touch::Drag(drag) = touch {
            drag.cursor = goal;
        }
    }
    let (origin, direction) = ([-0.5, 0.1, 0.0], [0.1, 0.2, 1.0]);
    sim.push(Push { origin, direction, radius: 0.2, force: 3.0 });
    sim.push(Push {
        origin: [1.3, 0.0, 0.1],
        direction: [0.0, 1.0, 0.0],
        radius: 0.15,
        force: 0.4,
    });
}

/// The force of all hands, as the device adds it up and as the formulas do, from its own positions.
fn assert_same_total(device: &mut Simulator) -> f64 {
    let found = crate::at_once(device.touch_force_on_device()).expect("a device runs it");
    let expected = total_force(device.touches(), &device.positions());
    let size = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
    // Some hundred forces of a few newtons, from coordinates that are good to 6e-8 m.
    let apart = size(std::array::from_fn(|k| found[k] - expected[k]));
    assert!(apart <= 1e-3, "{found:?} N instead of {expected:?} N");
    size(expected)
}

#[test]
fn the_force_of_all_hands_is_that_of_the_formulas() {
    let Some(gpu) = testing::gpu("touch") else { return };
    let [_, mut device] = pair(&gpu, BARS, |_| {});
    assert_eq!(assert_same_total(&mut device), 0.0, "nobody touches");
    touched(&mut device);
    // Before any step only the pushes act.
    assert!(assert_same_total(&mut device) > 0.1);
    for _ in 0..4 {
        device.advance(25).unwrap();
        assert!(assert_same_total(&mut device) > 0.1);
    }
    device.touches_mut().truncate(1);
    let hash = device.hash();
    assert!(assert_same_total(&mut device) > 0.1);
    assert_eq!(device.hash(), hash, "looking changes nothing");
}

#[test]
fn touched_bodies_go_where_the_cpu_takes_them() {
    let Some(gpu) = testing::gpu("touch") else { return };
    let cases = [
        (Integrator::Verlet, Accumulation::Gather, 1),
        (Integrator::Verlet, Accumulation::EdgeGather, 3),
        (Integrator::Beeman, Accumulation::EdgeScatter, 1),
        (Integrator::Rk4, Accumulation::Gather, 1),
    ];
    for (integrator, strategy, substeps) in cases {
        let [mut cpu, mut device] = pair(&gpu, BARS, |scene| {
            scene.world.integrator = integrator;
            scene.world.accumulation = strategy;
            scene.world.substeps = substeps;
            // Which substep a vertex meets a wall in would add to the differences.
            scene.world.bounds = None;
        });
        let mut alone = Simulator::new(cpu.scene().clone(), Backend::Cpu { threads: 1 }).unwrap();
        alone.advance(200).unwrap();
        for sim in [&mut cpu, &mut device] {
            touched(sim);
            sim.advance(200).unwrap();
        }
        let apart = farthest(&cpu, &device);
        println!("{integrator} {strategy}: {apart:e}, moved {:e}", farthest(&cpu, &alone));
        assert!(farthest(&cpu, &alone) > 0.01, "touching must matter");
        assert!(apart < TOUCHED, "{integrator}, {strategy}: {apart} m apart");
    }
}

#[test]
fn touching_gives_the_same_bits_however_a_run_is_cut() {
    let Some(gpu) = testing::gpu("touch") else { return };
    for strategy in Accumulation::STRATEGIES {
        let start = || {
            let [_, mut sim] = pair(&gpu, BARS, |scene| scene.world.accumulation = strategy);
            touched(&mut sim);
            sim
        };
        let (mut whole, mut again) = (start(), start());
        whole.advance(60).unwrap();
        [1, 20, 9].into_iter().for_each(|n| again.advance(n).unwrap());
        let middle = again.state();
        again.advance(30).unwrap();
        assert_eq!(whole.hash(), again.hash(), "{strategy}");
        let [_, mut resumed] = pair(&gpu, BARS, |scene| scene.world.accumulation = strategy);
        resumed.set_state(&middle);
        resumed.advance(30).unwrap();
        assert_eq!(whole.hash(), resumed.hash(), "{strategy}");
        // Letting go leaves no force behind.
        for sim in [&mut whole, &mut resumed] {
            sim.touches_mut().clear();
        }
        let [_, mut free] = pair(&gpu, BARS, |scene| scene.world.accumulation = strategy);
        free.set_state(&whole.state());
        for sim in [&mut whole, &mut resumed, &mut free] {
            sim.advance(30).unwrap();
        }
        assert_eq!([whole.hash(), resumed.hash()], [free.hash(); 2], "{strategy}");
    }
}
