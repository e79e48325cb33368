//! Colliders in implicit steps: soft and stiff, long steps and short ones, with and without Newton's iterations, on every
//! backend.

use crate::suite::scene_of;
use crate::support::*;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{
    Body, Collider, ColliderGround, ColliderMotion, ColliderShape, Implicit, Integrator, Rotation,
    World, WorldBox,
};
use pliant::{Backend, Scene, Simulator, checkpoint};

/// Gravity \[m/s²\].
const G: f64 = 9.81;
/// A video's frame \[s\].
const FRAME: f64 = 1.0 / 60.0;

fn world(h: f64, newton: u32) -> World {
    World {
        gravity: [0.0, 0.0, -G],
        timestep: h,
        integrator: Integrator::ImplicitEuler,
        implicit: Implicit { newton_iterations: newton, ..Implicit::default() },
        ..space()
    }
}

/// The softest is light, too: it would fall over under its own weight.
fn block(cells: u32, young: f64) -> Body {
    let density = if young < 1e5 { 100.0 } else { 1000.0 };
    body(shapes::bar([cells; 3], [0.2; 3], Split::default()), rubber(density, young))
}

fn mass(sim: &Simulator) -> f64 {
    sim.model().mass.iter().map(|&m| f64::from(m)).sum()
}

fn run(sim: &mut Simulator, seconds: f64) {
    let steps = (seconds / sim.world().timestep).round() as u64;
    sim.advance(steps).unwrap_or_else(|e| panic!("{e}"));
}

/// Cells along an edge, Young's modulus, timestep and Newton's iterations of what is tried.
type Case = (u32, f64, f64, u32);
const CASES: [Case; 6] = [
    (4, 1e4, FRAME, 1),
    (4, 1e6, FRAME, 1),
    (2, 1e8, FRAME, 1),
    (4, 1e5, FRAME, 3),
    (2, 1e8, FRAME, 3),
    (3, 1e6, 2e-3, 1),
];

/// What is tried on GPUs, of which those in software take their time.
const ONE: [Case; 1] = [(2, 1e6, FRAME, 1)];

fn cases(on: &On) -> &'static [Case] {
    if on.is_cpu() { &CASES } else { &ONE }
}

/// The first one alone on GPUs.
fn some<T>(on: &On, all: &'static [T]) -> &'static [T] {
    if on.is_cpu() { all } else { &all[..1] }
}

/// A simulator that really runs where it was asked to.
fn start(on: &On, scene: &Scene) -> Simulator {
    let sim = on.simulator(scene);
    #[cfg(feature = "gpu")]
    assert_eq!(sim.gpu().is_some(), !on.is_cpu());
    sim
}

/// A block on a slope whose angle has the tangent 0.5, after it has calmed down.
fn on_slope(on: &On, (cells, young, h, newton): Case, friction: f64) -> Simulator {
    let rotate = Rotation::Euler([0.0, 0.5f64.atan().to_degrees(), 0.0]);
    let translate = [0.1, -0.2, 0.3];
    let slope = Collider { rotate, friction, translate, ..Collider::default() };
    let mut block = block(cells, young);
    (block.rotate, block.translate) = (rotate, translate);
    let air = World { damping: 20.0, ..world(h, newton) };
    let mut sim = start(on, &scene_of(block, vec![slope], air));
    run(&mut sim, if on.is_quick() { 1.0 } else { 0.5 });
    sim.set_world(world(h, newton)).unwrap();
    sim
}

pub fn a_block_stands_on_a_slope_that_friction_holds(on: &On) {
    for &case in cases(on) {
        for &friction in some(on, &[0.52, 0.8]) {
            let mut sim = on_slope(on, case, friction);
            let start = sim.report();
            run(&mut sim, if on.is_quick() { 10.0 } else { 0.5 });
            let end = sim.report();
            let way = std::array::from_fn(|k| end.center_of_mass[k] - start.center_of_mass[k]);
            let solver = sim.solver_report().unwrap();
            println!("{case:?}, {friction}: {:.1e} m, {solver:?}", length(way));
            assert!(length(way) < 1e-4, "{case:?}, {friction}: {way:?} m");
        }
    }
}

pub fn a_block_slides_down_a_slope_as_coulomb_says(on: &On) {
    let angle = 0.5f64.atan();
    for &case in cases(on) {
        for &friction in some(on, &[0.3, 0.0]) {
            let mut sim = on_slope(on, case, friction);
            let start = sim.report();
            run(&mut sim, if on.is_quick() { 1.0 } else { 0.5 });
            let end = sim.report();
            let change: [f64; 3] = std::array::from_fn(|k| end.momentum[k] - start.momentum[k]);
            let along = change[0] * angle.cos() - change[2] * angle.sin();
            let found = along / mass(&sim) / (end.time - start.time);
            let expected = G * (angle.sin() - friction * angle.cos());
            println!("{case:?}, {friction}: {found:.4} m/s² instead of {expected:.4}");
            assert!((found / expected - 1.0).abs() < 0.03, "{case:?}, {friction}: {found}");
        }
    }
}

pub fn colliders_carry_the_weight_of_what_rests(on: &On) {
    for &case in cases(on) {
        let mut sim = on_slope(on, case, 0.8);
        run(&mut sim, if on.is_quick() { 1.0 } else { 0.5 });
        let weight = mass(&sim) * G;
        let forces = sim.contact_forces();
        let sum = |k: usize| forces.iter().map(|f| f64::from(f[k])).sum::<f64>();
        let off = length([sum(0), sum(1), sum(2) - weight]);
        println!("{case:?}: {:.1e} of the weight missing", off / weight);
        assert!(off < 0.01 * weight, "{case:?}: {off} of {weight} N");
        let on = sim.collider_forces()[0];
        assert!((on[2] + weight).abs() < 0.01 * weight, "{case:?}: {on:?}");
    }
}

pub fn what_falls_on_colliders_gains_no_energy_and_stays_outside(on: &On) {
    let of = |shape, translate: [f64; 3]| Collider { shape, translate, ..Collider::default() };
    let hollow = false;
    let hills = ColliderGround {
        file: None,
        heights: Some(vec![vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 0.0]]),
        size: [1.0, 1.0],
        height: 0.2,
    };
    let floor = of(ColliderShape::Plane {}, [0.0, 0.0, -0.6]);
    let shapes = [
        of(ColliderShape::Sphere { radius: 0.3, hollow }, [0.02, 0.01, -0.3]),
        of(ColliderShape::Capsule { radius: 0.2, length: 0.6, hollow }, [0.01, 0.0, -0.5]),
        of(ColliderShape::Box { size: [0.3, 0.3, 0.3], hollow }, [0.05, 0.0, -0.2]),
        of(ColliderShape::Cylinder { radius: 0.3, length: 0.4, hollow }, [0.05, 0.0, -0.2]),
        of(ColliderShape::HeightMap(hills), [-0.5, -0.5, -0.3]),
    ];
    let every = if on.is_quick() { 1 } else { 4 };
    for (shape, (young, h, newton)) in shapes.iter().step_by(every).flat_map(|shape| {
        let all = &[(1e6, FRAME, 1), (1e4, FRAME, 1), (1e6, FRAME, 3), (1e5, 4e-3, 1)];
        some(on, all).iter().map(move |&case| (shape, case))
    }) {
        let density = if young < 1e5 { 100.0 } else { 1000.0 };
        let mut ball = body(shapes::ball(0.1, 0.04).unwrap(), rubber(density, young));
        ball.translate = [0.0, 0.0, 0.6];
        let colliders = vec![shape.clone(), floor.clone()];
        let mut sim = start(on, &scene_of(ball, colliders, world(h, newton)));
        let case = format!("{:?}, {young:.0e} Pa, {h:.4} s, Newton {newton}", shape.shape);
        let weight = mass(&sim) * G;
        let total = |sim: &mut Simulator| {
            let report = sim.report();
            report.energy.kinetic + report.energy.elastic() + weight * report.center_of_mass[2]
        };
        let mut before = total(&mut sim);
        let start = before;
        for _ in 0..(if on.is_quick() { 3.0 } else { 1.0 } / h) as u64 {
            sim.advance(1).unwrap_or_else(|e| panic!("{case}: {e}"));
            let now = total(&mut sim);
            let gain = now - before;
            assert!(gain < 0.01 * weight, "{case}: {gain} J of {start} at {} s", sim.time());
            before = now;
        }
        let report = sim.report();
        let low = sim.positions().iter().map(|x| x[2]).fold(f64::INFINITY, f64::min);
        println!("{case}: ends at {:?}, {:?}", report.center_of_mass, sim.solver_report());
        assert!(low > -0.6001 && report.max_speed < 2.0, "{case}: {low} m, {report:?}");
        assert_eq!(report.inverted_count, 0, "{case}");
    }
}

fn steady(velocity: [f64; 3], spin: [f64; 3]) -> Option<ColliderMotion> {
    Some(ColliderMotion::Steady { velocity, spin })
}

pub fn a_plate_pushes_and_carries(on: &On) {
    for &(cells, young, h, newton) in cases(on) {
        let plate = Collider {
            shape: ColliderShape::Box { size: [0.1, 1.0, 1.0], hollow: false },
            translate: [-0.06, 0.1, 0.1],
            friction: 0.0,
            motion: steady([0.5, 0.0, 0.0], [0.0; 3]),
            ..Collider::default()
        };
        let weightless = World { gravity: [0.0; 3], ..world(h, newton) };
        let mut sim = start(on, &scene_of(block(cells, young), vec![plate], weightless));
        run(&mut sim, 1.0);
        let face = -0.01 + 0.5 * sim.time();
        let nearest = sim.positions().iter().map(|p| p[0] - face).fold(f64::INFINITY, f64::min);
        let speed = sim.report().momentum[0] / mass(&sim);
        assert!(nearest > -1e-5, "{young}, {h}, {newton}: {nearest} m inside");
        assert!(speed > 0.45 && speed < 1.05, "{young}, {h}, {newton}: {speed} m/s");

        let motion = steady([0.2, -0.1, 0.05], [0.0; 3]);
        let carrier = Collider { friction: 1.0, motion, ..Collider::default() };
        let mut sim = start(on, &scene_of(block(cells, young), vec![carrier], world(h, newton)));
        run(&mut sim, if on.is_quick() { 2.0 } else { 1.0 });
        let start = sim.report();
        run(&mut sim, if on.is_quick() { 1.0 } else { 0.3 });
        let (end, t) = (sim.report(), sim.time() - start.time);
        let expected = [0.2, -0.1, 0.05];
        let off = std::array::from_fn(|k| {
            end.center_of_mass[k] - start.center_of_mass[k] - expected[k] * t
        });
        assert!(length(off) < 2e-3, "{young}, {h}, {newton}: {off:?} m off");
    }
}

#[test]
fn cloth_lies_down_on_a_ball() {
    for newton in [1, 3] {
        let ball = Collider {
            shape: ColliderShape::Sphere { radius: 0.2, hollow: false },
            friction: 0.4,
            ..Collider::default()
        };
        let mut cloth = body(shapes::cloth([20, 20], [0.7, 0.7]).unwrap(), rubber(0.3, 1e3));
        cloth.translate = [-0.35, -0.34, 0.25];
        let air = World { damping: 1.0, ..world(FRAME, newton) };
        let mut sim = simulator(&scene_of(cloth, vec![ball], air));
        run(&mut sim, 3.0);
        let out = |x: &[f64; 3]| length(*x) - 0.2;
        let nearest = sim.positions().iter().map(out).fold(f64::INFINITY, f64::min);
        let low = sim.positions().iter().map(|x| x[2]).fold(f64::INFINITY, f64::min);
        let report = sim.report();
        println!("Newton {newton}: {nearest} m, {low} m, {:?}", sim.solver_report());
        assert!(nearest > -1e-4, "Newton {newton}: {nearest} m inside");
        assert!(low < 0.0 && low > -0.5, "Newton {newton}: it hangs down to {low} m");
        assert!(report.colliders.unwrap().touching > 20);
    }
}

/// A body between colliders of several kinds that move.
fn busy(newton: u32) -> Scene {
    let of =
        |shape, translate, motion| Collider { shape, translate, motion, ..Collider::default() };
    let hollow = false;
    let colliders = vec![
        of(ColliderShape::Plane {}, [0.0, 0.0, -0.1], None),
        of(
            ColliderShape::Capsule { radius: 0.2, length: 0.5, hollow },
            [1.2, 0.43, 0.42],
            steady([-0.5, 0.0, 0.0], [0.0, 3.0, 0.0]),
        ),
        of(ColliderShape::Sphere { radius: 5.0, hollow: true }, [0.0; 3], None),
    ];
    let mesh = shapes::bar([20, 8, 8], [2.0, 0.8, 0.8], Split::Six);
    let mut big = body(mesh, rubber(500.0, 2e5));
    big.translate = [-1.0, 0.0, 0.02];
    Scene { colliders: colliders.clone(), ..scene_of(big, colliders, world(FRAME, newton)) }
}

#[test]
fn threads_cuts_and_resumes_change_no_bit() {
    for newton in [1, 2] {
        let scene = busy(newton);
        let start = |threads| Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
        let mut one = start(1);
        let report = one.step(40).unwrap();
        assert!(report.colliders.unwrap().touching > 20);
        for threads in [2, 3, 7] {
            let mut other = start(threads);
            [1, 13, 26].iter().for_each(|&n| other.advance(n).unwrap());
            assert_eq!(one.hash(), other.hash(), "{threads} threads, Newton {newton}");
        }
        let mut first = start(2);
        first.advance(17).unwrap();
        let mut second = start(1);
        second.load(&checkpoint::decode(&checkpoint::encode(&first)).unwrap()).unwrap();
        second.advance(23).unwrap();
        assert_eq!(one.hash(), second.hash(), "Newton {newton}");
    }
}

pub fn a_hollow_box_holds_a_body_in_its_corner(on: &On) {
    for &(cells, young, h, newton) in cases(on) {
        let rotate = Rotation::Euler([20.0, 30.0, 40.0]);
        let shape = ColliderShape::Box { size: [1.0, 0.8, 0.9], hollow: true };
        let room = Collider { shape, rotate, friction: 0.2, ..Collider::default() };
        let pose = room.pose(0.0);
        let own = |x: &[f64; 3]| -> [f64; 3] {
            std::array::from_fn(|k| (0..3).map(|i| pose.rotation[i][k] * x[i]).sum())
        };
        let mut block = block(cells, young);
        block.translate = [-0.1; 3];
        // Towards a corner, as the box sees it.
        let gravity: [f64; 3] = std::array::from_fn(|k| {
            -(0..3).map(|i| pose.rotation[k][i] * [5.0, 4.0, 6.0][i]).sum::<f64>()
        });
        let (damping, seconds) = if on.is_quick() { (2.0, 5.0) } else { (10.0, 1.5) };
        let world = World { gravity, damping, ..world(h, newton) };
        let mut sim = start(on, &scene_of(block, vec![room], world));
        run(&mut sim, seconds);
        let half = [0.5, 0.4, 0.45];
        let beyond = |x: &[f64; 3]| {
            let x = own(x);
            (0..3).map(|k| x[k].abs() - half[k]).fold(f64::NEG_INFINITY, f64::max)
        };
        let most = sim.positions().iter().map(beyond).fold(f64::NEG_INFINITY, f64::max);
        let forces = sim.contact_forces();
        let m = mass(&sim);
        let off = length(std::array::from_fn(|k| {
            forces.iter().map(|f| f64::from(f[k])).sum::<f64>() + m * gravity[k]
        }));
        let speed = length(sim.report().momentum) / m;
        println!("{young}, {h}, {newton}: {most} m, {} of the weight, {speed} m/s", off / m / G);
        assert!(most < 1e-5, "{young}, {h}, {newton}: {most} m outside");
        assert!(off < 0.01 * m * G && speed < 1e-3, "{young}, {h}, {newton}: {off} N, {speed} m/s");
    }
}

pub fn walls_and_colliders_stop_a_body_together(on: &On) {
    for &(cells, young, h, newton) in cases(on) {
        // A slope down to a wall, which it meets at an angle.
        let slope = Collider {
            rotate: Rotation::Euler([0.0, 30.0, 0.0]),
            friction: 0.1,
            ..Collider::default()
        };
        let bounds =
            WorldBox { center: Some([-9.5, 0.0, 0.0]), size: [20.0; 3], ..WorldBox::default() };
        let mut block = block(cells, young);
        block.translate = [0.0, 0.0, 0.1];
        let (damping, seconds) = if on.is_quick() { (2.0, 4.0) } else { (10.0, 2.0) };
        let world = World { bounds: Some(bounds), damping, ..world(h, newton) };
        let mut sim = start(on, &scene_of(block, vec![slope], world));
        run(&mut sim, seconds);
        let right = sim.positions().iter().map(|x| x[0]).fold(f64::NEG_INFINITY, f64::max);
        let tilt = 30f64.to_radians();
        let height = |x: &[f64; 3]| x[2] * tilt.cos() + x[0] * tilt.sin();
        let low = sim.positions().iter().map(height).fold(f64::INFINITY, f64::min);
        let speed = length(sim.report().momentum) / mass(&sim);
        let forces = sim.contact_forces();
        let sum = |k: usize| forces.iter().map(|f| f64::from(f[k])).sum::<f64>();
        let off = length([sum(0), sum(1), sum(2) - mass(&sim) * G]) / (mass(&sim) * G);
        println!("{young}, {h}, {newton}: {right} m, {low} m, {speed} m/s, {off}");
        assert!(right < 0.5 + 1e-6 && right > 0.499, "{young}, {h}, {newton}: {right} m");
        assert!(low > -1e-6 && speed < 1e-3, "{young}, {h}, {newton}: {low} m, {speed} m/s");
        // Forces inside a body of 1e8 Pa are as large in the last digits of positions as a tenth of its weight.
        let most = if young < 1e8 || newton == 1 { 0.01 } else { 0.03 };
        assert!(off < most, "{young}, {h}, {newton}: {off}");
    }
}

pub fn a_sheet_bounces_as_restitution_says(on: &On) {
    for &(restitution, newton) in some(on, &[(0.5, 1), (0.9, 1), (0.0, 1), (0.5, 3)]) {
        let rotate = Rotation::Euler([0.0, 25.0, 10.0]);
        let floor = Collider { rotate, restitution, friction: 0.0, ..Collider::default() };
        let normal = [0, 1, 2].map(|k| floor.pose(0.0).rotation[k][2]);
        let mut sheet = body(shapes::cloth([2, 2], [0.2, 0.2]).unwrap(), rubber(1.0, 10.0));
        sheet.rotate = rotate;
        sheet.translate = normal.map(|n| 0.1 * n);
        sheet.velocity = normal.map(|n| -2.0 * n);
        let weightless = World { gravity: [0.0; 3], ..world(1e-3, newton) };
        let mut sim = start(on, &scene_of(sheet, vec![floor], weightless));
        run(&mut sim, 0.06);
        let momentum = sim.report().momentum;
        let up = (0..3).map(|k| momentum[k] * normal[k]).sum::<f64>() / mass(&sim);
        assert!((up - 2.0 * restitution).abs() < 1e-3, "{restitution}, Newton {newton}: {up} m/s");
    }
}

/// What rests on a slope goes on to do so when its steps become implicit.
pub fn steps_may_become_implicit(on: &On) {
    let floor = Collider {
        rotate: Rotation::Euler([0.0, 20.0, 0.0]),
        friction: 0.8,
        ..Collider::default()
    };
    let mut block = block(2, 1e5);
    block.rotate = floor.rotate;
    let explicit = World { integrator: Integrator::Verlet, damping: 20.0, ..world(1e-3, 1) };
    let mut sim = start(on, &scene_of(block, vec![floor], explicit));
    run(&mut sim, 0.5);
    sim.set_world(World { damping: 20.0, ..world(FRAME, 1) }).unwrap();
    run(&mut sim, 1.0);
    let weight = mass(&sim) * G;
    let force = sim.collider_forces()[0];
    assert!((force[2] + weight).abs() < 0.01 * weight, "{force:?} of {weight} N");
    assert_eq!(sim.solver_report().unwrap().unconverged, 0);
}

pub fn newtons_iterations_run_on_processors(on: &On) {
    let scene = |newton| scene_of(block(2, 1e5), vec![Collider::default()], world(FRAME, newton));
    let mut sim = on.simulator(&scene(2));
    let messages = sim.take_messages();
    assert_eq!(messages.iter().any(|m| m.contains("on the CPU")), !on.is_cpu(), "{messages:?}");
    sim.advance(3).unwrap();
    let mut sim = start(on, &scene(1));
    assert_eq!(sim.set_world(world(FRAME, 2)).is_ok(), on.is_cpu());
}
