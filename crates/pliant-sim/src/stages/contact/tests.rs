//! The law of one contact, and who answers for which part of space.

use super::formula::*;
use super::surface::Neighbourhoods;
use super::{PairForce, Touching};
use crate::contact::closest::point_triangle;
use crate::math::{Vec3, vec3};

const TRIANGLE: [Vec3<f64>; 3] = [
    Vec3 { x: 0.0, y: 0.0, z: 0.0 },
    Vec3 { x: 1.0, y: 0.0, z: 0.0 },
    Vec3 { x: 0.0, y: 1.0, z: 0.0 },
];

/// A vertex above a triangle.
fn above(x: f64, y: f64, height: f64) -> [Vec3<f64>; 4] {
    let [a, b, c] = TRIANGLE;
    [vec3(x, y, height), a, b, c]
}

/// Two edges that cross at a height.
fn crossed(height: f64) -> [Vec3<f64>; 4] {
    [vec3(-1.0, 0.2, height), vec3(1.0, 0.2, height), vec3(0.1, -1.0, 0.0), vec3(0.1, 1.0, 0.0)]
}

fn row_of(kind: Kind, x: [Vec3<f64>; 4], outside: Option<Outside<f64>>) -> Option<Row<f64>> {
    row(kind, x, &nearest(kind, x), 0.1, outside, 0.0)
}

const LAW: Law<f64> = Law { friction: 0.5, h: 1e-3 };
const KINDS: [Kind; 2] = [Kind::VertexTriangle, Kind::EdgeEdge];

#[test]
fn rows_point_from_the_second_to_the_first_and_know_how_deep_they_are() {
    for (kind, at) in KINDS.into_iter().zip([above(0.2, 0.3, 0.06), crossed(0.06)]) {
        let row = row_of(kind, at, None).unwrap();
        assert!((row.normal - vec3(0.0, 0.0, 1.0)).length() < 1e-12, "{row:?}");
        assert!((row.depth - 0.04).abs() < 1e-12 && row.weights.iter().sum::<f64>().abs() < 1e-12);
    }
    // What is farther away than a row looks ahead is none; what is nearer may become one.
    assert!(row_of(Kind::VertexTriangle, above(0.2, 0.3, 0.21), None).is_none());
    assert!(row_of(Kind::VertexTriangle, above(0.2, 0.3, 0.19), None).unwrap().depth < 0.0);
}

#[test]
fn what_has_gone_into_a_solid_is_pushed_out_and_what_lies_beyond_it_is_not() {
    let outside = Outside { direction: vec3(0.0, 0.0, 3.0), reach: 0.15 };
    let inside = row_of(Kind::VertexTriangle, above(0.2, 0.3, -0.05), Some(outside)).unwrap();
    assert!((inside.normal - vec3(0.0, 0.0, 1.0)).length() < 1e-12);
    assert!((inside.depth - 0.15).abs() < 1e-12, "{inside:?}");
    assert!(row_of(Kind::VertexTriangle, above(0.2, 0.3, -0.16), Some(outside)).is_none());
    // A skin has two sides.
    let below = row_of(Kind::VertexTriangle, above(0.2, 0.3, -0.05), None).unwrap();
    assert!((below.normal - vec3(0.0, 0.0, -1.0)).length() < 1e-12);
}

#[test]
fn a_row_alone_stops_what_comes_nearer_and_pulls_at_nothing() {
    for (kind, x) in KINDS.into_iter().zip([above(0.2, 0.3, 0.1), crossed(0.1)]) {
        let row = row_of(kind, x, None).unwrap();
        let first = |v: Vec3<f64>| match kind {
            Kind::VertexTriangle => [v, Vec3::zero(), Vec3::zero(), Vec3::zero()],
            Kind::EdgeEdge => [v, v, Vec3::zero(), Vec3::zero()],
        };
        let inverse = [0.5, 0.5, 0.25, 1.0];
        let mass = split_mass(row.weights, inverse, [1; 4]);
        let begin = Push { anchor: place(kind, row.weights), ..Push::default() };
        let v = first(vec3(0.1, 0.0, -2.0));
        let push = improve(kind, &LAW, &row, x, v, mass, &begin);
        // The velocities after it: along the normal nothing is left.
        let force = push.force(&row);
        let after: [Vec3<f64>; 4] =
            std::array::from_fn(|k| v[k] + force * (LAW.h * inverse[k] * row.weights[k]));
        let relative = combine(row.weights, after);
        assert!(relative.z.abs() < 1e-12 && push.normal > 0.0, "{kind:?}: {relative:?}");
        // Friction is weaker than what stops, so it stops this motion, too.
        assert!(relative.x.abs() < 1e-12, "{kind:?}: {relative:?}");
        let leaving = improve(kind, &LAW, &row, x, first(vec3(0.1, 0.0, 2.0)), mass, &begin);
        assert_eq!((leaving.normal, leaving.pull.length()), (0.0, 0.0));
    }
}

#[test]
fn friction_is_no_stronger_than_coulomb_allows_and_its_anchor_slips_after() {
    for (kind, x) in KINDS.into_iter().zip([above(0.2, 0.3, 0.1), crossed(0.1)]) {
        let row = row_of(kind, x, None).unwrap();
        let mass = split_mass(row.weights, [1.0, 1.0, 0.0, 0.0], [1; 4]);
        let [a, b] = place(kind, row.weights);
        let begin = Push { anchor: [a - 0.2, b + 0.1], ..Push::default() };
        let v = match kind {
            Kind::VertexTriangle => {
                [vec3(3.0, 1.0, -1.0), Vec3::zero(), Vec3::zero(), Vec3::zero()]
            }
            Kind::EdgeEdge => {
                [vec3(3.0, 1.0, -1.0), vec3(3.0, 1.0, -1.0), Vec3::zero(), Vec3::zero()]
            }
        };
        let push = improve(kind, &LAW, &row, x, v, mass, &begin);
        assert!((push.pull.length() - LAW.friction * push.normal).abs() < 1e-9 * push.normal);
        assert!(push.pull.dot(row.normal).abs() < 1e-9);
        let stretch = |anchor| {
            let all = combine(anchor_weights(kind, anchor), x);
            (all - row.normal * row.normal.dot(all)).length()
        };
        let anchor = slipped(kind, &LAW, &row, x, mass, &push);
        assert!(stretch(anchor) < 0.5 * stretch(push.anchor), "{kind:?}");
        // What it can hold, it holds.
        let strong = Push { normal: 1e9, ..push };
        assert_eq!(slipped(kind, &LAW, &row, x, mass, &strong), push.anchor);
    }
}

#[test]
fn corners_share_their_mass_among_their_rows() {
    let weights: [f64; 4] = [1.0, -0.5, -0.25, -0.25];
    let alone = split_mass(weights, [1.0; 4], [1; 4]);
    assert!((split_mass(weights, [1.0; 4], [3; 4]) - alone / 3.0).abs() < 1e-12);
    assert_eq!(split_mass(weights, [0.0; 4], [1; 4]), 0.0, "all are locked");
}

/// The surface of a cube, two triangles a side, outward.
fn cube() -> (Vec<Vec3<f64>>, Vec<[u32; 3]>) {
    let corner = |i: usize| vec3((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    ((0..8).map(corner).collect(), triangles)
}

#[test]
fn one_part_of_a_surface_answers_for_every_place_round_it() {
    let (points, triangles) = cube();
    let round = Neighbourhoods::new(points.len(), &triangles);
    // No place is just above an edge.
    let steps = |from: f64, step: f64| (0..13).map(move |i| from + step * f64::from(i));
    for x in steps(-0.203, 0.1171) {
        for y in steps(-0.201, 0.1163) {
            for z in steps(-0.207, 0.1159) {
                let at = vec3(x, y, z);
                let is_inside = [x, y, z].iter().all(|c| (0.0..=1.0).contains(c));
                if is_inside {
                    continue;
                }
                let all = triangles.iter().enumerate().map(|(t, corners)| {
                    let nearest = point_triangle(at, corners.map(|v| points[v as usize]));
                    let place = |v: u32| points[v as usize];
                    let answers = round.answers(t, *corners, nearest.second, at, place);
                    (nearest.distance(), answers)
                });
                let all: Vec<(f64, bool)> = all.collect();
                let distance = all.iter().map(|(d, _)| *d).fold(f64::INFINITY, f64::min);
                let count =
                    all.iter().filter(|(d, answers)| *answers && *d < distance + 1e-9).count();
                assert_eq!(count, 1, "{at:?}: {all:?}");
            }
        }
    }
}

#[test]
fn pairs_of_bodies_add_up_to_what_both_feel() {
    let contact = |bodies, force| Touching {
        kind: Kind::EdgeEdge,
        bodies,
        corners: [0, 1, 2, 3],
        point: [0.0; 3],
        normal: [0.0, 0.0, 1.0],
        gap: 0.0,
        force,
    };
    let contacts = [
        contact([2, 1], [0.0, 0.0, 3.0]),
        contact([1, 2], [1.0, 0.0, -2.0]),
        contact([1, 2], [0.0; 3]),
        contact([0, 0], [0.0, 5.0, 0.0]),
    ];
    let pairs = PairForce::sum(&contacts);
    let within = PairForce { bodies: [0, 0], contacts: 1, force: [0.0; 3] };
    let between = PairForce { bodies: [1, 2], contacts: 2, force: [1.0, 0.0, -5.0] };
    assert_eq!(pairs, [within, between]);
}
