//! The drape of a round cloth on a round table, as the textile industry measures it.
//!
//! A cloth with a radius of 15 cm is held by a disc of 9 cm, and what hangs over falls into folds (Cusick 1968). Measured
//! are the part of the hanging ring that still shades the ground (the drape coefficient), the number of folds, their
//! depth, and how low the hem hangs.

use crate::support::*;
use pliant::mesh::Mesh;
use pliant::scene::{Body, Cloth, Damping, Mass, Material, Region, Scene, Stiffness, World};
use std::f64::consts::{PI, TAU};

const TABLE: f64 = 0.09;
const RIM: f64 = 0.15;
/// Waves that are in the cloth from the start, hardly to be seen, so that every mesh falls into the same folds.
const WAVES: f64 = 7.0;

#[derive(Debug)]
struct Drape {
    coefficient: f64,
    folds: usize,
    /// Amplitude of the wave that has as many crests as there are folds, of the hem as seen from above [m].
    depth: f64,
    /// Mean height of the hem, below the table [m].
    hem: f64,
}

/// Rings of triangles round the middle, `free` of them beyond the table. The edges at which it is held resist bending over
/// half a ring to either side, so that this is where the table ends.
fn disc(free: u32) -> (Mesh, f64) {
    let width = (RIM - TABLE) / (f64::from(free) + 0.5);
    let rings = (RIM / width).round() as u32;
    let (held, last) = (TABLE + 0.5 * width, rings - free);
    let radius = |i: u32| match i.checked_sub(last) {
        Some(beyond) => held + f64::from(beyond) * width,
        None => held * f64::from(i) / f64::from(last),
    };
    let mut mesh = Mesh { points: vec![[0.0; 3]], ..Mesh::default() };
    let first = |i: u32| if i == 0 { 0 } else { 1 + 3 * i * (i - 1) };
    for i in 1..=rings {
        for j in 0..6 * i {
            let angle = TAU * f64::from(j) / f64::from(6 * i);
            let (r, height) = (radius(i), 0.05 * (WAVES * angle).cos());
            let z = height * (r - held).max(0.0);
            mesh.points.push([r * angle.cos(), r * angle.sin(), z]);
        }
        let outer = |sixth: u32, j: u32| first(i) + (sixth * i + j) % (6 * i);
        let inner = |sixth: u32, j: u32| match i {
            1 => 0,
            _ => first(i - 1) + (sixth * (i - 1) + j) % (6 * (i - 1)),
        };
        for (s, j) in (0..6).flat_map(|s| (0..i).map(move |j| (s, j))) {
            mesh.triangles.push([inner(s, j), outer(s, j), outer(s, j + 1)]);
            if j + 1 < i {
                mesh.triangles.push([inner(s, j), outer(s, j + 1), inner(s, j + 1)]);
            }
        }
    }
    (mesh, held)
}

fn draped(free: u32, timestep: f64) -> Drape {
    let (mesh, held) = disc(free);
    let cloth = Cloth { stretch: [100.0; 2], shear: 37.0, bending: 3e-5, ..Cloth::default() };
    let material = Material {
        mass: Mass::Density(0.2),
        stiffness: Stiffness::Cloth(cloth),
        damping: Damping::Time(1e-4),
        ..Material::default()
    };
    let locks = vec![Region::Sphere { center: [0.0; 3], radius: held + 1e-6 }];
    let body = Body { locks, ..body(mesh, material) };
    let world = World { gravity: [0.0, 0.0, -9.81], timestep, damping: 6.0, ..space() };
    let mut sim = On::cpu().simulator(&Scene { world, ..scene(body, space()) });
    sim.advance((2.0 / timestep).round() as u64).unwrap();
    let positions = sim.positions();
    let rings = (RIM / ((RIM - TABLE) / (f64::from(free) + 0.5))).round() as usize;
    let hem = &positions[positions.len() - 6 * rings..];
    let next = |i: usize| hem[(i + 1) % hem.len()];
    let shade =
        0.5 * (0..hem.len()).map(|i| hem[i][0] * next(i)[1] - next(i)[0] * hem[i][1]).sum::<f64>();
    let table = PI * TABLE * TABLE;
    let amplitude = |waves: usize| {
        let part = |turn: fn(f64) -> f64| {
            let at = |i: usize| TAU * (waves * i) as f64 / hem.len() as f64;
            (0..hem.len()).map(|i| hem[i][0].hypot(hem[i][1]) * turn(at(i))).sum::<f64>()
        };
        2.0 * part(f64::cos).hypot(part(f64::sin)) / hem.len() as f64
    };
    let folds = (2..16).max_by(|&a, &b| amplitude(a).total_cmp(&amplitude(b))).unwrap();
    Drape {
        coefficient: (shade - table) / (PI * RIM * RIM - table),
        folds,
        depth: amplitude(folds),
        hem: -hem.iter().map(|p| p[2]).sum::<f64>() / hem.len() as f64,
    }
}

#[test]
fn finer_meshes_change_the_drape_less_and_less() {
    let mut steps = vec![(3, 2e-4), (5, 1e-4), (7, 1e-4)];
    if std::env::var_os("PLIANT_FULL").is_some() {
        steps.push((10, 5e-5));
    }
    let drapes: Vec<Drape> = steps.iter().map(|&(free, timestep)| draped(free, timestep)).collect();
    println!("{drapes:#?}");
    assert!(drapes.iter().all(|drape| drape.folds == WAVES as usize), "{drapes:?}");
    let changes = |of: fn(&Drape) -> f64| -> Vec<f64> {
        drapes.windows(2).map(|pair| (of(&pair[1]) - of(&pair[0])).abs()).collect()
    };
    for (name, changes, most) in [
        ("drape coefficient", changes(|drape| drape.coefficient), 0.0015),
        ("height of the hem", changes(|drape| drape.hem), 0.7e-3),
        ("depth of folds", changes(|drape| drape.depth), 0.1e-3),
    ] {
        // What is left of motion in depths is a part of the smallest changes.
        let is_less = changes.windows(2).all(|pair| pair[1] < 0.7 * pair[0] || pair[1] < 0.05e-3);
        assert!(is_less && changes[1] < most, "{name}: {changes:?}");
    }
}
