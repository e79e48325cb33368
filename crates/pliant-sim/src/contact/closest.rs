//! Where two primitives come nearest to each other: a point and a triangle, or two edges.
//!
//! Both are found in the same way, which holds for every shape there is: all places where the nearest
//! pair can lie (the inside, each edge, each end) are evaluated, and the nearest of them is taken. Where
//! a triangle has no area or edges are parallel, the inside has no answer, or a bad one, and loses.
//! Nothing is compared with a tolerance, so nothing depends on the size of things; and there are few
//! branches, which suits sixteen lanes and devices.
//!
//! Results are rows of a contact: four weights that sum to zero, one for each corner, with which the
//! corners' positions add up to the gap between the two.

use crate::math::{Real, Vec3};

/// What of a primitive is nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// The corner with this number.
    Corner(u8),
    /// The inside of the edge from corner `k` to the next one.
    Edge(u8),
    /// The inside of the triangle.
    Face,
}

/// The nearest points of two primitives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest<R> {
    /// For a point and a triangle (1, −α, −β, −γ), for two edges (1−s, s, t−1, −t).
    pub weights: [R; 4],
    /// From the nearest point of the second primitive to that of the first \[m\].
    pub gap: Vec3<R>,
    /// Which part of the first one is nearest.
    pub first: Feature,
    /// Which part of the second one is nearest.
    pub second: Feature,
}

impl<R: Real> Closest<R> {
    /// Square of the distance \[m²\].
    pub fn distance_squared(&self) -> R {
        self.gap.dot(self.gap)
    }

    /// Distance \[m\].
    pub fn distance(&self) -> R {
        self.gap.length()
    }

    /// This one, or `other` if that is strictly nearer.
    fn or_nearer(self, other: Self) -> Self {
        if other.distance_squared() < self.distance_squared() { other } else { self }
    }
}

/// The place on a segment that is nearest to a point: how far along, from 0 to 1.
fn along<R: Real>(point: Vec3<R>, start: Vec3<R>, end: Vec3<R>) -> R {
    let (edge, offset) = (end - start, point - start);
    let square = edge.dot(edge);
    // An edge without length is its first end.
    if square > R::of(0.0) {
        (offset.dot(edge) / square).max(R::of(0.0)).min(R::of(1.0))
    } else {
        R::of(0.0)
    }
}

/// The corner or the inside of the edge from corner `k` to `next`, by how far along it is.
fn part<R: Real>(t: R, k: u8, next: u8) -> Feature {
    if t <= R::of(0.0) {
        Feature::Corner(k)
    } else if t >= R::of(1.0) {
        Feature::Corner(next)
    } else {
        Feature::Edge(k)
    }
}

/// The nearest points of `point` and the triangle of these corners.
pub fn point_triangle<R: Real>(point: Vec3<R>, corners: [Vec3<R>; 3]) -> Closest<R> {
    let nearest = point_edge(point, corners, 0)
        .or_nearer(point_edge(point, corners, 1))
        .or_nearer(point_edge(point, corners, 2));
    match point_face(point, corners) {
        Some(face) => nearest.or_nearer(face),
        None => nearest,
    }
}

/// Against the edge from corner `k` to the next.
fn point_edge<R: Real>(point: Vec3<R>, corners: [Vec3<R>; 3], k: usize) -> Closest<R> {
    let next = (k + 1) % 3;
    let (a, b) = (corners[k], corners[next]);
    let t = along(point, a, b);
    let mut weights = [R::of(1.0), R::of(0.0), R::of(0.0), R::of(0.0)];
    weights[1 + k] = t - R::of(1.0);
    weights[1 + next] = -t;
    // From the nearer end, so that the gap keeps its digits however long the edge is.
    let gap = if t <= R::of(0.5) {
        (point - a) - (b - a) * t
    } else {
        (point - b) - (a - b) * (R::of(1.0) - t)
    };
    let second = part(t, k as u8, next as u8);
    Closest { weights, gap, first: Feature::Corner(0), second }
}

/// Against the inside of the triangle; nothing if the point is not above or below it.
pub fn point_face<R: Real>(point: Vec3<R>, corners: [Vec3<R>; 3]) -> Option<Closest<R>> {
    let [a, b, c] = corners.map(|corner| corner - point);
    let normal = (b - a).cross(c - a);
    // Twice the areas of the three parts into which the point's foot cuts the triangle, times |normal|.
    let areas = [b.cross(c).dot(normal), c.cross(a).dot(normal), a.cross(b).dot(normal)];
    let whole = areas[0] + areas[1] + areas[2];
    let zero = R::of(0.0);
    if !(areas[0] > zero && areas[1] > zero && areas[2] > zero && whole.is_finite()) {
        return None;
    }
    let [alpha, beta, gamma] = areas.map(|area| area / whole);
    let gap = -(a * alpha + b * beta + c * gamma);
    let weights = [R::of(1.0), -alpha, -beta, -gamma];
    Some(Closest { weights, gap, first: Feature::Corner(0), second: Feature::Face })
}

/// The nearest points of two edges.
pub fn edge_edge<R: Real>(first: [Vec3<R>; 2], second: [Vec3<R>; 2]) -> Closest<R> {
    let nearest = end_edge(first, second, 0)
        .or_nearer(end_edge(first, second, 1))
        .or_nearer(end_edge(second, first, 0).swapped())
        .or_nearer(end_edge(second, first, 1).swapped());
    match insides(first, second) {
        Some(inside) => nearest.or_nearer(inside),
        None => nearest,
    }
}

/// One end of the first edge against all of the second.
fn end_edge<R: Real>(first: [Vec3<R>; 2], second: [Vec3<R>; 2], end: u8) -> Closest<R> {
    let point = first[usize::from(end)];
    let [a, b] = second;
    let t = along(point, a, b);
    let mut weights = [R::of(0.0), R::of(0.0), t - R::of(1.0), -t];
    weights[usize::from(end)] = R::of(1.0);
    let gap = if t <= R::of(0.5) {
        (point - a) - (b - a) * t
    } else {
        (point - b) - (a - b) * (R::of(1.0) - t)
    };
    Closest { weights, gap, first: Feature::Corner(end), second: part(t, 0, 1) }
}

/// Where the insides of both edges are nearest; nothing if that is not within both, or if they are
/// parallel.
///
/// With n = d₁×d₂ the gap r + s d₁ − t d₂ is a multiple of n, which gives s = n·(d₂×r)/n² and
/// t = n·(d₁×r)/n². (The usual form with products of scalar products loses twice the digits where edges
/// are nearly parallel.)
pub fn insides<R: Real>(first: [Vec3<R>; 2], second: [Vec3<R>; 2]) -> Option<Closest<R>> {
    let (d1, d2) = (first[1] - first[0], second[1] - second[0]);
    let between = first[0] - second[0];
    let normal = d1.cross(d2);
    let square = normal.dot(normal);
    let s = normal.dot(d2.cross(between)) / square;
    let t = normal.dot(d1.cross(between)) / square;
    let (zero, one) = (R::of(0.0), R::of(1.0));
    // Parallel edges divide by zero; what is not a number is not within.
    if !(s > zero && s < one && t > zero && t < one) {
        return None;
    }
    // What s has lost by rounding, where edges are nearly parallel, t makes up for.
    let t = along(first[0] + d1 * s, second[0], second[1]);
    Some(Closest {
        weights: [one - s, s, t - one, -t],
        gap: between + d1 * s - d2 * t,
        first: Feature::Edge(0),
        second: part(t, 0, 1),
    })
}

impl<R: Real> Closest<R> {
    /// The same pair seen from the other side.
    fn swapped(self) -> Self {
        let [a, b, c, d] = self.weights;
        Self { weights: [-c, -d, -a, -b], gap: -self.gap, first: self.second, second: self.first }
    }
}
