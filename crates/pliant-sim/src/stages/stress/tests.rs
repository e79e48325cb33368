use super::*;
use crate::math::vec3;

fn corners() -> [Vec3<f64>; 4] {
    [vec3(0.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)]
}

fn share(form: VolumeForm) -> Share {
    let c = corners();
    let lengths = TET_EDGES.map(|[a, b]| (c[b] - c[a]).length());
    Share { stiffness: [0.0; 6], lengths, volume: [0.0; 2], form }
}

#[test]
fn pressure_of_the_energy_form_is_its_modulus_times_dilation() {
    let mut s = share(VolumeForm::Energy);
    let (modulus, rest) = (5000.0, 1.0 / 6.0);
    s.volume = [modulus / (36.0 * rest), modulus / 6.0];
    let swollen = corners().map(|c| c * 1.02);
    let sigma = stress(swollen, &s);
    let expected = modulus * (1.02f64.powi(3) - 1.0);
    for k in 0..3 {
        assert!((sigma.0[k] - expected).abs() < 1e-9 * expected, "{sigma:?}");
    }
    assert!(sigma.von_mises() < 1e-9 * expected);
}

#[test]
fn stress_is_the_derivative_of_the_energy_by_strain() {
    // E(F)/V with springs and volume; σ·V = dE/dε for a small stretch of the present shape.
    let mut s = share(VolumeForm::Energy);
    s.stiffness = [3.0, 2.0, 5.0, 1.0, 4.0, 2.5];
    s.volume = [7.0, 6.5];
    let shape =
        [vec3(0.1, 0.0, 0.0), vec3(1.1, 0.2, 0.1), vec3(-0.1, 0.9, 0.2), vec3(0.05, 0.1, 1.2)];
    let energy = |c: [Vec3<f64>; 4]| {
        let springs: f64 = TET_EDGES
            .iter()
            .enumerate()
            .map(|(k, &[a, b])| {
                0.5 * s.stiffness[k] * ((c[b] - c[a]).length() - s.lengths[k]).powi(2)
            })
            .sum();
        let w = (c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]);
        springs + 0.5 * s.volume[0] * w * w - s.volume[1] * w
    };
    let volume = (shape[1] - shape[0]).cross(shape[2] - shape[0]).dot(shape[3] - shape[0]) / 6.0;
    let sigma = stress(shape, &s);
    let h = 1e-6;
    let stretch = |e: f64| energy(shape.map(|c| vec3(c.x * (1.0 + e), c.y, c.z)));
    let xx = (stretch(h) - stretch(-h)) / (2.0 * h) / volume;
    assert!((sigma.0[0] - xx).abs() < 1e-6 * xx.abs().max(1.0), "{} {xx}", sigma.0[0]);
    let shear = |e: f64| energy(shape.map(|c| vec3(c.x + e * c.y, c.y + e * c.x, c.z)));
    let xy = (shear(h) - shear(-h)) / (4.0 * h) / volume;
    assert!((sigma.0[5] - xy).abs() < 1e-6 * xy.abs().max(1.0), "{} {xy}", sigma.0[5]);
}

#[test]
fn at_rest_there_is_none_and_flat_tetrahedra_give_zero() {
    let mut s = share(VolumeForm::Thesis);
    s.stiffness = [2.0; 6];
    s.volume = [25.0 / 6.0, 25.0 / 6.0];
    assert!(stress(corners(), &s).von_mises() < 1e-12);
    assert_eq!(stress([vec3(0.0, 0.0, 0.0); 4], &s), Stress::default());
}
