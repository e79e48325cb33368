//! What tests of all drivers share: bodies out of their rest state, and what the plain system makes of
//! them.

use super::reference::System;
use crate::math::Vec3;
use crate::model::Model;
use crate::scene::{Scene, World};
use crate::stages::elastic::{Elements, forces_reference};
use crate::state::State;
use crate::{Simulator, StepReport};

/// Springs alone; with volume forces; with damping, too; and with those of Echtler 2004, the thesis form.
pub const MATERIALS: [&str; 4] = [
    "{ mass = { density = 1000 }, stiffness = { young = 2e5 }, volume = 'none' }",
    "{ mass = { density = 1000 }, stiffness = { young = 2e5 }, volume = { modulus = 3e5 } }",
    "{ mass = { density = 1000 }, stiffness = { young = 2e5 }, volume = { modulus = 3e5 }, damping = { time = 0.01 } }",
    "{ mass = { vertex = 0.01 }, stiffness = { spring = 300 }, volume = { thesis = 2e5 } }",
];

/// A world of implicit steps with one body, whose table is given.
fn scene_of(name: &str, body: &str) -> Scene {
    let world = "[world]\n\
                 timestep = 0.01\n\
                 integrator = 'implicit-euler'\n\
                 damping = 0.5\n\
                 box = false\n\
                 implicit = { tolerance = 1e-6 }\n";
    Scene::from_toml(&format!("{world}[[bodies]]\n{body}"), name).unwrap()
}

/// A bar held at one end, of several blocks if it has many cells.
pub fn bar(material: &str, cells: [u32; 3]) -> Scene {
    let [x, y, z] = cells;
    let body = format!(
        "shape = {{ kind = 'bar', cells = [{x}, {y}, {z}], size = [1, 0.3, 0.3] }}\n\
         locks = [{{ half_space = {{ point = [0.01, 0, 0], normal = [-1, 0, 0] }} }}]\n\
         material = {material}\n"
    );
    scene_of("bar", &body)
}

/// How cloth resists bending.
pub const CLOTHS: [&str; 2] = ["dihedral", "quadratic"];

/// A cloth held at one end that is stiff against bending, in one of the forms.
pub fn cloth(form: &str, cells: [u32; 2]) -> Scene {
    let [x, y] = cells;
    let body = format!(
        "shape = {{ kind = 'cloth', cells = [{x}, {y}], size = [1, 0.7] }}\n\
         rotate = [10, 20, 30]\n\
         locks = [{{ points = [0, 1, 2] }}]\n\
         material.mass = {{ density = 0.2 }}\n\
         material.stiffness.cloth = {{ stretch = 50, shear = 5, bending = 1e-4, bending_form = '{form}' }}\n"
    );
    scene_of("cloth", &body)
}

/// Bends, twists and stretches a bar, and sets it in motion.
pub fn stir(sim: &mut Simulator) {
    let mut state = sim.state();
    for (n, (x, v)) in state.position.iter_mut().zip(&mut state.velocity).enumerate() {
        let [a, b, c] = *x;
        let turn = 1.5 * a;
        *x = [a * 1.1, b * turn.cos() - c * turn.sin(), b * turn.sin() + 0.9 * c * turn.cos()];
        let vertex = sim.model().vertex_order.iter().position(|&o| o == n as u32).unwrap();
        if sim.model().inv_mass[vertex] > 0.0 {
            *v = [0.3 * b, -0.2 * a, 0.5 * (7.0 * c).sin()];
        }
    }
    sim.set_state(&state);
}

/// The plain system of a step from a state in model order, and its right-hand side, in double precision.
pub fn plain(model: &Model, world: &World, state: &State) -> (System<f64>, Vec<Vec3<f64>>) {
    let h = world.timestep;
    let (x, v) = (wide(&state.position), wide(&state.velocity));
    let is_free: Vec<bool> = model.inv_mass.iter().map(|&m| m > 0.0).collect();
    let mass: Vec<f64> = model.mass.iter().map(|&m| f64::from(m)).collect();
    let full = mass.iter().map(|m| m * (1.0 + h * world.damping)).collect();
    let elements = model.elements();
    let system = System::new(&elements, &x, full, is_free, h);
    let massless = System { mass: vec![0.0; mass.len()], ..system.clone() };
    let mut force = vec![Vec3::zero(); x.len()];
    let without_damping = Elements { damping: None, ..elements };
    forces_reference(&without_damping, &x, &v, &mut force);
    let (gravity, pull) = (Vec3::from(world.gravity), massless.product(&v));
    let load = |n: usize| force[n] + (gravity - v[n] * world.damping) * mass[n];
    let right = (0..x.len()).map(|n| load(n) * h - pull[n]).collect();
    (system, right)
}

fn wide(v: &[[f32; 3]]) -> Vec<Vec3<f64>> {
    v.iter().map(|c| Vec3::of(c.map(f64::from))).collect()
}

/// The change of velocity of one step, in double precision, in model order.
pub fn expected(sim: &Simulator) -> Vec<Vec3<f64>> {
    let model = sim.model();
    let state = sim.state().reordered(&model.vertex_order, &model.tet_order);
    let (system, right) = plain(model, sim.world(), &state);
    let solution = system.solve(&right, 1e-10, 5000);
    assert!(solution.residual < 1e-9, "{}", solution.residual);
    solution.x
}

/// A ball in free fall that spins.
pub fn spinning_ball(young: f64, world: &str) -> Scene {
    let text = format!(
        "[world]\n\
         timestep = 0.02\n\
         integrator = 'implicit-euler'\n\
         damping = 0\n\
         box = false\n\
         {world}\n\
         [[bodies]]\n\
         shape = {{ kind = 'ball', radius = 0.1, cell = 0.04 }}\n\
         translate = [0.5, 0, 0.3]\n\
         spin = [0, 0, 3]\n\
         material = {{ mass = {{ density = 1000 }}, stiffness = {{ young = {young} }} }}\n"
    );
    Scene::from_toml(&text, "ball").unwrap()
}

/// Takes 50 steps of a [`spinning_ball`] and checks how it falls.
pub fn assert_falls(sim: &mut Simulator, tolerance: f64) -> StepReport {
    let start = sim.report().center_of_mass;
    let report = sim.step(50).unwrap();
    println!("{report:?}");
    let mass: f64 = sim.model().mass.iter().map(|&m| f64::from(m)).sum();
    let speed = report.momentum[2] / mass;
    assert!((speed + 9.81).abs() < 1e-4 * 9.81, "{speed} m/s");
    let moved = [0, 1, 2].map(|k| report.center_of_mass[k] - start[k]);
    assert!(moved[0].abs() < tolerance && moved[1].abs() < tolerance, "{moved:?}");
    // Implicit Euler falls h² g n (n + 1) / 2, and a little less in steps that were taken in shorter
    // ones.
    let most = 0.02 * 0.02 * 9.81 * 50.0 * 51.0 / 2.0;
    let shortened = report.solver.map_or(0, |s| s.shortened) as f64;
    let least = most - shortened * 0.5 * 0.02 * 0.02 * 9.81;
    let fallen = -moved[2];
    let range = least - tolerance..most + tolerance;
    assert!(range.contains(&fallen), "{fallen} m is not in {range:?}");
    report
}
