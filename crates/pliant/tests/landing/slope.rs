//! A block on a slope: it stands for ever where friction can hold it, and slides as Coulomb says where
//! it cannot.

use crate::support::*;
use pliant::mesh::shapes::{self, Split};
use pliant::scene::{Body, Damping, Integrator, World, WorldBox};
use pliant::{Scene, Simulator};

/// Gravity \[m/s²\].
const G: f64 = 9.81;
/// The tangent of the slope's angle.
const SLOPE: f64 = 0.5;
/// A video's frame \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// A short step \[s\].
const SHORT: f64 = 1e-3;

/// A block, and how it is stepped.
struct Case {
    block: Body,
    integrator: Integrator,
    /// Timestep \[s\].
    h: f64,
    /// For how long damping by the air \[s\] of how much \[1/s\] lets it come to rest, or to slide without
    /// swaying. Then there is none.
    calms: (f64, f64),
    /// How long it is watched from then on \[s\].
    watched: f64,
}

/// A block of a number of cells along each edge.
fn block(size: f64, cells: u32, density: f64, young: f64) -> Body {
    body(shapes::bar([cells; 3], [size; 3], Split::default()), rubber(density, young))
}

/// What Verlet can step at 1 ms. Damped springs end vibrations that such steps would keep for ever.
fn rubber_block(cells: u32) -> Body {
    let mut block = block(0.2, cells, 1000.0, 1e5);
    block.material.damping = Damping::Time(1e-3);
    block
}

/// What Verlet can step at 1/60 s: large, light and soft, so it sways for seconds.
fn foam_block() -> Body {
    let mut block = block(2.0, 2, 100.0, 5e4);
    block.material.damping = Damping::Time(5e-3);
    block
}

impl Case {
    /// The block on a slope of some friction, after it has calmed down.
    fn calmed(&self, on: &On, friction: f64) -> Simulator {
        let angle = SLOPE.atan();
        let (time, air) = self.calms;
        // The slope is the floor, and gravity is tilted.
        let world = World {
            gravity: [G * angle.sin(), 0.0, -G * angle.cos()],
            damping: air,
            timestep: self.h,
            integrator: self.integrator,
            bounds: Some(WorldBox { friction, size: [1e4; 3], ..WorldBox::default() }),
            ..World::default()
        };
        let bodies = vec![self.block.clone()];
        let mut sim = on.simulator(&Scene { bodies, world, ..Scene::default() });
        sim.advance(self.steps(time)).unwrap_or_else(|e| panic!("{e}"));
        sim.set_world(World { damping: 0.0, ..sim.world().clone() }).unwrap();
        sim
    }

    fn steps(&self, time: f64) -> u64 {
        (time / self.h).round() as u64
    }

    fn stands(&self, on: &On, friction: f64) {
        let mut sim = self.calmed(on, friction);
        let start = sim.report();
        let end = sim.step(self.steps(self.watched)).unwrap();
        let drift =
            length(std::array::from_fn(|k| end.center_of_mass[k] - start.center_of_mass[k]));
        let case = format!("{}, {:.1e} s, friction {friction}", self.integrator, self.h);
        println!("{case}: {drift:.1e} m in {:.1} s", end.time - start.time);
        assert!(drift < 1e-4, "{case}: {drift} m");
    }

    fn slides(&self, on: &On, friction: f64) {
        let mut sim = self.calmed(on, friction);
        let start = sim.report();
        let end = sim.step(self.steps(self.watched)).unwrap();
        let mass: f64 = sim.model().mass.iter().map(|&m| f64::from(m)).sum();
        let found = (end.momentum[0] - start.momentum[0]) / mass / (end.time - start.time);
        let angle = SLOPE.atan();
        let expected = G * (angle.sin() - friction * angle.cos());
        let case = format!("{}, {:.1e} s, friction {friction}", self.integrator, self.h);
        println!("{case}: {found:.4} m/s² instead of {expected:.4} m/s²");
        assert!((found / expected - 1.0).abs() < 0.02, "{case}: {found} instead of {expected}");
    }

    fn check(&self, on: &On) {
        for friction in [0.52, 1.0] {
            self.stands(on, friction);
        }
        let watched = self.watched.min(2.0);
        let brief = Self { block: self.block.clone(), watched, ..*self };
        for friction in [0.45, 0.3] {
            brief.slides(on, friction);
        }
    }
}

#[test]
fn a_block_stands_or_slides_in_implicit_frames() {
    for (cells, young) in [(4, 1e5), (4, 1e6), (4, 1e7), (2, 1e8), (1, 1e9)] {
        let (block, integrator) = (block(0.2, cells, 1000.0, young), Integrator::ImplicitEuler);
        let calms = (1.0, 20.0);
        Case { block, integrator, h: FRAME, calms, watched: 59.0 }.check(&On::cpu());
    }
}

#[test]
fn a_block_stands_or_slides_in_short_implicit_steps() {
    for young in [1e5, 1e7] {
        let (block, integrator) = (block(0.2, 4, 1000.0, young), Integrator::ImplicitEuler);
        let calms = (1.0, 20.0);
        Case { block, integrator, h: SHORT, calms, watched: 3.0 }.check(&On::cpu());
    }
}

#[test]
fn a_block_stands_or_slides_in_explicit_frames() {
    let (block, integrator) = (foam_block(), Integrator::Verlet);
    Case { block, integrator, h: FRAME, calms: (10.0, 5.0), watched: 60.0 }.check(&On::cpu());
}

#[test]
fn a_block_stands_or_slides_in_short_explicit_steps() {
    let (block, integrator) = (rubber_block(4), Integrator::Verlet);
    Case { block, integrator, h: SHORT, calms: (1.0, 20.0), watched: 9.0 }.check(&On::cpu());
}

#[cfg(feature = "gpu")]
#[test]
fn a_block_stands_or_slides_on_a_device() {
    let Some(on) = On::gpu("slopes") else { return };
    let calms = (0.5, 20.0);
    for (integrator, block, h, calms, watched) in [
        (Integrator::ImplicitEuler, block(0.2, 2, 1000.0, 1e5), FRAME, calms, 1.5),
        (Integrator::ImplicitEuler, block(0.2, 1, 1000.0, 1e6), SHORT, (0.2, 20.0), 0.3),
        (Integrator::Verlet, foam_block(), FRAME, (10.0, 5.0), 2.0),
        (Integrator::Verlet, rubber_block(2), SHORT, calms, 0.5),
    ] {
        Case { block, integrator, h, calms, watched }.check(&on);
    }
}
