use super::*;
use crate::geometry::signed_volume;
use crate::shapes::{cloth, lathe, rounded_box, torus};
use crate::topology::components;

fn ball(radius: f64, at: [f64; 3]) -> Mesh {
    let turn = |i: u32| std::f64::consts::PI * f64::from(i) / 20.0;
    let mut profile = vec![[0.0, -radius]];
    profile.extend((1..20).map(|i| [radius * turn(i).sin(), -radius * turn(i).cos()]));
    profile.push([0.0, radius]);
    let mut mesh = lathe(&profile, 40).unwrap();
    mesh.points.iter_mut().for_each(|p| *p = std::array::from_fn(|k| p[k] + at[k]));
    mesh
}

fn both(mut a: Mesh, b: &Mesh) -> Mesh {
    let first = a.points.len() as u32;
    a.points.extend(&b.points);
    a.triangles.extend(b.triangles.iter().map(|t| t.map(|v| v + first)));
    a
}

fn part_count(mesh: &Mesh) -> usize {
    components(mesh.points.len(), &mesh.tets, &[]).count
}

/// What holds for every cage: tetrahedra of one size, conforming, and nothing of the surface outside.
fn check(cage: &Mesh, surface: &Mesh) {
    let volumes: Vec<f64> =
        (0..cage.tets.len()).map(|t| signed_volume(cage.tet_points(t))).collect();
    let total: f64 = volumes.iter().sum();
    let cell = 5.0 * total / volumes.len() as f64;
    for v in &volumes {
        let is_usual = [1.0 / 6.0, 1.0 / 3.0].iter().any(|part| (v / cell - part).abs() < 1e-9);
        assert!(is_usual, "{v} of {cell}");
    }
    let used = crate::topology::face_use(&cage.tets);
    assert!(used.crowded.is_empty(), "{:?}", used.crowded);
    let carrier = crate::embed::Carrier::Tets(&cage.tets);
    let anchors = crate::embed::embed(&cage.points, carrier, &surface.points).unwrap();
    let farthest = anchors.iter().map(|a| a.distance).fold(0.0, f64::max);
    assert!(farthest < 1e-9, "a point of the surface is {farthest} m outside");
}

/// Volume of what is in a cage.
fn volume(cage: &Mesh) -> f64 {
    (0..cage.tets.len()).map(|t| signed_volume(cage.tet_points(t))).sum()
}

#[test]
fn a_ball_is_covered_and_filled() {
    let surface = ball(1.0, [3.0, -2.0, 5.0]);
    for cells in [1, 2, 5, 12, 24] {
        let cage = cage(&surface, cells).unwrap();
        check(&cage, &surface);
        assert_eq!(part_count(&cage), 1);
        // No less than the ball, and no more than a layer of cells round it.
        let edge = 2.0 / f64::from(cells);
        let most = 4.0 / 3.0 * std::f64::consts::PI * (1.0 + 3f64.sqrt() * edge).powi(3);
        assert!((4.0..most.min(8.1)).contains(&volume(&cage)), "{cells}: {}", volume(&cage));
    }
    // A whole one, not a shell: cells within are there.
    let cage = cage(&surface, 24).unwrap();
    assert!(volume(&cage) > 4.18, "{}", volume(&cage));
}

#[test]
fn holes_doubles_and_turned_triangles_do_no_harm() {
    let whole = cage(&ball(1.0, [0.0; 3]), 10).unwrap();
    let mut holes = ball(1.0, [0.0; 3]);
    // A round hole of a thirtieth, at the top.
    let points = holes.points.clone();
    holes.triangles.retain(|t| t.iter().any(|&v| points[v as usize][2] < 0.94));
    let found = cage(&holes, 10).unwrap();
    assert!(volume(&found) > 0.95 * volume(&whole), "{} {}", volume(&found), volume(&whole));
    let mut turned = ball(1.0, [0.0; 3]);
    turned.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert_eq!(cage(&turned, 10).unwrap(), whole);
    // Edges of four triangles, and corners that nobody shares.
    let doubled = both(ball(1.0, [0.0; 3]), &ball(1.0, [0.0; 3]));
    assert_eq!(cage(&doubled, 10).unwrap(), whole);
    let mut soup = Mesh::default();
    for t in &ball(1.0, [0.0; 3]).triangles {
        let first = soup.points.len() as u32;
        soup.points.extend(t.map(|v| points[v as usize]));
        soup.triangles.push([first, first + 1, first + 2]);
    }
    assert_eq!(cage(&soup, 10).unwrap(), whole);
    // A cavity stays empty where cells allow.
    let mut inner = ball(0.7, [0.0; 3]);
    inner.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let hollow = both(ball(1.0, [0.0; 3]), &inner);
    let found = cage(&hollow, 24).unwrap();
    check(&found, &hollow);
    assert!(volume(&found) < 4.2, "{}", volume(&found));
}

#[test]
fn parts_are_joined_only_where_they_meet_in_a_cell() {
    // In cells side by side, without a free one between them.
    let near = both(ball(0.49, [0.0; 3]), &ball(0.49, [1.0, 0.0, 0.0]));
    let apart = cage(&near, 16).unwrap();
    check(&apart, &near);
    assert_eq!(part_count(&apart), 2);
    let coarse = cage(&near, 3).unwrap();
    check(&coarse, &near);
    assert_eq!(part_count(&coarse), 1, "they meet in the cell in the middle");
    // What crosses is one, and a ring keeps its hole.
    let crossing = both(ball(0.6, [0.0; 3]), &ball(0.6, [1.0, 0.0, 0.0]));
    assert_eq!(part_count(&cage(&crossing, 16).unwrap()), 1);
    let ring = outside(&torus(1.0, 0.3, 0.12).unwrap());
    let found = cage(&ring, 13).unwrap();
    check(&found, &ring);
    assert_eq!(part_count(&found), 1);
    assert!(volume(&found) < 4.5, "{}", volume(&found));
    assert!(found.points.iter().all(|p| p[0].hypot(p[1]) > 0.3), "the hole is filled");
}

#[test]
fn boxes_of_whole_cells_are_what_they_are() {
    let surface = rounded_box([2.0, 1.0, 1.0], 0.0, 0).unwrap();
    let found = cage(&surface, 8).unwrap();
    check(&found, &surface);
    assert!((volume(&found) / 2.0 - 1.0).abs() < 0.6, "{}", volume(&found));
}

#[test]
fn what_encloses_nothing_is_refused_with_a_reason() {
    assert_eq!(cage(&Mesh::default(), 8), Err(CageError::Empty));
    let sheet = cloth([8, 8], [1.0, 1.0]).unwrap();
    assert_eq!(cage(&sheet, 8), Err(CageError::Flat));
    let mut bowl = ball(1.0, [0.0; 3]);
    let points = bowl.points.clone();
    bowl.triangles.retain(|t| t.iter().all(|&v| points[v as usize][2] < 0.1));
    let problem = cage(&bowl, 8).unwrap_err();
    assert!(matches!(problem, CageError::Open { percent: 21.. }), "{problem}");
    assert!(!is_nearly_closed(&bowl) && is_nearly_closed(&ball(1.0, [0.0; 3])));
    // Turned at random, there is no telling where the inside is.
    let mut mixed = ball(1.0, [0.0; 3]);
    mixed
        .triangles
        .iter_mut()
        .enumerate()
        .filter(|(i, _)| i % 7 < 3)
        .for_each(|(_, t)| t.swap(0, 1));
    assert!(matches!(cage(&mixed, 8), Err(CageError::Open { .. })));
    let mut broken = ball(1.0, [0.0; 3]);
    broken.points[17][1] = f64::NAN;
    assert!(matches!(cage(&broken, 8), Err(CageError::NotFinite { point: 17, .. })));
    broken.triangles[3][0] = 1_000_000;
    assert!(matches!(cage(&broken, 8), Err(CageError::Index(_))));
    for cells in [0, 129, u32::MAX] {
        assert_eq!(cage(&ball(1.0, [0.0; 3]), cells), Err(CageError::Cells(cells)));
    }
    let mut huge = ball(1.0, [0.0; 3]);
    huge.points.iter_mut().for_each(|p| *p = p.map(|c| c * 1e307));
    assert_eq!(cage(&huge, 8), Err(CageError::Huge));
    let point = Mesh { points: vec![[1.0; 3]], triangles: vec![[0, 0, 0]], ..Mesh::default() };
    assert_eq!(cage(&point, 4), Err(CageError::Flat));
}

#[test]
fn triangles_touch_boxes_at_their_sides_too() {
    let triangle = [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 2.0, 1.0]];
    assert!(touches(&triangle, [0.0; 3], [1.0; 3]));
    assert!(touches(&triangle, [0.0, 0.0, 1.0], [1.0, 1.0, 2.0]));
    assert!(touches(&triangle, [0.5, 0.5, 0.5], [0.5, 0.6, 1.5]), "a flat box");
    assert!(!touches(&triangle, [1.1, 1.1, 0.0], [2.0, 2.0, 2.0]), "beyond the long side");
    assert!(!touches(&triangle, [0.0, 0.0, 1.1], [1.0, 1.0, 2.0]));
}
