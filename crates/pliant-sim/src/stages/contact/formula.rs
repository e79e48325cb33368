//! The law of one contact.

use serde::Serialize;

use crate::contact::closest::{self, Closest, Feature};
use crate::math::{Real, Vec3};

/// What touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A vertex and a triangle.
    VertexTriangle,
    /// Two edges.
    EdgeEdge,
}

/// Two primitives that touch, or may do so within a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<R> {
    /// With which the corners add up to the gap.
    pub weights: [R; 4],
    /// Unit vector from the second primitive to the first.
    pub normal: Vec3<R>,
    /// How near they may come \[m\].
    pub thickness: R,
    /// How much nearer they are than that; negative where they only come near \[m\].
    pub depth: R,
    /// Whether they may roll over each other.
    pub roundness: Roundness<R>,
    /// The normal speed at which they come apart at least, where a collider gives back what comes in, else [`NOTHING`]
    /// \[m/s\]. Devices have no such rows.
    pub bounce: R,
}

/// What a surface at the distance of its thickness is like at a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Roundness<R> {
    /// Whoever moves along it stays as near.
    Flat,
    /// Round an edge of this direction, a unit vector: whoever moves across it gets away from it.
    Edge(Vec3<R>),
    /// Round a corner.
    Corner,
}

/// What is the same for all rows of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Law<R> {
    /// Coulomb friction coefficient.
    pub friction: R,
    /// Length of the substep \[s\].
    pub h: R,
}

/// The part of what two surfaces are too near each other, or have crept, that a substep makes up for at most, and
/// the time in which it is made up for \[s\]: what overlaps at the start must not be shot apart, however short
/// substeps are.
const RECOVERY: f64 = 0.2;
const RECOVERY_TIME: f64 = 0.01;
/// Where surfaces are too near, they come apart at most as fast as what falls by half of their thickness where this
/// is gravity \[m/s²\]. Nothing brakes them afterwards: what is laid flush on something else would jump otherwise.
const RECOVERY_PULL: f64 = 2.0;
/// What is deeper than so many thicknesses comes out no faster: gently, at whatever depth.
const MOST_DEPTH: f64 = 2.0;
/// A speed that is less than any \[m/s\].
pub const NOTHING: f64 = f32::MIN as f64;
/// How many thicknesses ahead a row looks: what comes nearer in one substep than that is stopped in time.
pub const AHEAD: f64 = 2.0;

/// Where the vertex `x[0]` and the triangle of the others come nearest.
pub fn nearest<R: Real>(kind: Kind, x: [Vec3<R>; 4]) -> Closest<R> {
    match kind {
        Kind::VertexTriangle => closest::point_triangle(x[0], [x[1], x[2], x[3]]),
        Kind::EdgeEdge => closest::edge_edge([x[0], x[1]], [x[2], x[3]]),
    }
}

/// Whether plane and point, or the two lines, are farther apart than `reach`, so that the primitives are, too:
/// most candidates are told by this, without a division.
pub fn is_beyond<R: Real>(kind: Kind, x: [Vec3<R>; 4], reach: R) -> bool {
    let across = across(kind, x);
    let between = match kind {
        Kind::VertexTriangle => x[0] - x[1],
        Kind::EdgeEdge => x[0] - x[2],
    };
    let gap = between.dot(across);
    gap * gap > reach * reach * across.dot(across)
}

/// Whether the insides of both are nearest, so that the gap is at right angles to both.
pub fn is_inside<R: Real>(kind: Kind, nearest: &Closest<R>) -> bool {
    match kind {
        Kind::VertexTriangle => nearest.second == Feature::Face,
        Kind::EdgeEdge => nearest.first == Feature::Edge(0) && nearest.second == Feature::Edge(0),
    }
}

/// At right angles to the triangle, or to both edges; of any length.
pub fn across<R: Real>(kind: Kind, x: [Vec3<R>; 4]) -> Vec3<R> {
    match kind {
        Kind::VertexTriangle => (x[2] - x[1]).cross(x[3] - x[1]),
        Kind::EdgeEdge => (x[1] - x[0]).cross(x[3] - x[2]),
    }
}

/// The outside of a solid.
#[derive(Clone, Copy, Debug)]
pub struct Outside<R> {
    /// Points away from it; of any length.
    pub direction: Vec3<R>,
    /// What is on its other side has gone in, unless it is farther away than this: then it is beyond something
    /// else \[m\].
    pub reach: R,
}

/// The row of a pair whose nearest points are known, if it is near; `thickness` is how near it may come,
/// `outside` where the second primitive is the outside of a solid, and `travel` how much nearer they may come before
/// somebody looks again \[m\].
pub fn row<R: Real>(
    kind: Kind,
    x: [Vec3<R>; 4],
    nearest: &Closest<R>,
    thickness: R,
    outside: Option<Outside<R>>,
    travel: R,
) -> Option<Row<R>> {
    let zero = R::of(0.0);
    let distance = nearest.distance();
    let (normal, gap) = if is_inside(kind, nearest) {
        // The direction of a small gap is rounding; that of what it stands on is not.
        let across = across(kind, x);
        let length = across.length();
        let out = outside.map_or(nearest.gap, |outside| outside.direction);
        let side = if across.dot(out) < zero { -length } else { length };
        let has_gone_in = nearest.gap.dot(out) < zero;
        if has_gone_in && outside.is_some_and(|outside| distance > outside.reach) {
            return None;
        }
        (across * (R::of(1.0) / side), if has_gone_in { -distance } else { distance })
    } else {
        (nearest.gap * (R::of(1.0) / distance), distance)
    };
    let depth = (thickness - gap).min(R::of(MOST_DEPTH) * thickness);
    let is_near = gap < R::of(AHEAD) * thickness + travel;
    let roundness = roundness(kind, x, nearest);
    let bounce = R::of(NOTHING);
    let row = Row { weights: nearest.weights, normal, thickness, depth, roundness, bounce };
    (is_near && normal.dot(normal).is_finite()).then_some(row)
}

/// How round the second primitive is where it is nearest.
fn roundness<R: Real>(kind: Kind, x: [Vec3<R>; 4], nearest: &Closest<R>) -> Roundness<R> {
    match (kind, nearest.second) {
        (Kind::VertexTriangle, Feature::Edge(k)) => {
            let k = usize::from(k);
            let edge = x[1 + (k + 1) % 3] - x[1 + k];
            Roundness::Edge(edge * (R::of(1.0) / edge.length()))
        }
        (Kind::VertexTriangle, Feature::Corner(_)) => Roundness::Corner,
        _ => Roundness::Flat,
    }
}

/// The weights of the place at which a row took hold.
pub fn anchor_weights<R: Real>(kind: Kind, [a, b]: [R; 2]) -> [R; 4] {
    let one = R::of(1.0);
    match kind {
        Kind::VertexTriangle => [one, a + b - one, -a, -b],
        Kind::EdgeEdge => [one - a, a, b - one, -b],
    }
}

/// The place of a row's nearest points.
pub fn place<R: Real>(kind: Kind, weights: [R; 4]) -> [R; 2] {
    match kind {
        Kind::VertexTriangle => [-weights[2], -weights[3]],
        Kind::EdgeEdge => [weights[1], -weights[3]],
    }
}

/// Σ w x.
pub fn combine<R: Real>(weights: [R; 4], x: [Vec3<R>; 4]) -> Vec3<R> {
    (x[0] * weights[0] + x[1] * weights[1]) + (x[2] * weights[2] + x[3] * weights[3])
}

/// 1/Σ w² n/m: the mass that a row can count on, where a corner with 1/mass `inverse` has `n` rows; 0 where all
/// of them are locked.
pub fn split_mass<R: Real>(weights: [R; 4], inverse: [R; 4], rows: [u32; 4]) -> R {
    let share = |k: usize| weights[k] * weights[k] * inverse[k] * R::of(f64::from(rows[k]));
    let sum = (share(0) + share(1)) + (share(2) + share(3));
    if sum > R::of(0.0) { R::of(1.0) / sum } else { R::of(0.0) }
}

/// What a row does, kept from one iteration to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push<R> {
    /// How hard it pushes along the normal \[N\].
    pub normal: R,
    /// What friction pulls with, against the first primitive \[N\].
    pub pull: Vec3<R>,
    /// Where it holds on, see [`anchor_weights`].
    pub anchor: [R; 2],
}

impl<R: Real> Push<R> {
    /// The force on the first primitive, to be given to the corners by their weights \[N\].
    pub fn force(&self, row: &Row<R>) -> Vec3<R> {
        row.normal * self.normal - self.pull
    }
}

/// The normal speed that a row wants at the end of a substep, at least, if its corners get the relative velocity
/// `velocity` \[m/s\].
pub fn wanted_speed<R: Real>(law: &Law<R>, row: &Row<R>, velocity: Vec3<R>) -> R {
    let zero = R::of(0.0);
    let along = velocity - row.normal * row.normal.dot(velocity);
    let across = match row.roundness {
        Roundness::Flat => Vec3::zero(),
        Roundness::Edge(edge) => along - edge * edge.dot(along),
        Roundness::Corner => along,
    };
    // Beside an edge or a corner, what is as far away may be lower.
    let (way, thickness) = (across * law.h, row.thickness);
    let height = (thickness * thickness - way.dot(way)).max(zero).sqrt();
    let depth = row.depth - (thickness - height);
    let wanted = if depth > zero {
        (depth * recovery(law)).min((R::of(RECOVERY_PULL) * thickness).sqrt())
    } else {
        depth / law.h
    };
    wanted.max(row.bounce)
}

/// The speed at which rows make up for a way, over that way \[1/s\].
pub fn recovery<R: Real>(law: &Law<R>) -> R {
    (R::of(RECOVERY) / law.h).min(R::of(1.0 / RECOVERY_TIME))
}

/// What a row does once more is known: `v` are the velocities that the corners would have at the end of the
/// substep, what rows do now included; `mass` is that of [`split_mass`].
pub fn improve<R: Real>(
    kind: Kind,
    law: &Law<R>,
    row: &Row<R>,
    x: [Vec3<R>; 4],
    v: [Vec3<R>; 4],
    mass: R,
    push: &Push<R>,
) -> Push<R> {
    let per_speed = mass / law.h;
    let velocity = combine(row.weights, v);
    let speed = row.normal.dot(velocity);
    // Nothing sticks together.
    let normal =
        (push.normal + per_speed * (wanted_speed(law, row, velocity) - speed)).max(R::of(0.0));
    let along = |u: Vec3<R>| u - row.normal * row.normal.dot(u);
    let stretch = along(combine(anchor_weights(kind, push.anchor), x));
    let back = stretch * recovery(law);
    let pull = along(push.pull) + (along(velocity) + back) * per_speed;
    let (strength, limit) = (pull.length(), law.friction * normal);
    let pull = if strength > limit { pull * (limit / strength) } else { pull };
    Push { normal, pull, anchor: push.anchor }
}

/// Where a row holds on after the last iteration: where it did, unless friction slips.
pub fn slipped<R: Real>(
    kind: Kind,
    law: &Law<R>,
    row: &Row<R>,
    x: [Vec3<R>; 4],
    mass: R,
    push: &Push<R>,
) -> [R; 2] {
    let along = |u: Vec3<R>| u - row.normal * row.normal.dot(u);
    let stretch = along(combine(anchor_weights(kind, push.anchor), x));
    let stiffness = recovery(law) * mass / law.h;
    let (strength, limit) = (stretch.length() * stiffness, law.friction * push.normal);
    if strength <= limit {
        return push.anchor;
    }
    let way = stretch * (limit / strength) - stretch;
    shifted(kind, x, push.anchor, way).unwrap_or(place(kind, row.weights))
}

/// The anchor moved so that the way between its two places grows by `way`; nothing where the primitives leave
/// no way to say so.
fn shifted<R: Real>(kind: Kind, x: [Vec3<R>; 4], anchor: [R; 2], way: Vec3<R>) -> Option<[R; 2]> {
    let [a, b] = match kind {
        Kind::VertexTriangle => [x[1] - x[2], x[1] - x[3]],
        Kind::EdgeEdge => [x[1] - x[0], x[2] - x[3]],
    };
    let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
    let determinant = aa * bb - ab * ab;
    let (wa, wb) = (way.dot(a), way.dot(b));
    let change = [(bb * wa - ab * wb) / determinant, (aa * wb - ab * wa) / determinant];
    let moved = [anchor[0] + change[0], anchor[1] + change[1]];
    (moved[0].is_finite() && moved[1].is_finite()).then_some(moved)
}
