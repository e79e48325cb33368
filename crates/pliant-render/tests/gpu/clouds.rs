//! The inside of bodies by both renderers.

use pliant_gpu::testing;
use pliant_mesh::shapes;
use pliant_render::gpu::Offscreen;
use pliant_render::volume::{Iso, Look, Preset, Quality, Slice};
use pliant_render::{Camera, Colour, Colouring, Geometry, Values, View, cpu};

use crate::scenes::{Difference, Shape, bar, blobs, camera, compare};

/// Small, for devices in software are slow at rays.
const SIZE: [u32; 2] = [128, 96];

/// Mean difference of 255: numbers of single precision, multiplied and added in another order.
const MEAN: f64 = 0.25;
/// Part of the pixels that may be off by more than 24 of 255: edges that pass a sample by a hair.
const FAR: f64 = 5e-4;

/// The same where an opaque slice and opaque bodies meet: within a pixel, the GPU mixes all that is
/// behind clouds before it mixes the clouds.
const FAR_AT_EDGES: f64 = 3e-3;

fn check(name: &str, scene: &Geometry, view: &View) {
    check_within(FAR, name, scene, view);
}

fn check_within(most_far: f64, name: &str, scene: &Geometry, view: &View) {
    let Some(gpu) = testing::gpu(name) else { return };
    let [width, height] = SIZE;
    let want = cpu::render(scene, view, width, height, 2).unwrap();
    let got = Offscreen::new(&gpu).unwrap().render(scene, view, &[], width, height).unwrap();
    assert_eq!((got.skipped, got.lost), (want.skipped, want.lost), "{name}");
    let mut bare = view.clone();
    bare.volume = None;
    let empty = Geometry { bodies: vec![], ..scene.clone() };
    let nothing = cpu::render(&empty, &bare, width, height, 2).unwrap();
    let seen = want.image.pixels.iter().zip(&nothing.image.pixels);
    assert!(
        seen.filter(|(a, b)| a[0].abs_diff(b[0]) > 10).count() > 500,
        "{name}: nothing is seen"
    );
    let Difference { mean, far } = compare(&format!("clouds-{name}"), &want.image, &got.image);
    assert!(mean <= MEAN, "{name}: {mean} of 255 apart in the mean");
    assert!(far <= most_far, "{name}: {far} of the pixels are off");
}

fn waves(shape: &Shape) -> Vec<f32> {
    let wave = |p: &[f32; 3]| 0.5 + 0.5 * (6.0 * p[0]).sin() * (5.0 * p[1] + 3.0 * p[2]).cos();
    shape.positions.iter().map(wave).collect()
}

fn rainbow() -> Look {
    let look = Look::new(Preset::Rainbow.transfer().across(0.8));
    Look { name: "waves".into(), ..look }
}

fn view(scene: &Geometry, look: Look) -> View {
    View { volume: Some(look), ..View::new(camera(scene, [0.55, -1.0, 0.45])) }
}

#[test]
fn a_bar_on_the_floor() {
    let shape = bar();
    let values = waves(&shape);
    let mut body = shape.body();
    body.values = Values::Vertices(&values);
    let scene = Geometry { bodies: vec![body], ground: Some(-0.6), ..Geometry::default() };
    let mut view = view(&scene, rainbow());
    check("bar", &scene, &view);
    view.volume.as_mut().unwrap().quality = Quality::Fine;
    check("bar-fine", &scene, &view);
    view.volume.as_mut().unwrap().opacity = 30.0;
    check("bar-opaque", &scene, &view);
}

#[test]
fn values_of_tetrahedra() {
    let shape = bar();
    let values: Vec<f32> = (0..shape.tets.len()).map(|t| (t % 97) as f32 / 97.0).collect();
    let mut body = shape.body();
    body.values = Values::Tets(&values);
    let scene = Geometry { bodies: vec![body], ground: Some(-0.6), ..Geometry::default() };
    let mut look = rainbow();
    check("tets", &scene, &view(&scene, look.clone()));
    look.isos = vec![Iso { value: 0.9, colour: None, opacity: 0.7 }];
    look.opacity = 0.1;
    check("tets-iso", &scene, &view(&scene, look));
}

#[test]
fn iso_surfaces_and_slices() {
    let shape = Shape::new(shapes::ball(0.8, 0.11).unwrap(), |p| p);
    let values: Vec<f32> =
        shape.positions.iter().map(|p| p[0].hypot(p[1]).hypot(p[2]) + 0.1 * p[0]).collect();
    let mut body = shape.body();
    body.values = Values::Vertices(&values);
    let scene = Geometry { bodies: vec![body], ground: Some(-0.8), ..Geometry::default() };
    let mut look = rainbow();
    look.opacity = 0.3;
    let colour = Some(Colour([0.7, 0.2, 0.1]));
    look.isos = vec![
        Iso { value: 0.4, colour, opacity: 1.0 },
        Iso { value: 0.65, colour: None, opacity: 0.4 },
    ];
    check("isos", &scene, &view(&scene, look.clone()));
    let slice = Slice { point: [0.0, -0.2, 0.0], normal: [0.3, -1.0, 0.2], clears: true };
    look.slice = Some(slice);
    check("slice-clears", &scene, &view(&scene, look.clone()));
    look.slice = Some(Slice { clears: false, ..slice });
    check("slice", &scene, &view(&scene, look.clone()));
    look.slice = Some(Slice { normal: [-0.3, 1.0, -0.2], ..slice });
    check("slice-behind", &scene, &view(&scene, look));
}

#[test]
fn several_bodies_and_opaque_ones() {
    let [one, other] = blobs();
    let third =
        Shape::new(shapes::torus(0.4, 0.15, 0.1).unwrap(), |[x, y, z]| [x, y - 0.1, z + 0.5]);
    let plain = Shape::new(shapes::ball(0.2, 0.08).unwrap(), |[x, y, z]| [x - 0.3, y, z + 0.5]);
    let values = [&one, &other, &third].map(waves);
    let mut bodies = vec![one.body(), other.body(), third.body(), plain.body()];
    for (body, values) in bodies.iter_mut().zip(&values) {
        body.values = Values::Vertices(values);
    }
    let scene = Geometry { bodies, ground: Some(0.0), ..Geometry::default() };
    let mut look = rainbow();
    check("overlapping", &scene, &view(&scene, look.clone()));
    look.isos = vec![Iso { value: 0.5, colour: None, opacity: 0.5 }];
    check("overlapping-isos", &scene, &view(&scene, look.clone()));
    look.slice = Some(Slice { point: [0.0; 3], normal: [0.2, -1.0, 0.0], clears: true });
    check_within(FAR_AT_EDGES, "overlapping-slice", &scene, &view(&scene, look));
}

#[test]
fn cloth_of_values_beside_a_cloud() {
    let sheet = Shape::new(shapes::cloth([12, 12], [2.0, 2.0]).unwrap(), |p| p);
    let bar = bar();
    // Slow enough for one colour per pixel: the GPU shades surfaces once there, the CPU at each sample.
    let slope = |p: &[f32; 3]| 0.5 + 0.2 * p[0] + 0.25 * (2.0 * p[1]).sin();
    let values = [waves(&bar), sheet.positions.iter().map(slope).collect()];
    let mut bodies = vec![bar.body(), sheet.body()];
    for (body, values) in bodies.iter_mut().zip(&values) {
        body.values = Values::Vertices(values);
    }
    let scene = Geometry { bodies, ground: Some(-0.6), ..Geometry::default() };
    let mut view = view(&scene, rainbow());
    view.colouring = Colouring::Stress { range: [0.0, 1.0] };
    check("cloth", &scene, &view);
    // On one device after the other look, and back to the map of surfaces.
    let Some(gpu) = testing::gpu("cloth-again") else { return };
    let mut offscreen = Offscreen::new(&gpu).unwrap();
    let [width, height] = SIZE;
    for look in [Some(rainbow()), None, Some(Look::new(Preset::Heat.transfer()))] {
        view.volume = look;
        let want = cpu::render(&scene, &view, width, height, 2).unwrap();
        let got = offscreen.render(&scene, &view, &[], width, height).unwrap();
        let Difference { mean, .. } = compare("clouds-cloth-again", &want.image, &got.image);
        assert!(mean <= MEAN, "{mean} of 255 apart in the mean");
    }
}

#[test]
fn a_camera_inside_and_vertices_that_are_not_there() {
    let mut shape = bar();
    let mut values = waves(&shape);
    let scene_of = |shape: &Shape, values: &[f32], eye: [f64; 3]| {
        let mut body = shape.body();
        body.values = Values::Vertices(values);
        let scene = Geometry { bodies: vec![body], ground: Some(-0.6), ..Geometry::default() };
        let mut view = view(&scene, rainbow());
        view.camera = Camera { eye, target: [2.0, 0.35, 1.6], ..view.camera };
        check("inside", &scene, &view);
    };
    scene_of(&shape, &values, [1.0, 0.4, 2.0]);
    shape.positions[77] = [f32::NAN, 0.0, f32::INFINITY];
    values[200] = f32::NAN;
    scene_of(&shape, &values, [1.0, -4.0, 3.0]);
}
