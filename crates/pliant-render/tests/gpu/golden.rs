//! The same scenes by both renderers.

use pliant_gpu::testing;
use pliant_render::gpu::Offscreen;
use pliant_render::{Band, Bounds, Colouring, Cut, Geometry, Push, Shading, Values, View, cpu};

use crate::scenes::{Difference, SIZE, bar, blobs, camera, cloth, compare};

/// Mean difference of 255. Both renderers follow the same formulas at the same samples; what remains
/// is rounding, and where in a pixel that it covers in part a triangle is lit.
const MEAN: f64 = 0.2;
/// The same where thousands of balls hide each other: the CPU lights each in the middle of what is
/// seen of it in a pixel, the GPU in the middle of all of it.
const MEAN_OF_BALLS: f64 = 0.4;
/// Part of the pixels that may be off by more than 24 of 255: edges that pass a sample by a hair.
const FAR: f64 = 5e-4;

fn check(name: &str, scene: &Geometry, view: &View) {
    let Some(gpu) = testing::gpu(name) else { return };
    let [width, height] = SIZE;
    let want = cpu::render(scene, view, width, height, 2).unwrap();
    let got = Offscreen::new(&gpu).unwrap().render(scene, view, &[], width, height).unwrap();
    assert_eq!(got.skipped, want.skipped);
    // Not two pictures of nothing.
    let first = want.image.pixels[0];
    assert!(want.image.pixels.iter().filter(|p| p[0].abs_diff(first[0]) > 20).count() > 500);
    let Difference { mean, far } = compare(name, &want.image, &got.image);
    let most = if view.vertices { MEAN_OF_BALLS } else { MEAN };
    assert!(mean <= most, "{name}: {mean} of 255 apart in the mean");
    assert!(far <= FAR, "{name}: {far} of the pixels are off");
}

#[test]
fn a_bar_under_stress() {
    let shape = bar();
    let stress: Vec<f32> = shape.tets.iter().map(|t| (t[0] % 97) as f32 * 200.0).collect();
    let locked: Vec<u32> = (0..25).collect();
    let tip = shape.positions[shape.positions.len() - 1];
    let bands = [Band { point: tip, hand: [tip[0] + 0.3, tip[1], tip[2] - 0.6] }];
    let mut body = shape.body();
    (body.values, body.locked) = (Values::Tets(&stress), &locked);
    let scene = Geometry {
        bodies: vec![body],
        world_box: Some(Bounds { min: [-0.5, -1.0, -0.6], max: [4.5, 1.8, 3.0] }),
        ground: Some(-0.6),
        bands: &bands,
        ..Geometry::default()
    };
    let mut view = View::new(camera(&scene, [0.55, -1.0, 0.45]));
    view.colouring = Colouring::Stress { range: [0.0, 2e4] };
    (view.axes, view.world_box) = (true, true);
    check("bar", &scene, &view);
}

#[test]
fn two_blobs_and_their_shadows() {
    let shapes = blobs();
    let bodies = shapes.iter().map(|s| s.body()).collect();
    let scene = Geometry { bodies, ground: Some(0.0), ..Geometry::default() };
    let mut view = View::new(camera(&scene, [0.3, -1.0, 0.45]));
    check("blobs", &scene, &view);
    let [width, height] = SIZE;
    let with = cpu::render(&scene, &view, width, height, 2).unwrap().image;
    view.shadow = false;
    let without = cpu::render(&scene, &view, width, height, 2).unwrap().image;
    let Difference { mean, far } = compare("blobs-shadow-alone", &with, &without);
    assert!(mean > 5.0 * MEAN && far > 5.0 * FAR, "shadows are more than the bounds: {mean} {far}");
    check("blobs-without-shadow", &scene, &view);
    (view.vertices, view.surface, view.wireframe) = (true, false, true);
    check("blobs-vertices", &scene, &view);
}

#[test]
fn a_cloth_from_both_sides() {
    let shape = cloth();
    let speed: Vec<f32> = shape
        .positions
        .iter()
        // A corner without a value.
        .map(|p| if p[0] + p[1] < 0.5 { f32::NAN } else { p[2] })
        .collect();
    let push = [Push { origin: [1.0, 1.0, 2.0], direction: [0.0, 0.0, -1.0], radius: 0.3 }];
    let mut body = shape.body();
    body.values = Values::Vertices(&speed);
    let scene =
        Geometry { bodies: vec![body], ground: Some(0.0), pushes: &push, ..Geometry::default() };
    let mut view = View::new(camera(&scene, [0.7, -1.0, 0.6]));
    view.colouring = Colouring::Speed { range: [0.4, 0.8] };
    check("cloth", &scene, &view);
    // From below the floor, which is then not seen.
    view.camera = camera(&scene, [0.7, -1.0, -0.6]);
    check("cloth-below", &scene, &view);
}

#[test]
fn flat_triangles_with_their_edges() {
    let shape = bar();
    let force: Vec<f32> = shape.positions.iter().map(|p| p[0]).collect();
    let mut body = shape.body();
    body.values = Values::Vertices(&force);
    let scene = Geometry { bodies: vec![body], ground: Some(-0.6), ..Geometry::default() };
    let mut view = View::new(camera(&scene, [0.8, -1.0, 0.3]));
    (view.wireframe, view.shading) = (true, Shading::Flat);
    view.colouring = Colouring::Force { reference: 3.0 };
    check("wireframe", &scene, &view);
}

#[test]
fn a_cut_through_the_inside() {
    let shapes = blobs();
    let bodies = shapes.iter().map(|s| s.body()).collect();
    let origin = [1e5, -2e5, 50.0];
    let scene = Geometry { origin, bodies, ground: Some(50.0), ..Geometry::default() };
    let mut view = View::new(camera(&scene, [0.2, -1.0, 0.5]));
    view.cut = Some(Cut { point: [1e5, -2e5 + 0.1, 50.0], normal: [0.2, -1.0, 0.0] });
    check("cut", &scene, &view);
}

#[test]
fn a_camera_inside() {
    let shape = bar();
    let scene = Geometry { bodies: vec![shape.body()], ground: Some(-0.6), ..Geometry::default() };
    let mut view = View::new(camera(&scene, [0.55, -1.0, 0.45]));
    view.camera.eye = [1.0, 0.4, 2.0];
    view.camera.target = [2.0, 0.35, 1.6];
    view.wireframe = true;
    check("inside", &scene, &view);
}
