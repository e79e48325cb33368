use super::Random;
use crate::contact::crossing::triangles_cross;

type Whole = [i64; 3];

fn minus(a: Whole, b: Whole) -> Whole {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Whole, b: Whole) -> Whole {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Whole, b: Whole) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether a plane lies between the triangles, with room on both sides.
///
/// If two closed convex sets are apart, the line between their nearest points is normal to such a plane.
/// Nearest points are two corners, a corner and an edge, two edges, or a corner and a face, and each of
/// these gives a direction.
fn are_apart(a: [Whole; 3], b: [Whole; 3]) -> bool {
    let edges = |t: [Whole; 3]| [0, 1, 2].map(|k| minus(t[(k + 1) % 3], t[k]));
    let (of_a, of_b) = (edges(a), edges(b));
    let mut directions = vec![cross(of_a[0], of_a[1]), cross(of_b[0], of_b[1])];
    for p in a {
        for q in b {
            let between = minus(p, q);
            directions.push(between);
            for e in of_a.into_iter().chain(of_b) {
                directions.push(cross(e, cross(between, e)));
            }
        }
    }
    directions.extend(of_a.iter().flat_map(|&e| of_b.iter().map(move |&f| cross(e, f))));
    directions.into_iter().any(|direction| {
        let low = |t: [Whole; 3]| t.iter().map(|&p| dot(p, direction)).min();
        let high = |t: [Whole; 3]| t.iter().map(|&p| dot(p, direction)).max();
        high(a) < low(b) || high(b) < low(a)
    })
}

/// Corners on a coarse lattice: half of the pairs touch, lie in one plane, or have no area.
#[test]
fn whole_numbers_agree_with_planes_between() {
    let mut random = Random(2);
    let mut counts = [0; 2];
    for trial in 0..60_000 {
        let (side, flat) = ([2, 3, 5, 9][trial % 4], trial % 3 == 0);
        let mut triangle = || {
            [(); 3].map(|()| {
                let mut p: Whole = [(); 3].map(|()| random.below(side) as i64);
                if flat {
                    // A plane that no axis lies in.
                    p[2] = p[0] + p[1];
                }
                p
            })
        };
        let (a, b) = (triangle(), triangle());
        let float = |t: [Whole; 3]| t.map(|p| p.map(|x| x as f64));
        let is = triangles_cross(float(a), float(b));
        assert_eq!(is, !are_apart(a, b), "{a:?} and {b:?}");
        assert_eq!(is, triangles_cross(float(b), float(a)), "seen from the other one");
        counts[usize::from(is)] += 1;
    }
    assert!(counts.into_iter().all(|count| count > 10_000), "{counts:?}");
}

/// Numbers that are next to each other: rounded products do not tell them apart.
#[test]
fn the_last_bit_decides() {
    let up = |x: f64| x.next_up();
    let floor = [[0.1, 0.1, 0.3], [1.1, 0.1, 0.3], [0.1, 1.1, 0.3]];
    let needle = |z: f64| [[0.3, 0.3, z], [0.31, 0.3, 1.0], [0.3, 0.31, 1.0]];
    assert!(triangles_cross(floor, needle(0.3)), "a corner that touches");
    assert!(triangles_cross(floor, needle(0.3f64.next_down())));
    assert!(!triangles_cross(floor, needle(up(0.3))), "the next number above does not");
    // A slope through points of the diagonal: y = x.
    let wall = [[12.0, 12.0, -1.0], [24.0, 24.0, -1.0], [24.0, 24.0, 1.0]];
    let corner = |x: f64| [[x, 18.0, 0.0], [40.0, 18.0, 0.0], [40.0, 19.0, 0.0]];
    assert!(triangles_cross(corner(18.0), wall));
    assert!(!triangles_cross(corner(up(18.0)), wall));
}

#[test]
fn what_counts_as_crossing() {
    let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let cases: [(&str, bool, [[f64; 3]; 3]); 9] = [
        ("pierced", true, [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]),
        ("above", false, [[1.0, 1.0, 0.1], [2.0, 1.0, 0.1], [1.0, 2.0, 0.1]]),
        ("a corner on the face", true, [[1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]),
        ("an edge on the face", true, [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [2.0, 1.0, 1.0]]),
        ("in the plane, inside", true, [[1.0, 1.0, 0.0], [1.5, 1.0, 0.0], [1.0, 1.5, 0.0]]),
        ("in the plane, beside", false, [[3.0, 3.0, 0.0], [4.0, 3.0, 0.0], [3.0, 4.0, 0.0]]),
        ("in the plane, at an edge", true, [[2.0, 2.0, 0.0], [4.0, 2.0, 0.0], [3.0, 4.0, 0.0]]),
        ("a segment through it", true, [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.5]]),
        ("a point on it", true, [[1.0, 1.0, 0.0]; 3]),
    ];
    for (what, should, other) in cases {
        assert_eq!(triangles_cross(floor, other), should, "{what}");
        assert_eq!(triangles_cross(other, floor), should, "{what}, seen from the other one");
    }
}
