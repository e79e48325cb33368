use proptest::prelude::*;

use super::*;
use crate::formats::Format;
use crate::formats::test_meshes::{read_with, sample_with_facts, survives_damage};
use crate::source::Memory;
use crate::{DataArray, Mesh, Place, ReadError, Result};

const NODE: &str = "# points\n5 3 0 0\n1 0 0 0\n2 1 0 0 # right\n3 0 1 0\n\n4 0 0 1\n5 1 1 1\n";
const ELE: &str = "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n";

fn companions(files: &[(&str, &str)]) -> Memory {
    Memory(files.iter().map(|(n, t)| ((*n).to_owned(), t.as_bytes().to_vec())).collect())
}

fn read_pair(node: &str, ele: &str) -> Result<(Mesh, Vec<String>)> {
    read_with(Format::TetGen, node.as_bytes(), "m.node", &companions(&[("m.ele", ele)]))
}

fn node_error(node: &str) -> ReadError {
    read_pair(node, "0 4 0\n").unwrap_err()
}

fn ele_error(ele: &str) -> ReadError {
    read_pair(NODE, ele).unwrap_err()
}

#[test]
fn samples_match_their_facts_from_either_file() {
    for stem in ["bunny", "armadillo_4k", "cuboid", "liver", "tetgen_example"] {
        let node = sample_with_facts(Format::TetGen, &format!("tet/{stem}.node"));
        let ele = sample_with_facts(Format::TetGen, &format!("tet/{stem}.ele"));
        let (Some((node, warnings)), Some((ele, _))) = (node, ele) else { return };
        assert_eq!(node, ele);
        assert_eq!(warnings, [""; 0]);
    }
}

#[test]
fn the_example_of_tetgen_brings_markers_and_faces() {
    let Some((mesh, _)) = sample_with_facts(Format::TetGen, "tet/tetgen_example.ele") else {
        return;
    };
    assert_eq!(mesh.triangles.len(), 50);
    assert_eq!(mesh.triangles[0], [2, 0, 1]);
    let face_markers = &mesh.triangle_data[0];
    assert_eq!((&*face_markers.name, face_markers.values[1]), ("marker", 9.0));
    let markers = mesh.point_array("marker").unwrap();
    assert_eq!((markers.values[0], markers.values[27]), (1.0, 4.0));
}

#[test]
fn counts_from_zero_or_one() {
    let (one, _) = read_pair(NODE, ELE).unwrap();
    let node = "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n";
    let (zero, _) = read_pair(node, "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n").unwrap();
    assert_eq!(one, zero);
    assert_eq!(one.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(one.points[4], [1.0; 3]);
}

#[test]
fn attributes_get_conventional_names_only_when_they_follow_the_convention() {
    let node = |a: [&str; 5]| {
        let rows = NODE.lines().skip(2).filter(|l| !l.is_empty());
        let row = |(l, a): (&str, &str)| format!("{} {a}\n", l.replace(" # right", ""));
        "5 3 1 0\n".to_owned() + &rows.zip(a).map(row).collect::<String>()
    };
    let ele = |flags: [&str; 2]| format!("2 4 1\n1 1 2 3 4 {}\n2 2 3 4 5 {}\n", flags[0], flags[1]);

    let (mesh, _) = read_pair(&node(["1", "0", "0", "1", "0"]), &ele(["14", "7"])).unwrap();
    assert_eq!(mesh.point_array("lock").unwrap().values, [1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(mesh.tet_array("surface_flags").unwrap().values, [14.0, 7.0]);

    let (mesh, _) = read_pair(&node(["1", "0", "0", "2", "0"]), &ele(["14", "6"])).unwrap();
    assert_eq!(mesh.point_data[0].name, "attribute_0");
    assert_eq!(mesh.tet_data[0].name, "attribute_0");

    let (mesh, _) = read_pair(
        "4 3 2 1\n1 0 0 0 1 0.5 -3\n2 1 0 0 0 1 4\n3 0 1 0 1 0 0\n4 0 0 1 0 0 0\n",
        "1 4 2\n1 1 2 3 4 7 8.5\n",
    )
    .unwrap();
    let names: Vec<_> = mesh.point_data.iter().map(|a| &*a.name).collect();
    assert_eq!(names, ["attribute_0", "attribute_1", "marker"]);
    assert_eq!(mesh.point_data[1].values, [0.5, 1.0, 0.0, 0.0]);
    assert_eq!(mesh.point_data[2].values, [-3.0, 4.0, 0.0, 0.0]);
    assert_eq!(mesh.tet_data[1].values, [8.5]);
}

#[test]
fn second_order_elements_keep_their_corners() {
    let (mesh, warnings) = read_pair(NODE, "1 10 0\n1 1 2 3 4 5 5 5 5 5 5\n").unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
    assert!(warnings[0].starts_with("1 second-order tetrahedra were reduced"), "{warnings:?}");
}

#[test]
fn surplus_columns_and_lines_are_left_out_with_a_warning() {
    let (mesh, warnings) = read_pair(NODE, "1 4 0\n1 1 2 3 4 9 9\n2 2 3 4 5\n").unwrap();
    assert_eq!(mesh.tets.len(), 1);
    assert!(warnings[0].starts_with("1 element lines hold more numbers"), "{warnings:?}");
    assert!(warnings[1].starts_with("line 3 and what follows"), "{warnings:?}");
}

#[test]
fn a_lone_file_says_what_is_missing() {
    let e = read_with(Format::TetGen, NODE.as_bytes(), "m.node", &Memory::default()).unwrap_err();
    assert!(e.problem.starts_with("\"m.ele\" with the tetrahedra cannot be opened"), "{e}");
    assert!(e.help.contains("put \"m.ele\" beside \"m.node\""), "{e}");
    let e = read_with(Format::TetGen, ELE.as_bytes(), "m.ele", &Memory::default()).unwrap_err();
    assert!(e.problem.starts_with("\"m.node\" with the points cannot be opened"), "{e}");
    let e = read_with(Format::TetGen, ELE.as_bytes(), "m", &Memory::default()).unwrap_err();
    assert!(e.problem.contains("neither a .node nor a .ele"), "{e}");
}

#[test]
fn companions_follow_the_case_of_the_name() {
    let files = companions(&[("M.ELE", ELE)]);
    assert!(read_with(Format::TetGen, NODE.as_bytes(), "M.NODE", &files).is_ok());
}

#[test]
fn damaged_nodes_are_refused_with_place_and_words() {
    for (node, line, words) in [
        ("", 1, "the file ends where the number of nodes should stand"),
        ("-3 3 0 0\n", 1, "the number of nodes is negative: -3"),
        ("x 3 0 0\n", 1, "the number of nodes: \"x\" is no integer"),
        ("4000000000 3 0 0\n1 0 0 0\n", 3, "the file ends after 1 of 4000000000 nodes"),
        ("99999999999 3 0 0\n", 1, "more than can be numbered"),
        ("1 3 4000000000 0\n1 0 0 0\n", 2, "node 1 of 1: the line ends where an attribute"),
        ("1 2 0 0\n1 0 0\n", 1, "the points have 2 coordinates"),
        ("1 3 -1 0\n1 0 0 0\n", 1, "the header should hold counts, not \"-1\""),
        ("2 3 0 0\n1 0 0 0\n3 0 0 0\n", 3, "node 2 of 2: is numbered 3 where 2 should come"),
        ("1 3 0 0\n5 0 0 0\n", 2, "the first node is number 5, not 0 or 1"),
        ("1 3 0 0\n1 0 nan 0\n", 2, "node 1 of 1: a coordinate is not finite: \"nan\""),
        ("1 3 0 0\n1 0 1e999 0\n", 2, "a coordinate is not finite: \"1e999\""),
        ("1 3 0 0\n1 0 zero 0\n", 2, "a coordinate: \"zero\" is no number"),
        ("2 3 0 0\n1 0 0\n2 0 0 0\n", 2, "node 1 of 2: the line ends where a coordinate"),
        ("1 3 0 1\n1 0 0 0 0.5\n", 2, "the boundary marker: \"0.5\" is no integer"),
    ] {
        let e = node_error(node);
        assert_eq!(e.place, Place::Line(line), "{node:?}: {e}");
        assert!(e.problem.contains(words), "{node:?}: {e}");
        assert_eq!(e.path, None);
    }
}

#[test]
fn damaged_elements_are_refused_with_file_place_and_words() {
    for (ele, line, words) in [
        ("4000000000 4 0\n", 2, "the file ends after 0 of 4000000000 elements"),
        ("1 8 0\n", 1, "the elements have 8 nodes, not 4 or 10"),
        ("1 4 0\n1 1 2 3 6\n", 2, "point number 6, but the points are numbered 1 to 5"),
        ("1 4 0\n1 0 2 3 4\n", 2, "point number 0, but the points are numbered 1 to 5"),
        ("1 4 0\n1 -2 2 3 4\n", 2, "point number -2, but"),
        ("1 4 0\n1 2 3 4\n", 2, "element 1 of 1: the line ends where a node number"),
        ("1 4 0\n1 2 3 4 nan\n", 2, "a node number: \"nan\" is no integer"),
        ("1 4 1\n1 1 2 3 4\n", 2, "the line ends where an attribute should stand"),
    ] {
        let e = ele_error(ele);
        assert_eq!(e.place, Place::Line(line), "{ele:?}: {e}");
        assert!(e.problem.contains(words), "{ele:?}: {e}");
        assert_eq!(e.path.as_deref(), Some("m.ele".as_ref()));
    }
}

#[test]
fn damage_never_panics() {
    let face = "1 1\n1 1 2 3 -5\n";
    let files = companions(&[("m.ele", ELE), ("m.node", NODE), ("m.face", face)]);
    survives_damage(NODE.as_bytes(), |bytes| {
        let _ = read_with(Format::TetGen, bytes, "m.node", &files);
    });
    survives_damage(ELE.as_bytes(), |bytes| {
        let _ = read_with(Format::TetGen, bytes, "m.ele", &files);
    });
    survives_damage(face.as_bytes(), |bytes| {
        let mut files = files.clone();
        files.0.insert("m.face".into(), bytes.to_vec());
        let _ = read_with(Format::TetGen, NODE.as_bytes(), "m.node", &files);
    });
}

fn write_and_read(mesh: &Mesh) -> Mesh {
    let (mut node, mut ele) = (Vec::new(), Vec::new());
    write_node(mesh, &mut node).unwrap();
    write_ele(mesh, &mut ele).unwrap();
    let files = Memory([("m.ele".to_owned(), ele)].into());
    let (back, warnings) = read_with(Format::TetGen, &node, "m.node", &files).unwrap();
    assert_eq!(warnings, [""; 0]);
    back
}

#[test]
fn conventional_arrays_keep_their_names() {
    let (mut mesh, _) = read_pair(NODE, ELE).unwrap();
    mesh.point_data = vec![
        DataArray::scalar("lock", vec![0.0, 1.0, 0.0, 0.0, 1.0]),
        DataArray::scalar("marker", vec![-1.0, 0.0, 3.0, 4.0, 5.0]),
    ];
    mesh.tet_data = vec![DataArray::scalar("surface_flags", vec![14.0, 7.0])];
    assert_eq!(write_and_read(&mesh), mesh);
}

#[test]
fn arrays_of_the_wrong_length_are_not_written() {
    let mesh = Mesh {
        points: vec![[0.0; 3]],
        point_data: vec![DataArray::scalar("short", vec![])],
        ..Mesh::default()
    };
    let e = write_node(&mesh, &mut Vec::new()).unwrap_err();
    assert!(e.to_string().contains("\"short\" holds 0 tuples for 1 points"), "{e}");
}

prop_compose! {
    fn meshes()(n in 4usize..12)(
        points in prop::collection::vec(prop::array::uniform3(-1e6..1e6f64), n),
        tets in prop::collection::vec(prop::array::uniform4(0..n as u32), 0..9),
        attributes in prop::collection::vec(any::<f64>().prop_filter("finite", |x| x.is_finite()), 2 * n),
        markers in prop::collection::vec(-5..5i32, n),
    ) -> Mesh {
        let values = |seed: usize, len: usize| -> Vec<f64> {
            (0..len).map(|i| attributes[(seed + i) % attributes.len()]).collect()
        };
        let (n, m) = (points.len(), tets.len());
        Mesh {
            points,
            point_data: vec![
                DataArray::scalar("attribute_0", values(0, n)),
                DataArray::scalar("attribute_1", values(n, n)),
                DataArray::scalar("marker", markers.into_iter().map(f64::from).collect()),
            ],
            tet_data: if m == 0 { vec![] } else { vec![
                DataArray::scalar("attribute_0", values(1, m)),
                DataArray::scalar("attribute_1", values(2, m)),
            ] },
            tets,
            ..Mesh::default()
        }
    }
}

proptest! {
    #[test]
    fn written_meshes_read_back_the_same(mesh in meshes()) {
        prop_assert_eq!(write_and_read(&mesh), mesh);
    }
}
