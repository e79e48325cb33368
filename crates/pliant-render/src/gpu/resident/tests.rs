//! Faces and edges of known shapes.

use super::topology::{check, edges, faces};
use super::*;

const OUTER: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX;

#[test]
fn two_tetrahedra_share_a_face_and_have_six_outer_ones() {
    let tets = [[0, 1, 2, 3], [1, 2, 3, 4]];
    let surface = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4], [40, 41, 42]];
    let (faces, owners) = faces(&tets, &surface, |t| t[0] < 32);
    assert_eq!(owners, [0, 0, 0, 1, 1, 1, NONE]);
    let shared: Vec<_> = faces.iter().filter(|f| f[4] < OUTER).collect();
    assert_eq!(shared.len(), 1);
    let mut corners = shared[0][..3].to_vec();
    corners.sort_unstable();
    assert_eq!((corners, &shared[0][3..]), (vec![1, 2, 3], &[0, 1][..]));
    assert_eq!(faces.iter().filter(|f| f[3] != NONE && f[4] == OUTER).count(), 6);
    assert_eq!(faces.last(), Some(&[40, 41, 42, NONE, OUTER]), "a cloth's triangle");
    assert_eq!(faces.len(), 8);
}

#[test]
fn a_face_that_no_triangle_covers_is_inside() {
    let (faces, _) = faces(&[[0, 1, 2, 3]], &[[0, 1, 2]], |_| true);
    assert_eq!(faces.iter().filter(|f| f[4] == NONE).count(), 3);
}

#[test]
fn edges_are_there_once() {
    assert_eq!(edges(&[[0, 1, 2], [2, 1, 3]]), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
}

#[test]
fn slots_that_there_are_not_are_refused() {
    let good = ResidentShape { slice_bodies: &[0], triangles: &[[0, 1, 31]], ..Default::default() };
    check(&good).unwrap();
    let refused = |shape: &ResidentShape| match check(shape) {
        Err(GpuRenderError::Resident { array, .. }) => array,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&ResidentShape { triangles: &[[0, 1, 32]], ..good }), "triangles");
    assert_eq!(refused(&ResidentShape { tets: &[[0, 1, 2, 99]], ..good }), "tetrahedra");
    assert_eq!(refused(&ResidentShape { vertices: &[32], ..good }), "vertices");
    assert_eq!(refused(&ResidentShape { locked: &[32], ..good }), "locked vertices");
    assert_eq!(refused(&ResidentShape { slice_bodies: &[1], ..good }), "slices");
}
