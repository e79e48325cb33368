//! Stress of a device against the host's, from the same states.

use pliant_gpu::testing;
use pliant_gpu::validate::validate;

use super::TOLERANCE;
use super::gpu::{KERNEL, PICTURE_KERNELS};
use crate::backend::gpu::tests::{BARS, pair};
use crate::math::Vec3;

#[test]
fn the_kernels_are_valid() {
    validate(&KERNEL).unwrap();
    PICTURE_KERNELS.iter().for_each(|kernel| drop(validate(kernel).unwrap()));
}

#[test]
fn stress_agrees_on_bent_random_inverted_and_flat_shapes() {
    let Some(gpu) = testing::gpu("stress") else { return };
    let [mut host, mut device] = pair(&gpu, BARS, |_| {});
    let mut seed = 7u32;
    for case in ["rest", "random", "inverted", "flat"] {
        let mut state = host.state();
        for p in &mut state.position {
            match case {
                "random" => {
                    *p = p.map(|c| {
                        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        c + 0.05 * (seed >> 8) as f32 / (1 << 24) as f32
                    })
                }
                "inverted" => p[0] = -p[0],
                "flat" => p[2] = 0.0,
                _ => {}
            }
        }
        host.set_state(&state);
        device.set_state(&state);
        let (a, b) = (host.stress(), device.stress());
        assert_eq!(b, device.stress(), "{case}: two evaluations");
        let (model, x) = (host.model(), host.positions_in_model_order());
        for (t, tet) in model.tets.iter().enumerate() {
            let c = tet.map(|v| Vec3::<f64>::of(x[v as usize].map(f64::from)));
            let share = model.share(t);
            let reach = c.iter().map(|p| p.length()).fold(0.0, f64::max);
            let edge = |i: usize| (c[i] - c[0]).length();
            let w = (c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]).abs();
            let user = model.tet_order[t] as usize;
            if w == 0.0 {
                assert_eq!(a[user], b[user], "{case}, {t}");
                continue;
            }
            let products = edge(1) * edge(2) * edge(3);
            let springs: f64 = share.stiffness.iter().map(|k| k * reach * reach).sum();
            let volume = share.volume[0] * products.max(w) * products.max(w)
                + share.volume[1].abs() * products;
            let volume = volume.max(share.volume[0] * products * reach);
            let tolerance = TOLERANCE * (springs + volume) * 6.0 / w * (1.0 + products / w);
            for k in 0..6 {
                let apart = (a[user].0[k] - b[user].0[k]).abs();
                assert!(apart <= tolerance, "{case}, {t}: {:?} {:?}", a[user], b[user]);
            }
        }
    }
}
