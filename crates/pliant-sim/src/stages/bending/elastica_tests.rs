//! Strips of cloth beside the elastica, of which the bending stiffness is measured in practice.

use pliant_mesh::shapes;

use crate::scene::{
    BendingForm, Body, Cloth, Integrator, Mass, Material, Region, Scene, Source, Stiffness, World,
};
use crate::{Backend, Simulator};

const GRAVITY: f64 = 9.81;

/// Where the free end of a heavy elastica is that is clamped horizontally: D θ″ = q (L − s) cos θ with θ = 0 at the clamp
/// and θ′ = 0 at the end. Shoots from the clamp.
fn elastica(rigidity: f64, weight: f64, length: f64) -> [f64; 2] {
    const STEPS: u32 = 2000;
    let h = length / f64::from(STEPS);
    let slope = |s: f64, [angle, bend, ..]: [f64; 4]| {
        let load = weight * (length - s) * f64::cos(angle) / rigidity;
        [bend, -load, angle.cos(), angle.sin()]
    };
    let shoot = |start: f64| {
        let mut y = [0.0, start, 0.0, 0.0];
        for n in 0..STEPS {
            let s = f64::from(n) * h;
            let on = |k: [f64; 4], by: f64| std::array::from_fn(|i| y[i] + by * k[i]);
            let a = slope(s, y);
            let b = slope(s + 0.5 * h, on(a, 0.5 * h));
            let c = slope(s + 0.5 * h, on(b, 0.5 * h));
            let d = slope(s + h, on(c, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        }
        y
    };
    // What is bent too much at the clamp is still bent at the end.
    let (mut low, mut high) = (0.0, 0.5 * weight * length * length / rigidity);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[1] > 0.0 { high = middle } else { low = middle }
    }
    let [_, _, x, z] = shoot(low);
    [x, -z]
}

/// A strip that is clamped at one end bends under its weight as its bending stiffness says, from a little to a lot.
#[test]
fn a_clamped_strip_is_an_elastica() {
    let (long, density, cells) = (0.2, 0.2, 30);
    let cell = long / f64::from(cells);
    for form in [BendingForm::Auto, BendingForm::Dihedral] {
        for load in [2.0, 8.0, 40.0] {
            // The first column lies within the clamp, whose end is in the middle of it.
            let free = long - 0.5 * cell;
            let bending = density * GRAVITY * free.powi(3) / load;
            let stretch = [1000.0; 2];
            let cloth =
                Cloth { stretch, shear: 100.0, bending, bending_form: form, ..Cloth::default() };
            let material = Material {
                mass: Mass::Density(density),
                stiffness: Stiffness::Cloth(cloth),
                ..Material::default()
            };
            let mesh = shapes::cloth([cells, 2], [long, 2.0 * cell]).unwrap();
            let clamp =
                Region::HalfSpace { point: [1.001 * cell, 0.0, 0.0], normal: [-1.0, 0.0, 0.0] };
            let body = Body {
                source: Source::Inline(mesh),
                material,
                locks: vec![clamp],
                ..Body::default()
            };
            let world = World {
                integrator: Integrator::ImplicitEuler,
                gravity: [0.0, 0.0, -GRAVITY],
                timestep: 0.01,
                damping: 2.0,
                bounds: None,
                ..World::default()
            };
            let scene = Scene { bodies: vec![body], world, ..Scene::default() };
            let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
            let report = sim.step(150).unwrap();
            let tip = sim.positions()[(cells * 3 + 1) as usize];
            let expected = elastica(bending, density * GRAVITY, free);
            let found = [tip[0] - 0.5 * cell, tip[2]];
            let fallen = f64::hypot(free - expected[0], expected[1]);
            let off = f64::hypot(found[0] - expected[0], found[1] - expected[1]) / fallen;
            let iterations = report.solver.unwrap().mean_iterations();
            println!(
                "{form:?}, {load}: {found:.4?} m and {expected:.4?} m, {:.2} % off, {iterations:.0} iterations",
                100.0 * off
            );
            assert!(off < 0.05, "{form:?}, {load}: {found:?} instead of {expected:?}");
        }
    }
}
