//! Runs implicit steps on all workers of a job.

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::begin::{Begin, Loads, invert};
use super::finish::Finish;
use super::kernel;
use super::matrix::BlockMatrix;
use super::momentum::{DeficitsByRun, MomentumDeficits};
use super::obstacles::Held;
use super::pairs::{Group, PairRow};
use super::seams::Ties;
use super::vectors::{CgUpdate, Dot, Guess, SearchDirection, TrueResidual, Vectors};
use crate::model::{Family, Model};
use crate::pool::Team;
use crate::scene::Implicit;
use crate::simd::{Lane4, Lanes, Level, run_at};
use crate::stages::air::cpu::Exposed;
use crate::stages::air::formula::Air;
use crate::stages::colliders::cpu::Substep;
use crate::stages::contact::cpu::ImplicitRows;
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;
use crate::stages::implicit::SolverReport;
use crate::stages::seams::cpu::Sewing;
use crate::stages::touch::cpu::Interactions;
use crate::step::BodyConstants;

/// Sums that each block contributes to. The thread that leads reads them between two passes.
#[derive(Clone, Copy)]
pub(super) enum Scalar {
    /// p·Ap, of the search direction p.
    Curvature,
    /// r·z, of the residual r and z, the residual after preconditioning.
    ResidualPreconditioned,
    /// r·r.
    ResidualSquared,
    /// b·b, of the right-hand side b.
    RightSquared,
    /// Δv·b.
    UnknownsRight,
    /// Δv·r.
    UnknownsResidual,
    /// The square of what rounding may do to b.
    RightUncertainty,
    /// Vertices that walls hold.
    Contacts,
    /// Vertices that walls hold in another way than before.
    ContactChanges,
    /// Components whose velocity walls prescribe and change, or vertices for which colliders do.
    Prescribed,
    /// What colliders may have given to a block's vertices \[J\].
    ObstacleWork,
    /// Of the inspection: energies before and after the step \[J\].
    KineticBefore,
    ElasticBefore,
    KineticAfter,
    ElasticAfter,
    /// The work of loads \[J\].
    Work,
    /// The energy that means nothing \[J\].
    EnergyUncertainty,
    /// Tetrahedra that were turned inside out.
    Turned,
}

const SCALARS: usize = Scalar::Turned as usize + 1;

/// The matrix and the vectors of a model, resident between steps.
pub(crate) struct Solver {
    matrices: Vec<BlockMatrix>,
    vectors: [Vec<Lanes>; 10],
    /// Zeros in place of velocities: damping is in the matrix.
    still: Vec<Lanes>,
    /// Where a step began, for Newton's iterations.
    start: [Vec<Lanes>; 2],
    deficits: MomentumDeficits,
    /// Where there are colliders: what else belongs to the projection on what is free, and how fast they move.
    oblique: [Vec<Lanes>; 2],
    /// By block: vertices that colliders or walls hold, where there are colliders.
    held: Vec<Vec<Held>>,
    /// Contacts between bodies.
    pairs: Vec<PairRow>,
    groups: Vec<Group>,
    /// What is sewn.
    ties: Ties,
    /// By block: whether it has part of a body that is sewn to another one.
    is_sewn: Vec<bool>,
    /// Whether a block has part of the body with which the block before it ends.
    body_goes_on: Vec<bool>,
    sums: Vec<AtomicU64>,
    report: SolverReport,
}

impl Solver {
    /// Lays out the matrix of a model.
    pub fn new(model: &Model, slots: &Slots) -> Self {
        let mut local = vec![0; slots.count];
        let blocks = slots.blocks.len();
        let zeros = || vec![Lanes::default(); slots.count.div_ceil(4)];
        let sewn = |body: u32| model.seams.join_others(body);
        Self {
            matrices: (0..blocks).map(|b| BlockMatrix::new(model, slots, b, &mut local)).collect(),
            vectors: std::array::from_fn(|_| zeros()),
            still: if model.damping.is_some() { zeros() } else { Vec::new() },
            start: Default::default(),
            deficits: MomentumDeficits::new(model, slots),
            oblique: Default::default(),
            held: vec![Vec::new(); blocks],
            pairs: Vec::new(),
            groups: Vec::new(),
            ties: Ties::new(&model.seams),
            is_sewn: slots.blocks.iter().map(|b| b.runs.iter().any(|run| sewn(run.body))).collect(),
            body_goes_on: (0..blocks).map(|b| body_goes_on(slots, b)).collect(),
            sums: (0..SCALARS * blocks).map(|_| AtomicU64::new(0)).collect(),
            report: SolverReport::default(),
        }
    }

    /// Makes ready for a job of these slots.
    pub fn run(&mut self, settings: Implicit, slots: &Slots, has_colliders: bool) -> SolverJob<'_> {
        if has_colliders {
            let length = self.vectors[0].len();
            self.oblique.iter_mut().for_each(|v| v.resize(length, Lanes::default()));
            for (held, block) in self.held.iter_mut().zip(&slots.blocks) {
                held.reserve(block.owned.len().saturating_sub(held.len()));
            }
        } else {
            self.oblique = Default::default();
            self.held.iter_mut().for_each(|held| *held = Vec::new());
        }
        let [mask_rest, surface] = self.oblique.each_mut().map(|v| match has_colliders {
            true => v.as_mut_ptr(),
            false => std::ptr::null_mut(),
        });
        let [
            delta,
            right,
            residual,
            scaled,
            direction,
            product,
            inverse,
            inverse_rest,
            mask,
            contacts,
        ] = self.vectors.each_mut().map(|v| v.as_mut_ptr());
        let vectors = Vectors {
            delta,
            right,
            residual,
            scaled,
            direction,
            product,
            inverse,
            inverse_rest,
            mask,
            mask_rest,
            surface,
            contacts,
        };
        // Blocks that took part in another world may not do so in this one.
        self.sums.iter_mut().for_each(|sum| *sum.get_mut() = 0);
        let newton = settings.newton_iterations > 1;
        if newton {
            let length = self.vectors[0].len();
            self.start.iter_mut().for_each(|v| v.resize(length, Lanes::default()));
        }
        SolverJob {
            matrices: self.matrices.as_mut_ptr(),
            vectors,
            still: self.still.as_mut_ptr(),
            start: newton.then(|| self.start.each_mut().map(|v| v.as_mut_ptr())),
            deficits: self.deficits.open(),
            held: self.held.as_mut_ptr(),
            pairs: &raw mut self.pairs,
            groups: &raw mut self.groups,
            ties: &raw mut self.ties,
            is_sewn: &self.is_sewn,
            body_goes_on: &self.body_goes_on,
            sums: &self.sums,
            settings,
            report: UnsafeCell::new(&mut self.report),
        }
    }

    /// What came of the solves since the last call.
    pub fn take_solver_report(&mut self) -> SolverReport {
        std::mem::take(&mut self.report)
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        self.matrices.iter().map(BlockMatrix::bytes).sum::<usize>()
            + self.vectors.iter().map(|v| size_of_val(&v[..])).sum::<usize>()
            + size_of_val(&self.still[..])
            + self.start.iter().map(|v| size_of_val(&v[..])).sum::<usize>()
            + self.deficits.bytes()
            + self.oblique.iter().map(|v| size_of_val(&v[..])).sum::<usize>()
            + self.held.iter().map(|v| v.capacity() * size_of::<Held>()).sum::<usize>()
            + self.pairs.capacity() * size_of::<PairRow>()
            + self.ties.bytes()
            + self.body_goes_on.len()
    }
}

/// A solver during a job: each block is done by one worker at a time, and passes are kept apart.
pub(crate) struct SolverJob<'a> {
    matrices: *mut BlockMatrix,
    pub(super) vectors: Vectors,
    still: *mut Lanes,
    /// Position and velocity at the start of the step, for Newton's iterations.
    pub(super) start: Option<[*mut Lanes; 2]>,
    pub(super) deficits: DeficitsByRun<'a>,
    pub(super) held: *mut Vec<Held>,
    pub(super) pairs: *mut Vec<PairRow>,
    pub(super) groups: *mut Vec<Group>,
    pub(super) ties: *mut Ties,
    pub(super) is_sewn: &'a [bool],
    pub(super) body_goes_on: &'a [bool],
    sums: &'a [AtomicU64],
    pub(super) settings: Implicit,
    report: UnsafeCell<&'a mut SolverReport>,
}

// SAFETY: matrices and vectors are used by block, and passes do not overlap; the outcome is written
// between them by the one who leads.
unsafe impl Sync for SolverJob<'_> {}

/// What there is to know of a step.
pub(crate) struct ImplicitStep<'a> {
    pub work: &'a Work,
    pub level: Level,
    /// Who does the blocks.
    pub team: &'a Team<'a>,
    /// How each of all blocks is stepped.
    pub families: &'a [Family],
    pub constants: &'a [BodyConstants],
    pub interactions: &'a Interactions<'a>,
    /// The air, if there is any, and what of the bodies is in it.
    pub air: Option<(&'a Exposed, Air<f32>)>,
    /// Number of the substep.
    pub substep: u64,
    /// Timestep \[s\].
    pub h: f64,
    /// Mass-proportional damping \[1/s\].
    pub damping: f64,
    /// Whether steps are refused that cannot be right.
    pub is_strict: bool,
    /// Whether walls or colliders have friction.
    pub has_friction: bool,
    /// Where colliders are, if there are any.
    pub colliders: Option<Substep<'a>>,
    /// Whether a step of the world begins with this one.
    pub begins_step: bool,
    /// Contact between bodies, where there is any.
    pub contact: Option<&'a dyn ImplicitRows>,
    /// What is sewn, if anything is.
    pub sewing: Option<&'a Sewing<'a>>,
    /// Forces of contact with bodies that take explicit steps, by slot \[N\].
    pub loads: Option<*const Lanes>,
}

/// What came of a step.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outcome {
    /// The first vertex that is no number any more.
    pub bad: Option<u32>,
    /// Whether the step cannot be right.
    pub is_refused: bool,
}

impl ImplicitStep<'_> {
    /// What acts on the vertices of a body from outside.
    pub(super) fn loads(&self, body: u32) -> Loads<'_> {
        Loads {
            body: &self.constants[body as usize],
            h: self.h as f32,
            damping: self.damping as f32,
        }
    }
}

impl SolverJob<'_> {
    /// Takes one step.
    pub fn step(&self, step: &ImplicitStep<'_>) -> Outcome {
        self.take_pairs(step);
        if self.start.is_some() {
            self.balance(step)
        } else {
            self.solve_once(step)
        }
        let bad = AtomicU32::new(u32::MAX);
        self.each(step, |block| {
            self.inspect_motion(step, block, false);
            bad.fetch_min(self.finish(step, block).unwrap_or(u32::MAX), Ordering::Relaxed);
            self.leave_obstacles(step, block);
            self.inspect_motion(step, block, true);
        });
        let bad = Some(bad.into_inner()).filter(|&vertex| vertex != u32::MAX);
        self.keep_pairs(step);
        let mut outcome = Outcome { bad, is_refused: false };
        if step.is_strict {
            self.each(step, |block| self.inspect_end(step, block));
            outcome.is_refused = self.is_refused(step);
        }
        outcome
    }

    /// Linearises the forces where the step begins, and solves.
    fn solve_once(&self, step: &ImplicitStep<'_>) {
        self.each(step, |block| {
            self.linearise(step, block, self.still);
            self.inspect_start(step, block);
        });
        self.each(step, |block| self.prepare(step, block, true, false));
        let velocity = step.work.arrays.velocity;
        self.each(step, |block| self.multiply(step, block, velocity, None, false));
        self.each(step, |block| self.begin(step, block));
        let [contacts, square] = self.totals([Scalar::Contacts, Scalar::RightSquared]);
        let [pushing, pushes] = self.begin_pairs(step);
        self.enter_pairs(step, true);
        let square = square + pushes + self.take_seams(step);
        self.add_report(&self.search(step, square, contacts + pushing > 0.0));
    }

    /// Adds to the report on the solver.
    pub(super) fn add_report(&self, report: &SolverReport) {
        // SAFETY: the one who leads alone comes here.
        unsafe { (*self.report.get()).add(report) };
    }

    /// One pass: does something with each of the blocks that take part, on all workers.
    pub(super) fn each(&self, step: &ImplicitStep<'_>, act: impl Fn(usize)) {
        /// Passes hold pointers to arrays, which workers share by block.
        struct Pass<'a, F>(&'a F, &'a [Family]);
        // SAFETY: what a pass does with a block is that block's alone, see `SolverJob`; no pass begins
        // another one.
        unsafe impl<F> Sync for Pass<'_, F> {}
        impl<F: Fn(usize)> Pass<'_, F> {
            fn run(&self, block: usize) {
                if self.1[block] == Family::Implicit {
                    (self.0)(block);
                }
            }
        }
        let pass = Pass(&act, step.families);
        step.team.each(step.families.len(), &|block| pass.run(block));
    }

    pub(super) fn set(&self, scalar: Scalar, block: usize, value: f64) {
        self.sums[SCALARS * block + scalar as usize].store(value.to_bits(), Ordering::Relaxed);
    }

    pub(super) fn get(&self, scalar: Scalar, block: usize) -> f64 {
        let sum = &self.sums[SCALARS * block + scalar as usize];
        f64::from_bits(sum.load(Ordering::Relaxed))
    }

    /// The matrix of a block.
    ///
    /// # Safety
    /// Nobody else uses it meanwhile.
    #[allow(clippy::mut_from_ref, reason = "workers share this and have blocks of their own")]
    pub(super) unsafe fn matrix(&self, number: usize) -> &mut BlockMatrix {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.matrices.add(number) }
    }

    /// Totals over all blocks, in their order.
    pub(super) fn totals<const N: usize>(&self, scalars: [Scalar; N]) -> [f64; N] {
        let value = |sum: &AtomicU64| f64::from_bits(sum.load(Ordering::Relaxed));
        let blocks = self.sums.chunks_exact(SCALARS);
        scalars.map(|s| blocks.clone().map(|sums| value(&sums[s as usize])).sum())
    }

    /// Forces and pair blocks at the present positions; springs are damped by the given velocities.
    pub(super) fn linearise(&self, step: &ImplicitStep<'_>, number: usize, velocity: *mut Lanes) {
        let (slots, layout) = (step.work.slots(), step.work.layout());
        let block = &slots.blocks[number];
        let base = block.slots.start as usize;
        let Vectors { inverse, inverse_rest, .. } = self.vectors;
        let diagonal = [inverse, inverse_rest].map(|v| v.cast::<Lane4>());
        if let Some((exposed, air)) = step.air {
            exposed.blow((step.work, step.level), number, air, step.h as f32);
        }
        // SAFETY: only this call touches the block's slots of these arrays, and its matrix; nobody
        // writes positions in this pass.
        unsafe {
            let arrays = step.work.arrays;
            let (position, force) = (arrays.position.cast::<Lane4>(), arrays.force.cast());
            layout.element_forces(slots, step.level, number, position, velocity.cast(), force);
            let own = diagonal.map(|v| v.add(base));
            own.into_iter().for_each(|v| v.write_bytes(0, block.slots.len()));
            self.matrix(number).linearise(layout, number, step.h as f32, position.add(base), own);
        }
    }

    /// Collects forces and the vertices' own blocks, and inverts these; bands pull at the present
    /// positions, or where the velocities lead. What walls brake is braked on if `has_contacts`.
    pub(super) fn prepare(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        is_ahead: bool,
        has_contacts: bool,
    ) {
        let (slots, arrays) = (step.work.slots(), step.work.arrays);
        step.interactions.apply_implicit(step.work, number, step.substep, is_ahead);
        self.add_loads(step, number);
        step.work.collect(number);
        let Vectors { inverse, inverse_rest, .. } = self.vectors;
        let keep = (1.0 + step.h * step.damping) as f32;
        // Forces are as uncertain as the last digits of positions, times the stiffness.
        let uncertainty = f64::from(f32::EPSILON) / (3.0 * step.h);
        let mut noise = 0.0;
        // SAFETY: the block's own slots are this call's alone; nobody writes copies in this pass.
        unsafe {
            slots.collect(number, inverse.cast());
            slots.collect(number, inverse_rest.cast());
            for slot in slots.blocks[number].runs.iter().flat_map(|run| padded(&run.slots)) {
                let lane = |array: *mut Lanes| &mut (*array.cast::<Lane4>().add(slot as usize)).0;
                let inverse_mass = lane(arrays.velocity)[3];
                let mass = if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 };
                let touch = if arrays.touch.is_null() { 0.0 } else { lane(arrays.touch)[3] };
                let (own, rest) = (lane(inverse), lane(inverse_rest));
                let stiffness = f64::from(own[0] + own[1] + own[2]);
                let [x, y, z, _] = lane(arrays.position).map(f64::from);
                noise += (uncertainty * stiffness).powi(2) * (x * x + y * y + z * z);
                own[3] = mass * keep + touch;
                if has_contacts {
                    let (contacts, mask) = (lane(self.vectors.contacts), lane(self.vectors.mask));
                    (0..3).for_each(|k| own[k] += contacts[3] * mask[k]);
                    if !self.vectors.mask_rest.is_null() {
                        let mask_rest = lane(self.vectors.mask_rest);
                        (0..3).for_each(|k| rest[k] += contacts[3] * mask_rest[k]);
                    }
                }
                rest[3] = mass;
                invert(own, rest);
            }
        }
        self.set(Scalar::RightUncertainty, number, noise);
    }

    /// The product of the matrix with a vector: of `from`, or of `from` + β p.
    pub(super) fn multiply(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        from: *const Lanes,
        beta: Option<f32>,
        masses: bool,
    ) {
        let block = &step.work.slots().blocks[number];
        let vectors = &self.vectors;
        let (base, sources) = (block.slots.start as usize, &block.halo_source[..]);
        let own = chunks(&block.owned);
        let direction = SearchDirection {
            vectors,
            own,
            sources,
            from,
            beta,
            masses,
            has_friction: step.has_friction,
        };
        // SAFETY: the block's slots of direction and product are this call's alone, and nobody
        // writes `from` in this pass.
        let along = unsafe {
            run_at(step.level, direction);
            let [p, y] = [vectors.direction, vectors.product].map(|v| v.cast::<Lane4>().add(base));
            kernel::multiply(step.level, &*self.matrices.add(number), p, y);
            let of = [vectors.direction.cast_const(), vectors.product];
            run_at(step.level, Dot::<false> { vectors, of, chunks: chunks(&block.slots) })
        };
        self.set(Scalar::Curvature, number, along);
    }

    /// Collects the product in the block's own vertices.
    fn collect(&self, step: &ImplicitStep<'_>, number: usize) {
        // SAFETY: products of other blocks were written in the pass before.
        unsafe { step.work.slots().collect(number, self.vectors.product.cast()) };
    }

    fn begin(&self, step: &ImplicitStep<'_>, number: usize) {
        self.collect(step, number);
        for run in &step.work.slots().blocks[number].runs {
            let begin = Begin {
                vectors: &self.vectors,
                arrays: step.work.arrays,
                loads: step.loads(run.body),
                chunks: chunks(&run.slots),
            };
            // SAFETY: the block's own slots are this call's alone.
            unsafe { run_at(step.level, begin) };
        }
        self.set(Scalar::Contacts, number, self.detect(step, number));
        self.set(Scalar::RightSquared, number, self.square_of_right(step, number));
    }

    /// The first guess of what holds the vertices of a block; returns how many are held.
    pub(super) fn detect(&self, step: &ImplicitStep<'_>, number: usize) -> f64 {
        match step.colliders {
            Some(_) => self.detect_obstacles(step, number),
            None => self.detect_contacts(step, number, self.origin(step)),
        }
    }

    /// b·b of all blocks, once rows between bodies are in b.
    pub(super) fn measure_right(&self, step: &ImplicitStep<'_>) {
        self.each(step, |block| {
            self.set(Scalar::RightSquared, block, self.square_of_right(step, block));
        });
    }

    /// b·b over the free components of a block.
    pub(super) fn square_of_right(&self, step: &ImplicitStep<'_>, number: usize) -> f64 {
        let chunks = chunks(&step.work.slots().blocks[number].owned);
        let vectors = &self.vectors;
        let of = [vectors.right.cast_const(); 2];
        // SAFETY: the block's own slots are this call's alone.
        unsafe { run_at(step.level, Dot::<true> { vectors, of, chunks }) }
    }

    /// Δv·x over the free components of a block.
    pub(super) fn dot_with_unknowns(
        &self,
        step: &ImplicitStep<'_>,
        number: usize,
        x: *const Lanes,
    ) -> f64 {
        let chunks = chunks(&step.work.slots().blocks[number].owned);
        let vectors = &self.vectors;
        let of = [vectors.delta.cast_const(), x];
        // SAFETY: the block's own slots are this call's alone.
        unsafe { run_at(step.level, Dot::<true> { vectors, of, chunks }) }
    }

    /// The initial guess: prescribed components as walls prescribe them, all others as the last
    /// acceleration changes them in the time `h`.
    pub(super) fn guess(&self, step: &ImplicitStep<'_>, number: usize, h: f32) {
        let chunks = chunks(&step.work.slots().blocks[number].owned);
        let last_acceleration = step.work.arrays.history[0];
        // SAFETY: the block's own slots are this call's alone.
        unsafe {
            run_at(step.level, Guess { vectors: &self.vectors, last_acceleration, h, chunks })
        };
    }

    pub(super) fn residual_of_block(&self, step: &ImplicitStep<'_>, number: usize) {
        self.collect(step, number);
        let chunks = chunks(&step.work.slots().blocks[number].owned);
        // SAFETY: the block's own slots are this call's alone.
        let sums = unsafe { run_at(step.level, TrueResidual { vectors: &self.vectors, chunks }) };
        self.set(Scalar::ResidualPreconditioned, number, sums[0]);
        self.set(Scalar::ResidualSquared, number, sums[1]);
    }

    pub(super) fn cg_update(&self, step: &ImplicitStep<'_>, number: usize, alpha: f32) {
        self.collect(step, number);
        let chunks = chunks(&step.work.slots().blocks[number].owned);
        // SAFETY: the block's own slots are this call's alone.
        let sums =
            unsafe { run_at(step.level, CgUpdate { vectors: &self.vectors, chunks, alpha }) };
        self.set(Scalar::ResidualPreconditioned, number, sums[0]);
        self.set(Scalar::ResidualSquared, number, sums[1]);
    }

    pub(super) fn finish(&self, step: &ImplicitStep<'_>, number: usize) -> Option<u32> {
        let mut first = None;
        for run in &step.work.slots().blocks[number].runs {
            let finish = Finish {
                vectors: &self.vectors,
                arrays: step.work.arrays,
                // Where there are colliders, walls are obstacles like them.
                walls: match step.colliders {
                    Some(_) => None,
                    None => step.constants[run.body as usize].walls.as_ref(),
                },
                h: step.h as f32,
                chunks: chunks(&run.slots),
            };
            // SAFETY: the block's own slots are this call's alone.
            let bad = unsafe { run_at(step.level, finish) };
            let vertex = bad.map(|slot| run.first_vertex + (slot as u32 - run.slots.start));
            first = first.or(vertex);
        }
        first
    }
}

fn body_goes_on(slots: &Slots, block: usize) -> bool {
    let bodies = |b: usize| slots.blocks[b].runs.iter().map(|run| run.body);
    block > 0 && bodies(block - 1).next_back() == bodies(block).next()
}

/// These slots, padding included.
fn padded(slots: &Range<u32>) -> Range<u32> {
    slots.start..slots.end.next_multiple_of(4)
}

/// The groups of four that hold these slots.
pub(super) fn chunks(slots: &Range<u32>) -> Range<usize> {
    slots.start as usize / 4..(slots.end as usize).div_ceil(4)
}
