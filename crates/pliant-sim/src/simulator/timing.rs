//! How long the stages of a step take.

use super::Simulator;

impl Simulator {
    /// Times the stages of steps from now on, or no longer. The results of steps are the same bits
    /// either way; on a GPU timed steps are slower, since every kernel gets a pass of its own.
    pub fn time_stages(&mut self, is_on: bool) {
        if is_on && !self.is_timed {
            self.engine.forget_stage_times();
        }
        self.is_timed = is_on;
    }

    /// Real time of each stage in a step \[s\], in the order of a step: the mean over the steps that
    /// were timed since the last call. Empty when none were, or when a device has no clock.
    ///
    /// Names are those of [`crate::step::Stage::name`]. Stages that run together count as the one they
    /// run with: what goes round all vertices as "integrate", on the CPU with "touch". A device times
    /// some two thousand kernels between two calls, and this call waits for it.
    pub fn take_stage_times(&mut self) -> Vec<(&'static str, f64)> {
        let mut times = self.engine.take_stage_times();
        let steps = times.substeps as f64 / f64::from(self.substeps);
        times.sums.retain_mut(|(_, seconds)| {
            *seconds /= steps;
            seconds.is_finite()
        });
        times.sums
    }
}

#[cfg(test)]
mod tests {
    use web_time::Instant;

    use crate::scene::{Integrator, Scene};
    #[cfg(feature = "gpu")]
    use crate::stages::touch::Push;
    use crate::step::program;
    use crate::{Backend, Simulator};

    const BARS: &str = r#"
        [world]
        timestep = 0.0002
        plasticity = 0.1
        substeps = 2
        [[bodies]]
        name = "bar"
        shape = { kind = "bar", cells = [12, 6, 4], size = [1.2, 0.6, 0.4] }
        copies = { count = [2, 1, 1], spacing = [2, 0, 0] }
        [bodies.material]
        mass = { density = 1000 }
        stiffness = { young = 2e4 }
    "#;

    const INTEGRATORS: [Integrator; 4] =
        [Integrator::Verlet, Integrator::Beeman, Integrator::Rk4, Integrator::ImplicitEuler];

    fn scene(integrator: Integrator, plasticity: f64) -> Scene {
        let mut scene = Scene::from_toml(BARS, "test").unwrap();
        (scene.world.integrator, scene.world.plasticity) = (integrator, plasticity);
        scene
    }

    /// Names of the passes of a step, each once.
    fn pass_names(sim: &Simulator) -> Vec<&'static str> {
        let mut names = Vec::new();
        for pass in program(sim.world(), sim.model().families(sim.world())) {
            if !names.contains(&pass.name()) {
                names.push(pass.name());
            }
        }
        names
    }

    /// Runs 40 steps with and without being timed, and looks at hashes and times.
    fn check(scene: &Scene, backend: &Backend, has_clock: bool) {
        let sim = || Simulator::new(scene.clone(), backend.clone()).unwrap();
        let (mut plain, mut timed) = (sim(), sim());
        if let Backend::Cpu { threads } = backend {
            assert_eq!(timed.thread_count(), *threads);
        }
        plain.advance(40).unwrap();
        assert_eq!(plain.take_stage_times(), [], "nobody asked for them");
        timed.time_stages(true);
        let begin = Instant::now();
        timed.advance(40).unwrap();
        let wall = begin.elapsed().as_secs_f64();
        let times = timed.take_stage_times();
        let hash = plain.hash();
        assert_eq!(timed.hash(), hash);
        if !has_clock {
            return assert_eq!(times, []);
        }
        let names: Vec<&str> = times.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, pass_names(&timed));
        let sum: f64 = times.iter().map(|(_, seconds)| seconds).sum();
        println!("{}: {times:?}, {sum:e} of {:e} s", timed.backend_name(), wall / 40.0);
        assert!(times.iter().all(|(_, seconds)| *seconds >= 0.0) && sum > 0.0, "{times:?}");
        assert!(40.0 * sum <= 1.5 * wall + 1e-3, "{sum} s in each of 40 steps in {wall} s");

        assert_eq!(timed.take_stage_times(), [], "they were taken");
        timed.advance(3).unwrap();
        timed.time_stages(false);
        timed.advance(4).unwrap();
        assert_eq!(timed.engine.take_stage_times().substeps, 2 * 3);
        timed.time_stages(true);
        timed.advance(1).unwrap();
        timed.time_stages(false);
        timed.time_stages(true);
        assert_eq!(timed.take_stage_times(), [], "it begins anew");
        plain.advance(8).unwrap();
        assert_eq!(timed.hash(), plain.hash());
        assert_ne!(timed.hash(), hash);
    }

    #[test]
    fn times_are_those_of_the_passes_and_change_no_bit() {
        for threads in [1, 2] {
            for integrator in INTEGRATORS {
                for plasticity in [0.0, 0.1] {
                    check(&scene(integrator, plasticity), &Backend::Cpu { threads }, true);
                }
            }
        }
    }

    #[test]
    fn a_new_stage_joins_those_that_were_timed_before() {
        let mut sim =
            Simulator::new(scene(Integrator::Verlet, 0.0), Backend::Cpu { threads: 1 }).unwrap();
        sim.time_stages(true);
        sim.advance(2).unwrap();
        let mut world = sim.world().clone();
        world.plasticity = 0.1;
        sim.set_world(world).unwrap();
        sim.advance(2).unwrap();
        let names: Vec<&str> = sim.take_stage_times().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["elastic", "integrate", "plasticity", "merge"]);
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn a_device_times_the_same_stages_and_changes_no_bit() {
        let Some(gpu) = pliant_gpu::testing::gpu("stage times") else { return };
        let (backend, has_clock) = (Backend::Device(gpu.clone()), gpu.has_timestamps());
        for (integrator, plasticity) in INTEGRATORS.into_iter().zip([0.0, 0.1].into_iter().cycle())
        {
            check(&scene(integrator, plasticity), &backend, has_clock);
        }
        if !has_clock {
            return println!("ignored: {} has no clock", gpu.adapter().name);
        }
        let mut sim = Simulator::new(scene(Integrator::Verlet, 0.0), backend).unwrap();
        sim.time_stages(true);
        sim.advance(1000).unwrap();
        // Two kernels in each of two substeps; those that there is no room for are left out.
        let substeps = sim.engine.take_stage_times().substeps;
        assert!((1000..=1024).contains(&substeps), "{substeps}");
        let (origin, direction) = ([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]);
        sim.push(Push { origin, direction, radius: 9.0, force: 0.01 });
        sim.advance(2).unwrap();
        let names: Vec<&str> = sim.take_stage_times().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["elastic", "touch", "integrate"]);
    }
}
