//! What a substep consists of, and what its kernels are told.

use super::arrays::RECORDS;
use super::record::{Record, Sizes, Step};
use crate::backend::cpu::{Advance, is_mixed};
use crate::model::Model;
use crate::scene::World;
use crate::stages::integrate::keeps_forces;
use crate::step::{Stage, program};

/// Implicit substeps between two looks of the host whether all of them could be completed.
const IMPLICIT_BATCH: u64 = 32;

/// What a substep consists of.
pub(super) struct Course {
    /// Its stages in order.
    pub stages: Vec<Stage>,
    /// Updates of the explicit integrator.
    pub updates: usize,
    /// Whether any body takes implicit steps.
    pub is_implicit: bool,
    /// Whether these have Newton's iterations.
    pub is_newton: bool,
    /// Whether explicit updates left the forces that an implicit step without these starts from.
    pub forces_are_there: bool,
    /// Whether the next substep starts from the forces that explicit updates left.
    keeps_forces: bool,
}

impl Course {
    /// That of a model in a world.
    pub fn new(model: &Model, world: &World) -> Self {
        let stages = program(world, is_mixed(model, world)).concat();
        let is_implicit = stages.contains(&Stage::Implicit);
        let updates = stages.iter().filter(|s| matches!(s, Stage::Integrate(_))).count();
        Self {
            is_implicit,
            is_newton: is_implicit && world.implicit.newton_iterations > 1,
            // With damping they are others: the system has it in its matrix.
            forces_are_there: updates > 0 && model.damping.is_none(),
            keeps_forces: keeps_forces(world.integrator),
            stages,
            updates,
        }
    }

    /// Whether an implicit step has to put back forces that it writes over.
    pub fn forces_are_kept(&self) -> bool {
        self.keeps_forces && (self.is_newton || !self.forces_are_there)
    }

    /// Records that the kernels of a substep read: one for each update, and one for implicit steps.
    pub fn records_per_substep(&self) -> usize {
        self.updates + usize::from(self.is_implicit)
    }

    /// These records.
    pub fn records(
        &self,
        sizes: &Sizes,
        job: &Advance<'_>,
        substep: u64,
    ) -> impl Iterator<Item = Record> {
        let updates = (0..self.updates as u8).map(move |n| Step::update(sizes, job, substep, n));
        let implicit = self.is_implicit.then(|| Step::implicit(sizes, job, substep));
        updates.chain(implicit).map(Step::record)
    }

    /// Substeps whose records fit one submission, and after which the host looks at implicit ones.
    pub fn most(&self) -> u64 {
        let most = (RECORDS / self.records_per_substep().max(1)) as u64;
        if self.is_implicit { most.min(IMPLICIT_BATCH) } else { most }
    }
}
