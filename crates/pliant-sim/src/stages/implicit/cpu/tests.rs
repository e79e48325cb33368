//! The driver against the plain system in double precision, and against what physics says.

use super::search::share_of_guess;
use crate::scene::Implicit;
use crate::stages::elastic::VolumeForm;
use crate::stages::implicit::testing::{
    CLOTHS, MATERIALS, assert_falls, bar, cloth, expected, spinning_ball, stir,
};
use crate::{Backend, Simulator};

#[test]
fn a_step_is_that_of_the_plain_system() {
    let bars = MATERIALS.iter().flat_map(|m| [[6, 2, 2], [24, 8, 8]].map(|c| (*m, bar(m, c))));
    // The larger one has several blocks.
    let cloths = CLOTHS.iter().flat_map(|f| [[7, 5], [50, 40]].map(|c| (*f, cloth(f, c))));
    for (material, scene) in bars.chain(cloths) {
        let mut sim = Simulator::new(scene, Backend::Cpu { threads: 2 }).unwrap();
        stir(&mut sim);
        let wanted = expected(&sim);
        let before = sim.state().reordered(&sim.model().vertex_order, &sim.model().tet_order);
        let report = sim.step(1).unwrap();
        let after = sim.state().reordered(&sim.model().vertex_order, &sim.model().tet_order);
        let solver = report.solver.unwrap();
        assert!(solver.residual <= 1e-6 && solver.unconverged == 0, "{solver:?}");
        let size = wanted.iter().map(|d| d.length()).fold(0.0, f64::max);
        let mut worst = 0.0f64;
        for (n, wanted) in wanted.iter().enumerate() {
            for k in 0..3 {
                let found = f64::from(after.velocity[n][k]) - f64::from(before.velocity[n][k]);
                worst = worst.max((found - wanted.to_f64()[k]).abs() / size);
            }
        }
        println!("{material}: {solver:?}, worst {worst:e}");
        assert!(worst < 2e-5, "{material}: {worst:e} of {size} m/s");
    }
}

#[test]
fn a_cap_that_is_reached_is_said() {
    let mut scene = bar(MATERIALS[1], [6, 2, 2]);
    scene.world.implicit = Implicit { max_iterations: 2, ..Implicit::default() };
    let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    stir(&mut sim);
    let solver = sim.step(3).unwrap().solver.unwrap();
    assert_eq!((solver.systems, solver.unconverged, solver.last_iterations), (3, 3, 2));
    assert!(solver.residual > 1e-4 && solver.worst_residual >= solver.residual, "{solver:?}");
    let messages = sim.take_messages();
    assert!(messages.iter().any(|m| m.contains("3 of 3 linear systems")), "{messages:?}");
}

#[test]
fn a_tolerance_out_of_reach_is_survived_and_said() {
    let mut scene = bar(MATERIALS[1], [6, 2, 2]);
    scene.world.implicit = Implicit { tolerance: 1e-30, ..Implicit::default() };
    let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    stir(&mut sim);
    let solver = sim.step(50).unwrap_or_else(|e| panic!("{e}")).solver.unwrap();
    assert_eq!((solver.systems, solver.unconverged + solver.limited), (50, 50), "{solver:?}");
    assert!(solver.worst_residual < 1e-3, "{solver:?}");
    let messages = sim.take_messages();
    assert!(messages.iter().any(|m| m.contains("solved to 1e-30")), "{messages:?}");
}

#[test]
fn a_guess_never_begins_with_more_energy_than_none() {
    // Along g the energy is s²/2 g·Ag − s g·r, and with all of g, g·r − g·Ag is left of g·r.
    for stiff in [1e-3, 0.3, 0.95, 1.0, 1.05, 3.0, 1e6] {
        for pull in [-2.0, -1e-3, 0.0, 1e-9, 0.5, 1.0, 2.0] {
            let energy = |s: f64| 0.5 * s * s * stiff - s * pull;
            let share = f64::from(share_of_guess([pull, pull - stiff]));
            assert!(energy(share) <= 0.0, "{share} of {stiff}, {pull}");
            let best = (pull / stiff).max(0.0);
            assert!(energy(share) <= 0.98 * energy(best) + 1e-12, "{share} instead of {best}");
        }
    }
    assert_eq!([share_of_guess([0.0; 2]), share_of_guess([f64::NAN; 2])], [1.0, 0.0]);
}

fn spinning(young: f64, world: &str, threads: usize) -> Simulator {
    Simulator::new(spinning_ball(young, world), Backend::Cpu { threads }).unwrap()
}

#[test]
fn steel_falls_as_it_should_and_lost_digits_are_said() {
    let mut sim = spinning(2e11, "", 1);
    let solver = assert_falls(&mut sim, 1e-4).solver.unwrap();
    assert!(solver.limited > 0 && solver.worst_residual > 1e-3, "{solver:?}");
    let messages = sim.take_messages();
    let says = |m: &String| m.contains("single precision") && m.contains("newton_iterations");
    assert!(messages.iter().any(says), "{messages:?}");
    // Softer bodies keep their digits, and nothing is said.
    let mut soft = spinning(1e5, "", 1);
    let solver = soft.step(50).unwrap().solver.unwrap();
    assert_eq!((solver.limited, solver.unconverged), (0, 0), "{solver:?}");
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
