//! The momentum of bodies that nothing holds.
//!
//! Springs and volumes give no momentum to the body that they belong to, so how much a step gives is
//! known beforehand: what comes from outside. In the right-hand side of a stiff body this is small
//! beside forces that cancel: it may be below what the tolerance leaves, or in digits that `f32` does
//! not have. What a search has missed of it is given to all vertices alike, which no spring notices.

use std::ops::Range;

use super::solve::{ImplicitStep, SolverJob};
use super::vectors::lane;
use crate::model::Model;
use crate::stages::cpu::slots::Slots;

/// The part of a body's momentum that may be missing before it is made up.
const MISSED: f64 = 1e-6;

/// The momentum that the vertices of one body in one block have not got yet, by component.
#[derive(Clone, Copy, Default)]
pub(super) struct MomentumDeficit {
    /// Momentum \[kg·m/s\].
    impulse: [f64; 3],
    /// How much momentum goes in and out of them \[kg·m/s\].
    turnover: f64,
    /// What has to be moved \[kg\]; infinite where something holds the body.
    mass: [f64; 3],
}

impl MomentumDeficit {
    fn add(&mut self, other: &Self) {
        self.turnover += other.turnover;
        for k in 0..3 {
            self.impulse[k] += other.impulse[k];
            self.mass[k] += other.mass[k];
        }
    }

    /// The velocity that makes up for it \[m/s\], where it is worth mentioning.
    fn velocity(&self) -> Option<[f64; 3]> {
        let is_held = |k: usize| self.mass[k].is_infinite();
        let missing = |k: usize| if is_held(k) { 0.0 } else { self.impulse[k] };
        let most = (0..3).map(|k| missing(k).abs()).fold(0.0, f64::max);
        let is_missed = most > MISSED * self.turnover;
        is_missed.then(|| std::array::from_fn(|k| missing(k) / self.mass[k]))
    }
}

/// Room for the deficit of each run of vertices.
pub(super) struct MomentumDeficits {
    runs: Vec<MomentumDeficit>,
    /// Where the runs of each block begin.
    first: Vec<usize>,
    /// The runs of each body, in the order of the blocks; none of bodies with locked vertices.
    of_body: Vec<Vec<usize>>,
}

/// The same, during a job.
#[derive(Clone, Copy)]
pub(super) struct DeficitsByRun<'a> {
    runs: *mut MomentumDeficit,
    first: &'a [usize],
    of_body: &'a [Vec<usize>],
}

impl DeficitsByRun<'_> {
    /// Whether a body has no vertex that is locked.
    fn is_free(&self, body: u32) -> bool {
        !self.of_body[body as usize].is_empty()
    }
}

impl MomentumDeficits {
    pub fn new(model: &Model, slots: &Slots) -> Self {
        let all_move = |r: &Range<u32>| {
            model.inv_mass[r.start as usize..r.end as usize].iter().all(|&m| m > 0.0)
        };
        let is_free: Vec<bool> = model.bodies.iter().map(|b| all_move(&b.vertices)).collect();
        let mut of_body = vec![Vec::new(); model.bodies.len()];
        let mut count = 0;
        let mut first = Vec::with_capacity(slots.blocks.len());
        for block in &slots.blocks {
            first.push(count);
            for run in &block.runs {
                if is_free[run.body as usize] {
                    of_body[run.body as usize].push(count);
                }
                count += 1;
            }
        }
        Self { runs: vec![MomentumDeficit::default(); count], first, of_body }
    }

    pub fn open(&mut self) -> DeficitsByRun<'_> {
        DeficitsByRun { runs: self.runs.as_mut_ptr(), first: &self.first, of_body: &self.of_body }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let lists = self.of_body.iter().map(|runs| size_of_val(&runs[..])).sum::<usize>();
        size_of_val(&self.runs[..])
            + size_of_val(&self.first[..])
            + size_of_val(&self.of_body[..])
            + lists
    }
}

impl SolverJob<'_> {
    /// Adds to free bodies the momentum that the iterations have not found. Also before contacts are
    /// revised: what is missing may lead through a wall.
    pub(super) fn correct_momentum(&self, step: &ImplicitStep<'_>) {
        if self.deficits.of_body.iter().all(Vec::is_empty) {
            return;
        }
        self.each(step, |block| self.find_deficits(step, block));
        self.each(step, |block| {
            let runs = step.work.slots().blocks[block].runs.iter();
            for run in runs.filter(|r| self.deficits.is_free(r.body)) {
                let Some(more) = self.deficit_of(run.body).velocity() else { continue };
                for slot in run.slots.clone() {
                    // SAFETY: the block's own slots are this call's alone.
                    let delta = unsafe { lane(self.vectors.delta, slot) };
                    (0..3).for_each(|k| delta[k] = (f64::from(delta[k]) + more[k]) as f32);
                }
            }
        });
    }

    fn find_deficits(&self, step: &ImplicitStep<'_>, number: usize) {
        let arrays = step.work.arrays;
        let v = &self.vectors;
        let start = self.start.map_or(arrays.velocity, |[_, velocity]| velocity);
        let DeficitsByRun { runs, first, .. } = self.deficits;
        let own_runs = step.work.slots().blocks[number].runs.iter().enumerate();
        for (n, run) in own_runs.filter(|(_, r)| self.deficits.is_free(r.body)) {
            let body = &step.constants[run.body as usize];
            let mut deficit = MomentumDeficit::default();
            for slot in run.slots.clone() {
                // SAFETY: the block's own slots are this call's alone.
                let [velocity, before, delta, own, rest, mask, contacts] = [
                    arrays.velocity,
                    start,
                    v.delta,
                    v.inverse,
                    v.inverse_rest,
                    v.mask,
                    v.contacts,
                ]
                .map(|array| unsafe { *lane(array, slot) });
                let touch = match arrays.touch.is_null() {
                    true => [0.0; 4],
                    // SAFETY: as above.
                    false => unsafe { *lane(arrays.touch, slot) },
                };
                // Newton's iterations have the forces of touches where they lead; one linearisation has
                // their resistance to the change instead.
                let inertia = match self.start.is_some() {
                    true => f64::from(rest[3]) * (1.0 + step.h * step.damping),
                    false => f64::from(own[3]),
                };
                for k in 0..3 {
                    let fall = f64::from(body.gravity[k]) - step.damping * f64::from(before[k]);
                    let pull = f64::from(body.external[k]) + f64::from(touch[k]);
                    let after = f64::from(velocity[k]) + f64::from(delta[k]);
                    let resistance = f64::from(contacts[3] * mask[k]);
                    let given = step.h * (pull + f64::from(rest[3]) * fall) - resistance * after;
                    let found = inertia * (after - f64::from(before[k]));
                    deficit.impulse[k] += given - found;
                    deficit.turnover += given.abs() + found.abs();
                    let is_held = mask[k] == 0.0;
                    deficit.mass[k] += if is_held { f64::INFINITY } else { inertia + resistance };
                }
            }
            // SAFETY: the block's own runs are this call's alone.
            unsafe { *runs.add(first[number] + n) = deficit };
        }
    }

    /// The deficit of a body, summed in the order of the blocks.
    fn deficit_of(&self, body: u32) -> MomentumDeficit {
        let mut all = MomentumDeficit::default();
        for &run in &self.deficits.of_body[body as usize] {
            // SAFETY: nobody writes them in this pass.
            all.add(unsafe { &*self.deficits.runs.add(run) });
        }
        all
    }
}
