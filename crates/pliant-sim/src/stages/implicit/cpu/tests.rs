//! The driver against the plain system in double precision, and against what physics says.

use crate::scene::Implicit;
use crate::stages::elastic::VolumeForm;
use crate::stages::implicit::testing::{
    MATERIALS, assert_falls, bar, expected, spinning_ball, stir,
};
use crate::{Backend, Simulator};

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
fn a_tolerance_out_of_reach_is_survived_and_said() {
    let mut scene = bar(MATERIALS[1], [6, 2, 2]);
    scene.world.implicit = Implicit { tolerance: 1e-30, ..Implicit::default() };
    let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    stir(&mut sim);
    let solved = sim.step(50).unwrap_or_else(|e| panic!("{e}")).solved.unwrap();
    assert_eq!((solved.systems, solved.unconverged + solved.limited), (50, 50), "{solved:?}");
    assert!(solved.worst_residual < 1e-3, "{solved:?}");
    let messages = sim.take_messages();
    assert!(messages.iter().any(|m| m.contains("solved to 1e-30")), "{messages:?}");
}

fn spinning(young: f64, world: &str, threads: usize) -> Simulator {
    Simulator::new(spinning_ball(young, world), Backend::Cpu { threads }).unwrap()
}

#[test]
fn steel_falls_as_it_should_and_lost_digits_are_said() {
    let mut sim = spinning(2e11, "", 1);
    let solved = assert_falls(&mut sim, 1e-4).solved.unwrap();
    assert!(solved.limited > 0 && solved.worst_residual > 1e-3, "{solved:?}");
    let messages = sim.take_messages();
    let says = |m: &String| m.contains("single precision") && m.contains("newton_iterations");
    assert!(messages.iter().any(says), "{messages:?}");
    // Softer bodies keep their digits, and nothing is said.
    let mut soft = spinning(1e5, "", 1);
    let solved = soft.step(50).unwrap().solved.unwrap();
    assert_eq!((solved.limited, solved.unconverged), (0, 0), "{solved:?}");
    assert!(soft.take_messages().is_empty());
}

#[test]
fn lost_digits_are_made_up_alike_on_any_number_of_threads() {
    let run = |threads: usize| {
        let mut sim = spinning(2e11, "", threads);
        sim.step(10).unwrap();
        sim.hash()
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn newtons_iterations_let_a_body_spin_on() {
    let kept = |iterations: u32| {
        let settings =
            format!("gravity = [0, 0, 0]\nimplicit = {{ newton_iterations = {iterations} }}");
        let mut sim = spinning(1e6, &settings, 1);
        let start = sim.report().angular_momentum[2];
        let kept = sim.step(50).unwrap().angular_momentum[2] / start;
        println!("{iterations}: {kept} of the angular momentum is left");
        kept
    };
    assert!(kept(1) < 0.5);
    let two = kept(2);
    assert!((0.8..1.001).contains(&two), "{two}");
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
