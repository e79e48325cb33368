//! Runs implicit steps on all workers of a job.

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::begin::{Begin, Loads, invert};
use super::finish::Finish;
use super::kernel;
use super::matrix::BlockMatrix;
use super::momentum::{Book, Lacks};
use super::vectors::{Aim, Descend, Dot, Guess, Remainder, Vectors};
use crate::backend::cpu::Work;
use crate::backend::cpu::pool::Barrier;
use crate::model::Model;
use crate::scene::Implicit;
use crate::simd::{Lane4, Lanes, Level, run_at};
use crate::stages::elastic::cpu::Layout;
use crate::stages::implicit::{End, Solved};
use crate::stages::integrate::cpu::Frame;
use crate::stages::touch::cpu::Reach;

/// How much smaller the true residual must become before a search that went astray is taken up once
/// more: below that, the precision of the numbers is used up.
const WORTHWHILE: f64 = 0.25;

/// How often it is asked at most what walls hold, how often they may let go meanwhile, and how often
/// the system is solved anew for friction alone, which the next step goes on to find.
const MOST_REVISIONS: u32 = 24;
const MOST_RELEASES: u32 = 6;
const MOST_RUBS: u32 = 16;

/// How much coarser systems are solved while it is not yet known what walls hold.
const COARSE: f64 = 30.0;
const COARSE_LIMIT: f64 = 0.01;

/// Sums that each block contributes to. Whoever reads some in one pass may still be at it when others
/// are in the next one, so those write other sums.
#[derive(Clone, Copy)]
pub(super) enum Scalar {
    /// p·Ap.
    First,
    /// r·z, contacts with walls.
    Second,
    /// r·r, b·b.
    Third,
    /// Of Newton's iterations: contacts with walls, then Δv·b.
    Fourth,
    /// Of Newton's iterations: b·b.
    Fifth,
    /// The square of what rounding may do to b.
    Sixth,
    /// Vertices that walls hold in another way than before; components that they move.
    Seventh,
    /// Of the inspection: energies before and after the step \[J\].
    KineticBefore,
    ElasticBefore,
    KineticAfter,
    ElasticAfter,
    /// The work of loads \[J\].
    Work,
    /// The energy that means nothing \[J\].
    Doubt,
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
    lacks: Lacks,
    /// Whether a block has part of the body with which the block before it ends.
    body_goes_on: Vec<bool>,
    sums: Vec<AtomicU64>,
    solved: Solved,
}

impl Solver {
    /// Lays out the matrix of a model.
    pub fn new(model: &Model, layout: &Layout) -> Self {
        let mut local = vec![0; layout.slot_count];
        let blocks = layout.blocks.len();
        let zeros = || vec![Lanes::default(); layout.slot_count.div_ceil(4)];
        Self {
            matrices: (0..blocks).map(|b| BlockMatrix::new(model, layout, b, &mut local)).collect(),
            vectors: std::array::from_fn(|_| zeros()),
            still: if model.damping.is_some() { zeros() } else { Vec::new() },
            start: Default::default(),
            lacks: Lacks::new(model, layout),
            body_goes_on: (0..blocks).map(|b| body_goes_on(layout, b)).collect(),
            sums: (0..SCALARS * blocks).map(|_| AtomicU64::new(0)).collect(),
            solved: Solved::default(),
        }
    }

    /// Makes ready for a job.
    pub fn run(&mut self, settings: Implicit) -> Running<'_> {
        let [delta, right, residual, scaled, direction, product, inverse, inverse_rest, mask, rub] =
            self.vectors.each_mut().map(|v| v.as_mut_ptr());
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
            rub,
        };
        // Blocks that took part in another world may not do so in this one.
        self.sums.iter_mut().for_each(|sum| *sum.get_mut() = 0);
        let newton = settings.newton_iterations > 1;
        if newton {
            let length = self.vectors[0].len();
            self.start.iter_mut().for_each(|v| v.resize(length, Lanes::default()));
        }
        Running {
            matrices: self.matrices.as_mut_ptr(),
            vectors,
            still: self.still.as_mut_ptr(),
            start: newton.then(|| self.start.each_mut().map(|v| v.as_mut_ptr())),
            lacks: self.lacks.open(),
            body_goes_on: &self.body_goes_on,
            sums: &self.sums,
            settings,
            solved: UnsafeCell::new(&mut self.solved),
        }
    }

    /// What came of the solves since the last call.
    pub fn take_solved(&mut self) -> Solved {
        std::mem::take(&mut self.solved)
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        self.matrices.iter().map(BlockMatrix::bytes).sum::<usize>()
            + self.vectors.iter().map(|v| size_of_val(&v[..])).sum::<usize>()
            + size_of_val(&self.still[..])
            + self.start.iter().map(|v| size_of_val(&v[..])).sum::<usize>()
            + self.lacks.bytes()
            + self.body_goes_on.len()
    }
}

/// A solver during a job: each worker has its own blocks, and barriers keep passes apart.
pub(crate) struct Running<'a> {
    matrices: *mut BlockMatrix,
    pub(super) vectors: Vectors,
    still: *mut Lanes,
    /// Position and velocity at the start of the step, for Newton's iterations.
    pub(super) start: Option<[*mut Lanes; 2]>,
    pub(super) lacks: Book<'a>,
    pub(super) body_goes_on: &'a [bool],
    sums: &'a [AtomicU64],
    pub(super) settings: Implicit,
    solved: UnsafeCell<&'a mut Solved>,
}

// SAFETY: matrices and vectors are used by block, and passes are separated by barriers; the outcome
// is written by the first worker alone.
unsafe impl Sync for Running<'_> {}

/// What a worker needs to know of the step it takes part in.
pub(crate) struct Part<'a> {
    pub work: &'a Work,
    pub level: Level,
    pub barrier: &'a Barrier,
    /// The worker's own blocks.
    pub blocks: Range<usize>,
    /// Which of all blocks take implicit steps.
    pub implicit: &'a [bool],
    /// Whether this worker speaks for all.
    pub is_first: bool,
    pub frames: &'a [Frame],
    pub reach: &'a Reach<'a>,
    /// Number of the substep.
    pub substep: u64,
    /// Timestep \[s\].
    pub h: f64,
    /// Friction \[1/s\].
    pub friction: f64,
    /// Whether steps are refused that cannot be right.
    pub is_strict: bool,
    /// Whether walls have friction.
    pub rubs: bool,
}

/// What came of a step in a worker's blocks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outcome {
    /// The first vertex that is no number any more.
    pub bad: Option<u32>,
    /// Whether the step cannot be right; the same for all workers.
    pub is_refused: bool,
}

impl Part<'_> {
    /// What acts on the vertices of a body from outside.
    pub(super) fn loads(&self, body: u32) -> Loads<'_> {
        Loads {
            frame: &self.frames[body as usize],
            h: self.h as f32,
            friction: self.friction as f32,
        }
    }
}

impl Running<'_> {
    /// Takes one step.
    pub fn step(&self, part: &Part<'_>) -> Outcome {
        if self.start.is_some() {
            self.balance(part)
        } else {
            self.solve_once(part)
        }
        let mut outcome = Outcome::default();
        self.each(part, |block| {
            self.inspect_motion(part, block, false);
            outcome.bad = outcome.bad.or(self.finish(part, block));
            self.inspect_motion(part, block, true);
        });
        if part.is_strict {
            self.each(part, |block| self.inspect_end(part, block));
            outcome.is_refused = self.is_refused(part);
        }
        outcome
    }

    /// Linearises the forces where the step begins, and solves.
    fn solve_once(&self, part: &Part<'_>) {
        self.each(part, |block| {
            self.linearise(part, block, self.still);
            self.inspect_start(part, block);
        });
        self.each(part, |block| self.prepare(part, block, true, false));
        let velocity = part.work.arrays.velocity;
        self.each(part, |block| self.multiply(part, block, velocity, None, false));
        self.each(part, |block| self.begin(part, block));
        let [contacts, square] = self.totals([Scalar::Second, Scalar::Third]);
        self.note(part, &self.search(part, square, contacts > 0.0));
    }

    /// Adds to what is told about solving.
    pub(super) fn note(&self, part: &Part<'_>, solved: &Solved) {
        if part.is_first {
            // SAFETY: the first worker alone comes here.
            unsafe { (*self.solved.get()).add(solved) };
        }
    }

    /// Solves a system from the guess that is in Δv, and finds out what walls hold. `square` is that of
    /// the right-hand side.
    pub(super) fn search(&self, part: &Part<'_>, square: f64, has_contacts: bool) -> Solved {
        let mut reference = square;
        if has_contacts {
            // What walls give belongs to the right-hand side.
            self.each(part, |block| self.guess(part, block, None));
            reference = reference.max(self.true_residual(part)[1]);
            self.each(part, |block| self.guess(part, block, Some(part.h as f32)));
        }
        let mut left = self.true_residual(part);
        if left[1] > reference {
            self.each(part, |block| self.guess(part, block, None));
            left = self.true_residual(part);
        }
        let has_walls = part.frames.iter().any(|frame| frame.walls.is_some());
        let fine = self.settings.tolerance;
        let coarse = (COARSE * fine).min(COARSE_LIMIT).max(fine);
        let mut tolerance = if has_walls && has_contacts { coarse } else { fine };
        let mut solved = self.conjugate_gradients(part, left, reference, tolerance, 0);
        self.keep_momentum(part);
        for revision in 0..if has_walls { MOST_REVISIONS } else { 0 } {
            let count = 3 * part.work.layout().slot_count;
            // Impulses are as uncertain as the residual is large.
            let slack = 2.0 * solved.residual * (reference / count as f64).sqrt();
            let may_leave = revision < MOST_RELEASES;
            let may_rub = revision < MOST_RUBS;
            self.each(part, |block| self.revise(part, block, slack as f32, may_leave, may_rub));
            let has_news = self.totals([Scalar::Seventh]) != [0.0];
            if !has_news && tolerance == fine {
                break;
            }
            if !has_news || revision >= MOST_RUBS {
                tolerance = fine;
            }
            let left = self.true_residual(part);
            reference = reference.max(left[1]);
            let so_far = solved.last_iterations;
            solved = self.conjugate_gradients(part, left, reference, tolerance, so_far);
            self.keep_momentum(part);
        }
        solved
    }

    /// r·z and r·r of the residual of Δv.
    fn true_residual(&self, part: &Part<'_>) -> [f64; 2] {
        let delta = self.vectors.delta;
        self.each(part, |block| self.multiply(part, block, delta, None, true));
        self.each(part, |block| self.remainder(part, block));
        self.totals([Scalar::Second, Scalar::Third])
    }

    /// Conjugate gradients, from the unknowns whose residual has the sums [r·z, r·r]; counts on from
    /// `so_far`.
    fn conjugate_gradients(
        &self,
        part: &Part<'_>,
        [mut rz, mut rr]: [f64; 2],
        reference: f64,
        tolerance: f64,
        so_far: u32,
    ) -> Solved {
        let max_iterations = self.settings.max_iterations;
        let mut iterations = 0;
        let goal = tolerance * tolerance * reference;
        let mut beta = None;
        let mut last_true = rr;
        let (mut is_true, mut is_lost) = (true, false);
        loop {
            let ends = rr <= goal || iterations == max_iterations || !rr.is_finite() || is_lost;
            if ends && is_true {
                break;
            } else if ends {
                [rz, rr] = self.true_residual(part);
                (is_true, is_lost, beta) = (true, false, None);
                if rr > WORTHWHILE * last_true && rr > goal {
                    break;
                }
                last_true = rr;
                continue;
            }
            let scaled = self.vectors.scaled;
            self.each(part, |block| self.multiply(part, block, scaled, beta, true));
            let [along] = self.totals([Scalar::First]);
            // Where the matrix has no more digits, only the true residual can tell.
            let alpha = Some((rz / along) as f32).filter(|a| along > 0.0 && a.is_finite());
            self.each(part, |block| self.descend(part, block, alpha.unwrap_or(0.0)));
            let last = rz;
            [rz, rr] = self.totals([Scalar::Second, Scalar::Third]);
            is_lost = alpha.is_none() || rz <= 0.0;
            beta = Some((rz / last) as f32);
            is_true = false;
            iterations += 1;
        }
        let residual = if reference > 0.0 { (rr / reference).sqrt() } else { 0.0 };
        let end = if rr <= goal {
            End::Converged
        } else if iterations < max_iterations && rr.is_finite() {
            End::Limited
        } else {
            End::GivenUp
        };
        Solved::one(so_far + iterations, residual, end)
    }

    /// Does something with each of the worker's blocks that take part, then waits for the other
    /// workers.
    pub(super) fn each(&self, part: &Part<'_>, mut act: impl FnMut(usize)) {
        part.blocks.clone().filter(|&block| part.implicit[block]).for_each(&mut act);
        part.barrier.wait();
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
    pub(super) fn linearise(&self, part: &Part<'_>, number: usize, velocity: *mut Lanes) {
        let layout = part.work.layout();
        let block = &layout.blocks[number];
        let base = block.slots.start as usize;
        let Vectors { inverse, inverse_rest, .. } = self.vectors;
        let diagonal = [inverse, inverse_rest].map(|v| v.cast::<Lane4>());
        // SAFETY: only this call touches the block's slots of these arrays, and its matrix; nobody
        // writes positions in this pass.
        unsafe {
            let arrays = part.work.arrays;
            let (position, force) = (arrays.position.cast::<Lane4>(), arrays.force.cast());
            layout.element_forces(part.level, number, position, velocity.cast(), force);
            let own = diagonal.map(|v| v.add(base));
            own.into_iter().for_each(|v| v.write_bytes(0, block.slots.len()));
            self.matrix(number).linearise(layout, number, part.h as f32, position.add(base), own);
        }
    }

    /// Collects forces and the vertices' own blocks, and inverts these; bands pull at the present
    /// positions, or where the velocities lead. What walls brake is braked on if `has_contacts`.
    pub(super) fn prepare(
        &self,
        part: &Part<'_>,
        number: usize,
        is_ahead: bool,
        has_contacts: bool,
    ) {
        let layout = part.work.layout();
        let arrays = part.work.arrays;
        part.reach.apply_implicit(part.work, number, part.substep, is_ahead);
        part.work.collect(number);
        let Vectors { inverse, inverse_rest, .. } = self.vectors;
        let keep = (1.0 + part.h * part.friction) as f32;
        // Forces are as uncertain as the last digits of positions, times how hard they are.
        let doubt = f64::from(f32::EPSILON) / (3.0 * part.h);
        let mut noise = 0.0;
        // SAFETY: the block's own slots are this call's alone; nobody writes copies in this pass.
        unsafe {
            layout.collect(number, inverse.cast());
            layout.collect(number, inverse_rest.cast());
            for slot in layout.blocks[number].runs.iter().flat_map(|run| padded(&run.slots)) {
                let lane = |array: *mut Lanes| &mut (*array.cast::<Lane4>().add(slot as usize)).0;
                let inverse_mass = lane(arrays.velocity)[3];
                let mass = if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 };
                let touch = if arrays.touch.is_null() { 0.0 } else { lane(arrays.touch)[3] };
                let (own, rest) = (lane(inverse), lane(inverse_rest));
                let hardness = f64::from(own[0] + own[1] + own[2]);
                let [x, y, z, _] = lane(arrays.position).map(f64::from);
                noise += (doubt * hardness).powi(2) * (x * x + y * y + z * z);
                own[3] = mass * keep + touch;
                if has_contacts {
                    let (rub, mask) = (lane(self.vectors.rub), lane(self.vectors.mask));
                    (0..3).for_each(|k| own[k] += rub[3] * mask[k]);
                }
                rest[3] = mass;
                invert(own, rest);
            }
        }
        self.set(Scalar::Sixth, number, noise);
    }

    /// The product of the matrix with a vector: of `from`, or of `from` + β p.
    fn multiply(
        &self,
        part: &Part<'_>,
        number: usize,
        from: *const Lanes,
        beta: Option<f32>,
        masses: bool,
    ) {
        let block = &part.work.layout().blocks[number];
        let vectors = &self.vectors;
        let (base, sources) = (block.slots.start as usize, &block.halo_source[..]);
        let own = chunks(&block.owned);
        let aim = Aim { vectors, own, sources, from, beta, masses, rubs: part.rubs };
        // SAFETY: the block's slots of direction and product are this call's alone, and nobody
        // writes `from` in this pass.
        let along = unsafe {
            run_at(part.level, aim);
            let [p, y] = [vectors.direction, vectors.product].map(|v| v.cast::<Lane4>().add(base));
            kernel::multiply(part.level, &*self.matrices.add(number), p, y);
            let of = [vectors.direction.cast_const(), vectors.product];
            run_at(part.level, Dot::<false> { vectors, of, chunks: chunks(&block.slots) })
        };
        self.set(Scalar::First, number, along);
    }

    /// Collects the product in the block's own vertices.
    fn collect(&self, part: &Part<'_>, number: usize) {
        // SAFETY: products of other blocks were written in the pass before.
        unsafe { part.work.layout().collect(number, self.vectors.product.cast()) };
    }

    fn begin(&self, part: &Part<'_>, number: usize) {
        self.collect(part, number);
        for run in &part.work.layout().blocks[number].runs {
            let begin = Begin {
                vectors: &self.vectors,
                arrays: part.work.arrays,
                loads: part.loads(run.body),
                chunks: chunks(&run.slots),
            };
            // SAFETY: the block's own slots are this call's alone.
            unsafe { run_at(part.level, begin) };
        }
        let contacts = self.take_hold(part, number, self.origin(part));
        self.set(Scalar::Second, number, contacts);
        self.set(Scalar::Third, number, self.square_of_right(part, number));
    }

    /// b·b over the free components of a block.
    pub(super) fn square_of_right(&self, part: &Part<'_>, number: usize) -> f64 {
        let chunks = chunks(&part.work.layout().blocks[number].owned);
        let vectors = &self.vectors;
        let of = [vectors.right.cast_const(); 2];
        // SAFETY: the block's own slots are this call's alone.
        unsafe { run_at(part.level, Dot::<true> { vectors, of, chunks }) }
    }

    /// Begins the unknowns at what walls give, and, with a timestep, at what the last step suggests
    /// for all others.
    fn guess(&self, part: &Part<'_>, number: usize, h: Option<f32>) {
        let chunks = chunks(&part.work.layout().blocks[number].owned);
        let memory = part.work.arrays.memory[0];
        // SAFETY: the block's own slots are this call's alone.
        unsafe { run_at(part.level, Guess { vectors: &self.vectors, memory, h, chunks }) };
    }

    fn remainder(&self, part: &Part<'_>, number: usize) {
        self.collect(part, number);
        let chunks = chunks(&part.work.layout().blocks[number].owned);
        // SAFETY: the block's own slots are this call's alone.
        let sums = unsafe { run_at(part.level, Remainder { vectors: &self.vectors, chunks }) };
        self.set(Scalar::Second, number, sums[0]);
        self.set(Scalar::Third, number, sums[1]);
    }

    fn descend(&self, part: &Part<'_>, number: usize, alpha: f32) {
        self.collect(part, number);
        let chunks = chunks(&part.work.layout().blocks[number].owned);
        // SAFETY: the block's own slots are this call's alone.
        let sums = unsafe { run_at(part.level, Descend { vectors: &self.vectors, chunks, alpha }) };
        self.set(Scalar::Second, number, sums[0]);
        self.set(Scalar::Third, number, sums[1]);
    }

    pub(super) fn finish(&self, part: &Part<'_>, number: usize) -> Option<u32> {
        let mut first = None;
        for run in &part.work.layout().blocks[number].runs {
            let finish = Finish {
                vectors: &self.vectors,
                arrays: part.work.arrays,
                frame: &part.frames[run.body as usize],
                h: part.h as f32,
                chunks: chunks(&run.slots),
            };
            // SAFETY: the block's own slots are this call's alone.
            let bad = unsafe { run_at(part.level, finish) };
            let vertex = bad.map(|slot| run.first_vertex + (slot as u32 - run.slots.start));
            first = first.or(vertex);
        }
        first
    }
}

fn body_goes_on(layout: &Layout, block: usize) -> bool {
    let bodies = |b: usize| layout.blocks[b].runs.iter().map(|run| run.body);
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
