use super::super::Format;
use super::super::test_meshes::{read_alone, sample_with_facts, survives_damage};
use crate::Place;

const MESH: &str = "\
MeshVersionFormatted 2

Dimension
3
# points
Vertices 5
0 0 0 1
1 0 0 0
0 1 0 0 # with comment
0 0 1 0
1 1 1 7
Edges 1 1 2 3
RequiredVertices
1
4
Triangles
1
1 3 2 11
Tetrahedra 2
1 2 3 4 21
2 3 4 5 22
End
";

#[test]
fn the_sample_matches_its_facts() {
    let Some((mesh, warnings)) = sample_with_facts(Format::Medit, "formats/medit_square_beam.mesh")
    else {
        return;
    };
    assert_eq!(warnings, [""; 0]);
    assert!(mesh.tet_data.is_empty(), "all references are 0");
}

#[test]
fn references_arrive_and_other_keywords_are_passed_over() {
    let (mesh, warnings) = read_alone(Format::Medit, MESH.as_bytes()).unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.triangles, [[0, 2, 1]]);
    assert_eq!(mesh.point_array("ref").unwrap().values, [1.0, 0.0, 0.0, 0.0, 7.0]);
    assert_eq!(mesh.tet_array("ref").unwrap().values, [21.0, 22.0]);
    assert_eq!(mesh.triangle_data[0].values, [11.0]);
    assert_eq!(warnings, ["left out: Edges (1), RequiredVertices (1)"]);
}

#[test]
fn hexahedra_are_split_and_elements_may_come_first() {
    let text = "MeshVersionFormatted 1 Dimension 3 Hexahedra 1 1 2 3 4 5 6 7 8 5 Vertices 8 \
        0 0 0 0 2 0 0 0 2 1 0 0 0 1 0 0 0 0 1 0 2 0 1 0 2 1 1 0 0 1 1 0 End";
    let (mesh, warnings) = read_alone(Format::Medit, text.as_bytes()).unwrap();
    assert!((mesh.volume() - 2.0).abs() < 1e-15);
    assert!(mesh.tet_array("ref").unwrap().values.iter().all(|&v| v == 5.0));
    assert!(warnings[0].contains("were split"), "{warnings:?}");
}

#[test]
fn damaged_files_are_refused_with_place_and_words() {
    for (from, to, line, words) in [
        ("\n3\n#", "\n2\n#", 4, "the mesh has 2 dimensions, not 3"),
        (
            "Vertices 5",
            "Vertices 4000000000",
            12,
            "vertex 6 of 4000000000: a coordinate: \"Edges\"",
        ),
        ("Vertices 5", "Vertices -5", 6, "the number of vertices is negative: -5"),
        ("Vertices 5", "Vertices 4", 11, "\"1\" stands where a keyword should"),
        ("Vertices 5", "Vertices many", 6, "the number of vertices: \"many\" is no integer"),
        ("1 0 0 0", "1 nan 0 0", 8, "vertex 2 of 5: a coordinate is not finite: \"nan\""),
        ("2 3 4 5 22", "2 3 4 6 22", 21, "point number 6, but the points are numbered 1 to 5"),
        (
            "2 3 4 5 22",
            "2 3 0 5 22",
            21,
            "tetrahedron 2 of 2: point number 0, but points are counted from 1",
        ),
        ("2 3 4 5 22", "2 3 -4 5 22", 21, "point number -4, but"),
        (
            "Tetrahedra 2",
            "Tetrahedra 3",
            22,
            "tetrahedron 3 of 3: a point number: \"End\" is no integer",
        ),
        ("2 3 4 5 22\nEnd", "2 3 4", 22, "the file ends where a point number should stand"),
        ("MeshVersionFormatted", "MeshVersionUnformatted", 1, "says that it is binary"),
        (
            "RequiredVertices\n1\n",
            "RequiredVertices\nEnd\n",
            14,
            "the number behind \"RequiredVertices\"",
        ),
    ] {
        assert!(MESH.contains(from), "{from}");
        let text = MESH.replacen(from, to, 1);
        let e = read_alone(Format::Medit, text.as_bytes()).expect_err(words);
        assert!(e.problem.contains(words), "{from} -> {to}: {e}");
        assert_eq!(e.place, Place::Line(line), "{from} -> {to}: {e}");
    }
    let e = read_alone(Format::Medit, b"MeshVersionFormatted 1\n").unwrap_err();
    assert_eq!(e.problem, "has no Vertices");
}

#[test]
fn a_missing_end_is_told() {
    let (_, warnings) =
        read_alone(Format::Medit, MESH.trim_end_matches("End\n").as_bytes()).unwrap();
    assert!(warnings[1].contains("does not close with End"), "{warnings:?}");
}

#[test]
fn damage_never_panics() {
    survives_damage(MESH.as_bytes(), |bytes| {
        let _ = read_alone(Format::Medit, bytes);
    });
}
