//! The driver against the plain system in double precision, and against what physics says.

use crate::math::Vec3;
use crate::scene::{Implicit, Scene};
use crate::stages::elastic::{VolumeForm, forces_reference};
use crate::stages::implicit::reference::System;
use crate::{Backend, Simulator};

/// A bent, twisted and stretched bar in two or more blocks, held at one end.
pub(in crate::stages::implicit) fn bar(material: &str, cells: [u32; 3]) -> Scene {
    let [x, y, z] = cells;
    let text = format!(
        "[world]\n\
         timestep = 0.01\n\
         integrator = 'implicit-euler'\n\
         friction = 0.5\n\
         box = false\n\
         implicit = {{ tolerance = 1e-6 }}\n\
         [[bodies]]\n\
         shape = {{ kind = 'bar', cells = [{x}, {y}, {z}], size = [1, 0.3, 0.3] }}\n\
         locks = [{{ half_space = {{ point = [0.01, 0, 0], normal = [-1, 0, 0] }} }}]\n\
         material = {material}\n"
    );
    Scene::from_toml(&text, "bar").unwrap()
}

/// Moves everything out of the rest state.
pub(in crate::stages::implicit) fn stir(sim: &mut Simulator) {
    let mut state = sim.state();
    for (n, (x, v)) in state.position.iter_mut().zip(&mut state.velocity).enumerate() {
        let [a, b, c] = *x;
        let turn = 1.5 * a;
        *x = [a * 1.1, b * turn.cos() - c * turn.sin(), b * turn.sin() + 0.9 * c * turn.cos()];
        if sim.model().inv_mass
            [sim.model().vertex_order.iter().position(|&o| o == n as u32).unwrap()]
            > 0.0
        {
            *v = [0.3 * b, -0.2 * a, 0.5 * (7.0 * c).sin()];
        }
    }
    sim.set_state(&state);
}

/// The change of velocity of one step, in double precision, in model order.
pub(in crate::stages::implicit) fn expected(sim: &Simulator) -> Vec<Vec3<f64>> {
    let model = sim.model();
    let (world, h) = (sim.world(), sim.world().timestep);
    let state = sim.state().reordered(&model.vertex_order, &model.tet_order);
    let wide = |v: &[[f32; 3]]| -> Vec<Vec3<f64>> {
        v.iter().map(|c| Vec3::of(c.map(f64::from))).collect()
    };
    let (x, v) = (wide(&state.position), wide(&state.velocity));
    let is_free: Vec<bool> = model.inv_mass.iter().map(|&m| m > 0.0).collect();
    let mass: Vec<f64> = model.mass.iter().map(|&m| f64::from(m)).collect();
    let full = mass.iter().map(|m| m * (1.0 + h * world.friction)).collect();
    let elements = model.elements();
    let system = System::new(&elements, &x, full, is_free, h);
    let massless = System { mass: vec![0.0; mass.len()], ..system.clone() };
    let mut force = vec![Vec3::zero(); x.len()];
    let without_damping = crate::stages::elastic::Elements { damping: None, ..elements };
    forces_reference(&without_damping, &x, &v, &mut force);
    let gravity = Vec3::from(world.gravity);
    let pull = massless.product(&v);
    let b: Vec<Vec3<f64>> = (0..x.len())
        .map(|n| {
            let load = force[n] + (gravity - v[n] * world.friction) * mass[n];
            load * h - pull[n]
        })
        .collect();
    let solution = system.solve(&b, 1e-10, 5000);
    assert!(solution.residual < 1e-9, "{}", solution.residual);
    solution.x
}

pub(in crate::stages::implicit) const MATERIALS: [&str; 4] = [
    "{ mass = { density = 1000 }, stiffness = { young = 2e5 }, volume = 'none' }",
    "{ mass = { density = 1000 }, stiffness = { young = 2e5 }, volume = { modulus = 3e5 } }",
    "{ mass = { density = 1000 }, stiffness = { young = 2e5 }, volume = { modulus = 3e5 }, damping = { time = 0.01 } }",
    "{ mass = { vertex = 0.01 }, stiffness = { hardness = 300 }, volume = { thesis = 2e5 } }",
];

#[test]
fn a_step_is_that_of_the_plain_system() {
    for (material, cells) in MATERIALS.iter().flat_map(|m| [(m, [6, 2, 2]), (m, [24, 8, 8])]) {
        let mut sim = Simulator::new(bar(material, cells), Backend::Cpu { threads: 2 }).unwrap();
        stir(&mut sim);
        let wanted = expected(&sim);
        let before = sim.state().reordered(&sim.model().vertex_order, &sim.model().tet_order);
        let report = sim.step(1).unwrap();
        let after = sim.state().reordered(&sim.model().vertex_order, &sim.model().tet_order);
        let solved = report.solved.unwrap();
        assert!(solved.residual <= 1e-6 && solved.unconverged == 0, "{solved:?}");
        let size = wanted.iter().map(|d| d.length()).fold(0.0, f64::max);
        let mut worst = 0.0f64;
        for (n, wanted) in wanted.iter().enumerate() {
            for k in 0..3 {
                let found = f64::from(after.velocity[n][k]) - f64::from(before.velocity[n][k]);
                worst = worst.max((found - wanted.to_f64()[k]).abs() / size);
            }
        }
        println!("{material} {cells:?}: {solved:?}, worst {worst:e}");
        assert!(worst < 2e-5, "{material}: {worst:e} of {size} m/s");
    }
}

#[test]
fn a_cap_that_is_reached_is_said() {
    let mut scene = bar(MATERIALS[1], [6, 2, 2]);
    scene.world.implicit = Implicit { max_iterations: 2, ..Implicit::default() };
    let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    stir(&mut sim);
    let solved = sim.step(3).unwrap().solved.unwrap();
    assert_eq!((solved.systems, solved.unconverged, solved.last_iterations), (3, 3, 2));
    assert!(solved.residual > 1e-4 && solved.worst_residual >= solved.residual, "{solved:?}");
    let messages = sim.take_messages();
    assert!(messages.iter().any(|m| m.contains("3 of 3 linear systems")), "{messages:?}");
}

#[test]
fn the_thread_count_changes_nothing() {
    let run = |threads: usize| {
        let mut sim =
            Simulator::new(bar(MATERIALS[2], [24, 8, 8]), Backend::Cpu { threads }).unwrap();
        stir(&mut sim);
        sim.step(20).unwrap();
        sim.hash()
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}

#[test]
fn forms_of_the_volume_force_are_those_that_were_meant() {
    let model = |n: usize| crate::model::compile(&bar(MATERIALS[n], [2, 2, 2])).unwrap();
    assert!(model(0).volume.iter().all(|[a, _]| *a == 0.0));
    assert!(model(1).volume.iter().all(|[a, _]| *a > 0.0));
    assert!(model(2).damping.is_some());
    assert_eq!(model(3).forms[0], VolumeForm::Thesis);
}
