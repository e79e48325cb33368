//! Parts of a body.

use serde::{Deserialize, Serialize};

/// A set of vertices of one body. Coordinates are those of the world after the body (its first
/// copy) was placed; copies carry their regions along.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Region {
    /// Every vertex.
    All,
    /// Vertices in an axis-aligned box, its faces included.
    Box {
        /// Lowest corner \[m\].
        min: [f64; 3],
        /// Highest corner \[m\].
        max: [f64; 3],
    },
    /// Vertices in a ball, its surface included.
    Sphere {
        /// Middle \[m\].
        center: [f64; 3],
        /// Radius \[m\].
        radius: f64,
    },
    /// Vertices on the side of a plane to which its normal points, the plane included.
    HalfSpace {
        /// A point of the plane \[m\].
        point: [f64; 3],
        /// Direction, of any length.
        normal: [f64; 3],
    },
    /// Vertices of a named group of the mesh.
    Group(String),
    /// Vertices where a point array of the mesh is not zero.
    Flag(String),
    /// Vertices by number, counted from 0 in the order of the mesh file.
    Points(Vec<u32>),
}

impl Region {
    /// Whether a geometric region contains `point` \[m\]; `None` for regions that are given by
    /// group, array or number.
    pub fn contains(&self, point: [f64; 3]) -> Option<bool> {
        let distance =
            |from: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| point[k] - from[k]) };
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        match self {
            Region::All => Some(true),
            Region::Box { min, max } => Some((0..3).all(|k| (min[k]..=max[k]).contains(&point[k]))),
            Region::Sphere { center, radius } => {
                let d = distance(center);
                Some(dot(d, d) <= radius * radius)
            }
            Region::HalfSpace { point, normal } => Some(dot(distance(point), *normal) >= 0.0),
            Region::Group(_) | Region::Flag(_) | Region::Points(_) => None,
        }
    }
}
