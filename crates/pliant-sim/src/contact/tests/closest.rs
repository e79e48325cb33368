use super::Random;
use crate::contact::closest::{Closest, Feature, edge_edge, point_triangle};
use crate::math::{Real, Vec3};

/// Points that make primitives of all kinds: with nothing in common, in one plane, on one line, at one
/// place, and very long.
fn corners(random: &mut Random, kind: usize) -> [[f64; 3]; 4] {
    let mut points = [(); 4].map(|()| random.point());
    match kind {
        0 => {}
        1 => points.iter_mut().for_each(|p| p[2] = 0.25),
        2 => points = [0, 1, 2, 3].map(|_| points[0].map(|x| x * random.unit())),
        3 => points[random.below(4)] = points[random.below(4)],
        4 => points.iter_mut().for_each(|p| p[0] *= 1e6),
        5 => points = [points[0]; 4],
        6 => points.iter_mut().for_each(|p| *p = p.map(|x| (2.0 * x).round())),
        // Nearly parallel.
        _ => {
            let shift = random.point().map(|x| 1e-9 * x);
            points[2] = std::array::from_fn(|k| points[0][k] + 0.1 + shift[k]);
            points[3] = std::array::from_fn(|k| points[1][k] + 0.1);
        }
    }
    points
}

/// How far a pair is from being nearest: the points are of convex sets, so they are nearest if and only
/// if no corner of either lies further toward the other one than they do. Twice that bounds what is
/// missing of the square of the distance.
fn violation<R: Real>(found: &Closest<R>, first: &[[f64; 3]], second: &[[f64; 3]]) -> f64 {
    let gap = found.gap.to_f64();
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    let place = |corners: &[[f64; 3]], weights: &[R], sign: f64| -> [f64; 3] {
        std::array::from_fn(|k| {
            corners.iter().zip(weights).map(|(c, w)| sign * c[k] * w.to_f64()).sum()
        })
    };
    let (weights_first, weights_second) = found.weights.split_at(first.len());
    let (a, b) = (place(first, weights_first, 1.0), place(second, weights_second, -1.0));
    let toward = |from: [f64; 3], to: &[f64; 3], sign: f64| {
        sign * dot(gap, std::array::from_fn(|k| to[k] - from[k]))
    };
    let of_first = first.iter().map(|c| toward(a, c, -1.0));
    let of_second = second.iter().map(|c| toward(b, c, 1.0));
    of_first.chain(of_second).fold(0.0, f64::max)
}

/// Checks weights, gap and feature; gives the largest coordinate.
fn check<R: Real>(
    found: &Closest<R>,
    first: &[[f64; 3]],
    second: &[[f64; 3]],
    rounding: f64,
) -> f64 {
    let corners: Vec<[f64; 3]> = first.iter().chain(second).copied().collect();
    let weights = found.weights.map(R::to_f64);
    let size = corners.iter().flat_map(|c| c.iter().map(|x| x.abs())).fold(1e-300, f64::max);
    for (k, weight) in weights.into_iter().enumerate() {
        let sign = if k < first.len() { 1.0 } else { -1.0 };
        assert!((0.0..=1.0).contains(&(sign * weight)), "{weights:?}");
    }
    let sum = |range: std::ops::Range<usize>| weights[range].iter().sum::<f64>();
    assert!((sum(0..first.len()) - 1.0).abs() < 4.0 * rounding);
    assert!((sum(first.len()..4) + 1.0).abs() < 4.0 * rounding);
    for axis in 0..3 {
        let gap: f64 = weights.iter().zip(&corners).map(|(w, c)| w * c[axis]).sum();
        let is = found.gap.to_f64()[axis];
        assert!((gap - is).abs() <= 16.0 * rounding * size, "{gap} is not {is}, of {corners:?}");
    }
    assert_feature(found.first, &weights[..first.len()]);
    assert_feature(found.second, &weights[first.len()..].iter().map(|w| -w).collect::<Vec<_>>());
    size
}

/// The weights of a corner, an edge or a face are those of its vertices only.
fn assert_feature(feature: Feature, weights: &[f64]) {
    let has = |k: usize| weights[k] > 0.0;
    let used = (0..weights.len()).filter(|&k| has(k)).count();
    match feature {
        Feature::Corner(k) => assert!(used == 1 && has(k.into()), "{feature:?}: {weights:?}"),
        Feature::Edge(k) => {
            let k = usize::from(k);
            assert!(
                used == 2 && has(k) && has((k + 1) % weights.len()),
                "{feature:?}: {weights:?}"
            );
        }
        Feature::Face => assert_eq!(used, 3, "{weights:?}"),
    }
}

/// Places are found by comparing squares of distances, which are flat where they are smallest: half of the
/// digits of a place are lost where two features are equally near. Distances keep theirs.
const PLACE: f64 = 1e-7;

#[test]
fn nothing_is_nearer_than_the_nearest() {
    let mut random = Random(1);
    for trial in 0..40_000 {
        let p = corners(&mut random, trial % 8);
        let v = p.map(Vec3::<f64>::of);
        let found =
            [point_triangle(v[0], [v[1], v[2], v[3]]), edge_edge([v[0], v[1]], [v[2], v[3]])];
        for (found, (first, second)) in found.iter().zip([p.split_at(1), p.split_at(2)]) {
            let size = check(found, first, second, 1e-15);
            let excess = violation(found, first, second) / (size * size);
            assert!(excess <= PLACE, "{excess:e}: {found:?} of {p:?}");
        }
    }
}

#[test]
fn single_precision_finds_the_same_distance() {
    let mut random = Random(4);
    for trial in 0..40_000 {
        let s = corners(&mut random, trial % 8).map(Vec3::<f32>::of);
        let p = s.map(Vec3::to_f64);
        let v = p.map(Vec3::<f64>::of);
        let single =
            [point_triangle(s[0], [s[1], s[2], s[3]]), edge_edge([s[0], s[1]], [s[2], s[3]])];
        let double =
            [point_triangle(v[0], [v[1], v[2], v[3]]), edge_edge([v[0], v[1]], [v[2], v[3]])];
        for k in 0..2 {
            let (first, second) = p.split_at(k + 1);
            let size = check(&single[k], first, second, f64::from(f32::EPSILON));
            let error = (f64::from(single[k].distance()) - double[k].distance()).abs() / size;
            assert!(error < 1e-6, "{error:e}: {:?} and {:?} of {p:?}", single[k], double[k]);
        }
    }
}

#[test]
fn features_are_what_one_sees() {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::<f64>::of);
    let ask = |p: [f64; 3]| {
        let found = point_triangle(Vec3::of(p), triangle);
        (found.second, found.distance())
    };
    assert_eq!(ask([0.25, 0.25, -2.0]), (Feature::Face, 2.0));
    assert_eq!(ask([-3.0, -4.0, 0.0]), (Feature::Corner(0), 5.0));
    assert_eq!(ask([0.5, -3.0, 4.0]), (Feature::Edge(0), 5.0));
    assert_eq!(ask([1.0, 1.0, 0.0]), (Feature::Edge(1), 0.5f64.sqrt()));
    let line = |a: [f64; 3], b: [f64; 3]| [a, b].map(Vec3::<f64>::of);
    let cross =
        edge_edge(line([-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]), line([0.0, -1.0, 0.0], [0.0, 3.0, 0.0]));
    assert_eq!(cross.weights, [0.5, 0.5, -0.75, -0.25]);
    assert_eq!((cross.first, cross.second), (Feature::Edge(0), Feature::Edge(0)));
    assert_eq!(cross.gap, Vec3::of([0.0, 0.0, 1.0]));
    let parallel =
        edge_edge(line([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), line([0.5, 2.0, 0.0], [3.0, 2.0, 0.0]));
    assert_eq!(parallel.distance(), 2.0);
    let apart =
        edge_edge(line([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), line([4.0, 4.0, 0.0], [5.0, 5.0, 0.0]));
    assert_eq!((apart.first, apart.second), (Feature::Corner(1), Feature::Corner(0)));
    assert_eq!(apart.distance(), 5.0);
}
