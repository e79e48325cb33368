//! Normals and colours against known shapes, and of a device against the host.

use super::*;
use crate::math::vec3;

#[test]
fn large_triangles_count_more_and_flat_ones_nothing() {
    // Two triangles share the edge from the origin along x: one of area 1 in the plane z = 0, one of
    // area 2 in the plane y = 0, and one without area.
    let x = [
        vec3(0.0, 0.0, 0.0),
        vec3(2.0, 0.0, 0.0),
        vec3(0.0, 1.0, 0.0),
        vec3(0.0, 0.0, 2.0),
        vec3(4.0, 0.0, 0.0),
        vec3(9.0, 9.0, 9.0),
    ];
    let normals = vertex_normals::<f64>(&x, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]);
    let expected = vec3(0.0, -2.0, 1.0) * (1.0 / 5.0f64.sqrt());
    assert!((normals[0] - expected).length() < 1e-15);
    assert!((normals[2] - vec3(0.0, 0.0, 1.0)).length() < 1e-15);
    assert_eq!(normals[4], Vec3::zero(), "only a triangle without area");
    assert_eq!(normals[5], Vec3::zero(), "no triangle");
}

#[test]
fn areas_too_small_to_be_squared_have_normals() {
    let s = 1e-12f32;
    let x = [vec3(0.0, 0.0, 0.0), vec3(s, 0.0, 0.0), vec3(0.0, s, 0.0)];
    assert_eq!(vertex_normals(&x, &[[0, 1, 2]])[0], vec3(0.0, 0.0, 1.0));
}

#[test]
fn colours_go_from_grey_to_red_and_no_further() {
    assert_eq!(force_colour([0.0; 3], usable_reference(2.0)), GREY);
    assert_eq!(force_colour([0.0, 5.0, 0.0], usable_reference(2.0)), RED);
    let half = force_colour([0.0, 0.6, 0.8], usable_reference(2.0));
    assert!((0..4).all(|k| (half[k] - 0.5 * (GREY[k] + RED[k])).abs() < 1e-6));
    for odd in [0.0, -1.0, f64::NAN] {
        assert_eq!(force_colour([0.0; 3], usable_reference(odd)), GREY);
        assert_eq!(force_colour([1.0, 0.0, 0.0], usable_reference(odd)), RED);
    }
}

#[cfg(feature = "gpu")]
mod device {
    use pliant_gpu::testing;
    use pliant_gpu::validate::{assert_layout, validate};

    use super::super::gpu::{KERNELS, Palette};
    use super::*;
    use crate::backend::gpu::tests::{BARS, pair};
    use crate::stages::measure::Moment;

    #[test]
    fn kernels_are_valid_and_know_the_host_structs() {
        let [_, colours] = KERNELS.map(|k| validate(&k).unwrap());
        assert_layout::<Palette>(
            &colours,
            "Palette",
            &[
                ("grey", std::mem::offset_of!(Palette, grey)),
                ("red", std::mem::offset_of!(Palette, red)),
                ("reference", std::mem::offset_of!(Palette, reference)),
            ],
        );
    }

    /// How much of the area at each vertex cancels: Σ |area vectors| / |their sum|, and the size of
    /// coordinates against the edges.
    fn conditions(x: &[Vec3<f64>], triangles: &[[u32; 3]]) -> Vec<f64> {
        let (mut sizes, mut sums) = (vec![0.0f64; x.len()], vec![Vec3::zero(); x.len()]);
        for t in triangles {
            let c = t.map(|v| x[v as usize]);
            let area = double_area(c);
            // What rounding works on: products of edges, also where they cancel.
            let size = (c[1] - c[0]).length() * (c[2] - c[0]).length();
            for v in t.map(|v| v as usize) {
                sizes[v] += size;
                sums[v] += area;
            }
        }
        sizes.iter().zip(&sums).map(|(s, n)| s / n.length().max(1e-300)).collect()
    }

    #[test]
    fn normals_and_colours_agree_on_bent_flat_and_random_shapes() {
        let Some(gpu) = testing::gpu("surface") else { return };
        let [mut host, mut device] = pair(&gpu, BARS, |_| {});
        let mut seed = 1u32;
        for case in ["rest", "random", "flat", "point"] {
            let mut state = host.state();
            for p in &mut state.position {
                match case {
                    "random" => {
                        *p = p.map(|c| {
                            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                            c + 0.2 * (seed >> 8) as f32 / (1 << 24) as f32
                        })
                    }
                    "flat" => p[2] = 0.0,
                    "point" => *p = [0.0; 3],
                    _ => {}
                }
            }
            host.set_state(&state);
            device.set_state(&state);
            let (a, b) = (host.normals(), device.normals());
            assert_eq!(b, device.normals(), "{case}: two evaluations");
            assert!(b.iter().flatten().all(|c| c.is_finite()), "{case}");
            let model = host.model();
            let x: Vec<Vec3<f64>> = host
                .positions_in_model_order()
                .into_iter()
                .map(|p| Vec3::of(p.map(f64::from)))
                .collect();
            let condition = conditions(&x, &model.triangles);
            for (m, &user) in model.vertex_order.iter().enumerate() {
                let tolerance = NORMAL_TOLERANCE * condition[m];
                let [p, q] = [&a, &b].map(|n| Vec3::<f64>::of(n[user as usize].map(f64::from)));
                // Where all of it cancels there is no telling.
                let apart = (p - q).length();
                assert!(tolerance > 1.0 || apart <= tolerance, "{case}, {m}: {p:?} {q:?}");
            }
            if case == "rest" {
                let inside = a.iter().filter(|n| **n == [0.0; 3]).count();
                let inside_too = b.iter().filter(|n| **n == [0.0; 3]).count();
                assert_eq!(inside, inside_too);
                assert!(inside > 0 && inside < a.len(), "{inside} vertices are inside");
            }
            let reference = 0.5;
            let (c, d) = (host.force_colours(reference), device.force_colours(reference));
            let largest = host.forces().iter().flatten().fold(0.0f32, |m, f| m.max(f.abs()));
            // A colour is off by as much as the force is, in parts of the reference.
            let tolerance = 1e-3 + 1e-5 * f64::from(largest) / reference;
            for (a, b) in c.iter().flatten().zip(d.iter().flatten()) {
                let apart = f64::from((a - b).abs());
                assert!(apart <= tolerance, "{case}: {a} and {b}");
            }
            assert_eq!(d, device.force_colours(reference), "{case}: two evaluations");
        }
    }

    #[test]
    fn a_renderer_finds_triangles_normals_and_colours_by_slot() {
        let Some(gpu) = testing::gpu("surface") else { return };
        let [mut host, mut device] = pair(&gpu, BARS, |_| {});
        let (model, world) = (device.model().clone(), device.world().clone());
        let origins = device.origins().to_vec();
        let colours = host.force_colours(1.0);
        let backend = device.gpu_mut().unwrap();
        let slots = backend.layout().slot_of.clone();
        let moment = Moment { world: &world, origins: &origins, h_last: 0.0 };
        let surface = backend.surface(&model, &moment, 1.0).unwrap();
        let corners = surface.triangles.read().unwrap();
        let found = surface.colours.read().unwrap();
        assert_eq!(corners.len(), 3 * model.triangles.len());
        for (c, &v) in corners.iter().zip(model.triangles.iter().flatten()) {
            assert_eq!(*c, slots[v as usize]);
            let user = model.vertex_order[v as usize] as usize;
            let apart = (0..4).map(|k| (found[*c as usize][k] - colours[user][k]).abs());
            assert!(apart.fold(0.0, f32::max) < 1e-3);
        }
    }
}
