//! What calibrating makes of sound and of broken meshes. That it is right is shown by tension tests in
//! `pliant-lab`, which know nothing of it.

use pliant_mesh::Mesh;
use pliant_mesh::shapes::{self, Split};

use super::super::compile::compile;
use super::*;
use crate::model::Model;
use crate::scene::{Body, Mass, Material, Scene, Source, Stiffness, Volume};

fn of(mesh: &Mesh, poisson: f64) -> Calibrated {
    calibrate(&mesh.points, &mesh.tets, 1.0, poisson)
}

fn bar() -> Mesh {
    shapes::irregular_bar([8, 2, 2], [0.4, 0.1, 0.1], 3).unwrap()
}

/// Largest deviation of the moduli, relative.
fn deviation(a: Moduli, b: Moduli) -> f64 {
    (a.springs / b.springs - 1.0).abs().max((a.volume / b.volume - 1.0).abs())
}

#[test]
fn ideal_moduli_are_those_of_lame() {
    for poisson in [0.25, 0.3, 0.49] {
        let Moduli { springs, volume } = ideal(poisson);
        let (mu, lambda) = (0.4 * springs, 0.4 * springs + volume);
        let young = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
        assert!((young - 1.0).abs() < 1e-12, "{young}");
        assert!((0.5 * lambda / (lambda + mu) - poisson).abs() < 1e-12);
    }
}

#[test]
fn size_and_place_do_not_matter_and_twice_is_the_same() {
    let mesh = bar();
    let found = of(&mesh, 0.4);
    assert_eq!(found.problem, None);
    assert_eq!(found, of(&mesh, 0.4));
    let mut moved = mesh.clone();
    moved.points.iter_mut().for_each(|p| *p = [1e-4 * p[0] + 0.3, 1e-4 * p[1] - 7.0, 1e-4 * p[2]]);
    assert!(deviation(found.moduli, of(&moved, 0.4).moduli) < 1e-5);
    let harder = calibrate(&mesh.points, &mesh.tets, 3e5, 0.4).moduli;
    assert!((harder.springs / found.moduli.springs / 3e5 - 1.0).abs() < 1e-6);
}

#[test]
fn the_length_of_a_turned_bar_counts() {
    let mesh = shapes::bar([12, 3, 3], [0.4, 0.1, 0.1], Split::Six);
    let mut turned = mesh.clone();
    turned.points.iter_mut().for_each(|p| {
        let [x, y, z] = *p;
        *p = [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y, z];
    });
    assert!(deviation(of(&mesh, 0.4).moduli, of(&turned, 0.4).moduli) < 1e-3);
}

#[test]
fn parts_that_are_apart_are_measured_together() {
    let mesh = bar();
    let mut two = mesh.clone();
    let count = mesh.points.len() as u32;
    two.points.extend(mesh.points.iter().map(|p| [p[0], p[1], p[2] + 0.11]));
    two.tets.extend(mesh.tets.iter().map(|t| t.map(|v| v + count)));
    assert!(deviation(of(&mesh, 0.4).moduli, of(&two, 0.4).moduli) < 0.02);
}

#[test]
fn slivers_and_flat_tetrahedra_do_no_harm() {
    let mesh = bar();
    let found = of(&mesh, 0.45).moduli;
    let mut bad = mesh.clone();
    let [a, b, c, _] = mesh.tets[0];
    let middle = |k: usize| {
        (mesh.points[a as usize][k] + mesh.points[b as usize][k] + mesh.points[c as usize][k]) / 3.0
    };
    let flat = bad.points.len() as u32;
    bad.points.push([middle(0), middle(1), middle(2)]);
    bad.tets.push([a, b, c, flat]);
    assert!(deviation(found, of(&bad, 0.45).moduli) < 0.02);
    bad.points[flat as usize][1] += 1e-9;
    assert!(deviation(found, of(&bad, 0.45).moduli) < 0.02);
}

#[test]
fn what_has_no_volume_gets_ideal_moduli_and_a_warning() {
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    for points in [flat, [[1.0; 3]; 4]] {
        let found = calibrate(&points, &[[0, 1, 2, 3]], 1.0, 0.4);
        assert_eq!(found.moduli, ideal(0.4));
        assert!(found.problem.unwrap().contains("could not be measured"));
    }
}

#[test]
fn what_a_mesh_cannot_have_is_said() {
    // In a column of these, slanted edges draw the horizontal ones together.
    let corners = [[0.5, 0.0, 0.0], [-0.5, 0.0, 0.0], [0.0, -0.5, 1.0], [0.0, 0.5, 1.0]];
    let points: Vec<[f64; 3]> = (0..20)
        .map(|i| (corners[i % 4], (i / 4) as f64))
        .map(|([x, y, z], k)| [x, y, z + 2.0 * k])
        .collect();
    let tets: Vec<[u32; 4]> = (0..5).map(|i| [0, 1, 2, 3].map(|v| 4 * i + v)).collect();
    let found = calibrate(&points, &tets, 1.0, 0.25);
    assert_eq!(found.moduli.volume, 0.0);
    let problem = found.problem.unwrap();
    assert!(problem.contains("Poisson's ratio 0.364 instead of 0.25"), "{problem}");
    // Cells four times as long as wide, in a cube: their directions differ.
    let mesh = shapes::bar([2, 8, 8], [1.0; 3], Split::Five);
    let problem = of(&mesh, 0.3).problem.unwrap();
    assert!(problem.contains("depending on the direction"), "{problem}");
}

#[test]
fn large_bodies_are_measured_on_pieces() {
    let size = [0.4, 0.1, 0.1];
    let small = of(&shapes::irregular_bar([40, 10, 10], size, 1).unwrap(), 0.4).moduli;
    let mesh = shapes::irregular_bar([64, 16, 16], size, 1).unwrap();
    assert!(mesh.tets.len() > 98_000);
    let start = std::time::Instant::now();
    let found = of(&mesh, 0.4);
    println!("{:?} after {:?}; of the small one {small:?}", found, start.elapsed());
    assert!(deviation(found.moduli, small) < 0.03);
    assert_eq!(found, of(&mesh, 0.4));
}

fn compiled(stiffness: Stiffness, volume: Volume) -> (Mesh, Model) {
    let mesh = bar();
    let material =
        Material { mass: Mass::Density(1000.0), stiffness, volume, ..Material::default() };
    let source = Source::Inline(mesh.clone());
    let body = Body { name: "bar".into(), source, material, ..Body::default() };
    let model = compile(&Scene { bodies: vec![body], ..Scene::default() }).unwrap();
    (mesh, model)
}

#[test]
fn without_a_ratio_young_means_what_it_meant() {
    let cases = [
        (Stiffness::Young(3e4), Volume::Auto, 3e4),
        (Stiffness::Young(3e4), Volume::Energy(7e4), 7e4),
        (Stiffness::Spring(2.5), Volume::Auto, 10.0),
    ];
    for (stiffness, volume, modulus) in cases {
        let (mesh, model) = compiled(stiffness, volume);
        for (&ends, &[k, k_rest]) in model.springs.iter().zip(&model.spring) {
            let [a, b] = ends.map(|v| model.vertex_order[v as usize]);
            let around =
                mesh.tets.iter().enumerate().filter(|(_, t)| t.contains(&a) && t.contains(&b));
            let [p, q] = [a, b].map(|v| Vec3::<f64>::from(mesh.points[v as usize]));
            let stiffness = match stiffness {
                Stiffness::Spring(k) => around.map(|_| k).fold(0.0, |s, k| s + k),
                Stiffness::Cloth(_) => unreachable!("cloth has no tetrahedra"),
                Stiffness::Young(e) => {
                    let of = |t: usize| pliant_mesh::geometry::signed_volume(mesh.tet_points(t));
                    let length = if a < b { (q - p).length() } else { (p - q).length() };
                    around.map(|(t, _)| e * of(t)).fold(0.0, |s, k| s + k) / (length * length)
                }
            };
            let [p, q] = ends.map(|v| Vec3::<f64>::of(model.rest[v as usize].map(f64::from)));
            assert_eq!(k, stiffness as f32);
            assert_eq!(k_rest, (stiffness * (q - p).length()) as f32);
        }
        for (t, &[a, b]) in model.volume.iter().enumerate() {
            let rest = six_volumes(model.rest_corners(t));
            let expected = modulus / (6.0 * rest);
            assert_eq!([a, b], [expected as f32, (expected * rest) as f32]);
        }
    }
}

#[test]
fn parts_of_tetrahedra_add_up_to_the_springs() {
    let (_, model) = compiled(Stiffness::Young(3e4), Volume::Poisson(0.4));
    assert_ne!(model.bodies[0].spring_modulus, 3e4);
    let all: f64 = (0..model.tets.len()).flat_map(|t| model.stiffness_share(t)).sum();
    let springs: f64 = model.spring.iter().map(|&[k, _]| f64::from(k)).sum();
    assert!((all / springs - 1.0).abs() < 1e-6, "{all} {springs}");
}
