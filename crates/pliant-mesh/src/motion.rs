//! Meshes that move: where their points are at any time.
//!
//! A glTF file with [animations](crate::formats::gltf::AnimatedMesh) and a [series of
//! meshes](crate::series::MeshSeries) are the two there are.

use crate::Mesh;

/// A mesh whose points move while its triangles and tetrahedra stay: positions as a pure function of
/// time, the same for the same time however often and in whatever order it is asked.
pub trait Motion {
    /// The mesh with the points that it has in its file, whatever the time.
    fn mesh(&self) -> &Mesh;

    /// From when to when something changes \[s\].
    fn span(&self) -> [f64; 2];

    /// Writes all points at `time` \[s\] over `points`, in the order of [`Motion::mesh`]. Before and
    /// behind the span nothing moves.
    fn write_points_at(&self, time: f64, points: &mut Vec<[f64; 3]>);

    /// All points at `time` \[s\].
    fn points_at(&self, time: f64) -> Vec<[f64; 3]> {
        let mut points = Vec::new();
        self.write_points_at(time, &mut points);
        points
    }

    /// The mesh as it is at `time` \[s\].
    fn mesh_at(&self, time: f64) -> Mesh {
        Mesh { points: self.points_at(time), ..self.mesh().clone() }
    }
}

/// What comes when a motion is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The last pose stays.
    #[default]
    Hold,
    /// It begins again.
    Repeat,
}

impl Ending {
    /// The time within `span` \[s\] that shows what there is at `time` \[s\]. What is no number becomes
    /// the start.
    pub fn within(self, span: [f64; 2], time: f64) -> f64 {
        let [start, end] = span;
        let length = end - start;
        match self {
            Ending::Repeat if length > 0.0 && time.is_finite() => {
                start + (time - start).rem_euclid(length)
            }
            _ => time.max(start).min(end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_stay_at_their_ends_or_begin_again() {
        let span = [1.0, 3.0];
        for (time, held, repeated) in
            [(0.5, 1.0, 2.5), (1.0, 1.0, 1.0), (2.5, 2.5, 2.5), (3.0, 3.0, 1.0), (7.5, 3.0, 1.5)]
        {
            assert_eq!(Ending::Hold.within(span, time), held, "{time}");
            assert_eq!(Ending::Repeat.within(span, time), repeated, "{time}");
        }
        for ending in [Ending::Hold, Ending::Repeat] {
            assert_eq!(ending.within(span, f64::NAN), 1.0);
            assert_eq!(ending.within(span, f64::INFINITY), 3.0);
            assert_eq!(ending.within([2.0, 2.0], 9.0), 2.0);
        }
    }
}
