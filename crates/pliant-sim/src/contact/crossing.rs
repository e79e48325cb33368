//! Whether two triangles cross, without rounding.
//!
//! Triangles are closed sets: two *cross* when they have a point in common, be it that one pierces the
//! other, that an edge or a corner just touches it, or that both lie in one plane and overlap. That is
//! the same as a distance of exactly zero, and what contact without penetration cannot start from.
//! Triangles may be degenerate, then they are the segment or the point that is left of them. Whether
//! triangles that share a corner are asked about is the caller's choice: they always cross.
//!
//! All decisions are signs of determinants, which are computed exactly (Shewchuk, "Adaptive precision
//! floating-point arithmetic and fast robust geometric predicates"; the crate `robust`) for coordinates
//! whose products neither overflow nor vanish: between about 10⁻⁷⁵ and 10⁷⁵ in size.

use robust::{Coord, Coord3D, orient2d, orient3d};

/// A point \[m\].
type Point = [f64; 3];

/// Whether two triangles have a point in common.
pub fn triangles_cross(first: [Point; 3], second: [Point; 3]) -> bool {
    boxes_meet(&first, &second)
        && ((0..3).any(|k| segment_crosses(first[k], first[(k + 1) % 3], second))
            || (0..3).any(|k| segment_crosses(second[k], second[(k + 1) % 3], first)))
}

/// Whether a segment and a triangle have a point in common.
pub fn segment_crosses(p: Point, q: Point, triangle: [Point; 3]) -> bool {
    if !boxes_meet(&[p, q], &triangle) {
        return false;
    }
    let [a, b, c] = triangle;
    let sides = [side(a, b, c, p), side(a, b, c, q)];
    match sides {
        [x, y] if x * y > 0 => false,
        [0, 0] if has_area(triangle) => [0, 1, 2].into_iter().all(|axis| {
            flat_crosses([p, q].map(|v| seen_along(v, axis)), triangle.map(|v| seen_along(v, axis)))
        }),
        [0, 0] => (0..3).any(|k| segments_cross([p, q], [triangle[k], triangle[(k + 1) % 3]])),
        // The line through p and q passes the plane at one point, between them.
        _ => {
            let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
            turns.iter().all(|&turn| turn >= 0) || turns.iter().all(|&turn| turn <= 0)
        }
    }
}

/// Whether two segments have a point in common.
///
/// Points of one plane have a point in common if and only if they have one from each of the three axes:
/// along at least one axis the plane is not seen edge on.
fn segments_cross(first: [Point; 2], second: [Point; 2]) -> bool {
    side(first[0], first[1], second[0], second[1]) == 0
        && (0..3).all(|axis| {
            flat_segments_cross(
                first.map(|v| seen_along(v, axis)),
                second.map(|v| seen_along(v, axis)),
            )
        })
}

/// Whether boxes round these points meet: most pairs are told apart by that.
fn boxes_meet(first: &[Point], second: &[Point]) -> bool {
    (0..3).all(|axis| {
        let range = |points: &[Point]| {
            points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                [low.min(p[axis]), high.max(p[axis])]
            })
        };
        let ([low, high], [other_low, other_high]) = (range(first), range(second));
        low <= other_high && other_low <= high
    })
}

/// On which side of the plane through a, b and c the point d lies: −1, 0 or 1.
fn side(a: Point, b: Point, c: Point, d: Point) -> i8 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    sign(orient3d(a, b, c, d))
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// Whether the corners do not lie on a line.
fn has_area(triangle: [Point; 3]) -> bool {
    (0..3).any(|axis| turn(triangle.map(|v| seen_along(v, axis))) != 0)
}

/// A point as one sees it in the direction of an axis.
fn seen_along(p: Point, axis: usize) -> [f64; 2] {
    [p[(axis + 1) % 3], p[(axis + 2) % 3]]
}

/// Whether three points of a plane turn left (1), right (−1) or lie on a line (0).
fn turn(points: [[f64; 2]; 3]) -> i8 {
    let [a, b, c] = points.map(|[x, y]| Coord { x, y });
    sign(orient2d(a, b, c))
}

/// Whether a segment and a triangle of one plane have a point in common.
fn flat_crosses(segment: [[f64; 2]; 2], triangle: [[f64; 2]; 3]) -> bool {
    (0..3).any(|k| flat_segments_cross(segment, [triangle[k], triangle[(k + 1) % 3]]))
        || flat_contains(triangle, segment[0])
}

/// Whether a point is inside a triangle of the same plane; its edges are somebody else's business.
fn flat_contains(triangle: [[f64; 2]; 3], point: [f64; 2]) -> bool {
    let turns = [0, 1, 2].map(|k| turn([triangle[k], triangle[(k + 1) % 3], point]));
    turns == [1; 3] || turns == [-1; 3]
}

/// Whether two segments of one plane have a point in common.
fn flat_segments_cross([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let of_first = [turn([a, b, c]), turn([a, b, d])];
    let of_second = [turn([c, d, a]), turn([c, d, b])];
    if of_first == [0, 0] && of_second == [0, 0] {
        // All on a line: they meet if they do so on both axes.
        return (0..2).all(|axis| {
            let (low, high) = (a[axis].min(b[axis]), a[axis].max(b[axis]));
            c[axis].max(d[axis]) >= low && c[axis].min(d[axis]) <= high
        });
    }
    of_first[0] * of_first[1] <= 0 && of_second[0] * of_second[1] <= 0
}
