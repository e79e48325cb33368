use super::*;
use crate::shapes::{Split, ball, bar, cloth, torus};
use crate::topology::boundary_faces;
use crate::{DataArray, Domain, Group};

fn count(report: &Report, code: Code) -> usize {
    report.finding(code).map_or(0, |f| f.count)
}

#[test]
fn a_sound_bar_has_no_findings_and_known_measures() {
    let report = examine(&bar([4, 2, 2], [4.0, 2.0, 2.0], Split::Six));
    assert_eq!(report.findings, []);
    assert_eq!(report.worst(), None);
    assert_eq!((report.vertices, report.tets, report.triangles), (45, 96, 0));
    assert_eq!((report.boundary_faces, report.boundary_vertices), (80, 42));
    // Each tetrahedron has four faces; those inside are shared by two.
    assert_eq!(report.faces, (4 * 96 + 80) / 2);
    assert!((report.volume - 16.0).abs() < 1e-12 && (report.area - 40.0).abs() < 1e-12);
    assert_eq!((report.euler, report.components), (2, 1));
    assert_eq!(report.bounds, Some([[0.0; 3], [4.0, 2.0, 2.0]]));
    let quality = report.quality.unwrap();
    // Kuhn's tetrahedra have angles of 45°, 60° and 90° and edges from 1 to √3.
    assert!((quality.min_dihedral - 45.0).abs() < 1e-9);
    assert!((quality.max_dihedral - 90.0).abs() < 1e-9);
    assert!((quality.max_edge_ratio - 3.0f64.sqrt()).abs() < 1e-12);
    assert_eq!(quality.worst.len(), NAMED);
}

#[test]
fn the_euler_number_tells_a_torus_from_a_ball() {
    assert_eq!(examine(&torus(2.0, 1.0, 0.4).unwrap()).euler, 0);
    assert_eq!(examine(&ball(1.0, 0.3).unwrap()).euler, 2);
}

#[test]
fn inverted_flat_and_broken_tets_are_told_apart() {
    let mut mesh = bar([2, 1, 1], [2.0, 1.0, 1.0], Split::Six);
    let regular = mesh.clone();
    mesh.tets[2].swap(1, 3);
    mesh.tets[7].swap(0, 1);
    let report = examine(&mesh);
    assert_eq!((report.inverted, report.flat), (2, 0));
    assert_eq!(report.finding(Code::InvertedTets).unwrap().first, [2, 7]);
    assert_eq!(report.worst(), Some(Severity::Error));

    let mut mesh = regular.clone();
    // Four corners of one face of the box.
    mesh.tets.push([0, 1, 2, 3]);
    mesh.tets.push([0, 1, 1, 3]);
    mesh.tets.push([mesh.tets[4][3], mesh.tets[4][1], mesh.tets[4][2], mesh.tets[4][0]]);
    let report = examine(&mesh);
    assert_eq!(report.finding(Code::FlatTets).unwrap().first, [12]);
    assert_eq!(report.finding(Code::RepeatedCornerTets).unwrap().first, [13]);
    assert_eq!(report.finding(Code::DuplicateTets).unwrap().first, [14]);
    assert_eq!(report.inverted, 1);
    assert!(count(&report, Code::CrowdedFaces) > 0);
}

#[test]
fn points_that_are_wrong_are_named() {
    let mut mesh = bar([1, 1, 1], [1.0; 3], Split::Five);
    mesh.points.push([0.0, 0.0, -0.0]);
    mesh.points.push([9.0; 3]);
    let report = examine(&mesh);
    assert_eq!(report.finding(Code::UnusedPoints).unwrap().first, [8, 9]);
    assert_eq!(report.finding(Code::DuplicatePoints).unwrap().first, [8]);

    mesh.points[3][1] = f64::NAN;
    let report = examine(&mesh);
    assert_eq!(report.finding(Code::NotFinitePoints).unwrap().first, [3]);
    assert_eq!(report.bounds, Some([[0.0; 3], [9.0; 3]]));
    assert!(report.volume.is_finite() && report.area.is_finite());

    let huge = bar([1, 1, 1], [1e200; 3], Split::Five);
    assert_eq!(count(&examine(&huge), Code::HugeTets), 5);
}

#[test]
fn slivers_are_reported_worst_first() {
    let mut mesh = bar([1, 1, 1], [1.0; 3], Split::Six);
    mesh.points[7] = [0.01, 0.02, 0.98];
    let report = examine(&mesh);
    let finding = report.finding(Code::PoorQuality).unwrap();
    assert_eq!(finding.severity, Severity::Warning);
    assert!(report.quality.as_ref().unwrap().min_dihedral < 5.0);
    assert_eq!(finding.first[0], report.quality.as_ref().unwrap().worst[0]);
}

#[test]
fn surfaces_are_judged_by_their_edges() {
    let sheet = examine(&cloth([4, 3], [4.0, 3.0]).unwrap());
    assert_eq!((sheet.open_edges, sheet.euler, sheet.components), (14, 1, 1));
    assert!((sheet.area - 12.0).abs() < 1e-12);
    assert_eq!(sheet.worst(), Some(Severity::Note));

    let solid = bar([1, 1, 1], [2.0; 3], Split::Six);
    let mut surface = Mesh { triangles: boundary_faces(&solid.tets), ..solid.clone() };
    surface.tets.clear();
    let report = examine(&surface);
    assert_eq!(report.findings, []);
    assert_eq!((report.euler, report.open_edges), (2, 0));
    assert!((report.volume - 8.0).abs() < 1e-12 && (report.area - 24.0).abs() < 1e-12);

    surface.triangles[5].swap(0, 1);
    assert_eq!(count(&examine(&surface), Code::FlippedEdges), 3);
    surface.triangles[5].swap(0, 1);
    surface.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert_eq!(count(&examine(&surface), Code::InsideOut), 1);

    // A triangle of three points in a row, and one of two points that coincide.
    let mut sheet = cloth([2, 1], [2.0, 1.0]).unwrap();
    sheet.points.push(sheet.points[0]);
    sheet.triangles.extend([[0, 2, 4], [0, 6, 3]]);
    let report = examine(&sheet);
    assert_eq!(report.finding(Code::FlatTriangles).unwrap().first, [4, 5]);

    // Two tetrahedra that touch along an edge.
    let mut points = vec![[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    points.extend([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]);
    let mesh = Mesh { points, tets: vec![[0, 2, 3, 1], [0, 4, 5, 1]], ..Mesh::default() };
    let report = examine(&mesh);
    assert_eq!((report.non_manifold_edges, report.components, report.inverted), (1, 1, 0));
    assert_eq!(report.finding(Code::NonManifoldEdges).unwrap().first, [0, 1]);
}

#[test]
fn parts_arrays_and_groups_are_checked() {
    let mut mesh = bar([1, 1, 1], [1.0; 3], Split::Five);
    let other = mesh.clone();
    mesh.points.extend(other.points.iter().map(|p| p.map(|x| x + 5.0)));
    mesh.tets.extend(other.tets.iter().map(|t| t.map(|v| v + 8)));
    mesh.tet_data.push(DataArray::scalar("short", vec![1.0]));
    mesh.point_data.push(DataArray::scalar("heat", vec![f64::INFINITY; 16]));
    mesh.groups.push(Group { name: "grip".into(), domain: Domain::Points, members: vec![1, 99] });
    let report = examine(&mesh);
    assert_eq!(count(&report, Code::Components), 2);
    assert_eq!(count(&report, Code::ArrayLength), 1);
    assert_eq!(count(&report, Code::ArrayNotFinite), 16);
    assert_eq!(count(&report, Code::GroupIndex), 1);
    assert_eq!(report.warnings().len(), 3);
    assert!(report.findings.windows(2).all(|w| w[0].severity >= w[1].severity));
}

#[test]
fn broken_or_empty_meshes_are_refused_calmly() {
    let report = examine(&Mesh::default());
    assert_eq!(report.findings[0].code, Code::Empty);
    let mesh = Mesh { tets: vec![[0, 1, 2, 3]], ..Mesh::default() };
    assert_eq!(examine(&mesh).findings[0].code, Code::BadIndex);
    assert!(repair(&mut mesh.clone()).is_empty());
}

#[test]
fn the_report_is_flat_json() {
    let mut mesh = bar([1, 1, 1], [1.0; 3], Split::Five);
    mesh.tets[0].swap(0, 1);
    let json = serde_json::to_value(examine(&mesh)).unwrap();
    assert_eq!(json["vertices"], 8);
    assert_eq!(json["boundary_faces"], 12);
    assert_eq!(json["open_edges"], 0);
    assert_eq!(json["findings"][0]["code"], "inverted-tets");
    assert_eq!(json["findings"][0]["severity"], "error");
    assert_eq!(json["findings"][0]["message"], "1 tetrahedron turned inside out");
}

#[test]
fn repairing_keeps_arrays_and_groups_in_step() {
    let mut mesh = bar([2, 1, 1], [2.0, 1.0, 1.0], Split::Six);
    let sound = mesh.clone();
    let flags: Vec<f64> =
        crate::topology::boundary_flags(&mesh.tets).iter().map(|f| f64::from(*f)).collect();
    mesh.tets.insert(1, [0, 0, 1, 2]);
    mesh.tets.push(mesh.tets[0]);
    mesh.triangles = vec![[0, 1, 1], [0, 1, 2], [2, 0, 1]];
    mesh.triangle_data.push(DataArray::scalar("id", vec![10.0, 11.0, 12.0]));
    let mut with_extra = flags.clone();
    with_extra.insert(1, 0.0);
    with_extra.push(0.0);
    mesh.tet_data.push(DataArray::scalar("surface_flags", with_extra));
    let pairs = (0..14).flat_map(|i| [f64::from(i), -f64::from(i)]).collect();
    mesh.tet_data.push(DataArray { name: "pair".into(), components: 2, values: pairs });
    let members = vec![0, 1, 2, 13];
    mesh.groups.push(Group { name: "some".into(), domain: Domain::Tets, members });
    // Turn two round the same way that repairing does, so that it restores them exactly.
    for i in [3, 5] {
        mesh.tets[i].swap(2, 3);
    }
    let turned_flags: Vec<f64> =
        crate::topology::boundary_flags(&mesh.tets).iter().map(|f| f64::from(*f)).collect();
    for i in [3, 5] {
        mesh.tet_data[0].values[i] = turned_flags[i];
    }

    let fixes = repair(&mut mesh);
    let done: Vec<(Code, usize)> = fixes.iter().map(|f| (f.code, f.count)).collect();
    let expected = [
        (Code::RepeatedCornerTets, 1),
        (Code::DuplicateTets, 1),
        (Code::RepeatedCornerTriangles, 1),
        (Code::DuplicateTriangles, 1),
        (Code::InvertedTets, 2),
    ];
    assert_eq!(done, expected);
    assert_eq!(fixes[4].message, "turned 2 tetrahedra round");
    assert_eq!(fixes[4].first, [2, 4]);
    assert_eq!(mesh.tets, sound.tets);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
    assert_eq!(mesh.triangle_data[0].values, [11.0]);
    assert_eq!(mesh.tet_data[0].values, flags);
    assert_eq!(mesh.tet_data[1].values[..4], [0.0, 0.0, 2.0, -2.0]);
    assert_eq!(mesh.tet_data[1].tuple_count(), 12);
    assert_eq!(mesh.groups[0].members, [0, 1]);
    assert!(repair(&mut mesh).is_empty());
}
