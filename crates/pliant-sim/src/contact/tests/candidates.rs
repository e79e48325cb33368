use proptest::prelude::*;

use super::Random;
use crate::contact::{Finder, Surface};
use crate::simd::Level;

/// Triangles with this many corners in all, of every kind that is hard: scattered, in one plane on a
/// lattice (so that boxes just touch), thin as needles, many at the same place, and far away.
fn soup(random: &mut Random, kind: usize, points: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut positions: Vec<[f64; 3]> = (0..points).map(|_| random.point()).collect();
    match kind {
        0 => {}
        1 => positions
            .iter_mut()
            .for_each(|p| *p = [(8.0 * p[0]).round(), (8.0 * p[1]).round(), 0.0]),
        2 => positions.iter_mut().for_each(|p| *p = [100.0 * p[0], 1e-4 * p[1], 1e-4 * p[2]]),
        3 => positions.iter_mut().for_each(|p| *p = p.map(|x| x.round())),
        _ => positions.iter_mut().for_each(|p| *p = [p[0] + 1e6, p[1] - 3e6, p[2] + 2.5e5]),
    }
    let count = points * 2;
    let triangles = (0..count)
        .map(|_| {
            // Near by number; a corner may come twice.
            let first = random.below(points);
            [0, 1, 2].map(|_| ((first + random.below(6)) % points) as u32)
        })
        .collect();
    (positions, triangles)
}

/// Pairs of boxes that meet when each grows by `radius`, without common corners, in double precision.
fn brute<const A: usize, const B: usize>(
    positions: &[[f64; 3]],
    (first, second): (&[[u32; A]], &[[u32; B]]),
    radius: f64,
    is_self: bool,
) -> Vec<[u32; 2]> {
    let range = |corners: &[u32], axis: usize| {
        let x = corners.iter().map(|&v| positions[v as usize][axis]);
        (x.clone().fold(f64::INFINITY, f64::min), x.fold(f64::NEG_INFINITY, f64::max))
    };
    let meet = |a: &[u32], b: &[u32]| {
        (0..3).all(|axis| {
            let ((a_low, a_high), (b_low, b_high)) = (range(a, axis), range(b, axis));
            a_low - b_high <= 2.0 * radius && b_low - a_high <= 2.0 * radius
        })
    };
    let mut pairs = Vec::new();
    for (i, a) in first.iter().enumerate() {
        for (j, b) in second.iter().enumerate().skip(if is_self { i + 1 } else { 0 }) {
            if meet(a, b) && !a.iter().any(|v| b.contains(v)) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// All that must hold of a list of candidates; gives how many there are beyond what must be there.
fn check<const A: usize, const B: usize>(
    found: &[[u32; 2]],
    should: &[[u32; 2]],
    (first, second): (&[[u32; A]], &[[u32; B]]),
) -> usize {
    assert!(found.is_sorted_by(|a, b| a < b), "ascending, each once");
    let has = |pair: &[u32; 2]| found.binary_search(pair).is_ok();
    let missing: Vec<_> = should.iter().filter(|pair| !has(pair)).collect();
    assert!(missing.is_empty(), "{} of {} are missing: {missing:?}", missing.len(), should.len());
    for &[i, j] in found {
        let (a, b) = (first[i as usize], second[j as usize]);
        assert!(!a.iter().any(|v| b.contains(v)), "{a:?} and {b:?} share a corner");
    }
    found.len() - should.len()
}

fn lists(finder: &mut Finder) -> [Vec<[u32; 2]>; 3] {
    finder.find(usize::MAX).unwrap();
    finder.find_triangle_pairs(usize::MAX).unwrap();
    [
        finder.vertex_triangle().collect(),
        finder.edge_edge().collect(),
        finder.triangle_triangle().collect(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn every_pair_of_brute_force_is_found(
        seed in any::<u64>(),
        kind in 0..5usize,
        points in 1..260usize,
        share in 0.0..0.4f64,
    ) {
        let mut random = Random(seed);
        let (positions, triangles) = soup(&mut random, kind, points);
        let size = [1.0, 8.0, 1e-4, 1.0, 1.0][kind];
        let radius = if share < 0.05 { 0.0 } else { share * size };
        // Put in order at rest, asked when moved.
        let surface = Surface::new(&positions, &triangles);
        let moved: Vec<[f64; 3]> =
            positions.iter().map(|p| [p[1], p[0] + 0.3 * p[2], p[2] - 0.1 * p[0]]).collect();
        let origin = moved[0];
        let mut finder = Finder::new(surface.clone(), 1);
        finder.refit(&moved, origin, radius);
        let found = lists(&mut finder);
        let (v, e, t) =
            (&surface.vertices.corners, &surface.edges.corners, &surface.triangles.corners);
        check(&found[0], &brute(&moved, (v, t), radius, false), (v, t));
        check(&found[1], &brute(&moved, (e, e), radius, true), (e, e));
        check(&found[2], &brute(&moved, (t, t), radius, true), (t, t));
        // The same with any number of threads and on every level.
        for level in Level::available() {
            let mut other = Finder::new(surface.clone(), 3);
            other.level = level;
            other.refit(&moved, origin, radius);
            prop_assert_eq!(&lists(&mut other), &found, "{}", level.name());
        }
    }
}

/// Boxes grow by rounding alone, so of scattered shapes hardly a pair too many is found.
#[test]
fn few_pairs_are_found_in_vain() {
    let mut random = Random(7);
    let (positions, triangles) = soup(&mut random, 0, 600);
    let surface = Surface::new(&positions, &triangles);
    let mut finder = Finder::new(surface.clone(), 2);
    finder.refit(&positions, [0.0; 3], 0.02);
    let [_, found, _] = lists(&mut finder);
    let e = &surface.edges.corners;
    let should = brute(&positions, (e, e), 0.02, true);
    assert!(should.len() > 50_000);
    assert!(check(&found, &should, (e, e)) < 5);
}

/// More leaves than are kept in mind at once: all boxes meet all.
#[test]
fn a_heap_of_everything_is_found_too() {
    let mut random = Random(3);
    let points = 9_000;
    let positions: Vec<[f64; 3]> = (0..points).map(|_| random.point()).collect();
    let triangles: Vec<[u32; 3]> =
        (0..points as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let surface = Surface::new(&positions, &triangles);
    let mut finder = Finder::new(surface, 2);
    finder.refit(&positions, [0.0; 3], 2.0);
    finder.find(usize::MAX).unwrap();
    // Nine thousand edges that share a corner with two others each.
    let all = points * (points - 1) / 2;
    assert_eq!(finder.counts(), [points * (points / 3 - 1), all - points]);
    assert!(finder.edge_edge().is_sorted_by(|a, b| a < b));
    assert_eq!(finder.edge_edge().count(), all - points);
}

/// The lists grow when bodies come closer, and what is far away stays out.
#[test]
fn lists_follow_what_moves() {
    let mut random = Random(5);
    let (positions, triangles) = soup(&mut random, 0, 400);
    let surface = Surface::new(&positions, &triangles);
    let mut finder = Finder::new(surface.clone(), 2);
    let at =
        |scale: f64| -> Vec<[f64; 3]> { positions.iter().map(|p| p.map(|x| scale * x)).collect() };
    let mut counts = Vec::new();
    for scale in [1e3, 1.0, 0.3, 1e3] {
        finder.refit(&at(scale), [0.0; 3], 0.05);
        finder.find(usize::MAX).unwrap();
        let e = &surface.edges.corners;
        let found: Vec<_> = finder.edge_edge().collect();
        check(&found, &brute(&at(scale), (e, e), 0.05, true), (e, e));
        counts.push(found.len());
    }
    assert!(counts[0] < counts[1] && counts[1] < counts[2] && counts[3] == counts[0], "{counts:?}");
    assert!(finder.find(counts[0] - 1).is_err(), "there are more than asked for");
}
