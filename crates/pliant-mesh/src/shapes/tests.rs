use std::f64::consts::PI;

use super::*;
use crate::Mesh;
use crate::geometry::{cross, dot, signed_volume, sub};
use crate::topology::{boundary_faces, components, surface_edges};

/// Smallest and largest dihedral angle \[°\], from the angle between face normals.
fn dihedral_range(mesh: &Mesh) -> [f64; 2] {
    let mut range = [180.0, 0.0f64];
    for i in 0..mesh.tets.len() {
        let p = mesh.tet_points(i);
        let normals = crate::topology::TET_FACES.map(|f| {
            let [a, b, c] = f.map(|k| p[k]);
            cross(sub(b, a), sub(c, a))
        });
        for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let (n, m) = (normals[a], normals[b]);
            let cosine = -dot(n, m) / (dot(n, n) * dot(m, m)).sqrt();
            let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
            range = [range[0].min(angle), range[1].max(angle)];
        }
    }
    range
}

/// What holds for every solid: positive volumes, one body, a closed surface with Euler number
/// `euler`, no unused points. Returns the surface area.
fn check_solid(name: &str, mesh: &Mesh, euler: i64) -> f64 {
    assert!(mesh.check_indices().is_ok(), "{name}");
    let smallest = (0..mesh.tets.len())
        .map(|i| signed_volume(mesh.tet_points(i)))
        .fold(f64::INFINITY, f64::min);
    assert!(smallest > 0.0, "{name} has a tetrahedron of volume {smallest}");
    let faces = boundary_faces(&mesh.tets);
    let edges = surface_edges(&faces, None);
    assert!(edges.is_closed_manifold() && edges.flipped.is_empty(), "{name}: {edges:?}");
    let mut used = vec![false; mesh.points.len()];
    faces.iter().flatten().for_each(|v| used[*v as usize] = true);
    let vertices = used.iter().filter(|u| **u).count() as i64;
    assert_eq!(vertices - edges.count as i64 + faces.len() as i64, euler, "{name}");
    let parts = components(mesh.points.len(), &mesh.tets, &[]);
    assert_eq!(parts.count, 1, "{name}");
    assert_eq!(parts.sizes(), [mesh.points.len()], "{name} has unused points");
    let area = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| mesh.points[v as usize]);
        let n = cross(sub(b, a), sub(c, a));
        0.5 * dot(n, n).sqrt()
    };
    faces.iter().map(area).sum()
}

fn assert_near(what: &str, found: f64, expected: f64, relative: f64) {
    let off = (found / expected - 1.0).abs();
    assert!(off <= relative, "{what}: {found} is {:.2} % off {expected}", 100.0 * off);
}

#[test]
fn the_six_split_is_the_one_of_the_benchmarks() {
    let mesh = bar([2, 2, 2], [1.0; 3], Split::Six);
    // First and last cell, worked out by the numbering (i (ny + 1) + j) (nz + 1) + k by hand.
    let first = [
        [0, 9, 12, 13],
        [0, 9, 13, 10],
        [0, 3, 13, 12],
        [0, 3, 4, 13],
        [0, 1, 10, 13],
        [0, 1, 13, 4],
    ];
    assert_eq!(mesh.tets[..6], first);
    assert_eq!(mesh.tets[42], [13, 22, 25, 26]);
    assert_eq!(mesh.points[13], [0.5; 3]);
    assert_eq!(mesh.points[5], [0.0, 0.5, 1.0]);
}

#[test]
fn bars_are_conforming_boxes() {
    for split in [Split::Five, Split::Six] {
        let mesh = bar([5, 3, 4], [5.0, 1.5, 1.0], split);
        let area = check_solid("bar", &mesh, 2);
        assert_near("volume", mesh.volume(), 7.5, 1e-12);
        assert_near("area", area, 2.0 * (7.5 + 5.0 + 1.5), 1e-12);
        assert_eq!(boundary_faces(&mesh.tets).len(), 4 * (15 + 20 + 12));
        assert_eq!(mesh.bounds(), Some([[0.0; 3], [5.0, 1.5, 1.0]]));
    }
    assert_eq!(bar([2, 2, 2], [1.0; 3], Split::Five).tets.len(), 40);
}

#[test]
fn irregular_bars_stay_boxes_and_differ_by_seed() {
    let (cells, size) = ([8, 4, 4], [2.0, 1.0, 1.0]);
    let mesh = irregular_bar(cells, size, 1).unwrap();
    assert_near("area", check_solid("irregular bar", &mesh, 2), 10.0, 1e-12);
    assert_near("volume", mesh.volume(), 2.0, 1e-12);
    assert_eq!(mesh, irregular_bar(cells, size, 1).unwrap());
    let other = irregular_bar(cells, size, 2).unwrap();
    assert_eq!(other.tets, mesh.tets);
    assert_ne!(other.points, mesh.points);
    let regular = bar(cells, size, Split::Six);
    let far = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).any(|k| (a[k] - b[k]).abs() > 0.01);
    let moved = mesh.points.iter().zip(&regular.points).filter(|pair| far(*pair)).count();
    assert!(moved > 150, "only {moved} of {} points moved", mesh.points.len());
}

#[test]
fn cloth_is_a_flat_sheet_that_faces_up() {
    let mesh = cloth([3, 2], [3.0, 1.0]).unwrap();
    assert_eq!((mesh.points.len(), mesh.triangles.len()), (12, 12));
    assert_eq!(mesh.triangles[..2], [[0, 3, 4], [0, 4, 1]]);
    let edges = surface_edges(&mesh.triangles, None);
    assert_eq!(edges.open.len(), 10);
    assert!(edges.non_manifold.is_empty() && edges.flipped.is_empty());
    let mut area = 0.0;
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.points[v as usize]);
        let n = cross(sub(b, a), sub(c, a));
        assert!(n[2] > 0.0);
        area += 0.5 * n[2];
    }
    assert_near("area", area, 3.0, 1e-12);
}

#[test]
fn extruded_solids_have_their_exact_polygon_volume() {
    // A regular n-gon of corner radius r has the area n/2 r² sin(2π/n).
    let polygon = |n: f64, r: f64| 0.5 * n * r * r * (2.0 * PI / n).sin();
    let mesh = cylinder(0.5, 2.0, 0.1).unwrap();
    check_solid("cylinder", &mesh, 2);
    assert_near("cylinder", mesh.volume(), 2.0 * polygon(30.0, 0.5), 1e-12);
    let [low, _] = dihedral_range(&mesh);
    assert!(low > 25.0, "cylinder: {low}°");

    let mesh = tube(0.3, 0.5, 1.0, 0.1).unwrap();
    check_solid("tube", &mesh, 0);
    let around = (2.0 * PI * 0.4 / 0.1).round();
    assert_near("tube", mesh.volume(), polygon(around, 0.5) - polygon(around, 0.3), 1e-12);
    let [low, _] = dihedral_range(&mesh);
    assert!(low > 25.0, "tube: {low}°");

    check_solid("coarsest cylinder", &cylinder(1.0, 0.5, 5.0).unwrap(), 2);
}

#[test]
fn curved_solids_have_good_angles_and_the_right_volume() {
    let mut worst = [180.0, 0.0f64];
    for n in [4.0, 7.3, 11.0] {
        let shapes = [
            ("ball", ball(1.0, 1.0 / n), 2, 4.0 / 3.0 * PI),
            ("torus", torus(2.0, 1.0, 1.0 / n), 0, 4.0 * PI * PI),
            ("capsule", capsule(1.0, 2.0, 1.0 / n), 2, (2.0 + 4.0 / 3.0) * PI),
        ];
        for (name, mesh, euler, volume) in shapes {
            let mesh = mesh.unwrap();
            check_solid(name, &mesh, euler);
            // The error of a faceted surface shrinks with the square of the cell.
            assert_near(name, mesh.volume(), volume, 1.0 / (n * n));
            let [low, high] = dihedral_range(&mesh);
            assert!(low > 10.0 && high < 165.0, "{name} at {n}: {low}° to {high}°");
            worst = [worst[0].min(low), worst[1].max(high)];
        }
    }
    println!("dihedral angles from {:.2}° to {:.2}°", worst[0], worst[1]);
}

#[test]
fn the_bunny_and_the_star_are_sound_at_several_sizes() {
    for cell in [0.05, 0.04, 0.035, 0.03, 0.025, 0.02] {
        let mesh = bunny(1.0, cell).unwrap();
        check_solid("bunny", &mesh, 2);
        let [low, high] = mesh.bounds().unwrap();
        assert!(low[1] > -0.01 && (0.97..1.01).contains(&high[1]), "{low:?} {high:?}");
        let angles = dihedral_range(&mesh);
        assert!(angles[0] > 10.0 && angles[1] < 165.0, "bunny at {cell}: {angles:?}");
    }
    for cell in [0.1, 0.06] {
        let mesh = star(1.0, 0.4, cell).unwrap();
        check_solid("star", &mesh, 2);
        let angles = dihedral_range(&mesh);
        assert!(angles[0] > 10.0 && angles[1] < 165.0, "star at {cell}: {angles:?}");
    }
}

#[test]
fn points_of_cut_solids_lie_on_the_surface() {
    let mesh = ball(1.0, 0.15).unwrap();
    for v in boundary_faces(&mesh.tets).iter().flatten() {
        let p = mesh.points[*v as usize];
        assert!((dot(p, p).sqrt() - 1.0).abs() < 1e-6, "{p:?}");
    }
}

#[test]
fn absurd_parameters_are_refused() {
    let too_large = |r: Result<Mesh, ShapeError>| matches!(r, Err(ShapeError::TooLarge { .. }));
    let not_positive =
        |r: Result<Mesh, ShapeError>| matches!(r, Err(ShapeError::NotPositive { .. }));
    let too_coarse = |r: Result<Mesh, ShapeError>| matches!(r, Err(ShapeError::TooCoarse { .. }));
    let max = u32::MAX;
    assert!(too_large(try_bar([max; 3], [1.0; 3], Split::Six)));
    assert!(too_large(try_bar([max, 1, 1], [1.0; 3], Split::Five)));
    assert!(too_large(irregular_bar([65_536, 65_536, 1], [1.0; 3], 0)));
    assert!(too_large(cloth([max, max], [1.0; 2])));
    assert!(too_large(ball(1.0, 1e-6)));
    assert!(too_large(cylinder(1.0, 1.0, 1e-300)));
    assert!(too_large(tube(1.0, 2.0, 1e9, 1e-3)));
    assert!(not_positive(try_bar([0, 1, 1], [1.0; 3], Split::Six)));
    assert!(not_positive(try_bar([1, 1, 1], [1.0, f64::NAN, 1.0], Split::Six)));
    assert!(not_positive(cloth([1, 1], [1.0, -1.0])));
    assert!(not_positive(ball(f64::INFINITY, 1.0)));
    assert!(not_positive(ball(1.0, 0.0)));
    assert!(not_positive(capsule(1.0, 1.0, f64::NAN)));
    assert!(not_positive(tube(0.1, 0.2, f64::NAN, 0.1)));
    assert!(too_coarse(ball(0.1, 1.0)));
    assert!(too_coarse(from_distance(|_| 1.0, [[0.0; 3], [1.0; 3]], 0.2)));
    assert!(matches!(torus(1.0, 2.0, 0.1), Err(ShapeError::Impossible { .. })));
    assert!(matches!(tube(2.0, 1.0, 1.0, 0.1), Err(ShapeError::Impossible { .. })));
    let nan = from_distance(|_| f64::NAN, [[0.0; 3], [1.0; 3]], 0.2);
    assert!(matches!(nan, Err(ShapeError::NotANumber { .. })));
}
