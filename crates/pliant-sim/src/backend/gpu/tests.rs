//! The GPU backend against the CPU's.

mod contact;
mod mirror;
mod plasticity;
mod shown;
mod touch;

use pliant_gpu::validate::{assert_layout, validate};
use pliant_gpu::{Gpu, testing};

use crate::scene::{Accumulation, Integrator, Scene};
use crate::stages::colliders::gpu::Record;
use crate::stages::gpu::record::Step;
use crate::stages::{elastic, integrate};
use crate::{Backend, Simulator};

/// Two bars, one damped and of the thesis form, that fall into a corner of the box.
pub(crate) const BARS: &str = r#"
    [world]
    timestep = 0.0002
    damping = 0.1
    box = { size = [4, 4, 4], restitution = 0.3, friction = 0.2 }
    [[bodies]]
    name = "first"
    shape = { kind = "bar", cells = [9, 3, 2], size = [1, 0.3, 0.2] }
    rotate = [10, 20, 5]
    translate = [-1, 0, 0.4]
    velocity = [0.5, 0, -3]
    [bodies.material]
    mass = { density = 1000 }
    stiffness = { young = 2e4 }
    volume = { modulus = 5e4 }
    damping = { time = 0.0005 }
    [[bodies]]
    name = "second"
    shape = { kind = "bar", cells = [5, 4, 3], size = [0.5, 0.4, 0.3] }
    translate = [1, 1, 0.001]
    velocity = [2, 0, -1]
    locks = [{ half_space = { point = [1.01, 0, 0], normal = [-1, 0, 0] } }]
    [bodies.material]
    mass = { density = 500 }
    stiffness = { spring = 100 }
    volume = { thesis = 1000 }
"#;

#[test]
fn kernels_are_valid_and_know_the_host_structs() {
    for strategy in Accumulation::STRATEGIES {
        let kernel = validate(&elastic::gpu::description(strategy, true)).unwrap();
        assert_layout::<Step>(
            &kernel,
            "Step",
            &[
                ("substep", std::mem::offset_of!(Step, substep)),
                ("slot_count", std::mem::offset_of!(Step, slot_count)),
                ("spring_count", std::mem::offset_of!(Step, spring_count)),
                ("tet_count", std::mem::offset_of!(Step, tet_count)),
                ("gravity", std::mem::offset_of!(Step, gravity)),
                ("loading", std::mem::offset_of!(Step, loading)),
                ("coefficients", std::mem::offset_of!(Step, coefficients)),
                ("flags", std::mem::offset_of!(Step, flags)),
                ("fixed", std::mem::offset_of!(Step, fixed)),
                ("implicit", std::mem::offset_of!(Step, implicit)),
                ("wind", std::mem::offset_of!(Step, wind)),
                ("air", std::mem::offset_of!(Step, air)),
            ],
        );
    }
    let colliding = validate(&integrate::gpu::description_with_colliders(&[])).unwrap();
    assert_layout::<Record>(
        &colliding,
        "Placed",
        &[
            ("axis_x", 0),
            ("axis_y", 16),
            ("axis_z", 32),
            ("turned_x", std::mem::offset_of!(Record, turned)),
            ("turned_y", 64),
            ("turned_z", 80),
            ("origin_high", std::mem::offset_of!(Record, origin_high)),
            ("origin_low", std::mem::offset_of!(Record, origin_low)),
            ("size", std::mem::offset_of!(Record, size)),
            ("grid", std::mem::offset_of!(Record, grid)),
            ("cell", std::mem::offset_of!(Record, cell)),
        ],
    );
    for entry in ["integrate", "collect"] {
        validate(&integrate::gpu::description(entry, &[])).unwrap();
    }
    validate(&crate::stages::pins::gpu::description(&[])).unwrap();
    use crate::stages::shapes::gpu as shapes;
    validate(&shapes::clusters(&[])).unwrap();
    for kernel in [shapes::PARTS, shapes::WHOLES, shapes::VERTICES] {
        validate(&kernel).unwrap();
    }
    use crate::stages::seams::gpu as seams;
    for kernel in [seams::pull(&[]), seams::weld(&[])] {
        let kernel = validate(&kernel).unwrap();
        let places =
            ["first", "second", "mass", "strength", "force", "rate", "tolerance", "unused"];
        let places: Vec<_> = places.into_iter().zip((0..).step_by(4)).collect();
        assert_layout::<seams::PairWords>(&kernel, "SewnPair", &places);
        let places = [("shift", 0), ("mass", 12), ("slot", 16)];
        assert_layout::<seams::MemberWords>(&kernel, "Member", &places);
        let places = ["first_member", "member_count", "first_pair", "pair_count"];
        let places: Vec<_> = places.into_iter().zip((0..).step_by(4)).collect();
        assert_layout::<seams::ClusterWords>(&kernel, "Cluster", &places);
        let places = [("gain", 0), ("per_update", 4)];
        assert_layout::<crate::stages::seams::Pace>(&kernel, "Pace", &places);
    }
    use crate::stages::strain::gpu as strain;
    for kernel in [strain::edges(&[]), strain::VERTICES] {
        assert_layout::<strain::Iteration>(
            &validate(&kernel).unwrap(),
            "Iteration",
            &[("number", 0), ("count", 4), ("h", 8), ("per_h", 12)],
        );
    }
    validate(&strain::measure(&[])).unwrap();
    assert_eq!(strain::STRIDE, 256);
    assert_eq!(crate::stages::gpu::record::STRIDE, 256);
    let shift = validate(&super::shift::KERNEL).unwrap();
    assert_layout::<super::shift::Shift>(&shift, "Shift", &[("by", 0), ("slots", 16)]);
}

pub(crate) fn pair(gpu: &Gpu, text: &str, change: impl Fn(&mut Scene)) -> [Simulator; 2] {
    let mut scene = Scene::from_toml(text, "test").unwrap();
    change(&mut scene);
    let cpu = Simulator::new(scene.clone(), Backend::Cpu { threads: 1 }).unwrap();
    let gpu = Simulator::new(scene, Backend::Device(gpu.clone())).unwrap();
    [cpu, gpu]
}

pub(crate) fn farthest(a: &Simulator, b: &Simulator) -> f64 {
    let distance =
        |(p, q): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (p[k] - q[k]).abs()).fold(0.0, f64::max);
    a.positions().iter().zip(&b.positions()).map(distance).fold(0.0, f64::max)
}

#[test]
fn every_integrator_and_strategy_goes_where_the_cpu_goes() {
    let Some(gpu) = testing::gpu("backend") else { return };
    for integrator in Integrator::ALL {
        for strategy in Accumulation::STRATEGIES {
            let [mut cpu, mut device] = pair(&gpu, BARS, |scene| {
                scene.world.integrator = integrator;
                scene.world.accumulation = strategy;
            });
            cpu.advance(100).unwrap();
            device.advance(100).unwrap();
            let apart = farthest(&cpu, &device);
            println!("{integrator} {strategy}: {apart:e}");
            assert!(apart < 2e-6, "{integrator}, {strategy}: {apart} m apart");
            assert_eq!(device.gpu().unwrap().saturated_count(), 0);
        }
    }
}

/// Numbers from −1 to 1 that look random.
pub(crate) struct Random(pub u32);

impl Random {
    pub fn next(&mut self) -> f32 {
        // Numerical Recipes' linear congruential generator; its high bits are the better ones.
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn vector(&mut self, size: f32) -> [f32; 3] {
        std::array::from_fn(|_| size * self.next())
    }
}
