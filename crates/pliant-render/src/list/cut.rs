//! The faces that a cutting plane leaves and uncovers.

use super::drawable;
use super::surface::Face;
use crate::geometry::Body;
use crate::math::{Vec3, vec3};
use crate::view::Cut;

/// Corners of the faces of a tetrahedron, outward when its volume is positive.
pub(crate) const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The surface of what is left of `body`.
pub(super) fn faces(body: &Body, cut: &Cut, origin: [f64; 3]) -> Vec<Face> {
    let normal = Vec3::from(cut.normal).to_f32();
    let point = (Vec3::from(cut.point) - Vec3::from(origin)).to_f32();
    let kept = |corners: &[u32]| {
        let sum = corners
            .iter()
            .fold(vec3(0.0, 0.0, 0.0), |s, &v| s + Vec3::from(body.positions[v as usize]));
        (sum * (1.0 / corners.len() as f32) - point).dot(normal) <= 0.0
    };
    if body.tets.is_empty() {
        let triangles = body.triangles.iter().filter(|t| kept(&t[..]));
        return triangles.map(|&corners| Face { corners, inside: None }).collect();
    }
    let mut outer: Vec<u128> = body.triangles.iter().map(|t| key(*t)).collect();
    outer.sort_unstable();
    let is_outer = |face: [u32; 3]| outer.binary_search(&key(face)).is_ok();
    // A tetrahedron that is not finite cannot cover its neighbours' faces.
    let kept = |tet: &[u32; 4]| drawable(body.positions, tet) && kept(&tet[..]);
    uncovered(body.tets, kept)
        .map(|(tet, corners)| Face { corners, inside: (!is_outer(corners)).then_some(tet) })
        .collect()
}

/// Faces that exactly one of the kept tetrahedra has, with its number.
fn uncovered(
    tets: &[[u32; 4]],
    kept: impl Fn(&[u32; 4]) -> bool,
) -> impl Iterator<Item = (u32, [u32; 3])> {
    let face = |tet: u32, k: usize| TET_FACES[k].map(|c| tets[tet as usize][c]);
    let mut keys: Vec<(u128, u32, u8)> = Vec::new();
    for (number, _) in (0..).zip(tets).filter(|(_, tet)| kept(tet)) {
        keys.extend((0..4u8).map(|k| (key(face(number, k.into())), number, k)));
    }
    keys.sort_unstable();
    let mut single: Vec<(u32, u8)> = keys
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|uses| uses.len() == 1)
        .map(|uses| (uses[0].1, uses[0].2))
        .collect();
    single.sort_unstable();
    single.into_iter().map(move |(tet, k)| (tet, face(tet, k.into())))
}

/// The same number for the same three corners in any order.
pub(crate) fn key(mut face: [u32; 3]) -> u128 {
    face.sort_unstable();
    face.iter().fold(0, |key, &v| key << 32 | u128::from(v))
}
