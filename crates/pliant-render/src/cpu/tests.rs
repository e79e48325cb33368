use super::*;
use crate::camera::Camera;
use crate::colour::{Colour, linear_from_srgb};
use crate::geometry::{Body, Bounds};
use crate::light;
use crate::view::{Colouring, Cut};

mod surfaces;

/// A ball of triangles: its poles, and rings between them.
fn sphere(centre: [f32; 3], radius: f32, rings: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let sectors = 2 * rings;
    let point = |i: u32, j: u32| {
        let (polar, around) = (
            std::f32::consts::PI * i as f32 / rings as f32,
            std::f32::consts::TAU * j as f32 / sectors as f32,
        );
        let unit = [polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos()];
        std::array::from_fn(|k| centre[k] + radius * unit[k])
    };
    let points =
        (0..=rings).flat_map(|i| (0..sectors).map(move |j| (i, j))).map(|(i, j)| point(i, j));
    let number = |i: u32, j: u32| i * sectors + j % sectors;
    let mut triangles = Vec::new();
    for (i, j) in (0..rings).flat_map(|i| (0..sectors).map(move |j| (i, j))) {
        let [a, b] = [number(i, j), number(i, j + 1)];
        let [c, d] = [number(i + 1, j), number(i + 1, j + 1)];
        triangles.extend([[a, c, d], [a, d, b]]);
    }
    (points.collect(), triangles)
}

/// A square with corners at ±`half` round `centre`, facing +z.
fn square(centre: [f32; 3], half: f32) -> [[f32; 3]; 4] {
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .map(|[x, y]| [centre[0] + half * x, centre[1] + half * y, centre[2]])
}

const SQUARE: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn looking(eye: [f64; 3], target: [f64; 3]) -> Camera {
    Camera { eye, target, up: [0.0, 0.0, 1.0], field_of_view: 0.6 }
}

/// White behind, no floor, no shadow.
fn bare(camera: Camera) -> View {
    let white = Colour([1.0; 3]);
    View { background: [white; 2], shadow: false, ground: false, ..View::new(camera) }
}

fn linear(pixel: [u8; 4]) -> [f32; 3] {
    [0, 1, 2].map(|k| linear_from_srgb(f32::from(pixel[k]) / 255.0))
}

fn black<'a>(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]]) -> Body<'a> {
    Body { positions, triangles, colour: Some(Colour([0.0; 3])), ..Body::default() }
}

fn scene(bodies: Vec<Body>) -> Geometry {
    Geometry { bodies, ..Geometry::default() }
}

fn pixel_of(view: &View, image: &Image, p: [f32; 3]) -> [u8; 4] {
    let projection = view.camera.projection([0.0; 3], image.width, image.height).unwrap();
    let [x, y, _] = projection.pixel(p).unwrap();
    image.at(x as u32, y as u32)
}

/// A ball's outline is where the cone of tangents meets the picture: with the ball's middle at
/// (a, 0, c) and K = a² + c² − r², (x a + c)² = K (x² + y² + 1) for slopes x and y.
fn check_outline(a: f64) {
    let (c, r, side) = (6.0, 0.8, 400u32);
    let (positions, triangles) = sphere([a as f32, 0.0, 0.0], r as f32, 96);
    let mut view = bare(looking([0.0, -c, 0.0], [0.0; 3]));
    // From behind, a black ball has neither light nor shine.
    view.light = [0.0, 1.0, 0.0];
    let image = render(&scene(vec![black(&positions, &triangles)]), &view, side, side, 2);
    let image = image.unwrap().image;

    let k = a * a + c * c - r * r;
    let x0 = a * c / (k - a * a);
    let rest = c * c - k + a * a * c * c / (k - a * a);
    let focal = f64::from(side) / 2.0 / 0.3f64.tan();
    let area = std::f64::consts::PI * rest / ((k - a * a) * k).sqrt() * focal * focal;

    let (mut covered, mut moment) = (0.0, [0.0; 2]);
    for (i, &pixel) in image.pixels.iter().enumerate() {
        let (x, y) = (f64::from(i as u32 % side) + 0.5, f64::from(i as u32 / side) + 0.5);
        let cover = 1.0 - f64::from(linear(pixel)[0]);
        covered += cover;
        moment = [moment[0] + cover * x, moment[1] + cover * y];
        // No gap between triangles lets the white through.
        let slope = [(x - 200.0) / focal - x0, (y - 200.0) / focal];
        let inside = (slope[0] * slope[0] * (k - a * a) + slope[1] * slope[1] * k) / rest;
        assert!(inside > 0.97 || pixel == [0, 0, 0, 255], "{pixel:?} at {x}, {y}");
    }
    assert!((covered / area - 1.0).abs() < 3e-3, "area {covered} is not {area}");
    let centre = moment.map(|m| m / covered);
    let want = [200.0 + focal * x0, 200.0];
    for i in 0..2 {
        assert!((centre[i] - want[i]).abs() < 0.1, "centre {centre:?} is not {want:?}");
    }
}

#[test]
fn a_ball_has_its_analytic_outline() {
    check_outline(0.0);
    check_outline(0.8);
}

#[test]
fn nearer_things_hide_farther_ones() {
    let (near, far) = (square([0.0, 0.0, 1.0], 0.5), square([0.0, 0.0, 0.0], 1.0));
    let paint = |positions, colour| Body {
        positions,
        triangles: &SQUARE,
        colour: Some(Colour(colour)),
        ..Body::default()
    };
    let (red, blue) = ([0.8, 0.0, 0.0], [0.0, 0.0, 0.8]);
    let view = bare(Camera { up: [0.0, 1.0, 0.0], ..looking([0.0, 0.0, 8.0], [0.0; 3]) });
    let one = scene(vec![paint(&near, red), paint(&far, blue)]);
    let other = scene(vec![paint(&far, blue), paint(&near, red)]);
    let [one, other] = [one, other].map(|s| render(&s, &view, 200, 200, 1).unwrap().image);
    assert_eq!(one, other, "the order of bodies does not matter");
    let [r, _, b] = linear(pixel_of(&view, &one, [0.0, 0.0, 1.0]));
    assert!(r > 5.0 * b);
    let [r, _, b] = linear(pixel_of(&view, &one, [0.8, 0.8, 0.0]));
    assert!(b > 5.0 * r);
}

#[test]
fn squares_that_cross_show_the_nearer_part_of_each() {
    let flat = square([0.0, 0.0, 0.0], 1.0);
    let tilted = flat.map(|[x, y, _]| [x, y, 0.5 * x]);
    let paint = |positions, colour| Body {
        positions,
        triangles: &SQUARE,
        colour: Some(Colour(colour)),
        ..Body::default()
    };
    let scene = scene(vec![paint(&flat, [0.0, 0.0, 0.8]), paint(&tilted, [0.8, 0.0, 0.0])]);
    let view = bare(Camera { up: [0.0, 1.0, 0.0], ..looking([0.0, 0.0, 8.0], [0.0; 3]) });
    let image = render(&scene, &view, 200, 200, 1).unwrap().image;
    for y in [-0.7, 0.1, 0.7] {
        let [r, _, b] = linear(pixel_of(&view, &image, [0.05, y, 0.0]));
        assert!(r > 5.0 * b, "the tilted one is on top where x > 0");
        let [r, _, b] = linear(pixel_of(&view, &image, [-0.05, y, 0.0]));
        assert!(b > 5.0 * r);
    }
}

#[test]
fn the_same_picture_for_any_number_of_threads() {
    let (positions, triangles) = sphere([0.1, 0.0, 0.6], 0.5, 24);
    let body = Body { positions: &positions, triangles: &triangles, ..Body::default() };
    let scene = Geometry { ground: Some(0.0), ..scene(vec![body]) };
    let mut view = View::new(Camera::framing(scene.bounds().unwrap(), [1.0, -2.0, 1.0], 1.5));
    (view.wireframe, view.vertices, view.axes) = (true, true, true);
    let one = render(&scene, &view, 333, 222, 1).unwrap();
    for threads in [0, 2, 3, 7] {
        assert!(render(&scene, &view, 333, 222, threads).unwrap() == one, "{threads} threads");
    }
}

#[test]
fn from_inside_a_ball_one_sees_nothing_else() {
    let (positions, triangles) = sphere([0.0; 3], 1.0, 20);
    for eye in [[0.3, 0.2, -0.1], [0.0, 0.0, 0.0], [0.0, -0.9, 0.0]] {
        let mut view = bare(looking(eye, [0.1, 0.5, 0.2]));
        view.light = [0.0, 0.0, 1.0];
        let image = render(&scene(vec![black(&positions, &triangles)]), &view, 160, 120, 2);
        let white = |p: &&[u8; 4]| linear(**p)[0] > 0.2;
        assert_eq!(image.unwrap().image.pixels.iter().filter(white).count(), 0, "{eye:?}");
    }
}

#[test]
fn a_plane_that_passes_below_the_camera_ends_at_the_horizon() {
    let ground = square([0.0, 0.0, -1.0], 1e4);
    let mut view = bare(looking([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
    view.light = [0.0, 0.0, -1.0];
    let image = render(&scene(vec![black(&ground, &SQUARE)]), &view, 100, 100, 1).unwrap().image;
    for (i, pixel) in image.pixels.iter().enumerate() {
        let row = i / 100;
        let want = if row < 49 {
            Some(255)
        } else if row > 50 {
            Some(0)
        } else {
            None
        };
        assert!(want.is_none_or(|w| pixel[0] == w), "{pixel:?} in row {row}");
    }
}

#[test]
fn hostile_vertices_do_no_harm() {
    let (mut positions, triangles) = sphere([0.0; 3], 1.0, 12);
    let camera = looking([0.0, -6.0, 1.0], [0.0; 3]);
    let holed: Vec<_> = triangles.iter().copied().filter(|t| !t.contains(&100)).collect();
    let view = View { wireframe: true, vertices: false, ..bare(camera) };
    fn body<'a>(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]]) -> Body<'a> {
        Body { positions, triangles, ..Body::default() }
    }
    let want = render(&scene(vec![body(&positions, &holed)]), &view, 120, 90, 1).unwrap();
    positions[100] = [f32::INFINITY, 0.0, f32::NAN];
    let got = render(&scene(vec![body(&positions, &triangles)]), &view, 120, 90, 1).unwrap();
    assert_eq!((got.skipped, want.skipped), (1, 0));
    assert!(got.image == want.image, "only the triangles round the vertex are missing");

    for huge in [f32::MAX, 1e30, -1e30, f32::MIN_POSITIVE] {
        let mut positions = positions.clone();
        positions[50] = [huge, -huge, huge];
        positions[60] = [0.0, -huge, 0.0];
        let scene = Geometry { ground: Some(0.0), ..scene(vec![body(&positions, &triangles)]) };
        let view = View { shadow: true, ground: true, vertices: true, ..view.clone() };
        assert_eq!(render(&scene, &view, 120, 90, 2).unwrap().skipped, 1);
    }
}

#[test]
fn sizes_beyond_reason_are_refused() {
    let view = View::new(looking([0.0, -6.0, 1.0], [0.0; 3]));
    for (width, height) in [(0, 10), (10, 0), (MAX + 1, 1), (u32::MAX, u32::MAX)] {
        let error = render(&Geometry::default(), &view, width, height, 1).unwrap_err();
        assert_eq!(error, RenderError::Size { width, height });
    }
    // The limit itself, and nothing to draw, are fine.
    assert!(render(&Geometry::default(), &view, MAX, 1, 1).is_ok());
}

const MAX: u32 = crate::encode::LARGEST_SIDE;

#[test]
fn a_cut_body_shows_its_inside() {
    let mesh =
        pliant_mesh::shapes::bar([4, 2, 2], [2.0, 1.0, 1.0], pliant_mesh::shapes::Split::Six);
    let positions: Vec<_> = mesh.points.iter().map(|p| p.map(|c| c as f32)).collect();
    let triangles = pliant_mesh::topology::boundary_faces(&mesh.tets);
    let body =
        Body { positions: &positions, triangles: &triangles, tets: &mesh.tets, ..Body::default() };
    let scene = scene(vec![body]);
    let mut view = bare(looking([9.0, 0.5, 0.5], [0.0, 0.5, 0.5]));
    view.colouring = Colouring::Plain;
    let whole = render(&scene, &view, 400, 400, 1).unwrap().image;
    view.cut = Some(Cut { point: [1.0, 0.0, 0.0], normal: [1.0, 0.0, 0.0] });
    let cut = render(&scene, &view, 400, 400, 1).unwrap().image;
    // Both faces are lit alike; cut faces are painted darker by a known factor.
    let [outside, inside] = [&whole, &cut].map(|i| linear(i.at(200, 200))[0]);
    assert!((inside / outside - 0.62).abs() < 0.02, "{inside} of {outside}");
    // The nearer face was larger in the picture: 8 m away, not 7.
    let count = |image: &Image| image.pixels.iter().filter(|p| **p != [255; 4]).count() as f32;
    let ratio = (count(&cut) / count(&whole)).sqrt();
    assert!((ratio - 7.0 / 8.0).abs() < 0.01, "{ratio}");
}

#[test]
fn walls_and_bands_are_drawn_and_hidden() {
    let board = square([0.0, 0.0, 0.0], 0.5);
    let bounds = Bounds { min: [-1.0, -1.0, -1.0], max: [1.0, 1.0, 1.0] };
    let bands = [crate::Band { point: [0.0, 0.0, -0.5], hand: [0.9, 0.0, -0.5] }];
    let scene =
        Geometry { world_box: Some(bounds), bands: &bands, ..scene(vec![black(&board, &SQUARE)]) };
    let mut view = bare(Camera { up: [0.0, 1.0, 0.0], ..looking([0.0, 0.0, 9.0], [0.0; 3]) });
    (view.world_box, view.light) = (true, [0.0, 0.0, -1.0]);
    let image = render(&scene, &view, 300, 300, 1).unwrap().image;
    let [r, g, b] = linear(pixel_of(&view, &image, [0.75, 0.0, -0.5]));
    assert!(r > g && g > b && r - b > 0.3, "the band: {r} {g} {b}");
    assert_eq!(pixel_of(&view, &image, [0.2, 0.0, -0.5]), [0, 0, 0, 255], "behind the board");
    assert!(linear(pixel_of(&view, &image, [0.0, 1.0, 1.0]))[0] < 0.6, "an edge of the walls");
    assert_eq!(pixel_of(&view, &image, [0.0, 0.9, 1.0]), [255; 4]);
    view.touches = false;
    let without = render(&scene, &view, 300, 300, 1).unwrap().image;
    assert_eq!(pixel_of(&view, &without, [0.75, 0.0, -0.5]), [255; 4]);
}
