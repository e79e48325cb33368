//! The CPU backend: resident arrays in block order, stepped by a pool of threads.
//!
//! # Theory
//!
//! The model is cut into fixed blocks, and a step is a list of passes (see [`crate::step`]): in the
//! first, each block gathers copies of its neighbours' border vertices and computes the forces of its
//! own elements; in the next, it adds what others computed for its border vertices, in a fixed order,
//! and advances its own vertices. All blocks wait for each other between two passes. Which thread
//! runs a block, and when, has no influence on the result, so any number of threads gives the same
//! bits, and a thread may take over what another one has not begun.
//!
//! # Practice
//!
//! [`Cpu`] holds the arrays, [`Cpu::advance`] runs many steps as one job of the `Pool`, and
//! `stages::cpu` is how the drivers of the stages get at the arrays meanwhile. All memory is allocated
//! beforehand; a step allocates nothing, and takes no lock unless a thread has fallen asleep.

#[cfg(feature = "gpu")]
mod hand_over;
mod job;
mod stopwatch;

use std::borrow::Cow;
use std::ops::Range;

use stopwatch::Stopwatch;

use crate::backend::engine::Later;
use crate::backend::{Engine, RestorePoint, StageTimes, Trouble};
use crate::model::{Family, Model};
use crate::pool::{Pool, Threads};
use crate::scene::World;
use crate::simd::{Lanes, Level};
use crate::stages::air::cpu::Exposed;
use crate::stages::colliders::Contact;
use crate::stages::contact::cpu::Contacts;
use crate::stages::contact::{Anchor, ContactReport, Touching};
use crate::stages::cpu::slots::Slots;
use crate::stages::elastic::cpu::{ElasticInput, Layout};
use crate::stages::implicit::SolverReport;
use crate::stages::implicit::cpu::Solver;
use crate::stages::integrate::cpu::Arrays;
use crate::stages::integrate::{keeps_acceleration, keeps_forces};
use crate::stages::plasticity::RestShape;
use crate::stages::plasticity::cpu::{Yielding, first_rest};
use crate::stages::seams::cpu::Pairs;
use crate::stages::shapes::ClusterStates;
use crate::stages::shapes::cpu::Matching;
use crate::stages::strain::cpu::Limiting;
use crate::state::State;
use crate::step::{Advance, Need};

/// A model resident on the CPU.
pub struct Cpu {
    /// Where vertices live.
    slots: Slots,
    /// What blocks compute.
    layout: Layout,
    level: Level,
    pool: Pool,
    arrays: Storage,
    saved: Storage,
    yielding: Option<Yielding>,
    solver: Option<Solver>,
    /// What of the bodies is in the air, once there is any.
    exposed: Option<Exposed>,
    /// Edges with limits, if there are any.
    limiting: Option<Limiting>,
    /// Clusters that are drawn back to their shapes, if there are any, and what they were in the snapshot.
    matching: Option<Matching>,
    saved_clusters: ClusterStates,
    contacts: Option<Contacts>,
    /// Where contacts hold on, until they are laid out.
    anchors: Vec<Anchor>,
    /// Those of the snapshot, if it is from before that.
    kept_anchors: Option<Vec<Anchor>>,
    /// What there was no memory for.
    no_room: Option<String>,
    saved_rest: Option<Vec<RestShape<f32>>>,
    /// What pairs of seams are, and were in the snapshot.
    seams: Pairs,
    saved_seams: Vec<u8>,
    stopwatch: Stopwatch,
    /// Whether any body asks for implicit steps.
    has_implicit_bodies: bool,
    #[cfg(test)]
    drill: crate::stages::drill::cpu::List,
}

/// The vertex arrays, four vertices per element, indexed by slot.
#[derive(Clone, Default)]
struct Storage {
    position: Vec<Lanes>,
    compensation: Vec<Lanes>,
    velocity: Vec<Lanes>,
    force: Vec<Lanes>,
    touch: Vec<Lanes>,
    history: [Vec<Lanes>; 4],
    /// Impulses of colliders and walls in the last step, where there are colliders: output, no state.
    contact: [Vec<Lanes>; 2],
}

impl Cpu {
    /// Lays a model out for the processor at hand.
    pub fn new(model: &Model, threads: Threads) -> Self {
        let body_vertices: Vec<Range<u32>> =
            model.bodies.iter().map(|b| b.vertices.clone()).collect();
        let elements = ElasticInput {
            rest: &model.rest,
            tets: &model.tets,
            volume: &model.volume,
            forms: &model.forms,
            springs: &model.springs,
            spring: &model.spring,
            damping: model.damping.as_deref(),
            hinges: &model.hinges,
            hinge: &model.hinge,
            blocks: &model.blocks,
        };
        let mut slots = Slots::build(&model.blocks, &body_vertices, |block| elements.used(block));
        let given = model.given.iter().map(|given| given.points.len());
        slots.add_given(model.bodies.len() as u32, given);
        let layout = Layout::build(&elements, &slots);
        // A thread without a block would only wait.
        let pool = Pool::new(threads.limited(slots.blocks.len()));
        let zeros = || vec![Lanes::default(); slots.count.div_ceil(4)];
        let arrays = Storage {
            position: zeros(),
            compensation: zeros(),
            velocity: zeros(),
            force: zeros(),
            ..Storage::default()
        };
        let level = Level::detect();
        let limiting = Limiting::new(model, &slots);
        let matching = Matching::new(model, &slots);
        let (saved, yielding, solver, saved_rest) = (Storage::default(), None, None, None);
        let stopwatch = Stopwatch::default();
        Self {
            slots,
            layout,
            level,
            pool,
            arrays,
            saved,
            yielding,
            solver,
            exposed: None,
            limiting,
            matching,
            saved_clusters: ClusterStates::default(),
            contacts: None,
            anchors: Vec::new(),
            kept_anchors: None,
            no_room: None,
            saved_rest,
            seams: Pairs::new(model.seams.pairs.len()),
            saved_seams: Vec::new(),
            stopwatch,
            has_implicit_bodies: model.asks_for(Family::Implicit),
            #[cfg(test)]
            drill: Default::default(),
        }
    }

    /// Position of one vertex of the model \[m\].
    fn position(&self, vertex: u32) -> [f32; 3] {
        get(&self.arrays.position, self.slots.slot_of[vertex as usize])
    }

    /// What clusters have become.
    fn cluster_states(&self) -> ClusterStates {
        let mut states = ClusterStates::default();
        self.matching.iter().for_each(|matching| matching.save(&mut states));
        states
    }

    /// A vertex array in model order.
    fn in_order(&self, array: &[Lanes]) -> Vec<[f32; 3]> {
        self.slots.slot_of.iter().map(|&s| get(array, s)).collect()
    }

    /// Lets workers sleep at random points.
    #[cfg(test)]
    pub fn disturb(&self, seed: u64) {
        self.pool.disturb(seed);
    }
}

impl Engine for Cpu {
    fn name(&self) -> String {
        match self.thread_count() {
            1 => "CPU, 1 thread".into(),
            n => format!("CPU, {n} threads"),
        }
    }

    fn thread_count(&self) -> usize {
        self.pool.count()
    }

    fn bytes(&self) -> usize {
        let arrays = self.arrays.bytes() + self.saved.bytes();
        let rest = self.saved_rest.as_ref().map_or(0, |r| size_of_val(&r[..]));
        let solver = self.solver.as_ref().map_or(0, Solver::bytes);
        let yielding = self.yielding.as_ref().map_or(0, Yielding::bytes);
        let contacts = self.contacts.as_ref().map_or(0, Contacts::bytes);
        let exposed = self.exposed.as_ref().map_or(0, Exposed::bytes);
        let limiting = self.limiting.as_ref().map_or(0, Limiting::bytes);
        let matching = self.matching.as_ref().map_or(0, Matching::bytes);
        let stages = yielding + solver + contacts + exposed + limiting + matching;
        self.slots.bytes() + self.layout.bytes() + arrays + rest + stages
    }

    fn upload(&mut self, model: &Model, restore_point: &RestorePoint) -> Result<(), Trouble> {
        let state = &restore_point.state;
        if self.yielding.is_some() && state.rest_shapes.is_none() {
            // The layout's spring coefficients follow the rest shapes.
            *self = Self::new(model, self.pool.wanted());
        }
        let slots = &self.slots.slot_of;
        for (v, &slot) in slots.iter().enumerate() {
            let inv_mass = model.inv_mass[v];
            set(&mut self.arrays.position, slot, state.position[v], 0.0);
            let free = if inv_mass > 0.0 { 1.0 } else { 0.0 };
            set(&mut self.arrays.compensation, slot, state.position_compensation[v], free);
            set(&mut self.arrays.velocity, slot, state.velocity[v], inv_mass);
        }
        if !state.force.is_empty() {
            for (v, &slot) in slots.iter().enumerate() {
                set(&mut self.arrays.force, slot, state.force[v], 0.0);
            }
        }
        self.arrays.prepare_history(0);
        if !state.last_acceleration.is_empty() {
            self.arrays.prepare_history(1);
            for (v, &slot) in slots.iter().enumerate() {
                set(&mut self.arrays.history[0], slot, state.last_acceleration[v], 0.0);
            }
        }
        self.seams.load(&state.seams);
        if let Some(matching) = &mut self.matching {
            matching.load(&model.shapes, &state.clusters, &state.position);
        }
        self.anchors.clone_from(&state.anchors);
        if let Some(contacts) = &mut self.contacts {
            contacts.load(&std::mem::take(&mut self.anchors));
        }
        if let Some(rest) = &state.rest_shapes {
            let layout = &mut self.layout;
            let yielding = self.yielding.get_or_insert_with(|| Yielding::new(model, layout));
            yielding.load(model, layout, rest);
        }
        Ok(())
    }

    fn download(&self, world: &World) -> Option<State> {
        let mut state = State {
            position: self.in_order(&self.arrays.position),
            position_compensation: self.in_order(&self.arrays.compensation),
            velocity: self.in_order(&self.arrays.velocity),
            ..State::default()
        };
        if keeps_forces(world.integrator) {
            state.force = self.in_order(&self.arrays.force);
        }
        let is_kept = keeps_acceleration(world.integrator) || self.has_implicit_bodies;
        if is_kept && !self.arrays.history[0].is_empty() {
            state.last_acceleration = self.in_order(&self.arrays.history[0]);
        }
        state.seams = self.seams.numbers();
        state.clusters = self.cluster_states();
        state.rest_shapes = self.yielding.as_ref().map(|y| y.rest.clone());
        state.anchors = match &self.contacts {
            Some(contacts) => contacts.anchors(),
            None => self.anchors.clone(),
        };
        Some(state)
    }

    fn seams(&self) -> Vec<u8> {
        self.seams.numbers()
    }

    fn set_seams(&mut self, _: &Model, pairs: &[u8]) {
        self.seams.load(pairs);
    }

    fn compute_forces(&mut self) -> Result<(), Trouble> {
        self.compute_forces();
        Ok(())
    }

    fn snapshot(&mut self) -> Result<(), Trouble> {
        self.saved.copy_from(&self.arrays);
        self.saved_seams = self.seams.numbers();
        if let Some(matching) = &self.matching {
            matching.save(&mut self.saved_clusters);
        }
        self.kept_anchors = self.contacts.is_none().then(|| self.anchors.clone());
        self.contacts.iter_mut().for_each(Contacts::snapshot);
        match (&self.yielding, &mut self.saved_rest) {
            (Some(y), Some(saved)) => saved.clone_from(&y.rest),
            (y, saved) => *saved = y.as_ref().map(|y| y.rest.clone()),
        }
        Ok(())
    }

    fn restore(&mut self, model: &Model) -> Result<(), Trouble> {
        self.arrays.copy_from(&self.saved);
        self.seams.load(&self.saved_seams);
        self.matching.iter_mut().for_each(|matching| matching.restore(&self.saved_clusters));
        match (&mut self.contacts, &self.kept_anchors) {
            (Some(contacts), Some(anchors)) => contacts.load(anchors),
            (Some(contacts), None) => contacts.restore(),
            (None, Some(anchors)) => self.anchors.clone_from(anchors),
            (None, None) => {}
        }
        if let Some(y) = &mut self.yielding {
            match &self.saved_rest {
                Some(rest) => y.load(model, &mut self.layout, rest),
                // Nothing had yielded yet.
                None => y.load(model, &mut self.layout, &first_rest(model)),
            }
        }
        Ok(())
    }

    fn advance<'a>(
        &'a mut self,
        model: &'a Model,
        job: &'a Advance<'_>,
    ) -> Later<'a, Result<(), Trouble>> {
        Box::pin(async move { Ok(self.advance(model, job)?) })
    }

    fn make_room(&mut self, need: Need) -> Result<(), String> {
        match need.stage {
            crate::step::Stage::Contact | crate::step::Stage::Guard => {
                Err(self.no_room.take().unwrap_or_default())
            }
            #[cfg(test)]
            crate::step::Stage::Drill => self.drill.make_room(need.entries),
            stage => unreachable!("{} fills no list", stage.name()),
        }
    }

    fn take_solver_report(&mut self) -> SolverReport {
        self.solver.as_mut().map(Solver::take_solver_report).unwrap_or_default()
    }

    fn contact_report(&self) -> Option<ContactReport> {
        self.contacts.as_ref().map(Contacts::report)
    }

    fn forces_between_bodies(&self) -> Option<Vec<[f32; 3]>> {
        self.contacts.as_ref().map(|contacts| self.in_order(contacts.forces()))
    }

    fn contact_with_given(&self) -> Option<(Vec<[f64; 3]>, usize)> {
        self.contacts.as_ref().map(Contacts::with_given)
    }

    fn touching(&self, origins: &[[f64; 3]]) -> Vec<Touching> {
        self.contacts.as_ref().map_or(Vec::new(), |contacts| contacts.touching(origins))
    }

    fn positions(&self) -> Vec<[f32; 3]> {
        self.in_order(&self.arrays.position)
    }

    fn velocities(&self) -> Vec<[f32; 3]> {
        self.in_order(&self.arrays.velocity)
    }

    fn internal_forces(&mut self, _: &World) -> Vec<[f32; 3]> {
        let kept = self.arrays.force.clone();
        self.compute_forces();
        let forces = self.in_order(&self.arrays.force);
        self.arrays.force = kept;
        forces
    }

    fn contacts(&mut self) -> Later<'_, Vec<Contact>> {
        let [first, others] = &self.arrays.contact;
        let at = |array: &[Lanes], slot: u32| {
            let lanes = &array[slot as usize / 4].0[4 * (slot as usize % 4)..];
            [lanes[0], lanes[1], lanes[2], lanes[3]]
        };
        let contacts = match first.is_empty() {
            true => Vec::new(),
            false => {
                let contact = |&slot: &u32| [at(first, slot), at(others, slot)];
                self.slots.slot_of.iter().map(contact).collect()
            }
        };
        Box::pin(std::future::ready(contacts))
    }

    fn wanderers<'a>(&'a mut self, vertices: &'a [u32]) -> Later<'a, Option<Vec<[f32; 3]>>> {
        Box::pin(async move { Some(vertices.iter().map(|&v| self.position(v)).collect()) })
    }

    fn shift_body(&mut self, body: u32, shift: [f32; 3]) {
        self.contacts.iter_mut().for_each(Contacts::forget);
        let runs = self.slots.blocks.iter().flat_map(|b| &b.runs).filter(|r| r.body == body);
        for slot in runs.flat_map(|r| r.slots.clone()) {
            let at = 4 * (slot as usize % 4);
            let lanes = &mut self.arrays.position[slot as usize / 4].0[at..at + 3];
            lanes.iter_mut().zip(shift).for_each(|(x, s)| *x -= s);
        }
    }

    fn has_rest_shapes(&self) -> bool {
        self.yielding.is_some()
    }

    fn rest_shapes(&self) -> Option<Cow<'_, [RestShape<f32>]>> {
        self.yielding.as_ref().map(|y| Cow::Borrowed(&y.rest[..]))
    }

    fn take_stage_times(&mut self) -> StageTimes {
        std::mem::take(&mut self.stopwatch).read()
    }
}

impl Storage {
    /// Where the arrays are, for workers to share; null where there is none.
    fn shared(&mut self) -> Arrays {
        let pointer = |v: &mut Vec<Lanes>| {
            if v.is_empty() { std::ptr::null_mut() } else { v.as_mut_ptr() }
        };
        Arrays {
            position: pointer(&mut self.position),
            compensation: pointer(&mut self.compensation),
            velocity: pointer(&mut self.velocity),
            force: pointer(&mut self.force),
            touch: pointer(&mut self.touch),
            history: self.history.each_mut().map(pointer),
            contact: self.contact.each_mut().map(pointer),
        }
    }

    fn prepare_history(&mut self, count: usize) {
        let length = self.position.len();
        for history in &mut self.history[..count] {
            history.resize(length, Lanes::default());
        }
        // What another integrator remembered means nothing to this one.
        self.history[count..].iter_mut().for_each(|m| *m = Vec::new());
    }

    /// Lets the search of the first implicit step begin at free fall, which it then finds exactly.
    fn start_falling(&mut self, [x, y, z]: [f32; 3]) {
        let lanes = Lanes(std::array::from_fn(|i| [x, y, z, 0.0][i % 4]));
        self.history[0].fill(lanes);
    }

    fn prepare_touch(&mut self, wanted: bool) {
        if wanted {
            self.touch.resize(self.position.len(), Lanes::default());
        } else {
            self.touch = Vec::new();
        }
    }

    fn prepare_contact(&mut self, wanted: bool) {
        let length = if wanted { self.position.len() } else { 0 };
        self.contact.iter_mut().for_each(|contact| contact.resize(length, Lanes::default()));
    }

    fn copy_from(&mut self, other: &Self) {
        let Self { position, compensation, velocity, force, touch: _, history, contact: _ } = self;
        position.clone_from(&other.position);
        compensation.clone_from(&other.compensation);
        velocity.clone_from(&other.velocity);
        force.clone_from(&other.force);
        history.clone_from(&other.history);
    }

    fn bytes(&self) -> usize {
        let Self { position, compensation, velocity, force, touch, history, contact } = self;
        [position, compensation, velocity, force, touch]
            .into_iter()
            .chain(history)
            .chain(contact)
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
