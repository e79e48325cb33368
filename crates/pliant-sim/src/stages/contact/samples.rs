//! Some vertices of each body that tell how it moves as a whole.

use crate::model::Model;
use crate::stages::cpu::Work;

/// Most vertices of a body whose mean way is its drift.
const SAMPLES: usize = 16;

/// Slots of some vertices of each body.
pub(super) struct Samples {
    slots: Vec<u32>,
    /// Those of body `b` are `slots[start[b] .. start[b + 1]]`.
    start: Vec<u32>,
}

impl Samples {
    /// Vertices that lie all over their bodies.
    pub fn new(model: &Model, slot_of: &[u32]) -> Self {
        let mut samples = Self { slots: Vec::new(), start: vec![0] };
        for body in &model.bodies {
            let count = body.vertices.len();
            let taken = SAMPLES.min(count);
            let vertex = |i: usize| body.vertices.start as usize + i * count / taken;
            samples.slots.extend((0..taken).map(|i| slot_of[vertex(i)]));
            samples.start.push(samples.slots.len() as u32);
        }
        // What is given has none, so that all of its way counts.
        samples.start.extend(model.given.iter().map(|_| samples.slots.len() as u32));
        samples
    }

    /// Slots of the samples of a body.
    pub fn of(&self, body: usize) -> &[u32] {
        &self.slots[self.start[body] as usize..self.start[body + 1] as usize]
    }

    /// The mean of what samples of a body have.
    pub fn mean(&self, body: usize, of: impl Fn(u32) -> [f32; 3]) -> [f32; 3] {
        let slots = self.of(body);
        let mut sum = [0.0; 3];
        for &slot in slots {
            let x = of(slot);
            (0..3).for_each(|k| sum[k] += x[k]);
        }
        sum.map(|sum| sum / slots.len().max(1) as f32)
    }

    /// Their mean velocity \[m/s\].
    pub fn mean_velocity(&self, body: usize, work: &Work) -> [f32; 3] {
        self.mean(body, |slot| {
            let [x, y, z, _] = work.velocity(slot).0;
            [x, y, z]
        })
    }
}
