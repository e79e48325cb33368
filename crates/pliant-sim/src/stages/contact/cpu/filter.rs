//! Sixteen pairs at a time: which of them are surely too far apart to be looked at.
//!
//! Whoever decides what touches does so in one way for one pair, so that bits do not depend on the processor. Most
//! pairs are too far apart, though, and how far can be told for sixteen of them at once, with a margin that is larger
//! than any rounding: what is left is any superset of what touches.

use crate::simd::three::{add, cross, dot, mul_add, sub};
use crate::simd::{Lane4, Lanes, Lanes16, Level, Task, run_at};
use crate::stages::contact::formula::Kind;

/// Pairs that are looked at together.
pub(super) const LANES: usize = 16;

/// By how much a reach grows, so that no rounding loses a pair: relative to it, to the size of the primitives, and to
/// the coordinates.
pub(super) const OF_REACH: f32 = 1e-3;
const OF_SIZE: f32 = 1e-4;
const OF_COORDINATES: f32 = 1.0 / (1 << 20) as f32;

/// How far outside of a primitive, in its own lengths, a foot still counts as within.
const WITHIN: f32 = 0.01;

/// By how much feet may be mistaken, over the cube of the size of a pair and what its coordinates may be, and over the
/// fourth power of its size.
const FEET_OF_COORDINATES: f32 = 8.0;
const FEET_OF_SIZE: f32 = 1e-5;
/// Where the square of the sine between two edges of one length is less than this, nothing is certain of feet; nor where
/// one is that much shorter.
const LEAST_SINE: f32 = 0.01;
/// More than the square of any distance.
const HUGE: f32 = 1e30;

/// Sixteen pairs.
#[derive(Clone)]
pub(super) struct Sixteen {
    /// The second to fourth corner as seen from the first, by lane \[m\].
    corners: [[Lane4; LANES]; 3],
    /// How near pairs must be to be kept \[m\].
    reach: Lanes,
    /// What rounding may do to places \[m\].
    rounding: Lanes,
    /// By edge of a triangle: 0 where it answers for the edge or its first end, else [`HUGE`].
    aside: [Lanes; 3],
}

/// By body: its origin as seen from a common one, and the sum of its coordinates' sizes \[m\].
#[derive(Clone, Copy)]
pub(super) struct Origins<'a>(pub &'a [Lane4]);

impl Origins<'_> {
    /// From the origin of the first body to that of the second, and the size of what both are known by \[m\].
    #[inline]
    pub fn shift(&self, bodies: [u32; 2]) -> [f32; 4] {
        let [a, b] = bodies.map(|body| self.0[body as usize].0);
        [b[0] - a[0], b[1] - a[1], b[2] - a[2], a[3] + b[3]]
    }
}

impl Sixteen {
    pub const EMPTY: Self = Self {
        corners: [[Lane4([0.0; 4]); LANES]; 3],
        reach: Lanes([0.0; 16]),
        rounding: Lanes([0.0; 16]),
        aside: [Lanes([0.0; 16]); 3],
    };

    /// Puts a pair into a lane whose corners are here, those of the second primitive as seen from another origin, which is
    /// `shift` away; its fourth number is the size of what both origins are known by \[m\].
    #[inline]
    pub fn put(&mut self, lane: usize, kind: Kind, x: [Lane4; 4], shift: [f32; 4], reach: f32) {
        let x = x.map(|x| x.0);
        let from = |to: [f32; 4], from: [f32; 4]| std::array::from_fn(|k| to[k] - from[k]);
        let own = match kind {
            Kind::VertexTriangle => 0,
            Kind::EdgeEdge => 1,
        };
        for (k, corner) in self.corners.iter_mut().enumerate() {
            let way: [f32; 4] = from(x[k + 1], x[0]);
            let shifted = std::array::from_fn(|k| way[k] + shift[k]);
            corner[lane] = Lane4(if k < own { way } else { shifted });
        }
        let size = (x[0][0].abs() + x[0][1].abs() + x[0][2].abs()) + shift[3];
        self.rounding.0[lane] = size * OF_COORDINATES;
        self.reach.0[lane] = reach * (1.0 + OF_REACH) + size * OF_COORDINATES;
    }

    /// Says what the triangle in a lane answers for, see [`Neighbourhood::owns`].
    ///
    /// [`Neighbourhood::owns`]: crate::stages::contact::surface::Neighbourhood::owns
    #[inline]
    pub fn answers(&mut self, lane: usize, owns: u8) {
        // A corner is found at the edge that begins there.
        let counts = owns | owns >> 3;
        for (k, aside) in self.aside.iter_mut().enumerate() {
            aside.0[lane] = if counts >> k & 1 == 1 { 0.0 } else { HUGE };
        }
    }

    /// How much farther apart than their reach pairs are at least \[m\].
    pub fn slack(&self, level: Level, kind: Kind) -> [f32; LANES] {
        // SAFETY: the tasks ask for nothing, and the level was detected.
        let slack = unsafe {
            match kind {
                Kind::VertexTriangle => run_at(level, NearTriangle::<false>(self)),
                Kind::EdgeEdge => run_at(level, NearEdge::<false>(self)),
            }
        };
        slack.0
    }

    /// The same for what can be a row now: edges whose nearest points are not ends, and what triangles answer for. Says
    /// nothing of what pairs can be when they have moved.
    pub fn slack_of_rows(&self, level: Level, kind: Kind) -> [f32; LANES] {
        // SAFETY: the tasks ask for nothing, and the level was detected.
        let slack = unsafe {
            match kind {
                Kind::VertexTriangle => run_at(level, NearTriangle::<true>(self)),
                Kind::EdgeEdge => run_at(level, NearEdge::<true>(self)),
            }
        };
        slack.0
    }

    #[inline(always)]
    fn load<S: Lanes16>(&self) -> ([[S; 3]; 3], S) {
        let [first, second, third] = &self.corners;
        // SAFETY: there are sixteen entries in each.
        let corners = unsafe {
            [
                S::gather(first.as_ptr(), IN_ORDER.as_ptr()),
                S::gather(second.as_ptr(), IN_ORDER.as_ptr()),
                S::gather(third.as_ptr(), IN_ORDER.as_ptr()),
            ]
        };
        (corners, S::load(&self.reach))
    }
}

/// Doubled numbers of sixteen entries.
static IN_ORDER: [u16; LANES] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

/// How much farther apart than `reach` primitives are at least, from squares of distances: between their outlines,
/// and between their insides, which counts where the feet of the shortest way are not `outside` of them, in any
/// measure.
#[inline(always)]
fn slack<S: Lanes16>(outline: S, inside: S, outside: S, reach: S) -> Lanes {
    let square = least(outline, outside.mul_add(S::splat(HUGE), inside));
    let mut slack = Lanes::default();
    square.sqrt().mul_sub(S::splat(1.0 - OF_REACH), reach).store(&mut slack);
    slack
}

/// By how much feet, times the square of the normal of two edges, may be mistaken; `size` is that of the whole pair.
#[inline(always)]
fn mistaken<S: Lanes16>(size: S, rounding: S) -> S {
    let cube = size.mul(size).mul(size);
    let share = size.mul_add(S::splat(FEET_OF_SIZE), rounding.mul(S::splat(FEET_OF_COORDINATES)));
    cube.mul(share)
}

/// What outlines that are no rows are put aside by: nothing where two edges are so parallel that nobody knows.
#[inline(always)]
fn put_aside<S: Lanes16>(nn: S, edges: &[[S; 3]; 2]) -> S {
    let mean = dot(edges[0], edges[0]).add(dot(edges[1], edges[1])).mul(S::splat(0.5));
    let whole = mean.mul(mean);
    let sure = whole.mul(S::splat(LEAST_SINE));
    over(nn.sub(sure).max(S::zero()), whole).mul(S::splat(HUGE))
}

#[inline(always)]
fn length<S: Lanes16>(v: [S; 3]) -> S {
    dot(v, v).sqrt()
}

/// A vertex at the origin, and the triangle of the corners; as rows only or not.
struct NearTriangle<'a, const ROWS: bool>(&'a Sixteen);

impl<const ROWS: bool> Task for NearTriangle<'_, ROWS> {
    type Output = Lanes;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> Lanes {
        let ([a, b, c], reach) = self.0.load::<S>();
        let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
        let mut reach = with_size(reach, &[ab, ac]);
        let minus = |v: [S; 3]| sub([S::zero(); 3], v);
        let mut edges = [beside(minus(a), ab), beside(minus(b), bc), beside(minus(a), ac)];
        let normal = cross(ab, ac);
        let nn = dot(normal, normal);
        let mut margin = nn.mul(S::splat(WITHIN));
        if ROWS {
            let rounding = S::load(&self.0.rounding);
            let size = length(ab).add(length(ac)).add(length(a));
            margin = margin.add(mistaken(size, rounding));
            reach = rounding.mul_add(S::splat(FEET_OF_COORDINATES), reach);
            // All of a needle's outline counts.
            let aside = put_aside(nn, &[ab, ac]);
            for (edge, of_edge) in edges.iter_mut().zip(&self.0.aside) {
                *edge = edge.add(least(aside, S::load(of_edge)));
            }
        }
        let edges = least(least(edges[0], edges[1]), edges[2]);
        let (alpha, beta, gamma) =
            (dot(cross(b, c), normal), dot(cross(c, a), normal), dot(cross(a, b), normal));
        let lowest = S::zero().sub(margin);
        let outside = lowest.sub(alpha).max(lowest.sub(beta)).max(lowest.sub(gamma)).max(S::zero());
        let gap = dot(a, normal);
        slack(edges, over(gap.mul(gap), nn), over(outside, nn), reach)
    }
}

/// An edge from the origin to the first corner, and one between the others; as rows only or not.
struct NearEdge<'a, const ROWS: bool>(&'a Sixteen);

impl<const ROWS: bool> Task for NearEdge<'_, ROWS> {
    type Output = Lanes;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> Lanes {
        let ([d1, c, d], reach) = self.0.load::<S>();
        let d2 = sub(d, c);
        let mut reach = with_size(reach, &[d1, d2]);
        let minus = |v: [S; 3]| sub([S::zero(); 3], v);
        let mut ends = least(
            least(beside(c, d1), beside(d, d1)),
            least(beside(minus(c), d2), beside(sub(d1, c), d2)),
        );
        let normal = cross(d1, d2);
        let nn = dot(normal, normal);
        // Feet of the shortest way between the two lines, times nn.
        let between = minus(c);
        let (s, t) = (dot(normal, cross(d2, between)), dot(normal, cross(d1, between)));
        let mut margin = nn.mul(S::splat(WITHIN));
        if ROWS {
            let rounding = S::load(&self.0.rounding);
            let size = length(d1).add(length(d2)).add(length(c));
            margin = margin.add(mistaken(size, rounding));
            reach = rounding.mul_add(S::splat(FEET_OF_COORDINATES), reach);
            ends = ends.add(put_aside(nn, &[d1, d2]));
        }
        let (lowest, highest) = (S::zero().sub(margin), nn.add(margin));
        let outside =
            lowest.sub(s).max(s.sub(highest)).max(lowest.sub(t)).max(t.sub(highest)).max(S::zero());
        let gap = dot(c, normal);
        slack(ends, over(gap.mul(gap), nn), over(outside, nn), reach)
    }
}

/// The lesser of two.
#[inline(always)]
fn least<S: Lanes16>(a: S, b: S) -> S {
    let minus = |x: S| S::zero().sub(x);
    minus(minus(a).max(minus(b)))
}

/// A quotient of what is not negative, which is 0 where the second one is: that happens only where the first one is 0, too.
#[inline(always)]
fn over<S: Lanes16>(square: S, other: S) -> S {
    square.div(other.max(S::splat(f32::MIN_POSITIVE)))
}

/// A reach with what rounding may take where primitives are large beside it.
#[inline(always)]
fn with_size<S: Lanes16>(reach: S, edges: &[[S; 3]; 2]) -> S {
    let size = |e: [S; 3]| dot(e, e).sqrt();
    size(edges[0]).add(size(edges[1])).mul_add(S::splat(OF_SIZE), reach)
}

/// Square of the distance between a point and the segment from the origin to `edge`.
#[inline(always)]
fn beside<S: Lanes16>(point: [S; 3], edge: [S; 3]) -> S {
    // No division by zero: an edge without length is a point.
    let length = dot(edge, edge).max(S::splat(f32::MIN_POSITIVE));
    let (zero, one) = (S::zero(), S::splat(1.0));
    let t = dot(point, edge).div(length).max(zero);
    // min(t, 1)
    let t = one.sub(one.sub(t).max(zero));
    let way = add(point, mul_add(t, sub([zero; 3], edge), [zero; 3]));
    dot(way, way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::closest::{Feature, insides};
    use crate::math::Vec3;
    use crate::stages::contact::formula::nearest;

    /// Numbers from −1 to 1.
    fn random(seed: &mut u64) -> f32 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Corners of a pair: anywhere, flat, on a line, or nearly parallel.
    fn pair(shape: usize, seed: &mut u64) -> [Lane4; 4] {
        let mut corners = [0; 4].map(|_| [0; 3].map(|_| random(seed)));
        match shape % 4 {
            0 => {}
            1 => corners.iter_mut().for_each(|x| x[2] *= 1e-4),
            2 => corners.iter_mut().for_each(|x| (x[1], x[2]) = (1e-6 * x[1], 1e-3 * x[2])),
            _ => {
                let along: [f32; 3] = std::array::from_fn(|k| corners[1][k] - corners[0][k]);
                corners[3] =
                    std::array::from_fn(|k| corners[2][k] + along[k] + 1e-5 * corners[3][k]);
            }
        }
        corners.map(|[x, y, z]| Lane4([x, y, z, 0.0]))
    }

    #[test]
    fn what_is_within_reach_is_never_lost_and_little_else_is_kept() {
        let (mut seed, mut kept, mut within) = (1, 0_u32, 0_u32);
        let origins = [Lane4([0.25, -0.5, 1.0, 1.75]), Lane4([0.25, 0.0, 0.5, 0.75])];
        let shift = [0.0_f64, 0.5, -0.5];
        for round in 0..4_000 {
            let kind = [Kind::VertexTriangle, Kind::EdgeEdge][round % 2];
            let corners = pair(round / 2, &mut seed);
            let reach = random(&mut seed).abs();
            let own = if kind == Kind::VertexTriangle { 1 } else { 2 };
            let exact: [Vec3<f64>; 4] = std::array::from_fn(|k| {
                let x = corners[k].0.map(f64::from);
                let shift = if k < own { [0.0; 3] } else { shift };
                [x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]].into()
            });
            let is_within = nearest(kind, exact).distance() <= f64::from(reach);
            let seen = Origins(&origins).shift([0, 1]);
            for level in Level::available() {
                let mut sixteen = Sixteen::EMPTY;
                sixteen.put(5, kind, corners, seen, reach);
                let is_kept = sixteen.slack(level, kind)[5] <= 0.0;
                assert!(is_kept || !is_within, "{kind:?} {corners:?} {reach}");
                kept += u32::from(is_kept);
                within += u32::from(is_within);
            }
        }
        assert!(f64::from(kept) < 1.05 * f64::from(within), "{kept} for {within}");
    }

    /// Whether a pair has a nearest point of the kind that rows have, within reach.
    fn can_be_row(kind: Kind, x: [Vec3<f32>; 4], owns: u8, reach: f32) -> bool {
        let nearest = match kind {
            Kind::VertexTriangle => Some(nearest(kind, x)),
            Kind::EdgeEdge => insides([x[0], x[1]], [x[2], x[3]]),
        };
        nearest.is_some_and(|nearest| {
            let is_own = match (kind, nearest.second) {
                (Kind::VertexTriangle, Feature::Edge(k)) => owns >> k & 1 == 1,
                (Kind::VertexTriangle, Feature::Corner(k)) => owns >> (3 + k) & 1 == 1,
                _ => true,
            };
            is_own && nearest.distance() <= reach
        })
    }

    #[test]
    fn no_row_is_lost_and_most_of_what_is_none_is_passed_over() {
        let (mut seed, mut kept, mut rows, mut all) = (1, [0_u32; 2], [0_u32; 2], 0);
        let origins = [Lane4([0.25, -0.5, 1.0, 1.75]), Lane4([0.25, 0.0, 0.5, 0.75])];
        for round in 0..20_000 {
            let kind = [Kind::VertexTriangle, Kind::EdgeEdge][round % 2];
            let corners = pair(round / 2, &mut seed);
            let reach = random(&mut seed).abs();
            let owns = (32.0 + 31.9 * random(&mut seed)) as u8;
            let own = if kind == Kind::VertexTriangle { 1 } else { 2 };
            let x: [Vec3<f32>; 4] = std::array::from_fn(|k| {
                let [x, y, z, _] = corners[k].0;
                (if k < own { [x, y, z] } else { [x, y + 0.5, z - 0.5] }).into()
            });
            let is_row = can_be_row(kind, x, owns, reach);
            let seen = Origins(&origins).shift([0, 1]);
            for level in Level::available() {
                let mut sixteen = Sixteen::EMPTY;
                sixteen.put(5, kind, corners, seen, reach);
                sixteen.answers(5, owns);
                let is_kept = sixteen.slack_of_rows(level, kind)[5] <= 0.0;
                assert!(is_kept || !is_row, "{kind:?} {corners:?} {owns} {reach}");
                // Needles are kept: nobody can tell.
                if round / 2 % 4 == 0 {
                    kept[kind as usize] += u32::from(is_kept);
                    rows[kind as usize] += u32::from(is_row);
                    all += 1;
                }
            }
        }
        for (kind, most) in [2.0, 1.5].into_iter().enumerate() {
            let (kept, rows) = (f64::from(kept[kind]), f64::from(rows[kind]));
            assert!(rows > 0.0 && kept < most * rows, "{kept} for {rows} of {all}");
        }
    }
}
