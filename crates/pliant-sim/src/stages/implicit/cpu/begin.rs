//! The right-hand side of a step, and the guess for its unknowns.

use std::ops::Range;

use super::vectors::Vectors;
use crate::simd::{Lanes, Lanes16, Task};
use crate::stages::implicit::planes::Symmetric;
use crate::stages::integrate::cpu::Arrays;
use crate::step::BodyConstants;

/// What the right-hand side of a step is made of.
#[derive(Clone, Copy)]
pub(super) struct Loads<'a> {
    /// What the bodies' vertices have in common.
    pub body: &'a BodyConstants,
    /// Timestep \[s\].
    pub h: f32,
    /// Mass-proportional damping \[1/s\].
    pub damping: f32,
}

/// The inverse of each vertex's own block, in place, from the sums of its pairs. Masses are in the
/// arrays already.
pub(super) fn invert(inverse: &mut [f32; 4], rest: &mut [f32; 4]) {
    let own = f64::from(inverse[3]);
    let [x, y, z, _] = inverse.map(f64::from);
    let [xy, yz, zx, _] = rest.map(f64::from);
    let [diagonal, others] = crate::stages::implicit::formula::inverse_symmetric(
        [x + own, y + own, z + own],
        [xy, yz, zx],
    );
    for k in 0..3 {
        inverse[k] = diagonal[k] as f32;
        rest[k] = others[k] as f32;
    }
}

/// The inverse of a vertex's own block with a symmetric matrix added to it, in place.
pub(super) fn add_to_own(inverse: &mut [f32; 4], rest: &mut [f32; 4], more: Symmetric<f32>) {
    use crate::stages::implicit::formula::inverse_symmetric;
    let [x, y, z, _] = inverse.map(f64::from);
    let [xy, yz, zx, _] = rest.map(f64::from);
    let [mut diagonal, mut others] = inverse_symmetric([x, y, z], [xy, yz, zx]);
    (0..3).for_each(|k| diagonal[k] += f64::from(more[0][k]));
    (0..3).for_each(|k| others[k] += f64::from(more[1][k]));
    let [diagonal, others] = inverse_symmetric(diagonal, others);
    for k in 0..3 {
        inverse[k] = diagonal[k] as f32;
        rest[k] = others[k] as f32;
    }
}

/// What acts on vertices from outside, in lanes.
pub(super) struct Impulses<S> {
    gravity: S,
    external: S,
    damping: S,
    /// Timestep \[s\].
    pub step: S,
}

impl<S: Lanes16> Impulses<S> {
    #[inline(always)]
    pub fn new(loads: Loads<'_>) -> Self {
        Self {
            gravity: S::load(&four_times(loads.body.gravity, 0.0)),
            external: S::load(&four_times(loads.body.external, 0.0)),
            damping: S::splat(loads.damping),
            step: S::splat(loads.h),
        }
    }

    /// h (f + touches + external + m (g − c v)) of four vertices, and their masses.
    ///
    /// # Safety
    /// Nobody writes the chunk meanwhile.
    #[inline(always)]
    pub unsafe fn of(&self, v: &Vectors, arrays: Arrays, c: usize, velocity: S) -> [S; 2] {
        // SAFETY: promised by the caller.
        unsafe {
            let mut force = S::load(&*arrays.force.add(c)).add(self.external);
            if !arrays.touch.is_null() {
                force = force.add(S::load(&*arrays.touch.add(c)));
            }
            let mass = S::load(&*v.inverse_rest.add(c)).broadcast_fourth();
            let fall = self.damping.neg_mul_add(velocity, self.gravity);
            [self.step.mul(mass.mul_add(fall, force)), mass]
        }
    }
}

/// The same numbers for each of four vertices.
pub(super) fn four_times([x, y, z]: [f32; 3], fourth: f32) -> Lanes {
    Lanes(std::array::from_fn(|i| [x, y, z, fourth][i % 4]))
}

/// b = h (f + touches + external + m (g − c v)) − (h² K + h D) v, from the product with v; the guess
/// for Δv, with all components of vertices that may move for unknowns.
pub(super) struct Begin<'a> {
    pub vectors: &'a Vectors,
    pub arrays: Arrays,
    pub loads: Loads<'a>,
    pub chunks: Range<usize>,
}

impl Task for Begin<'_> {
    type Output = ();

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        let Self { vectors: v, arrays, loads, chunks } = self;
        let impulses = Impulses::<S>::new(loads);
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                let velocity = S::load(&*arrays.velocity.add(c)).with_fourth_of(S::zero());
                let free = free_components(arrays, c);
                let [impulse, _] = impulses.of(v, arrays, c, velocity);
                let b = impulse.sub(S::load(&*v.product.add(c)));
                b.mul(free).store(&mut *v.right.add(c));
                free_all(v, arrays, impulses.step, c);
            }
        }
    }
}

/// 1 for components of vertices that may move, else 0.
///
/// # Safety
/// Nobody writes the chunk meanwhile.
#[inline(always)]
unsafe fn free_components<S: Lanes16>(arrays: Arrays, c: usize) -> S {
    // SAFETY: promised by the caller.
    unsafe { S::load(&*arrays.compensation.add(c)).broadcast_fourth().with_fourth_of(S::zero()) }
}

/// Takes all components of vertices that may move for unknowns, and guesses that they accelerate as in
/// the last step.
///
/// # Safety
/// The chunk belongs to this call alone.
#[inline(always)]
pub(super) unsafe fn free_all<S: Lanes16>(v: &Vectors, arrays: Arrays, step: S, c: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        let free: S = free_components(arrays, c);
        let last = S::load(&*arrays.history[0].add(c)).with_fourth_of(S::zero());
        step.mul(last).mul(free).store(&mut *v.delta.add(c));
        free.store(&mut *v.mask.add(c));
        if !v.mask_rest.is_null() {
            S::zero().store(&mut *v.mask_rest.add(c));
            S::zero().store(&mut *v.surface.add(c));
        }
        S::zero().store(&mut *v.contacts.add(c));
    }
}

/// Plain numbers of sixteen lanes.
pub(super) fn unpack<S: Lanes16>(lanes: S) -> [f32; 16] {
    let mut plain = Lanes::default();
    lanes.store(&mut plain);
    plain.0
}
