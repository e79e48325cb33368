use super::*;
use crate::source::Memory;
use crate::{Place, ReadError};

fn parse(bytes: &[u8]) -> (Result<Mesh>, Vec<String>) {
    let mut warnings = Vec::new();
    let companions = Memory::default();
    let mut input =
        Input { bytes, name: "a.ply", companions: &companions, warnings: &mut warnings };
    (read(&mut input), warnings)
}

fn fail(bytes: &[u8]) -> ReadError {
    parse(bytes).0.unwrap_err()
}

const HEAD: &str = "ply\nformat ascii 1.0\nobj_info x\ncomment y\nelement vertex 3\nproperty float x\n\
                    property float y\nproperty float z\n";

#[test]
fn faces_before_points_and_elements_of_unknown_use() {
    let mut bytes = b"ply\r\nformat binary_big_endian 1.0\r\nelement face 2\r\n\
        property list ushort uint texture\r\nproperty list int64 short vertex_index\r\n\
        property short flags\r\nelement nothing 18446744073709\r\nelement edge 2\r\n\
        property list uchar double w\r\nproperty char k\r\nelement vertex 4\r\nproperty double z\r\n\
        property uchar blue\r\nproperty uchar red\r\nproperty double y\r\nproperty double x\r\n\
        property uchar green\r\nproperty float heat\r\nproperty list uchar int neighbours\r\nend_header\r\n"
        .to_vec();
    // A quad and an edge.
    bytes.extend([0, 0]);
    bytes.extend(4u64.to_be_bytes());
    bytes.extend([0, 0, 0, 1, 0, 2, 0, 3, 0xff, 0xfe]);
    bytes.extend([0, 1, 9, 9, 9, 9]);
    bytes.extend(2u64.to_be_bytes());
    bytes.extend([0, 0, 0, 1, 0, 5]);
    // Edges of unknown use.
    bytes.extend([0, 7, 1]);
    bytes.extend([0; 9]);
    for i in 0..4u8 {
        bytes.extend(3f64.to_be_bytes());
        bytes.extend([i, 10 + i]);
        bytes.extend(2f64.to_be_bytes());
        bytes.extend(f64::from(i).to_be_bytes());
        bytes.push(20 + i);
        bytes.extend(0.5f32.to_be_bytes());
        bytes.extend([1, 0, 0, 0, 0]);
    }
    let (mesh, warnings) = parse(&bytes);
    let mesh = mesh.unwrap();
    assert_eq!(mesh.points[3], [3.0, 2.0, 3.0]);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.triangle_data, [DataArray::scalar("flags", vec![-2.0, -2.0])]);
    let color = mesh.point_array("color").unwrap();
    assert_eq!((color.components, color.tuple(1)), (3, &[11.0, 21.0, 1.0][..]));
    assert_eq!(mesh.point_array("heat").unwrap().values, [0.5; 4]);
    assert_eq!(mesh.point_data.len(), 2);
    assert_eq!(warnings, ["left out 1 face with fewer than 3 corners"]);
}

#[test]
fn strips_turn_every_other_triangle_and_restart() {
    let text = format!(
        "{}element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
         0 0 0\n1 0 0\n0 1 0\n1 1\n0\n2 2 0\n9 0 1 2 3 -1 2 3 4 4",
        HEAD.replace("vertex 3", "vertex 5")
    );
    assert_eq!(parse(text.as_bytes()).0.unwrap().triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
}

#[test]
fn normals_are_one_array() {
    let text = format!(
        "{HEAD}property float nx\nproperty float ny\nproperty float nz\nproperty float alpha\nend_header\n\
         0 0 0 0 0 1 .5\n1 0 0 0 0 1 .5\n0 1 0 0 1 0 .5"
    );
    let (mesh, warnings) = parse(text.as_bytes());
    let mesh = mesh.unwrap();
    assert_eq!(mesh.point_array("normal").unwrap().tuple(2), [0.0, 1.0, 0.0]);
    assert_eq!(mesh.point_array("alpha").unwrap().values, [0.5; 3]);
    assert_eq!(warnings, ["the file holds points but no faces"]);
}

#[test]
fn rows_longer_than_the_header_says() {
    let text = format!(
        "{HEAD}element face 1\nproperty list uchar int vertex_index\nproperty int k\nend_header\n\
         0 0 0\n1 0 0\n0 1 0\n3 0 1 2 5 6"
    );
    let (mesh, warnings) = parse(text.as_bytes());
    let mesh = mesh.unwrap();
    assert_eq!((mesh.triangles.len(), mesh.triangle_data.len()), (1, 0));
    assert!(warnings[0].starts_with("1 rows of the element face are longer"), "{warnings:?}");
}

#[test]
fn errors_name_place_and_problem() {
    let face =
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
    for (text, line, problem) in [
        ("plyx\n".to_string(), 1, "a PLY file begins with the line `ply`"),
        ("ply\nformat ebcdic 1.0\n".into(), 2, "the format \"ebcdic\" is unknown"),
        ("ply\nelement vertex -3\n".into(), 2, "the count of element vertex is \"-3\", no count"),
        ("ply\nproperty float x\n".into(), 2, "a property stands before any element"),
        (
            "ply\nelement vertex 3\nproperty real x\n".into(),
            3,
            "the number type \"real\" is unknown",
        ),
        (
            "ply\nelement vertex 3\nproperty list float int x\n".into(),
            3,
            "the length of a list cannot be a fraction",
        ),
        ("ply\nelement\n".into(), 2, "an element's name is missing at the end of the line"),
        ("ply\nend_header\n".into(), 2, "the header has no `format` line"),
        ("ply\nformat ascii 1.0\n".into(), 3, "the file ends where end_header should stand"),
        (
            format!("{HEAD}end_header\n0 0 0\n1 0 nil\n"),
            11,
            "vertex 1 of 3: z: \"nil\" is no number",
        ),
        (
            format!("{HEAD}end_header\n0 0 0\n1 0"),
            11,
            "vertex 1 of 3: the file ends where z should stand",
        ),
        (format!("{HEAD}{face}3 0 1 3"), 15, "face 0 uses point 3, but there are 3 points"),
        (
            format!("{HEAD}{face}-3 0 1 3"),
            15,
            "face 0 of 1: the length of the list vertex_indices is -3",
        ),
        (
            format!("{HEAD}element face 1\nproperty int a\nend_header\n0 0 0\n1 0 0\n0 1 0"),
            14,
            "the element face has no list vertex_indices",
        ),
    ] {
        let e = fail(text.as_bytes());
        assert_eq!((e.place, &e.problem[..]), (Place::Line(line), problem), "{text}");
    }
    let e = fail(b"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n1\n");
    assert_eq!(e.problem, "the element vertex lacks one of x, y and z");
    assert_eq!(
        fail(b"ply\nformat ascii 1.0\nend_header\n").problem,
        "the header has no element `vertex`"
    );
}

#[test]
fn binary_errors_name_the_byte() {
    let head =
        b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\n\
                 property float y\nproperty float z\nend_header\n";
    let mut bytes = head.to_vec();
    bytes.extend([0; 20]);
    let e = fail(&bytes);
    assert_eq!(e.place, Place::Byte(head.len() + 20));
    assert_eq!(e.problem, "vertex 1 of 4000000000: z needs 4 bytes, but only 0 are left");

    let head = b"ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\nproperty float y\n\
                 property float z\nelement face 1\nproperty list uint uint vertex_indices\nend_header\n";
    let mut bytes = head.to_vec();
    bytes.extend([0xff; 40]);
    let e = fail(&bytes);
    assert_eq!(e.place, Place::Byte(head.len() + 4));
    assert!(e.problem.contains("is 4294967295 long, which is more than the file holds"), "{e}");
}

#[test]
fn a_header_of_lone_returns_leaves_the_first_byte_to_the_body() {
    let mut bytes = b"ply\rformat binary_little_endian 1.0\relement vertex 1\rproperty uchar x\r\
                      property uchar y\rproperty uchar z\rend_header\r"
        .to_vec();
    bytes.extend([b'\n', 2, 3]);
    assert_eq!(parse(&bytes).0.unwrap().points, [[10.0, 2.0, 3.0]]);
}

#[test]
fn arrays_survive_writing() {
    let array = |name: &str, components, values: &[f64]| DataArray {
        name: name.into(),
        components,
        values: values.to_vec(),
    };
    let mesh = Mesh {
        points: vec![[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        point_data: vec![
            array("heat", 1, &[0.1, 1e300, 3.0]),
            array("color", 4, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 255.0, 8.0, 9.0, 10.0, 11.0]),
            array("normal", 3, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]),
        ],
        triangle_data: vec![array("region", 1, &[7.0])],
        ..Mesh::default()
    };
    let mut out = Vec::new();
    write(&mesh, &mut out).unwrap();
    assert_eq!(parse(&out).0.unwrap(), mesh);
    let head = String::from_utf8_lossy(&out[..400]).into_owned();
    assert!(
        head.contains("property double x\n") && head.contains("property uchar red\n"),
        "{head}"
    );
    assert!(
        head.contains("property float nx\n") && head.contains("property float region\n"),
        "{head}"
    );
}

#[test]
fn names_that_clash_are_kept_apart() {
    let mesh = Mesh {
        points: vec![[0.0; 3]],
        point_data: vec![
            DataArray::scalar("x", vec![5.0]),
            DataArray { name: "two words".into(), components: 2, values: vec![1.0, 2.0] },
        ],
        ..Mesh::default()
    };
    let mut out = Vec::new();
    write(&mesh, &mut out).unwrap();
    let back = parse(&out).0.unwrap();
    assert_eq!(back.points, mesh.points);
    assert_eq!(back.point_array("x_").unwrap().values, [5.0]);
    assert_eq!(back.point_array("two_words_1").unwrap().values, [2.0]);
}
