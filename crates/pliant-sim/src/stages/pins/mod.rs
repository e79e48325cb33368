//! Pins: vertices that are led along a path.
//!
//! # Theory
//!
//! A pinned vertex is locked: no force moves it (its inverse mass is 0). A pin moves as a rigid whole, by a turn R
//! about a point and a shift T that are functions of time alone ([`crate::scene::Pin`]). A vertex whose place at rest is
//! x₀ and whose arm from that point is a has its *target* at x₀ + (R − I) a + T; what is neither turned nor shifted stays
//! there bit by bit. When a substep of length h begins, each pinned vertex gets the velocity that leads it to its target at
//! the end, (target − x) / h. Integrators, implicit ones too, do nothing to the velocity of what is locked but damp it a
//! little, and place the vertex; so springs, contact and friction meet a vertex with its true velocity. Aiming from where
//! the vertex is, whatever held it up, nothing adds up: after damping, rounding and the guarantee of contact it is where
//! it should be.
//!
//! # Practice
//!
//! [`formula`] is the velocity of one vertex; `formula.wgsl` is its twin. [`Pins`] are compiled with the model, and
//! [`Stretch`] has the poses of the substeps of a stretch, computed before it begins in `f64`. The stage is the first of a
//! substep, on a processor in one go (`cpu`), since few vertices are pinned, on a device (`gpu`) one invocation for each.
//! Nothing of it is state. Whoever leads vertices does work on the body, so implicit steps of bodies with pins that move are
//! not refused for energy that they gain; elements that they turn inside out are still seen.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::math::Vec3;
use crate::scene::ColliderMotion;
use crate::step::Advance;
use formula::Led;

/// The pins of a model.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// How they move, each pin of each copy of a body.
    pub paths: Vec<Path>,
    /// The vertices, in model order.
    pub vertices: Vec<Pinned>,
}

/// How a pin moves.
#[derive(Clone, Debug)]
pub struct Path {
    /// Turn and shift by time.
    pub motion: ColliderMotion,
    /// The body that it is of.
    pub body: u32,
    /// The origin of the body at the start \[m\].
    pub origin: [f64; 3],
}

/// A vertex that is led.
#[derive(Clone, Copy, Debug)]
pub struct Pinned {
    /// Its number in the model.
    pub vertex: u32,
    /// Its path.
    pub path: u32,
    /// Where it is at the start, in the coordinates of its body \[m\].
    pub rest: [f32; 3],
    /// From the point that it turns about to there \[m\].
    pub arm: [f32; 3],
}

impl Pins {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// What decides how they act, as text, for fingerprints.
    pub fn description(&self) -> String {
        format!("{:?} {:?}", self.paths, self.vertices)
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.paths[..]) + size_of_val(&self.vertices[..])
    }

    /// Where path `i` leads until `time` \[s\], seen from the body's origin, which is at `origin` now \[m\].
    fn led(&self, i: usize, time: f64, origin: [f64; 3]) -> Led<f32> {
        let Path { motion, origin: first, .. } = &self.paths[i];
        let pose = motion.pose(time);
        let turn: [[f64; 3]; 3] = std::array::from_fn(|r| {
            std::array::from_fn(|c| pose.rotation[r][c] - f64::from(u8::from(r == c)))
        });
        let shift: [f64; 3] = std::array::from_fn(|k| pose.translation[k] - (origin[k] - first[k]));
        Led { turn: turn.map(Vec3::of), shift: Vec3::of(shift) }
    }
}

/// Where pins lead in the substeps of a stretch.
pub struct Stretch {
    /// Substep by substep.
    led: Vec<Led<f32>>,
    count: usize,
    first: u64,
    /// The inverse of the length of a substep \[1/s\].
    pub per_h: f32,
}

impl Stretch {
    /// What is left of a stretch.
    pub fn new(pins: &Pins, job: &Advance<'_>) -> Self {
        Self::of_substeps(pins, job, job.done..job.count)
    }

    /// Some substeps of a stretch.
    pub fn of_substeps(pins: &Pins, job: &Advance<'_>, substeps: Range<u64>) -> Self {
        let (count, first) = (pins.paths.len(), substeps.start);
        let led = substeps.flat_map(|substep| {
            let (_, end) = job.when(substep + 1);
            let origin = |i: usize| job.origins[pins.paths[i].body as usize];
            (0..count).map(move |i| pins.led(i, end, origin(i)))
        });
        Self { led: led.collect(), count, first, per_h: (1.0 / job.h) as f32 }
    }

    /// Where each path leads until the end of a substep of the stretch.
    pub fn at(&self, substep: u64) -> &[Led<f32>] {
        let place = (substep - self.first) as usize * self.count;
        &self.led[place..place + self.count]
    }
}
