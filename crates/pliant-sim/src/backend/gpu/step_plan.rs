//! The plan of a substep: its passes, and the parameters of its kernels.

use crate::model::Model;
use crate::stages::gpu::arrays::RECORDS;
use crate::stages::gpu::record::{Record, Sizes, Step};
use crate::stages::integrate::keeps_forces;
use crate::step::{Advance, Pass, Stage, program_of};

/// Implicit substeps between two looks of the host whether all of them could be completed.
const IMPLICIT_BATCH: u64 = 32;
/// The same with contact, whose substeps have some thirty kernels.
const CONTACT_BATCH: u64 = 64;

/// The plan of a substep.
pub(super) struct StepPlan {
    /// Its passes in order.
    pub passes: Vec<Pass>,
    /// Updates of the explicit integrator.
    pub updates: usize,
    /// Whether any body takes implicit steps.
    pub is_implicit: bool,
    /// Whether implicit steps are among the passes.
    pub solves: bool,
    /// Whether bodies touch each other.
    pub touches: bool,
    /// Whether implicit steps have Newton's iterations.
    pub is_newton: bool,
    /// Whether explicit updates left the forces that an implicit step without these starts from.
    pub forces_are_there: bool,
    /// Whether the next substep starts from the forces that explicit updates left.
    keeps_forces: bool,
}

impl StepPlan {
    /// The plan for a stretch.
    pub fn new(model: &Model, job: &Advance<'_>) -> Self {
        let world = job.world;
        let (all, passes) = (program_of(model, world), job.passes(model));
        let has = |passes: &[Pass], stage| passes.iter().any(|pass| pass.stages.contains(&stage));
        let is_implicit = has(&all, Stage::Implicit);
        let stages = all.iter().flat_map(|pass| &pass.stages);
        let updates = stages.filter(|s| matches!(s, Stage::Integrate(_))).count();
        let computes_forces = has(&passes, Stage::Elastic);
        Self {
            is_implicit,
            solves: has(&passes, Stage::Implicit),
            touches: has(&passes, Stage::Contact),
            is_newton: is_implicit && world.implicit.newton_iterations > 1,
            // With damping they are others: the system has it in its matrix.
            forces_are_there: updates > 0 && computes_forces && model.damping.is_none(),
            keeps_forces: keeps_forces(world.integrator),
            passes,
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
        match (self.is_implicit, self.touches) {
            (true, _) => most.min(IMPLICIT_BATCH),
            (false, true) => most.min(CONTACT_BATCH),
            (false, false) => most,
        }
    }
}
