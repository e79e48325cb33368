use pliant_mesh::{shapes, topology};

use super::*;
use crate::camera::Camera;
use crate::geometry::{Body, Bounds, Values};
use crate::obstacle::{Obstacle, RigidSurface};
use crate::view::{Colouring, Cut, Shading};

const TETRAHEDRON: [[f32; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
const FACES: [[u32; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

fn view() -> View {
    let bounds = Bounds { min: [0.0; 3], max: [1.0; 3] };
    View::new(Camera::framing(bounds, [1.0, -2.0, 1.0], 1.0))
}

fn list(body: Body, view: &View) -> Result<DrawList, RenderError> {
    let scene = Geometry { bodies: vec![body], ..Geometry::default() };
    let projection = view.camera.projection(scene.origin, 100, 100)?;
    DrawList::new(&scene, view, &projection)
}

/// Vertices, tetrahedra and surface of a bar.
type Bar = (Vec<[f32; 3]>, Vec<[u32; 4]>, Vec<[u32; 3]>);

fn bar() -> Bar {
    let mesh = shapes::bar([6, 2, 2], [3.0, 1.0, 1.0], shapes::Split::Six);
    let triangles = topology::boundary_faces(&mesh.tets);
    (mesh.points.iter().map(|p| p.map(|c| c as f32)).collect(), mesh.tets, triangles)
}

#[test]
fn flat_faces_have_their_own_normal() {
    let body = Body { positions: &TETRAHEDRON, triangles: &FACES, ..Body::default() };
    let list = list(body, &View { shading: Shading::Flat, ..view() }).unwrap();
    assert_eq!((list.vertices.len(), list.triangles.len()), (12, 4));
    // x + y/2 + z/3 = 1, and the three coordinate planes.
    let slanted = Vec3f::from([1.0, 0.5, 1.0 / 3.0]).unit_or(Vec3::default());
    let want = [slanted.into(), [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    for (triangle, want) in list.triangles.iter().zip(want) {
        for &v in triangle {
            let normal: Vec3f = list.vertices[v as usize].normal.into();
            assert!((normal - want.into()).length() < 1e-6, "{normal:?} is not {want:?}");
        }
    }
}

#[test]
fn smooth_normals_weigh_faces_by_area() {
    // A gentle roof: the middle vertex belongs to a large flat face and a small tilted one.
    let positions = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-4.0, 0.0, 0.0], [1.0, 0.0, -0.5f32]];
    let triangles = [[0, 1, 2], [0, 3, 1]];
    let body = Body { positions: &positions, triangles: &triangles, ..Body::default() };
    let list = list(body, &view()).unwrap();
    // Area vectors: (0, 0, 4) and (0.5, 0, 1).
    let want = Vec3f::from([0.5, 0.0, 5.0]).unit_or(Vec3::default());
    let normal = Vec3f::from(list.vertices[0].normal);
    assert!((normal - want).length() < 1e-6, "{normal:?}");
    assert_eq!(list.triangles, triangles);
}

#[test]
fn edges_of_boxes_stay_sharp() {
    let (positions, _, triangles) = bar();
    let body = Body { positions: &positions, triangles: &triangles, ..Body::default() };
    let list = list(body, &view()).unwrap();
    for triangle in &list.triangles {
        for &v in triangle {
            let n = list.vertices[v as usize].normal;
            let largest = n.iter().fold(0.0f32, |most, c| most.max(c.abs()));
            assert!(largest > 0.9999, "{n:?}");
        }
    }
}

#[test]
fn a_cut_uncovers_closed_inner_faces() {
    let (positions, tets, triangles) = bar();
    let body =
        Body { positions: &positions, triangles: &triangles, tets: &tets, ..Body::default() };
    let cut = Cut { point: [1.5, 0.0, 0.0], normal: [2.0, 0.0, 0.0] };
    let list = list(body, &View { cut: Some(cut), ..view() }).unwrap();
    let corners = |t: &[u32; 3]| t.map(|v| Vec3::from(list.vertices[v as usize].position));
    // The rest is closed (area vectors add up to nothing) and holds half of the volume, 1.5 m³.
    let mut sum = Vec3::default();
    let mut volume = 0.0;
    for [a, b, c] in list.triangles.iter().map(corners) {
        sum = sum + (b - a).cross(c - a);
        volume += a.dot(b.cross(c)) / 6.0;
    }
    assert!(sum.length() < 1e-4, "{sum:?}");
    assert!((volume - 1.5).abs() < 1e-4, "{volume}");
    // The cut runs between cells, so its faces lie in the plane and cover 1 m².
    let inner = |t: &&[u32; 3]| list.vertices[t[0] as usize].paint == 1;
    let area: f32 = list.triangles.iter().filter(inner).map(corners).fold(0.0, |sum, [a, b, c]| {
        assert!((a.x - 1.5).abs() < 1e-6);
        sum + (b - a).cross(c - a).length() / 2.0
    });
    assert!((area - 1.0).abs() < 1e-5, "{area}");
}

#[test]
fn a_cut_shows_the_values_of_tetrahedra() {
    let (positions, tets, triangles) = bar();
    let values: Vec<f32> = (0..tets.len()).map(|t| t as f32).collect();
    let body = Body {
        positions: &positions,
        triangles: &triangles,
        tets: &tets,
        values: Values::Tets(&values),
        ..Body::default()
    };
    let range = [0.0, tets.len() as f32];
    let colouring = Colouring::Stress { range };
    let cut = Cut { point: [1.5, 0.0, 0.0], normal: [1.0, 0.0, 0.0] };
    let whole = list(body.clone(), &View { colouring: colouring.clone(), ..view() }).unwrap();
    let list = list(body, &View { cut: Some(cut), colouring, ..view() }).unwrap();
    let cut_face = list
        .triangles
        .iter()
        .filter(|t| t.iter().all(|&v| (list.vertices[v as usize].position[0] - 1.5).abs() < 1e-6));
    let mut count = 0;
    for [a, b, c] in cut_face.map(|t| t.map(|v| list.vertices[v as usize].value * range[1])) {
        assert!(a == b && b == c && (a - a.round()).abs() < 1e-3);
        count += 1;
    }
    assert_eq!(count, 8, "four cells with two triangles each");
    // On the surface a vertex has the mean of its tetrahedra; those of vertex 0 are known.
    let round: Vec<f32> =
        tets.iter().zip(&values).filter(|(t, _)| t.contains(&0)).map(|(_, v)| *v).collect();
    let mean = round.iter().sum::<f32>() / round.len() as f32;
    assert!((whole.vertices[0].value * range[1] - mean).abs() < 1e-3);
}

#[test]
fn each_edge_is_drawn_once() {
    let (positions, _, triangles) = bar();
    let body = Body { positions: &positions, triangles: &triangles, ..Body::default() };
    let list = list(body, &View { wireframe: true, ..view() }).unwrap();
    assert_eq!(list.lines.len(), triangles.len() * 3 / 2);
}

#[test]
fn what_is_not_finite_is_left_out_and_counted() {
    let mut positions = TETRAHEDRON;
    positions[1][2] = f32::NAN;
    let body =
        Body { positions: &positions, triangles: &FACES, locked: &[0, 1], ..Body::default() };
    let view = View { wireframe: true, vertices: true, ..view() };
    let list = list(body, &view).unwrap();
    assert_eq!(list.skipped, 1);
    assert_eq!(list.triangles.len(), 1, "only one face is without vertex 1");
    assert_eq!((list.lines.len(), list.balls.len()), (3, 3 + 1));
    assert!(list.extent.0.iter().all(|c| c.is_finite()) && list.extent.1.is_finite());
}

#[test]
fn wrong_numbers_are_named() {
    let triangles = [[0, 1, 2], [0, 4, 1]];
    let body = Body { positions: &TETRAHEDRON, triangles: &triangles, ..Body::default() };
    let error = list(body, &view()).unwrap_err().to_string();
    assert_eq!(error, "body 0: triangle 1 names vertex 4, but there are only 4");
    let body = Body { positions: &TETRAHEDRON, locked: &[9], ..Body::default() };
    assert!(list(body, &view()).unwrap_err().to_string().contains("lock 0 names vertex 9"));
    let values = Values::Vertices(&[1.0, 2.0]);
    let body = Body { positions: &TETRAHEDRON, values, ..Body::default() };
    let error = list(body, &view()).unwrap_err().to_string();
    assert_eq!(error, "body 0 has 2 values for 4 vertices; give one value for each");
}

#[test]
fn round_distances() {
    for (x, want) in [(1.0, 1.0), (4.9, 2.0), (0.07, 0.05), (99.0, 50.0), (1e-4, 1e-4)] {
        assert!((round_below(x) / want - 1.0).abs() < 1e-4, "{x}");
    }
}

/// A square of 2 m at z = 1 that faces up, and where it is.
fn roof() -> RigidSurface {
    let corners = [[-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0f32]];
    RigidSurface::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap()
}

const UPRIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const OVERTURNED: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];

#[test]
fn obstacles_have_one_side() {
    let surface = roof();
    // Seen from above and from below; whether triangles are seen, and whether they keep light off.
    for (rotation, height, seen, casts) in [
        (UPRIGHT, 5.0, true, true),
        (UPRIGHT, -5.0, false, true),
        (OVERTURNED, 5.0, false, false),
        (OVERTURNED, -5.0, true, false),
    ] {
        let translation = [0.0; 3];
        let obstacle = Obstacle { surface: &surface, rotation, translation, is_endless: false };
        let body = Body { positions: &TETRAHEDRON, triangles: &FACES, ..Body::default() };
        let scene =
            Geometry { bodies: vec![body], obstacles: vec![obstacle], ..Geometry::default() };
        let mut view = view();
        (view.camera.eye, view.camera.target) = ([0.5, 0.4, height], [0.0; 3]);
        let projection = view.camera.projection(scene.origin, 100, 100).unwrap();
        let list = DrawList::new(&scene, &view, &projection).unwrap();
        let of_obstacle = |t: &&[u32; 3]| t.iter().all(|&v| v < 4);
        assert_eq!(list.triangles.iter().filter(of_obstacle).count(), if seen { 2 } else { 0 });
        let stoppers = list.light_stoppers().filter(of_obstacle).count();
        assert_eq!(stoppers, if casts { 2 } else { 0 });
        assert_eq!(list.light_stoppers().count() - stoppers, FACES.len(), "of the body");
        assert_eq!(list.triangles.iter().filter(|t| !of_obstacle(t)).count(), FACES.len());
    }
}

#[test]
fn obstacles_stand_where_they_are_told() {
    let surface = roof();
    let (rotation, translation) = (OVERTURNED, [1000.0, 0.0, 3.0]);
    let obstacle = Obstacle { surface: &surface, rotation, translation, is_endless: false };
    let origin = [1000.0, 0.0, 0.0];
    let scene = Geometry { origin, obstacles: vec![obstacle], ..Geometry::default() };
    assert_eq!(obstacle.bounds().unwrap().min, [999.0, -1.0, 2.0]);
    assert_eq!(Obstacle { is_endless: true, ..obstacle }.bounds(), None);
    assert_eq!(scene.bounds(), None, "they are no bodies");
    let projection = view().camera.projection(scene.origin, 100, 100).unwrap();
    let list = DrawList::new(&scene, &view(), &projection).unwrap();
    assert_eq!(list.vertices[1].position, [1.0, 1.0, 2.0]);
    assert_eq!(list.vertices[1].normal, [0.0, 0.0, -1.0]);
    assert_eq!(list.extent, ([0.0, 0.0, 2.0], 2f32.sqrt()));
    // A wide one must not take the shadow map for itself.
    let wide = Obstacle { rotation: UPRIGHT.map(|r| r.map(|c| 1000.0 * c)), ..obstacle };
    let body = Body { positions: &TETRAHEDRON, triangles: &FACES, ..Body::default() };
    let scene = Geometry { origin, bodies: vec![body], obstacles: vec![wide], ..scene };
    let list = DrawList::new(&scene, &view(), &projection).unwrap();
    let alone = scene.bounds().unwrap().radius() as f32;
    assert!(list.extent.1 < 12.0 * alone, "{} for {alone}", list.extent.1);
    assert!(RigidSurface::new(&TETRAHEDRON, &[[0, 1, 4]]).is_err());
}
