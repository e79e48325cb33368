//! Scenes of bodies that are drawn back to their shapes.

use pliant_sim::Scene;
use pliant_sim::scene::{
    Body, Cage, Clusters, Collider, ColliderGround, ColliderShape, Contact, Copies, Mass, Material,
    Rotation, Shape, ShapeMatching, ShapeMode, ShapePlasticity, ShapeSettings, World,
};

use super::contact::keyframes;
use super::{body, gel, scene, seen, walls};

/// A light material, without springs.
fn light() -> Material {
    Material { mass: Mass::Density(300.0), ..Material::default() }
}

pub fn toys() -> Scene {
    const POINTS: usize = 9;
    const SIZE: [f64; 2] = [2.0, 1.4];
    // A hollow with two hills, so that nothing rolls away.
    let height = |x: f64, y: f64| {
        let rim = 0.3 * (x.powi(4) + y.powi(4));
        let hill = |a: f64, b: f64| (-9.0 * ((x - a).powi(2) + (y - b).powi(2))).exp();
        let height = rim + 0.22 * hill(-0.4, 0.1) + 0.17 * hill(0.45, -0.2);
        (100.0 * height).round() / 100.0
    };
    let part = |i: usize| 2.0 * i as f64 / (POINTS - 1) as f64 - 1.0;
    let row = |j: usize| (0..POINTS).map(|i| height(part(i), -part(j))).collect();
    let heights = Some((0..POINTS).map(row).collect());
    let ground = ColliderGround { file: None, heights, size: SIZE, height: 1.0 };
    let hills = Collider {
        name: "hills".into(),
        shape: ColliderShape::HeightMap(ground),
        translate: [-0.5 * SIZE[0], -0.5 * SIZE[1], 0.0],
        friction: 0.5,
        ..Collider::default()
    };
    let toy = |name: &str, shape: Shape, clusters: u32, translate: [f64; 3], turn: [f64; 3]| Body {
        translate,
        rotate: Rotation::Euler(turn),
        copies: Some(Copies { count: [2, 2, 1], spacing: [0.5, 0.44, 0.0] }),
        shape_matching: Some(ShapeMatching {
            clusters: Clusters::Count(clusters),
            ..ShapeMatching::default()
        }),
        ..body(name, shape, light())
    };
    let star = Shape::Star { radius: 0.14, thickness: 0.08, cell: 0.03 };
    let bodies = vec![
        toy(
            "bunny",
            Shape::Bunny { height: 0.26, cell: 0.03 },
            5,
            [-0.25, -0.2, 0.4],
            [0.0, 0.0, 40.0],
        ),
        toy(
            "ring",
            Shape::Torus { radius: 0.1, tube: 0.04, cell: 0.035 },
            6,
            [-0.3, -0.25, 0.85],
            [70.0, 20.0, 0.0],
        ),
        toy("star", star, 6, [-0.2, -0.2, 1.15], [60.0, 30.0, 0.0]),
        toy("ball", Shape::Ball { radius: 0.09, cell: 0.05 }, 1, [-0.25, -0.3, 1.45], [0.0; 3]),
    ];
    let world = World {
        timestep: 1e-3,
        damping: 0.5,
        bounds: walls([SIZE[0], SIZE[1], 3.0], 0.5),
        contact: Some(Contact::default()),
        shape_matching: Some(ShapeSettings { alpha: 0.999, beta: 0.3, damping: 8.0 }),
        ..World::default()
    };
    let scene = Scene { colliders: vec![hills], ..scene("toys", world, bodies, 3.0) };
    seen(scene, [0.25, -1.0, 0.75], [0.0, 0.0, 0.25], 2.9)
}

pub fn can() -> Scene {
    const OUTER: f64 = 0.13;
    const LENGTH: f64 = 0.4;
    let tin = ShapeMatching {
        mode: ShapeMode::Linear,
        alpha: Some(1.0),
        beta: Some(0.05),
        damping: Some(30.0),
        clusters: Clusters::Count(60),
        plasticity: Some(ShapePlasticity { threshold: 0.03, creep: 200.0, max: 1.0 }),
        ..ShapeMatching::default()
    };
    let can = Body {
        // It stands upright.
        rotate: Rotation::Euler([0.0, -90.0, 0.0]),
        translate: [0.0, 0.0, 1e-3],
        shape_matching: Some(tin),
        ..body(
            "can",
            Shape::Tube { inner: OUTER - 0.012, outer: OUTER, length: LENGTH, cell: 0.02 },
            Material { mass: Mass::Density(2700.0), ..Material::default() },
        )
    };
    // Two fists meet in the middle of the can, and draw back.
    let fist = |name: &str, side: f64, height: f64| Collider {
        name: name.into(),
        shape: ColliderShape::Sphere { radius: 0.06, hollow: false },
        translate: [side * (OUTER + 0.07), 0.0, height],
        friction: 0.6,
        motion: Some(keyframes(&[
            (0.2, [0.0; 3]),
            (0.8, [-0.1 * side, 0.0, 0.0]),
            (1.0, [-0.1 * side, 0.0, 0.0]),
            (1.4, [0.1 * side, 0.0, 0.0]),
        ])),
        ..Collider::default()
    };
    let colliders = vec![fist("left", -1.0, 0.22), fist("right", 1.0, 0.26)];
    let world = World {
        timestep: 1e-3,
        damping: 2.0,
        bounds: walls([1.6, 1.2, 1.2], 0.8),
        ..World::default()
    };
    let scene = Scene { colliders, ..scene("can", world, vec![can], 3.0) };
    seen(scene, [0.55, -1.0, 0.45], [0.0, 0.0, 0.2], 1.25)
}

pub fn caged() -> Scene {
    // Surfaces of some ten thousand triangles, and a few hundred tetrahedra that move them.
    let caged = |name: &str, shape: Shape, cells: u32, translate: [f64; 3], turn: [f64; 3]| Body {
        cage: Some(Cage { cells }),
        translate,
        rotate: Rotation::Euler(turn),
        ..body(name, shape, gel(25e3, 1e-3))
    };
    let bodies = vec![
        caged(
            "bunny",
            Shape::Bunny { height: 0.3, cell: 0.01 },
            9,
            [-0.3, 0.0, 0.25],
            [20.0, 0.0, 30.0],
        ),
        caged(
            "star",
            Shape::Star { radius: 0.14, thickness: 0.07, cell: 0.01 },
            9,
            [0.3, 0.0, 0.5],
            [60.0, 20.0, 0.0],
        ),
    ];
    let world = World {
        timestep: 4e-4,
        damping: 0.2,
        bounds: walls([1.4, 1.0, 1.6], 0.5),
        ..World::default()
    };
    let scene = scene("caged", world, bodies, 2.5);
    seen(scene, [0.3, -1.0, 0.35], [0.0, 0.0, 0.27], 1.6)
}
