//! What a cloth of springs is worth, measured on the springs themselves.

use super::cloth::{ClothSprings, springs};
use crate::math::Vec3;
use crate::scene::{BendSprings, Cloth};
use pliant_mesh::{Mesh, shapes};

fn sheet(cells: [u32; 2]) -> Mesh {
    let size = cells.map(|n| 0.01 * f64::from(n));
    shapes::cloth(cells, size).unwrap()
}

fn woven(mesh: &Mesh, cloth: &Cloth) -> ClothSprings {
    springs(&mesh.points, &mesh.triangles, Vec3::from(cloth.warp), cloth)
}

/// Energy over area of springs in a mesh that is strained by (along x, along y, shear), to second order.
fn energy(mesh: &Mesh, found: &ClothSprings, [xx, yy, xy]: [f64; 3]) -> f64 {
    let area: f64 = mesh.triangles.iter().map(|t| area_of(mesh, t)).sum();
    let of = |(&[a, b], k): (&[u32; 2], &f64)| {
        let [a, b] = [a, b].map(|v| mesh.points[v as usize]);
        let [x, y] = [b[0] - a[0], b[1] - a[1]];
        // k L² (dᵀ ε d)², with L⁴ in the denominator of the squares of directions.
        0.5 * k * (xx * x * x + yy * y * y + xy * x * y).powi(2) / (x * x + y * y)
    };
    found.ends.iter().zip(&found.stiffness).map(of).sum::<f64>() / area
}

fn area_of(mesh: &Mesh, t: &[u32; 3]) -> f64 {
    let [a, b, c] = t.map(|v| Vec3::<f64>::from(mesh.points[v as usize]));
    0.5 * (b - a).cross(c - a).length()
}

#[test]
fn a_sheet_is_as_stiff_as_was_asked_for_whatever_its_threads_and_folds() {
    let mesh = sheet([40, 30]);
    for bend_springs in [BendSprings::Opposite, BendSprings::Second] {
        for bend in [0.0, 2.0] {
            for (warp, [along, across]) in [([1.0, 0.0, 0.0], [0, 1]), ([0.0, 1.0, 0.0], [1, 0])] {
                let cloth = Cloth {
                    stretch: [300.0, 120.0],
                    shear: 15.0,
                    bend,
                    bend_springs,
                    warp,
                    ..Cloth::default()
                };
                let found = woven(&mesh, &cloth);
                assert!(found.note.is_none(), "{:?}", found.note);
                assert!(found.stiffness.iter().all(|k| *k >= 0.0));
                let g = 2.0 * energy(&mesh, &found, [0.0, 0.0, 1.0]);
                assert!((g / 15.0 - 1.0).abs() < 1e-9, "{g}");
                for (axis, asked) in [(along, 300.0), (across, 120.0)] {
                    // The least energy of a strip that gets one longer and may get narrower.
                    let strip = |narrower: f64| {
                        let mut strain = [-narrower, -narrower, 0.0];
                        strain[axis] = 1.0;
                        2.0 * energy(&mesh, &found, strain)
                    };
                    let [low, mid, high] = [strip(0.0), strip(0.5), strip(1.0)];
                    let curve = 2.0 * (low + high - 2.0 * mid);
                    let slope = high - low - curve;
                    let least = low - slope * slope / (4.0 * curve);
                    assert!((least / asked - 1.0).abs() < 0.01, "{least} of {asked}");
                    // What is pulled along its threads does not turn.
                    let mut turned = [0.0, 0.0, 1e-3];
                    turned[axis] = 1.0;
                    let mut other = turned;
                    other[2] = -1e-3;
                    let lean = energy(&mesh, &found, turned) - energy(&mesh, &found, other);
                    assert!(lean.abs() < 1e-5 * asked, "{lean}");
                }
            }
        }
    }
}

#[test]
fn second_neighbours_lie_on_straight_lines_and_opposite_ones_across_edges() {
    let mesh = sheet([4, 3]);
    let count = |bend_springs| {
        let cloth = Cloth { bend: 1.0, bend_springs, ..Cloth::default() };
        woven(&mesh, &cloth).ends.len()
    };
    let plain = woven(&mesh, &Cloth::default()).ends.len();
    // Rows of 5 and columns of 4 vertices.
    assert_eq!(count(BendSprings::Second) - plain, 4 * 3 + 5 * 2);
    // Edges inside that are no diagonals: those have the other diagonal already.
    assert_eq!(count(BendSprings::Opposite) - plain, 4 * 2 + 3 * 3);
}

#[test]
fn a_mesh_with_too_few_directions_says_what_it_has_instead() {
    // Rows of equilateral triangles.
    let [nx, ny] = [12u32, 10];
    let mut mesh = Mesh::default();
    for j in 0..=ny {
        for i in 0..=nx {
            let x = f64::from(i) + if j % 2 == 1 { 0.5 } else { 0.0 };
            mesh.points.push([0.01 * x, 0.01 * 0.75_f64.sqrt() * f64::from(j), 0.0]);
        }
    }
    let at = |i: u32, j: u32| j * (nx + 1) + i;
    for j in 0..ny {
        for i in 0..nx {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
            mesh.triangles.extend(if j % 2 == 0 {
                [[a, b, c], [b, d, c]]
            } else {
                [[a, b, d], [a, d, c]]
            });
        }
    }
    let found = woven(&mesh, &Cloth { stretch: [100.0; 2], shear: 1.0, ..Cloth::default() });
    let note = found.note.expect("shear cannot be so soft");
    assert!(note.contains("shear") && note.contains("were asked for"), "{note}");
    assert!(found.stiffness.iter().all(|k| k.is_finite() && *k >= 0.0));
    assert!(note.contains("squares"), "{note}");
    let hard = Cloth { stretch: [100.0; 2], shear: 10.0, bend: 50.0, ..Cloth::default() };
    let note = woven(&sheet([10, 10]), &hard).note.expect("folds resist more");
    assert!(note.contains("lower `bend`"), "{note}");
    // What such springs do have: isotropic, with Poisson's ratio a third.
    let isotropic = Cloth { stretch: [100.0; 2], shear: 37.5, ..Cloth::default() };
    assert!(woven(&mesh, &isotropic).note.is_none());
}

#[test]
fn degenerate_triangles_and_a_warp_that_stands_on_them_give_numbers() {
    let mut mesh = sheet([3, 3]);
    mesh.triangles.push([0, 0, 1]);
    mesh.triangles.push([2, 3, 2]);
    for warp in [[0.0, 0.0, 1.0], [1e-300, 0.0, 0.0], [1.0, 1.0, 1.0]] {
        let found = woven(&mesh, &Cloth { bend: 1.0, warp, ..Cloth::default() });
        assert!(found.stiffness.iter().all(|k| k.is_finite() && *k >= 0.0), "{warp:?}");
        assert_eq!(found.ends.len(), found.stiffness.len());
    }
}
