//! Cameras that see what happens, and colours that mean something.

use pliant_render::{Colouring, encode};
use pliant_sim::scene::{
    Body, Mass, Picture, PictureCamera, PictureColour, PictureVolume, Rgb, RunPlan, Scene, Shape,
    Source, Stiffness, Transfer, TransferPoint, TransferPreset, WorldBox,
};
use pliant_sim::{Backend, Simulator};

use super::{Painter, shot};
use crate::Frame;

fn cube(height: f64) -> Scene {
    let mut body = Body { name: "cube".into(), ..Body::default() };
    body.source = Source::Shape(Shape::bar([2; 3], [0.2; 3]));
    body.translate = [-0.1, -0.1, height];
    body.material.mass = Mass::Density(1000.0);
    body.material.stiffness = Stiffness::Young(20e3);
    let mut scene = Scene { name: "cube".into(), bodies: vec![body], ..Scene::default() };
    scene.world.timestep = 0.001;
    scene.run = RunPlan { duration: Some(1.0), steps: None };
    scene
}

fn simulator(scene: Scene) -> Simulator {
    Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap()
}

/// Whether `point` is inside a picture that `painter` makes.
fn sees(painter: &Painter, point: [f32; 3]) -> bool {
    let projection = painter.view.camera.projection([0.0; 3], 960, 720).unwrap();
    projection
        .pixel(point)
        .is_some_and(|[x, y, _]| (0.0..=960.0).contains(&x) && (0.0..=720.0).contains(&y))
}

#[test]
fn the_camera_sees_start_and_landing() {
    let sim = simulator(cube(2.0));
    let painter = Painter::new(&sim, &Picture::default());
    assert!(sees(&painter, [0.0, 0.0, 2.2]) && sees(&painter, [0.0, 0.0, 0.0]));
    assert!(!sees(&painter, [0.0, 0.0, -1.5]) && !sees(&painter, [4.0, 0.0, 1.0]));

    // A run that is too short to reach the floor is seen from nearer.
    let mut short = cube(10.0);
    short.run.duration = Some(0.2);
    let sim = simulator(short);
    let painter = Painter::new(&sim, &Picture::default());
    assert!(sees(&painter, [0.0, 0.0, 9.85]) && !sees(&painter, [0.0, 0.0, 8.0]));

    // Thrown, it ends at the wall.
    let mut thrown = cube(0.5);
    thrown.bodies[0].velocity = [8.0, 0.0, 0.0];
    thrown.world.bounds = Some(WorldBox { size: [4.0; 3], ..WorldBox::default() });
    let sim = simulator(thrown);
    let painter = Painter::new(&sim, &Picture::default());
    assert!(sees(&painter, [1.99, 0.0, 0.0]) && !sees(&painter, [6.0, 0.0, 0.0]));
}

#[test]
fn a_camera_goes_where_it_is_told() {
    let camera = PictureCamera {
        direction: [0.0, -2.0, 0.0],
        target: Some([1.0, 0.0, 3.0]),
        distance: Some(5.0),
        ..PictureCamera::default()
    };
    let sim = simulator(cube(1.0));
    let painter = Painter::new(&sim, &Picture { camera, ..Picture::default() });
    let camera = painter.view.camera;
    assert_eq!(camera.target, [1.0, 0.0, 3.0]);
    for (is, should) in camera.eye.iter().zip([1.0, -5.0, 3.0]) {
        assert!((is - should).abs() < 1e-9, "{camera:?}");
    }
}

#[test]
fn a_camera_is_turned_and_widened() {
    let sim = simulator(cube(1.0));
    let wish = PictureCamera { up: [1.0, 0.0, 0.0], field_of_view: 70.0, ..Default::default() };
    let wide = Painter::new(&sim, &Picture { camera: wish, ..Picture::default() }).view.camera;
    let usual = Painter::new(&sim, &Picture::default()).view.camera;
    assert_eq!(wide.up, [1.0, 0.0, 0.0]);
    assert!((wide.field_of_view - 70f64.to_radians()).abs() < 1e-12);
    assert!(wide.distance() < 0.75 * usual.distance(), "a wide angle sees all from nearer");
}

#[test]
fn directions_may_have_any_length() {
    let place = |length: f64| {
        let direction = [0.0, -3.0 * length, 4.0 * length];
        let (target, distance) = (Some([1.0, 0.0, 0.0]), Some(10.0));
        shot::placed(&PictureCamera { direction, target, distance, ..Default::default() })
    };
    for length in [1.0, 1e-300, 1e300] {
        let eye = place(length).unwrap().eye;
        assert!((eye[1] + 6.0).abs() < 1e-12 && (eye[2] - 8.0).abs() < 1e-12, "{eye:?}");
    }
    assert_eq!(place(0.0), None);
    assert_eq!(shot::placed(&PictureCamera::default()), None, "it does not say where it stands");
}

#[test]
fn ranges_come_from_the_scene() {
    let sim = simulator(cube(1.05));
    let view = |colour, range| {
        Painter::new(&sim, &Picture { colour, range, ..Picture::default() }).view.colouring
    };
    // 8 kg on 27 vertices: 29.07 N for ten of them.
    assert_eq!(view(PictureColour::Force, None), Colouring::Force { reference: 50.0 });
    assert_eq!(view(PictureColour::Stress, None), Colouring::Stress { range: [0.0, 5e3] });
    // √(2 · 9.81 · 1.25) = 4.95 m/s.
    assert_eq!(view(PictureColour::Speed, None), Colouring::Speed { range: [0.0, 5.0] });
    let given = view(PictureColour::Stress, Some([1.0, 2.0]));
    assert_eq!(given, Colouring::Stress { range: [1.0, 2.0] });
    assert_eq!(view(PictureColour::Body, None), Colouring::Body);
    let rounded =
        [0.3, 1.0, 1.01, 20.0, 0.0, f64::NAN, f64::INFINITY].map(super::scale::rounded_up);
    for (is, should) in rounded.iter().zip([0.5, 1.0, 2.0, 20.0, 1.0, 1.0, 1.0]) {
        assert!((is - should).abs() < 1e-9, "{rounded:?}");
    }
}

#[test]
fn outliers_do_not_take_the_scale() {
    let mut values: Vec<f32> = (0..100).map(|i| i as f32 / 100.0).collect();
    values[50] = 1e6;
    assert_eq!(super::scale::usual_top(&values), 1.0);
    assert_eq!(super::scale::usual_top(&[3.0]), 5.0);
    assert_eq!(super::scale::usual_top(&[f32::NAN, 0.0]), 1.0);
    assert_eq!(super::scale::usual_top(&[]), 1.0);
}

#[test]
fn bodies_are_not_behind_the_legend() {
    let sim = simulator(cube(0.0));
    let right = |colour| {
        let painter = Painter::new(&sim, &Picture { colour, ..Picture::default() });
        let projection = painter.view.camera.projection([0.0; 3], 960, 720).unwrap();
        let corner = |i: u32| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.1 } else { -0.1 });
        let corners = (0..8).map(corner).map(|[x, y, z]| [x, y, z + 0.1]);
        corners.map(|c| projection.pixel(c).unwrap()[0]).fold(0.0, f32::max)
    };
    // The legend is 190 pixels wide.
    assert!(right(PictureColour::Stress) < 960.0 - 190.0);
    assert!(right(PictureColour::Body) > right(PictureColour::Stress));
}

#[test]
fn values_become_colours() {
    let mut sim = simulator(cube(0.0));
    sim.advance(300).unwrap();
    // Forces of contact are measured where there are colliders.
    let is_measured = |colour: &PictureColour| *colour != PictureColour::Contact;
    for colour in PictureColour::ALL.into_iter().filter(is_measured) {
        let picture = Picture { colour: colour.clone(), ..Picture::default() };
        let mut painter = Painter::new(&sim, &picture);
        let frame = Frame::capture(&mut sim, painter.fields());
        let image = painter.paint(&frame, [160, 120]).unwrap();
        painter.fit_range(&frame);
        let fitted = painter.paint(&frame, [160, 120]).unwrap();
        let has_values = colour.has_values();
        assert_eq!(image != fitted, has_values, "{colour}");
    }
}

#[test]
fn forces_of_contact_become_colours_and_arrows() {
    let mut scene = cube(0.0);
    scene.world.bounds = None;
    scene.colliders = vec![pliant_sim::scene::Collider::default()];
    let mut sim = simulator(scene);
    sim.advance(100).unwrap();
    let colour = PictureColour::Contact;
    let mut painter = Painter::new(&sim, &Picture { colour, ..Picture::default() });
    assert!(painter.fields().contact);
    let frame = Frame::capture(&mut sim, painter.fields());
    let upward = frame.contact_forces.iter().map(|f| f64::from(f[2])).sum::<f64>();
    assert!(upward > 0.0, "{upward} N");
    let [_, most] = painter.extent_of(&frame).unwrap();
    assert!(most > 0.0);
    let without = painter.paint(&frame, [160, 120]).unwrap();
    painter.set_contacts(true);
    assert!(painter.paint(&frame, [160, 120]).unwrap() != without);
}

#[test]
fn fields_of_files_become_colours_where_there_are_any() {
    let mut scene = cube(0.0);
    let mut mesh = Shape::bar([2; 3], [0.2; 3]).build().unwrap();
    let heights = mesh.points.iter().map(|p| 10.0 + p[2]).collect();
    mesh.point_data.push(pliant_mesh::DataArray::scalar("height", heights));
    let source = Source::Inline(mesh);
    scene.bodies.push(Body { name: "known".into(), source, ..Body::default() });
    scene.bodies[1].translate = [0.5, 0.0, 0.0];
    let mut sim = simulator(scene);
    let colour = PictureColour::Field("height".into());
    let painter = Painter::new(&sim, &Picture { colour, ..Picture::default() });
    let range = painter.view.colouring.scale().unwrap().range;
    assert!(range[0] == 10.0 && (range[1] - 10.2).abs() < 1e-5, "{range:?}");
    let frame = Frame::capture(&mut sim, painter.fields());
    painter.with_geometry(&frame, |drawn| {
        assert!(matches!(drawn.bodies[0].values, pliant_render::Values::None));
        let values = drawn.bodies[1].values.as_slice();
        let heights = frame.positions[27..].iter().map(|p| 10.0 + p[2]);
        assert_eq!(values.len(), 27);
        assert!(values.iter().zip(heights).all(|(a, b)| (a - b).abs() < 1e-5));
    });
}

#[test]
fn the_inside_is_shown_of_the_first_field_or_else_of_stress() {
    let mut scene = cube(0.0);
    let picture = Picture { volume: Some(PictureVolume::default()), ..Picture::default() };
    let painter = Painter::new(&simulator(scene.clone()), &picture);
    assert_eq!(*painter.colour(), PictureColour::Stress);
    let look = painter.view.volume.clone().unwrap();
    assert_eq!((&*look.name, &*look.unit), ("stress", "Pa"));
    assert_eq!(look.transfer.range(), [0.0, 5e3]);
    look.check().unwrap();
    // A cube of 0.2 m: what is said of a body across is five times as much of a metre.
    let preset = pliant_render::volume::Preset::Viridis.transfer();
    let dense = look.transfer.extinction(2.5e3) / preset.extinction(0.5);
    assert!((dense - 5.0).abs() < 1e-3, "{dense}");

    let mut mesh = Shape::bar([2; 3], [0.2; 3]).build().unwrap();
    mesh.tet_data.push(pliant_mesh::DataArray::scalar("region", vec![7.0; mesh.tets.len()]));
    scene.bodies[0].source = Source::Inline(mesh);
    let mut painter = Painter::new(&simulator(scene), &picture);
    assert_eq!(*painter.colour(), PictureColour::Field("region".into()));
    assert_eq!(painter.view.volume.as_ref().unwrap().transfer.range(), [6.5, 7.5]);
    painter.set_volume(None);
    assert_eq!(painter.view.volume, None);
}

#[test]
fn what_runs_measure_looks_other_than_what_files_hold() {
    let picture = |colour, transfer| {
        let volume = Some(PictureVolume { transfer, ..PictureVolume::default() });
        let scene = cube(0.0);
        Painter::new(&simulator(scene), &Picture { colour, volume, ..Picture::default() })
    };
    let seen = |painter: &Painter| painter.view.volume.clone().unwrap().transfer.extinction(0.0);
    for colour in PictureColour::ALL {
        // A body at rest is a veil of the lowest value: not nothing.
        let mut painter = picture(colour, None);
        assert!(seen(&painter) > 0.0);
        // What was said stays, whatever is shown.
        let tissue = Some(Transfer::Preset(TransferPreset::Tissue));
        painter.set_volume(Some(PictureVolume { transfer: tissue, ..PictureVolume::default() }));
        assert_eq!(seen(&painter), 0.0);
    }
    let field = PictureColour::Field("intensity".into());
    assert_eq!(seen(&picture(field, None)), 0.0, "the air round a scan");
}

#[test]
fn rounding_is_not_shown_as_stress() {
    let mut sim = simulator(cube(0.0));
    let colour = PictureColour::Stress;
    let mut painter = Painter::new(&sim, &Picture { colour, ..Picture::default() });
    let mut frame = Frame::capture(&mut sim, painter.fields());
    // A cube of 20 kPa, whose usual scale ends at a quarter of that.
    for (stress, top) in [(0.0, 5e3), (1e-12, 5e3), (1e-3, 5e3), (0.09, 0.1), (40.0, 50.0)] {
        frame.von_mises.fill(stress);
        painter.fit_range(&frame);
        assert_eq!(painter.view.colouring.scale().unwrap().range, [0.0, top], "{stress} Pa");
    }
}

#[test]
fn a_field_of_one_number_has_a_range_round_it() {
    assert_eq!(super::scale::field_range(Some([7.0; 2])), [6.5, 7.5]);
    for all in [2e9, -2e9, 1e30] {
        let [low, high] = super::scale::field_range(Some([all; 2]));
        assert!(low < all && all < high, "{low} to {high} round {all}");
    }
}

#[test]
fn transfer_functions_are_as_scenes_say() {
    for preset in TransferPreset::ALL {
        let there = super::volume::preset(preset).transfer();
        let here = super::volume::transfer(&Transfer::Preset(preset), [10.0, 20.0]);
        for i in 0..=100 {
            let at = i as f32 / 100.0;
            let (a, b) = (here.extinction(10.0 + 10.0 * at), there.extinction(at));
            assert!((a - b).abs() < 1e-2 * (1.0 + b), "{preset:?} at {at}: {a} and {b}");
            let (a, b) = (here.colour(10.0 + 10.0 * at).0, there.colour(at).0);
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 0.01), "{preset:?} at {at}");
        }
    }
    assert_eq!(TransferPreset::ALL.map(super::volume::preset), pliant_render::volume::Preset::ALL);
    let colour = Rgb([200, 100, 0]);
    let points = vec![TransferPoint { at: 0.25, colour, density: 3.0 }];
    let made = super::volume::transfer(&Transfer::Points(points), [0.0, 8.0]);
    assert_eq!(made.range(), [2.0, 2.0]);
    assert_eq!(super::volume::rgb(made.colour(5.0)), colour);
}

#[test]
fn displacement_is_the_way_from_the_start() {
    let mut sim = simulator(cube(1.0));
    let colour = PictureColour::Displacement;
    let painter = Painter::new(&sim, &Picture { colour, ..Picture::default() });
    // A cube of 0.346 m across its corners.
    assert_eq!(painter.view.colouring.scale().unwrap().range, [0.0, 0.05]);
    sim.advance(200).unwrap();
    let frame = Frame::capture(&mut sim, painter.fields());
    painter.with_geometry(&frame, |drawn| {
        // Free fall for 0.2 s with the world's damping.
        let fall = drawn.bodies[0].values.as_slice();
        assert!(fall.iter().all(|d| (d - 0.19).abs() < 0.01), "{fall:?}");
    });
}

#[test]
fn sizes_that_are_allowed_can_be_drawn() {
    assert_eq!(Picture::LARGEST_SIDE, encode::LARGEST_SIDE);
}
