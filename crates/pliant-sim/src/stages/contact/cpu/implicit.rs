//! Rows of bodies that take implicit steps: found here, solved in their system ([`crate::stages::implicit`]).
//!
//! Surfaces whose motion is given are on their side. Where one of two bodies takes explicit steps, the row is one of
//! those, and what it gives the other one is a load in its implicit step.

use super::couples::Couple;
use super::rows::{ActiveRow, Hold, MOST_TRAVEL, View};
use super::{ContactJob, Contacts, KINDS};
use crate::model::{Family, Model};
use crate::pool::Team;
use crate::scene::World;
use crate::simd::{Lanes, Level};
use crate::stages::contact::formula::{self, Kind, Law, Push};
use crate::stages::cpu::Work;
use crate::stages::seams::cpu::Sewing;
use crate::step::{Advance, Asked, BodyConstants, Stage};

/// Which bodies take implicit steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Families {
    is_implicit: Vec<bool>,
}

impl Families {
    pub fn new(model: &Model, world: &World) -> Self {
        let is_implicit = model.bodies.iter().map(|body| body.family_in(world) == Family::Implicit);
        Self { is_implicit: is_implicit.collect() }
    }

    /// Whether a surface is that of a body which takes implicit steps.
    pub fn is_implicit(&self, body: u32) -> bool {
        self.is_implicit.get(body as usize).copied().unwrap_or(false)
    }

    /// Whether implicit steps solve what two surfaces do to each other. Those whose motion is given come after all
    /// bodies.
    pub fn is_implicit_pair(&self, bodies: [u32; 2]) -> bool {
        let [a, b] = bodies.map(|body| self.is_implicit(body));
        let [first, second] = bodies.map(|body| body as usize >= self.is_implicit.len());
        a && (b || second) || b && first
    }

    pub fn have_implicit(&self) -> bool {
        self.is_implicit.contains(&true)
    }

    pub fn have_explicit(&self) -> bool {
        self.is_implicit.contains(&false)
    }
}

fn is_implicit(couple: &&mut Couple) -> bool {
    couple.is_implicit
}

impl Contacts {
    /// Takes over which bodies take implicit steps. Rows that change sides forget what they did.
    pub(super) fn set_families(&mut self, families: Families) {
        if families == self.families {
            return;
        }
        let anchors = self.anchors();
        let thickest = self.layout.radius.iter().copied().fold(0.0, f32::max);
        let has_implicit = families.have_implicit();
        self.most_travel = if has_implicit { MOST_TRAVEL * thickest } else { 0.0 };
        self.families = families;
        self.load(&anchors);
    }

    /// Finds the rows at the present positions. Candidates reach as far as the present velocities lead in a step, so
    /// they are searched for in each.
    fn find_implicit(
        &mut self,
        (team, level): (&Team, Level),
        work: &Work,
        advance: &Advance<'_>,
        constants: &[BodyConstants],
        substep: u64,
    ) -> Result<(), String> {
        if !self.families.have_explicit() {
            self.given.place(team, work, advance, (substep, 0), &mut self.ahead);
            self.forget_forces();
        }
        let with = (team, level);
        self.ahead.predict(with, work, (constants, &self.families), advance.h as f32);
        // What moved since couples of explicit steps were looked at is not counted by their odometers.
        self.couples.forget_candidates();
        let longest = self.ahead.longest_way().max(self.given.longest_way);
        self.look(with, work, advance, longest.min(self.most_travel))?;
        let Self { layout, couples, ahead, given, most_travel, .. } = self;
        let view = View {
            wants_implicit: true,
            most_travel: *most_travel,
            ..View::explicit(layout, given, (work, ahead), advance, true)
        };
        couples.find(with, view)
    }

    /// Calls `act` with every row that implicit steps solve, in their order.
    fn each_implicit_row(&mut self, act: &mut dyn FnMut(&mut ActiveRow, Touch)) {
        let Self { layout, couples, .. } = self;
        for couple in couples.all.iter_mut().filter(is_implicit) {
            let chunks = KINDS.into_iter().zip(&mut couple.chunks);
            for (kind, active) in
                chunks.flat_map(|(kind, chunk)| chunk.rows.iter_mut().map(move |row| (kind, row)))
            {
                let bodies = layout.bodies(kind, active.first, active.second);
                let are_solid = bodies.iter().all(|&body| layout.is_solid[body as usize]);
                let friction = layout.pair_friction(bodies);
                act(active, Touch { kind, bodies, are_solid, friction });
            }
        }
    }

    /// Keeps what rows do for the next step, and adds it to the forces of contact. `stiffness` is κ of each row,
    /// in their order \[kg\].
    fn keep_implicit(
        &mut self,
        h: f64,
        begins_step: bool,
        mut stiffness: impl Iterator<Item = f32>,
    ) {
        let Self { layout, couples, ahead, row_count, touched, contacts, .. } = self;
        for couple in couples.all.iter_mut().filter(is_implicit) {
            for (kind, chunk) in KINDS.into_iter().zip(&mut couple.chunks) {
                chunk.holds.clear();
                for active in &chunk.rows {
                    let mass = stiffness.next().unwrap_or(0.0);
                    if active.push.normal <= 0.0 {
                        continue;
                    }
                    *contacts += 1;
                    let bodies = layout.bodies(kind, active.first, active.second);
                    let law = Law { friction: layout.pair_friction(bodies), h: h as f32 };
                    let ActiveRow { first, second, push, x, .. } = *active;
                    let anchor = formula::slipped(kind, &law, &active.row, x, mass, &push);
                    let (push, bounce) = (Push { anchor, ..push }, active.row.bounce);
                    chunk.holds.push(Hold { first, second, push, bounce });
                    let force: [f32; 3] = active.force().into();
                    for (&slot, weight) in active.slots.iter().zip(active.row.weights) {
                        if row_count[slot as usize] == 0 {
                            row_count[slot as usize] = 1;
                            touched.push(slot);
                        }
                        let sum = ahead.force_mut(slot);
                        sum.iter_mut().zip(force).for_each(|(sum, f)| *sum += weight * f);
                    }
                }
            }
        }
        self.given.note_impulses(&self.touched, &self.ahead, h, begins_step);
    }
}

impl ContactJob<'_> {
    /// Finds the rows of bodies that take implicit steps; `false` if there is no memory for them.
    pub fn find_implicit(
        &self,
        with: (&Team, Level),
        (work, sewing): (&Work, Option<&Sewing<'_>>),
        (advance, constants): (&Advance<'_>, &[BodyConstants]),
        substep: u64,
        asked: &Asked,
    ) -> bool {
        let mut contacts = self.contacts.borrow_mut();
        contacts.look_at_seams(sewing);
        let outcome = contacts.find_implicit(with, work, advance, constants, substep);
        if let Err(reason) = outcome {
            self.no_room.replace(Some(reason));
            asked.ask(substep, Stage::Contact, 1);
            return false;
        }
        true
    }

    /// The forces of rows with bodies that take explicit steps, by slot, if there are any \[N\].
    pub fn loads(&self) -> Option<*const Lanes> {
        let contacts = self.contacts.borrow();
        contacts.families.have_explicit().then(|| contacts.ahead.forces().as_ptr())
    }
}

/// Who touches in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub kind: Kind,
    pub bodies: [u32; 2],
    /// Whether both have an inside.
    pub are_solid: bool,
    /// Coulomb friction coefficient.
    pub friction: f32,
}

/// The rows that an implicit step solves.
pub(crate) trait ImplicitRows {
    /// Calls `act` with every one of them, in their order.
    fn each_row(&self, act: &mut dyn FnMut(&mut ActiveRow, Touch));

    /// Keeps what they do for the next step. `stiffness` is κ of each of them, in their order \[kg\].
    fn keep(&self, h: f64, begins_step: bool, stiffness: &mut dyn Iterator<Item = f32>);
}

impl ImplicitRows for ContactJob<'_> {
    fn each_row(&self, act: &mut dyn FnMut(&mut ActiveRow, Touch)) {
        self.contacts.borrow_mut().each_implicit_row(act);
    }

    fn keep(&self, h: f64, begins_step: bool, stiffness: &mut dyn Iterator<Item = f32>) {
        self.contacts.borrow_mut().keep_implicit(h, begins_step, stiffness);
    }
}
