//! Contact on processors.
//!
//! A substep has these parts, between which all workers wait for each other: whether anybody has moved too far
//! for the candidates; if so, a search; how fast all would become; the rows of all candidates; then, a few times,
//! what rows do, and its sum for each vertex. Adding up is done by the one who leads, in the order of rows, so that
//! results do not depend on the number of threads: rows are few beside candidates.

mod ahead;
mod candidates;
mod rows;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

use ahead::Ahead;
use candidates::{Candidates, Frames};
use rows::{Chunk, Hold, View};

use super::formula::{Kind, Law, Push};
use super::layout::Layout;
use super::{Anchor, ContactReport, ITERATIONS, Touching};
use crate::model::Model;
use crate::pool::Team;
use crate::scene;
use crate::simd::{Lanes, Level};
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;
use crate::step::{Advance, Asked, BodyConstants, Stage};

/// The contacts of a model, resident between steps.
pub(crate) struct Contacts {
    settings: scene::Contact,
    layout: Layout,
    candidates: Candidates,
    /// Rows of vertices and triangles, then of edges, by chunk of candidates.
    chunks: [Vec<Chunk>; 2],
    ahead: Ahead,
    /// By slot: how many rows there are.
    row_count: Vec<u32>,
    /// Slots that have rows now.
    touched: Vec<u32>,
    /// Anchors of the snapshot.
    saved: [Vec<Vec<Hold>>; 2],
    contacts: u64,
}

impl Contacts {
    /// Lays out the surfaces of a model.
    pub fn new(model: &Model, slots: &Slots, settings: &scene::Contact) -> Self {
        let layout = Layout::new(model, &slots.slot_of, settings);
        let candidates = Candidates::new(&layout, slots.count);
        let chunks = candidates.chunk_counts();
        Self {
            settings: settings.clone(),
            layout,
            candidates,
            chunks: chunks.map(|count| (0..count).map(|_| Chunk::default()).collect()),
            ahead: Ahead::new(slots.count),
            row_count: vec![0; slots.count],
            touched: Vec::with_capacity(slots.count),
            saved: Default::default(),
            contacts: 0,
        }
    }

    /// Takes over other settings; says no where surfaces must be laid out anew for them.
    pub fn take(&mut self, settings: &scene::Contact) -> bool {
        let fits = settings.thickness == self.settings.thickness
            && settings.within_bodies == self.settings.within_bodies;
        if fits {
            self.settings = settings.clone();
        }
        fits
    }

    /// Lets the next substep search anew: the state is another one.
    pub fn forget(&mut self) {
        self.candidates.is_stale = true;
    }

    /// Keeps a copy of what decides the next step.
    pub fn snapshot(&mut self) {
        for (saved, chunks) in self.saved.iter_mut().zip(&self.chunks) {
            saved.resize_with(chunks.len(), Vec::new);
            saved.iter_mut().zip(chunks).for_each(|(saved, chunk)| saved.clone_from(&chunk.holds));
        }
    }

    /// Goes back to it.
    pub fn restore(&mut self) {
        for (saved, chunks) in self.saved.iter().zip(&mut self.chunks) {
            for (i, chunk) in chunks.iter_mut().enumerate() {
                chunk.holds.clear();
                chunk.holds.extend(saved.get(i).into_iter().flatten());
            }
        }
        self.forget();
    }

    /// Where rows hold on, by the user's numbers of vertices.
    pub fn anchors(&self) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        for (kind, chunks) in KINDS.into_iter().zip(&self.chunks) {
            for hold in chunks.iter().flat_map(|chunk| &chunk.holds) {
                let corners = self.layout.corners(kind, hold.first, hold.second);
                let corners = corners.map(|v| self.layout.vertex_order[v as usize]);
                let Push { normal: push, pull, anchor: place } = hold.push;
                anchors.push(Anchor { kind, corners, place, push, pull: pull.into() });
            }
        }
        anchors
    }

    /// Takes over anchors of a state. Those of pairs that do not exist are forgotten.
    pub fn load(&mut self, anchors: &[Anchor]) {
        self.forget();
        self.chunks.iter_mut().flatten().for_each(|chunk| chunk.holds.clear());
        if anchors.is_empty() {
            return;
        }
        let places = self.layout.places();
        for anchor in anchors {
            let Some([first, second]) = places.find(anchor) else { continue };
            let chunk = first as usize / crate::contact::search::CHUNK;
            let Anchor { place, push, pull, .. } = *anchor;
            let push = Push { normal: push, pull: pull.into(), anchor: place };
            let hold = Hold { first, second, push };
            if let Some(chunk) = self.chunks[anchor.kind as usize].get_mut(chunk) {
                chunk.holds.push(hold);
            }
        }
        for chunk in self.chunks.iter_mut().flatten() {
            chunk.holds.sort_by_key(|hold| (hold.first, hold.second));
        }
    }

    /// The forces of contact in the last substep, by slot \[N\].
    pub fn forces(&self) -> &[Lanes] {
        self.ahead.forces()
    }

    /// Makes ready for a job.
    pub fn open(&mut self) -> ContactJob<'_> {
        let (substep, no_room) = (Cell::new(None), RefCell::new(None));
        ContactJob { contacts: RefCell::new(self), substep, no_room }
    }

    /// What touched in the last substep.
    pub fn touching(&self, origins: &[[f64; 3]]) -> Vec<Touching> {
        let mut all = Vec::new();
        for (kind, chunks) in KINDS.into_iter().zip(&self.chunks) {
            for row in chunks.iter().flat_map(|chunk| &chunk.rows) {
                let bodies = self.layout.bodies(kind, row.first, row.second);
                let corners = self.layout.corners(kind, row.first, row.second);
                let origin = origins[bodies[0] as usize];
                all.push(Touching {
                    kind,
                    bodies,
                    corners: corners.map(|v| self.layout.vertex_order[v as usize]),
                    point: std::array::from_fn(|k| origin[k] + f64::from(row.point[k])),
                    normal: row.row.normal.into(),
                    gap: row.row.thickness - row.row.depth,
                    force: row.force().into(),
                });
            }
        }
        all
    }

    pub fn report(&self) -> ContactReport {
        let [vertex_triangle, edge_edge] = self.candidates.counts();
        ContactReport {
            candidates: (vertex_triangle + edge_edge) as u64,
            contacts: self.contacts,
            searches: self.candidates.searches,
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().flatten().map(Chunk::bytes).sum::<usize>();
        self.layout.bytes()
            + self.candidates.bytes()
            + chunks
            + self.ahead.bytes()
            + size_of_val(&self.row_count[..])
    }

    /// The forces of contact at the present positions, added to all others. `is_first` where a substep asks for
    /// the first time: then what rows do is kept for the next one. What there is no memory for is told.
    fn run(
        &mut self,
        (team, level): (&Team, Level),
        work: &Work,
        advance: &Advance<'_>,
        constants: &[BodyConstants],
        is_first: bool,
    ) -> Result<(), String> {
        if !self.candidates.is_stale {
            let is_stale = AtomicBool::new(false);
            team.each(work.block_count(), &|block| {
                if self.candidates.has_left(level, work, block) {
                    is_stale.store(true, Ordering::Relaxed);
                }
            });
            self.candidates.is_stale = is_stale.into_inner();
        }
        if self.candidates.is_stale {
            self.candidates.search((team, level), work, advance, &self.layout)?;
            for (kind, chunks) in KINDS.into_iter().zip(&mut self.chunks) {
                for (i, chunk) in chunks.iter_mut().enumerate() {
                    chunk.make_room(self.candidates.chunk_pairs(kind, i))?;
                }
            }
        }
        // What rows did before is no part of what others do.
        self.forget_forces();
        self.ahead.predict((team, level), work, constants, advance.h as f32);
        self.each_chunk(team, work, advance, |chunk, kind, number, candidates, _, view| {
            chunk.find(kind, candidates.pairs(kind).chunk(number), view);
        });
        self.count_rows();
        self.add_up();
        for _ in 0..ITERATIONS {
            self.each_chunk(team, work, advance, |chunk, kind, _, _, row_count, view| {
                chunk.improve(kind, row_count, view);
            });
            self.add_up();
        }
        if is_first {
            self.each_chunk(team, work, advance, |chunk, kind, _, _, row_count, view| {
                chunk.keep(kind, row_count, view);
            });
        }
        self.ahead.add_to_forces(team, work);
        Ok(())
    }

    /// Calls `act` with each chunk of rows, on all workers.
    fn each_chunk(
        &mut self,
        team: &Team,
        work: &Work,
        advance: &Advance<'_>,
        act: impl Fn(&mut Chunk, Kind, usize, &Candidates, &[u32], View<'_>) + Sync,
    ) {
        let Self { layout, candidates, ahead, row_count, settings, chunks, .. } = self;
        let (candidates, row_count) = (&*candidates, &row_count[..]);
        let law = Law { friction: settings.friction as f32, h: advance.h as f32 };
        let view = View { layout, frames: Frames { origins: advance.origins }, work, law, ahead };
        rows::each_chunk(team, chunks, &|kind, number, chunk| {
            act(chunk, kind, number, candidates, row_count, view);
        });
    }

    /// Forgets what rows did.
    fn forget_forces(&mut self) {
        let Self { ahead, row_count, touched, .. } = self;
        for slot in touched.drain(..) {
            row_count[slot as usize] = 0;
            ahead.force_mut(slot).fill(0.0);
        }
    }

    /// Counts the rows of every vertex.
    fn count_rows(&mut self) {
        let Self { chunks, row_count, touched, .. } = self;
        for row in chunks.iter().flatten().flat_map(|chunk| &chunk.rows) {
            for slot in row.slots {
                let count = &mut row_count[slot as usize];
                if *count == 0 {
                    touched.push(slot);
                }
                *count += 1;
            }
        }
    }

    /// Adds up what rows do, in their order.
    fn add_up(&mut self) {
        let Self { chunks, ahead, touched, contacts, .. } = self;
        touched.iter().for_each(|&slot| ahead.force_mut(slot).fill(0.0));
        *contacts = 0;
        for active in chunks.iter().flatten().flat_map(|chunk| &chunk.rows) {
            *contacts += u64::from(active.push.normal > 0.0);
            let force: [f32; 3] = active.force().into();
            for (&slot, weight) in active.slots.iter().zip(active.row.weights) {
                let sum = ahead.force_mut(slot);
                sum.iter_mut().zip(force).for_each(|(sum, f)| *sum += weight * f);
            }
        }
    }
}

/// Contacts during a job.
pub(crate) struct ContactJob<'a> {
    contacts: RefCell<&'a mut Contacts>,
    /// The substep that contact was last computed in.
    substep: Cell<Option<u64>>,
    /// Why it cannot go on, if it cannot.
    no_room: RefCell<Option<String>>,
}

// SAFETY: cells are used by the one who leads, between passes.
unsafe impl Sync for ContactJob<'_> {}

impl ContactJob<'_> {
    /// The forces of contact at the present positions of a substep.
    pub fn run(
        &self,
        with: (&Team, Level),
        work: &Work,
        advance: &Advance<'_>,
        constants: &[BodyConstants],
        substep: u64,
        asked: &Asked,
    ) {
        let is_first = self.substep.replace(Some(substep)) != Some(substep);
        let outcome = self.contacts.borrow_mut().run(with, work, advance, constants, is_first);
        if let Err(reason) = outcome {
            self.no_room.replace(Some(reason));
            asked.ask(substep, Stage::Contact, 1);
        }
    }

    /// What there was no memory for, if anything.
    pub fn no_room(&self) -> Option<String> {
        self.no_room.take()
    }
}

/// Both kinds, in the order of chunks.
const KINDS: [Kind; 2] = [Kind::VertexTriangle, Kind::EdgeEdge];
