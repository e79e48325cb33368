use super::*;
use crate::shapes::{Split, bar, cloth};

/// Numbers between -1 and 1 that are the same everywhere.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn carried(points: &[[f64; 3]], anchor: &Anchor) -> [f64; 3] {
    let [a, b, c, d] = anchor.corners.map(|v| points[v as usize]);
    let [u, v, w] = anchor.weights;
    std::array::from_fn(|k| a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]) + w * (d[k] - a[k]))
}

/// Any affine map.
fn moved(p: [f64; 3]) -> [f64; 3] {
    [
        0.3 + 1.1 * p[0] - 0.4 * p[1] + 0.2 * p[2],
        -2.0 + 0.5 * p[0] + 0.7 * p[1] - 0.9 * p[2],
        1.0 - 0.2 * p[0] + 0.3 * p[1] + 1.6 * p[2],
    ]
}

#[test]
fn affine_motion_is_repeated_within_and_beyond() {
    let mesh = bar([4, 3, 2], [2.0, 1.5, 1.0], Split::Five);
    let mut seed = 7;
    let mut places = Vec::new();
    for _ in 0..4000 {
        let mut along = |size: f64| size * (0.5 + 0.9 * random(&mut seed));
        places.push([along(2.0), along(1.5), along(1.0)]);
    }
    let anchors = embed(&mesh.points, Carrier::Tets(&mesh.tets), &places).unwrap();
    let now: Vec<[f64; 3]> = mesh.points.iter().map(|&p| moved(p)).collect();
    let mut outside = 0;
    for (&p, anchor) in places.iter().zip(&anchors) {
        let beyond = Extent { low: [0.0; 3], high: [2.0, 1.5, 1.0] }.square_to(p).sqrt();
        assert!((anchor.distance - beyond).abs() < 1e-12, "{p:?}: {} {beyond}", anchor.distance);
        outside += usize::from(beyond > 0.0);
        let sum: f64 = anchor.weights.iter().sum();
        let is_within = sum <= 1.0 + 1e-12 && anchor.weights.iter().all(|w| *w >= -1e-12);
        assert_eq!(is_within, beyond == 0.0, "{p:?} {anchor:?}");
        let (got, want) = (carried(&now, anchor), moved(p));
        for k in 0..3 {
            assert!((got[k] - want[k]).abs() < 1e-12, "{p:?}: {got:?} is not {want:?}");
        }
    }
    assert!((1000..3800).contains(&outside), "{outside}");
}

#[test]
fn the_tree_finds_what_a_look_at_everything_finds() {
    let mesh = crate::shapes::ball(1.0, 0.35).unwrap();
    let mut seed = 3;
    for _ in 0..400 {
        let p = [(); 3].map(|()| 1.6 * random(&mut seed));
        let anchor = embed(&mesh.points, Carrier::Tets(&mesh.tets), &[p]).unwrap()[0];
        let square = |t: &[u32; 4]| square_to_tet(t.map(|v| mesh.points[v as usize]), p);
        let least = mesh.tets.iter().map(square).fold(f64::INFINITY, f64::min).sqrt();
        assert_eq!(anchor.distance, least, "{p:?}");
    }
}

#[test]
fn triangles_carry_places_above_and_beside_them() {
    let mesh = cloth([5, 4], [1.0, 0.8]).unwrap();
    let places = [[0.33, 0.41, 0.07], [0.5, 0.5, -0.02], [1.2, 0.3, 0.1], [0.0, 0.0, 0.0]];
    let anchors = embed(&mesh.points, Carrier::Triangles(&mesh.triangles), &places).unwrap();
    for (p, anchor) in places.iter().zip(&anchors) {
        assert_eq!(anchor.corners[3], anchor.corners[0]);
        let flat = carried(&mesh.points, anchor);
        assert!((flat[0] - p[0]).abs() < 1e-12 && (flat[1] - p[1]).abs() < 1e-12, "{flat:?}");
        assert!((anchor.weights[2] - p[2]).abs() < 1e-12 && flat[2].abs() < 1e-12);
    }
    assert!((anchors[2].distance - 0.2f64.hypot(0.1)).abs() < 1e-12);
}

#[test]
fn slivers_carry_nothing_while_there_is_better() {
    let mut mesh = bar([1; 3], [1.0; 3], Split::Five);
    let first = mesh.points.len() as u32;
    // A flat tetrahedron just outside, which would magnify what it carries.
    mesh.points.extend([[1.1, 0.0, 0.0], [1.1, 1.0, 0.0], [1.1, 0.5, 1.0], [1.1 + 1e-6, 0.5, 0.4]]);
    mesh.tets.push([0, 1, 2, 3].map(|k| first + k));
    let p = [1.2, 0.5, 0.5];
    let anchor = embed(&mesh.points, Carrier::Tets(&mesh.tets), &[p]).unwrap()[0];
    assert!(
        anchor.corners.iter().all(|&c| c < first) && anchor.weights.iter().all(|w| w.abs() < 2.0)
    );
    // It is taken where there is nothing else.
    let alone = embed(&mesh.points, Carrier::Tets(&mesh.tets[5..]), &[p]).unwrap()[0];
    assert!(alone.corners.iter().all(|&c| c >= first));
    assert!(
        embed(&mesh.points, Carrier::Tets(&[[0, 0, 1, 2]]), &[p]).is_none(),
        "nothing has a volume"
    );
    assert!(embed(&mesh.points, Carrier::Tets(&[]), &[p]).is_none());
    assert!(embed(&mesh.points, Carrier::Triangles(&[[0, 1, 1]]), &[p]).is_none());
    assert_eq!(embed(&mesh.points, Carrier::Tets(&mesh.tets), &[]), Some(Vec::new()));
}
