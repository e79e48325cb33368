//! Contact on processors.
//!
//! A substep has these parts, between which all workers wait for each other: whether anybody has moved too far
//! for the candidates; if so, a search; how fast all would become; the rows of all candidates; then, a few times,
//! what rows do, and its sum for each vertex. Adding up is done by the one who leads, in the order of rows, so that
//! results do not depend on the number of threads: rows are few beside candidates. Chunks of candidates in which
//! nothing is near are passed over, and where there are none at all a substep only asks who has moved.

mod ahead;
mod approach;
mod candidates;
mod drift;
mod facing;
mod filter;
mod given;
mod guard;
mod implicit;
mod rows;
mod turning;

use std::cell::{Cell, RefCell};

use ahead::Ahead;
use approach::Approach;
use candidates::{Candidates, Frames};
use given::GivenSurfaces;
use guard::Guard;
pub(crate) use implicit::{Families, ImplicitRows, Touch};
pub(crate) use rows::ActiveRow;
use rows::{Chunk, Hold, View};

use super::formula::{self, Kind, Push};
use super::layout::{Layout, count_of_first, frictions};
use super::{Anchor, ContactReport, ITERATIONS, Touching};
use crate::model::Model;
use crate::pool::Team;
use crate::scene;
use crate::simd::{Lanes, Level};
use crate::stages::cpu::Work;
use crate::stages::cpu::slots::Slots;
use crate::stages::seams::cpu::Sewing;
use crate::step::{Advance, Asked, BodyConstants, Stage};

/// The contacts of a model, resident between steps.
pub(crate) struct Contacts {
    settings: scene::Contact,
    layout: Layout,
    candidates: Candidates,
    given: GivenSurfaces,
    /// Rows of vertices and triangles, then of edges, by chunk of candidates.
    chunks: [Vec<Chunk>; 2],
    /// Numbers of the chunks that have candidates or had rows, and of those that have rows; edges are numbered
    /// after vertices and triangles.
    busy: Vec<u32>,
    active: Vec<u32>,
    /// Those that implicit steps solve, and which of them have candidates or had rows.
    implicit: [Vec<Chunk>; 2],
    implicit_busy: Vec<u32>,
    families: Families,
    ahead: Ahead,
    approach: Approach,
    /// By slot: how many rows there are.
    row_count: Vec<u32>,
    /// Slots that have rows now.
    touched: Vec<u32>,
    /// Anchors of the snapshot.
    saved: [Vec<Vec<Hold>>; 4],
    contacts: u64,
    /// How often what is sewn had changed when names were given to it.
    sewn: [u32; 2],
    /// Where surfaces must never cross.
    guard: Option<Box<Guard>>,
}

impl Contacts {
    /// Lays out the surfaces of a model.
    pub fn new(
        model: &Model,
        slots: &Slots,
        settings: &scene::Contact,
        families: Families,
    ) -> Self {
        let layout = Layout::new(model, &slots.slot_of, &slots.given, settings);
        let candidates = Candidates::new(&layout, slots.count);
        let chunks = candidates.chunk_counts();
        let guard = settings.guarantee.then(|| Box::new(Guard::new(&layout, slots.count)));
        let mut contacts = Self {
            settings: settings.clone(),
            layout,
            candidates,
            given: GivenSurfaces::new(model, &slots.given),
            chunks: chunks.map(|count: usize| (0..count).map(|_| Chunk::default()).collect()),
            busy: Vec::with_capacity(chunks[0] + chunks[1]),
            active: Vec::with_capacity(chunks[0] + chunks[1]),
            implicit: Default::default(),
            implicit_busy: Vec::new(),
            families: Families::default(),
            ahead: Ahead::new(slots.count, model.bodies.len()),
            approach: Approach::new(model.bodies.len() + model.given.len()),
            row_count: vec![0; slots.count],
            touched: Vec::with_capacity(slots.count),
            saved: Default::default(),
            contacts: 0,
            sewn: [0; 2],
            guard,
        };
        contacts.set_families(families);
        contacts
    }

    /// Takes over other settings; says no where surfaces must be laid out anew for them.
    pub fn take(&mut self, model: &Model, settings: &scene::Contact, families: &Families) -> bool {
        let fits = settings.thickness == self.settings.thickness
            && settings.within_bodies == self.settings.within_bodies
            && settings.guarantee == self.settings.guarantee;
        if fits && *settings != self.settings {
            self.layout.set_friction(frictions(model, settings));
            self.settings = settings.clone();
        }
        if fits {
            self.set_families(families.clone());
        }
        fits
    }

    /// Lets the next substep search anew: the state is another one.
    pub fn forget(&mut self) {
        self.candidates.forget();
        self.guard.iter_mut().for_each(|guard| guard.forget());
        self.given.forget();
    }

    /// Notes where the next substep begins.
    pub fn mark(&mut self, position: &[Lanes]) {
        self.guard.iter_mut().for_each(|guard| guard.mark(position));
    }

    /// Takes note of what is sewn now: what has come apart touches.
    fn look_at_seams(&mut self, sewing: Option<&Sewing<'_>>) {
        let Some(sewing) = sewing else { return };
        let (before, now) = (self.sewn, sewing.changes());
        if before[0] != now[0] {
            sewing.name_held(&mut self.layout.sewn);
            self.candidates.forget();
            self.guard.iter_mut().for_each(|guard| guard.expect_tangles());
        }
        if before != now {
            sewing.name_welded(&mut self.layout.welded);
        }
        self.sewn = now;
    }

    /// Keeps a copy of what decides the next step.
    pub fn snapshot(&mut self) {
        let all = self.chunks.iter().chain(&self.implicit);
        for (saved, chunks) in self.saved.iter_mut().zip(all) {
            saved.resize_with(chunks.len(), Vec::new);
            saved.iter_mut().zip(chunks).for_each(|(saved, chunk)| saved.clone_from(&chunk.holds));
        }
    }

    /// Goes back to it.
    pub fn restore(&mut self) {
        let all = self.chunks.iter_mut().chain(&mut self.implicit);
        for (saved, chunks) in self.saved.iter().zip(all) {
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
        for (kind, chunk) in self.all_chunks() {
            for hold in &chunk.holds {
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
        let all = self.chunks.iter_mut().chain(&mut self.implicit);
        all.flatten().for_each(|chunk| chunk.holds.clear());
        if anchors.is_empty() {
            return;
        }
        let places = self.layout.places();
        for anchor in anchors {
            let Some([first, second]) = places.find(anchor) else { continue };
            let chunk = first as usize / crate::contact::search::CHUNK;
            let Anchor { place, push, pull, .. } = *anchor;
            let push = Push { normal: push, pull: pull.into(), anchor: place };
            let hold = Hold { first, second, push, bounce: formula::NOTHING as f32 };
            let bodies = self.layout.bodies(anchor.kind, first, second);
            let chunks = match self.families.is_implicit_pair(bodies) {
                true => &mut self.implicit,
                false => &mut self.chunks,
            };
            if let Some(chunk) = chunks[anchor.kind as usize].get_mut(chunk) {
                chunk.holds.push(hold);
            }
        }
        for chunk in self.chunks.iter_mut().chain(&mut self.implicit).flatten() {
            chunk.holds.sort_by_key(|hold| (hold.first, hold.second));
        }
    }

    /// The forces of contact in the last substep, by slot \[N\].
    pub fn forces(&self) -> &[Lanes] {
        self.ahead.forces()
    }

    /// Makes ready for a job.
    pub fn open(&mut self) -> ContactJob<'_> {
        let (asked, no_room) = (Cell::new(None), RefCell::new(None));
        ContactJob { contacts: RefCell::new(self), asked, no_room }
    }

    /// What touched in the last substep.
    pub fn touching(&self, origins: &[[f64; 3]]) -> Vec<Touching> {
        let mut all = Vec::new();
        for (kind, chunk) in self.all_chunks() {
            for row in &chunk.rows {
                let bodies = self.layout.bodies(kind, row.first, row.second);
                let corners = self.layout.corners(kind, row.first, row.second);
                let first = bodies[0] as usize;
                let origin = origins.get(first).unwrap_or(&self.given.origins[first]);
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

    /// What bodies gave each surface whose motion is given in the last step \[N·s\], and how many of their vertices
    /// touched one in its last substep.
    pub fn with_given(&self) -> (Vec<[f64; 3]>, usize) {
        let mut touching: Vec<u32> = Vec::new();
        for (kind, chunk) in self.all_chunks() {
            for row in &chunk.rows {
                let is_given = self
                    .layout
                    .bodies(kind, row.first, row.second)
                    .map(|b| self.layout.is_given(b));
                let (first, second) = row.slots.split_at(count_of_first(kind));
                if row.push.normal > 0.0 && (is_given[0] || is_given[1]) {
                    touching.extend(if is_given[0] { second } else { first });
                }
            }
        }
        touching.sort_unstable();
        touching.dedup();
        (self.given.impulses(), touching.len())
    }

    pub fn report(&self) -> ContactReport {
        ContactReport {
            candidates: self.candidates.count() as u64,
            contacts: self.contacts,
            searches: self.candidates.searches,
            guarantee: self.guard.as_ref().map(|guard| guard.report()),
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        let chunks = self.all_chunks().map(|(_, chunk)| chunk.bytes()).sum::<usize>();
        self.layout.bytes()
            + self.candidates.bytes()
            + chunks
            + self.ahead.bytes()
            + self.given.bytes()
            + size_of_val(&self.row_count[..])
            + self.guard.as_ref().map_or(0, |guard| guard.bytes())
    }

    /// The forces of contact at the present positions, added to all others. `call` counts how often a substep has
    /// asked: the first time, what rows do is kept for the next one. What there is no memory for is told.
    fn run(
        &mut self,
        (team, level): (&Team, Level),
        work: &Work,
        advance: &Advance<'_>,
        constants: &[BodyConstants],
        (substep, call): (u64, usize),
    ) -> Result<(), String> {
        let is_first = call == 0;
        self.given.place(team, work, advance, (substep, call), &mut self.ahead);
        let with = (team, level);
        let bodies = (constants, &self.families, &self.layout.samples);
        self.ahead.predict(with, work, bodies, advance.h as f32);
        self.approach.look_ahead(&self.ahead, &self.given, &self.layout);
        let (layout, approach) = (&self.layout, &self.approach);
        self.candidates.follow(with, work, (layout, approach), self.given.moving());
        let frames = Frames { origins: &self.given.origins };
        if self.candidates.search(with, work, frames, advance.h, (layout, Some(approach)))? {
            self.make_room(false)?;
        }
        // What rows did before is no part of what others do.
        self.forget_forces();
        if self.busy.is_empty() {
            return Ok(());
        }
        self.approach.look_back(&self.candidates, &self.layout);
        let with = (team, level, work, advance, is_first);
        self.each_chunk(with, Of::Busy, |chunk, kind, number, candidates, view| {
            chunk.find(kind, number, candidates, view);
        });
        self.count_rows();
        self.add_up();
        for _ in 0..ITERATIONS {
            self.each_chunk(with, Of::Active, |chunk, kind, _, _, view| chunk.improve(kind, view));
            self.add_up();
        }
        if is_first {
            self.each_chunk(with, Of::Busy, |chunk, kind, _, _, view| chunk.keep(kind, view));
            // Where bodies take implicit steps, these have their part in it, too.
            if !self.families.have_implicit() {
                let begins = advance.begins_step(substep);
                self.given.note_impulses(&self.touched, &self.ahead, advance.h, begins);
            }
        }
        self.ahead.add_to_forces(&self.touched, work);
        Ok(())
    }

    /// Room for the rows of new candidates, beside those that there are if it `keeps` them.
    fn make_room(&mut self, keeps: bool) -> Result<(), String> {
        let Self { candidates, chunks, busy, active, .. } = self;
        busy.clear();
        if !keeps {
            active.clear();
        }
        let mut number = 0;
        for (kind, chunks) in KINDS.into_iter().zip(chunks) {
            for (i, chunk) in chunks.iter_mut().enumerate() {
                let count = candidates.chunk_pairs(kind, i);
                if !keeps {
                    chunk.rows.clear();
                }
                chunk.make_room(count)?;
                // What was held must be let go even where there is nothing near any more.
                if count > 0 || !chunk.holds.is_empty() {
                    busy.push(number);
                }
                number += 1;
            }
        }
        Ok(())
    }

    /// Calls `act` with some of the chunks of rows, on all workers.
    fn each_chunk(
        &mut self,
        (team, level, work, advance, is_first): (&Team, Level, &Work, &Advance<'_>, bool),
        of: Of,
        act: impl Fn(&mut Chunk, Kind, usize, &Candidates, View<'_>) + Sync,
    ) {
        let Self {
            layout, candidates, ahead, approach, chunks, busy, active, given, families, ..
        } = self;
        let candidates = &*candidates;
        let view = View {
            layout,
            frames: Frames { origins: &given.origins },
            work,
            level,
            h: advance.h as f32,
            ahead,
            origins: &candidates.origins,
            approach,
            families,
            implicit_approach: None,
            is_first,
        };
        let numbers = match of {
            Of::Busy => busy,
            Of::Active => active,
        };
        rows::each_chunk(team, chunks, numbers, &|kind, number, chunk| {
            act(chunk, kind, number, candidates, view);
        });
    }

    /// Forgets what rows did.
    fn forget_forces(&mut self) {
        let Self { ahead, row_count, touched, contacts, .. } = self;
        *contacts = 0;
        for slot in touched.drain(..) {
            row_count[slot as usize] = 0;
            ahead.force_mut(slot).fill(0.0);
        }
    }

    /// Counts the rows of every vertex, and says what mass that leaves to each of them.
    fn count_rows(&mut self) {
        let Self { chunks, row_count, touched, busy, active, ahead, .. } = self;
        active.clear();
        for &number in &*busy {
            let rows = &chunk_of(chunks, number).rows;
            if rows.is_empty() {
                continue;
            }
            active.push(number);
            for slot in rows.iter().flat_map(|row| row.slots) {
                let count = &mut row_count[slot as usize];
                if *count == 0 {
                    touched.push(slot);
                }
                *count += 1;
            }
        }
        for &number in &*active {
            chunk_of(chunks, number).weigh(row_count, ahead);
        }
    }

    /// Adds up what rows do, in their order.
    fn add_up(&mut self) {
        let Self { chunks, ahead, touched, contacts, active, .. } = self;
        touched.iter().for_each(|&slot| ahead.force_mut(slot).fill(0.0));
        *contacts = 0;
        for &number in &*active {
            for active in &chunk_of(chunks, number).rows {
                *contacts += u64::from(active.push.normal > 0.0);
                let force: [f32; 3] = active.force().into();
                for (&slot, weight) in active.slots.iter().zip(active.row.weights) {
                    let sum = ahead.force_mut(slot);
                    sum.iter_mut().zip(force).for_each(|(sum, f)| *sum += weight * f);
                }
            }
        }
    }
}

/// The chunk with this number; those of edges come after the others.
fn chunk_of(chunks: &mut [Vec<Chunk>; 2], number: u32) -> &mut Chunk {
    let [vertex_triangle, edge_edge] = chunks;
    let number = number as usize;
    match number.checked_sub(vertex_triangle.len()) {
        None => &mut vertex_triangle[number],
        Some(number) => &mut edge_edge[number],
    }
}

/// Some of the chunks.
#[derive(Clone, Copy)]
enum Of {
    /// Those that have candidates, or had rows.
    Busy,
    /// Those that have rows.
    Active,
}

/// Contacts during a job.
pub(crate) struct ContactJob<'a> {
    contacts: RefCell<&'a mut Contacts>,
    /// The substep that contact was last computed in, and how often.
    asked: Cell<Option<(u64, usize)>>,
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
        (work, sewing): (&Work, Option<&Sewing<'_>>),
        advance: &Advance<'_>,
        constants: &[BodyConstants],
        substep: u64,
        asked: &Asked,
    ) {
        let call =
            self.asked.get().filter(|(last, _)| *last == substep).map_or(0, |(_, call)| call + 1);
        self.asked.set(Some((substep, call)));
        let call = (substep, call);
        let mut contacts = self.contacts.borrow_mut();
        contacts.look_at_seams(sewing);
        let outcome = contacts.run(with, work, advance, constants, call);
        if let Err(reason) = outcome {
            self.no_room.replace(Some(reason));
            asked.ask(substep, Stage::Contact, 1);
        }
    }

    /// Cuts the motion of a substep short where surfaces would cross.
    pub fn guard(
        &self,
        with: (&Team, Level),
        (work, sewing): (&Work, Option<&Sewing<'_>>),
        advance: &Advance<'_>,
        substep: u64,
        asked: &Asked,
    ) {
        let mut contacts = self.contacts.borrow_mut();
        contacts.look_at_seams(sewing);
        let Contacts { guard, layout, given, .. } = &mut **contacts;
        let Some(guard) = guard else { return };
        let members = sewing.map_or(&[][..], Sewing::members);
        if let Err(reason) = guard.run(with, work, (layout, members), (given, advance, substep)) {
            self.no_room.replace(Some(reason));
            asked.ask(substep, Stage::Guard, 1);
        }
    }

    /// What there was no memory for, if anything.
    pub fn no_room(&self) -> Option<String> {
        self.no_room.take()
    }
}

/// Both kinds, in the order of chunks.
const KINDS: [Kind; 2] = [Kind::VertexTriangle, Kind::EdgeEdge];
