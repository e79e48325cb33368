//! What is written is read back.

use proptest::prelude::*;

use super::super::write;
use crate::formats::Format;
use crate::formats::test_meshes::read_alone;
use crate::{DataArray, Domain, Group, Mesh};

fn write_and_read(mesh: &Mesh) -> Mesh {
    let mut text = Vec::new();
    write(mesh, &mut text).unwrap();
    let (back, warnings) = read_alone(Format::Gmsh, &text)
        .unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&text)));
    assert_eq!(warnings, [""; 0]);
    back
}

fn group(name: &str, domain: Domain, members: &[u32]) -> Group {
    Group { name: name.into(), domain, members: members.into() }
}

fn two_tets() -> Mesh {
    Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]],
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
        triangles: vec![[0, 2, 1]],
        ..Mesh::default()
    }
}

#[test]
fn numbers_of_groups_and_entities_survive() {
    let mut mesh = two_tets();
    mesh.groups = vec![group("skin", Domain::Triangles, &[0]), group("core", Domain::Tets, &[1])];
    mesh.triangle_data =
        vec![DataArray::scalar("physical", vec![42.0]), DataArray::scalar("entity", vec![3.0])];
    mesh.tet_data = vec![
        DataArray::scalar("physical", vec![0.0, 17.0]),
        DataArray::scalar("entity", vec![9.0, 8.0]),
    ];
    let mut text = Vec::new();
    write(&mesh, &mut text).unwrap();
    assert!(!String::from_utf8(text).unwrap().contains("$ElementData"));
    assert_eq!(write_and_read(&mesh), mesh);
}

#[test]
fn tag_arrays_that_groups_cannot_say_survive_as_data() {
    let mut mesh = two_tets();
    mesh.tet_data = vec![
        DataArray::scalar("physical", vec![0.5, 17.0]),
        DataArray::scalar("entity", vec![-1.0, 8.0]),
    ];
    let back = write_and_read(&mesh);
    assert_eq!(back.tet_data, mesh.tet_data);
    assert_eq!(back.triangle_data, [DataArray::scalar("entity", vec![1.0])]);
}

#[test]
fn shapes_that_gmsh_does_not_know_are_taken_apart() {
    let mut mesh = two_tets();
    let values = vec![1.0, 2.0, 3.0, 4.0];
    mesh.tet_data = vec![DataArray { name: "uv".into(), components: 2, values }];
    let back = write_and_read(&mesh);
    assert_eq!(back.tet_array("uv_0").unwrap().values, [1.0, 3.0]);
    assert_eq!(back.tet_array("uv_1").unwrap().values, [2.0, 4.0]);
}

#[test]
fn meshes_without_elements_or_points_survive() {
    let mesh = Mesh { points: vec![[1.0, 2.0, 3.0]], ..Mesh::default() };
    assert_eq!(write_and_read(&mesh), mesh);
    assert_eq!(write_and_read(&Mesh::default()), Mesh::default());
}

#[test]
fn wrong_meshes_are_not_written() {
    let error = |mesh: &Mesh| write(mesh, &mut Vec::new()).unwrap_err().to_string();
    let mut mesh = two_tets();
    mesh.groups = vec![group("g", Domain::Tets, &[2])];
    assert!(error(&mesh).contains("group \"g\" has a member 2 of 2"));
    let mut mesh = two_tets();
    mesh.tets[0][0] = 5;
    assert!(error(&mesh).contains("refers to point 5"));
    let mut mesh = two_tets();
    mesh.tet_data = vec![DataArray::scalar("a", vec![1.0])];
    assert!(error(&mesh).contains("\"a\" holds 1 tuples for 2 tetrahedra"));
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |x| x.is_finite())
}

fn subset(count: usize) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<bool>(), count).prop_map(|chosen| {
        (0u32..).zip(chosen).filter_map(|(i, chosen)| chosen.then_some(i)).collect()
    })
}

prop_compose! {
    fn meshes()(n in 4usize..12, m in 1usize..9, t in 1usize..5)(
        points in prop::collection::vec(prop::array::uniform3(finite()), n),
        tets in prop::collection::vec(prop::array::uniform4(0..n as u32), m),
        triangles in prop::collection::vec(prop::array::uniform3(0..n as u32), t),
        point_values in prop::collection::vec(finite(), 3 * n),
        tet_values in prop::collection::vec(finite(), 10 * m),
        triangle_values in prop::collection::vec(finite(), t),
        point_groups in prop::collection::vec(subset(n), 0..4),
        tet_groups in prop::collection::vec(subset(m), 0..4),
        triangle_groups in prop::collection::vec(subset(t), 0..4),
    ) -> Mesh {
        let m = tets.len();
        let named = |domain, sets: Vec<Vec<u32>>| {
            sets.into_iter().enumerate().map(move |(i, members)| {
                Group { name: format!("set {i}"), domain, members }
            })
        };
        Mesh {
            points,
            tets,
            triangles,
            point_data: vec![
                DataArray { name: "move ment".into(), components: 3, values: point_values },
            ],
            tet_data: vec![
                DataArray::scalar("both", tet_values[..m].to_vec()),
                DataArray { name: "stress".into(), components: 9, values: tet_values[m..].to_vec() },
            ],
            triangle_data: vec![DataArray::scalar("both", triangle_values)],
            groups: named(Domain::Points, point_groups)
                .chain(named(Domain::Triangles, triangle_groups))
                .chain(named(Domain::Tets, tet_groups))
                .collect(),
        }
    }
}

proptest! {
    #[test]
    fn written_meshes_read_back_the_same(mesh in meshes()) {
        let once = write_and_read(&mesh);
        let mut plain = once.clone();
        // Reading adds these to every element that was written with tags.
        plain.tet_data.retain(|a| a.name != "physical" && a.name != "entity");
        plain.triangle_data.retain(|a| a.name != "physical" && a.name != "entity");
        prop_assert_eq!(&plain, &mesh);
        prop_assert_eq!(write_and_read(&once), once);
    }
}
