//! Statements about bodies that are drawn back to their shapes.

use crate::support::*;
use pliant::mesh::{Mesh, shapes};
use pliant::scene::{
    Body, Clusters, Collider, ColliderMotion, ColliderShape, Contact, Mass, Material, Pin, Region,
    Scene, ShapeMatching, ShapeMode, World,
};

fn matching(mode: ShapeMode, clusters: u32) -> ShapeMatching {
    ShapeMatching {
        mode,
        alpha: Some(0.8),
        beta: Some(0.3),
        damping: Some(60.0),
        clusters: Clusters::Count(clusters),
        ..ShapeMatching::default()
    }
}

/// A cube of 0.2 m whose lowest corner is there.
fn cube(name: &str, at: [f64; 3], matching: ShapeMatching) -> Body {
    let mesh = shapes::bar([4; 3], [0.2; 3], shapes::Split::Six);
    let material = Material { mass: Mass::Density(500.0), ..Material::default() };
    let shape_matching = Some(matching);
    Body { name: name.into(), translate: at, shape_matching, ..body(mesh, material) }
}

fn world() -> World {
    World { gravity: [0.0, 0.0, -9.81], timestep: 1e-3, damping: 0.5, ..space() }
}

fn floor() -> Collider {
    Collider {
        name: "floor".into(),
        shape: ColliderShape::Plane {},
        friction: 0.6,
        ..Collider::default()
    }
}

/// Lowest and highest point along z, and the mean along x, of a body.
fn extent(sim: &pliant::Simulator, number: usize) -> [f64; 3] {
    let vertices = sim.model().bodies[number].vertices.clone();
    let x = sim.positions();
    let own: Vec<[f64; 3]> = vertices.map(|v| x[v as usize]).collect();
    let heights = own.iter().map(|p| p[2]);
    let mean = own.iter().map(|p| p[0]).sum::<f64>() / own.len() as f64;
    [heights.clone().fold(f64::MAX, f64::min), heights.fold(f64::MIN, f64::max), mean]
}

/// Cubes of all modes fall on each other and lie there, each in its shape.
pub fn matched_cubes_pile_up(on: &On) {
    let modes = [ShapeMode::Rigid, ShapeMode::Linear, ShapeMode::Quadratic];
    let cubes = modes.iter().zip(0..).map(|(&mode, n)| {
        let name = format!("cube-{n}");
        // What is soft does not stand in towers, whatever holds it together.
        let rigid = ShapeMatching { alpha: Some(1.0), beta: Some(0.0), ..matching(mode, 1) };
        cube(&name, [0.01 * f64::from(n), 0.0, 0.02 + 0.23 * f64::from(n)], rigid)
    });
    let contact = Some(Contact { friction: 0.6, ..Contact::default() });
    let scene = Scene {
        name: "pile".into(),
        world: World { contact, timestep: 2.5e-4, ..world() },
        bodies: cubes.collect(),
        colliders: vec![floor()],
        ..Scene::default()
    };
    let mut sim = on.simulator(&scene);
    let report = sim.step(10_000).unwrap();
    println!("{:?} J", report.energy.kinetic);
    for n in 0..3 {
        let [low, high, _] = extent(&sim, n);
        println!("cube {n}: {low:.4} to {high:.4} m");
        let wanted = 0.2 * n as f64;
        assert!((low - wanted).abs() < 0.03, "cube {n} stands at {low}");
        assert!((high - low - 0.2).abs() < 0.02, "cube {n} is {} m high", high - low);
    }
    assert!(extent(&sim, 0)[0] > -1e-3, "nothing goes through the floor");
    assert!(report.max_speed < 0.05, "{}", report.max_speed);
}

/// A hand lifts a cube by a corner, and pins lead another one; both keep their shape.
pub fn matched_cubes_are_dragged_and_led(on: &On) {
    let dragged = cube("dragged", [0.0, 0.0, 0.0], matching(ShapeMode::Linear, 3));
    let mut led = cube("led", [1.0, 0.0, 0.5], matching(ShapeMode::Rigid, 3));
    let motion = ColliderMotion::Steady { velocity: [0.5, 0.0, 0.0], spin: [0.0; 3] };
    let top = Region::HalfSpace { point: [0.0, 0.0, 0.69], normal: [0.0, 0.0, 1.0] };
    led.pins = vec![Pin { region: top, motion, about: None }];
    let scene = Scene {
        name: "hands".into(),
        world: world(),
        bodies: vec![dragged, led],
        colliders: vec![floor()],
        ..Scene::default()
    };
    let mut sim = on.simulator(&scene);
    assert!(sim.grab([0.2, 0.2, 0.2], 0.06, 1.0, 200.0) > 0);
    if let pliant::touch::Touch::Drag(drag) = &mut sim.touches_mut()[0] {
        drag.cursor = [0.2, 0.2, 0.8];
    }
    sim.advance(1500).unwrap();
    let [low, high, _] = extent(&sim, 0);
    println!("dragged: {low:.3} to {high:.3} m");
    assert!(low > 0.1 && high < 1.0 && high - low < 0.4, "{low} to {high}");
    let [low, high, x] = extent(&sim, 1);
    println!("led: {low:.3} to {high:.3} m at {x:.3} m");
    assert!((high - 0.7).abs() < 1e-3 && (low - 0.5).abs() < 0.02, "{low} to {high}");
    assert!((x - 1.1 - 0.75).abs() < 0.03, "{x}");
}

/// Points without any elements are a body: they fall on the floor together and lie there in their shape.
pub fn a_cloud_of_points_is_a_body(on: &On) {
    let points = shapes::bar([5, 4, 3], [0.5, 0.4, 0.3], shapes::Split::Six).points;
    let mesh = Mesh { points, ..Mesh::default() };
    let material = Material { mass: Mass::Total(2.0), ..Material::default() };
    let cloud = Body {
        name: "cloud".into(),
        translate: [0.0, 0.0, 0.2],
        shape_matching: Some(matching(ShapeMode::Linear, 5)),
        ..body(mesh, material)
    };
    let scene = Scene {
        name: "cloud".into(),
        world: world(),
        bodies: vec![cloud],
        colliders: vec![floor()],
        ..Scene::default()
    };
    let mut sim = on.simulator(&scene);
    let report = sim.step(2500).unwrap();
    let [low, high, _] = extent(&sim, 0);
    println!("{low:.4} to {high:.4} m, {} m/s", report.max_speed);
    assert!(low.abs() < 5e-3 && (high - 0.3).abs() < 0.02, "{low} to {high}");
    assert!(report.max_speed < 0.05, "{}", report.max_speed);
    let limit = pliant::stability::stable_timestep(&sim).unwrap();
    assert!(limit > 10.0, "nothing but the damping of the world limits the step: {limit} s");
}
