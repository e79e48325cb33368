//! Scenes in the wind.

use pliant_sim::Scene;
use pliant_sim::scene::{Body, Collider, ColliderShape, Region, Rotation, Shape, Wind, World};

use super::{body, scene, seen, walls, woven};

pub fn flag() -> Scene {
    const SIZE: [f64; 2] = [0.9, 0.6];
    const FOOT: f64 = 0.9;
    const POLE: f64 = 0.015;
    let bunting = woven(0.11, [120.0, 100.0], [8.0, 0.5], 3e-4);
    let hoist = Region::HalfSpace { point: [1e-3, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] };
    let flag = Body {
        rotate: Rotation::Euler([90.0, 0.0, 0.0]),
        translate: [0.0, 0.0, FOOT],
        locks: vec![hoist],
        ..body("flag", Shape::Cloth { cells: [42, 28], size: SIZE }, bunting)
    };
    let top = FOOT + SIZE[1] + 0.03;
    let pole = Collider {
        name: "pole".into(),
        shape: ColliderShape::Cylinder { radius: POLE, length: top, hollow: false },
        translate: [-POLE - 2e-3, 0.0, 0.5 * top],
        friction: 0.3,
        ..Collider::default()
    };
    let wind = Wind {
        velocity: [6.0, 1.0, 0.0],
        gust: 0.35,
        gust_period: 1.5,
        seed: 2,
        ..Wind::default()
    };
    let world = World {
        timestep: 2.5e-4,
        damping: 0.0,
        bounds: walls([3.0; 3], 0.4),
        wind: Some(wind),
        ..World::default()
    };
    let scene = Scene { colliders: vec![pole], ..scene("flag", world, vec![flag], 5.0) };
    let mut scene = seen(scene, [0.35, -1.0, 0.2], [0.35, 0.0, 1.05], 2.4);
    scene.output.picture.wind = true;
    scene
}
