use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::geometry::signed_volume;
use crate::topology::TET_FACES;

/// Corners of the unit cube in hexahedron order.
const CUBE: [[f64; 3]; 8] = [
    [0., 0., 0.],
    [1., 0., 0.],
    [1., 1., 0.],
    [0., 1., 0.],
    [0., 0., 1.],
    [1., 0., 1.],
    [1., 1., 1.],
    [0., 1., 1.],
];

/// Every tetrahedron must be positive; returns the sum of the volumes.
fn positive_volume(points: &[[f64; 3]], sink: &CellSink) -> f64 {
    sink.tets
        .iter()
        .map(|t| {
            let v = signed_volume(t.map(|i| points[i as usize]));
            assert!(v > 1e-9, "tetrahedron {t:?} has volume {v}");
            v
        })
        .sum()
}

/// Faces that belong to one tetrahedron. Fails where a face has
/// more than two tetrahedra, or two that turn it the same way.
fn boundary(sink: &CellSink) -> Vec<[u32; 3]> {
    let mut faces: HashMap<[u32; 3], Vec<[u32; 3]>> = HashMap::new();
    for t in &sink.tets {
        for f in TET_FACES {
            let f = f.map(|k| t[k]);
            let mut key = f;
            key.sort();
            faces.entry(key).or_default().push(f);
        }
    }
    let even = |f: [u32; 3]| (f[0] < f[1]) ^ (f[1] < f[2]) ^ (f[0] < f[2]);
    let mut open = Vec::new();
    for users in faces.values() {
        match users[..] {
            [f] => open.push(f),
            [a, b] => assert_ne!(even(a), even(b), "both sides turn {a:?} {b:?} alike"),
            _ => panic!("face {:?} has {} tetrahedra", users[0], users.len()),
        }
    }
    open
}

/// Each directed edge of a closed, consistently turned surface has its reverse exactly once.
fn assert_watertight(surface: &[[u32; 3]]) {
    let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
    for &[a, b, c] in surface {
        for [p, q] in [[a, b], [b, c], [c, a]] {
            *edges.entry([p, q]).or_default() += 1;
            *edges.entry([q, p]).or_default() -= 1;
        }
    }
    assert!(edges.values().all(|&n| n == 0));
}

fn permutation(n: usize) -> impl Strategy<Value = Vec<u32>> {
    Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle()
}

/// The mesh seen through new vertex numbers: corner `v` becomes `numbers[v]`.
fn renumber(points: &[[f64; 3]], numbers: &[u32]) -> Vec<[f64; 3]> {
    let mut moved = vec![[0.0; 3]; points.len()];
    for (p, &n) in points.iter().zip(numbers) {
        moved[n as usize] = *p;
    }
    moved
}

#[test]
fn every_numbering_of_a_cube_gives_five_or_six_positive_tets() {
    // All 8! numberings, so that no case of the paper's table is missed.
    let mut seen = [0usize; 2];
    let mut numbers: Vec<u32> = (0..8).collect();
    permute(&mut numbers, 0, &mut |numbers| {
        let mut sink = CellSink::default();
        sink.push(CellKind::Hex, numbers);
        let points = renumber(&CUBE, numbers);
        assert!((positive_volume(&points, &sink) - 1.0).abs() < 1e-12);
        assert_eq!(boundary(&sink).len(), 12);
        seen[sink.tets.len() - 5] += 1;
    });
    assert_eq!(seen.iter().sum::<usize>(), 40320);
    assert!(seen[0] > 0 && seen[1] > 0);
}

fn permute(v: &mut Vec<u32>, at: usize, visit: &mut impl FnMut(&[u32])) {
    if at == v.len() {
        return visit(v);
    }
    for i in at..v.len() {
        v.swap(at, i);
        permute(v, at + 1, visit);
        v.swap(at, i);
    }
}

/// Lattice points of a grid of 3³ unit cubes, then the middles of the cubes.
fn lattice() -> Vec<[f64; 3]> {
    let cube = |n: usize, shift: f64| {
        (0..n * n * n).map(move |i| [i % n, i / n % n, i / (n * n)].map(|x| x as f64 + shift))
    };
    cube(4, 0.0).chain(cube(3, 0.5)).collect()
}

/// Pushes every cube of the lattice by `push(sink, corners, cell)`.
fn grid(numbers: &[u32], mut push: impl FnMut(&mut CellSink, [u32; 8], usize)) -> CellSink {
    let mut sink = CellSink::default();
    for cell in 0..27 {
        let origin = cell % 3 + 4 * (cell / 3 % 3) + 16 * (cell / 9);
        let corners = CUBE.map(|[x, y, z]| numbers[origin + (x + 4.0 * y + 16.0 * z) as usize]);
        push(&mut sink, corners, cell);
    }
    sink
}

fn assert_fills_the_grid(numbers: &[u32], sink: &CellSink) {
    let volume = positive_volume(&renumber(&lattice(), numbers), sink);
    assert!((volume - 27.0).abs() < 1e-9);
    let surface = boundary(sink);
    assert_eq!(surface.len(), 6 * 9 * 2);
    assert_watertight(&surface);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn grids_of_hexes_conform(numbers in permutation(64 + 27)) {
        let sink = grid(&numbers, |s, c, _| s.push(CellKind::Hex, &c));
        assert_fills_the_grid(&numbers, &sink);
    }

    /// Each cube of the grid is stored as a hexahedron, as a voxel, as two prisms, or as six
    /// pyramids round its middle.
    #[test]
    fn mixed_neighbours_conform(
        numbers in permutation(64 + 27),
        kinds in prop::collection::vec(0..4usize, 27),
    ) {
        let sink = grid(&numbers, |s, c, cell| match kinds[cell] {
            0 => s.push(CellKind::Hex, &c),
            1 => s.push(CellKind::Voxel, &[0, 1, 3, 2, 4, 5, 7, 6].map(|k| c[k])),
            // Two prisms bring their own diagonal 1–3 below and above, which the neighbours share
            // only where it is also the rule's.
            2 if agrees(&c, [0, 1, 2, 3]) && agrees(&c, [4, 5, 6, 7]) => {
                s.push(CellKind::Prism, &[0, 1, 3, 4, 5, 7].map(|k| c[k]));
                s.push(CellKind::Prism, &[1, 2, 3, 5, 6, 7].map(|k| c[k]));
            }
            _ => {
                let apex = numbers[64 + cell];
                for f in HEX_FACES {
                    // The base ring runs counter-clockwise seen from the apex.
                    s.push(CellKind::Pyramid, &[c[f[0]], c[f[3]], c[f[2]], c[f[1]], apex]);
                }
            }
        });
        assert_fills_the_grid(&numbers, &sink);
    }

    #[test]
    fn prisms_with_more_sides_fill_their_volume(sides in 5..7usize, numbers in permutation(12)) {
        let angle = |i: usize| i as f64 * std::f64::consts::TAU / sides as f64;
        let points: Vec<_> = (0..2 * sides)
            .map(|i| [angle(i).cos(), angle(i).sin(), (i / sides) as f64])
            .collect();
        let mut order: Vec<u32> = numbers.into_iter().filter(|&n| (n as usize) < 2 * sides).collect();
        order.truncate(2 * sides);
        let kind = if sides == 5 { CellKind::PentagonalPrism } else { CellKind::HexagonalPrism };
        let mut sink = CellSink::default();
        sink.push(kind, &order);
        let area = sides as f64 / 2.0 * angle(1).sin();
        let volume = positive_volume(&renumber(&points, &order), &sink);
        prop_assert!((volume - area).abs() < 1e-12);
        assert_watertight(&boundary(&sink));
    }
}

/// Whether the rule cuts this face between its second and fourth corner.
fn agrees(c: &[u32; 8], face: [usize; 4]) -> bool {
    smallest_at(&face.map(|k| c[k])) % 2 == 1
}

#[test]
fn a_hexahedron_with_doubled_corners_is_the_prism_it_stands_for() {
    let points = CUBE;
    let mut sink = CellSink::default();
    sink.push(CellKind::Hex, &[0, 1, 2, 2, 4, 5, 6, 6]);
    assert!((positive_volume(&points, &sink) - 0.5).abs() < 1e-12);
    assert_watertight(&boundary(&sink));
}

#[test]
fn a_polyhedron_is_pulled_from_its_smallest_corner() {
    let faces: Vec<Vec<u32>> =
        HEX_FACES.iter().map(|f| f.iter().map(|&k| k as u32).collect()).collect();
    let faces: Vec<&[u32]> = faces.iter().map(|f| &f[..]).collect();
    let mut sink = CellSink::default();
    sink.push_polyhedron(&faces);
    assert!((positive_volume(&CUBE, &sink) - 1.0).abs() < 1e-12);
    sink.push_polyhedron(&[]);
    assert_eq!((sink.cell_count, sink.short_count), (2, 1));
}

#[test]
fn flat_cells_keep_their_turn() {
    let mut sink = CellSink::default();
    sink.push(CellKind::Quad, &[7, 3, 9, 4]);
    sink.push(CellKind::Polygon, &[5, 6, 7, 8, 9]);
    sink.push_strip(&[0, 1, 2, 3, 4]);
    assert_eq!(sink.triangles[..2], [[3, 9, 4], [3, 4, 7]]);
    assert_eq!(sink.triangles[2..5], [[5, 6, 7], [5, 7, 8], [5, 8, 9]]);
    assert_eq!(sink.triangles[5..], [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    assert_eq!(sink.triangle_cells, [0, 0, 1, 1, 1, 2, 2, 2]);
    assert_eq!(sink.split_count, 3);
}

#[test]
fn arrays_follow_the_parts_and_short_cells_only_count() {
    let mut sink = CellSink::default();
    sink.push(CellKind::Tet, &[0, 1, 2, 3, 99]);
    sink.skip();
    sink.push(CellKind::Pyramid, &[0, 1, 2, 3, 4]);
    sink.push(CellKind::Hex, &[0, 1, 2]);
    sink.push(CellKind::Triangle, &[0, 1, 2]);
    assert_eq!((sink.cell_count, sink.short_count, sink.split_count), (5, 1, 1));
    let array =
        DataArray { name: "u".into(), components: 2, values: (0..10).map(f64::from).collect() };
    let mut mesh = Mesh::default();
    sink.finish_with_arrays(&[array], &mut mesh);
    assert_eq!(mesh.tet_data[0].values, [0., 1., 4., 5., 4., 5.]);
    assert_eq!(mesh.triangle_data[0].values, [8., 9.]);
}
