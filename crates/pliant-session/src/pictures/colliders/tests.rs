//! Surfaces that are closed and face the bodies, and pictures that show them where they are.

use pliant_mesh::topology::surface_edges;
use pliant_render::{Colour, Image};
use pliant_sim::scene::{
    Body, ColliderGround, ColliderMotion, Mass, Picture, PictureCamera, PictureColour, Rotation,
    RunPlan, Scene, Shape, Source, Stiffness,
};
use pliant_sim::{Backend, Simulator, at_once};

use super::super::Painter;
use super::*;
use crate::{Fields, Frame};

const SCENE: Bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };
const SIZE: [u32; 2] = [320, 240];

fn collider(shape: ColliderShape, thickness: f64) -> Collider {
    Collider { shape, thickness, ..Collider::default() }
}

/// All closed shapes, with the volume inside.
fn closed(hollow: bool) -> [(ColliderShape, f64); 4] {
    [
        (ColliderShape::Sphere { radius: 0.5, hollow }, PI / 6.0),
        (ColliderShape::Capsule { radius: 0.5, length: 0.7, hollow }, PI / 6.0 + 0.7 * PI / 4.0),
        (ColliderShape::Box { size: [0.5, 1.0, 2.0], hollow }, 1.0),
        (ColliderShape::Cylinder { radius: 0.5, length: 0.7, hollow }, 0.7 * PI / 4.0),
    ]
}

fn ground() -> ColliderGround {
    let heights = vec![vec![0.0, 0.5, 0.0], vec![0.0, 0.0, 0.2]];
    ColliderGround { file: None, heights: Some(heights), size: [2.0, 1.0], height: 0.5 }
}

fn normal(mesh: &Mesh, triangle: [u32; 3]) -> [f64; 3] {
    let [a, b, c] = triangle.map(|v| mesh.points[v as usize]);
    let [p, q]: [[f64; 3]; 2] = [b, c].map(|e| std::array::from_fn(|k| e[k] - a[k]));
    std::array::from_fn(|k| p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3])
}

fn volume(mesh: &Mesh) -> f64 {
    let part = |t: &[u32; 3]| {
        let (a, n) = (mesh.points[t[0] as usize], normal(mesh, *t));
        (0..3).map(|k| a[k] * n[k]).sum::<f64>() / 6.0
    };
    mesh.triangles.iter().map(part).sum()
}

#[test]
fn closed_shapes_are_closed_and_face_the_bodies() {
    for (hollow, thickness) in [(false, 0.0), (false, 0.05), (true, 0.0), (true, 0.05)] {
        for (shape, inside) in closed(hollow) {
            let collider = collider(shape, thickness);
            let what = format!("{collider:?}");
            let mesh = surface(&collider, SCENE).unwrap();
            let edges = surface_edges(&mesh.triangles, None);
            assert!(edges.is_closed_manifold() && edges.flipped.is_empty(), "{what}: {edges:?}");
            let got = volume(&mesh) / inside;
            match (hollow, thickness > 0.0) {
                (false, false) => assert!((got - 1.0).abs() < 0.01, "{what}: {got}"),
                (true, false) => assert!((got + 1.0).abs() < 0.02, "{what}: {got}"),
                (false, true) => assert!(got > 1.15, "{what}: {got}"),
                (true, true) => assert!(got < 0.0 && got > -0.85, "{what}: {got}"),
            }
            let own = own_bounds(&collider).unwrap();
            let all = Bounds::of(mesh.points.iter().copied()).unwrap();
            for k in 0..3 {
                // Sides of what is round lie a little inside of it.
                let (is, most) = (all.max[k], own.max[k] + 1e-12);
                let least = if hollow { 0.0 } else { 0.99 * most };
                assert!((least..=most).contains(&is), "{what}: {is} and {most}");
            }
        }
    }
}

#[test]
fn what_is_solid_is_drawn_a_little_below_what_lies_on_it() {
    for (shape, _) in closed(false).into_iter().chain(closed(true)) {
        let (hollow, collider) = (shape.is_hollow(), collider(shape, 0.01));
        let before = surface(&collider, SCENE).unwrap();
        let after = sunk(before.clone(), &collider, SCENE);
        let top = |mesh: &Mesh| mesh.points.iter().fold(0.0f64, |most, p| most.max(p[2]));
        let below = top(&before) - top(&after);
        match hollow {
            true => assert_eq!(below, 0.0, "{collider:?}"),
            false => assert!((1e-4..0.02).contains(&below), "{collider:?}: {below}"),
        }
        assert_eq!(before.triangles, after.triangles);
    }
}

#[test]
fn ground_faces_up_and_stands_out() {
    for thickness in [0.0, 0.1] {
        let sheet = surface(&collider(ColliderShape::Plane {}, thickness), SCENE).unwrap();
        let map = surface(&collider(ColliderShape::HeightMap(ground()), thickness), SCENE).unwrap();
        for mesh in [&sheet, &map] {
            assert!(mesh.triangles.iter().all(|t| normal(mesh, *t)[2] > 0.0));
        }
        assert!(sheet.points.iter().all(|p| (p[2] - thickness).abs() < 2e-3));
        let side = sheet.points.iter().fold(0.0f64, |most, p| most.max(p[0]));
        assert!(side > 1.9 * SCENE.radius() && side < 3.0 * SCENE.radius(), "{side}");
        let highest = map.points.iter().fold(0.0f64, |most, p| most.max(p[2]));
        assert!(highest > 0.25 && highest < 0.26 + thickness, "{highest}");
    }
}

#[test]
fn of_many_heights_some_are_drawn() {
    let heights = (0..600).map(|i| f64::from(i) / 600.0);
    let map = HeightMap::new(600, heights.cycle().take(600 * 300).collect(), [2.0, 1.0]).unwrap();
    let mesh = raised(&map, 0.0).unwrap();
    assert!(mesh.points.len() <= MOST_HEIGHTS && mesh.points.len() > MOST_HEIGHTS * 9 / 10);
    let far = mesh.points.last().unwrap();
    let wanted = [2.0, 1.0, 599.0 / 600.0];
    assert!((0..3).all(|k| (far[k] - wanted[k]).abs() < 1e-9), "{far:?}");
}

/// A cube of 0.2 m round the origin, and colliders.
fn simulator(colliders: Vec<Collider>, backend: Backend) -> Simulator {
    let mut body = Body { name: "cube".into(), ..Body::default() };
    body.source = Source::Shape(Shape::bar([2; 3], [0.2; 3]));
    body.translate = [-0.1; 3];
    body.material.mass = Mass::Density(1000.0);
    body.material.stiffness = Stiffness::Young(20e3);
    let mut scene = Scene { bodies: vec![body], colliders, ..Scene::default() };
    (scene.world.timestep, scene.world.gravity, scene.world.bounds) = (0.001, [0.0; 3], None);
    scene.run = RunPlan { duration: Some(2.0), steps: None };
    Simulator::new(scene, backend).unwrap()
}

fn still(colliders: Vec<Collider>) -> (Painter, Frame) {
    let mut sim = simulator(colliders, Backend::Cpu { threads: 1 });
    let painter = Painter::new(&sim, &Picture::default());
    let frame = Frame::capture(&mut sim, painter.fields());
    (painter, frame)
}

/// The colour that a picture has where a point of the scene is seen.
fn colour_at(painter: &Painter, image: &Image, point: [f32; 3]) -> [u8; 4] {
    let projection = painter.view.camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
    let [x, y, _] = projection.pixel(point).unwrap();
    image.pixels[y as usize * SIZE[0] as usize + x as usize]
}

/// Slate grey in any light.
fn is_collider([r, g, b, _]: [u8; 4]) -> bool {
    b >= r + 10 && g > r && b > g && b - r < 60 && r < 180
}

/// The first colour of bodies, in any light.
fn is_body([r, g, b, _]: [u8; 4]) -> bool {
    r > g + 20 && g >= b
}

fn sphere(at: [f64; 3], radius: f64) -> Collider {
    let shape = ColliderShape::Sphere { radius, hollow: false };
    Collider { shape, translate: at, ..Collider::default() }
}

#[test]
fn a_collider_is_seen_where_it_is() {
    let velocity = [0.0, 0.0, -0.5];
    let motion = Some(ColliderMotion::Steady { velocity, spin: [0.0; 3] });
    let moving = Collider { motion, ..sphere([0.6, 0.0, 0.5], 0.15) };
    let (painter, mut frame) = still(vec![moving]);
    for time in [0.0, 1.8] {
        frame.report.time = time;
        let image = painter.paint(&frame, SIZE).unwrap();
        let at = |t: f64| colour_at(&painter, &image, [0.6, 0.0, (0.5 - 0.5 * t) as f32]);
        assert!(is_collider(at(time)), "{time} s: {:?}", at(time));
        assert!(!is_collider(at(1.8 - time)), "{time} s: {:?}", at(1.8 - time));
        assert!(is_body(colour_at(&painter, &image, [0.0; 3])), "{time} s");
    }
}

#[test]
fn colliders_do_not_join_in_colours_and_exports() {
    let (_, frame) = still(vec![]);
    let mut sim = simulator(vec![sphere([0.6, 0.0, 0.0], 0.2)], Backend::Cpu { threads: 1 });
    for colour in [PictureColour::Plain, PictureColour::Speed, PictureColour::Stress] {
        let painter = Painter::new(&sim, &Picture { colour: colour.clone(), ..Picture::default() });
        let shown = Frame::capture(&mut sim, Fields { motion: true, stress: true, contact: false });
        let image = painter.paint(&shown, SIZE).unwrap();
        assert!(is_collider(colour_at(&painter, &image, [0.6, 0.0, 0.0])), "{colour:?}");
        assert_eq!(painter.surface(&shown).points.len(), frame.positions.len());
        assert_eq!(painter.bounds(&shown).unwrap().max, [f64::from(0.1f32); 3]);
        assert!((painter.bounds_to_show(&shown).unwrap().max[0] - 0.8).abs() < 0.01);
    }
    let paints = (0..8).map(Colour::of_body);
    assert!(!paints.map(Colour::to_srgb8).any(is_collider), "bodies have other colours");
}

#[test]
fn what_is_hollow_shows_what_is_in_it() {
    for (shape, _) in closed(true) {
        let (painter, frame) = still(vec![collider(shape.clone(), 0.0)]);
        let image = painter.paint(&frame, SIZE).unwrap();
        assert!(is_body(colour_at(&painter, &image, [0.0; 3])), "{shape:?}");
        // And beside the body its far side.
        let far = |p: &[u8; 4]| is_collider(*p);
        assert!(image.pixels.iter().filter(|p| far(p)).count() > 2000, "{shape:?}");
    }
}

#[test]
fn planes_are_seen_from_the_side_of_the_bodies() {
    let plane = |turn: f64, at: [f64; 3]| Collider {
        rotate: Rotation::Euler([turn, 0.0, 0.0]),
        translate: at,
        ..Collider::default()
    };
    // A floor, and a wall between the camera, which looks along y, and the body.
    let colliders = vec![plane(0.0, [0.0, 0.0, -0.1]), plane(-90.0, [0.0, -0.3, 0.0])];
    let (painter, frame) = still(colliders);
    let (without, _) = still(vec![]);
    assert_eq!(painter.view.camera, without.view.camera, "planes are not framed");
    let image = painter.paint(&frame, SIZE).unwrap();
    assert!(is_body(colour_at(&painter, &image, [0.0; 3])));
    assert!(is_collider(colour_at(&painter, &image, [0.14, -0.14, -0.1])));
}

#[test]
fn sheets_follow_planes_that_go_away() {
    let motion = Some(ColliderMotion::Steady { velocity: [3.0, 0.0, 0.0], spin: [0.0; 3] });
    let belt = Collider { motion, ..Collider::default() };
    let all = Colliders::new(&[belt], &[], SCENE);
    let tile = tile(SCENE);
    for time in [0.0, 0.1, 7.0, 1000.0] {
        let mut frame = Frame::default();
        frame.report.time = time;
        let [x, y, z] = all.seen_in(&frame, &[])[0].translation;
        assert!(x.abs() <= tile + 1e-9 && y == 0.0 && z == 0.0, "{time} s: {x}");
        let tiles = (x - 3.0 * time) / (2.0 * tile);
        assert!((tiles - tiles.round()).abs() < 1e-6, "{time} s: tiles move with the belt");
    }
}

#[test]
fn cameras_see_colliders_all_the_time() {
    let motion = Some(ColliderMotion::Steady { velocity: [0.2, 0.0, 0.0], spin: [0.0; 3] });
    let near = Collider { motion, ..sphere([0.5, 0.0, 0.0], 0.1) };
    let motion = Some(ColliderMotion::Steady { velocity: [100.0, 0.0, 0.0], spin: [0.0; 3] });
    let leaving = Collider { motion, ..sphere([-0.5, 0.0, 0.0], 0.1) };
    let (painter, _) = still(vec![near, leaving]);
    let projection = painter.view.camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
    let sees = |x: f32| {
        let [x, ..] = projection.pixel([x, 0.0, 0.0]).unwrap();
        (0.0..=SIZE[0] as f32).contains(&x)
    };
    assert!(sees(0.5) && sees(1.0) && sees(-0.6));
    assert!(!sees(3.0), "nobody waits for what goes away");
}

/// Mean difference of 255, and part of the pixels that are off by more than 24.
fn difference(a: &Image, b: &Image) -> (f64, f64) {
    let count = a.pixels.len() as f64;
    let apart = |(a, b): (&[u8; 4], &[u8; 4])| [0, 1, 2].map(|k| a[k].abs_diff(b[k]));
    let all: Vec<[u8; 3]> = a.pixels.iter().zip(&b.pixels).map(apart).collect();
    let far = all.iter().filter(|p| p.iter().any(|d| *d > 24)).count();
    (all.iter().flatten().map(|d| f64::from(*d)).sum::<f64>() / count / 3.0, far as f64 / count)
}

/// The bounds of the renderers' own tests.
fn are_alike(what: &str, a: &Image, b: &Image) {
    let (mean, far) = difference(a, b);
    assert!(mean <= 0.2 && far <= 5e-4, "{what}: {mean} of 255 in the mean, {far} are off");
}

#[test]
fn devices_draw_the_same() {
    let Some(gpu) = pliant_gpu::testing::gpu("colliders") else { return };
    let mut all: Vec<Collider> =
        closed(false).into_iter().map(|(s, _)| collider(s, 0.03)).collect();
    all.extend(closed(true).into_iter().map(|(s, _)| collider(s, 0.0)));
    for (i, collider) in all.iter_mut().enumerate() {
        collider.translate = [1.3 * (i % 4) as f64 - 2.0, 1.5 * (i / 4) as f64 + 0.8, 0.0];
        collider.rotate = Rotation::Euler([20.0, 10.0 * i as f64, 0.0]);
    }
    let slope = Collider {
        rotate: Rotation::Euler([10.0, 0.0, 0.0]),
        translate: [0.0, 0.0, -1.5],
        ..Collider::default()
    };
    let map = collider(ColliderShape::HeightMap(ground()), 0.0);
    all.extend([slope, Collider { translate: [-1.0, -1.2, -0.6], ..map }]);
    let spin = ColliderMotion::Steady { velocity: [0.0; 3], spin: [0.0, 0.0, 40.0] };
    all[2].motion = Some(spin);

    let mut sim = simulator(all, Backend::Device(gpu.clone()));
    sim.advance(20).unwrap();
    let camera = PictureCamera { direction: [0.4, -1.0, 0.7], ..PictureCamera::default() };
    let mut painter = Painter::new(&sim, &Picture { camera, ..Picture::default() });
    let frame = Frame::capture(&mut sim, painter.fields());
    let want = painter.paint(&frame, SIZE).unwrap();
    let count = want.pixels.iter().filter(|p| is_collider(**p)).count();
    assert!(count > 15_000, "{count}");
    let mut offscreen = pliant_render::gpu::Offscreen::new(&gpu).unwrap();
    let got = painter.with_geometry(&frame, |drawn| {
        offscreen.render(drawn, &painter.view, &[], SIZE[0], SIZE[1]).unwrap().image
    });
    are_alike("from the host", &want, &got);

    // Round bodies on the device shadows are looked for in another box, so they have other edges.
    painter.view.shadow = false;
    let want = painter.paint(&frame, SIZE).unwrap();
    let capture = Frame::capture_on_device(&mut sim, painter.quantity().unwrap());
    let shown = at_once(capture).unwrap();
    assert!(shown.positions.is_empty() && shown.report.time == frame.report.time);
    are_alike("from the device", &want, &painter.paint(&shown, SIZE).unwrap());
}
