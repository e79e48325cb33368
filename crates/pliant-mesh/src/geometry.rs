//! Measures of meshes: volumes, areas, bounding boxes.

use crate::Mesh;

/// Volume of the tetrahedron `p`, negative when it is inverted.
pub fn signed_volume(p: [[f64; 3]; 4]) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|i| sub(p[i], p[0]));
    dot(cross(a, b), c) / 6.0
}

pub(crate) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Mesh {
    /// Corner points of tetrahedron `i`.
    pub fn tet_points(&self, i: usize) -> [[f64; 3]; 4] {
        self.tets[i].map(|v| self.points[v as usize])
    }

    /// Sum of the signed volumes of the tetrahedra, or the volume enclosed by the triangles of a
    /// surface mesh (divergence theorem; meaningful when it is closed).
    pub fn volume(&self) -> f64 {
        if !self.tets.is_empty() {
            return (0..self.tets.len()).map(|i| signed_volume(self.tet_points(i))).sum();
        }
        let origin = self.points.first().copied().unwrap_or_default();
        self.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| self.points[v as usize]);
                signed_volume([origin, a, b, c])
            })
            .sum()
    }

    /// Smallest and largest coordinates, `None` without points.
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let first = *self.points.first()?;
        Some(self.points.iter().fold([first, first], |[lo, hi], p| {
            [std::array::from_fn(|k| lo[k].min(p[k])), std::array::from_fn(|k| hi[k].max(p[k]))]
        }))
    }
}
