//! Where a node stands: matrices, and the translation, rotation and scale that make them up.

use super::document::Node;
use crate::geometry::{cross, dot};

/// A transform as rows of a 3×4 matrix.
pub(super) type Transform = [[f64; 4]; 3];

/// A rotation as (x, y, z, w).
pub(super) type Quaternion = [f64; 4];

pub(super) const IDENTITY: Transform =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// From glTF's y-up world to our z-up one, a quarter turn about x.
pub(super) const UPRIGHT: Transform =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0]];

/// A node's own transform (section 3.5.3).
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// As a matrix, which cannot be animated.
    Matrix(Transform),
    /// As translation · rotation · scale.
    Parts(Parts),
}

/// A transform in the parts that animations move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) translation: [f64; 3],
    pub(super) rotation: Quaternion,
    pub(super) scale: [f64; 3],
}

impl Local {
    pub(super) fn of(node: &Node) -> Self {
        match &node.matrix {
            Some(columns) => Local::Matrix(from_columns(columns)),
            None => Local::Parts(Parts {
                translation: node.translation.unwrap_or_default(),
                rotation: node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
                scale: node.scale.unwrap_or([1.0; 3]),
            }),
        }
    }

    pub(super) fn matrix(&self) -> Transform {
        match self {
            Local::Matrix(matrix) => *matrix,
            Local::Parts(parts) => parts.matrix(),
        }
    }
}

impl Parts {
    fn matrix(&self) -> Transform {
        let [x, y, z, w] = self.rotation;
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let scale = self.scale;
        std::array::from_fn(|r| {
            let [a, b, c] = rotation[r];
            [a * scale[0], b * scale[1], c * scale[2], self.translation[r]]
        })
    }
}

/// A 4×4 matrix that lies column by column, without its last row, which is that of every transform.
pub(super) fn from_columns(m: &[f64; 16]) -> Transform {
    std::array::from_fn(|r| std::array::from_fn(|c| m[4 * c + r]))
}

pub(super) fn multiply(a: &Transform, b: &Transform) -> Transform {
    std::array::from_fn(|r| {
        std::array::from_fn(|c| {
            let sum: f64 = (0..3).map(|k| a[r][k] * b[k][c]).sum();
            if c == 3 { sum + a[r][3] } else { sum }
        })
    })
}

pub(super) fn apply(t: &Transform, p: &[f64; 3]) -> [f64; 3] {
    t.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
}

pub(super) fn determinant(t: &Transform) -> f64 {
    let [a, b, c] = t.map(|row| [row[0], row[1], row[2]]);
    dot(cross(a, b), c)
}

/// A quaternion of unit length; `None` where the numbers have no direction.
pub(super) fn unit(q: Quaternion) -> Option<Quaternion> {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 1e-150 && length.is_finite()).then(|| q.map(|x| x / length))
}

/// Spherical interpolation between two unit quaternions, the shorter way round (appendix C.4).
pub(super) fn slerp(a: Quaternion, b: Quaternion, share: f64) -> Quaternion {
    let cosine: f64 = (0..4).map(|k| a[k] * b[k]).sum();
    let (b, cosine) = if cosine < 0.0 { (b.map(|x| -x), -cosine) } else { (b, cosine) };
    // Where the angle vanishes its sine cannot divide, and the straight way is the same.
    let [from, to] = if cosine > 1.0 - 1e-9 {
        [1.0 - share, share]
    } else {
        let angle = cosine.acos();
        [((1.0 - share) * angle).sin(), (share * angle).sin()].map(|x| x / angle.sin())
    };
    let mixed = std::array::from_fn(|k| from * a[k] + to * b[k]);
    unit(mixed).unwrap_or(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_compose_from_the_outside_in() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let node = Node {
            translation: Some([1.0, 2.0, 3.0]),
            rotation: Some([0.0, 0.0, half, half]),
            scale: Some([2.0, 3.0, 4.0]),
            ..Node::default()
        };
        // Scaled to (2, 0, 0), turned to (0, 2, 0), moved to (1, 4, 3), stood up to (1, -3, 4).
        let p = apply(&multiply(&UPRIGHT, &Local::of(&node).matrix()), &[1.0, 0.0, 0.0]);
        let close = (0..3).all(|k| (p[k] - [1.0, -3.0, 4.0][k]).abs() < 1e-12);
        assert!(close, "{p:?}");
        assert_eq!(apply(&multiply(&IDENTITY, &UPRIGHT), &[1.0, 2.0, 3.0]), [1.0, -3.0, 2.0]);
        assert_eq!(determinant(&UPRIGHT), 1.0);
    }

    #[test]
    fn rotations_go_the_shorter_way_at_constant_speed() {
        let about_z = |angle: f64| [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()];
        let near = |a: Quaternion, b: Quaternion| (0..4).all(|k| (a[k] - b[k]).abs() < 1e-12);
        for share in [0.0, 0.25, 0.5, 1.0] {
            assert!(near(slerp(about_z(0.2), about_z(1.4), share), about_z(0.2 + 1.2 * share)));
            // The same rotation written with the other sign.
            let other = about_z(1.4).map(|x| -x);
            assert!(near(slerp(about_z(0.2), other, share), about_z(0.2 + 1.2 * share)));
        }
        assert_eq!(slerp(about_z(1.0), about_z(1.0), 0.5), about_z(1.0));
        assert_eq!(unit([0.0; 4]), None);
        assert_eq!(unit([0.0, 0.0, 0.0, 5.0]), Some([0.0, 0.0, 0.0, 1.0]));
    }
}
