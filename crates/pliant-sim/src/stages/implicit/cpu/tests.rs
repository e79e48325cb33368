//! The driver against the plain system in double precision, and against what physics says.

use crate::scene::Implicit;
use crate::stages::elastic::VolumeForm;
use crate::stages::implicit::testing::{MATERIALS, bar, expected, stir};
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
