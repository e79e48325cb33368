use pliant_mesh::Mesh;
use pliant_mesh::shapes::{self, Split};

use super::formula::{carried, carried_above, carried_value};
use super::*;
use crate::math::{Vec3, vec3};

/// A detailed ball of radius 0.45 round the middle of a unit box, and the coarse box.
fn ball_in_box() -> (Mesh, Mesh) {
    let mut surface = shapes::rounded_box([1e-3; 3], 0.45, 24).unwrap();
    surface.points.iter_mut().for_each(|p| *p = p.map(|c| c + 0.5));
    (surface, shapes::bar([2, 3, 2], [1.0; 3], Split::Five))
}

fn skin_of(surface: &Mesh, body: &Mesh) -> (Skin, Outside) {
    let carrier = match body.tets.is_empty() {
        true => Carrier::Triangles(&body.triangles),
        false => Carrier::Tets(&body.tets),
    };
    Skin::new(&surface.points, &surface.triangles, &body.points, carrier, 0.1).unwrap()
}

/// Any affine map, with numbers that are not small beside what they move.
fn moved(p: [f64; 3]) -> [f64; 3] {
    [
        0.3 + 1.1 * p[0] - 0.4 * p[1] + 0.2 * p[2],
        -0.2 + 0.5 * p[0] + 0.7 * p[1] - 0.9 * p[2],
        1.0 - 0.2 * p[0] + 0.3 * p[1] + 1.6 * p[2],
    ]
}

fn single(points: &[[f64; 3]]) -> Vec<[f32; 3]> {
    points.iter().map(|p| p.map(|c| c as f32)).collect()
}

/// Largest weight of any corner, the first included.
fn largest_weight(skin: &Skin) -> f64 {
    let sizes = skin.anchors.iter().flat_map(|a| {
        let [u, v, w] = a.weights.map(f64::from);
        [(1.0 - u - v - w).abs(), u.abs(), v.abs(), w.abs()]
    });
    sizes.fold(1.0, f64::max)
}

fn check_affine(surface: &Mesh, body: &Mesh) {
    let (skin, _) = skin_of(surface, body);
    let now: Vec<[f64; 3]> = body.points.iter().map(|&p| moved(p)).collect();
    let found = skin.in_users_order(&skin.positions(&single(&now), 1));
    // Corners and weights are rounded once, and seven operations follow; all are of the size of a weight times the
    // largest coordinate, which is below 4.
    let tolerance = 4.0 * 16.0 / f64::from(1 << 24) * largest_weight(&skin);
    assert_eq!(found.len(), surface.points.len());
    for (found, &p) in found.iter().zip(&surface.points) {
        let want = moved(p);
        for k in 0..3 {
            let apart = (f64::from(found[k]) - want[k]).abs();
            assert!(apart <= tolerance, "{found:?} is not {want:?}: {apart:e} > {tolerance:e}");
        }
    }
}

#[test]
fn affine_motion_is_repeated_to_rounding_within_and_beyond() {
    let (surface, body) = ball_in_box();
    let (_, outside) = skin_of(&surface, &body);
    assert_eq!(outside, Outside::default());
    check_affine(&surface, &body);
    // The same beyond: half of the skin is outside by up to 0.45 m.
    let mut half = body.clone();
    half.points.iter_mut().for_each(|p| p[0] *= 0.5);
    let (_, outside) = skin_of(&surface, &half);
    let most = surface.points.iter().map(|p| p[0] - 0.5).fold(0.0, f64::max);
    assert!((outside.farthest - most).abs() < 1e-9 && outside.count > 300, "{outside:?} {most}");
    check_affine(&surface, &half);
}

#[test]
fn all_threads_give_the_same_bits_and_those_of_the_formula() {
    // More vertices than are worth seven threads.
    let turn = |i: u32| std::f64::consts::PI * f64::from(i) / 400.0;
    let mut profile = vec![[0.0, 0.05]];
    profile.extend((1..400).map(|i| [0.45 * turn(i).sin(), 0.5 - 0.45 * turn(i).cos()]));
    profile.push([0.0, 0.95]);
    let mut surface = shapes::lathe(&profile, 400).unwrap();
    surface.points.iter_mut().for_each(|p| *p = [p[0] + 0.5, p[1] + 0.5, p[2]]);
    assert!(surface.points.len() > 8 * 16 * 1024);
    let body = shapes::bar([2, 3, 2], [1.0; 3], Split::Five);
    let (skin, _) = skin_of(&surface, &body);
    let bend = |p: &[f64; 3]| [p[0] + 0.2 * p[2] * p[2], p[1] * (1.0 + 0.3 * p[0]), p[2]];
    let now = single(&body.points.iter().map(bend).collect::<Vec<_>>());
    let one = skin.carry(&now, 1);
    for threads in [2, 3, 7] {
        assert_eq!(skin.carry(&now, threads), one, "{threads} threads");
        assert_eq!(skin.positions(&now, threads), one.positions, "{threads} threads");
    }
    let mut reused = one.clone();
    skin.carry_into(&now, 2, &mut reused);
    assert_eq!(reused, one);
    // Each vertex by itself, in double precision.
    let place = |v: u32| Vec3::<f64>::of(now[v as usize].map(f64::from));
    let places: Vec<Vec3<f64>> = (skin.anchors.iter())
        .map(|a| carried(a.corners.map(place), a.weights.map(f64::from)))
        .collect();
    let mut areas = vec![Vec3::<f64>::zero(); places.len()];
    for t in &skin.triangles {
        let [a, b, c] = t.map(|v| places[v as usize]);
        let area = (b - a).cross(c - a);
        t.iter().for_each(|&v| areas[v as usize] += area);
    }
    for (i, (place, area)) in places.iter().zip(&areas).enumerate() {
        let [found, normal] = [one.positions[i], one.normals[i]].map(|v| v.map(f64::from));
        let apart = (Vec3::<f64>::of(found) - *place).length();
        assert!(apart < 16.0 / f64::from(1 << 24), "{found:?} {place:?}");
        // Edges are 3.5 mm and of thin triangles at the poles 0.03 mm, from coordinates of 1 good to 2⁻²⁴.
        let off = (Vec3::<f64>::of(normal) - *area * (1.0 / area.length())).length();
        assert!(off < 0.02, "vertex {i}: {normal:?} {area:?}");
    }
}

#[test]
fn triangles_carry_what_is_above_them_and_turn_it_along() {
    let sheet = shapes::cloth([4, 4], [1.0, 1.0]).unwrap();
    let mut surface = shapes::cloth([9, 9], [0.8, 0.8]).unwrap();
    surface.points.iter_mut().for_each(|p| *p = [p[0] + 0.1, p[1] + 0.1, 0.05]);
    let (skin, outside) = skin_of(&surface, &sheet);
    assert!(skin.is_on_triangles && outside.count == 0);
    // Stood up: x stays, y becomes z, and what was above is in front.
    let turned: Vec<[f64; 3]> = sheet.points.iter().map(|p| [p[0], -p[2], p[1]]).collect();
    let found = skin.in_users_order(&skin.positions(&single(&turned), 1));
    for (found, p) in found.iter().zip(&surface.points) {
        let want = [p[0], -0.05, p[1]];
        let apart = (0..3).map(|k| (f64::from(found[k]) - want[k]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-6, "{found:?} {want:?}");
    }
    // A triangle that has collapsed has no side.
    let point = vec3(1.0f32, 2.0, 3.0);
    assert_eq!(carried_above([point; 3], [0.3, 0.3, 0.1]), point);
}

#[test]
fn values_stay_within_those_of_the_corners() {
    let weights = [0.25, 0.25, 0.25];
    assert_eq!(carried_value([1.0, 2.0, 3.0, 4.0], weights), 2.5);
    assert_eq!(carried_value([1.0, 2.0, 3.0, 4.0], [-5.0, 0.0, 0.0]), 1.0);
    assert_eq!(carried_value([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 9.0]), 4.0);
    let (surface, body) = ball_in_box();
    let (skin, _) = skin_of(&surface, &body);
    let mut values: Vec<f32> = body.points.iter().map(|p| moved(*p)[0] as f32).collect();
    let found = skin.in_users_order(&skin.values(&values));
    for (found, p) in found.iter().zip(&surface.points) {
        assert!((f64::from(*found) - moved(*p)[0]).abs() < 1e-5);
    }
    let vectors = skin.vectors(&single(&body.points));
    assert_eq!(vectors, skin.positions(&single(&body.points), 1));
    values[skin.anchors[0].corners[2] as usize] = f32::NAN;
    let found = skin.values(&values);
    assert!(found[0].is_nan() && found.iter().any(|v| v.is_finite()));
}

#[test]
fn odd_surfaces_are_carried_too() {
    let body = shapes::bar([1; 3], [1.0; 3], Split::Five);
    let now = single(&body.points);
    // A triangle of no size, a vertex that nothing uses, and an edge of three triangles.
    let points = vec![[0.5; 3], [0.6; 3], [0.1; 3], [0.2, 0.7, 0.3], [0.9, 0.1, 0.2], [0.3; 3]];
    let triangles = vec![[0, 0, 1], [0, 1, 3], [0, 1, 4], [1, 0, 2]];
    let surface = Mesh { points, triangles, ..Mesh::default() };
    let (skin, _) = skin_of(&surface, &body);
    assert_eq!(skin.users_triangles(), surface.triangles);
    let found = skin.carry(&now, 2);
    let normals = skin.in_users_order(&found.normals);
    assert_eq!(normals[5], [0.0, 0.0, 1.0], "nothing uses it");
    assert!(normals.iter().flatten().all(|c| c.is_finite()));
    let nothing = Skin::new(&[], &[], &body.points, Carrier::Tets(&body.tets), 0.1).unwrap().0;
    assert_eq!(nothing.carry(&now, 4), cpu::Carried::default());
    assert!(Skin::new(&surface.points, &[], &body.points, Carrier::Tets(&[]), 0.1).is_none());
}

#[cfg(feature = "gpu")]
#[test]
fn the_kernel_is_sound() {
    pliant_gpu::validate::validate(&gpu::KERNEL).unwrap();
}
