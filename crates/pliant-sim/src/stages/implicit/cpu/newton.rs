//! Several linear systems per step: Newton's iterations with a line search.
//!
//! Implicit Euler asks for velocities v with M (v − v₀) = h f(x₀ + h v, v). Forces that come from an
//! energy make this the place where the slope of ½ (v − v₀)ᵀ M (v − v₀) + E(x₀ + h v) vanishes. Each
//! iteration linearises at what was found so far; since the matrix is never less stiff than the true
//! derivatives, its step rarely goes too far. Where it does, the slope along it has turned uphill, and
//! the step is shortened to where a straight line through both slopes crosses zero. Only slopes are
//! compared: energies of stiff bodies differ in digits that `f32` does not have.

use std::ops::Range;

use super::begin::{Impulses, Loads, free_all};
use super::solve::{Part, Running, Scalar, chunks};
use super::vectors::{Dot, Vectors, lane, rubbed};
use crate::simd::{Lane4, Lanes, Lanes16, Task, run_at};
use crate::stages::implicit::Solved;
use crate::stages::integrate::cpu::Arrays;

/// How steep the slope may be uphill at the end of a step, relative to what it was downhill.
const UPHILL: f64 = 0.5;
/// How often a step is shortened at most.
const MOST_TRIALS: usize = 12;
/// The least part of a step that a shortened one keeps.
const LEAST_PART: f64 = 0.1;

impl Running<'_> {
    /// Finds velocities that balance the forces at the end of the step, to the tolerance or to what
    /// rounding allows; leaves their change in Δv and the state as it was.
    pub(super) fn balance(&self, part: &Part<'_>) {
        let Some(start) = self.start else { return };
        let velocity = part.work.arrays.velocity;
        if part.is_strict {
            self.each(part, |block| self.inspect_present(part, block));
        }
        self.each(part, |block| self.keep_start(part, block, start));
        let mut first = None;
        let mut imbalance = 0.0;
        let mut is_balanced = false;
        for iteration in 0..=self.settings.newton_iterations {
            self.each(part, |block| self.linearise(part, block, velocity));
            self.each(part, |block| {
                self.prepare(part, block, false, iteration > 0);
                self.weigh(part, block, start, iteration == 0);
                if iteration > 0 {
                    self.forget(part, block);
                }
            });
            let [contacts, square, noise] =
                self.totals([Scalar::Fourth, Scalar::Fifth, Scalar::Sixth]);
            let reference = *first.get_or_insert(square);
            imbalance = if reference > 0.0 { (square / reference).sqrt() } else { 0.0 };
            // Loads that move a body as a whole may be smaller than what rounding does to the forces
            // inside it, so the first system is solved in any case.
            is_balanced =
                iteration > 0 && (imbalance <= self.settings.newton_tolerance || square <= noise);
            let has_contacts = iteration == 0 && contacts > 0.0;
            if is_balanced || iteration == self.settings.newton_iterations {
                break;
            }
            // What is left is compared with the first imbalance, which may be all there is.
            self.note(part, &self.search(part, square, has_contacts));
            if !self.walk(part, start) {
                break;
            }
        }
        self.note(part, &Solved::balanced(imbalance, is_balanced));
        self.each(part, |block| self.restore_start(part, block, start));
        // Steps that were shortened on the way have left some of it out.
        self.keep_momentum(part);
    }

    /// Goes along Δv as far as the slope allows; `false` when that is no way at all.
    fn walk(&self, part: &Part<'_>, start: [*mut Lanes; 2]) -> bool {
        let velocity = part.work.arrays.velocity;
        self.each(part, |block| self.dot(part, block));
        let [downhill, given] = self.totals([Scalar::Fourth, Scalar::Seventh]);
        // What walls move may well lead uphill, and there is no other way.
        let has_choice = given == 0.0;
        if has_choice && (downhill.is_nan() || downhill <= 0.0) {
            return false;
        }
        let mut reached = 0.0;
        let mut part_of_step = 1.0;
        for trial in 0..=MOST_TRIALS {
            let more = part_of_step - reached;
            self.each(part, |block| self.go(part, block, start, more as f32, trial == 0));
            reached = part_of_step;
            self.each(part, |block| self.linearise(part, block, velocity));
            self.each(part, |block| {
                self.prepare(part, block, false, true);
                self.weigh(part, block, start, false);
                self.dot(part, block);
            });
            // Of b, which points downhill.
            let uphill = -self.totals([Scalar::Fourth])[0];
            if !has_choice || uphill <= UPHILL * downhill {
                return true;
            }
            let crossing = if uphill.is_finite() { downhill / (downhill + uphill) } else { 0.0 };
            part_of_step *= crossing.max(LEAST_PART);
        }
        true
    }

    fn keep_start(&self, part: &Part<'_>, number: usize, start: [*mut Lanes; 2]) {
        let Arrays { position, velocity, .. } = part.work.arrays;
        let h = part.h as f32;
        for slot in part.work.layout().blocks[number].owned.clone() {
            let lane = |array: *mut Lanes| {
                // SAFETY: the block's own slots are this call's alone.
                unsafe { &mut (*array.cast::<Lane4>().add(slot as usize)).0 }
            };
            let (x, v) = (lane(position), lane(velocity));
            (*lane(start[0]), *lane(start[1])) = (*x, *v);
            (0..3).for_each(|k| x[k] += h * v[k]);
        }
    }

    fn restore_start(&self, part: &Part<'_>, number: usize, start: [*mut Lanes; 2]) {
        let Arrays { position, velocity, .. } = part.work.arrays;
        for slot in part.work.layout().blocks[number].owned.clone() {
            let lane = |array: *mut Lanes| {
                // SAFETY: the block's own slots are this call's alone.
                unsafe { &mut (*array.cast::<Lane4>().add(slot as usize)).0 }
            };
            let delta = lane(self.vectors.delta);
            let (v, before) = (lane(velocity), lane(start[1]));
            (0..3).for_each(|k| delta[k] = v[k] - before[k]);
            (*lane(position), *v) = (*lane(start[0]), *before);
            delta[3] = 0.0;
        }
    }

    /// The imbalance b at the present positions and velocities; at first with a guess of what walls
    /// hold.
    fn weigh(&self, part: &Part<'_>, number: usize, start: [*mut Lanes; 2], is_first: bool) {
        for run in &part.work.layout().blocks[number].runs {
            let (vectors, arrays) = (&self.vectors, part.work.arrays);
            let (loads, chunks) = (part.loads(run.body), chunks(&run.slots));
            let start = start[1];
            // SAFETY: the block's own slots are this call's alone.
            unsafe {
                run_at(part.level, Weigh { vectors, arrays, start, loads, chunks, is_first });
            }
        }
        let contacts = if is_first { self.take_hold(part, number, self.origin(part)) } else { 0.0 };
        self.set(Scalar::Fourth, number, contacts);
        self.set(Scalar::Fifth, number, self.square_of_right(part, number));
    }

    /// Lets a search begin at zero.
    fn forget(&self, part: &Part<'_>, number: usize) {
        let chunks = chunks(&part.work.layout().blocks[number].owned);
        // SAFETY: the block's own slots are this call's alone.
        unsafe { self.vectors.delta.add(chunks.start).write_bytes(0, chunks.len()) };
    }

    /// Δv·b over the free components of a block, and how many others walls move.
    fn dot(&self, part: &Part<'_>, number: usize) {
        let chunks = chunks(&part.work.layout().blocks[number].owned);
        let vectors = &self.vectors;
        let of = [vectors.delta.cast_const(), vectors.right];
        // SAFETY: the block's own slots are this call's alone.
        let dot = unsafe { run_at(part.level, Dot::<true> { vectors, of, chunks }) };
        self.set(Scalar::Fourth, number, dot);
        let owned = part.work.layout().blocks[number].owned.clone();
        let given = owned.map(|slot| {
            // SAFETY: as above.
            let [delta, mask] = [vectors.delta, vectors.mask].map(|a| unsafe { *lane(a, slot) });
            (0..3).filter(|&k| mask[k] == 0.0 && delta[k] != 0.0).count() as u32
        });
        self.set(Scalar::Seventh, number, f64::from(given.sum::<u32>()));
    }

    /// v += `more` Δv and x = x₀ + h v; at first, what walls move goes all the way.
    fn go(
        &self,
        part: &Part<'_>,
        number: usize,
        start: [*mut Lanes; 2],
        more: f32,
        is_first: bool,
    ) {
        let Arrays { position, velocity, .. } = part.work.arrays;
        let h = part.h as f32;
        let Vectors { delta, mask, .. } = self.vectors;
        for slot in part.work.layout().blocks[number].owned.clone() {
            let lane = |array: *mut Lanes| {
                // SAFETY: the block's own slots are this call's alone.
                unsafe { &mut (*array.cast::<Lane4>().add(slot as usize)).0 }
            };
            let (x, v) = (lane(position), lane(velocity));
            for k in 0..3 {
                let given = if is_first { 1.0 } else { 0.0 };
                let share = if lane(mask)[k] == 0.0 { given } else { more };
                v[k] += share * lane(delta)[k];
                x[k] = lane(start[0])[k] + h * v[k];
            }
        }
    }
}

/// b = h (f + touches + external + m (g − c v)) + m (v₀ − v) and what friction gives; at first, all
/// components of vertices that may move are taken for unknowns.
struct Weigh<'a> {
    vectors: &'a Vectors,
    arrays: Arrays,
    start: *const Lanes,
    loads: Loads<'a>,
    chunks: Range<usize>,
    is_first: bool,
}

impl Task for Weigh<'_> {
    type Output = ();

    /// # Safety
    /// The chunks belong to this call alone.
    #[inline(always)]
    unsafe fn run<S: Lanes16>(self) {
        let Self { vectors: v, arrays, start, loads, chunks, is_first } = self;
        let impulses = Impulses::<S>::new(loads);
        for c in chunks {
            // SAFETY: promised by the caller.
            unsafe {
                if is_first {
                    free_all(v, arrays, impulses.step, c);
                }
                let velocity = S::load(&*arrays.velocity.add(c)).with_fourth_of(S::zero());
                let before = S::load(&*start.add(c)).with_fourth_of(S::zero());
                let free = S::load(&*arrays.low.add(c)).broadcast_fourth();
                let [impulse, mass] = impulses.of(v, arrays, c, velocity);
                let b = mass.mul_add(before.sub(velocity), impulse);
                let b = rubbed::<S>(v, c).neg_mul_add(velocity, b).mul(free);
                b.with_fourth_of(S::zero()).store(&mut *v.right.add(c));
            }
        }
    }
}
