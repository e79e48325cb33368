//! The scenes, one function each.

use pliant_sim::Scene;
use pliant_sim::scene::{
    Action, ActionKind, Body, Damping, Drag, DragMotion, LiveValue, Mass, Material, Push, Region,
    Rotation, RunPlan, Set, Shape, Source, Stiffness, Volume, World, WorldBox,
};

/// A soft material of the density of water and Young's modulus `young` \[Pa\]. The volume resists
/// twice as hard as the springs, which keeps bodies plump while steps stay long.
fn gel(young: f64) -> Material {
    Material {
        mass: Mass::Density(1000.0),
        stiffness: Stiffness::Young(young),
        volume: Volume::Energy(2.0 * young),
        damping: Damping::Time(0.0006),
    }
}

/// A box on the ground with somewhat rough walls.
fn walls(size: [f64; 3]) -> Option<WorldBox> {
    Some(WorldBox { size, friction: 0.4, ..WorldBox::default() })
}

fn scene(name: &str, world: World, bodies: Vec<Body>, duration: f64) -> Scene {
    let run = RunPlan { duration: Some(duration), steps: None };
    Scene { name: name.into(), world, bodies, run, ..Scene::default() }
}

fn body(name: impl Into<String>, shape: Shape, material: Material) -> Body {
    Body { name: name.into(), source: Source::Shape(shape), material, ..Body::default() }
}

pub fn jelly() -> Scene {
    const SIDE: f64 = 0.2;
    let kinds = [("soft", 8e3, -0.45), ("firm", 20e3, 0.0), ("hard", 80e3, 0.45)];
    let bodies = kinds.map(|(name, young, x)| Body {
        rotate: Rotation::Euler([12.0, -18.0, 0.0]),
        translate: [x - 0.5 * SIDE, -0.5 * SIDE, 0.35],
        ..body(name, Shape::bar([8; 3], [SIDE; 3]), gel(young))
    });
    let bounds = walls([1.8, 0.9, 1.2]);
    let world = World { timestep: 5e-4, friction: 1.0, bounds, ..World::default() };
    scene("jelly", world, bodies.into(), 4.0)
}

pub fn hanging_bar() -> Scene {
    let end = |x: f64, normal: f64| Region::HalfSpace {
        point: [x, 0.0, 0.0],
        normal: [normal, 0.0, 0.0],
    };
    let bar = Body {
        translate: [-0.4, -0.05, 1.0],
        locks: vec![end(-0.4, -1.0), end(0.4, 1.0)],
        ..body("bar", Shape::bar([32, 4, 4], [0.8, 0.1, 0.1]), gel(40e3))
    };
    let pull = Action {
        start: 1.0,
        end: Some(1.6),
        kind: ActionKind::Drag(Drag {
            center: [0.0, 0.0, 1.0],
            radius: 0.12,
            motion: DragMotion::Target([0.0, 0.1, 0.8]),
            stiffness: 20.0,
        }),
    };
    let world = World { timestep: 5e-4, friction: 1.0, bounds: None, ..World::default() };
    Scene { actions: vec![pull], ..scene("hanging-bar", world, vec![bar], 4.0) }
}

pub fn dent() -> Scene {
    let block = Body {
        translate: [-0.3, -0.3, 0.0],
        locks: vec![Region::HalfSpace { point: [0.0; 3], normal: [0.0, 0.0, -1.0] }],
        ..body("putty", Shape::bar([12, 12, 6], [0.6, 0.6, 0.3]), gel(40e3))
    };
    let push = Action {
        start: 0.5,
        end: Some(1.2),
        kind: ActionKind::Push(Push {
            origin: [0.0, 0.0, 1.0],
            direction: [0.1, 0.0, -1.0],
            radius: 0.16,
            force: 3.0,
        }),
    };
    let world = World {
        timestep: 2e-4,
        friction: 3.0,
        plasticity: 0.08,
        bounds: walls([1.5, 1.5, 1.5]),
        ..World::default()
    };
    Scene { actions: vec![push], ..scene("dent", world, vec![block], 2.5) }
}

pub fn crowd() -> Scene {
    const SIDE: u64 = 10;
    const SPACING: f64 = 0.32;
    let bodies = (0..SIDE * SIDE).map(|i| {
        let (column, row) = (i % SIDE, i / SIDE);
        // Numbers in a jumbled order, so that neighbours differ in everything.
        let mix = |n: u64| (i * 37 + n * 61) % 100;
        let part = |n: u64| mix(n) as f64 / 100.0;
        let size = 0.07 + 0.04 * part(1);
        let young = 6e3 * 6f64.powf(part(2));
        let middle = |cell: u64| (cell as f64 - 0.5 * (SIDE - 1) as f64) * SPACING;
        Body {
            rotate: Rotation::Euler([360.0 * part(3), 180.0 * part(4), 0.0]),
            translate: [middle(column), middle(row), 0.3 + 0.9 * part(5)],
            spin: [6.0 * (part(6) - 0.5), 6.0 * (part(7) - 0.5), 0.0],
            ..body(format!("body-{i}"), small_shape(i, size), gel(young))
        }
    });
    let side = SIDE as f64 * SPACING + 0.4;
    let world = World {
        timestep: 4e-4,
        friction: 1.0,
        bounds: walls([side, side, 2.5]),
        ..World::default()
    };
    scene("crowd", world, bodies.collect(), 2.4)
}

/// One of many kinds of bodies of about `size` \[m\] from the middle to the rim.
fn small_shape(i: u64, size: f64) -> Shape {
    let cell = 0.5 * size;
    match i % 7 {
        0 => Shape::Ball { radius: size, cell },
        1 => Shape::bar([4; 3], [1.5 * size; 3]),
        2 => Shape::Torus { radius: 0.8 * size, tube: 0.4 * size, cell: 0.7 * cell },
        3 => Shape::Blob { radius: size, cell, seed: i },
        4 => Shape::Capsule { radius: 0.55 * size, length: size, cell },
        5 => Shape::IrregularBar { cells: [5, 3, 3], size: [2.0 * size, size, size], seed: i },
        _ => Shape::Cylinder { radius: 0.7 * size, length: 1.2 * size, cell },
    }
}

pub fn cloth() -> Scene {
    const SIDE: f64 = 1.0;
    const HEIGHT: f64 = 1.0;
    let half = 0.5 * SIDE;
    let corners = [[-half, -half], [half, -half], [-half, half], [half, half]];
    let sheet = Body {
        translate: [-half, -half, HEIGHT],
        locks: corners.map(|[x, y]| Region::Sphere { center: [x, y, HEIGHT], radius: 0.01 }).into(),
        ..body("sheet", Shape::Cloth { cells: [48, 48], size: [SIDE; 2] }, cotton())
    };
    let gust = |start: f64, force: [f64; 3]| Action {
        start,
        end: None,
        kind: ActionKind::Set(Set {
            key: "world.external_force".into(),
            value: LiveValue::Vector(force),
        }),
    };
    let actions = vec![
        gust(1.0, [4e-4, 0.0, 1.6e-3]),
        gust(1.8, [-2e-4, 3e-4, 4e-4]),
        gust(2.4, [3e-4, -2e-4, 1.8e-3]),
        gust(3.2, [0.0; 3]),
    ];
    let world = World { timestep: 5e-4, friction: 2.0, bounds: None, ..World::default() };
    Scene { actions, ..scene("cloth", world, vec![sheet], 4.5) }
}

/// A light, easily stretched cloth.
fn cotton() -> Material {
    Material {
        mass: Mass::Density(0.2),
        stiffness: Stiffness::Hardness(25.0),
        volume: Volume::None,
        damping: Damping::Time(0.0002),
    }
}

pub fn blob() -> Scene {
    let blob = Body {
        translate: [0.0, 0.0, 0.7],
        rotate: Rotation::Euler([30.0, 20.0, 0.0]),
        ..body("blob", Shape::Blob { radius: 0.25, cell: 0.035, seed: 7 }, gel(12e3))
    };
    let world =
        World { timestep: 4e-4, friction: 1.0, bounds: walls([1.6, 1.6, 2.0]), ..World::default() };
    scene("blob", world, vec![blob], 4.0)
}
