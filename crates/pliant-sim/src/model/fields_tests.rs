//! Arrays of meshes on compiled bodies.

use pliant_mesh::{DataArray, Domain, Group, Mesh};

use super::part::only_group;
use super::{FieldOn, compile};
use crate::scene::{Body, Copies, PictureColour, Scene, Shape, Source};

/// A bar whose points and tetrahedra know their numbers.
fn numbered() -> Mesh {
    let mut mesh = Shape::bar([2, 1, 1], [2.0, 1.0, 1.0]).build().unwrap();
    let count = |n: usize| (0..n).map(|i| i as f64).collect::<Vec<_>>();
    let (points, tets) = (mesh.points.len(), mesh.tets.len());
    mesh.point_data.push(DataArray::scalar("number", count(points)));
    let values = (0..points).flat_map(|i| [3.0 * i as f64, 4.0 * i as f64]).collect();
    mesh.point_data.push(DataArray { name: "flow".into(), components: 2, values });
    let values = vec![1.0; 9 * points];
    mesh.point_data.push(DataArray { name: "tensor".into(), components: 9, values });
    mesh.point_data.push(DataArray::scalar("short", vec![1.0]));
    mesh.tet_data.push(DataArray::scalar("number", count(tets)));
    mesh.tet_data.push(DataArray::scalar("region", count(tets)));
    mesh
}

fn scene(mesh: Mesh) -> Scene {
    let body = Body { name: "bar".into(), source: Source::Inline(mesh), ..Body::default() };
    let mut plain = Body { name: "plain".into(), ..Body::default() };
    plain.source = Source::Shape(Shape::bar([1; 3], [1.0; 3]));
    Scene { bodies: vec![plain, body], ..Scene::default() }
}

#[test]
fn scalars_and_lengths_of_vectors_come_along() {
    let model = compile(&scene(numbered())).unwrap();
    assert_eq!(model.field_names(), ["number", "flow", "region"]);
    assert!(model.field(0, "number").is_none(), "the other body has none");
    let number = model.field(1, "number").unwrap();
    assert_eq!(number.on, FieldOn::Vertices, "points before tetrahedra of the same name");
    let bar = &model.bodies[1];
    assert_eq!(number.values.len(), bar.vertices.len());
    assert_eq!(number.values[7], 7.0);
    assert_eq!(model.field(1, "flow").unwrap().values[7], 35.0);
    let region = model.field(1, "region").unwrap();
    assert_eq!((region.on, region.values.len()), (FieldOn::Tets, bar.tets.len()));
    assert_eq!(model.field_range("region"), Some([0.0, bar.tets.len() as f32 - 1.0]));
    assert_eq!(model.field_range("nothing"), None);
}

#[test]
fn copies_share_their_numbers() {
    let mut many = scene(numbered());
    let alone = compile(&many).unwrap();
    many.bodies[1].copies = Some(Copies { count: [3, 1, 1], spacing: [3.0, 0.0, 0.0] });
    let model = compile(&many).unwrap();
    assert_eq!(model.bodies.len(), 4);
    let field = |b: usize| model.bodies[b].fields.as_ptr();
    assert!(field(1) == field(2) && field(2) == field(3));
    let sizes: usize = model.bodies[1].fields.iter().map(|f| 4 * f.values.len()).sum();
    let per_copy = (model.bytes() - alone.bytes()) / 2;
    assert!(per_copy < alone.bytes() - sizes, "the fields of {sizes} bytes are not copied");
}

#[test]
fn a_group_takes_its_part_of_the_arrays() {
    let mut mesh = numbered();
    let members = vec![1, 4, 9];
    mesh.groups.push(Group { name: "some".into(), domain: Domain::Tets, members });
    let part = only_group(&mesh, "some").unwrap();
    assert_eq!(part.tet_array("region").unwrap().values, [1.0, 4.0, 9.0]);
    let number = part.point_array("number").unwrap();
    for (tet, &old) in part.tets.iter().zip([1usize, 4, 9].iter()) {
        let corners = tet.map(|v| number.values[v as usize] as u32);
        assert_eq!(corners, mesh.tets[old]);
    }
}

#[test]
fn pictures_of_what_no_mesh_has_are_refused() {
    let mut scene = scene(numbered());
    scene.output.picture.colour = PictureColour::Field("region".into());
    assert!(compile(&scene).is_ok());
    scene.output.picture.colour = PictureColour::Field("Region".into());
    let error = compile(&scene).unwrap_err().to_string();
    assert!(error.contains("output.picture.colour") && error.contains("\"Region\""), "{error}");
    assert!(error.contains("number, flow, region"), "{error}");
}
