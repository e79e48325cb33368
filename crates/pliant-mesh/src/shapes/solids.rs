//! Curved solids by their distance functions.

use super::{ShapeError, from_distance, positive};
use crate::Mesh;
use crate::geometry::{dot, sub};

fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

/// Distance to the segment from `a` to `b`.
fn to_segment(p: [f64; 3], a: [f64; 3], b: [f64; 3]) -> f64 {
    let (along, from) = (sub(b, a), sub(p, a));
    let t = (dot(from, along) / dot(along, along)).clamp(0.0, 1.0);
    length(std::array::from_fn(|k| from[k] - t * along[k]))
}

/// A ball of `radius` \[m\] round the origin, in cells of about `cell` \[m\].
pub fn ball(radius: f64, cell: f64) -> Result<Mesh, ShapeError> {
    let r = positive("the radius", radius)?;
    from_distance(|p| length(p) - r, [[-r; 3], [r; 3]], cell)
}

/// A torus round the z-axis: `major` from its centre to the middle of the tube, `minor` the radius of
/// the tube \[m\].
pub fn torus(major: f64, minor: f64, cell: f64) -> Result<Mesh, ShapeError> {
    positive("the major radius", major)?;
    positive("the minor radius", minor)?;
    if minor >= major {
        let problem = "the minor radius of a torus must be smaller than the major one";
        return Err(ShapeError::Impossible { problem });
    }
    let reach = major + minor;
    from_distance(
        |[x, y, z]| (x.hypot(y) - major).hypot(z) - minor,
        [[-reach, -reach, -minor], [reach, reach, minor]],
        cell,
    )
}

/// A capsule along x round the origin: a cylinder of `length` \[m\] between two half balls of
/// `radius` \[m\].
pub fn capsule(radius: f64, length: f64, cell: f64) -> Result<Mesh, ShapeError> {
    let (r, half) = (positive("the radius", radius)?, 0.5 * positive("the length", length)?);
    from_distance(
        |p| to_segment(p, [-half, 0.0, 0.0], [half, 0.0, 0.0]) - r,
        [[-half - r, -r, -r], [half + r, r, r]],
        cell,
    )
}

/// A soft five-pointed star in the xy-plane, round the origin: `radius` to its tips and `thickness`
/// along z \[m\].
pub fn star(radius: f64, thickness: f64, cell: f64) -> Result<Mesh, ShapeError> {
    let half = 0.5 * positive("the thickness", thickness)?;
    positive("the radius", radius)?;
    let edge = 0.3 * half.min(0.3 * radius);
    from_distance(
        |[x, y, z]| {
            let outline = radius * (0.72 + 0.28 * (5.0 * y.atan2(x)).cos());
            // Rounded edges: the corner between rim and lid is measured from a smaller star.
            let (rim, lid) = (x.hypot(y) - outline + edge, z.abs() - half + edge);
            rim.max(lid).min(0.0) + rim.max(0.0).hypot(lid.max(0.0)) - edge
        },
        [[-radius, -radius, -half], [radius, radius, half]],
        cell,
    )
}

/// A bunny-like body of `height` \[m\] with ears, feet and a tail, standing on the xz-plane and
/// looking along x: a lumpy shape with thin parts for demos and tests. Cells up to a
/// twenty-fifth of the height resolve the ears.
pub fn bunny(height: f64, cell: f64) -> Result<Mesh, ShapeError> {
    let h = positive("the height", height)?;
    let low = [-0.42 * h, 0.0, -0.3 * h];
    let high = [0.46 * h, h, 0.3 * h];
    from_distance(|p| h * unit_bunny(p.map(|x| x / h)), [low, high], cell)
}

/// Distance to the bunny of height 1, which sits on its haunches. Every part is blended with every
/// other one, also with its own mirror image, since sharp creases pinch the lattice.
fn unit_bunny(p: [f64; 3]) -> f64 {
    let ball = |centre: [f64; 3], radius: f64| length(sub(p, centre)) - radius;
    let limb = |a: [f64; 3], b: [f64; 3], radius: f64| to_segment(p, a, b) - radius;
    let middle = [
        ball([-0.1, 0.25, 0.0], 0.21),
        ball([0.04, 0.34, 0.0], 0.19),
        ball([0.2, 0.56, 0.0], 0.15),
        ball([0.31, 0.53, 0.0], 0.09),
        ball([-0.33, 0.2, 0.0], 0.085),
    ];
    let side = |s: f64| {
        let thigh = ball([-0.1, 0.19, 0.13 * s], 0.15);
        let foot = limb([-0.08, 0.065, 0.18 * s], [0.12, 0.065, 0.19 * s], 0.06);
        let paw = limb([0.14, 0.26, 0.09 * s], [0.22, 0.065, 0.1 * s], 0.06);
        let ear = limb([0.15, 0.68, 0.065 * s], [0.04, 0.932, 0.12 * s], 0.064);
        [thigh, foot, paw, ear]
    };
    let sides = [side(-1.0), side(1.0)];
    let parts = middle.iter().chain(sides.as_flattened());
    parts.fold(f64::INFINITY, |whole, part| smooth_union(whole, *part, 0.1))
}

/// The smaller distance, with a fillet of about `radius` where both are close (a quadratic blend).
fn smooth_union(a: f64, b: f64, radius: f64) -> f64 {
    let h = (radius - (a - b).abs()).max(0.0) / radius;
    a.min(b) - 0.25 * h * h * radius
}
