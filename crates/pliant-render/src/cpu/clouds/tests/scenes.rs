//! Several bodies, opaque things among clouds, iso-surfaces and slices.

use super::*;
use crate::colour::linear_from_srgb;
use crate::cpu::{self, Picture};
use crate::view::Colouring;
use crate::volume::Quality;

fn cube(centre: [f32; 3], half: f32, value: f32) -> Solid {
    let mesh = shapes::bar([3, 3, 3], [1.0; 3], Split::Six);
    let mut solid = Solid::new(&mesh, |_| value);
    for p in &mut solid.positions {
        *p = std::array::from_fn(|k| centre[k] + half * (2.0 * p[k] - 1.0));
    }
    solid
}

fn scene<'a>(solids: &[&'a Solid]) -> Geometry<'a> {
    Geometry { bodies: solids.iter().map(|s| s.body()).collect(), ..Geometry::default() }
}

const SIZE: [u32; 2] = [96, 72];

fn check_sum(solids: &[&Solid], camera: Camera) {
    let light = exposed(&scene(solids), &view(camera, dense(&[(0.0, 1.3)])), SIZE);
    let projection = camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
    let mut twice = 0;
    for (pixel, [through, ..]) in light.into_iter().enumerate() {
        let (x, y) = (pixel as u32 % SIZE[0], pixel as u32 / SIZE[0]);
        let (start, direction) = projection.ray(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let chords: Vec<f64> = solids.iter().map(|s| chord(s, start, direction)).collect();
        let want = (-1.3 * chords.iter().sum::<f64>()).exp();
        assert!((f64::from(through) - want).abs() < 1e-3, "{through} is not {want} at {x}, {y}");
        twice += usize::from(chords.iter().filter(|c| **c > 0.05).count() > 1);
    }
    assert!(twice > 100, "{twice}");
}

#[test]
fn overlapping_bodies_add_up() {
    let camera = looking([0.4, -3.5, 0.6]);
    let (one, other) = (cube([-0.1, 0.0, 0.0], 0.4, 1.0), cube([0.15, 0.3, 0.1], 0.45, 1.0));
    check_sum(&[&one, &other], camera);
    check_sum(&[&one, &other, &cube([0.0; 3], 0.15, 1.0)], camera);
    // One behind the other, and one that touches the other with a face.
    check_sum(&[&one, &cube([0.0, 1.5, 0.0], 0.4, 1.0)], camera);
    check_sum(&[&one, &cube([-0.1, 0.8, 0.0], 0.4, 1.0)], camera);
}

#[test]
fn rays_come_back_into_bodies_that_are_not_convex() {
    let solid = Solid::new(&shapes::torus(0.6, 0.25, 0.12).unwrap(), |_| 1.0);
    check_constant(&solid, looking([1.5, -2.0, 0.4]), 2.0);
    let camera = looking([2.5, 0.1, 0.2]);
    check_constant(&solid, camera, 1.0);
}

fn drawn(geometry: &Geometry, view: &View) -> Picture {
    cpu::render(geometry, view, SIZE[0], SIZE[1], 2).unwrap()
}

fn middle(picture: &Picture) -> [f32; 3] {
    let [r, g, b, _] = picture.image.at(SIZE[0] / 2, SIZE[1] / 2);
    [r, g, b].map(|c| linear_from_srgb(f32::from(c) / 255.0))
}

#[test]
fn opaque_things_hide_what_is_behind_them_only() {
    let solid = cube([0.0; 3], 0.5, 1.0);
    let sheet = [[-2.0, 0.1, -2.0], [2.0, 0.1, -2.0], [0.0, 0.1, 3.0]];
    let paper = Body {
        positions: &sheet,
        triangles: &[[0, 1, 2]],
        colour: Some(Colour([0.0; 3])),
        ..Body::default()
    };
    let geometry = Geometry { bodies: vec![solid.body(), paper], ..Geometry::default() };
    let mut view = view(looking([0.0, -4.0, 0.0]), dense(&[(0.0, 1.0)]));
    // A black sheet in the shade does not shine: what is seen is the cloud before it.
    view.light = [0.0, 1.0, 0.0];
    for quality in [Quality::Draft, Quality::Normal, Quality::Fine] {
        view.volume.as_mut().unwrap().quality = quality;
        let [red, ..] = middle(&drawn(&geometry, &view));
        let want = 1.0 - (-0.6f32).exp();
        assert!((red - want).abs() < 0.01, "{quality:?}: {red} is not {want}");
    }
}

#[test]
fn surfaces_have_the_colours_of_the_clouds_beside_them() {
    let sheet = [[-2.0, 0.1, -2.0], [2.0, 0.1, -2.0], [0.0, 0.1, 3.0]];
    let cloth = Body {
        positions: &sheet,
        triangles: &[[0, 1, 2]],
        values: Values::Vertices(&[30.0; 3]),
        ..Body::default()
    };
    let geometry = Geometry { bodies: vec![cloth], ..Geometry::default() };
    let [red, green] = [Colour([1.0, 0.0, 0.0]), Colour([0.0, 1.0, 0.0])];
    let transfer = TransferFunction::new(vec![(20.0, red), (40.0, green)], vec![(0.0, 1.0)]);
    for colouring in
        [Colouring::Stress { range: [0.0, 80.0] }, Colouring::Force { reference: 50.0 }]
    {
        let mut view = view(looking([0.0, -4.0, 0.0]), Look::new(transfer.clone().unwrap()));
        view.colouring = colouring;
        // Half of each at 30, and not a trace of the blue that the maps of surfaces have.
        let [r, g, b] = middle(&drawn(&geometry, &view));
        assert!((r / g - 1.0).abs() < 0.05 && r > 0.1 && b < 0.1 * r, "{r} {g} {b}");
        view.volume = None;
        let [r, _, b] = middle(&drawn(&geometry, &view));
        assert!(b > 0.1 * r, "{r} {b}");
    }
}

#[test]
fn an_iso_surface_is_where_its_value_is() {
    let mesh = shapes::ball(0.9, 0.12).unwrap();
    let solid = Solid::new(&mesh, |[x, y, z]| (x * x + y * y + z * z).sqrt());
    let mut look = dense(&[(0.0, 0.0), (1.0, 0.0)]);
    let colour = Some(Colour([0.8, 0.1, 0.1]));
    look.isos = vec![Iso { value: 0.5, colour, opacity: 1.0 }];
    let view = view(looking([0.0, -4.0, 0.0]), look);
    let light = exposed(&scene(&[&solid]), &view, SIZE);
    // All that is seen is a disc: its radius is that of the ball, seen under asin(0.5 / 4).
    let focal = f64::from(SIZE[1]) / 2.0 / 0.3f64.tan();
    let area = std::f64::consts::PI * (focal * (0.5f64 / 4.0).asin().tan()).powi(2);
    let covered: f64 = light.iter().map(|l| 1.0 - f64::from(l[0])).sum();
    assert!((covered / area - 1.0).abs() < 0.03, "{covered} is not {area}");
    assert!(light.iter().all(|l| l[0] == 0.0 || l[0] == 1.0), "opaque or not there");
    // Lit from above on the left and before it, like the surface of a ball.
    let at = |x: usize, y: usize| light[y * SIZE[0] as usize + x][1];
    assert!(at(48, 29) > 1.5 * at(48, 43), "{} {}", at(48, 29), at(48, 43));
}

#[test]
fn half_seen_surfaces_let_half_of_the_rest_through() {
    let mesh = shapes::ball(0.9, 0.15).unwrap();
    let solid = Solid::new(&mesh, |[x, y, z]| (x * x + y * y + z * z).sqrt());
    let mut look = dense(&[(0.0, 0.0)]);
    let iso = |value| Iso { value, colour: None, opacity: 0.5 };
    look.isos = vec![iso(0.3), iso(0.6)];
    let light = exposed(&scene(&[&solid]), &view(looking([0.0, -4.0, 0.0]), look), SIZE);
    // Each of the two is met twice.
    let middle = light[(SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2) as usize];
    assert!((middle[0] - 0.0625).abs() < 1e-5, "{middle:?}");
}

#[test]
fn values_of_tetrahedra_are_even_in_each() {
    let solid = cube([0.0; 3], 0.5, 0.0);
    // Twice as dense beyond the middle.
    let middle_of =
        |tet: &[u32; 4]| tet.iter().map(|&v| solid.positions[v as usize][1]).sum::<f32>() / 4.0;
    let values: Vec<f32> =
        solid.tets.iter().map(|t| if middle_of(t) > 0.1666 { 1.0 } else { 0.0 }).collect();
    let body = Body { values: Values::Tets(&values), ..solid.body() };
    let geometry = Geometry { bodies: vec![body], ..Geometry::default() };
    let mut look = dense(&[(0.0, 1.0), (1.0, 2.0)]);
    let camera = looking([0.0, -400.0, 0.0]);
    let camera = Camera { field_of_view: 0.004, ..camera };
    let light = exposed(&geometry, &view(camera, look.clone()), SIZE);
    let at = (SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2) as usize;
    let want = (-(2.0 / 3.0 + 2.0 / 3.0f32)).exp();
    assert!((light[at][0] - want).abs() < 1e-3, "{} is not {want}", light[at][0]);
    // The surface between them is at the faces where the value jumps.
    look.isos = vec![Iso { value: 0.5, colour: None, opacity: 0.5 }];
    let with_iso = exposed(&geometry, &view(camera, look), SIZE);
    assert!((with_iso[at][0] / light[at][0] - 0.5).abs() < 1e-3);
}

#[test]
fn a_slice_shows_the_values_on_it() {
    let mut solid = cube([0.0; 3], 0.5, 0.0);
    solid.values = solid.positions.iter().map(|p| p[0] + 0.5).collect();
    let colours = vec![(0.0, Colour([0.0; 3])), (1.0, Colour([1.0, 0.5, 0.25]))];
    let mut look = Look::new(TransferFunction::new(colours, vec![(0.0, 2.0)]).unwrap());
    let slice = Slice { point: [0.0, 0.1, 0.0], normal: [0.0, -1.0, 0.0], clears: true };
    look.slice = Some(slice);
    let camera = looking([0.0, -4.0, 0.0]);
    let light = exposed(&scene(&[&solid]), &view(camera, look.clone()), SIZE);
    let projection = camera.projection([0.0; 3], SIZE[0], SIZE[1]).unwrap();
    for x in [-0.4f32, -0.1, 0.2, 0.45] {
        let [px, py, _] = projection.pixel([x, 0.1, 0.05]).unwrap();
        let [through, r, g, b] = light[py as usize * SIZE[0] as usize + px as usize];
        assert_eq!(through, 0.0, "opaque");
        // To a pixel's half, in metres.
        assert!((r - (x + 0.5)).abs() < 0.02, "{r} at {x}");
        assert!((g / r - 0.5).abs() < 1e-3 && (b / r - 0.25).abs() < 1e-3);
    }
    // Without clearing, what is before it is there too.
    look.slice = Some(Slice { clears: false, ..slice });
    let before = exposed(&scene(&[&solid]), &view(camera, look.clone()), SIZE);
    let at = (SIZE[1] / 2 * SIZE[0] + 3 * SIZE[0] / 5) as usize;
    assert!(before[at][0] == 0.0 && (before[at][1] / light[at][1] - 1.0).abs() < 0.1);
    // Turned round, it clears what is behind it.
    look.slice = Some(Slice { normal: [0.0, 1.0, 0.0], ..slice });
    let behind = exposed(&scene(&[&solid]), &view(camera, look.clone()), SIZE);
    assert_eq!(behind[at], before[at]);
    // A plane beside the body clears all of it, or nothing.
    let aside = |normal| Slice { point: [3.0, 0.0, 0.0], normal, clears: true };
    look.slice = Some(aside([-1.0, 0.0, 0.0]));
    let none = exposed(&scene(&[&solid]), &view(camera, look.clone()), SIZE);
    assert!(none.iter().all(|l| l[0] == 1.0));
    look.slice = Some(aside([1.0, 0.0, 0.0]));
    let all = exposed(&scene(&[&solid]), &view(camera, look), SIZE);
    assert!((all[at][0] - (-2.0f32).exp()).abs() < 0.02, "{:?}", all[at]);
}

#[test]
fn the_same_picture_for_any_number_of_threads_and_with_what_was_kept() {
    let mesh = shapes::torus(0.6, 0.25, 0.12).unwrap();
    let mut solid = Solid::new(&mesh, |[x, y, z]| x + y * z);
    let mut look = Look::new(crate::volume::Preset::Rainbow.transfer().over([-0.8, 0.8]));
    look.isos = vec![Iso { value: 0.2, colour: None, opacity: 0.5 }];
    let view = view(looking([1.5, -2.0, 0.9]), look);
    let mut renderer = cpu::Renderer::new();
    for step in 0..3 {
        solid.positions.iter_mut().for_each(|p| p[2] *= 1.0 + 0.1 * step as f32);
        let one = cpu::render(&scene(&[&solid]), &view, 150, 90, 1).unwrap();
        for threads in [0, 2, 3] {
            let kept = renderer.render(&scene(&[&solid]), &view, 150, 90, threads).unwrap();
            assert!(kept == one, "{threads} threads, step {step}");
        }
    }
    // Another body, and another look, are noticed.
    let other = cube([0.0; 3], 0.5, 0.1);
    let mut changed = view.clone();
    changed.volume.as_mut().unwrap().opacity = 0.3;
    let want = cpu::render(&scene(&[&other]), &changed, 150, 90, 1).unwrap();
    assert!(renderer.render(&scene(&[&other]), &changed, 150, 90, 2).unwrap() == want);
}
