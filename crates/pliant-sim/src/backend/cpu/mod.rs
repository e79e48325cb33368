//! The CPU backend: resident arrays in block order, stepped by a pool of threads.
//!
//! # Theory
//!
//! The model is cut into fixed blocks, and a step is a list of passes (see [`crate::step`]): in the
//! first, each block gathers copies of its neighbours' border vertices and computes the forces of its
//! own elements; in the next, it adds what others computed for its border vertices, in a fixed order,
//! and advances its own vertices. All blocks wait for each other between two passes. Which thread
//! runs a block has no influence on the result, so any number of threads gives the same bits.
//!
//! # Practice
//!
//! [`Cpu`] holds the arrays, [`Cpu::advance`] runs many steps as one job of the [`pool::Pool`], and
//! `work` is how the drivers of the stages get at the arrays meanwhile. All memory is allocated
//! beforehand; a step allocates nothing and takes no lock.

mod job;
pub mod pool;
mod stopwatch;
mod work;

use std::ops::Range;

use pool::{Barrier, Pool};
use stopwatch::Stopwatch;

use crate::model::Model;
use crate::scene::World;
use crate::simd::{Lanes, Level};
use crate::stages::elastic::cpu::{ElasticInput, Layout};
use crate::stages::implicit::Solved;
use crate::stages::implicit::cpu::Solver;
use crate::stages::integrate::{keeps_acceleration, keeps_forces};
use crate::stages::plasticity::RestShape;
use crate::stages::plasticity::cpu::{Yielding, first_rest};
use crate::state::State;

pub use job::{Advance, Blowup, Stop};
#[cfg(feature = "gpu")]
pub(crate) use job::{frames, is_mixed};
pub(crate) use work::Work;

/// A model resident on the CPU.
pub struct Cpu {
    layout: Layout,
    level: Level,
    pool: Pool,
    barrier: Barrier,
    arrays: Storage,
    saved: Storage,
    yielding: Option<Yielding>,
    solver: Option<Solver>,
    saved_rest: Option<Vec<RestShape<f32>>>,
    stopwatch: Stopwatch,
    /// Whether any body takes implicit steps in any world.
    has_implicit_bodies: bool,
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

impl Cpu {
    /// Lays a model out for the processor at hand, with `threads` workers.
    pub fn new(model: &Model, threads: usize) -> Self {
        let body_vertices: Vec<Range<u32>> =
            model.bodies.iter().map(|b| b.vertices.clone()).collect();
        let layout = Layout::build(&ElasticInput {
            rest: &model.rest,
            tets: &model.tets,
            volume: &model.volume,
            forms: &model.forms,
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
        let (saved, yielding, solver, saved_rest) = (Storage::default(), None, None, None);
        let stopwatch = Stopwatch::default();
        Self {
            layout,
            level,
            pool,
            barrier,
            arrays,
            saved,
            yielding,
            solver,
            saved_rest,
            stopwatch,
            has_implicit_bodies: model.has_implicit_bodies(),
        }
    }

    /// How many threads step the model.
    pub fn thread_count(&self) -> usize {
        self.pool.count()
    }

    /// Bytes held while stepping.
    pub fn bytes(&self) -> usize {
        let arrays = self.arrays.bytes() + self.saved.bytes();
        let rest = self.saved_rest.as_ref().map_or(0, |r| size_of_val(&r[..]));
        let solver = self.solver.as_ref().map_or(0, Solver::bytes);
        let yielding = self.yielding.as_ref().map_or(0, Yielding::bytes);
        self.layout.bytes() + arrays + rest + yielding + solver
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
        self.arrays.prepare_memory(0);
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
        }
        let is_kept = keeps_acceleration(world.integrator) || self.has_implicit_bodies;
        if is_kept && !self.arrays.memory[0].is_empty() {
            state.last_acceleration = read(&self.arrays.memory[0]);
        }
        state.rest_shapes = self.yielding.as_ref().map(|y| y.rest.clone());
        state
    }

    /// What came of implicit steps since the last call.
    pub fn take_solved(&mut self) -> Solved {
        self.solver.as_mut().map(Solver::take_solved).unwrap_or_default()
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
                None => y.load(model, &mut self.layout, &first_rest(model)),
            }
        }
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

    /// Lets the search of the first implicit step begin at free fall, which it then finds exactly.
    fn start_falling(&mut self, [x, y, z]: [f32; 3]) {
        let lanes = Lanes(std::array::from_fn(|i| [x, y, z, 0.0][i % 4]));
        self.memory[0].fill(lanes);
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
