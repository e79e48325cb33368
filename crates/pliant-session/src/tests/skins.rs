//! Skins in files, pictures and after resuming.

use pliant_mesh::shapes;
use pliant_render::Camera;
use pliant_sim::Simulator;
use pliant_sim::scene::{Cage, Picture, PictureColour, Skin};

use super::*;
use crate::pictures::Painter;
use crate::player::Ray;

/// A ball of radius 0.3 in many triangles, round the origin.
fn ball() -> Mesh {
    shapes::rounded_box([1e-4; 3], 0.3, 40).unwrap()
}

/// A ball in a cage that lands beside a bar without a skin.
fn caged() -> Scene {
    let mut scene = bar();
    let mut body = Body { name: "ball".into(), ..Body::default() };
    body.source = Source::Inline(ball());
    body.cage = Some(Cage { cells: 5 });
    body.translate = [1.0, 0.5, 0.45];
    body.material.stiffness = Stiffness::Young(20e3);
    body.material.mass = pliant_sim::scene::Mass::Density(1000.0);
    scene.bodies.push(body);
    scene.world.gravity = [0.0, 0.0, -9.81];
    scene.world.bounds = Some(Default::default());
    scene
}

#[test]
fn files_have_skins_in_place_of_the_bodies_that_carry_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(caged());
    run(&mut session, &options(folder.path(), 300), &mut |_| {}).unwrap();
    let at = |name: &str| folder.path().join(name);
    let (skin, points) = (ball(), 45);
    let bar = shapes::bar([4, 2, 2], [0.4, 0.2, 0.2], shapes::Split::Six);
    let faces = pliant_mesh::topology::boundary_faces(&bar.tets).len();
    let first = load(at("obj/bar---one-00000000.obj"));
    // All but the three inner points of the bar, then the ball as it is in its mesh.
    let own = points - 3;
    assert_eq!(first.points.len(), own + skin.points.len());
    assert_eq!(first.triangles.len(), faces + skin.triangles.len());
    let tail = first.triangles[faces..].iter().map(|t| t.map(|v| v - own as u32));
    assert!(tail.eq(skin.triangles.iter().copied()));
    for (found, p) in first.points[own..].iter().zip(&skin.points) {
        let want = [p[0] + 1.0, p[1] + 0.5, p[2] + 0.45];
        assert!((0..3).all(|k| (found[k] - want[k]).abs() < 1e-6), "{found:?} {want:?}");
    }
    let last = load(at("ply/bar---one-00000300.ply"));
    assert_eq!(last.triangles, first.triangles);
    let low = last.points[own..].iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    assert!((-0.01..0.2).contains(&low), "it has fallen and the floor holds the cage: {low}");
    let normals = last.point_array("normal").unwrap();
    for (i, p) in last.points[own..].iter().enumerate() {
        let n = normals.tuple(own + i);
        assert!((n.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-5, "{n:?}");
        let rest = skin.points[i];
        let out: f64 = (0..3).map(|k| n[k] * rest[k] / 0.3).sum();
        assert!(out > 0.5, "vertex {i} at {p:?}: {n:?} does not point outward");
    }
    assert!(last.point_array("force").unwrap().values.iter().all(|f| *f >= 0.0));
    // Of tetrahedra nothing changes, and the skin has files of its own.
    let vtu = load(at("vtu/bar---one-00000300.vtu"));
    assert_eq!(vtu.tets.len(), session.simulator().model().tets.len());
    let skins = load(at("vtu/bar---one-skins-00000300.vtu"));
    assert_eq!(
        (skins.points.len(), skins.triangles.len()),
        (skin.points.len(), skin.triangles.len())
    );
    assert_eq!(skins.points, last.points[own..]);
    let largest = |mesh: &Mesh, name: &str| {
        let values = mesh.point_array(name).map(|a| a.sizes().collect::<Vec<f64>>());
        let values = values.unwrap_or_else(|| panic!("{name} is missing"));
        assert!(values.iter().all(|v| v.is_finite()), "{name}");
        values.into_iter().fold(0.0, f64::max)
    };
    for name in ["velocity", "force", "displacement", "von_mises", "normal"] {
        assert!(largest(&skins, name) > 0.0, "{name}");
    }
    assert!(largest(&skins, "body") == 1.0);
    let stress = vtu.tet_array("von_mises").unwrap().values.iter().fold(0.0, |m: f64, v| m.max(*v));
    assert!(largest(&skins, "von_mises") <= stress);
    let list = std::fs::read_to_string(at("bar---one-skins.pvd")).unwrap();
    assert!(list.contains("vtu/bar---one-skins-00000300.vtu"), "{list}");
    assert_eq!(load(at("bar---one.glb")).triangles.len(), first.triangles.len());
}

#[test]
fn skins_go_on_as_they_were_after_resuming_and_with_any_number_of_threads() {
    let surface = |sim: &mut Simulator| {
        let frame = Frame::capture(sim, Fields::default());
        Painter::new(sim, &Picture::default()).surface(&frame)
    };
    // A mesh made in code cannot be resumed: a shape is the same.
    let mut scene = caged();
    scene.bodies[1].source = Source::Shape(Shape::Ball { radius: 0.3, cell: 0.05 });
    let mut whole = session(scene.clone());
    whole.advance(120).unwrap();
    let want = surface(whole.simulator_mut());
    for threads in [1, 2, 3, 7] {
        let mut first = Session::new(scene.clone(), Backend::Cpu { threads }).unwrap();
        first.advance(70).unwrap();
        let saved = checkpoint::decode(&first.checkpoint()).unwrap();
        let mut second = Session::resume(&saved, Backend::Cpu { threads }).unwrap();
        second.advance(50).unwrap();
        assert!(surface(second.simulator_mut()) == want, "{threads} threads");
    }
}

#[test]
fn pictures_show_skins_coloured_and_cages_on_request() {
    let mut session = session(caged());
    session.advance(250).unwrap();
    let fields = Fields { motion: true, stress: true, contact: false };
    let frame = Frame::capture(session.simulator_mut(), fields);
    let sim = session.simulator();
    let paint = |colour: PictureColour, change: &dyn Fn(&mut Painter)| {
        let mut painter = Painter::new(sim, &Picture { colour, ..Picture::default() });
        painter.view.camera =
            Camera { eye: [1.0, -2.5, 0.6], target: [1.0, 0.5, 0.3], ..painter.view.camera };
        change(&mut painter);
        painter.paint(&frame, [160, 120]).unwrap()
    };
    let skin = paint(PictureColour::Body, &|_| {});
    let cage = paint(PictureColour::Body, &|painter| painter.set_cages(true));
    assert!(skin != cage);
    let bare = {
        let mut scene = caged();
        scene.bodies[1].skin = Some(Skin { source: Source::Shape(Shape::bar([1; 3], [0.1; 3])) });
        let sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
        let mut painter = Painter::new(&sim, &Picture::default());
        assert!(painter.has_skins());
        painter.set_cages(true);
        painter.surface(&frame).triangles.len()
    };
    assert!(bare < ball().triangles.len(), "the cage is coarse");
    // Colours are those of the body at these places, and cuts show the body itself.
    for colour in [PictureColour::Speed, PictureColour::Stress, PictureColour::Displacement] {
        assert!(paint(colour, &|_| {}) != skin);
    }
    let cut = |painter: &mut Painter| {
        painter.view.cut =
            Some(pliant_render::Cut { point: [1.0, 0.5, 0.3], normal: [0.0, -1.0, 0.0] });
    };
    let with_cage = paint(PictureColour::Body, &|painter| {
        cut(painter);
        painter.set_cages(true);
    });
    assert!(paint(PictureColour::Body, &cut) == with_cage);
}

#[test]
fn a_ray_meets_the_skin_and_not_the_corner_of_the_cage() {
    let sim = Simulator::new(caged(), Backend::Cpu { threads: 1 }).unwrap();
    let mut sim = sim;
    let frame = Frame::capture(&mut sim, Fields::default());
    let mut painter = Painter::new(&sim, &Picture::default());
    // Past the ball and through a corner of the box round it.
    let corner = [1.0 + 0.27, 0.5, 0.45 + 0.27];
    let ray = Ray { origin: [corner[0], -5.0, corner[2]], direction: [0.0, 1.0, 0.0] };
    assert_eq!(painter.pick(&frame, ray), None);
    let middle = Ray { origin: [1.0, -5.0, 0.45], direction: [0.0, 1.0, 0.0] };
    let hit = painter.pick(&frame, middle).unwrap();
    assert!(hit.body == 1 && (hit.at[1] - 0.2).abs() < 1e-3, "{hit:?}");
    painter.set_cages(true);
    assert!(painter.pick(&frame, middle).unwrap().at[1] < 0.2);
}

#[test]
fn skins_from_files_are_not_for_links() {
    let mut scene = bar();
    let path = "fine.obj".into();
    scene.bodies[0].skin = Some(Skin { source: Source::Mesh { path, group: None } });
    let error = link::encode(&scene, None).unwrap_err();
    assert!(error.to_string().contains("fine.obj"), "{error}");
}
