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
    /// group, array or number. Boundaries belong to the region, also when rounding has moved the
    /// point off them a little, as turning a body does.
    pub fn contains(&self, point: [f64; 3]) -> Option<bool> {
        match self {
            Region::All => Some(true),
            Region::Box { min, max } => Some((0..3).all(|k| {
                let slack = slack(&[point[k], min[k], max[k]]);
                (min[k] - slack..=max[k] + slack).contains(&point[k])
            })),
            Region::Sphere { center, radius } => {
                let distance = length(from(*center, point));
                Some(distance <= radius + slack(center).max(slack(&point)))
            }
            Region::HalfSpace { point: on_plane, normal } => {
                let slack = slack(on_plane).max(slack(&point));
                let height = dot(from(*on_plane, point), *normal);
                Some(height >= -slack * length(*normal))
            }
            Region::Group(_) | Region::Flag(_) | Region::Points(_) => None,
        }
    }
}

/// How far rounding may move a point with such coordinates \[m\], generously.
fn slack(coordinates: &[f64]) -> f64 {
    1e-9 * coordinates.iter().fold(0.0, |most: f64, c| most.max(c.abs()))
}

fn from(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| b[k] - a[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}
