//! Whatever happens in a run, a stretch knows when it begins.
//!
//! The first body drifts with one metre per second through empty space, so that its place shows the
//! time. Others make the run go back, repeat and divide steps.

use crate::scene::{Scene, World};
use crate::step::{Advance, Places, Start};
use crate::{Backend, Simulator};

const DRIFTER: &str = r#"
    [[bodies]]
    name = "drifter"
    shape = { kind = "bar", cells = [1, 1, 1], size = [0.1, 0.1, 0.1] }
    velocity = [1, 0, 0]
    [bodies.material]
    mass = { density = 1000 }
    stiffness = { young = 1 }
"#;

/// Runs so many steps, whatever comes, and compares the times of stretches with the place of the
/// drifter. Returns the times.
fn watch(world: &str, body: &str, steps: u64) -> (Simulator, Vec<(u64, f64)>) {
    let scene = Scene::from_toml(&format!("{world}{DRIFTER}{body}"), "test").unwrap();
    let mut sim = Simulator::new(scene, Backend::Cpu { threads: 1 }).unwrap();
    let (begin, timestep) = (sim.positions_in_model_order()[0], sim.world().timestep);
    sim.stretches = Some(Vec::new());
    for _ in 0..steps {
        // One that diverges is left where it was before.
        let _ = sim.advance(1);
    }
    let stretches = sim.stretches.take().unwrap();
    for ((step, time), [x, ..]) in &stretches {
        let shown = f64::from(x - begin[0]);
        assert!((shown - time).abs() < 0.01 * timestep, "step {step}: told {time}, it is {shown}");
        // Substeps of a step begin in it.
        let ahead = time / timestep - *step as f64;
        assert!((-1e-6..1.0).contains(&ahead), "step {step} begins at {time}");
    }
    (sim, stretches.into_iter().map(|(when, _)| when).collect())
}

#[test]
fn divided_steps_know_their_time() {
    let world = r#"
        [world]
        timestep = 0.03
        substeps = 2
        gravity = [0, 0, 0]
        friction = 0
        box = { size = [40, 40, 4], center = [0, 0, 2] }
    "#;
    let body = r#"
        [[bodies]]
        name = "thrown"
        implicit = true
        shape = { kind = "bar", cells = [4, 2, 2], size = [0.4, 0.2, 0.2] }
        rotate = [20, 20, 0]
        translate = [0, 1, 0.5]
        velocity = [0, 0, -30]
        [bodies.material]
        mass = { density = 1000 }
        stiffness = { young = 1e8 }
    "#;
    let (sim, times) = watch(world, body, 6);
    assert!(sim.solver_report().unwrap().shortened > 0);
    let is_within = |&(step, time): &(u64, f64)| time > (step as f64 + 0.1) * 0.03;
    assert!(times.iter().any(is_within), "no stretch began within a step: {times:?}");
}

#[test]
fn what_is_repeated_is_told_the_time_of_then() {
    let body = r#"
        [[bodies]]
        name = "stiff"
        shape = { kind = "bar", cells = [4, 2, 2], size = [0.4, 0.2, 0.2] }
        translate = [0, 1, 0]
        velocity = [0, 0, 2]
        locks = [{ half_space = { point = [0.01, 0, 0], normal = [-1, 0, 0] } }]
        [bodies.material]
        mass = { density = 1000 }
        stiffness = { young = 1e6 }
    "#;
    for auto in [false, true] {
        let world = format!(
            "[world]\ntimestep = 0.01\ngravity = [0, 0, 0]\nfriction = 0\nauto_substeps = {auto}\n"
        );
        let (sim, times) = watch(&world, body, 40);
        assert!(!times.is_sorted_by(|a, b| a.1 < b.1), "nothing was repeated: {times:?}");
        assert_eq!(sim.substeps() > 1, auto);
    }
}

#[test]
fn a_clock_goes_on_from_wherever_a_stretch_is_cut() {
    let world = World { timestep: 0.1, ..World::default() };
    let job = |start| Advance {
        world: &world,
        start,
        count: 12,
        done: 0,
        h: 0.1 / 3.0,
        h_last: 0.0,
        touches: &[],
        displaced: &[],
        origins: &[],
        is_timed: false,
        is_strict: true,
        places: Places::ALL,
    };
    let whole = job(Start { step: 5, time: 0.5, substep: 0, of: 3 });
    for i in 0..12 {
        let (step, time) = whole.when(i - i % 3);
        let cut = job(Start { step, time, substep: i % 3, of: 3 });
        assert_eq!(cut.when(0), whole.when(i));
        assert_eq!(whole.when(i).0, 5 + i / 3);
    }
    assert!((whole.when(7).1 - (0.5 + 0.7 / 3.0)).abs() < 1e-12);
}
