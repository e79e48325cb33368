//! How fast vertices would be at the end of a substep.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::implicit::Families;
use crate::contact::tree::Apart;
use crate::math::Vec3;
use crate::pool::Team;
use crate::simd::{Lanes, Lanes16, Level, Task, run_at};
use crate::stages::cpu::Work;
use crate::step::BodyConstants;

/// Velocities ahead without contact, and the forces of contact, by slot.
pub(super) struct Ahead {
    /// \[m/s\]; the fourth number is 1/mass, 0 for locked vertices.
    velocity: Vec<Lanes>,
    /// The sum of all rows' forces \[N\].
    force: Vec<Lanes>,
    /// The largest square of a velocity \[m²/s²\], as bits, which are ordered as the numbers are.
    fastest: AtomicU32,
    /// Length of the substep \[s\].
    h: f32,
}

impl Ahead {
    pub fn new(slot_count: usize) -> Self {
        let zeros = || vec![Lanes::default(); slot_count.div_ceil(4)];
        Self { velocity: zeros(), force: zeros(), fastest: AtomicU32::new(0), h: 0.0 }
    }

    /// Finds the velocities of all vertices, from the forces that they have now.
    pub fn predict(
        &mut self,
        (team, level): (&Team, Level),
        work: &Work,
        (constants, families): (&[BodyConstants], &Families),
        h: f32,
    ) {
        self.h = h;
        *self.fastest.get_mut() = 0;
        let Self { velocity, fastest, .. } = self;
        let velocity = &Apart::new(velocity, 1);
        team.each(work.block_count(), &|block| {
            for run in &work.slots().blocks[block].runs {
                let body = run.body as usize;
                let is_implicit = families.is_implicit(run.body);
                let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
                let constants = &constants[body];
                // SAFETY: runs do not overlap, and a block is one worker's; the arrays have all slots, and nobody
                // writes them now; the level was detected.
                let most = unsafe {
                    let body = constants;
                    run_at(level, Predict { work, body, is_implicit, chunks, h, velocity })
                };
                fastest.fetch_max(most.to_bits(), Ordering::Relaxed);
            }
        });
    }

    /// How far a vertex goes at most until the end of the substep, without contact \[m\].
    pub fn longest_way(&self) -> f32 {
        self.h * square_root(&self.fastest)
    }

    /// Velocity at the end of the substep, with what rows do now \[m/s\].
    #[inline]
    pub fn velocity(&self, slot: u32) -> Vec3<f32> {
        let (chunk, at) = (slot as usize / 4, 4 * (slot as usize % 4));
        let (v, f) = (&self.velocity[chunk].0[at..at + 4], &self.force[chunk].0[at..at + 4]);
        let per_force = self.h * v[3];
        Vec3::from([v[0] + per_force * f[0], v[1] + per_force * f[1], v[2] + per_force * f[2]])
    }

    /// Velocity at the end of the substep without contact \[m/s\], and 1/mass.
    #[inline]
    pub fn velocity4(&self, slot: u32) -> [f32; 4] {
        let at = 4 * (slot as usize % 4);
        let lanes = &self.velocity[slot as usize / 4].0;
        [lanes[at], lanes[at + 1], lanes[at + 2], lanes[at + 3]]
    }

    #[inline]
    pub fn inverse_mass(&self, slot: u32) -> f32 {
        self.velocity[slot as usize / 4].0[4 * (slot as usize % 4) + 3]
    }

    /// Those of all slots, for whom a motion is given: four slots in each.
    pub fn velocities_mut(&mut self) -> &mut [Lanes] {
        &mut self.velocity
    }

    /// The sum of all rows' forces at a slot \[N\].
    pub fn force(&self, slot: u32) -> [f32; 3] {
        let at = 4 * (slot as usize % 4);
        let lanes = &self.force[slot as usize / 4].0;
        [lanes[at], lanes[at + 1], lanes[at + 2]]
    }

    /// The sum of all rows' forces, four slots in each \[N\].
    pub fn forces(&self) -> &[Lanes] {
        &self.force
    }

    /// That of a slot.
    pub fn force_mut(&mut self, slot: u32) -> &mut [f32] {
        let at = 4 * (slot as usize % 4);
        &mut self.force[slot as usize / 4].0[at..at + 3]
    }

    /// Adds the forces of contact on these slots to those that integrators read.
    pub fn add_to_forces(&self, touched: &[u32], work: &Work) {
        for &slot in touched {
            let (chunk, at) = (slot as usize / 4, 4 * (slot as usize % 4));
            // SAFETY: slots are within the arrays, which nobody else uses between passes.
            let sum = unsafe { &mut (&mut (*work.arrays.force.add(chunk)).0)[at..at + 3] };
            let more = &self.force[chunk].0[at..at + 3];
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    pub fn bytes(&self) -> usize {
        2 * size_of_val(&self.force[..])
    }
}

fn square_root(bits: &AtomicU32) -> f32 {
    f32::from_bits(bits.load(Ordering::Relaxed)).sqrt()
}

/// The velocities of four vertices in each chunk; says the largest square of one.
struct Predict<'a> {
    work: &'a Work,
    body: &'a BodyConstants,
    /// What takes implicit steps finds its forces in them.
    is_implicit: bool,
    chunks: Range<usize>,
    h: f32,
    velocity: &'a Apart<Lanes>,
}

impl Task for Predict<'_> {
    type Output = f32;

    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> f32 {
        let vertex = |v: [f32; 3]| {
            S::load(&Lanes(std::array::from_fn(|i| if i % 4 == 3 { 0.0 } else { v[i % 4] })))
        };
        let arrays = &self.work.arrays;
        let (external, gravity) = (vertex(self.body.external), vertex(self.body.gravity));
        let mut fastest = S::zero();
        for chunk in self.chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let load = |array: *mut Lanes| S::load(&*array.add(chunk));
                let (velocity, compensation) = (load(arrays.velocity), load(arrays.compensation));
                let mut force = external;
                if !self.is_implicit {
                    force = load(arrays.force).add(force);
                }
                if !self.is_implicit && !arrays.touch.is_null() {
                    force = force.add(load(arrays.touch));
                }
                let (inverse, free) =
                    (velocity.broadcast_fourth(), compensation.broadcast_fourth());
                let a = force.mul(inverse).add(gravity.mul(free));
                let ahead = velocity.add(a.mul(S::splat(self.h)));
                let ahead = ahead.with_fourth_of(velocity);
                ahead.store(&mut self.velocity.get(chunk)[0]);
                fastest = fastest.max(squared_length(ahead));
            }
        }
        let mut lanes = Lanes::default();
        fastest.store(&mut lanes);
        lanes.0.iter().copied().fold(0.0, f32::max)
    }
}

/// Of four vertices in sixteen lanes: x² + y² + z² in the first three lanes of each, and 0 in the fourth.
#[inline(always)]
fn squared_length<S: Lanes16>(v: S) -> S {
    let square = v.mul(v);
    let next = square.turned();
    square.add(next).add(next.turned()).with_fourth_of(S::zero())
}
