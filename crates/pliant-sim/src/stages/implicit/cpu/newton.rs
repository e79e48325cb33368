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
use super::solve::{ImplicitStep, Scalar, SolverJob, chunks};
use super::vectors::{Vectors, add_resistance, lane};
use crate::simd::{Lane4, Lanes, Lanes16, Task, run_at};
use crate::stages::implicit::SolverReport;
use crate::stages::integrate::cpu::Arrays;

/// How steep the slope may be uphill at the end of a step, relative to what it was downhill.
const UPHILL: f64 = 0.5;
/// How often a step is shortened at most.
const MOST_TRIALS: usize = 12;
/// The least part of a step that a shortened one keeps.
const LEAST_PART: f64 = 0.1;

impl SolverJob<'_> {
    /// Finds velocities that balance the forces at the end of the step, to the tolerance or to what
    /// rounding allows; leaves their change in Δv and the state as it was.
    pub(super) fn balance(&self, step: &ImplicitStep<'_>) {
        let Some(start) = self.start else { return };
        let velocity = step.work.arrays.velocity;
        if step.is_strict {
            self.each(step, |block| self.inspect_present(step, block));
        }
        self.each(step, |block| self.keep_start(step, block, start));
        let mut first = None;
        let mut imbalance = 0.0;
        let mut is_balanced = false;
        for iteration in 0..=self.settings.newton_iterations {
            self.each(step, |block| self.linearise(step, block, velocity));
            self.each(step, |block| {
                self.prepare(step, block, false, iteration > 0);
                self.newton_residual(step, block, start, iteration == 0);
                if iteration > 0 {
                    self.forget(step, block);
                }
            });
            let [contacts, square, noise] =
                self.totals([Scalar::Contacts, Scalar::RightSquared, Scalar::RightUncertainty]);
            let [pushing, pushes] = if iteration == 0 { self.begin_pairs(step) } else { [0.0; 2] };
            let square = self.enter_into(step, square) + pushes;
            let reference = *first.get_or_insert(square);
            imbalance = if reference > 0.0 { (square / reference).sqrt() } else { 0.0 };
            // Loads that move a body as a whole may be smaller than what rounding does to the forces
            // inside it, so the first system is solved in any case; and smaller than what the tolerance
            // leaves of a first imbalance, so rounding excuses nothing before the second.
            is_balanced = iteration > 0 && imbalance <= self.settings.newton_tolerance
                || iteration > 1 && square <= noise;
            let has_contacts = iteration == 0 && contacts + pushing > 0.0;
            if is_balanced || iteration == self.settings.newton_iterations {
                break;
            }
            // What is left is compared with the first imbalance, which may be all there is.
            self.add_report(&self.search(step, square, has_contacts));
            if !self.line_search(step, start) {
                break;
            }
        }
        self.add_report(&SolverReport::balanced(imbalance, is_balanced));
        self.each(step, |block| self.restore_start(step, block, start));
        // Steps that were shortened on the way have left some of it out.
        self.correct_momentum(step);
    }

    /// Enters rows between bodies into a new system; returns the square of its right-hand side, which was `square`
    /// before.
    fn enter_into(&self, step: &ImplicitStep<'_>, square: f64) -> f64 {
        if !self.has_pairs() {
            return square;
        }
        self.enter_pairs(step, true);
        self.measure_right(step);
        self.totals([Scalar::RightSquared])[0]
    }

    /// Line search: steps along Δv as far as the slope allows; returns `false` if Δv does not lead downhill.
    fn line_search(&self, step: &ImplicitStep<'_>, start: [*mut Lanes; 2]) -> bool {
        let velocity = step.work.arrays.velocity;
        self.each(step, |block| self.dot(step, block));
        let [downhill, given] = self.totals([Scalar::UnknownsRight, Scalar::Prescribed]);
        // What walls move may well lead uphill, and there is no other way.
        let has_choice = given == 0.0;
        if has_choice && (downhill.is_nan() || downhill <= 0.0) {
            return false;
        }
        let mut reached = 0.0;
        let mut part_of_step = 1.0;
        for trial in 0..=MOST_TRIALS {
            let more = part_of_step - reached;
            self.each(step, |block| self.step_along(step, block, start, more as f32, trial == 0));
            reached = part_of_step;
            self.each(step, |block| self.linearise(step, block, velocity));
            self.each(step, |block| {
                self.prepare(step, block, false, true);
                self.newton_residual(step, block, start, false);
            });
            if self.has_pairs() {
                self.enter_pairs(step, true);
                self.measure_right(step);
            }
            self.each(step, |block| self.dot(step, block));
            // Of b, which points downhill.
            let [along, square, noise] = self.totals([
                Scalar::UnknownsRight,
                Scalar::RightSquared,
                Scalar::RightUncertainty,
            ]);
            let uphill = -along;
            // Slopes mean nothing where forces are in balance as far as numbers can tell.
            if !has_choice || square <= noise || uphill <= UPHILL * downhill {
                return true;
            }
            let crossing = if uphill.is_finite() { downhill / (downhill + uphill) } else { 0.0 };
            part_of_step *= crossing.max(LEAST_PART);
        }
        true
    }

    fn keep_start(&self, step: &ImplicitStep<'_>, number: usize, start: [*mut Lanes; 2]) {
        let Arrays { position, velocity, .. } = step.work.arrays;
        let h = step.h as f32;
        for slot in step.work.slots().blocks[number].owned.clone() {
            let lane = |array: *mut Lanes| {
                // SAFETY: the block's own slots are this call's alone.
                unsafe { &mut (*array.cast::<Lane4>().add(slot as usize)).0 }
            };
            let (x, v) = (lane(position), lane(velocity));
            (*lane(start[0]), *lane(start[1])) = (*x, *v);
            (0..3).for_each(|k| x[k] += h * v[k]);
        }
    }

    fn restore_start(&self, step: &ImplicitStep<'_>, number: usize, start: [*mut Lanes; 2]) {
        let Arrays { position, velocity, .. } = step.work.arrays;
        for slot in step.work.slots().blocks[number].owned.clone() {
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

    /// The residual b of the nonlinear equations at the present positions and velocities; at first with a guess of what walls
    /// hold.
    fn newton_residual(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        start: [*mut Lanes; 2],
        is_first: bool,
    ) {
        for run in &step.work.slots().blocks[number].runs {
            let (vectors, arrays) = (&self.vectors, step.work.arrays);
            let (loads, chunks) = (step.loads(run.body), chunks(&run.slots));
            let start = start[1];
            // SAFETY: the block's own slots are this call's alone.
            unsafe {
                run_at(
                    step.level,
                    NewtonResidual { vectors, arrays, start, loads, chunks, is_first },
                );
            }
        }
        let contacts = if is_first { self.detect(step, number) } else { 0.0 };
        self.set(Scalar::Contacts, number, contacts);
        self.set(Scalar::RightSquared, number, self.square_of_right(step, number));
    }

    /// Lets a search begin at zero.
    fn forget(&self, step: &ImplicitStep<'_>, number: usize) {
        let chunks = chunks(&step.work.slots().blocks[number].owned);
        // SAFETY: the block's own slots are this call's alone.
        unsafe { self.vectors.delta.add(chunks.start).write_bytes(0, chunks.len()) };
    }

    /// Δv·b over the free components of a block, and how many others walls move.
    fn dot(&self, step: &ImplicitStep<'_>, number: usize) {
        let vectors = &self.vectors;
        self.set(
            Scalar::UnknownsRight,
            number,
            self.dot_with_unknowns(step, number, vectors.right),
        );
        let owned = step.work.slots().blocks[number].owned.clone();
        let given = if step.colliders.is_some() {
            self.count_prescribed(step, number)
        } else {
            let given = owned.map(|slot| {
                // SAFETY: the block's own slots are this call's alone.
                let [delta, mask] =
                    [vectors.delta, vectors.mask].map(|a| unsafe { *lane(a, slot) });
                (0..3).filter(|&k| mask[k] == 0.0 && delta[k] != 0.0).count() as u32
            });
            given.sum()
        };
        self.set(Scalar::Prescribed, number, f64::from(given));
    }

    /// v += `more` Δv and x = x₀ + h v; at first, what walls move goes all the way.
    fn step_along(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        start: [*mut Lanes; 2],
        more: f32,
        is_first: bool,
    ) {
        let Arrays { position, velocity, .. } = step.work.arrays;
        let h = step.h as f32;
        let Vectors { delta, mask, .. } = self.vectors;
        for slot in step.work.slots().blocks[number].owned.clone() {
            let lane = |array: *mut Lanes| {
                // SAFETY: the block's own slots are this call's alone.
                unsafe { &mut (*array.cast::<Lane4>().add(slot as usize)).0 }
            };
            let (x, v) = (lane(position), lane(velocity));
            let given = if is_first { 1.0 } else { 0.0 };
            let oblique = self.free_of_slot(slot);
            for k in 0..3 {
                let share = if lane(mask)[k] == 0.0 { given } else { more };
                v[k] += match &oblique {
                    Some(free) => given * (lane(delta)[k] - free[k]) + more * free[k],
                    None => share * lane(delta)[k],
                };
                x[k] = lane(start[0])[k] + h * v[k];
            }
        }
    }
}

/// b = h (f + touches + external + m (g − c v)) + m (v₀ − v) and what friction gives; at first, all
/// components of vertices that may move are taken for unknowns.
struct NewtonResidual<'a> {
    vectors: &'a Vectors,
    arrays: Arrays,
    start: *const Lanes,
    loads: Loads<'a>,
    chunks: Range<usize>,
    is_first: bool,
}

impl Task for NewtonResidual<'_> {
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
                let free = S::load(&*arrays.compensation.add(c)).broadcast_fourth();
                let [impulse, mass] = impulses.of(v, arrays, c, velocity);
                let b = mass.mul_add(before.sub(velocity), impulse);
                let still =
                    if v.surface.is_null() { S::zero() } else { S::load(&*v.surface.add(c)) };
                let b = add_resistance(v, c, still.sub(velocity), b).mul(free);
                b.with_fourth_of(S::zero()).store(&mut *v.right.add(c));
            }
        }
    }
}
