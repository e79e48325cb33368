use crate::formats::Format;
use crate::formats::test_meshes::{read_alone, read_with, sample_with_facts, survives_damage};
use crate::source::Memory;
use crate::{Domain, Place};

const VEG: &str = "\
# Vega mesh file.
*VERTICES
5 3 0 0
1 0 0 0
2 1 0 0
3 0 1 0 # comment
4 0 0 1
5 1 1 1

*ELEMENTS
TETS
2 4 0
1 1 2 3 4
2 2 3 4 5

*MATERIAL BODY
ENU, 1000, 10000000, 0.45

*SET first
1,
*SET both
1, 2,
2

*REGION
first, BODY
";

#[test]
fn samples_match_their_facts() {
    for file in ["tet/beam3_tet.veg", "tet/dragon-coarse.veg"] {
        let Some((mesh, warnings)) = sample_with_facts(Format::Vega, file) else { return };
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(mesh.groups.is_empty());
    }
}

#[test]
fn sets_become_groups_and_materials_are_told() {
    let (mesh, warnings) = read_alone(Format::Vega, VEG.as_bytes()).unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.points[4], [1.0; 3]);
    assert_eq!(mesh.group("first", Domain::Tets).unwrap().members, [0]);
    assert_eq!(mesh.group("both", Domain::Tets).unwrap().members, [0, 1]);
    assert_eq!(
        warnings,
        [
            "material \"BODY\" (ENU, 1000, 10000000, 0.45) was left out",
            "the region (first, BODY) was left out"
        ]
    );
}

#[test]
fn cubes_are_split_and_counted_from_zero() {
    let text = "*VERTICES\n8 3 0 0\n0 0 0 0\n1 2 0 0\n2 2 2 0\n3 0 2 0\n4 0 0 2\n5 2 0 2\n\
        6 2 2 2\n7 0 2 2\n*ELEMENTS\nCUBIC\n1 8 0\n0 0 1 2 3 4 5 6 7\n*SET all\n0\n";
    let (mesh, warnings) = read_alone(Format::Vega, text.as_bytes()).unwrap();
    assert!((mesh.volume() - 8.0).abs() < 1e-14);
    assert_eq!(mesh.group("all", Domain::Tets).unwrap().members.len(), mesh.tets.len());
    assert_eq!(warnings, ["1 hexahedra were split"]);
}

#[test]
fn included_files_are_followed_and_named_in_errors() {
    let veg = "*VERTICES\n*INCLUDE m.node\n*ELEMENTS\nTET\n*INCLUDE m.ele\n*SET a\n1, 9\n";
    let node = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n# by TetGen";
    let files =
        |ele: &str| Memory([("m.node".into(), node.into()), ("m.ele".into(), ele.into())].into());
    let good = veg.replace(", 9", "");
    let read = |veg: &str, ele| read_with(Format::Vega, veg.as_bytes(), "m.veg", &files(ele));
    let (mesh, _) = read(&good, "1 4 0\n1 1 2 3 4\n").unwrap();
    assert_eq!((mesh.points.len(), mesh.tets), (4, vec![[0, 1, 2, 3]]));

    let e = read(&good, "1 4 0\n1 1 2 3 5\n").unwrap_err();
    assert_eq!((e.path.as_deref(), e.place), (Some("m.ele".as_ref()), Place::Line(2)));
    assert!(e.problem.contains("point number 5, but the points are numbered 1 to 4"), "{e}");
    let e = read(veg, "1 4 0\n1 1 2 3 4\n").unwrap_err();
    assert_eq!((&e.path, e.place), (&None, Place::Line(7)));
    assert!(e.problem.contains("set \"a\" holds element 9"), "{e}");
    let e = read_alone(Format::Vega, b"\n*INCLUDE gone.veg\n").unwrap_err();
    assert_eq!(e.place, Place::Line(2));
    assert!(e.problem.contains("*INCLUDE \"gone.veg\""), "{e}");
    let e = read(veg, "*INCLUDE m.ele\n*INCLUDE m.ele\n").unwrap_err();
    assert!(e.problem.contains("more than 64 files"), "{e}");
}

#[test]
fn damaged_files_are_refused_with_place_and_words() {
    for (from, to, line, words) in [
        (
            "5 3 0 0",
            "4000000000 3 0 0",
            10,
            "vertex 6 of 4000000000: its number: \"*ELEMENTS\" is no",
        ),
        ("5 3 0 0", "-5 3 0 0", 3, "the number of vertices is negative: -5"),
        ("5 3 0 0", "4 3 0 0", 8, "\"5\" stands where a keyword should"),
        ("5 3 0 0", "5 2 0 0", 3, "the vertices have \"2\" coordinates, not 3"),
        ("2 1 0 0", "3 1 0 0", 5, "vertex 2 of 5: is numbered 3 where 2 should come"),
        ("1 0 0 0", "7 0 0 0", 4, "vertex 1 of 5: the first is number 7, not 0 or 1"),
        ("2 1 0 0", "2 nan 0 0", 5, "vertex 2 of 5: a coordinate is not finite: \"nan\""),
        ("TETS", "WEDGE", 11, "element type \"WEDGE\" is not known"),
        ("2 4 0", "2 8 0", 12, "elements of this type have 4 vertices, not 8"),
        ("2 4 0", "3 4 0", 16, "element 3 of 3: its number: \"*MATERIAL\" is no integer"),
        ("2 2 3 4 5", "2 2 3 4 6", 14, "point number 6, but the points are numbered 1 to 5"),
        (
            "2 2 3 4 5",
            "2 2 3 4 0",
            14,
            "element 2 of 2: point number 0, but points are counted from 1",
        ),
        ("1, 2,\n2", "1, 2,\n-2", 23, "set \"both\" holds element -2, but the 2 elements"),
        ("1, 2,\n2", "1, x,\n2", 22, "set \"both\": \"x\" is no element number"),
        ("*VERTICES", "*SOMETHING", 10, "the elements stand before the vertices"),
    ] {
        assert!(VEG.contains(from), "{from}");
        let text = VEG.replacen(from, to, 1);
        let e = read_alone(Format::Vega, text.as_bytes()).expect_err(words);
        assert!(e.problem.contains(words), "{from} -> {to}: {e}");
        assert_eq!(e.place, Place::Line(line), "{from} -> {to}: {e}");
    }
    let e = read_alone(Format::Vega, b"# nothing\n").unwrap_err();
    assert_eq!((e.place, &*e.problem), (Place::File, "lacks its *VERTICES or *ELEMENTS"));
}

#[test]
fn damage_never_panics() {
    survives_damage(VEG.as_bytes(), |bytes| {
        let _ = read_alone(Format::Vega, bytes);
    });
}
