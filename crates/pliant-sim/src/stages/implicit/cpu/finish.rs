//! The end of a step: velocities and positions from the change that was found.

use std::ops::Range;

use super::begin::{four_times, unpack};
use super::vectors::Vectors;
use crate::simd::{Lanes, Lanes16, Task};
use crate::stages::implicit::contact::{Contact, Start};
use crate::stages::integrate::cpu::{Arrays, vertex};
use crate::stages::walls::formula::{Walls, put_back};

/// v += Δv, x += h v, and what walls do besides; returns the first vertex that is not a number.
pub(super) struct Finish<'a> {
    pub vectors: &'a Vectors,
    pub arrays: Arrays,
    /// What stops them, if something does.
    pub walls: Option<&'a Walls<f32>>,
    pub h: f32,
    pub chunks: Range<usize>,
}

impl Task for Finish<'_> {
    type Output = Option<usize>;

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) -> Option<usize> {
        let Self { vectors: v, arrays, walls, h, chunks } = self;
        let (step, rate) = (S::splat(h), S::splat(1.0 / h));
        let (least, most) = (S::splat(f32::MIN), S::splat(f32::MAX));
        let nothing = S::zero();
        let mut bad = None;
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let old = S::load(&*arrays.velocity.add(c));
                let delta = S::load(&*v.delta.add(c));
                let residual_of_block = S::load(&*arrays.compensation.add(c));
                let x = S::load(&*arrays.position.add(c));
                let velocity = old.with_fourth_of(nothing).add(delta);
                // Compensated: what rounding takes from a position is given back in the next step.
                let way = step.mul_add(velocity, residual_of_block.with_fourth_of(nothing));
                let sum = x.add(way);
                let compensation = way.sub(sum.sub(x));
                if sum.with_fourth_of(nothing).any_outside(least, most) && bad.is_none() {
                    let at = unpack(sum.with_fourth_of(nothing));
                    bad = at.iter().position(|x| !x.is_finite()).map(|n| 4 * c + n / 4);
                }
                rate.mul(delta).store(&mut *arrays.history[0].add(c));
                let mut after = [sum, compensation, velocity];
                let contacts = S::load(&*v.contacts.add(c));
                if let Some(walls) = walls
                    && meets_wall(contacts, sum, walls)
                {
                    let start = [x, old].map(unpack);
                    let mut plain = after.map(unpack);
                    leave_walls(&mut plain, &start, &unpack(contacts), walls, h);
                    after = plain.map(|lanes| S::load(&Lanes(lanes)));
                }
                after[0].store(&mut *arrays.position.add(c));
                after[1].with_fourth_of(residual_of_block).store(&mut *arrays.compensation.add(c));
                after[2].with_fourth_of(old).store(&mut *arrays.velocity.add(c));
            }
        }
        bad
    }
}

/// Whether any of four vertices is held by a wall, or has gone through one.
#[inline(always)]
fn meets_wall<S: Lanes16>(contacts: S, position: S, walls: &Walls<f32>) -> bool {
    let zero = S::zero();
    let low = S::load(&four_times(walls.low.into(), f32::NEG_INFINITY));
    let high = S::load(&four_times(walls.high.into(), f32::INFINITY));
    contacts.any_outside(zero, zero) || position.with_fourth_of(zero).any_outside(low, high)
}

/// What walls hold ends the step at rest on them, unless it bounces. What slipped through by rounding is
/// put back.
#[cold]
#[inline(never)]
fn leave_walls(
    [position, compensation, velocity]: &mut [[f32; 16]; 3],
    [x, v]: &[[f32; 16]; 2],
    contacts: &[f32; 16],
    walls: &Walls<f32>,
    h: f32,
) {
    let three = |l: &[f32; 16], n: usize| [l[n], l[n + 1], l[n + 2]];
    // The fourth number of a velocity is 1/mass.
    for n in (0..16).step_by(4).filter(|&n| v[n + 3] > 0.0) {
        let contact = Contact { bits: contacts[n] as u32, ..Contact::default() };
        let start = Start { walls, x: three(x, n), v: three(v, n), h };
        for k in 0..3 {
            if let Some(wall) = contact.rests(&start, k, velocity[n + k]) {
                (position[n + k], compensation[n + k], velocity[n + k]) = (wall, 0.0, 0.0);
            }
        }
        let now = three(position, n).into();
        put_back(now, [vertex(position, n), vertex(compensation, n), vertex(velocity, n)], walls);
    }
}
