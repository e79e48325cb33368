//! The formulas against independent facts.

use super::VolumeForm;
use super::formula::*;
use crate::math::{Vec3, vec3};

const X: [Vec3<f64>; 4] = [
    Vec3 { x: 0.1, y: -0.2, z: 0.05 },
    Vec3 { x: 1.2, y: 0.1, z: -0.1 },
    Vec3 { x: -0.1, y: 0.9, z: 0.2 },
    Vec3 { x: 0.2, y: 0.3, z: 1.3 },
];

/// Minus the central difference of `energy` with respect to corner `k`.
fn minus_gradient(x: [Vec3<f64>; 4], k: usize, energy: impl Fn([Vec3<f64>; 4]) -> f64) -> [f64; 3] {
    let h = 1e-5;
    [vec3(h, 0.0, 0.0), vec3(0.0, h, 0.0), vec3(0.0, 0.0, h)].map(|step| {
        let (mut up, mut down) = (x, x);
        up[k] += step;
        down[k] -= step;
        (energy(down) - energy(up)) / (2.0 * h)
    })
}

fn assert_close(a: Vec3<f64>, b: [f64; 3], tolerance: f64) {
    let distance = (a - b.into()).length();
    assert!(distance <= tolerance, "{a:?} and {b:?} differ by {distance}");
}

#[test]
fn spring_force_is_minus_the_energy_gradient() {
    let (k, rest) = (310.0, 0.7);
    let force = spring_force(X[1] - X[0], k, k * rest);
    let expected = minus_gradient(X, 0, |x| spring_energy(x[1] - x[0], k, rest));
    assert_close(force, expected, 1e-6);
}

#[test]
fn stretched_spring_pulls_and_short_spring_pushes() {
    let pull = spring_force(vec3(2.0, 0.0, 0.0), 3.0, 3.0 * 1.5);
    assert_close(pull, [1.5, 0.0, 0.0], 1e-15);
    let push = spring_force(vec3(0.0, 1.0, 0.0), 3.0, 3.0 * 1.5);
    assert_close(push, [0.0, -1.5, 0.0], 1e-15);
}

#[test]
fn elements_without_extent_give_no_force() {
    let none = Vec3::<f32>::zero();
    assert_eq!(spring_force(none, 1e5, 1e5), none);
    assert_eq!(spring_damping_force(none, vec3(1.0, 2.0, 3.0), 1e5), none);
    for force in volume_forces([vec3(1.0f32, 2.0, 3.0); 4], 4.0, 1e6, VolumeForm::Thesis) {
        assert_eq!(force, none);
    }
}

#[test]
fn damping_acts_along_the_spring_only() {
    let l = vec3(0.0, 0.0, 2.0);
    let away = spring_damping_force(l, vec3(5.0, 0.0, 3.0), 0.5);
    assert_close(away, [0.0, 0.0, 1.5], 1e-15);
}

#[test]
fn volume_force_is_minus_the_energy_gradient() {
    for rest_volume in [0.2, -0.2] {
        let [a, b] = energy_coefficients(900.0, [6.0 * rest_volume, 1.2]);
        let forces = volume_forces(X, a, b, VolumeForm::Energy);
        for k in 0..4 {
            let energy = |x| volume_energy(x, a, b, VolumeForm::Energy);
            assert_close(forces[k], minus_gradient(X, k, energy), 1e-5);
        }
        let sum = forces.into_iter().fold(Vec3::zero(), |sum, f| sum + f);
        assert_close(sum, [0.0; 3], 1e-12);
    }
}

#[test]
fn volume_energy_is_the_documented_one() {
    let (stiffness, rest_volume) = (900.0, 0.2);
    let [a, b] = energy_coefficients(stiffness, [6.0 * rest_volume; 2]);
    let v = six_volumes(X) / 6.0;
    let expected = 0.5 * stiffness * (v - rest_volume).powi(2) / rest_volume;
    assert!((volume_energy(X, a, b, VolumeForm::Energy) - expected).abs() < 1e-10 * expected);
    let [a, b] = thesis_coefficients(stiffness, 6.0 * rest_volume);
    let expected = 0.5 * stiffness * (v - rest_volume).powi(2);
    assert!((volume_energy(X, a, b, VolumeForm::Thesis) - expected).abs() < 1e-10 * expected);
}

#[test]
fn thesis_force_is_stiffness_times_volume_change_along_the_outward_normal() {
    // The unit corner: volume 1/6; the face opposite corner 0 looks along (1, 1, 1).
    let x: [Vec3<f64>; 4] =
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::of);
    let [a, b] = thesis_coefficients(25.0, 0.6);
    let strength = 25.0 * (1.0 / 6.0 - 0.1);
    let forces = volume_forces(x, a, b, VolumeForm::Thesis);
    assert_close(forces[0], [strength / 3f64.sqrt(); 3], 1e-12);
    assert_close(forces[1], [-strength, 0.0, 0.0], 1e-12);
    assert_close(forces[2], [0.0, -strength, 0.0], 1e-12);
    assert_close(forces[3], [0.0, 0.0, -strength], 1e-12);
}
