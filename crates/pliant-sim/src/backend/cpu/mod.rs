//! The CPU backend: resident arrays in block order, stepped by a pool of threads.
//!
//! # Theory
//!
//! The model is cut into fixed blocks. A step is a list of phases (see
//! [`crate::stages::integrate::plan`]): in *forces*, each block gathers copies of its neighbours'
//! border vertices and computes the forces of its own elements; in an *update*, each block adds what
//! others computed for its border vertices, in a fixed order, and advances its own vertices. All
//! blocks wait for each other between two phases. Which thread runs a block has no influence on
//! the result, so any number of threads gives the same bits.
//!
//! # Practice
//!
//! [`Cpu::advance`] runs many steps as one job of the [`pool::Pool`]. All memory is allocated
//! beforehand; a step allocates nothing and takes no lock.

pub mod pool;
mod sweep;
mod touch;
mod yielding;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use pool::{Barrier, Pool};
use sweep::{Arrays, Frame, sweep};

use crate::math::Vec3;
use crate::model::Model;
use crate::scene::World;
use crate::simd::{Lane4, Lanes, Level};
use crate::stages::elastic::cpu::{ElasticInput, Layout};
use crate::stages::integrate::{Coefficients, Phase, keeps_forces, memory_count, plan};
use crate::stages::plasticity::RestShape;
use crate::stages::touch::Touch;
use crate::stages::walls::Walls;
use crate::state::State;
use yielding::Yielding;

/// A model resident on the CPU.
pub struct Cpu {
    layout: Layout,
    level: Level,
    pool: Pool,
    barrier: Barrier,
    arrays: Storage,
    saved: Storage,
    yielding: Option<Yielding>,
    saved_rest: Option<Vec<RestShape<f32>>>,
}

/// The vertex arrays, four vertices per element, indexed by slot.
#[derive(Clone, Default)]
struct Storage {
    position: Vec<Lanes>,
    low: Vec<Lanes>,
    velocity: Vec<Lanes>,
    force: Vec<Lanes>,
    touch: Vec<Lanes>,
    memory: [Vec<Lanes>; 4],
}

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
    /// Lays a model out for the processor at hand, with `threads` workers.
    pub fn new(model: &Model, threads: usize) -> Self {
        let body_vertices: Vec<Range<u32>> =
            model.bodies.iter().map(|b| b.vertices.clone()).collect();
        let layout = Layout::build(&ElasticInput {
            rest: &model.rest,
            tets: &model.tets,
            volume: &model.volume,
            form: model.form,
            springs: &model.springs,
            spring: &model.spring,
            damping: model.damping.as_deref(),
            blocks: &model.blocks,
            body_vertices: &body_vertices,
        });
        // A thread without a block would only wait.
        let pool = Pool::new(threads.min(layout.blocks.len()));
        let zeros = || vec![Lanes::default(); layout.slot_count.div_ceil(4)];
        let arrays = Storage {
            position: zeros(),
            low: zeros(),
            velocity: zeros(),
            force: zeros(),
            ..Storage::default()
        };
        let barrier = pool.barrier();
        let level = Level::detect();
        let (saved, yielding, saved_rest) = (Storage::default(), None, None);
        Self { layout, level, pool, barrier, arrays, saved, yielding, saved_rest }
    }

    /// How many threads step the model.
    pub fn thread_count(&self) -> usize {
        self.pool.count()
    }

    /// Bytes held while stepping.
    pub fn bytes(&self) -> usize {
        let arrays = self.arrays.bytes() + self.saved.bytes();
        let rest = self.saved_rest.as_ref().map_or(0, |r| size_of_val(&r[..]));
        self.layout.bytes() + arrays + rest + self.yielding.as_ref().map_or(0, Yielding::bytes)
    }

    /// Takes over a state (vertices and tetrahedra in model order).
    pub fn upload(&mut self, model: &Model, state: &State) {
        let slots = &self.layout.slot_of;
        for (v, &slot) in slots.iter().enumerate() {
            let inv_mass = model.inv_mass[v];
            set(&mut self.arrays.position, slot, state.position[v], 0.0);
            let free = if inv_mass > 0.0 { 1.0 } else { 0.0 };
            set(&mut self.arrays.low, slot, state.position_low[v], free);
            set(&mut self.arrays.velocity, slot, state.velocity[v], inv_mass);
        }
        if !state.force.is_empty() {
            for (v, &slot) in slots.iter().enumerate() {
                set(&mut self.arrays.force, slot, state.force[v], 0.0);
            }
        }
        if !state.last_acceleration.is_empty() {
            self.arrays.prepare_memory(1);
            for (v, &slot) in slots.iter().enumerate() {
                set(&mut self.arrays.memory[0], slot, state.last_acceleration[v], 0.0);
            }
        }
        if let Some(rest) = &state.rest_shapes {
            let layout = &mut self.layout;
            let yielding = self.yielding.get_or_insert_with(|| Yielding::new(model, layout));
            yielding.load(model, layout, rest);
        }
    }

    /// Copies the state back (vertices and tetrahedra in model order); clock and touches are the
    /// caller's.
    pub fn download(&self, world: &World) -> State {
        let read = |from: &[Lanes]| self.layout.slot_of.iter().map(|&s| get(from, s)).collect();
        let mut state = State {
            position: read(&self.arrays.position),
            position_low: read(&self.arrays.low),
            velocity: read(&self.arrays.velocity),
            ..State::default()
        };
        if keeps_forces(world.integrator) {
            state.force = read(&self.arrays.force);
            if !self.arrays.memory[0].is_empty() {
                state.last_acceleration = read(&self.arrays.memory[0]);
            }
        }
        state.rest_shapes = self.yielding.as_ref().map(|y| y.rest.clone());
        state
    }

    /// Positions in model order, relative to the bodies' origins \[m\].
    pub fn positions(&self) -> Vec<[f32; 3]> {
        self.layout.slot_of.iter().map(|&s| get(&self.arrays.position, s)).collect()
    }

    /// Position of one vertex of the model \[m\].
    pub fn position(&self, vertex: u32) -> [f32; 3] {
        get(&self.arrays.position, self.layout.slot_of[vertex as usize])
    }

    /// Subtracts `shift` \[m\] from the positions of a body.
    pub fn shift_body(&mut self, body: u32, shift: [f32; 3]) {
        let runs = self.layout.blocks.iter().flat_map(|b| &b.runs).filter(|r| r.body == body);
        for slot in runs.flat_map(|r| r.slots.clone()) {
            let at = 4 * (slot as usize % 4);
            let lanes = &mut self.arrays.position[slot as usize / 4].0[at..at + 3];
            lanes.iter_mut().zip(shift).for_each(|(x, s)| *x -= s);
        }
    }

    /// Velocities as the integrator keeps them, in model order \[m/s\].
    pub fn velocities(&self) -> Vec<[f32; 3]> {
        self.layout.slot_of.iter().map(|&s| get(&self.arrays.velocity, s)).collect()
    }

    /// Rest shapes of the tetrahedra in model order, once plasticity was on.
    pub fn rest_shapes(&self) -> Option<&[RestShape<f32>]> {
        self.yielding.as_ref().map(|y| &y.rest[..])
    }

    /// Internal forces at the current positions, in model order \[N\]. Leaves the state as it is.
    pub fn internal_forces(&mut self) -> Vec<[f32; 3]> {
        let kept = self.arrays.force.clone();
        self.compute_forces();
        let forces = self.layout.slot_of.iter().map(|&s| get(&self.arrays.force, s)).collect();
        self.arrays.force = kept;
        forces
    }

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

    /// Keeps a copy of the state to go back to.
    pub fn snapshot(&mut self) {
        self.saved.copy_from(&self.arrays);
        match (&self.yielding, &mut self.saved_rest) {
            (Some(y), Some(saved)) => saved.clone_from(&y.rest),
            (y, saved) => *saved = y.as_ref().map(|y| y.rest.clone()),
        }
    }

    /// Goes back to the last snapshot.
    pub fn restore(&mut self, model: &Model) {
        self.arrays.copy_from(&self.saved);
        if let Some(y) = &mut self.yielding {
            match &self.saved_rest {
                Some(rest) => y.load(model, &mut self.layout, rest),
                // Nothing had yielded yet.
                None => y.load(model, &mut self.layout, &yielding::first_rest(model)),
            }
        }
    }

    /// Runs `job.count` substeps. After a [`Blowup`] the arrays are beyond repair: restore a
    /// snapshot.
    pub fn advance(&mut self, model: &Model, job: &Advance<'_>) -> Result<(), Blowup> {
        let integrator = job.world.integrator;
        self.arrays.prepare_memory(memory_count(integrator));
        self.arrays.prepare_touch(!job.touches.is_empty());
        if job.world.plasticity > 0.0 && self.yielding.is_none() {
            self.yielding = Some(Yielding::new(model, &mut self.layout));
        }
        let frames = frames(model, job);
        let touches = touch::Reach::new(model, &self.layout, job);
        let work = Work::new(&mut self.layout, &mut self.arrays);
        let yielding = match &mut self.yielding {
            Some(y) if job.world.plasticity > 0.0 => Some(y.run(model, job.world.plasticity)),
            _ => None,
        };
        // Earliest substep, then lowest vertex: the same whoever finds it first.
        let blowup = AtomicU64::new(u64::MAX);
        let (level, barrier, workers) = (self.level, &self.barrier, self.pool.count());
        self.pool.run(&|worker| {
            let _guard = barrier.guard();
            let mine = share(work.block_count(), worker, workers);
            for i in 0..job.count {
                let h_last = if i == 0 { job.h_last } else { job.h };
                let mut fresh = false;
                for &phase in plan(integrator) {
                    match phase {
                        Phase::Forces => mine.clone().for_each(|b| work.forces(level, b)),
                        Phase::Update(k) => {
                            let friction = job.world.friction;
                            let update = Coefficients::new(integrator, k, job.h, h_last, friction);
                            for b in mine.clone() {
                                if fresh {
                                    work.collect(b);
                                }
                                touches.apply(&work, b, i);
                                if let Some(vertex) = work.update(level, b, &frames, update) {
                                    blowup
                                        .fetch_min(i << 32 | u64::from(vertex), Ordering::Relaxed);
                                }
                            }
                        }
                    }
                    fresh = phase == Phase::Forces;
                    barrier.wait();
                }
                if blowup.load(Ordering::Relaxed) >> 32 <= i {
                    return;
                }
                if let Some(yielding) = &yielding {
                    mine.clone().for_each(|b| yielding.test(&work, b));
                    barrier.wait();
                    if worker == 0 {
                        yielding.settle(&work);
                    }
                    barrier.wait();
                }
            }
        });
        match blowup.into_inner() {
            u64::MAX => Ok(()),
            packed => Err(Blowup { substep: packed >> 32, vertex: packed as u32 }),
        }
    }
}

/// What a body's vertices have in common.
fn frames(model: &Model, job: &Advance<'_>) -> Vec<Frame> {
    let world = job.world;
    let single = |v: [f64; 3]| v.map(|c| c as f32);
    let body = |(b, origin): (&crate::model::BodyModel, &[f64; 3])| Frame {
        gravity: single(world.gravity),
        external: single(world.external_force),
        // A force that would throw a vertex across its whole body within one step has lost all
        // connection with elasticity.
        limit: (b.size.max(1e-12) / (job.h * job.h)).min(f64::from(f32::MAX)) as f32,
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

/// Shared access to layout and arrays during a job.
///
/// Phases keep the workers apart: each works on its own blocks, and what it reads of others is not
/// written in the same phase.
struct Work {
    layout: *mut Layout,
    arrays: Arrays,
}

// SAFETY: see the type's documentation; every access goes through methods whose phases are
// separated by barriers.
unsafe impl Sync for Work {}

impl Work {
    fn new(layout: &mut Layout, arrays: &mut Storage) -> Self {
        let pointer = |v: &mut Vec<Lanes>| {
            if v.is_empty() { std::ptr::null_mut() } else { v.as_mut_ptr() }
        };
        let arrays = Arrays {
            position: pointer(&mut arrays.position),
            low: pointer(&mut arrays.low),
            velocity: pointer(&mut arrays.velocity),
            force: pointer(&mut arrays.force),
            touch: pointer(&mut arrays.touch),
            memory: arrays.memory.each_mut().map(pointer),
        };
        Self { layout, arrays }
    }

    fn layout(&self) -> &Layout {
        // SAFETY: the layout outlives the job, and is changed only in `Yielding::settle`, by one
        // worker while all others wait at a barrier.
        unsafe { &*self.layout }
    }

    fn block_count(&self) -> usize {
        self.layout().blocks.len()
    }

    /// Forces of a block's own elements.
    fn forces(&self, level: Level, block: usize) {
        let Arrays { position, velocity, force, .. } = self.arrays;
        // SAFETY: in this phase only this call writes the block's copies and forces, and nobody
        // writes positions or velocities of owned vertices.
        unsafe {
            self.layout().element_forces(
                level,
                block,
                position.cast(),
                velocity.cast(),
                force.cast(),
            );
        }
    }

    /// Adds what other blocks computed for this block's border vertices.
    fn collect(&self, block: usize) {
        // SAFETY: partial forces of other blocks were written in the phase before and are only read
        // now; the block's own are written by this call alone.
        unsafe { self.layout().collect(block, self.arrays.force.cast::<Lane4>()) };
    }

    /// Advances the block's own vertices; gives the first that left all bounds, in model order.
    fn update(
        &self,
        level: Level,
        block: usize,
        frames: &[Frame],
        update: Coefficients,
    ) -> Option<u32> {
        let mut first = None;
        for run in &self.layout().blocks[block].runs {
            let chunks = run.slots.start as usize / 4..(run.slots.end as usize).div_ceil(4);
            // SAFETY: the runs of a block are its own vertices, written by this call alone; `level`
            // was detected.
            let bad =
                unsafe { sweep(level, self.arrays, &frames[run.body as usize], update, chunks) };
            let vertex = bad.map(|slot| run.first_vertex + (slot as u32 - run.slots.start));
            first = first.or(vertex);
        }
        first
    }

    /// Position of the vertex in `slot`; not to be called in an update phase.
    fn position(&self, slot: u32) -> Vec3<f32> {
        // SAFETY: slots of the layout lie within the arrays, and owned positions are written in
        // update phases only.
        let lanes = unsafe { *self.arrays.position.cast::<Lane4>().add(slot as usize) };
        Vec3::from([lanes.0[0], lanes.0[1], lanes.0[2]])
    }
}

impl Storage {
    fn prepare_memory(&mut self, count: usize) {
        let length = self.position.len();
        for memory in &mut self.memory[..count] {
            memory.resize(length, Lanes::default());
        }
        // What another integrator remembered means nothing to this one.
        self.memory[count..].iter_mut().for_each(|m| *m = Vec::new());
    }

    fn prepare_touch(&mut self, wanted: bool) {
        if wanted {
            self.touch.resize(self.position.len(), Lanes::default());
        } else {
            self.touch = Vec::new();
        }
    }

    fn copy_from(&mut self, other: &Self) {
        let Self { position, low, velocity, force, touch: _, memory } = self;
        position.clone_from(&other.position);
        low.clone_from(&other.low);
        velocity.clone_from(&other.velocity);
        force.clone_from(&other.force);
        memory.clone_from(&other.memory);
    }

    fn bytes(&self) -> usize {
        let Self { position, low, velocity, force, touch, memory } = self;
        [position, low, velocity, force, touch]
            .into_iter()
            .chain(memory)
            .map(|v| size_of_val(&v[..]))
            .sum()
    }
}

fn set(array: &mut [Lanes], slot: u32, v: [f32; 3], fourth: f32) {
    let at = 4 * (slot as usize % 4);
    array[slot as usize / 4].0[at..at + 4].copy_from_slice(&[v[0], v[1], v[2], fourth]);
}

fn get(array: &[Lanes], slot: u32) -> [f32; 3] {
    let at = 4 * (slot as usize % 4);
    let lanes = &array[slot as usize / 4].0;
    [lanes[at], lanes[at + 1], lanes[at + 2]]
}
