//! The same on a device.

use super::*;
use pliant_sim::scene::Integrator;

#[test]
fn a_device_goes_back_and_takes_edits_over() {
    let Some(gpu) = pliant_gpu::testing::gpu("player") else { return };
    for integrator in [Integrator::Verlet, Integrator::Beeman] {
        let mut scene = scripted();
        scene.world.integrator = integrator;
        let device = Backend::Device(gpu.clone());
        let mut test = Test::of(Session::new(scene.clone(), device).unwrap());
        test.pass(2.0);
        test.steps(130);
        let (moment, end) = (*test.controls.status().moments.last().unwrap(), test.step() + 200);
        assert!(moment.step >= 125);
        test.steps(end - test.step());
        let hash = test.hash();
        test.obey([Order::Rewind(moment.step)]);
        test.steps(end - moment.step);
        assert_eq!(test.hash(), hash, "{integrator}");

        let name = test.controls.status().backend;
        assert!(!name.contains("CPU,"), "{name}");
        let positions = test.player.session().simulator().positions();
        scene.bodies[0].material.stiffness = Stiffness::Spring(8.0);
        test.obey([Order::Edit(Box::new(scene.clone()))]);
        let status = test.controls.status();
        assert_eq!((status.rebuilt, status.backend), (1, name), "it stays on its device");
        assert_eq!(test.player.session().simulator().positions(), positions);
        test.steps(20);
        test.obey([Order::Rewind(0)]);
        test.steps(20);
        assert_eq!(test.controls.messages(), []);
    }
}

#[test]
fn a_device_tells_how_long_its_stages_take() {
    let Some(gpu) = pliant_gpu::testing::gpu("player") else { return };
    let device = Backend::Device(gpu.clone());
    let mut test = Test::of(Session::new(bar(), device.clone()).unwrap());
    test.obey([Order::Play]);
    test.play(2.5);
    let stages = test.controls.status().stages;
    let names: Vec<&str> = stages.iter().map(|(name, _)| &name[..]).collect();
    if !gpu.has_timestamps() {
        return assert_eq!(names, [""; 0]);
    }
    assert_eq!(names, ["elastic", "integrate"]);
    let sum: f64 = stages.iter().map(|(_, seconds)| seconds).sum();
    assert!(sum > 0.0 && sum < 1.0, "{stages:?}");
    let mut untimed = Simulator::new(bar(), device).unwrap();
    untimed.advance(test.step()).unwrap();
    assert_eq!(test.hash(), untimed.hash());
}
