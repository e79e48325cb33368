//! Statements about colliders that hold on every backend.

pub use crate::carried::*;
use crate::support::*;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{
    Body, Collider, ColliderGround, ColliderMotion, ColliderShape, Damping, Integrator, Rotation,
    World,
};
use pliant::{Scene, Simulator};

/// Gravity \[m/s²\].
const G: f64 = 9.81;

/// A small block that Verlet can step at 1 ms, with its lower corner at the origin.
pub fn block() -> Body {
    let mesh = shapes::bar([2; 3], [0.2; 3], Split::default());
    let mut block = body(mesh, rubber(1000.0, 1e5));
    block.material.damping = Damping::Time(1e-3);
    block
}

/// A ball round the origin.
fn ball(radius: f64) -> Body {
    let mut ball = body(shapes::ball(radius, radius / 2.0).unwrap(), rubber(1000.0, 1e5));
    ball.material.damping = Damping::Time(1e-3);
    ball
}

/// Open space with gravity, and steps of 1 ms.
pub fn world() -> World {
    World { gravity: [0.0, 0.0, -G], timestep: 1e-3, ..space() }
}

pub fn scene_of(body: Body, colliders: Vec<Collider>, world: World) -> Scene {
    Scene { bodies: vec![body], colliders, world, ..Scene::default() }
}

fn plane() -> Collider {
    Collider { name: "plane".into(), ..Collider::default() }
}

fn steady(velocity: [f64; 3], spin: [f64; 3]) -> Option<ColliderMotion> {
    Some(ColliderMotion::Steady { velocity, spin })
}

fn mass(sim: &Simulator) -> f64 {
    sim.model().mass.iter().map(|&m| f64::from(m)).sum()
}

/// A block that lies on a slope of angle α \[rad\] about y, and has calmed down there.
fn on_slope(on: &On, angle: f64, friction: f64, calms: f64) -> Simulator {
    let rotate = Rotation::Euler([0.0, angle.to_degrees(), 0.0]);
    let slope = Collider { rotate, friction, translate: [0.1, -0.2, 0.3], ..plane() };
    let mut block = block();
    (block.rotate, block.translate) = (rotate, slope.translate);
    let air = World { damping: 5.0, ..world() };
    let mut sim = on.simulator(&scene_of(block, vec![slope], air));
    sim.advance((calms / 1e-3) as u64).unwrap_or_else(|e| panic!("{e}"));
    sim.set_world(world()).unwrap();
    sim
}

pub fn a_block_stands_on_a_slope_that_friction_holds(on: &On) {
    let angle = 0.5f64.atan();
    let mut sim = on_slope(on, angle, 0.55, 2.0);
    let start = sim.report();
    let steps = if on.is_quick() { 60_000 } else { 5_000 };
    let end = sim.step(steps).unwrap();
    let drift = length(std::array::from_fn(|k| end.center_of_mass[k] - start.center_of_mass[k]));
    println!("{drift:.1e} m in {:.1} s", end.time - start.time);
    assert!(drift < 1e-4, "{drift} m");
}

pub fn a_block_slides_down_a_slope_as_coulomb_says(on: &On) {
    let angle = 0.5f64.atan();
    for friction in [0.0, 0.2, 0.4] {
        let mut sim = on_slope(on, angle, friction, 1.0);
        let start = sim.report();
        let end = sim.step(500).unwrap();
        let change: [f64; 3] = std::array::from_fn(|k| end.momentum[k] - start.momentum[k]);
        let down = [angle.cos(), 0.0, -angle.sin()];
        let along: f64 = (0..3).map(|k| change[k] * down[k]).sum();
        let found = along / (mass(&sim) * (end.time - start.time));
        let expected = G * (angle.sin() - friction * angle.cos());
        println!("friction {friction}: {found} m/s², {expected} expected");
        assert!((found / expected - 1.0).abs() < 0.03, "{friction}: {found}, not {expected}");
    }
}

/// A single tetrahedron without elasticity worth speaking of is as good as a point.
pub fn a_ball_bounces_as_high_as_restitution_says(on: &On) {
    for restitution in [0.0, 0.5, 0.9] {
        let floor = Collider { restitution, friction: 0.0, ..plane() };
        let mut sheet = body(shapes::cloth([2, 2], [0.2, 0.2]).unwrap(), rubber(1.0, 10.0));
        sheet.translate = [0.0, 0.0, 0.5];
        let mut sim = on.simulator(&scene_of(sheet, vec![floor], world()));
        let speed = (2.0 * G * 0.5f64).sqrt();
        let falls = (speed / G / 1e-3) as u64;
        sim.advance(falls + 5).unwrap();
        let up = sim.report().momentum[2] / mass(&sim);
        let expected = (restitution * speed).max(0.0);
        assert!((up - expected).abs() < 0.06, "{restitution}: {up} m/s, not {expected}");
    }
}

pub fn contacts_carry_the_weight_of_what_rests(on: &On) {
    let angle = 0.3f64.atan();
    let mut sim = on_slope(on, angle, 0.8, 3.0);
    let report = sim.step(200).unwrap();
    let weight = mass(&sim) * G;
    let forces = sim.contact_forces();
    let sum = |k: usize| forces.iter().map(|f| f64::from(f[k])).sum::<f64>();
    let total = [sum(0), sum(1), sum(2)];
    assert!(length([total[0], total[1], total[2] - weight]) < 0.01 * weight, "{total:?}, {weight}");
    let on_slope = sim.collider_forces();
    assert!((on_slope[0][2] + weight).abs() < 0.01 * weight, "{on_slope:?}");
    let reported = report.colliders.unwrap();
    assert_eq!(reported.touching, 9, "the vertices of the lower face");
    assert_eq!(reported.on_colliders, on_slope);
}

/// Verlet's velocities are half a step old. What brings them up to date must know all that holds a vertex.
pub fn what_rests_is_seen_to_rest(on: &On) {
    let mut sim = on_slope(on, 0.3f64.atan(), 0.8, 3.0);
    let end = sim.step(200).unwrap();
    assert!(end.max_speed < 1e-4, "{} m/s on a slope", end.max_speed);
    let fastest =
        sim.velocities().into_iter().map(|v| length(v.map(f64::from))).fold(0.0, f64::max);
    assert!((fastest - end.max_speed).abs() < 1e-6, "{fastest} m/s, and {}", end.max_speed);
    // It follows from the state alone.
    let state = sim.state();
    sim.reset();
    sim.set_state(&state);
    assert_eq!(sim.report().energy.kinetic, end.energy.kinetic);
    // One on the other.
    let (mut lower, mut upper) = (block(), block());
    (lower.name, upper.name) = ("lower".into(), "upper".into());
    upper.translate = [0.03, 0.02, 0.21];
    let air = World { damping: 5.0, contact: Some(Default::default()), ..world() };
    let mut scene = scene_of(lower, vec![plane()], air);
    scene.bodies.push(upper);
    let end = on.simulator(&scene).step(2500).unwrap();
    let weight = 16.0 * G;
    let force = end.colliders.unwrap().on_colliders[0][2];
    assert!((force + weight).abs() < 0.01 * weight, "{force} N of {weight} N");
    assert!(end.max_speed < 5e-4, "{} m/s on each other", end.max_speed);
    assert!(end.energy.kinetic < 1e-6, "{} J", end.energy.kinetic);
}

/// Neither more nor less than the lift moves what stands on it, on flat ground and on a height map.
pub fn what_a_lift_carries_moves_as_the_lift_does(on: &On) {
    let heights = vec![vec![0.0, 0.02, 0.0], vec![0.01, 0.0, 0.01], vec![0.0, 0.02, 0.0]];
    let rough =
        ColliderGround { file: None, heights: Some(heights), size: [2.0, 2.0], height: 1.0 };
    for shape in [ColliderShape::Plane {}, ColliderShape::HeightMap(rough)] {
        let lift =
            Collider { motion: steady([0.3, 0.1, 0.2], [0.0; 3]), shape, friction: 1.0, ..plane() };
        let mut block = block();
        (block.translate, block.velocity) = ([0.5, 0.6, 0.03], [0.3, 0.1, 0.2]);
        let air = World { damping: 5.0, ..world() };
        let mut sim = on.simulator(&scene_of(block, vec![lift], air));
        let report = sim.step(if on.is_quick() { 4000 } else { 2500 }).unwrap();
        let held: usize = report.colliders.as_ref().unwrap().touching;
        assert!(held > 2, "{held} vertices");
        let slip = |v: [f32; 3]| length([v[0] - 0.3, v[1] - 0.1, v[2] - 0.2].map(f64::from));
        let most = sim.velocities().into_iter().map(slip).fold(0.0, f64::max);
        assert!(most < 3e-3, "{most} m/s beside the lift");
    }
}

pub fn a_plate_carries_what_sticks_to_it(on: &On) {
    let motion = steady([0.2, -0.1, 0.05], [0.0; 3]);
    let plate = Collider { friction: 1.0, motion, ..plane() };
    let mut sim = on.simulator(&scene_of(block(), vec![plate], world()));
    sim.advance(3000).unwrap();
    // The body above sways for long; its lower face goes with the plate.
    let lower = |sim: &Simulator| -> Vec<[f64; 3]> {
        let floor = 0.05 * sim.time() + 0.01;
        sim.positions().into_iter().filter(|p| p[2] < floor).collect()
    };
    let (start, time) = (lower(&sim), sim.time());
    sim.advance(1000).unwrap();
    let t = sim.time() - time;
    let carried: Vec<[f64; 3]> =
        start.iter().map(|p| [p[0] + 0.2 * t, p[1] - 0.1 * t, p[2] + 0.05 * t]).collect();
    let off = largest_distance(&carried, &lower(&sim));
    println!("{off:.1e} m off");
    assert!(start.len() == 9 && off < 2e-5, "{off} m off");
}

pub fn a_plate_pushes_what_is_in_its_way(on: &On) {
    let plate = Collider {
        shape: ColliderShape::Box { size: [1.0, 1.0, 0.1], hollow: false },
        rotate: Rotation::Euler([0.0, 90.0, 0.0]),
        translate: [-0.1, 0.1, 0.1],
        friction: 0.0,
        motion: steady([0.5, 0.0, 0.0], [0.0; 3]),
        ..plane()
    };
    let weightless = World { gravity: [0.0; 3], ..world() };
    let mut sim = on.simulator(&scene_of(block(), vec![plate], weightless));
    for _ in 0..10 {
        let time = sim.step(100).unwrap().time;
        let face = -0.05 + 0.5 * time;
        let nearest = sim.positions().iter().map(|p| p[0] - face).fold(f64::INFINITY, f64::min);
        assert!(nearest > -1e-5, "{nearest} m inside at {time} s");
    }
    let report = sim.report();
    let speed = report.momentum[0] / mass(&sim);
    assert!(speed > 0.45 && speed < 1.05, "{speed} m/s");
}

pub fn a_spinning_cylinder_drags_what_lies_on_it(on: &On) {
    // Its axis is along y, its top at z = 0 moves along x at 1 m/s.
    let roller = Collider {
        shape: ColliderShape::Cylinder { radius: 2.0, length: 4.0, hollow: false },
        rotate: Rotation::Euler([90.0, 0.0, 0.0]),
        translate: [0.1, 0.1, -2.0],
        friction: 0.3,
        motion: steady([0.0; 3], [0.0, 0.5, 0.0]),
        ..plane()
    };
    let mut block = block();
    block.translate = [0.0, 0.0, 0.001];
    let mut sim = on.simulator(&scene_of(block, vec![roller], world()));
    sim.advance(200).unwrap();
    let report = sim.report();
    let speed = report.momentum[0] / mass(&sim);
    // Friction alone accelerates it by 0.3 g, until it is as fast as the surface.
    assert!(speed > 0.3 && speed < 0.75, "{speed} m/s");
    assert!(report.colliders.unwrap().on_colliders[0][0] < 0.0, "it is held back in turn");
}

pub fn a_ball_rolls_down_a_height_map(on: &On) {
    // A valley along y: down to x = 1 and up again.
    let row: Vec<f64> = (0..21).map(|i| (f64::from(i) * 0.1 - 1.0).powi(2)).collect();
    let valley = Collider {
        shape: ColliderShape::HeightMap(ColliderGround {
            file: None,
            heights: Some(vec![row; 5]),
            size: [2.0, 2.0],
            height: 0.4,
        }),
        translate: [-1.0, -1.0, 0.0],
        friction: 0.2,
        ..plane()
    };
    let mut ball = ball(0.1);
    ball.translate = [-0.5, 0.05, 0.25];
    let short = World { timestep: 2e-4, ..world() };
    let mut sim = on.simulator(&scene_of(ball, vec![valley], short));
    let mut farthest = f64::NEG_INFINITY;
    for _ in 0..15 {
        let at = sim.step(500).unwrap().center_of_mass;
        let ground = 0.4 * at[0] * at[0];
        assert!(at[2] > ground + 0.05 && at[2] < ground + 0.25, "{at:?}");
        farthest = farthest.max(at[0]);
    }
    assert!(farthest > 0.05, "it comes through the valley: {farthest}");
    // Beside the map there is no ground.
    let mut beside = block();
    beside.translate = [1.5, 0.0, 0.5];
    let scene = sim.scene().clone();
    let mut sim = on.simulator(&Scene { bodies: vec![beside], ..scene });
    assert!(sim.step(3000).unwrap().center_of_mass[2] < -0.5);
}

pub fn a_hollow_sphere_holds_a_body(on: &On) {
    let globe = Collider {
        shape: ColliderShape::Sphere { radius: 0.5, hollow: true },
        translate: [3.0, 0.0, 1.0],
        thickness: 0.01,
        friction: 0.1,
        motion: steady([0.0, 0.3, 0.0], [1.0, 0.0, 2.0]),
        ..plane()
    };
    let mut block = block();
    block.translate = [2.8, 0.0, 1.0];
    let mut sim = on.simulator(&scene_of(block, vec![globe], world()));
    for _ in 0..10 {
        let time = sim.step(100).unwrap().time;
        let out = |p: &[f64; 3]| length([p[0] - 3.0, p[1] - 0.3 * time, p[2] - 1.0]);
        let farthest = sim.positions().iter().map(out).fold(0.0, f64::max);
        assert!(farthest < 0.49 + 1e-5, "{farthest} m from the middle at {time} s");
    }
}

pub fn a_wedge_of_two_planes_holds_a_body(on: &On) {
    let wall = |degrees| Collider {
        rotate: Rotation::Euler([0.0, degrees, 0.0]),
        friction: 0.0,
        ..Collider::default()
    };
    let mut block = block();
    block.translate = [-0.1, 0.0, 0.3];
    let damped = World { damping: 2.0, ..world() };
    let colliders = vec![wall(40.0), wall(-40.0)];
    let mut sim = on.simulator(&scene_of(block, colliders.clone(), damped));
    sim.advance(3000).unwrap();
    for p in sim.positions() {
        for collider in &colliders {
            let [.., x, z] = [0, 2].map(|k| collider.pose(0.0).rotation[k][2]);
            assert!(x * p[0] + z * p[2] > -1e-5, "{p:?}");
        }
    }
    let weight = mass(&sim) * G;
    let [a, b] = sim.collider_forces()[..] else { panic!("two colliders") };
    assert!((a[2] + b[2] + weight).abs() < 0.02 * weight, "{a:?} {b:?} {weight}");
    assert!((a[0] + b[0]).abs() < 0.02 * weight, "{a:?} {b:?}");
}

pub fn every_integrator_is_stopped(on: &On) {
    for integrator in Integrator::EXPLICIT {
        let tilted = Collider { rotate: Rotation::Euler([10.0, 0.0, 0.0]), ..plane() };
        let mut block = block();
        (block.rotate, block.translate) = (tilted.rotate, [0.0, 0.0, 0.05]);
        let world = World { integrator, damping: 1.0, timestep: 5e-4, ..world() };
        let mut sim = on.simulator(&scene_of(block, vec![tilted.clone()], world));
        let report = sim.step(1200).unwrap();
        let [x, y, z] = [0, 1, 2].map(|k| tilted.pose(0.0).rotation[k][2]);
        let height = |p: &[f64; 3]| x * p[0] + y * p[1] + z * p[2];
        let lowest = sim.positions().iter().map(height).fold(f64::INFINITY, f64::min);
        assert!(lowest > -1e-5 && lowest < 1e-3, "{integrator}: {lowest}");
        assert!(report.colliders.unwrap().touching >= 1, "{integrator}");
        assert!(length(report.momentum) / mass(&sim) < 0.1, "{integrator}: {:?}", report.momentum);
    }
}
