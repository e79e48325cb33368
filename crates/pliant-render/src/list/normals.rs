//! Normals of smooth surfaces with sharp creases.

use super::drawable;
use super::surface::Face;
use crate::math::{Vec3, Vec3f, vec3};

/// Two faces at a vertex that turn further from each other than this (a cosine, 40°) meet in a
/// crease: the edges of boxes stay sharp.
pub(crate) const CREASE: f32 = 0.766;
/// A vertex where every face is this close (a cosine, 20°) to the common normal has no crease: any
/// two of its faces are then within 40°.
const EVEN: f32 = 0.940;

/// Stands where there is no direction.
const UP: Vec3f = vec3(0.0, 0.0, 1.0);

/// Twice the area of a triangle, as a vector out of it.
pub(super) fn of_area(positions: &[[f32; 3]], corners: [u32; 3]) -> Vec3f {
    let [a, b, c] = corners.map(|v| Vec3::from(positions[v as usize]));
    (b - a).cross(c - a)
}

/// Normals at the corners of faces: sums over the faces that meet there, weighted by area.
pub(super) struct Normals {
    /// Of all outer faces round a vertex.
    pub common: Vec<Vec3f>,
    /// Of each face, times twice its area.
    areas: Vec<Vec3f>,
    /// Vertices at creases with the faces round them, in order.
    creased: Vec<(u32, u32)>,
}

impl Normals {
    pub fn new(positions: &[[f32; 3]], faces: &[Face]) -> Self {
        // Faces that a cut uncovers are no part of the smooth surface.
        let area = |f: &Face| match f.inside.is_none() && drawable(positions, &f.corners) {
            true => of_area(positions, f.corners),
            false => vec3(0.0, 0.0, 0.0),
        };
        let areas: Vec<Vec3f> = faces.iter().map(area).collect();
        let mut common = vec![vec3(0.0, 0.0, 0.0); positions.len()];
        for (face, &area) in faces.iter().zip(&areas) {
            for v in face.corners {
                common[v as usize] = common[v as usize] + area;
            }
        }
        for normal in &mut common {
            *normal = normal.unit_or(UP);
        }
        let mut at_crease = vec![false; positions.len()];
        for (face, &area) in faces.iter().zip(&areas) {
            for v in face.corners {
                at_crease[v as usize] |= area.dot(common[v as usize]) < EVEN * area.length();
            }
        }
        let mut creased = Vec::new();
        for (number, face) in (0..).zip(faces) {
            let here = face.corners.iter().filter(|&&v| at_crease[v as usize]);
            creased.extend(here.map(|&v| (v, number)));
        }
        creased.sort_unstable();
        Self { common, areas, creased }
    }

    /// The normal of face number `face` at its corner `v`, where it is not the common one.
    pub fn at_crease(&self, face: usize, v: u32) -> Option<Vec3f> {
        let first = self.creased.partition_point(|&(u, _)| u < v);
        let round = self.creased[first..].iter().take_while(|&&(u, _)| u == v);
        let own = self.areas[face].unit_or(UP);
        let (mut sum, mut all) = (vec3(0.0, 0.0, 0.0), true);
        for &(_, other) in round {
            let area = self.areas[other as usize];
            if area.dot(own) >= CREASE * area.length() {
                sum = sum + area;
            } else {
                all = false;
            }
        }
        (!all).then(|| sum.unit_or(own))
    }
}
