//! Scenes in which bodies touch each other and rigid things.

use pliant_sim::Scene;
use pliant_sim::scene::{
    Action, ActionKind, Body, Collider, ColliderGround, ColliderMotion, ColliderShape, Contact,
    Copies, Damping, Drag, DragMotion, Keyframe, Mass, Material, PictureColour, Region, Rotation,
    Shape, Stiffness, Volume, World,
};

use super::{body, gel, scene, seen, walls, woven};

/// A world with `timestep` \[s\] and `damping` \[1/s\] in which soft bodies touch with a friction, if given.
pub(super) fn world(timestep: f64, damping: f64, friction: Option<f64>) -> World {
    let contact = friction.map(|friction| Contact { friction, ..Contact::default() });
    World { timestep, damping, contact, bounds: walls([3.0; 3], 0.6), ..World::default() }
}

fn collider(name: &str, shape: ColliderShape, translate: [f64; 3], friction: f64) -> Collider {
    Collider { name: name.into(), shape, translate, friction, ..Collider::default() }
}

/// Shifts at times \[s\], \[m\].
pub(super) fn keyframes(shifts: &[(f64, [f64; 3])]) -> ColliderMotion {
    let keyframe = |&(time, translate): &(f64, [f64; 3])| Keyframe {
        time,
        translate,
        rotate: Rotation::default(),
    };
    ColliderMotion::Keyframes { keyframes: shifts.iter().map(keyframe).collect(), repeat: false }
}

pub fn bowl() -> Scene {
    const RADIUS: f64 = 0.6;
    let ball = Body {
        translate: [-0.17, -0.17, 0.4],
        copies: Some(Copies { count: [3, 3, 1], spacing: [0.175, 0.17, 0.0] }),
        ..body("ball", Shape::Ball { radius: 0.08, cell: 0.04 }, gel(20e3, 1e-3))
    };
    let ring = Body {
        translate: [-0.13, -0.13, 0.62],
        copies: Some(Copies { count: [2, 2, 1], spacing: [0.26, 0.26, 0.0] }),
        ..body("ring", Shape::Torus { radius: 0.09, tube: 0.035, cell: 0.025 }, gel(20e3, 1e-3))
    };
    let inside = ColliderShape::Sphere { radius: RADIUS, hollow: true };
    let colliders = vec![collider("bowl", inside, [0.0, 0.0, RADIUS], 0.3)];
    let world = world(5e-4, 0.5, Some(0.3));
    let scene = Scene { colliders, ..scene("bowl", world, vec![ball, ring], 2.5) };
    seen(scene, [0.3, -1.0, 0.9], [0.0, 0.0, 0.25], 1.9)
}

pub fn press() -> Scene {
    const PLATE: [f64; 3] = [0.6, 0.6, 0.02];
    let ball = Body {
        translate: [0.0, 0.0, 0.17],
        ..body("ball", Shape::Ball { radius: 0.15, cell: 0.04 }, gel(20e3, 1e-3))
    };
    let plate = |name: &str, height: f64| {
        let shape = ColliderShape::Box { size: PLATE, hollow: false };
        collider(name, shape, [0.0, 0.0, height], 0.6)
    };
    let down = [0.0, 0.0, -0.13];
    let motion = Some(keyframes(&[(0.5, [0.0; 3]), (1.7, down), (2.3, down), (3.3, [0.0; 3])]));
    let colliders = vec![plate("table", 0.01), Collider { motion, ..plate("plate", 0.36) }];
    let scene = Scene { colliders, ..scene("press", world(4e-4, 1.0, None), vec![ball], 4.0) };
    let mut scene = seen(scene, [0.25, -1.0, 0.12], [0.0, 0.0, 0.18], 1.3);
    scene.output.picture.colour = PictureColour::Stress;
    scene
}

pub fn hills() -> Scene {
    const POINTS: usize = 13;
    const SIZE: [f64; 2] = [2.4, 1.2];
    // A valley that goes down in waves to a rim.
    let height = |x: f64, y: f64| {
        let rim = 0.56 * (x - 0.8).max(0.0) / 0.2;
        let height = 0.1 + 0.6 * (1.0 - x) + 0.07 * (11.0 * x).sin() + rim + 0.3 * y * y;
        (100.0 * height).round() / 100.0
    };
    let part = |i: usize| i as f64 / (POINTS - 1) as f64;
    let row = |j: usize| (0..POINTS).map(|i| height(part(i), 1.0 - 2.0 * part(j))).collect();
    let heights = Some((0..POINTS).map(row).collect());
    let ground = ColliderGround { file: None, heights, size: SIZE, height: 1.0 };
    let ball = Body {
        translate: [-0.9, 0.1, 0.95],
        ..body("ball", Shape::Ball { radius: 0.12, cell: 0.04 }, gel(30e3, 1e-3))
    };
    let corner = [-0.5 * SIZE[0], -0.5 * SIZE[1], 0.0];
    let colliders = vec![collider("hills", ColliderShape::HeightMap(ground), corner, 0.7)];
    let scene = Scene { colliders, ..scene("hills", world(5e-4, 0.1, None), vec![ball], 5.0) };
    seen(scene, [0.15, -1.0, 0.75], [0.0, 0.0, 0.35], 3.4)
}

pub fn chain() -> Scene {
    const RINGS: u32 = 5;
    let ring = |i: u32| Body {
        rotate: Rotation::Euler(if i.is_multiple_of(2) {
            [0.0, 90.0, 0.0]
        } else {
            [90.0, 0.0, 0.0]
        }),
        translate: [0.0, 0.0, 1.6 - 0.15 * f64::from(i)],
        ..body(
            format!("ring-{}", i + 1),
            Shape::Torus { radius: 0.11, tube: 0.03, cell: 0.024 },
            gel(40e3, 5e-4),
        )
    };
    let mut rings: Vec<Body> = (0..RINGS).map(ring).collect();
    let top = Region::HalfSpace { point: [0.0, 0.0, 1.69], normal: [0.0, 0.0, 1.0] };
    rings[0].locks = vec![top];
    let pull = Drag {
        center: [0.0, 0.0, 0.95],
        radius: 0.12,
        motion: DragMotion::Target([0.35, -0.1, 1.0]),
        stiffness: 6.0,
    };
    let actions = vec![Action { start: 1.2, end: Some(1.7), kind: ActionKind::Drag(pull) }];
    let scene = Scene { actions, ..scene("chain", world(2.5e-4, 0.4, Some(0.3)), rings, 3.0) };
    seen(scene, [0.5, -1.0, 0.15], [0.05, 0.0, 1.0], 2.9)
}

pub fn drape() -> Scene {
    const SIDE: f64 = 0.8;
    const HEIGHT: f64 = 0.5;
    let cloth = |young: f64| Material {
        mass: Mass::Density(0.3),
        stiffness: Stiffness::Young(young),
        volume: Volume::None,
        damping: Damping::Time(1e-3),
    };
    let sheet = Body {
        translate: [-1.0, -0.45, 0.6],
        ..body("sheet", Shape::Cloth { cells: [28; 2], size: [0.9; 2] }, cloth(40.0))
    };
    let globe = Body {
        translate: [-0.55, 0.0, 0.22],
        ..body("globe", Shape::Ball { radius: 0.22, cell: 0.07 }, gel(30e3, 1e-3))
    };
    let corner = [0.15, -0.5 * SIDE, HEIGHT];
    let held = |x: f64, y: f64| {
        let center = [corner[0] + x * SIDE, corner[1] + y * SIDE, HEIGHT];
        Region::Sphere { center, radius: 0.03 }
    };
    let hammock = Body {
        translate: corner,
        locks: vec![held(0.0, 0.0), held(1.0, 0.0), held(0.0, 1.0), held(1.0, 1.0)],
        ..body("hammock", Shape::Cloth { cells: [24; 2], size: [SIDE; 2] }, cloth(120.0))
    };
    let foam = Material { mass: Mass::Density(60.0), ..gel(3e3, 2e-3) };
    let ball = Body {
        translate: [0.45, -0.08, 0.62],
        copies: Some(Copies { count: [2, 2, 1], spacing: [0.2, 0.17, 0.0] }),
        ..body("ball", Shape::Ball { radius: 0.07, cell: 0.035 }, foam)
    };
    let world = world(2.5e-4, 1.0, Some(0.4));
    let scene = scene("drape", world, vec![sheet, globe, hammock, ball], 2.5);
    seen(scene, [0.2, -1.0, 0.45], [0.0, 0.0, 0.3], 3.0)
}

pub fn tablecloth() -> Scene {
    const SIDE: f64 = 1.1;
    const TOP: f64 = 0.52;
    let linen = woven(0.2, [150.0, 120.0], [8.0, 2.0], 5e-4);
    let sheet = Body {
        translate: [-0.5 * SIDE, -0.5 * SIDE, TOP + 0.06],
        ..body("tablecloth", Shape::Cloth { cells: [48; 2], size: [SIDE; 2] }, linen)
    };
    // Rounder than the cells of the cloth, which would cut a sharp rim short.
    let part = |name: &str, [radius, length, thickness]: [f64; 3], middle: f64| {
        let shape = ColliderShape::Cylinder { radius, length, hollow: false };
        Collider { thickness, ..collider(name, shape, [0.0, 0.0, middle], 0.5) }
    };
    let colliders = vec![
        part("table", [0.325, 0.005, 0.025], TOP - 0.0275),
        part("leg", [0.03, TOP - 0.05, 0.0], 0.5 * TOP - 0.025),
    ];
    let world = world(2.5e-4, 1.0, Some(0.4));
    let scene = Scene { colliders, ..scene("tablecloth", world, vec![sheet], 4.0) };
    seen(scene, [0.3, -1.0, 0.5], [0.0, 0.0, 0.35], 2.2)
}

pub fn gripper() -> Scene {
    const SIDE: f64 = 0.2;
    const PAD: [f64; 3] = [0.03, 0.16, 0.16];
    let block = Body {
        translate: [-0.5 * SIDE, -0.5 * SIDE, 0.0],
        ..body("block", Shape::bar([6; 3], [SIDE; 3]), gel(20e3, 1e-3))
    };
    // The pads close, lift, wait, put down and open; `side` is −1 on the left and 1 on the right.
    let pad = |name: &str, side: f64| {
        let shift = |inwards: f64, up: f64| [-side * inwards, 0.0, up];
        let shape = ColliderShape::Box { size: PAD, hollow: false };
        let motion = keyframes(&[
            (0.3, [0.0; 3]),
            (0.9, shift(0.055, 0.0)),
            (1.0, shift(0.055, 0.0)),
            (2.0, shift(0.055, 0.25)),
            (3.2, shift(0.055, 0.25)),
            (4.0, shift(0.055, 0.0)),
            (4.3, shift(-0.02, 0.0)),
        ]);
        let place = [side * 0.15, 0.0, 0.5 * SIDE];
        Collider { motion: Some(motion), ..collider(name, shape, place, 0.8) }
    };
    let colliders = vec![pad("left", -1.0), pad("right", 1.0)];
    let scene = Scene { colliders, ..scene("gripper", world(5e-4, 2.0, None), vec![block], 4.8) };
    seen(scene, [0.5, -1.0, 0.35], [0.0, 0.0, 0.22], 1.5)
}
