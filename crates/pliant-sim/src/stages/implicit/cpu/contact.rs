//! Contact with walls: which components they hold, before and after a system is solved.

use std::ops::Range;

use super::begin::{add_to_own, four_times};
use super::solve::{ImplicitStep, Scalar, SolverJob, chunks};
use super::vectors::{Vectors, lane};
use crate::simd::{Lanes, Lanes16, Task, run_at};
use crate::stages::implicit::contact::{Contact, Start};
use crate::stages::implicit::formula::inverse_symmetric;
use crate::stages::integrate::cpu::Arrays;
use crate::stages::walls::Walls;

/// Where a step begins, by slot.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    /// Positions \[m\].
    pub position: *const Lanes,
    /// Velocities \[m/s\].
    pub velocity: *const Lanes,
}

/// The vertex in a slot as walls see it; `None` if it may not move.
///
/// # Safety
/// The slot belongs to this call alone.
unsafe fn vertex<'a>(
    origin: Origin,
    walls: &'a Walls<f32>,
    slot: u32,
    h: f32,
) -> Option<Start<'a>> {
    // SAFETY: promised by the caller.
    let [x, v] = [origin.position, origin.velocity].map(|a| unsafe { *lane(a.cast_mut(), slot) });
    let three = |[x, y, z, _]: [f32; 4]| [x, y, z];
    (v[3] > 0.0).then(|| Start { walls, x: three(x), v: three(v), h })
}

impl Contact {
    /// # Safety
    /// The slot belongs to this call alone.
    unsafe fn load(v: &Vectors, slot: u32) -> Self {
        let three = |array| {
            // SAFETY: promised by the caller.
            let [x, y, z, _] = unsafe { *lane(array, slot) };
            [x, y, z]
        };
        let (mask, delta) = (three(v.mask), three(v.delta));
        // SAFETY: as above.
        let [bits, resistance_before, speed_before, resistance] =
            unsafe { *lane(v.contacts, slot) };
        let before = [resistance_before, speed_before];
        Self { mask, delta, resistance, before, bits: bits as u32 }
    }

    /// Keeps it, and what it changes in the system.
    ///
    /// # Safety
    /// The slot belongs to this call alone.
    unsafe fn store(&self, v: &Vectors, slot: u32, base: [f32; 3]) {
        // SAFETY: promised by the caller.
        let [mask, delta, contacts, right, own, rest] =
            [v.mask, v.delta, v.contacts, v.right, v.inverse, v.inverse_rest]
                .map(|array| unsafe { lane(array, slot) });
        let change: [f32; 3] =
            std::array::from_fn(|k| self.resistance * self.mask[k] - contacts[3] * mask[k]);
        if change != [0.0; 3] {
            (0..3).for_each(|k| right[k] -= change[k] * base[k]);
            add_to_own(own, rest, [change, [0.0; 3]]);
        }
        mask[..3].copy_from_slice(&self.mask);
        delta[..3].copy_from_slice(&self.delta);
        *contacts = [self.bits as f32, self.before[0], self.before[1], self.resistance];
    }
}

/// The mean of the diagonal of a vertex's own block \[kg\].
///
/// # Safety
/// The slot belongs to this call alone.
pub(super) unsafe fn inertia(v: &Vectors, slot: u32) -> f32 {
    // SAFETY: promised by the caller.
    let [[x, y, z, _], [xy, yz, zx, _]] =
        [v.inverse, v.inverse_rest].map(|array| unsafe { (*lane(array, slot)).map(f64::from) });
    let [[x, y, z], _] = inverse_symmetric([x, y, z], [xy, yz, zx]);
    ((x + y + z) / 3.0) as f32
}

/// The groups of four vertices of which some touch a wall, go through one, or are held by one.
struct Near<'a, F: FnMut(u32)> {
    vectors: &'a Vectors,
    arrays: Arrays,
    origin: Origin,
    walls: &'a Walls<f32>,
    h: f32,
    chunks: Range<usize>,
    act: F,
}

impl<F: FnMut(u32)> Task for Near<'_, F> {
    type Output = ();

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        let Self { vectors: v, arrays, origin, walls, h, chunks, mut act } = self;
        let (low, high): ([f32; 3], [f32; 3]) = (walls.low.into(), walls.high.into());
        // A little inside, so that what is at a wall counts as outside.
        let low = S::load(&four_times(low.map(f32::next_up), f32::NEG_INFINITY));
        let high = S::load(&four_times(high.map(f32::next_down), f32::INFINITY));
        let (step, zero) = (S::splat(h), S::zero());
        for c in chunks {
            // SAFETY: promised by the caller.
            let is_near = unsafe {
                let x = S::load(&*origin.position.add(c)).with_fourth_of(zero);
                let base = S::load(&*arrays.velocity.add(c)).with_fourth_of(zero);
                let delta = S::load(&*v.delta.add(c)).with_fourth_of(zero);
                let end = step.mul_add(base, x);
                let contacts = S::load(&*v.contacts.add(c));
                x.any_outside(low, high)
                    || end.any_outside(low, high)
                    || step.mul_add(delta, end).any_outside(low, high)
                    || contacts.any_outside(zero, zero)
            };
            if is_near {
                (4 * c as u32..4 * c as u32 + 4).for_each(&mut act);
            }
        }
    }
}

impl SolverJob<'_> {
    /// Calls `act` with each vertex of a block that walls may have something to do with, and what it is
    /// there.
    fn near_walls(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        origin: Origin,
        mut act: impl FnMut(u32, &Start<'_>, [f32; 3]),
    ) {
        let arrays = step.work.arrays;
        for run in &step.work.slots().blocks[number].runs {
            let Some(walls) = &step.constants[run.body as usize].walls else { continue };
            let h = step.h as f32;
            let touch = |slot: u32| {
                // SAFETY: the block's own slots are this call's alone.
                let (start, [x, y, z, _]) =
                    unsafe { (vertex(origin, walls, slot, h), *lane(arrays.velocity, slot)) };
                if let Some(start) = start {
                    act(slot, &start, [x, y, z]);
                }
            };
            let (vectors, chunks) = (&self.vectors, chunks(&run.slots));
            let near = Near { vectors, arrays, origin, walls, h, chunks, act: touch };
            // SAFETY: as above.
            unsafe { run_at(step.level, near) };
        }
    }

    /// The first guess of what walls hold, once the right-hand side is known. Returns the number of vertices.
    pub(super) fn detect_contacts(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        origin: Origin,
    ) -> f64 {
        let v = &self.vectors;
        let mut count = 0.0;
        self.near_walls(step, number, origin, |slot, start, base| {
            // SAFETY: the block's own slots are this call's alone.
            unsafe {
                let [[bx, by, bz, _], [x, y, z, _]] = [*lane(v.right, slot), *lane(v.delta, slot)];
                let inertia = inertia(v, slot);
                let contact = Contact::first_contact(start, base, [bx, by, bz], [x, y, z], inertia);
                count += f64::from(u8::from(contact.bits != 0));
                contact.store(v, slot, base);
            }
        });
        count
    }

    /// After a solve, updates the set of components that walls hold; `slack` is the impulse that
    /// means nothing.
    pub(super) fn revise(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        slack: f32,
        freedom: [bool; 2],
    ) {
        let v = &self.vectors;
        let mut news = 0.0;
        self.near_walls(step, number, self.origin(step), |slot, start, base| {
            // SAFETY: the block's own slots are this call's alone.
            unsafe {
                let (y, b) = (*lane(v.product, slot), *lane(v.right, slot));
                let impulse = std::array::from_fn(|k| y[k] - b[k]);
                let mut contact = Contact::load(v, slot);
                let inertia = inertia(v, slot);
                if contact.revise(start, base, impulse, inertia, slack, freedom) {
                    news += 1.0;
                }
                contact.store(v, slot, base);
            }
        });
        self.set(Scalar::ContactChanges, number, news);
    }

    /// Where the step began: the present state, unless Newton's iterations have moved it.
    pub(super) fn origin(&self, step: &ImplicitStep<'_>) -> Origin {
        match self.start {
            Some([position, velocity]) => Origin { position, velocity },
            None => {
                let Arrays { position, velocity, .. } = step.work.arrays;
                Origin { position, velocity }
            }
        }
    }
}
