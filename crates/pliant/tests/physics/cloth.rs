//! Statements about woven cloth.

use crate::support::*;
use pliant::mesh::{Mesh, shapes};
use pliant::scene::{
    BendSprings, Body, Cloth, Damping, Integrator, Mass, Material, Region, Rotation, Scene,
    Stiffness, World,
};
use pliant::{Backend, Simulator};

const GRAVITY: f64 = 9.81;

fn fabric(mesh: Mesh, density: f64, cloth: Cloth) -> Body {
    let material = Material {
        mass: Mass::Density(density),
        stiffness: Stiffness::Cloth(cloth),
        damping: Damping::Time(1e-4),
        ..Material::default()
    };
    body(mesh, material)
}

fn hanging(body: Body, timestep: f64, damping: f64) -> Scene {
    let world = World { gravity: [0.0, 0.0, -GRAVITY], timestep, damping, ..space() };
    Scene { world, ..scene(body, space()) }
}

/// Points of a mesh on one side of a plane across x.
fn beyond(x: f64, sign: f64) -> Region {
    Region::HalfSpace { point: [x, 0.0, 0.0], normal: [sign, 0.0, 0.0] }
}

/// A sheet hung by one edge gets longer by ρ g L²/2E.
pub fn a_hung_cloth_is_as_stretchy_as_it_should_be(on: &On) {
    let (size, density) = (0.4, 0.5);
    for (warp, asked) in [([1.0, 0.0, 0.0], 100.0), ([0.0, 1.0, 0.0], 60.0)] {
        let cloth =
            Cloth { stretch: [100.0, 60.0], shear: 6.0, bend: 0.5, warp, ..Cloth::default() };
        let mesh = shapes::cloth([20, 20], [size; 2]).unwrap();
        let mut body = fabric(mesh, density, cloth);
        // x points down.
        body.rotate = Rotation::Euler([0.0, 90.0, 0.0]);
        body.locks = vec![Region::HalfSpace { point: [0.0, 0.0, -1e-6], normal: [0.0, 0.0, 1.0] }];
        let mut sim = on.simulator(&hanging(body, 2.5e-4, 60.0));
        let start = sim.positions();
        sim.advance(3000).unwrap();
        let end = sim.positions();
        let low = (0..start.len()).filter(|&v| start[v][2] < -size + 1e-6);
        let moved: Vec<f64> = low.map(|v| start[v][2] - end[v][2]).collect();
        assert_eq!(moved.len(), 21);
        let mean = moved.iter().sum::<f64>() / 21.0;
        let expected = density * GRAVITY * size * size / (2.0 * asked);
        println!("{asked} N/m: {:.3} mm of {:.3}", 1e3 * mean, 1e3 * expected);
        assert!((mean / expected - 1.0).abs() < 0.02, "{mean} instead of {expected}");
        // It hangs straight: both diagonals of its squares hold.
        let aside = (0..start.len()).map(|v| (end[v][1] - start[v][1]).abs()).fold(0.0, f64::max);
        assert!(aside < 0.2 * expected, "{aside}");
    }
}

/// A narrow strip that does not resist folds hangs as a chain does.
pub fn a_hung_strip_is_a_catenary(on: &On) {
    let (cells, span, width) = (30u32, 0.6, 0.02);
    // It begins as an arc of a circle; its length and the distance of its ends are what counts.
    let half_angle = 1.2_f64;
    let radius = 0.5 * span / half_angle.sin();
    let mut mesh = shapes::cloth([cells, 1], [1.0, width]).unwrap();
    for p in &mut mesh.points {
        let angle = half_angle * (2.0 * p[0] - 1.0);
        *p = [radius * angle.sin(), p[1], -radius * (angle.cos() - half_angle.cos())];
    }
    let step = half_angle / f64::from(cells);
    let long = 2.0 * f64::from(cells) * radius * step.sin();
    let cloth = Cloth { stretch: [600.0; 2], shear: 60.0, ..Cloth::default() };
    let mut body = fabric(mesh, 0.3, cloth);
    body.locks = vec![beyond(0.5 * span - 1e-4, 1.0), beyond(-0.5 * span + 1e-4, -1.0)];
    let mut sim = on.simulator(&hanging(body, 1e-4, 8.0));
    sim.advance(15_000).unwrap();
    let sag = -sim.positions().iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    // L = 2 a sinh(d/2a), sag = a (cosh(d/2a) − 1)
    let (mut low, mut high) = (1e-2, 10.0);
    for _ in 0..100 {
        let a: f64 = 0.5 * (low + high);
        match 2.0 * a * (0.5 * span / a).sinh() > long {
            true => low = a,
            false => high = a,
        }
    }
    let expected = low * ((0.5 * span / low).cosh() - 1.0);
    println!("sag {sag:.5} m of {expected:.5}");
    assert!((sag / expected - 1.0).abs() < 0.01, "{sag} instead of {expected}");
}

/// A strip that is clamped at one end and hangs down folds where it is clamped, the less sharply the stiffer its
/// springs against folds are.
pub fn springs_against_folds_make_them_round(on: &On) {
    let cells = [20, 4];
    for bend_springs in [BendSprings::Opposite, BendSprings::Second] {
        let sharpest = |bend: f64| {
            let mesh = shapes::cloth(cells, [0.2, 0.04]).unwrap();
            let cloth =
                Cloth { stretch: [500.0; 2], shear: 50.0, bend, bend_springs, ..Cloth::default() };
            let mut body = fabric(mesh, 0.2, cloth);
            // Two columns, or it would turn about its end.
            body.locks = vec![beyond(0.0101, -1.0)];
            let mut sim = on.simulator(&hanging(body, 1e-4, 10.0));
            sim.advance(6000).unwrap();
            let x = sim.positions();
            let along = |i: u32| {
                let [a, b] = [i, i + 1].map(|i| x[(i * (cells[1] + 1) + 2) as usize]);
                f64::atan2(a[2] - b[2], b[0] - a[0])
            };
            let turns = (0..cells[0] - 1).map(|i| along(i + 1) - along(i));
            turns.fold(0.0, f64::max).to_degrees()
        };
        let turns = [0.0, 5.0, 100.0].map(sharpest);
        println!("{bend_springs:?}: {turns:?} degrees");
        assert!(turns[0] > 70.0 && turns[1] < 0.8 * turns[0] && turns[2] < 0.8 * turns[1]);
    }
}

/// Flat or rolled, turned anyhow: what is at rest stays there, to the last bit on processors.
pub fn cloth_at_rest_stays_at_rest(on: &On) {
    for (name, curl) in [("flat", 0.0), ("rolled", 9.0)] {
        let mut mesh = shapes::cloth([13, 9], [0.6, 0.4]).unwrap();
        if curl > 0.0 {
            for p in &mut mesh.points {
                *p = [(curl * p[0]).sin() / curl, p[1], (1.0 - (curl * p[0]).cos()) / curl];
            }
        }
        let cloth = Cloth { stretch: [400.0, 250.0], shear: 40.0, bend: 3.0, ..Cloth::default() };
        let mut body = fabric(mesh, 0.2, cloth);
        body.rotate = Rotation::Euler([13.0, 57.0, -31.0]);
        body.translate = [3.0, -2.0, 5.0];
        let mut sim = on.simulator(&Scene {
            world: World { timestep: 2e-4, ..space() },
            ..scene(body, space())
        });
        let before = sim.positions();
        sim.advance(2000).unwrap();
        let moved = largest_distance(&before, &sim.positions());
        println!("{name}: {moved:.1e} m");
        let most = if on.is_cpu() { 0.0 } else { 1e-6 };
        assert!(moved <= most, "{name}: {moved}");
    }
}

/// Long steps take all of its springs into their matrix.
pub fn long_steps_hold_cloth_as_short_ones_do(on: &On) {
    let hung = |integrator, timestep, steps| {
        let mesh = shapes::cloth([12, 12], [0.3; 2]).unwrap();
        let cloth = Cloth { stretch: [400.0, 250.0], shear: 40.0, bend: 3.0, ..Cloth::default() };
        let mut body = fabric(mesh, 0.2, cloth);
        body.locks = vec![beyond(0.001, -1.0)];
        let mut scene = hanging(body, timestep, 3.0);
        scene.world.integrator = integrator;
        let mut sim = on.simulator(&scene);
        sim.advance(steps).unwrap();
        sim.positions()
    };
    let short = hung(Integrator::Verlet, 2e-4, 20_000);
    let long = hung(Integrator::ImplicitEuler, 1.0 / 60.0, 240);
    let apart = largest_distance(&short, &long);
    println!("{apart:.1e} m apart");
    assert!(apart < 3e-3, "{apart}");
}

/// Springs reach into other blocks, past the next vertex: whoever computes them, the bits are the same.
#[test]
fn threads_do_not_change_cloth() {
    let mesh = shapes::cloth([120, 100], [1.2, 1.0]).unwrap();
    let cloth = Cloth { stretch: [400.0, 250.0], shear: 40.0, bend: 3.0, ..Cloth::default() };
    let mut body = fabric(mesh, 0.2, cloth);
    body.locks = vec![beyond(0.015, -1.0)];
    let scene = hanging(body, 5e-5, 0.5);
    let hashes = [1, 2, 3, 7].map(|threads| {
        let mut sim = Simulator::new(scene.clone(), Backend::Cpu { threads }).unwrap();
        assert!(sim.model().blocks.len() > 2, "{} blocks", sim.model().blocks.len());
        sim.advance(300).unwrap();
        sim.hash()
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

#[test]
fn cloth_of_tetrahedra_is_refused_in_words() {
    let mut body = body(small_bar(), rubber(1000.0, 1e4));
    body.material.stiffness = Stiffness::Cloth(Cloth::default());
    let scene = Scene { bodies: vec![body], ..Scene::default() };
    let problem = Simulator::new(scene, cpu()).err().expect("it is refused").to_string();
    assert!(problem.contains("stiffness.cloth is for surfaces"), "{problem}");
    let text = r#"
        [[bodies]]
        shape = { kind = "bar", cells = [4, 1, 1], size = [0.4, 0.1, 0.1] }
        material = { stiffness = { cloth = { stretch = [0, 5], warp = [0, 0, 0], shear = -1 } } }
    "#;
    let problem = Scene::from_toml(text, "scene.toml").unwrap_err().to_string();
    for key in ["stretch", "warp", "shear", "cloth"] {
        assert!(problem.contains(key), "{key}: {problem}");
    }
}
