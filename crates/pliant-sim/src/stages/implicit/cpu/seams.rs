//! Seams in implicit steps.
//!
//! What is welded has one unknown. The system is that of all vertices, in the space in which those of a group end the
//! step at one velocity: of each residual the group's mean is what such motions can change, and the preconditioner is the
//! mean of its members' own ones. Search directions are sums of such vectors, so they keep together by themselves, and
//! where a search begins its unknowns are put together. So a weld is as stiff as a vertex that was never cut, and costs no
//! iterations.
//!
//! An open pair is a damper between its two vertices, c (d/τ + u), in the matrix, with c such that it begins with no more
//! than the seam's force: so it closes gaps at the rate 1/τ where that suffices, whatever the step. All of it is done by
//! the one who leads, between passes.

use super::begin::add_to_own;
use super::pairs::vector;
use super::solve::{ImplicitStep, Scalar, SolverJob, chunks};
use super::vectors::{Dot, Vectors, lane};
use crate::math::Vec3;
use crate::simd::run_at;
use crate::stages::implicit::planes::{Symmetric, add_scaled, identity, times};
use crate::stages::seams::{Seams, pull};

/// What is sewn in a step.
#[derive(Debug, Default)]
pub(super) struct Ties {
    /// Slots of vertices that are welded, group by group.
    slots: Vec<u32>,
    /// Where the groups end.
    ends: Vec<u32>,
    /// Two slots that are pulled together, and with what resistance, times the step \[kg\].
    open: Vec<([u32; 2], f32)>,
}

impl Ties {
    /// Room for all that these may be.
    pub fn new(seams: &Seams) -> Self {
        Self {
            slots: Vec::with_capacity(seams.members.len()),
            ends: Vec::with_capacity(seams.members.len() / 2),
            open: Vec::with_capacity(seams.pairs.len()),
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        4 * (self.slots.capacity() + self.ends.capacity())
            + self.open.capacity() * size_of::<([u32; 2], f32)>()
    }

    fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.slots[start as usize..end as usize])
    }
}

impl SolverJob<'_> {
    /// What is sewn.
    ///
    /// # Safety
    /// Nobody else uses it meanwhile: the one who leads alone comes here, between passes.
    #[allow(clippy::mut_from_ref, reason = "the one who leads alone comes here")]
    unsafe fn ties(&self) -> &mut Ties {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.ties }
    }

    /// Takes over what is sewn, and enters what is pulled together into right-hand side and own blocks. Returns the
    /// square of the impulses that are new there \[(kg·m/s)²\].
    pub(super) fn take_seams(&self, step: &ImplicitStep<'_>) -> f64 {
        // SAFETY: the one who leads alone comes here, between passes.
        let ties = unsafe { self.ties() };
        let Ties { slots, ends, open } = ties;
        slots.clear();
        ends.clear();
        open.clear();
        let Some(sewing) = step.sewing else { return 0.0 };
        sewing.each_group(step.work, &mut |group| {
            slots.extend(group);
            ends.push(slots.len() as u32);
        });
        let (v, velocity, h) = (&self.vectors, step.work.arrays.velocity, step.h as f32);
        let mut square = 0.0;
        sewing.each_open(step.work, |sewn, ends, gap| {
            // SAFETY: the one who leads alone comes here, between passes; slots lie within the arrays.
            unsafe {
                let [one, other] = ends.map(|slot| vector(velocity, slot));
                let aim = gap * sewn.rate + (other - one);
                let speed = aim.length();
                if speed == 0.0 {
                    return;
                }
                // No pair needs more than what turns its own two masses round.
                let inverse = ends.map(|slot| lane(velocity, slot)[3]).iter().sum::<f32>();
                let most = MOST_DAMPING / (h * inverse);
                let damping = (sewn.force / speed).min(most);
                let force = pull(sewn, gap, other - one, Vec3::zero(), damping);
                for (slot, sign) in ends.into_iter().zip([1.0, -1.0]) {
                    if lane(velocity, slot)[3] == 0.0 {
                        continue;
                    }
                    let impulse: [f32; 3] = (force * (sign * h)).into();
                    let [right, own, rest] =
                        [v.right, v.inverse, v.inverse_rest].map(|a| lane(a, slot));
                    (0..3).for_each(|k| right[k] += impulse[k]);
                    let slope = add_scaled(Symmetric::default(), damping * h, identity());
                    add_to_own(own, rest, slope);
                    square += impulse.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>();
                }
                open.push((ends, damping * h));
            }
        });
        square
    }

    /// Adds what is pulled together to the product with the search direction; returns its part of p·Ap.
    pub(super) fn multiply_seams(&self) -> f64 {
        let [p, product] = [self.vectors.direction, self.vectors.product];
        let mut along = 0.0;
        // SAFETY: the one who leads alone comes here, between passes; slots lie within the arrays.
        unsafe {
            for &([a, b], slope) in &self.ties().open {
                let way = vector(p, a) - vector(p, b);
                let impulse: [f32; 3] = (way * slope).into();
                for (k, impulse) in impulse.into_iter().enumerate() {
                    lane(product, a)[k] += impulse;
                    lane(product, b)[k] -= impulse;
                }
                along += f64::from(way.dot(way) * slope);
            }
        }
        along
    }

    /// Lets vertices that are welded end the step at one velocity: that of a locked one, or their mean.
    pub(super) fn tie_unknowns(&self, step: &ImplicitStep<'_>) {
        let velocity = step.work.arrays.velocity;
        let delta = self.vectors.delta;
        // SAFETY: the one who leads alone comes here, between passes; slots lie within the arrays.
        unsafe {
            let ends_at = |slot: u32| vector(velocity, slot) + vector(delta, slot);
            let mass = |slot: u32| lane(self.vectors.inverse_rest, slot)[3];
            for group in self.ties().groups() {
                let locked = group.iter().find(|&&slot| mass(slot) == 0.0);
                let goal = match locked {
                    Some(&slot) => ends_at(slot),
                    None => {
                        let all = group.iter().map(|&slot| (ends_at(slot), mass(slot)));
                        let (sum, masses) = all
                            .fold((Vec3::zero(), 0.0), |(sum, all), (v, m)| (sum + v * m, all + m));
                        sum * (1.0 / masses)
                    }
                };
                for &slot in group.iter().filter(|&&slot| mass(slot) > 0.0) {
                    let way: [f32; 3] = (goal - vector(velocity, slot)).into();
                    lane(delta, slot)[..3].copy_from_slice(&way);
                }
            }
        }
    }

    /// Shares residuals among vertices that are welded; says whether there are any. What they were before is of no use in
    /// sums: it may be so much that nothing is left of these.
    pub(super) fn tie_residuals(&self) -> bool {
        let v = &self.vectors;
        // SAFETY: the one who leads alone comes here, between passes; slots lie within the arrays.
        unsafe {
            for group in self.ties().groups() {
                let part = 1.0 / group.len() as f32;
                let is_held = group.iter().any(|&slot| lane(v.inverse_rest, slot)[3] == 0.0);
                let mean = |of: &dyn Fn(u32) -> Vec3<f32>| {
                    let sum = group.iter().fold(Vec3::zero(), |sum, &slot| sum + of(slot));
                    if is_held { Vec3::zero() } else { sum * part }
                };
                let residual = mean(&|slot| vector(v.residual, slot));
                let scaled = mean(&|slot| preconditioned(v, slot, residual));
                for &slot in group {
                    for (array, value) in [(v.residual, residual), (v.scaled, scaled)] {
                        lane(array, slot)[..3].copy_from_slice(&<[f32; 3]>::from(value));
                    }
                }
            }
            !self.ties().ends.is_empty()
        }
    }

    /// The sums of a block's residuals.
    pub(super) fn sum_residuals(&self, step: &ImplicitStep<'_>, number: usize) {
        let v = &self.vectors;
        for (scalar, other) in
            [(Scalar::ResidualPreconditioned, v.scaled), (Scalar::ResidualSquared, v.residual)]
        {
            let chunks = chunks(&step.work.slots().blocks[number].owned);
            let of = [v.residual, other].map(|array| array.cast_const());
            // SAFETY: nobody writes the block's own slots in this pass.
            let sum = unsafe { run_at(step.level, Dot::<false> { vectors: v, of, chunks }) };
            self.set(scalar, number, sum);
        }
    }
}

/// The damping of an open pair over what stops its two vertices in a step, at most.
const MOST_DAMPING: f32 = 1e3;

/// A vertex's own inverse block times r, where it is free.
///
/// # Safety
/// The slot is there, and nobody writes it meanwhile.
unsafe fn preconditioned(v: &Vectors, slot: u32, r: Vec3<f32>) -> Vec3<f32> {
    // SAFETY: promised by the caller.
    unsafe {
        let three = |array| {
            let [x, y, z, _] = *lane(array, slot);
            [x, y, z]
        };
        let z = times(&[three(v.inverse), three(v.inverse_rest)], r);
        let rest = if v.mask_rest.is_null() { [0.0; 3] } else { three(v.mask_rest) };
        times(&[three(v.mask), rest], z)
    }
}
