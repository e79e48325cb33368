//! A plane between two primitives, and how far their corners may go before it.
//!
//! # Theory
//!
//! Two convex things that are apart have a plane between them. If all corners of both are on their own sides of it
//! when a substep begins and when it ends, and go straight in between, the two never meet: no times of impact have to
//! be found, and motion along the plane or away from it is free (*planar divide and truncate*, from the authors of
//! Chen et al. 2025, *Offset Geometric Contact*).
//!
//! The plane's direction is that of the nearest points. What counts is not how well these are known, though, but the
//! [`gap_along`] that direction: the lowest corner of one against the highest of the other, which is as good as
//! rounding lets three products be. A direction that does not separate is no plane.
//!
//! Two things are asked of a pair:
//!
//! * whether the direction [still separates](holds) it at the end of the substep. Then the plane may move along with
//!   both, and what flies as a whole is not held back, however fast it is;
//! * if it does not, which [`shares`] of their ways the corners may go before a plane that stands. Those hold whatever
//!   becomes of other vertices, as long as nobody goes farther.
//!
//! Positions are stored in single precision: all of this leaves room for what rounding may do to a corner, so that
//! gaps never vanish in it.

use super::formula::{Kind, across, is_inside, nearest};
use crate::contact::closest::{Closest, Feature};
use crate::math::{Real, Vec3};

/// The part of its distance from the plane that a corner may go.
const GOES: f64 = 0.9;
/// The part of the gap that must be left where both move on with the plane; less than what `GOES` leaves.
const LEAVES: f64 = 0.05;
/// The part of the gap that the side gets at least that does not come nearer: the plane keeps off it.
const OWN: f64 = 0.05;

/// How two primitives are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation<R> {
    /// Unit vector from the second primitive to the first.
    pub normal: Vec3<R>,
    /// What lies between them in this direction; positive where a plane does \[m\].
    pub gap: R,
    /// With which the corners add up to what lies between the nearest points.
    pub weights: [R; 4],
}

/// One of the two primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first one.
    First,
    /// The second one.
    Second,
}

/// Whether corner `k` of a pair belongs to its first primitive.
pub fn is_first(kind: Kind, k: usize) -> bool {
    match kind {
        Kind::VertexTriangle => k == 0,
        Kind::EdgeEdge => k < 2,
    }
}

/// What lies between two primitives along `normal` \[m\].
pub fn gap_along<R: Real>(kind: Kind, normal: Vec3<R>, x: [Vec3<R>; 4]) -> R {
    let [a, b, c, d] = x.map(|x| normal.dot(x));
    match kind {
        Kind::VertexTriangle => a - b.max(c).max(d),
        Kind::EdgeEdge => a.min(b) - c.max(d),
    }
}

/// The plane between two primitives. Coordinates should be those of a place nearby, so that they keep their digits.
pub fn separation<R: Real>(kind: Kind, x: [Vec3<R>; 4]) -> Separation<R> {
    let nearest = nearest(kind, x);
    let along = |direction: Vec3<R>| {
        let normal = direction * (R::of(1.0) / direction.length());
        Separation { normal, gap: gap_along(kind, normal, x), weights: nearest.weights }
    };
    let by_gap = along(upright(kind, x, &nearest));
    if !is_inside(kind, &nearest) {
        return by_gap;
    }
    // The direction of a small gap is rounding; that of what it stands on is not, unless it has none.
    let across = across(kind, x);
    let is_behind = across.dot(nearest.gap) < R::of(0.0);
    let by_across = along(if is_behind { -across } else { across });
    if by_gap.gap > by_across.gap || !by_across.gap.is_finite() { by_gap } else { by_across }
}

/// The gap, exactly at right angles to the edge that it begins or ends at.
fn upright<R: Real>(kind: Kind, x: [Vec3<R>; 4], nearest: &Closest<R>) -> Vec3<R> {
    let edge = match (kind, nearest.first, nearest.second) {
        (Kind::VertexTriangle, _, Feature::Edge(k)) => {
            let k = usize::from(k);
            x[1 + (k + 1) % 3] - x[1 + k]
        }
        (Kind::EdgeEdge, Feature::Edge(_), Feature::Corner(_)) => x[1] - x[0],
        (Kind::EdgeEdge, Feature::Corner(_), Feature::Edge(_)) => x[3] - x[2],
        _ => return nearest.gap,
    };
    let square = edge.dot(edge);
    let gap = nearest.gap;
    if square > R::of(0.0) { gap - edge * (gap.dot(edge) / square) } else { gap }
}

/// Whether a pair whose gap along a direction was `before` may be left alone when it is `after` in the end.
/// `rounding` is what that may do to a position \[m\].
pub fn holds<R: Real>(before: R, after: R, rounding: R) -> bool {
    // What is as near as rounding can tell must not come nearer.
    let least = rounding.min(before);
    before > R::of(0.0) && after >= least && after >= R::of(LEAVES) * before
}

/// Which part of its `way` \[m\] each corner may go to stay on its side of a plane that stands: 1 for those that may
/// go all of it. `rounding` is what that may do to the position of each \[m\]. Where the motion of one side is `given`,
/// of the first primitive or of the second, the plane leaves it as much room as there is.
pub fn shares<R: Real>(
    kind: Kind,
    separation: &Separation<R>,
    x: [Vec3<R>; 4],
    way: [Vec3<R>; 4],
    rounding: [R; 4],
    given: Option<Side>,
) -> [R; 4] {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let Separation { normal, gap, .. } = *separation;
    let height = x.map(|x| normal.dot(x));
    let approach: [R; 4] = std::array::from_fn(|k| {
        let rise = normal.dot(way[k]);
        if is_first(kind, k) { -rise } else { rise }
    });
    // Whoever comes farther gets more of the gap.
    let most = |of_first: bool| {
        let own = (0..4).filter(|&k| is_first(kind, k) == of_first);
        own.fold(zero, |most, k| most.max(approach[k]))
    };
    let (first, second) = (most(true), most(false));
    let both = first + second;
    let part = if both > zero { second / both } else { R::of(0.5) };
    let part = part.max(R::of(OWN)).min(R::of(1.0 - OWN));
    let floor = match kind {
        Kind::VertexTriangle => height[1].max(height[2]).max(height[3]),
        Kind::EdgeEdge => height[2].max(height[3]),
    };
    let mut plane = floor + part * gap;
    if let Some(side) = given {
        let own = |k: &usize| is_first(kind, *k) == (side == Side::First) && approach[*k] > zero;
        for k in (0..4).filter(own) {
            let room = approach[k] * R::of(1.0 / GOES) + R::of(2.0) * rounding[k];
            plane = match side {
                Side::First => plane.min(height[k] - room),
                Side::Second => plane.max(height[k] + room),
            };
        }
        plane = plane.max(floor + R::of(OWN) * gap).min(floor + R::of(1.0 - OWN) * gap);
    }
    std::array::from_fn(|k| {
        let above = height[k] - plane;
        let distance = if is_first(kind, k) { above } else { -above };
        let allowed = R::of(GOES) * (distance - R::of(2.0) * rounding[k]);
        if gap > zero && approach[k] <= allowed {
            one
        } else if gap > zero && approach[k] > zero && allowed > zero {
            allowed / approach[k]
        } else {
            zero
        }
    })
}

/// Whether one side may come `approach` nearer before a plane that stands, if the other stays and gets as little of the
/// gap as it may \[m\].
pub fn leaves_room<R: Real>(approach: R, gap: R, rounding: R) -> bool {
    approach * R::of(1.0 / GOES) + R::of(2.0) * rounding <= R::of(1.0 - OWN) * gap
}

/// From how far apart on a pair is sure to be [free](shares) whatever its corners do, if those of its two primitives
/// go so far at most \[m\].
pub fn free_distance<R: Real>(ways: [R; 2], rounding: R) -> R {
    (ways[0] + ways[1]) * R::of(1.25) + rounding * R::of(4.0 / OWN)
}
