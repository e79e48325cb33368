//! Real surfaces on coarse bodies, and the same pictures of them from processors and devices.

mod support;

use std::path::PathBuf;

use pliant::mesh::Mesh;
use pliant::scene::{
    Body, Cage, Picture, PictureColour, Scene, Shape, Skin, Source, World, WorldBox,
};
use pliant::session::pictures::Painter;
use pliant::session::{Fields, Frame};
use pliant::{Backend, Simulator};
use support::*;

/// A body that stands a little above the floor and falls.
fn dropped(mut body: Body, mesh: &Mesh) -> Scene {
    let [low, high] = mesh.bounds().unwrap();
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let scale = 0.3 / size;
    body.scale = pliant::scene::Scale::Uniform(scale);
    body.translate = [0.0, 0.0, 0.05 - scale * low[2]];
    body.material = rubber(1000.0, 40e3);
    let bounds = Some(WorldBox { friction: 0.4, ..WorldBox::default() });
    let world =
        World { gravity: [0.0, 0.0, -9.81], damping: 1.0, bounds, timestep: 2e-4, ..space() };
    scene(body, world)
}

fn file(path: PathBuf) -> Source {
    Source::Mesh { path, group: None }
}

/// What is seen after so many steps.
fn seen_after(scene: &Scene, steps: u64) -> (Simulator, Mesh) {
    let mut sim = Simulator::new(scene.clone(), cpu()).unwrap();
    sim.step(steps).unwrap();
    let frame = Frame::capture(&mut sim, Fields::default());
    let surface = Painter::new(&sim, &Picture::default()).surface(&frame);
    (sim, surface)
}

/// Lengths of all edges.
fn edges(mesh: &Mesh) -> Vec<f64> {
    let length = |a: u32, b: u32| {
        let [a, b] = [a, b].map(|v| mesh.points[v as usize]);
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
    };
    mesh.triangles
        .iter()
        .flat_map(|&[a, b, c]| [length(a, b), length(b, c), length(c, a)])
        .collect()
}

#[test]
fn the_bunny_lands_in_a_coarse_cage_and_keeps_its_look() {
    for name in ["surface/bunny_closed.obj", "surface/bunny_2503.obj"] {
        let Some(path) = data(name) else { return };
        let mesh = pliant::mesh::load(&path).unwrap().mesh;
        let cage = Some(Cage { cells: 14 });
        let scene = dropped(Body { cage, source: file(path), ..Body::default() }, &mesh);
        let (mut sim, start) = seen_after(&scene, 0);
        let notes = sim.take_messages();
        assert!(notes.iter().all(|note| !note.contains("skin")), "{notes:?}");
        let model = sim.model();
        assert_eq!(start.triangles, mesh.triangles, "{name}: as in its file");
        assert!(model.vertex_count() < 1500 && model.bodies[0].tets.len() > 2000);
        let one = pliant::mesh::topology::components(model.vertex_count(), &model.tets, &[]);
        assert_eq!(one.count, 1, "{name}");
        let (_, landed) = seen_after(&scene, 1500);
        let low = landed.points.iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
        assert!((-1e-3..0.03).contains(&low), "{name}: its lowest point is at {low}");
        // Rubber gives way, but nothing of the look is torn or thrown about.
        let worst = edges(&landed).into_iter().zip(edges(&start)).map(|(now, rest)| now / rest);
        let worst = worst.filter(|r| r.is_finite()).fold(0.0, f64::max);
        assert!(worst < 2.0, "{name}: an edge is {worst} times as long");
    }
}

#[test]
fn a_smooth_liver_hangs_on_its_tetrahedra() {
    let (Some(tets), Some(surface)) = (data("tet/liver.msh"), data("surface/liver-smooth.obj"))
    else {
        return;
    };
    let mesh = pliant::mesh::load(&tets).unwrap().mesh;
    let smooth = pliant::mesh::load(&surface).unwrap().mesh;
    let skin = Some(Skin { source: file(surface) });
    let scene = dropped(Body { skin, source: file(tets), ..Body::default() }, &mesh);
    let (mut sim, start) = seen_after(&scene, 0);
    let notes = sim.take_messages();
    assert!(notes.iter().all(|note| !note.contains("skin")), "{notes:?}");
    let body = &scene.bodies[0];
    for (found, p) in start.points.iter().zip(&smooth.points) {
        let want = body.place(*p);
        assert!((0..3).all(|k| (found[k] - want[k]).abs() < 1e-6), "{found:?} {want:?}");
    }
    let (_, landed) = seen_after(&scene, 1500);
    let worst = edges(&landed).into_iter().zip(edges(&start)).map(|(now, rest)| now / rest);
    assert!(worst.filter(|r| r.is_finite()).fold(0.0, f64::max) < 3.0);
}

#[test]
fn a_skin_in_another_unit_is_told() {
    let fine = Shape::Ball { radius: 30.0, cell: 10.0 };
    let mut body =
        Body { source: Source::Shape(Shape::Ball { radius: 0.3, cell: 0.1 }), ..Body::default() };
    body.skin = Some(Skin { source: Source::Shape(fine) });
    let notes = Simulator::new(scene(body, space()), cpu()).unwrap().take_messages();
    let note = notes.iter().find(|note| note.contains("skin")).expect("a note");
    assert!(note.contains("by 29.") && note.contains("unit"), "{note}");
}

#[test]
fn what_has_no_cage_says_why() {
    let fail = |mut body: Body| {
        body.cage = Some(Cage { cells: 8 });
        body.name = "thing".into();
        let scene = Scene { bodies: vec![body], ..Scene::default() };
        Simulator::new(scene, cpu()).err().expect("no cage").to_string()
    };
    let of = |source: Source| Body { source, ..Body::default() };
    let sheet = Source::Shape(Shape::Cloth { cells: [4, 4], size: [1.0, 1.0] });
    let said = fail(of(sheet));
    assert!(said.contains("thing") && said.contains("flat") && said.contains("cloth"), "{said}");
    let mut bowl = pliant::mesh::shapes::rounded_box([0.1; 3], 0.5, 12).unwrap();
    let points = bowl.points.clone();
    bowl.triangles.retain(|t| t.iter().all(|&v| points[v as usize][2] < 0.1));
    let said = fail(of(Source::Inline(bowl)));
    assert!(said.contains("open") && said.contains('%'), "{said}");
}

/// Pixels that differ by more than a few levels, as a part of all.
#[cfg(feature = "gpu")]
fn differing(a: &pliant::render::Image, b: &pliant::render::Image) -> f64 {
    let is_other = |(p, q): (&[u8; 4], &[u8; 4])| (0..3).any(|k| p[k].abs_diff(q[k]) > 12);
    let count = a.pixels.iter().zip(&b.pixels).filter(|&pair| is_other(pair)).count();
    count as f64 / a.pixels.len() as f64
}

#[cfg(feature = "gpu")]
#[test]
fn devices_draw_skins_from_their_own_memory_as_processors_do() {
    use pliant::shown::Quantity;
    let Some(gpu) = gpu("skins") else { return };
    let knot = Shape::Knot { radius: 0.3, tube: 0.055, cell: 0.02 };
    let mut body = Body { source: Source::Shape(knot), ..Body::default() };
    body.cage = Some(Cage { cells: 9 });
    body.translate = [0.0, 0.0, 0.4];
    body.material = rubber(1000.0, 40e3);
    let bounds = Some(WorldBox::default());
    let world = World { gravity: [0.0, 0.0, -9.81], bounds, timestep: 2e-4, ..space() };
    let mut sim = Simulator::new(scene(body, world), Backend::Device(gpu)).unwrap();
    sim.step(500).unwrap();
    let cases = [
        (PictureColour::Body, Quantity::Nothing),
        (PictureColour::Speed, Quantity::Speed),
        (PictureColour::Stress, Quantity::Stress),
    ];
    for (colour, quantity) in cases {
        let size = [320, 240];
        let painter = |cages| {
            let picture = Picture { colour: colour.clone(), size, cages, ..Picture::default() };
            Painter::new(&sim, &picture)
        };
        let [skins, cages] = [painter(false), painter(true)];
        let host = Frame::capture(&mut sim, Fields { motion: true, stress: true, contact: false });
        let there = at_once(Frame::capture_on_device(&mut sim, quantity)).expect("a device");
        let drawn = skins.paint(&there, size).unwrap();
        let here = skins.paint(&host, size).unwrap();
        let off = differing(&drawn, &here);
        // Both smooth edges of triangles in their own way; the rope has many.
        assert!(off < 0.01, "{colour}: {off} of the picture differs");
        let cage = cages.paint(&there, size).unwrap();
        assert!(differing(&cage, &drawn) > 0.03, "{colour}: the cage looks like the skin");
        assert!(differing(&cage, &cages.paint(&host, size).unwrap()) < 0.01, "{colour}: cages");
    }
}

/// What a future has at once, as all do that need no browser.
#[cfg(feature = "gpu")]
fn at_once<T>(future: impl Future<Output = T>) -> T {
    use std::task::{Context, Poll, Waker};
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}
