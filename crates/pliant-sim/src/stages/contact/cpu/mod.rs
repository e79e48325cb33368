//! Contact on processors.
//!
//! A substep has these parts, between which all workers wait for each other: how fast all would become; how patches of
//! surfaces have moved ([`patches`]); the rows of all couples of patches that are near each other, which search for
//! candidates if they have to ([`couples`]); then, a few times, what rows do, and its sum for each vertex. Adding up is done
//! by the one who leads, in the order of rows, so that results do not depend on the number of threads: rows are few beside
//! candidates.

mod ahead;
mod couples;
mod filter;
mod frames;
mod given;
mod guard;
mod implicit;
mod meet;
mod patches;
mod rows;

use std::cell::{Cell, RefCell};

use ahead::Ahead;
use couples::{Beginning, Couples};
use given::GivenSurfaces;
use guard::Guard;
pub(crate) use implicit::{Families, ImplicitRows, Touch};
pub(crate) use rows::ActiveRow;
use rows::{Chunk, Hold, View};

use super::formula::{self, Kind, Push};
use super::layout::{Layout, count_of_first, frictions};
use super::{Anchor, ContactReport, ITERATIONS, Touching};
use crate::contact::tree::Apart;
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
    given: GivenSurfaces,
    couples: Couples,
    /// Numbers of the couples of explicit steps that have rows.
    active: Vec<u32>,
    families: Families,
    /// How far ahead of bodies that take implicit steps is looked at most; 0 where there are none \[m\].
    most_travel: f32,
    ahead: Ahead,
    /// By slot: how many rows there are.
    row_count: Vec<u32>,
    /// Slots that have rows now.
    touched: Vec<u32>,
    /// Anchors of the snapshot.
    saved: Vec<(Kind, Hold)>,
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
        let guard = settings.guarantee.then(|| Box::new(Guard::new(&layout, slots.count)));
        let mut contacts = Self {
            settings: settings.clone(),
            couples: Couples::new(&layout),
            layout,
            given: GivenSurfaces::new(model, &slots.given),
            active: Vec::new(),
            families: Families::default(),
            most_travel: 0.0,
            ahead: Ahead::new(slots.count),
            row_count: vec![0; slots.count],
            touched: Vec::with_capacity(slots.count),
            saved: Vec::new(),
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
        self.couples.forget();
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
            self.couples.forget_candidates();
            self.guard.iter_mut().for_each(|guard| guard.expect_tangles());
        }
        if before != now {
            sewing.name_welded(&mut self.layout.welded);
        }
        self.sewn = now;
    }

    /// Keeps a copy of what decides the next step.
    pub fn snapshot(&mut self) {
        self.saved.clear();
        for (kind, chunk) in all_chunks(&self.couples) {
            self.saved.extend(chunk.holds.iter().map(|hold| (kind, *hold)));
        }
    }

    /// Goes back to it.
    pub fn restore(&mut self) {
        self.let_go();
        for &(kind, hold) in &self.saved {
            self.couples.keep(kind, hold);
        }
        self.sort_out();
    }

    /// Forgets what rows hold on to.
    fn let_go(&mut self) {
        self.forget();
        let chunks = self.couples.all.iter_mut().flat_map(|couple| &mut couple.chunks);
        chunks.for_each(|chunk| chunk.holds.clear());
    }

    /// Says of all couples whether implicit steps solve them.
    fn sort_out(&mut self) {
        let Self { couples, families, .. } = self;
        for number in 0..couples.all.len() {
            let bodies = couples.bodies(&couples.all[number]);
            couples.all[number].is_implicit = families.is_implicit_pair(bodies);
        }
    }

    /// Where rows hold on, by the user's numbers of vertices: those of explicit steps first, then by kind and pair, in
    /// whatever couples they are.
    pub fn anchors(&self) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        for is_implicit in [false, true] {
            for kind in KINDS {
                let wanted =
                    self.couples.all.iter().filter(|couple| couple.is_implicit == is_implicit);
                let holds = wanted.flat_map(|couple| &couple.chunks[kind as usize].holds);
                let mut pairs: Vec<[u32; 2]> = holds.map(Hold::pair).collect();
                pairs.sort_unstable();
                let hold = |pair| self.couples.hold(kind, pair);
                anchors.extend(pairs.into_iter().filter_map(hold).map(|hold| {
                    let corners = self.layout.corners(kind, hold.first, hold.second);
                    let corners = corners.map(|v| self.layout.vertex_order[v as usize]);
                    let Push { normal: push, pull, anchor: place } = hold.push;
                    Anchor { kind, corners, place, push, pull: pull.into() }
                }));
            }
        }
        anchors
    }

    /// Takes over anchors of a state. Those of pairs that do not exist are forgotten.
    pub fn load(&mut self, anchors: &[Anchor]) {
        self.let_go();
        if anchors.is_empty() {
            return;
        }
        let places = self.layout.places();
        for anchor in anchors {
            let Some([first, second]) = places.find(anchor) else { continue };
            let Anchor { place, push, pull, .. } = *anchor;
            let push = Push { normal: push, pull: pull.into(), anchor: place };
            let hold = Hold { first, second, push, bounce: formula::NOTHING as f32 };
            self.couples.keep(anchor.kind, hold);
        }
        self.sort_out();
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
        for (kind, chunk) in all_chunks(&self.couples) {
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
        for (kind, chunk) in all_chunks(&self.couples) {
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
            candidates: self.couples.count() as u64,
            contacts: self.contacts,
            searches: self.couples.searches,
            guarantee: self.guard.as_ref().map(|guard| guard.report()),
        }
    }

    /// Heap memory \[bytes\].
    pub fn bytes(&self) -> usize {
        self.layout.bytes()
            + self.couples.bytes()
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
        self.ahead.predict(with, work, (constants, &self.families), advance.h as f32);
        self.look(with, work, advance, 0.0)?;
        // What rows did before is no part of what others do.
        self.forget_forces();
        let Self { layout, couples, ahead, given, .. } = self;
        let view = View::explicit(layout, given, (work, ahead), advance, is_first);
        couples.find(with, view)?;
        self.count_rows();
        self.add_up();
        for _ in 0..ITERATIONS {
            self.each_active(team, work, (advance, is_first), |chunk, kind, view| {
                chunk.improve(kind, view);
            });
            self.add_up();
        }
        if is_first {
            self.keep(work, advance);
            // Where bodies take implicit steps, these have their part in it, too.
            if !self.families.have_implicit() {
                let begins = advance.begins_step(substep);
                self.given.note_impulses(&self.touched, &self.ahead, advance.h, begins);
            }
        }
        self.ahead.add_to_forces(&self.touched, work);
        Ok(())
    }

    /// Takes note of where everybody is; see [`Couples::look`].
    fn look(
        &mut self,
        with: (&Team, Level),
        work: &Work,
        advance: &Advance<'_>,
        travel: f32,
    ) -> Result<(), String> {
        let Self { layout, couples, ahead, given, families, .. } = self;
        let is_implicit = |bodies| families.is_implicit_pair(bodies);
        let beginning = Beginning {
            layout,
            ahead,
            h: advance.h as f32,
            origins: &given.origins,
            is_implicit: &is_implicit,
        };
        couples.look(with, work, beginning, travel)
    }

    /// Calls `act` with the rows of couples that have any, on all workers if there are many.
    fn each_active(
        &mut self,
        team: &Team,
        work: &Work,
        (advance, is_first): (&Advance<'_>, bool),
        act: impl Fn(&mut Chunk, Kind, View<'_>) + Sync,
    ) {
        let Self { layout, couples, ahead, active, given, .. } = self;
        let view = View::explicit(layout, given, (work, ahead), advance, is_first);
        let couples = &Apart::new(&mut couples.all, 1);
        let each = |grain: usize| {
            for &number in active.iter().skip(grain * GRAIN).take(GRAIN) {
                // SAFETY: each couple is in the list once, and the team gives each number to one worker.
                let couple = unsafe { &mut couples.get(number as usize)[0] };
                for (kind, chunk) in KINDS.into_iter().zip(&mut couple.chunks) {
                    act(chunk, kind, view);
                }
            }
        };
        let grains = active.len().div_ceil(GRAIN);
        // A few are done before others have heard of them.
        if grains == 1 { each(0) } else { team.each(grains, &each) }
    }

    /// Keeps what rows do for the next substep.
    fn keep(&mut self, work: &Work, advance: &Advance<'_>) {
        let Self { layout, couples, ahead, given, .. } = self;
        let view = View::explicit(layout, given, (work, ahead), advance, true);
        for couple in couples.all.iter_mut().filter(|couple| !couple.is_implicit) {
            for (kind, chunk) in KINDS.into_iter().zip(&mut couple.chunks) {
                chunk.keep(kind, view);
            }
        }
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
        let Self { couples, row_count, touched, active, ahead, .. } = self;
        active.clear();
        for (couple, number) in couples.all.iter().zip(0..) {
            if couple.is_implicit || couple.chunks.iter().all(|chunk| chunk.rows.is_empty()) {
                continue;
            }
            active.push(number);
            let rows = couple.chunks.iter().flat_map(|chunk| &chunk.rows);
            for slot in rows.flat_map(|row| row.slots) {
                let count = &mut row_count[slot as usize];
                if *count == 0 {
                    touched.push(slot);
                }
                *count += 1;
            }
        }
        for &number in &*active {
            let chunks = &mut couples.all[number as usize].chunks;
            chunks.iter_mut().for_each(|chunk| chunk.weigh(row_count, ahead));
        }
    }

    /// Adds up what rows do, in their order.
    fn add_up(&mut self) {
        let Self { couples, ahead, touched, contacts, active, .. } = self;
        touched.iter().for_each(|&slot| ahead.force_mut(slot).fill(0.0));
        *contacts = 0;
        for &number in &*active {
            for active in couples.all[number as usize].chunks.iter().flat_map(|chunk| &chunk.rows) {
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

/// Couples with rows that a worker looks at together.
const GRAIN: usize = 8;

/// All rows, in their order.
fn all_chunks(couples: &Couples) -> impl Iterator<Item = (Kind, &Chunk)> {
    couples.all.iter().flat_map(|couple| KINDS.into_iter().zip(&couple.chunks))
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

/// Both kinds, in the order of rows.
const KINDS: [Kind; 2] = [Kind::VertexTriangle, Kind::EdgeEdge];
