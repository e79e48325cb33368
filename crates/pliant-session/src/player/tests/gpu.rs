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
        scene.bodies[0].material.stiffness = Stiffness::Hardness(8.0);
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
