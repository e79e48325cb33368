//! Sixteen pairs at a time: which of them are surely too far apart to be looked at.
//!
//! Whoever decides what touches does so in one way for one pair, so that bits do not depend on the processor. Most
//! pairs are too far apart, though, and that can be told for sixteen of them at once, with a margin that is larger
//! than any rounding: what is left is any superset of what touches.

use crate::simd::three::{add, cross, dot, mul_add, sub};
use crate::simd::{Lane4, Lanes, Lanes16, Level, Task, run_at};
use crate::stages::contact::formula::Kind;

/// Pairs that are looked at together.
pub(super) const LANES: usize = 16;

/// By how much a reach grows, so that no rounding loses a pair: relative to it, to the size of the primitives, and to
/// the coordinates.
const OF_REACH: f32 = 1e-3;
const OF_SIZE: f32 = 1e-4;
const OF_COORDINATES: f32 = 1.0 / (1 << 20) as f32;

/// How far outside of a primitive, in its own lengths, a foot still counts as within.
const WITHIN: f32 = 0.01;

/// Sixteen pairs.
#[derive(Clone)]
pub(super) struct Sixteen {
    /// The second to fourth corner as seen from the first \[m\].
    corners: [[Lanes; 3]; 3],
    /// How near pairs must be to be kept \[m\].
    reach: Lanes,
}

/// Where vertices are, and how bodies lie to each other.
#[derive(Clone, Copy)]
pub(super) struct Positions<'a> {
    /// By slot \[m\]. What the fourth number is, the caller knows.
    pub by_slot: *const Lane4,
    /// By body: its origin as seen from a common one, and the sum of its coordinates' sizes \[m\].
    pub origins: &'a [Lane4],
}

// SAFETY: the array is only read, by those who promise that nobody writes it.
unsafe impl Sync for Positions<'_> {}

impl Sixteen {
    pub const EMPTY: Self = Self { corners: [[Lanes([0.0; 16]); 3]; 3], reach: Lanes([0.0; 16]) };

    /// Puts a pair of primitives of these bodies into a lane; `reach` is given the fourth numbers of its corners.
    ///
    /// # Safety
    /// `positions` has the positions of all slots, and nobody writes them now.
    #[inline]
    pub unsafe fn set(
        &mut self,
        lane: usize,
        kind: Kind,
        slots: [u32; 4],
        bodies: [u32; 2],
        positions: Positions<'_>,
        reach: impl Fn([f32; 4]) -> f32,
    ) {
        // SAFETY: promised by the caller.
        let x = slots.map(|slot| unsafe { (*positions.by_slot.add(slot as usize)).0 });
        let [a, b] = bodies.map(|body| positions.origins[body as usize].0);
        let shift = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let own = match kind {
            Kind::VertexTriangle => 0,
            Kind::EdgeEdge => 1,
        };
        for (k, corner) in self.corners.iter_mut().enumerate() {
            for axis in 0..3 {
                let way = x[k + 1][axis] - x[0][axis];
                corner[axis].0[lane] = if k < own { way } else { way + shift[axis] };
            }
        }
        let size = (x[0][0].abs() + x[0][1].abs() + x[0][2].abs()) + (a[3] + b[3]);
        self.reach.0[lane] = reach(x.map(|x| x[3])) * (1.0 + OF_REACH) + size * OF_COORDINATES;
    }

    /// The lanes that may be within reach, of the first `count`.
    pub fn near(&self, level: Level, kind: Kind, count: usize) -> u16 {
        // SAFETY: the tasks ask for nothing, and the level was detected.
        let bits = unsafe {
            match kind {
                Kind::VertexTriangle => run_at(level, NearTriangle(self)),
                Kind::EdgeEdge => run_at(level, NearEdge(self)),
            }
        };
        bits & (u32::MAX >> (32 - count)) as u16
    }

    #[inline(always)]
    fn load<S: Lanes16>(&self) -> ([[S; 3]; 3], S) {
        let corners = self.corners.each_ref().map(|corner| corner.each_ref().map(S::load));
        (corners, S::load(&self.reach))
    }
}

/// A vertex at the origin, and the triangle of the corners.
struct NearTriangle<'a>(&'a Sixteen);

impl Task for NearTriangle<'_> {
    type Output = u16;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> u16 {
        let ([a, b, c], reach) = self.0.load::<S>();
        let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
        let reach = with_size(reach, &[ab, ac]);
        let square = reach.mul(reach);
        let minus = |v: [S; 3]| sub([S::zero(); 3], v);
        let edges = S::either(
            S::either(beside(minus(a), ab).at_most(square), beside(minus(b), bc).at_most(square)),
            beside(minus(a), ac).at_most(square),
        );
        let normal = cross(ab, ac);
        let nn = dot(normal, normal);
        let (alpha, beta, gamma) =
            (dot(cross(b, c), normal), dot(cross(c, a), normal), dot(cross(a, b), normal));
        let least = S::zero().sub(nn.mul(S::splat(WITHIN)));
        let inside =
            S::both(S::both(least.at_most(alpha), least.at_most(beta)), least.at_most(gamma));
        let gap = dot(a, normal);
        let face = S::both(inside, gap.mul(gap).at_most(square.mul(nn)));
        S::bits(S::either(edges, face))
    }
}

/// An edge from the origin to the first corner, and one between the others.
struct NearEdge<'a>(&'a Sixteen);

impl Task for NearEdge<'_> {
    type Output = u16;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> u16 {
        let ([d1, c, d], reach) = self.0.load::<S>();
        let d2 = sub(d, c);
        let reach = with_size(reach, &[d1, d2]);
        let square = reach.mul(reach);
        let minus = |v: [S; 3]| sub([S::zero(); 3], v);
        let ends = S::either(
            S::either(beside(c, d1).at_most(square), beside(d, d1).at_most(square)),
            S::either(beside(minus(c), d2).at_most(square), beside(sub(d1, c), d2).at_most(square)),
        );
        let normal = cross(d1, d2);
        let nn = dot(normal, normal);
        // Feet of the shortest way between the two lines, times nn.
        let between = minus(c);
        let (s, t) = (dot(normal, cross(d2, between)), dot(normal, cross(d1, between)));
        let margin = nn.mul(S::splat(WITHIN));
        let (least, most) = (S::zero().sub(margin), nn.add(margin));
        let within = |x: S| S::both(least.at_most(x), x.at_most(most));
        let gap = dot(c, normal);
        let insides = S::both(S::both(within(s), within(t)), gap.mul(gap).at_most(square.mul(nn)));
        S::bits(S::either(ends, insides))
    }
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
            let positions = Positions { by_slot: corners.as_ptr(), origins: &origins };
            for level in Level::available() {
                let mut sixteen = Sixteen::EMPTY;
                // SAFETY: there are four slots.
                unsafe { sixteen.set(5, kind, [0, 1, 2, 3], [0, 1], positions, |_| reach) };
                let is_kept = sixteen.near(level, kind, 6) >> 5 & 1 == 1;
                assert!(is_kept || !is_within, "{kind:?} {corners:?} {reach}");
                kept += u32::from(is_kept);
                within += u32::from(is_within);
            }
        }
        assert!(f64::from(kept) < 1.05 * f64::from(within), "{kept} for {within}");
    }
}
