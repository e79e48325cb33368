use pliant_mesh::Mesh;

use crate::contact::closest::{edge_edge, point_triangle};
use crate::contact::crossing::triangles_cross;
use crate::contact::{ContactsError, find_contacts, find_crossings};
use crate::math::Vec3;

/// A sheet of n × n vertices, rolled up to a spiral, each vertex moved by up to `noise` along each axis.
fn spiral(n: usize, noise: f64) -> Mesh {
    let at = |i: usize, j: usize| {
        let (turn, along) = (2.0 + 14.0 * i as f64 / (n - 1) as f64, j as f64 / (n - 1) as f64);
        let radius = 0.02 * turn + 0.002 * (5.0 * turn).sin() * (9.0 * along).cos();
        let place = [radius * turn.cos(), along, radius * turn.sin()];
        std::array::from_fn(|axis| {
            let k = (3 * (i * n + j) + axis) as f64;
            place[axis] + noise * (12.9898 * k * k).sin()
        })
    };
    grid(n, at)
}

fn grid(n: usize, at: impl Fn(usize, usize) -> [f64; 3]) -> Mesh {
    let points = (0..n * n).map(|k| at(k / n, k % n)).collect();
    let number = |i: usize, j: usize| (i * n + j) as u32;
    let cells = (0..(n - 1) * (n - 1)).map(|k| (k / (n - 1), k % (n - 1)));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i, j + 1), number(i + 1, j + 1)];
        [[a, b, c], [c, b, d]]
    });
    Mesh { points, triangles: triangles.collect(), ..Mesh::default() }
}

/// All pairs one after the other.
fn brute(mesh: &Mesh, radius: f64) -> (Vec<[u32; 2]>, usize, Vec<[u32; 2]>) {
    let at = |v: u32| Vec3::<f64>::from(mesh.points[v as usize]);
    let (mut vertices, mut crossings) = (Vec::new(), Vec::new());
    for v in 0..mesh.points.len() as u32 {
        for (t, corners) in (0..).zip(&mesh.triangles) {
            if !corners.contains(&v) && point_triangle(at(v), corners.map(at)).distance() < radius {
                vertices.push([v, t]);
            }
        }
    }
    for (i, a) in (0..).zip(&mesh.triangles) {
        for (j, b) in (0..).zip(&mesh.triangles).skip(i as usize + 1) {
            let of = |t: &[u32; 3]| t.map(|v| mesh.points[v as usize]);
            if !a.iter().any(|v| b.contains(v)) && triangles_cross(of(a), of(b)) {
                crossings.push([i, j]);
            }
        }
    }
    let edges = pliant_mesh::topology::unique_edges(&[], &mesh.triangles);
    let mut count = 0;
    for (i, a) in edges.iter().enumerate() {
        for b in edges[i + 1..].iter().filter(|b| !a.iter().any(|v| b.contains(v))) {
            count += usize::from(edge_edge(a.map(at), b.map(at)).distance() < radius);
        }
    }
    (vertices, count, crossings)
}

#[test]
fn contacts_of_a_mesh_are_those_of_brute_force() {
    for mesh in [spiral(24, 0.0), spiral(24, 0.02)] {
        let (vertices, edges, crossings) = brute(&mesh, 0.05);
        for threads in [1, 2] {
            let found = find_contacts(&[&mesh], 0.05, threads).unwrap();
            assert_eq!(found.vertex_triangle, vertices);
            assert_eq!(found.edge_edge.len(), edges);
            assert_eq!(found.crossings, crossings);
            assert_eq!(find_crossings(&mesh, threads).unwrap(), crossings);
        }
    }
}

/// What IPC Toolkit 1.6.1 counts: its candidates of vertices and faces and of edges, kept where its
/// distance is below the radius; and pairs of faces without a common corner one of which has an edge that
/// its test finds in the other.
#[test]
fn counts_are_those_of_another_library() {
    for (noise, radius, expected) in [
        (0.0, 0.02, [782, 2_134, 0]),
        (0.0, 0.1, [87_862, 212_870, 0]),
        (0.02, 0.03, [8_307, 23_978, 471]),
    ] {
        let found = find_contacts(&[&spiral(40, noise)], radius, 2).unwrap();
        let counts = [found.vertex_triangle.len(), found.edge_edge.len(), found.crossings.len()];
        assert_eq!(counts, expected, "moved by {noise} m, nearer than {radius} m");
    }
}

/// Two sheets, one above the other: pairs between them are told, and none within.
#[test]
fn of_two_meshes_pairs_between_them_are_told() {
    let sheet = |height: f64| grid(5, |i, j| [i as f64, j as f64, height]);
    let found = find_contacts(&[&sheet(0.0), &sheet(0.25)], 0.3, 2).unwrap();
    assert_eq!(found.nearest, Some(0.25));
    assert!(found.crossings.is_empty());
    // A vertex has the triangles round its place on the other sheet; those of the second come later.
    assert!(found.vertex_triangle.iter().all(|&[v, t]| (v < 25) == (t >= 32)));
    let of_corner = found.vertex_triangle.iter().filter(|[v, _]| *v == 0);
    assert_eq!(of_corner.map(|[_, t]| *t).collect::<Vec<_>>(), [32]);
    let touching = find_contacts(&[&sheet(0.0), &sheet(0.0)], 0.3, 1).unwrap();
    assert!(touching.crossings.len() >= 32, "every triangle lies on its like");
    assert_eq!(touching.nearest, Some(0.0));
}

/// Corners that are written once for each triangle are one corner all the same.
#[test]
fn points_that_coincide_are_one_vertex() {
    let sheet = spiral(12, 0.0);
    let apart = Mesh {
        points: sheet.triangles.as_flattened().iter().map(|&v| sheet.points[v as usize]).collect(),
        triangles: (0..sheet.triangles.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect(),
        ..Mesh::default()
    };
    let [one, other] = [&sheet, &apart].map(|mesh| find_contacts(&[mesh], 0.1, 1).unwrap());
    assert_eq!(one.looked_at, other.looked_at);
    assert_eq!(one.edge_edge.len(), other.edge_edge.len());
    assert!(other.crossings.is_empty());
}

#[test]
fn what_cannot_be_asked_is_said() {
    let good = spiral(4, 0.0);
    let none = Mesh { points: good.points.clone(), ..Mesh::default() };
    assert_eq!(find_contacts(&[&good, &none], 0.1, 1), Err(ContactsError::NoSurface { mesh: 1 }));
    let mut bad = good.clone();
    bad.points[5][1] = f64::NAN;
    let expected = ContactsError::NotFinite { mesh: 0, point: 5 };
    assert_eq!(find_crossings(&bad, 1), Err(expected));
    let mut bad = good;
    bad.triangles[2][1] = 99;
    assert!(matches!(find_crossings(&bad, 1), Err(ContactsError::BadIndex { mesh: 0, .. })));
}
