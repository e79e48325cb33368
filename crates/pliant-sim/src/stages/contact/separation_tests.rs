//! Planes between two primitives: whatever these look like, motion that keeps to them does not cross.

use super::formula::Kind;
use super::separation::*;
use crate::contact::crossing::triangles_cross;
use crate::math::Vec3;

const KINDS: [Kind; 2] = [Kind::VertexTriangle, Kind::EdgeEdge];

/// Numbers between −1 and 1 that look random (Marsaglia 2003, "Xorshift RNGs").
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A point as bodies store it.
    fn point(&mut self, size: [f64; 3]) -> Vec3<f64> {
        stored(Vec3::from(size.map(|s| s * self.next())))
    }
}

/// Rounded to single precision, as positions are.
fn stored(x: Vec3<f64>) -> Vec3<f64> {
    Vec3::from(x.to_f64().map(|c| f64::from(c as f32)))
}

/// Pairs of all shapes: anything, flat, needles, needles side by side, and of all these such that almost touch.
fn pair(kind: Kind, shape: u32, random: &mut Random) -> [Vec3<f64>; 4] {
    let size = match shape % 4 {
        0 => [1.0; 3],
        1 => [1.0, 1.0, 1e-6],
        2 => [1.0, 1e-4, 1e-4],
        _ => [1.0, 1e-3, 1e-7],
    };
    let mut x: [Vec3<f64>; 4] = std::array::from_fn(|_| random.point(size));
    if shape >= 4 {
        // As near as single precision can tell, or a little farther.
        let separation = separation(kind, x);
        let wanted = 1e-7 * (1.0 + 20.0 * random.next().abs());
        for (k, x) in x.iter_mut().enumerate() {
            if is_first(kind, k) && separation.gap.is_finite() {
                *x = stored(*x - separation.normal * (separation.gap - wanted));
            }
        }
    }
    x
}

/// Whether the two primitives have a point in common, without rounding.
fn cross(kind: Kind, x: [Vec3<f64>; 4]) -> bool {
    let [a, b, c, d] = x.map(Vec3::to_f64);
    match kind {
        Kind::VertexTriangle => triangles_cross([a; 3], [b, c, d]),
        Kind::EdgeEdge => triangles_cross([a, b, b], [c, d, d]),
    }
}

fn each(count: u32, mut act: impl FnMut(Kind, [Vec3<f64>; 4], &mut Random, u32)) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for n in 0..count {
        for kind in KINDS {
            let x = pair(kind, n % 8, &mut random);
            if !cross(kind, x) {
                act(kind, x, &mut random, n);
            }
        }
    }
}

#[test]
fn whatever_is_apart_has_a_plane_between() {
    let (mut all, mut without) = (0, 0);
    each(20_000, |kind, x, _, _| {
        let found = separation(kind, x);
        all += 1;
        // Nearer than rounding of the coordinates, nothing is promised but that it is not told otherwise.
        let is_near = found.gap.partial_cmp(&1e-9) != Some(std::cmp::Ordering::Greater);
        without += u32::from(is_near);
        let distance = super::formula::nearest(kind, x).distance();
        assert!(is_near || (found.gap / distance - 1.0).abs() < 1e-3, "{kind:?} {x:?} {found:?}");
        assert!(!is_near || distance < 1e-6, "{kind:?} {x:?} {found:?} {distance:e}");
    });
    assert!(all > 30_000 && without < all / 50, "{without} of {all}");
}

#[test]
fn what_keeps_to_the_shares_does_not_cross_on_its_way() {
    let (mut cut, mut free) = (0, 0);
    each(20_000, |kind, x, random, n| {
        // Slow, as fast as the things are large, and far faster.
        let speed = [1e-7, 1e-3, 1.0, 1e3][(n / 8 % 4) as usize];
        let end = x.map(|x| stored(x + random.point([speed; 3])));
        let way: [Vec3<f64>; 4] = std::array::from_fn(|k| end[k] - x[k]);
        let rounding: [f64; 4] = std::array::from_fn(|k| {
            let size = |x: Vec3<f64>| x.to_f64().into_iter().fold(0.0_f64, |m, c| m.max(c.abs()));
            f64::from(f32::EPSILON) * size(x[k]).max(size(end[k]))
        });
        let plane = separation(kind, x);
        let shares = shares(kind, &plane, x, way, rounding, None);
        let at = |part: f64, k: usize| match shares[k] {
            1.0 if part == 1.0 => end[k],
            share => stored(x[k] + way[k] * (share * part)),
        };
        // Others may let a vertex go any smaller share.
        for part in [1.0, 0.999, 0.7, 0.3, 0.0] {
            let mixed = |k: usize| if part < 1.0 && random_bit(n, k) { 1.0 } else { part };
            let then = std::array::from_fn(|k| at(mixed(k), k));
            assert!(!cross(kind, then), "{kind:?} {x:?} {end:?} {shares:?}");
            let left = gap_along(kind, plane.normal, then);
            assert!(left > 0.0 || then == x, "{kind:?} {x:?} {end:?} {shares:?} {left:e}");
        }
        let is_cut = shares.iter().any(|&share| share < 1.0);
        cut += u32::from(is_cut);
        free += u32::from(!is_cut);
    });
    assert!(cut > 3000 && free > 3000, "{cut} were cut, {free} not");
}

fn random_bit(n: u32, k: usize) -> bool {
    n.wrapping_mul(2_654_435_761) >> (7 + k) & 1 == 1
}

#[test]
fn what_flies_together_holds_and_what_meets_does_not() {
    for kind in KINDS {
        let x: [Vec3<f64>; 4] = match kind {
            Kind::VertexTriangle => {
                [[0.2, 0.2, 0.1], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from)
            }
            Kind::EdgeEdge => {
                [[-1.0, 0.0, 0.1], [1.0, 0.0, 0.1], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]
                    .map(Vec3::from)
            }
        };
        let plane = separation(kind, x);
        assert!((plane.gap - 0.1).abs() < 1e-12, "{plane:?}");
        let far = Vec3::from([30.0, -20.0, 100.0]);
        let after = gap_along(kind, plane.normal, x.map(|x| x + far));
        assert!(holds(plane.gap, after, 1e-6), "together");
        let through: [Vec3<f64>; 4] =
            std::array::from_fn(|k| if is_first(kind, k) { x[k] - far } else { x[k] });
        let after = gap_along(kind, plane.normal, through);
        assert!(!holds(plane.gap, after, 1e-6), "through");
        // Whoever is as near as rounding can tell may come no nearer.
        assert!(!holds(1e-7, 0.9e-7, 1e-6) && holds(1e-7, 1e-7, 1e-6));
        // The one that moves has most of the gap, and slides along the plane as it likes.
        let way = |w: Vec3<f64>| {
            std::array::from_fn(|k| if is_first(kind, k) { w } else { Vec3::zero() })
        };
        let toward = shares(kind, &plane, x, way(Vec3::from([0.0, 0.0, -1.0])), [1e-9; 4], None);
        assert!((toward[0] - 0.9 * 0.095).abs() < 1e-3 && toward[3] == 1.0, "{toward:?}");
        let along = shares(kind, &plane, x, way(Vec3::from([50.0, 0.0, 0.0])), [1e-9; 4], None);
        assert_eq!(along, [1.0; 4]);
    }
}

#[test]
fn what_is_far_enough_apart_is_free() {
    each(4000, |kind, x, random, _| {
        let plane = separation(kind, x);
        let distance = super::formula::nearest(kind, x).distance();
        let rounding = 1e-9;
        let room = (distance - free_distance([0.0; 2], rounding)) / 1.25;
        if room < 1e-6 {
            return;
        }
        let part = 0.5 + 0.5 * random.next();
        let way = std::array::from_fn(|k| {
            let direction = random.point([1.0; 3]);
            let most = if is_first(kind, k) { part } else { 1.0 - part };
            direction * (0.999 * room * most / direction.length())
        });
        let shares = shares(kind, &plane, x, way, [rounding; 4], None);
        assert_eq!(shares, [1.0; 4], "{kind:?} {x:?} {way:?}");
    });
}
