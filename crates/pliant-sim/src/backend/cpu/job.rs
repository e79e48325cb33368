//! Running steps: one job of the pool covers many.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::pool::Barrier;
use super::stopwatch::Stopwatch;
use super::{Cpu, Work};
use crate::math::Vec3;
use crate::model::partition::Block;
use crate::model::{BodyModel, Model};
use crate::scene::{Integrator, World};
use crate::simd::Level;
use crate::stages::implicit::cpu::solve::Part;
use crate::stages::implicit::cpu::{Running as Solving, Solver};
use crate::stages::integrate::cpu::Frame;
use crate::stages::integrate::{Coefficients, memory_count};
use crate::stages::plasticity::cpu::{Running, Yielding};
use crate::stages::touch::Touch;
use crate::stages::touch::cpu::Reach;
use crate::stages::walls::Walls;
use crate::step::{Stage, program};

/// What to run: `count` substeps of equal length.
pub struct Advance<'a> {
    /// Gravity, friction, box, integrator.
    pub world: &'a World,
    /// Number of substeps.
    pub count: u64,
    /// Their length \[s\].
    pub h: f64,
    /// Length of the substep before; 0 at the start \[s\].
    pub h_last: f64,
    /// Drags and pushes; hands as they are now.
    pub touches: &'a [Touch],
    /// Origins of the bodies \[m\].
    pub origins: &'a [[f64; 3]],
    /// Whether the time of each stage is taken.
    pub is_timed: bool,
    /// Whether implicit substeps that cannot be right end the run; see [`Stop::TooLong`].
    pub is_strict: bool,
}

/// Why a run ended before its end. The arrays are beyond repair then: restore a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A vertex left all bounds.
    Blowup(Blowup),
    /// An implicit substep was too long for what happened in it: it gave energy to a body or turned
    /// elements inside out. Shorter ones will do.
    TooLong {
        /// Substeps of the run that were complete before it.
        substep: u64,
    },
}

/// Where a run came apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blowup {
    /// Substeps of the run that were complete before it.
    pub substep: u64,
    /// The first vertex beyond the limit, in model order.
    pub vertex: u32,
}

impl Cpu {
    /// Computes the forces that the first step of velocity Verlet or Beeman starts from.
    pub fn compute_forces(&mut self) {
        let work = Work::new(&mut self.layout, &mut self.arrays);
        let (level, barrier, workers) = (self.level, &self.barrier, self.pool.count());
        self.pool.run(&|worker| {
            let _guard = barrier.guard();
            let mine = share(work.block_count(), worker, workers);
            mine.clone().for_each(|b| work.forces(level, b));
            barrier.wait();
            mine.for_each(|b| work.collect(b));
        });
    }

    /// Runs `job.count` substeps.
    pub fn advance(&mut self, model: &Model, advance: &Advance<'_>) -> Result<(), Stop> {
        let world = advance.world;
        let is_mixed = is_mixed(model, world);
        self.arrays.prepare_memory(memory_count(world.integrator).max(usize::from(is_mixed)));
        self.arrays.prepare_touch(!advance.touches.is_empty());
        if world.plasticity > 0.0 && self.yielding.is_none() {
            self.yielding = Some(Yielding::new(model, &mut self.layout));
        }
        let passes = program(world, is_mixed);
        let is_implicit = passes.iter().flatten().any(|&stage| stage == Stage::Implicit);
        if is_implicit && advance.h_last == 0.0 {
            self.arrays.start_falling(world.gravity.map(|g| g as f32));
        }
        if is_implicit && self.solver.is_none() {
            self.solver = Some(Solver::new(model, &self.layout));
        }
        if advance.is_timed {
            self.stopwatch.prepare(&passes);
        }
        let job = Job {
            advance,
            level: self.level,
            frames: frames(model, advance),
            reach: Reach::new(model, &self.layout, advance),
            work: Work::new(&mut self.layout, &mut self.arrays),
            yielding: self.yielding.as_mut().map(|y| y.run(model, world.plasticity)),
            solving: self.solver.as_mut().map(|s| s.run(world.implicit)),
            implicit: implicit_blocks(model, world),
            blowup: AtomicU64::new(u64::MAX),
            too_long: AtomicU64::new(u64::MAX),
            stopwatch: advance.is_timed.then_some(&self.stopwatch),
        };
        let (barrier, workers) = (&self.barrier, self.pool.count());
        self.pool.run(&|worker| {
            let _guard = barrier.guard();
            let mine = share(job.work.block_count(), worker, workers);
            let mut lap = job.stopwatch.filter(|_| worker == 0).map(Stopwatch::start);
            for substep in 0..advance.count {
                for pass in &passes {
                    if pass[..] == [Stage::Implicit] {
                        job.solve(barrier, mine.clone(), worker == 0, substep);
                    } else {
                        for block in mine.clone() {
                            for &stage in pass.iter().filter(|s| job.concerns(**s, block)) {
                                job.run(stage, block, substep);
                            }
                        }
                        barrier.wait();
                    }
                    if let Some(lap) = &mut lap {
                        lap.end(pass);
                    }
                }
                if job.stopped_by(substep) {
                    return;
                }
            }
        });
        let substeps = job.complete_substeps();
        let stops = (job.too_long.into_inner(), job.blowup.into_inner());
        if advance.is_timed {
            self.stopwatch.substeps += substeps.saturating_add(1).min(advance.count);
        }
        match stops {
            (u64::MAX, u64::MAX) => Ok(()),
            // What is no number any more was too long, too, as long as that is asked.
            (substep, _) if substep == substeps => Err(Stop::TooLong { substep }),
            (_, packed) => Err(Stop::Blowup(Blowup { substep: substeps, vertex: packed as u32 })),
        }
    }
}

/// What the workers share while steps run.
struct Job<'a> {
    advance: &'a Advance<'a>,
    level: Level,
    frames: Vec<Frame>,
    reach: Reach<'a>,
    work: Work,
    yielding: Option<Running<'a>>,
    solving: Option<Solving<'a>>,
    /// The blocks of bodies that take implicit steps.
    implicit: Vec<bool>,
    /// Earliest substep, then lowest vertex: the same whoever finds it first.
    blowup: AtomicU64,
    /// Earliest implicit substep that was refused.
    too_long: AtomicU64,
    /// The clock that passes are timed with, if they are.
    stopwatch: Option<&'a Stopwatch>,
}

impl Job<'_> {
    /// Whether a stage has anything to do with a block: bodies that take implicit steps are stepped by
    /// theirs alone.
    fn concerns(&self, stage: Stage, block: usize) -> bool {
        !self.implicit[block] || matches!(stage, Stage::Plasticity | Stage::Merge)
    }

    /// Runs one stage on one block.
    fn run(&self, stage: Stage, block: usize, substep: u64) {
        match stage {
            Stage::Elastic => self.work.forces(self.level, block),
            Stage::Collect => self.work.collect(block),
            Stage::Touch => self.reach.apply(&self.work, block, substep),
            Stage::Integrate(n) => self.integrate(n, block, substep),
            // Not a matter of one block.
            Stage::Implicit => {}
            // The sweep of the integrator does these while it has the vertex at hand.
            Stage::Walls | Stage::Watch => {}
            Stage::Plasticity => {
                self.yielding.iter().for_each(|y| y.test(&self.work, block));
            }
            Stage::Merge => {
                self.yielding.iter().filter(|_| block == 0).for_each(|y| y.settle(&self.work));
            }
        }
    }

    /// The worker's part in an implicit step.
    fn solve(&self, barrier: &Barrier, blocks: Range<usize>, is_first: bool, substep: u64) {
        let Some(solving) = &self.solving else { return };
        let Advance { world, h, .. } = *self.advance;
        let outcome = solving.step(&Part {
            work: &self.work,
            level: self.level,
            barrier,
            blocks,
            implicit: &self.implicit,
            is_first,
            frames: &self.frames,
            reach: &self.reach,
            substep,
            h,
            friction: world.friction,
            is_strict: self.advance.is_strict,
            rubs: world.bounds.as_ref().is_some_and(|bounds| bounds.friction > 0.0),
        });
        if outcome.is_refused && is_first {
            self.too_long.fetch_min(substep, Ordering::Relaxed);
        }
        if let Some(vertex) = outcome.bad {
            self.blowup.fetch_min(substep << 32 | u64::from(vertex), Ordering::Relaxed);
        }
        // What was found bad is known to all before anybody asks.
        barrier.wait();
    }

    fn integrate(&self, n: u8, block: usize, substep: u64) {
        let Advance { world, h, .. } = *self.advance;
        let h_last = if substep == 0 { self.advance.h_last } else { h };
        let update = Coefficients::new(world.integrator, n, h, h_last, world.friction);
        if let Some(vertex) = self.work.update(self.level, block, &self.frames, update) {
            self.blowup.fetch_min(substep << 32 | u64::from(vertex), Ordering::Relaxed);
        }
    }

    /// Whether something had gone wrong when `substep` ended; the same for every worker, even if
    /// another one has gone on and found something in the next.
    fn stopped_by(&self, substep: u64) -> bool {
        self.complete_substeps() <= substep
    }

    /// Substeps that were complete before the first one that went wrong.
    fn complete_substeps(&self) -> u64 {
        let bad = match self.blowup.load(Ordering::Relaxed) {
            u64::MAX => u64::MAX,
            packed => packed >> 32,
        };
        bad.min(self.too_long.load(Ordering::Relaxed))
    }
}

/// Whether some bodies take implicit steps and others do not.
pub(crate) fn is_mixed(model: &Model, world: &World) -> bool {
    world.integrator != Integrator::ImplicitEuler && model.has_implicit_bodies()
}

/// Which blocks have bodies that take implicit steps; no block mixes them with others.
fn implicit_blocks(model: &Model, world: &World) -> Vec<bool> {
    let first = |block: &Block| model.steps_implicitly(block.bodies.start as usize, world);
    model.blocks.iter().map(first).collect()
}

/// What a body's vertices have in common.
pub(crate) fn frames(model: &Model, job: &Advance<'_>) -> Vec<Frame> {
    let world = job.world;
    let single = |v: [f64; 3]| v.map(|c| c as f32);
    let body = |(b, origin): (&BodyModel, &[f64; 3])| Frame {
        gravity: single(world.gravity),
        external: single(world.external_force),
        // A stable step moves a vertex by less than four times its distance from equilibrium. A
        // force that would throw it past several neighbours has lost all connection with elasticity.
        limit: (4.0 * b.edge.max(1e-12) / (job.h * job.h)).min(f64::from(f32::MAX)) as f32,
        walls: world.bounds.as_ref().map(|bounds| {
            let [low, high] = bounds.corners();
            let local = |c: [f64; 3]| Vec3::of(std::array::from_fn(|k| c[k] - origin[k]));
            Walls {
                low: local(low),
                high: local(high),
                restitution: bounds.restitution as f32,
                friction: bounds.friction as f32,
            }
        }),
    };
    model.bodies.iter().zip(job.origins).map(body).collect()
}

/// The blocks of one worker: contiguous, so that each core keeps its own in its cache.
fn share(blocks: usize, worker: usize, workers: usize) -> Range<usize> {
    worker * blocks / workers..(worker + 1) * blocks / workers
}
