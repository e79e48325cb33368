//! What is said about scenes that run, but were perhaps not meant so.

use pliant_mesh::{Mesh, topology::boundary_faces};

use super::compile;
use crate::scene::{Body, Copies, Mass, Region, Scene, Shape, Source};

fn bar() -> Body {
    let source = Source::Shape(Shape::bar([4, 2, 2], [0.4, 0.2, 0.2]));
    Body { name: "bar".into(), source, translate: [0.0, 0.0, 1.0], ..Body::default() }
}

/// The surface of a cube of 2 m.
fn cube() -> Mesh {
    let mut mesh = Shape::bar([1; 3], [2.0; 3]).build().unwrap();
    mesh.triangles = boundary_faces(&mesh.tets);
    mesh.tets.clear();
    mesh
}

fn skin(mesh: Mesh) -> Body {
    Body { name: "skin".into(), source: Source::Inline(mesh), ..bar() }
}

fn notes(body: Body) -> Vec<String> {
    compile(&Scene { bodies: vec![body], ..Scene::default() }).unwrap().notes
}

/// The only thing that is said has these words in it.
#[track_caller]
fn says(body: Body, words: &[&str]) {
    let notes = notes(body);
    let [note] = &notes[..] else { panic!("{notes:?}") };
    for word in words {
        assert!(note.contains(word), "{word} is not in: {note}");
    }
}

#[test]
fn a_usual_body_is_nothing_to_talk_about() {
    assert_eq!(notes(bar()), [""; 0]);
    let locks = vec![Region::Points(vec![0, 1, 2])];
    assert_eq!(notes(Body { locks, velocity: [3.0, 0.0, 0.0], ..bar() }), [""; 0]);
}

#[test]
fn a_body_that_cannot_move_is_named() {
    says(Body { locks: vec![Region::All], ..bar() }, &["\"bar\"", "all 45 vertices are locked"]);
}

#[test]
fn copies_are_named_once() {
    let copies = Some(Copies { count: [3, 1, 1], spacing: [1.0, 0.0, 0.0] });
    says(
        Body { locks: vec![Region::All], copies, ..bar() },
        &["\"bar-1\" and 2 more", "are locked"],
    );
}

#[test]
fn a_closed_surface_is_said_to_be_empty_with_its_weight() {
    let mut body = skin(cube());
    body.translate = [0.0, 0.0, 0.1];
    body.material.mass = Mass::Density(1000.0);
    says(
        body.clone(),
        &[
            "\"skin\"",
            "24000.000 kg",
            "1000 counts as kg/m²",
            "8.00 m³",
            "TetGen",
            "fTetWild",
            "Gmsh",
        ],
    );
    let mut open = cube();
    open.triangles.pop();
    body.source = Source::Inline(open);
    assert_eq!(notes(body), [""; 0], "cloth is open");
}

#[test]
fn a_seam_does_not_open_a_surface() {
    // Every triangle with corners of its own, as many files have it.
    let whole = cube();
    let points: Vec<[f64; 3]> =
        whole.triangles.iter().flatten().map(|&v| whole.points[v as usize]).collect();
    let triangles = (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let body = skin(Mesh { points, triangles, ..Mesh::default() });
    assert!(notes(body).iter().any(|n| n.contains("empty skin")));
}

#[test]
fn triangles_without_area_are_counted_and_numbered() {
    let mut mesh = Shape::Cloth { cells: [2, 2], size: [1.0, 1.0] }.build().unwrap();
    // The grid's points 0, 1 and 2 are in a line.
    mesh.triangles.push([0, 1, 2]);
    mesh.triangles.push([3, 3, 4]);
    says(skin(mesh), &["\"skin\"", "2 of 10 triangles", "number 8", "mesh check"]);
}

#[test]
fn speeds_that_steps_cannot_follow_are_told() {
    // 0.1 m cells and 4 ms.
    let fast = Body { velocity: [0.0, 0.0, 1000.0], ..bar() };
    says(fast.clone(), &["\"bar\"", "1.0e3 m/s", "world.substeps = "]);
    says(Body { velocity: [1e30, 0.0, 0.0], ..bar() }, &["let it be slower"]);
    let mut space = Scene { bodies: vec![fast], ..Scene::default() };
    space.world.bounds = None;
    assert_eq!(compile(&space).unwrap().notes, [""; 0], "nothing is in its way");
    space.bodies[0].spin = [0.0, 0.0, 1e4];
    assert_eq!(compile(&space).unwrap().notes.len(), 1, "a spin tears at it anywhere");
}
