use crate::formats::Format;
use crate::formats::test_meshes::{read_alone, sample, sample_with_facts, survives_damage};
use crate::geometry::signed_volume;
use crate::{Domain, Place};

const VOL: &str = "\
mesh3d
dimension
3
geomtype
0

# surfnr    bcnr   domin  domout      np      p1      p2      p3
surfaceelementsgi
2
 2 4 1 0 3 1 3 2 10 11 12
 2 5 1 0 3 1 2 4 10 11 12
# matnr np p1 p2 p3 p4
volumeelements
2
1 4 1 2 3 4
2 4 2 3 4 5
edgesegmentsgi2
1
 1 0 1 2 -1 -1 1 8 1 0 0 0
points
5
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
materials
2
1 soft part
2 core
bcnames
1
5 skin
face_colours
1
1 0.5 0.5 0.5
endmesh
csgsurfaces 1
";

const NEUTRAL: &str = "\
5
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
2
1 1 2 3 4
2 2 3 4 5
1
7 1 3 2
";

#[test]
fn the_neutral_sample_matches_its_facts() {
    let file = "formats/netgen_shaft_neutral.mesh";
    let Some((mesh, warnings)) = sample_with_facts(Format::NetgenNeutral, file) else { return };
    assert_eq!(warnings, [""; 0]);
    assert_eq!(mesh.triangles.len(), 1748);
    assert_eq!(mesh.triangle_data[0].values[1747], 20.0);
    assert!(mesh.tet_array("region").unwrap().values.iter().all(|&v| v == 1.0));
}

#[test]
fn the_native_sample_is_the_same_mesh() {
    let Some((vol, warnings)) = sample(Format::NetgenVol, "formats/netgen_shaft.vol.gz") else {
        return;
    };
    assert_eq!(warnings, [""; 0]);
    let (neutral, _) = sample(Format::NetgenNeutral, "formats/netgen_shaft_neutral.mesh").unwrap();
    assert_eq!((vol.points.len(), vol.tets.len(), vol.triangles.len()), (958, 2690, 1748));
    for (a, b) in vol.points.iter().flatten().zip(neutral.points.iter().flatten()) {
        // The neutral file has six decimals.
        assert!((a - b).abs() <= 5.01e-7);
    }
    let negative = (0..2690).filter(|&i| signed_volume(vol.tet_points(i)) < 0.0).count();
    assert_eq!(negative, 2690, "orientation is kept");
    assert_eq!(vol.triangles, neutral.triangles);
    assert_eq!(vol.triangle_data, neutral.triangle_data);
    let sorted = |mut tets: Vec<[u32; 4]>| {
        tets.sort_unstable();
        tets
    };
    // Netgen reordered the elements when it exported the neutral file.
    assert_eq!(sorted(vol.tets), sorted(neutral.tets));
}

#[test]
fn names_become_groups() {
    let (mesh, warnings) = read_alone(Format::NetgenVol, VOL.as_bytes()).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.triangles, [[0, 2, 1], [0, 1, 3]]);
    assert_eq!(mesh.tet_array("region").unwrap().values, [1.0, 2.0]);
    assert_eq!(mesh.triangle_data[0].name, "boundary");
    assert_eq!(mesh.triangle_data[0].values, [4.0, 5.0]);
    assert_eq!(mesh.group("soft part", Domain::Tets).unwrap().members, [0]);
    assert_eq!(mesh.group("core", Domain::Tets).unwrap().members, [1]);
    assert_eq!(mesh.group("skin", Domain::Triangles).unwrap().members, [1]);
}

#[test]
fn second_order_is_reduced() {
    let text = VOL.replace("1 4 1 2 3 4\n", "1 10 1 2 3 4 5 5 5 5 5 5\n");
    let (mesh, warnings) = read_alone(Format::NetgenVol, text.as_bytes()).unwrap();
    assert_eq!(mesh.tets[0], [0, 1, 2, 3]);
    assert!(warnings[0].starts_with("1 elements of second order were reduced"), "{warnings:?}");
    let text = NEUTRAL.replace("1 1 2 3 4\n", "1 1 2 3 4 5 5 5 5 5 5\n");
    let (_, warnings) = read_alone(Format::NetgenNeutral, text.as_bytes()).unwrap();
    assert!(warnings[0].starts_with("1 elements of second order were reduced"), "{warnings:?}");
}

fn refused(format: Format, text: &str, [from, to]: [&str; 2], line: usize, words: &str) {
    assert!(text.contains(from), "{from}");
    let text = text.replacen(from, to, 1);
    let e = read_alone(format, text.as_bytes()).expect_err(words);
    assert!(e.problem.contains(words), "{from} -> {to}: {e}");
    assert_eq!(e.place, Place::Line(line), "{from} -> {to}: {e}");
}

#[test]
fn damaged_native_files_are_refused_with_place_and_words() {
    let vol = |change, line, words| refused(Format::NetgenVol, VOL, change, line, words);
    vol(["\n5\n0", "\n4000000000\n0"], 27, "point 6 of 4000000000: a coordinate: \"materials\"");
    vol(["\n5\n0", "\n4\n0"], 26, "\"1\" stands where a keyword should");
    vol(["\n5\n0", "\n-5\n0"], 21, "the number of points is negative: -5");
    vol(["1 0 0\n", "1 nan 0\n"], 23, "point 2 of 5: a coordinate is not finite: \"nan\"");
    vol(["2 4 2 3 4 5", "2 4 2 3 4 6"], 16, "point number 6, but the points are numbered 1 to 5");
    vol(["2 4 2 3 4 5", "2 4 2 3 0 5"], 16, "volume element 2 of 2: point number 0, but points");
    vol(["2 4 2 3 4 5", "2 7 2 3 4 5"], 16, "no element has 7 points");
    vol(
        ["\n2\n1 4", "\n3\n1 4"],
        17,
        "volume element 3 of 3: a material number: \"edgesegmentsgi2\"",
    );
    vol(["0 3 1 3 2 10", "0 3 -1 3 2 10"], 10, "surface element 1 of 2: point number -1, but");
    let e = read_alone(Format::NetgenVol, b"mesh3d\n").unwrap_err();
    assert_eq!(e.problem, "has no points");
    let cut = &VOL[..VOL.find("endmesh").unwrap()];
    let (_, warnings) = read_alone(Format::NetgenVol, cut.as_bytes()).unwrap();
    assert!(warnings[0].contains("does not close with endmesh"), "{warnings:?}");
}

#[test]
fn damaged_neutral_files_are_refused_with_place_and_words() {
    let neutral = |change, line, words| {
        refused(Format::NetgenNeutral, NEUTRAL, change, line, words);
    };
    neutral(
        ["5\n0", "4000000000\n0"],
        12,
        "point 11 of 4000000000: the file ends where a coordinate",
    );
    neutral(["5\n0", "-5\n0"], 1, "the number of points is negative: -5");
    neutral(["1 0 0\n", "1 inf 0\n"], 3, "point 2 of 5: a coordinate is not finite: \"inf\"");
    neutral(["2\n1 1 2", "3\n1 1 2"], 10, "volume element 3 of 3: the line lists 0 points");
    neutral(["2 2 3 4 5", "2 2 3 4 6"], 9, "point number 6, but the points are numbered 1 to 5");
    neutral(
        ["2 2 3 4 5", "2 2 3 4 x"],
        9,
        "volume element 2 of 2: a point number: \"x\" is no integer",
    );
    neutral(["1\n7", "2\n7"], 12, "surface element 2 of 2: the file ends where its domain");
}

#[test]
fn damage_never_panics() {
    survives_damage(VOL.as_bytes(), |bytes| {
        let _ = read_alone(Format::NetgenVol, bytes);
    });
    survives_damage(NEUTRAL.as_bytes(), |bytes| {
        let _ = read_alone(Format::NetgenNeutral, bytes);
    });
}
