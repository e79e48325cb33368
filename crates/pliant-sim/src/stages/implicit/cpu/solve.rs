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
}

const SCALARS: usize = 6;

/// The matrix and the vectors of a model, resident between steps.
pub(crate) struct Solver {
    matrices: Vec<BlockMatrix>,
    vectors: [Vec<Lanes>; 9],
    /// Zeros in place of velocities: damping is in the matrix.
    still: Vec<Lanes>,
    /// Where a step began, for Newton's iterations.
    start: [Vec<Lanes>; 2],
    lacks: Lacks,
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
            sums: (0..SCALARS * blocks).map(|_| AtomicU64::new(0)).collect(),
            solved: Solved::default(),
        }
    }

    /// Makes ready for a job.
    pub fn run(&mut self, settings: Implicit) -> Running<'_> {
        let [delta, right, residual, scaled, direction, product, inverse, inverse_rest, mask] =
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
    /// Takes one step; gives the first vertex of the worker's blocks that is no number any more.
    pub fn step(&self, part: &Part<'_>) -> Option<u32> {
        if self.start.is_some() {
            self.balance(part)
        } else {
            self.solve_once(part)
        }
        let mut bad = None;
        self.each(part, |block| bad = bad.or(self.finish(part, block)));
        bad
    }

    /// Linearises the forces where the step begins, and solves.
    fn solve_once(&self, part: &Part<'_>) {
        self.each(part, |block| self.linearise(part, block, self.still));
        self.each(part, |block| self.prepare(part, block, true));
        let velocity = part.work.arrays.velocity;
        self.each(part, |block| self.multiply(part, block, velocity, None, false));
        self.each(part, |block| self.begin(part, block));
        let [contacts, square] = self.totals([Scalar::Second, Scalar::Third]);
        self.note(part, &self.search(part, square, contacts > 0.0));
        self.keep_momentum(part);
    }

    /// Adds to what is told about solving.
    pub(super) fn note(&self, part: &Part<'_>, solved: &Solved) {
        if part.is_first {
            // SAFETY: the first worker alone comes here.
            unsafe { (*self.solved.get()).add(solved) };
        }
    }

    /// Conjugate gradients, from the guess that is in Δv. `square` is that of the right-hand side.
    pub(super) fn search(&self, part: &Part<'_>, square: f64, has_contacts: bool) -> Solved {
        let mut reference = square;
        let delta = self.vectors.delta;
        let remainder = || {
            self.each(part, |block| self.multiply(part, block, delta, None, true));
            self.each(part, |block| self.remainder(part, block));
            self.totals([Scalar::Second, Scalar::Third])
        };
        if has_contacts {
            // What walls give belongs to the right-hand side.
            self.each(part, |block| self.guess(part, block, None));
            reference = reference.max(remainder()[1]);
            self.each(part, |block| self.guess(part, block, Some(part.h as f32)));
        }
        let [mut rz, mut rr] = remainder();
        if rr > reference {
            self.each(part, |block| self.guess(part, block, None));
            [rz, rr] = remainder();
        }
        let Implicit { tolerance, max_iterations, .. } = self.settings;
        let goal = tolerance * tolerance * reference;
        let (mut iterations, mut beta) = (0, None);
        let mut last_true = rr;
        let (mut is_true, mut is_lost) = (true, false);
        loop {
            let ends = rr <= goal || iterations == max_iterations || !rr.is_finite() || is_lost;
            if ends && is_true {
                break;
            } else if ends {
                [rz, rr] = remainder();
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
        Solved::one(iterations, residual, end)
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
            let matrix = &mut *self.matrices.add(number);
            matrix.linearise(layout, number, part.h as f32, position.add(base), own);
        }
    }

    /// Collects forces and the vertices' own blocks, and inverts these; bands pull at the present
    /// positions, or where the velocities lead.
    pub(super) fn prepare(&self, part: &Part<'_>, number: usize, is_ahead: bool) {
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
            for slot in layout.blocks[number].owned.clone() {
                let lane = |array: *mut Lanes| &mut (*array.cast::<Lane4>().add(slot as usize)).0;
                let inverse_mass = lane(arrays.velocity)[3];
                let mass = if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 };
                let touch = if arrays.touch.is_null() { 0.0 } else { lane(arrays.touch)[3] };
                let (own, rest) = (lane(inverse), lane(inverse_rest));
                let hardness = f64::from(own[0] + own[1] + own[2]);
                let [x, y, z, _] = lane(arrays.position).map(f64::from);
                noise += (doubt * hardness).powi(2) * (x * x + y * y + z * z);
                own[3] = mass * keep + touch;
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
        let aim = Aim { vectors, own: chunks(&block.owned), sources, from, beta, masses };
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
        let [mut square, mut contacts] = [0.0; 2];
        for run in &part.work.layout().blocks[number].runs {
            let begin = Begin {
                vectors: &self.vectors,
                arrays: part.work.arrays,
                loads: part.loads(run.body),
                chunks: chunks(&run.slots),
            };
            // SAFETY: the block's own slots are this call's alone.
            let sums = unsafe { run_at(part.level, begin) };
            square += sums[0];
            contacts += sums[1];
        }
        self.set(Scalar::Second, number, contacts);
        self.set(Scalar::Third, number, square);
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

/// The groups of four that hold these slots.
pub(super) fn chunks(slots: &Range<u32>) -> Range<usize> {
    slots.start as usize / 4..(slots.end as usize).div_ceil(4)
}
