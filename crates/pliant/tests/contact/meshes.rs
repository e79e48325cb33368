//! Triangle meshes as colliders: they stop, carry and push bodies, whatever moves them.

use std::f64::consts::PI;

use crate::support::*;
use crate::{block, scene, touching};
use pliant::mesh::{Mesh, shapes};
use pliant::scene::{
    Body, Collider, ColliderMesh, ColliderMotion, ColliderShape, Damping, Keyframe, Rotation,
    Source, World,
};
use pliant::{Scene, Simulator};

/// Gravity \[m/s²\].
const G: f64 = 9.81;

/// A collider of a mesh.
pub fn collider(name: &str, mesh: Mesh) -> Collider {
    let shape = ColliderShape::Mesh(ColliderMesh::of(Source::Inline(mesh)));
    Collider { name: name.into(), shape, ..Collider::default() }
}

/// A hemisphere that is open at the top, round the origin: a bowl without walls.
pub fn bowl(radius: f64) -> Mesh {
    let profile: Vec<[f64; 2]> = (0..=8)
        .map(|i| {
            let angle = 0.5 * PI * f64::from(i) / 8.0;
            [if i == 0 { 0.0 } else { radius * angle.sin() }, -radius * angle.cos()]
        })
        .collect();
    shapes::lathe(&profile, 24).unwrap()
}

/// The same with walls: a closed surface.
fn thick_bowl(radius: f64, wall: f64) -> Mesh {
    let arc = |radius: f64| {
        move |i: i32| {
            let angle = 0.5 * PI * f64::from(i) / 8.0;
            [if i == 0 { 0.0 } else { radius * angle.sin() }, -radius * angle.cos()]
        }
    };
    let outer = (0..=8).map(arc(radius + wall));
    let profile: Vec<[f64; 2]> = outer.chain((0..=8).rev().map(arc(radius))).collect();
    shapes::lathe(&profile, 24).unwrap()
}

/// A flat square of triangles round the origin.
fn sheet(cells: u32, size: f64) -> Mesh {
    let mut mesh = shapes::cloth([cells; 2], [size; 2]).unwrap();
    mesh.points.iter_mut().for_each(|p| (p[0], p[1]) = (p[0] - 0.5 * size, p[1] - 0.5 * size));
    mesh
}

fn ball(name: &str, radius: f64) -> Body {
    let mut ball = body(shapes::ball(radius, 0.4 * radius).unwrap(), rubber(1000.0, 1e5));
    ball.material.damping = Damping::Time(1e-3);
    ball.name = name.into();
    ball
}

fn with(colliders: Vec<Collider>, bodies: Vec<Body>, world: World) -> Scene {
    Scene { colliders, ..scene(bodies, world) }
}

fn mass(sim: &Simulator) -> f64 {
    sim.model().mass.iter().map(|&m| f64::from(m)).sum()
}

#[test]
fn a_ball_in_a_bowl_comes_to_rest_and_the_bowl_carries_its_weight() {
    for (name, mesh) in [("open", bowl(0.2)), ("closed", thick_bowl(0.2, 0.02))] {
        let mut soft = ball("ball", 0.06);
        soft.translate = [0.05, 0.02, -0.05];
        // The world has no contact of its own.
        let world = World { contact: None, damping: 3.0, ..touching(0.5) };
        let mut sim = simulator(&with(vec![collider("bowl", mesh)], vec![soft], world));
        let report = sim.step(4000).unwrap();
        let (weight, force) = (mass(&sim) * G, sim.collider_forces()[0]);
        assert!((force[2] / weight + 1.0).abs() < 0.01, "{name}: {force:?} of {weight} N");
        assert!(force[0].hypot(force[1]) < 0.01 * weight, "{name}: {force:?}");
        let center = report.center_of_mass;
        assert!(report.max_speed < 1e-2 && center[0].hypot(center[1]) < 0.05, "{name}: {report:?}");
        let colliders = report.colliders.unwrap();
        assert_eq!(colliders.on_colliders[0], force);
        assert!(colliders.touching > 2, "{name}: {}", colliders.touching);
        let all: f64 = sim.contact_forces().iter().map(|f| f64::from(f[2])).sum();
        assert!((all / weight - 1.0).abs() < 0.01, "{name}: {all} N");
    }
}

/// The same as on a slope of soft stuff, on a tilted sheet: how far a block goes and how much faster it gets.
fn on_slope(friction: f64, leans: f64, seconds: f64) -> (f64, f64) {
    let angle = 0.5_f64.atan();
    let mut upper = block("upper", 2, 0.1);
    let tilt = Rotation::AxisAngle { axis: [0.0, 1.0, 0.0], degrees: angle.to_degrees() };
    // Laid on the sheet, a little above it.
    let ground = Collider { rotate: tilt, friction, ..collider("ground", sheet(8, 2.0)) };
    upper.rotate = tilt;
    upper.translate = ground.pose(0.0).place([-0.8, -0.05, 0.01]);
    let down: [f64; 3] = ground.pose(0.0).rotation.map(|row| row[0]);
    let normal: [f64; 3] = ground.pose(0.0).rotation.map(|row| row[2]);
    // Friction of the world is not that of the collider.
    let world =
        World { damping: 5.0, gravity: normal.map(|n| -G * angle.cos() * n), ..touching(9.0) };
    let mut sim = simulator(&with(vec![ground], vec![upper], world));
    sim.advance(600).unwrap();
    let tilted = World { damping: 2.0, gravity: [0.0, 0.0, -G], ..sim.world().clone() };
    sim.set_world(tilted.clone()).unwrap();
    sim.advance((leans * 1e3) as u64).unwrap();
    sim.set_world(World { damping: 0.0, ..tilted }).unwrap();
    let along = |v: [f64; 3]| (0..3).map(|k| v[k] * down[k]).sum::<f64>();
    let before = sim.report();
    let after = sim.step((seconds * 1e3) as u64).unwrap();
    let way = length(std::array::from_fn(|k| after.center_of_mass[k] - before.center_of_mass[k]));
    (way, (along(after.momentum) - along(before.momentum)) / mass(&sim))
}

#[test]
fn a_block_on_a_tilted_sheet_sticks_or_slides_as_coulomb_says() {
    let (way, speed) = on_slope(0.55, 4.0, 10.0);
    assert!(way < 1e-5 && speed.abs() < 1e-5, "{way} m, {speed} m/s");
    let angle = 0.5_f64.atan();
    for friction in [0.0, 0.2, 0.4] {
        let (_, speed) = on_slope(friction, 0.3, 0.3);
        let wanted = 0.3 * G * (angle.sin() - friction * angle.cos());
        assert!((speed / wanted - 1.0).abs() < 0.03, "{friction}: {speed} instead of {wanted} m/s");
    }
}

#[test]
fn a_turntable_carries_what_stands_on_it_round() {
    let spin = 1.5;
    let mut rider = block("rider", 2, 0.08);
    rider.translate = [0.16, -0.04, 0.008];
    let motion = ColliderMotion::Steady { velocity: [0.0; 3], spin: [0.0, 0.0, spin] };
    let table =
        Collider { motion: Some(motion), friction: 0.8, ..collider("table", sheet(6, 0.8)) };
    let mut sim =
        simulator(&with(vec![table], vec![rider], World { damping: 0.0, ..touching(0.3) }));
    sim.advance(2000).unwrap();
    let seen = |sim: &mut Simulator| {
        let at = sim.report().center_of_mass;
        (at[0].hypot(at[1]), at[1].atan2(at[0]))
    };
    let (radius, angle) = seen(&mut sim);
    sim.advance(2000).unwrap();
    let (later, turned) = seen(&mut sim);
    let turned = (turned - angle).rem_euclid(2.0 * PI);
    assert!((turned / (spin * 2.0) - 1.0).abs() < 0.01, "{turned} rad");
    assert!((later - radius).abs() < 1e-3, "it stays at {radius} m: {later}");
}

#[test]
fn a_mesh_that_moves_pushes_bodies_with_its_velocity() {
    for mesh in [sheet(4, 0.4), shapes::rounded_box([0.4, 0.4, 0.05], 0.0, 1).unwrap()] {
        let mut pushed = block("pushed", 2, 0.1);
        pushed.translate = [-0.05, -0.05, 0.05];
        let motion = ColliderMotion::Steady { velocity: [0.0, 0.0, 0.5], spin: [0.0; 3] };
        let plate = Collider { motion: Some(motion), ..collider("plate", mesh) };
        let world = World { timestep: 1e-3, damping: 0.3, ..space() };
        let mut sim = simulator(&with(vec![plate], vec![pushed], world));
        let report = sim.step(2500).unwrap();
        let speed = report.momentum[2] / mass(&sim);
        assert!((speed / 0.5 - 1.0).abs() < 0.05, "{speed} m/s");
        let low = sim.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
        assert!(low > 1.25, "the plate is at 1.25 m, and it at {low} m");
    }
}

/// The way of a point that is lifted and turned by keyframes.
pub fn lift() -> ColliderMotion {
    let keyframes = vec![
        Keyframe { time: 0.0, translate: [0.0; 3], rotate: Rotation::default() },
        Keyframe { time: 0.4, translate: [0.05, 0.0, 0.2], rotate: Rotation::default() },
        Keyframe { time: 0.8, translate: [-0.05, 0.0, 0.1], rotate: Rotation::default() },
    ];
    ColliderMotion::Keyframes { keyframes, repeat: false }
}
