//! The end of a step: velocities and positions from the change that was found.

use std::ops::Range;

use super::begin::{four_times, unpack};
use super::vectors::Vectors;
use crate::simd::{Lanes, Lanes16, Task};
use crate::stages::integrate::cpu::{Arrays, Frame};
use crate::stages::walls::Walls;

/// v += Δv, x += h v, and what walls do besides; gives the first vertex that is not a number.
pub(super) struct Finish<'a> {
    pub vectors: &'a Vectors,
    pub arrays: Arrays,
    pub frame: &'a Frame,
    pub h: f32,
    pub chunks: Range<usize>,
}

impl Task for Finish<'_> {
    type Output = Option<usize>;

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> Option<usize> {
        let Self { vectors: v, arrays, frame, h, chunks } = self;
        let (step, rate) = (S::splat(h), S::splat(1.0 / h));
        let (least, most) = (S::splat(f32::MIN), S::splat(f32::MAX));
        let nothing = S::zero();
        let mut bad = None;
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let old = S::load(&*arrays.velocity.add(c));
                let delta = S::load(&*v.delta.add(c));
                let remainder = S::load(&*arrays.low.add(c));
                let x = S::load(&*arrays.position.add(c));
                let velocity = old.with_fourth_of(nothing).add(delta);
                // Compensated: what rounding takes from a position is given back in the next step.
                let way = step.mul_add(velocity, remainder.with_fourth_of(nothing));
                let sum = x.add(way);
                let low = way.sub(sum.sub(x));
                if sum.with_fourth_of(nothing).any_outside(least, most) && bad.is_none() {
                    let at = unpack(sum.with_fourth_of(nothing));
                    bad = at.iter().position(|x| !x.is_finite()).map(|n| 4 * c + n / 4);
                }
                rate.mul(delta).store(&mut *arrays.memory[0].add(c));
                let mut after = [sum, low, velocity];
                let mask = S::load(&*v.mask.add(c));
                if let Some(walls) = &frame.walls
                    && meets_wall(mask, remainder, &after, walls)
                {
                    let impulse = S::load(&*v.product.add(c)).sub(S::load(&*v.right.add(c)));
                    let mass = S::load(&*v.inverse_rest.add(c)).broadcast_fourth();
                    let inverse = S::load(&*v.inverse.add(c));
                    let given = [mask, impulse, mass, old, inverse].map(unpack);
                    let mut plain = after.map(unpack);
                    leave_walls(&mut plain, &given, walls);
                    after = plain.map(|lanes| S::load(&Lanes(lanes)));
                }
                after[0].store(&mut *arrays.position.add(c));
                after[1].with_fourth_of(remainder).store(&mut *arrays.low.add(c));
                after[2].with_fourth_of(old).store(&mut *arrays.velocity.add(c));
            }
        }
        bad
    }
}

/// Whether any of four vertices was taken to a wall, or has gone through one.
#[inline(always)]
fn meets_wall<S: Lanes16>(mask: S, remainder: S, after: &[S; 3], walls: &Walls<f32>) -> bool {
    let one = S::splat(1.0);
    let free = remainder.broadcast_fourth().with_fourth_of(S::zero());
    let low = S::load(&four_times(walls.low.into(), f32::NEG_INFINITY));
    let high = S::load(&four_times(walls.high.into(), f32::INFINITY));
    mask.sub(free).any_outside(S::zero(), one)
        || after[0].with_fourth_of(S::zero()).any_outside(low, high)
}

/// Components that were taken to a wall: they end there, bounce as restitution says, and what the
/// wall gave to them brakes the vertex along the wall. Where it had to hold them back, they leave with
/// the velocity that this is worth. What slipped through is put back.
#[cold]
#[inline(never)]
fn leave_walls(
    [position, low, velocity]: &mut [[f32; 16]; 3],
    [mask, impulse, mass, old, inverse]: &[[f32; 16]; 5],
    walls: &Walls<f32>,
) {
    let (least, most): ([f32; 3], [f32; 3]) = (walls.low.into(), walls.high.into());
    for vertex in (0..16).step_by(4).filter(|&n| mass[n] > 0.0) {
        for k in (0..3).filter(|&k| mask[vertex + k] == 0.0) {
            let n = vertex + k;
            let middle = 0.5 * (least[k] + most[k]);
            position[n] = if position[n] < middle { least[k] } else { most[k] };
            low[n] = 0.0;
            let outward = if position[n] == least[k] { -1.0 } else { 1.0 };
            let incoming = old[n] * outward;
            let pressure = -outward * impulse[n];
            velocity[n] = if incoming > 0.0 {
                -walls.restitution * old[n]
            } else {
                outward * inverse[n] * pressure.min(0.0)
            };
            let given = pressure.max(0.0) * (1.0 + walls.restitution);
            let loss = walls.friction * given / mass[n];
            let (i, j) = (vertex + (k + 1) % 3, vertex + (k + 2) % 3);
            let speed = velocity[i].hypot(velocity[j]);
            let keep = if speed > loss { 1.0 - loss / speed } else { 0.0 };
            if walls.friction > 0.0 {
                velocity[i] *= keep;
                velocity[j] *= keep;
            }
        }
        let at = |l: &[f32; 16]| crate::math::Vec3::from([l[vertex], l[vertex + 1], l[vertex + 2]]);
        let (mut x, mut v) = (at(position), at(velocity));
        if !walls.contains(x) {
            walls.collide(&mut x, &mut v);
            let (x, v): ([f32; 3], [f32; 3]) = (x.into(), v.into());
            for k in 0..3 {
                velocity[vertex + k] = v[k];
                if x[k] != position[vertex + k] {
                    position[vertex + k] = x[k];
                    low[vertex + k] = 0.0;
                }
            }
        }
    }
}
