//! Contact between bodies that take implicit steps: rows that reach into several blocks.
//!
//! They are few beside the elements, and done by the one who leads, between passes, in their order. What they
//! did before is part of the state, and each step begins with it.

use super::begin::add_to_own;
use super::solve::{ImplicitStep, Scalar, SolverJob};
use super::vectors::{Vectors, lane};
use crate::contact::closest::{insides, point_triangle};
use crate::math::Vec3;
use crate::simd::Lanes;
use crate::stages::contact::cpu::{ActiveRow, Touch};
use crate::stages::contact::formula::{self, Kind, Law, Roundness, Row as Shape};
use crate::stages::implicit::formula::inverse_symmetric;
use crate::stages::implicit::planes::add_scaled;
use crate::stages::implicit::row::{FOUND, Freedom, Grip, Response, Row};

/// κ over what the corners of a row have against a change of their velocity. The preconditioner knows only what
/// each of them has of it: with four times as much, systems took a quarter more iterations, and friction of what is
/// stiff was found less well.
const STIFFNESS: f32 = 1.0;
/// The largest resistance of friction over κ.
const MOST_RESISTANCE: f32 = 4.0;

/// A contact of two surfaces in the system.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairRow {
    slots: [u32; 4],
    pub bodies: [u32; 2],
    kind: Kind,
    are_solid: bool,
    /// Where the corners are when the step begins \[m\].
    x: [Vec3<f32>; 4],
    shape: Shape<f32>,
    law: Law<f32>,
    pub row: Row,
    /// The mass that it moves if nothing else is in the way \[kg\].
    mass: f32,
    /// The number of its two bodies among those that touch.
    group: u32,
    /// Whether it pushed when the step began.
    is_held: bool,
    /// What of it is in the right-hand side and in the corners' own blocks.
    entered: Response,
}

/// Two bodies that touch, and what their rows give each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    bodies: [u32; 2],
    /// Impulses of rows that push, and of all of them \[kg·m/s\].
    pushes: f32,
    all: f32,
}

/// The vector at a slot.
///
/// # Safety
/// The slot is there, and nobody writes it meanwhile.
pub(super) unsafe fn vector(array: *const Lanes, slot: u32) -> Vec3<f32> {
    // SAFETY: promised by the caller.
    let [x, y, z, _] = unsafe { *lane(array.cast_mut(), slot) };
    Vec3::from([x, y, z])
}

/// The share of the thickness down to which somebody passes by: what would come nearer has been met before.
const GRAZE: f32 = 0.5;

/// The normal of a corner, or across an edge, for someone who goes a way past it, and how far along the
/// normal they must go at least \[m\]; nothing if they pass by. `recovery` is the part of what is too near that
/// is made up for.
fn past_corner(shape: &Shape<f32>, way: Vec3<f32>, recovery: f32) -> Option<(Vec3<f32>, f32)> {
    let Shape { thickness, depth, normal, .. } = *shape;
    let start = normal * (thickness - depth);
    let square = way.dot(way);
    let along = start.dot(way);
    let part = if square > 0.0 { (-along / square).clamp(0.0, 1.0) } else { 0.0 };
    let nearest = start + way * part;
    let distance = nearest.length();
    if distance >= thickness {
        return None;
    }
    let (met, target) = if distance > GRAZE * thickness {
        (nearest, distance + recovery * (thickness - distance))
    } else if depth < 0.0 {
        // Where they first come as near as they may.
        let rest = along * along - square * (start.dot(start) - thickness * thickness);
        (start + way * ((-along - rest.max(0.0).sqrt()) / square), thickness)
    } else {
        (start, thickness - depth * (1.0 - recovery))
    };
    let normal = met * (1.0 / met.length());
    Some((normal, target - normal.dot(start)))
}

impl PairRow {
    /// As it was found when the step begins.
    fn new(active: &ActiveRow, touch: Touch, h: f32) -> Self {
        let Touch { kind, bodies, are_solid, friction } = touch;
        let law = Law { friction, h };
        let (shape, push) = (active.row, active.push);
        let mut row = Row {
            normal: shape.normal,
            friction: law.friction,
            most_resistance: MOST_RESISTANCE,
            pressing: 1.0,
            push: push.normal * law.h,
            pull: push.pull * law.h,
            ..Row::default()
        };
        let anchor = formula::anchor_weights(kind, push.anchor);
        row.back = row.along(formula::combine(anchor, active.x)) * formula::recovery(&law);
        row.pull = row.along(row.pull);
        let ActiveRow { slots, x, .. } = *active;
        let (is_held, entered) = (row.push > 0.0, Response::default());
        let (mass, group) = (0.0, 0);
        Self { slots, bodies, kind, are_solid, x, shape, law, row, mass, group, is_held, entered }
    }

    /// Finds the speed that is wanted along the normal, for corners that end the step at the velocities `v`. What was
    /// not near at its start is looked at where it ends, and what moves past an edge or a corner where it comes
    /// nearest on its way: nobody is stopped by where something was.
    fn aim(&mut self, v: [Vec3<f32>; 4]) {
        let (shape, h) = (&self.shape, self.law.h);
        let u = formula::combine(shape.weights, v);
        let flat = || Some((shape.normal, formula::wanted_speed(&self.law, shape, u)));
        let past = |across: Vec3<f32>| {
            let found = past_corner(shape, across * h, formula::recovery(&self.law) * h);
            found.map(|(normal, way)| (normal, way / h))
        };
        let found = match shape.roundness {
            // What gets past a sheet does not come back; solids push out what gets in.
            _ if !self.are_solid => flat(),
            Roundness::Flat => {
                if self.misses(v) {
                    None
                } else {
                    flat()
                }
            }
            Roundness::Edge(edge) => past(u - edge * edge.dot(u)),
            Roundness::Corner => past(u),
        };
        // What rests on something may be off it by rounding.
        match found.or_else(|| if self.is_held { flat() } else { None }) {
            None => self.want_nothing(),
            Some((normal, wanted)) => {
                (self.row.normal, self.row.wanted) = (normal, wanted);
                self.row.pull = self.row.along(self.row.pull);
            }
        }
    }

    fn want_nothing(&mut self) {
        (self.row.push, self.row.pull) = (0.0, Vec3::zero());
        self.row.wanted = f32::MIN;
    }

    /// Whether insides of primitives that are apart when the step begins have nothing to do with each other when it
    /// ends.
    fn misses(&self, v: [Vec3<f32>; 4]) -> bool {
        if self.shape.depth >= 0.0 {
            return false;
        }
        let mut x = self.x;
        x.iter_mut().zip(v).for_each(|(x, v)| *x += v * self.law.h);
        let Shape { weights, normal, thickness, .. } = self.shape;
        let end = match self.kind {
            Kind::VertexTriangle => Some(point_triangle(x[0], [x[1], x[2], x[3]])),
            Kind::EdgeEdge => insides([x[0], x[1]], [x[2], x[3]]),
        };
        let is_apart = end.is_none_or(|end| end.distance() >= thickness);
        is_apart && normal.dot(formula::combine(weights, x)) > GRAZE * thickness
    }

    fn corners(&self) -> impl Iterator<Item = (u32, f32)> + use<> {
        self.slots.into_iter().zip(self.shape.weights)
    }

    /// Σ w x of a vector.
    ///
    /// # Safety
    /// The slots are there, and nobody writes them meanwhile.
    unsafe fn combine(&self, x: *const Lanes) -> Vec3<f32> {
        // SAFETY: promised by the caller.
        self.corners().fold(Vec3::zero(), |sum, (slot, w)| sum + unsafe { vector(x, slot) } * w)
    }

    /// The relative velocity when the step ends, from the one to which Δv is added.
    ///
    /// # Safety
    /// The slots are there, and nobody writes them meanwhile.
    pub unsafe fn velocity(&self, v: &Vectors, base: *const Lanes) -> Vec3<f32> {
        // SAFETY: promised by the caller.
        unsafe { self.combine(base) + self.combine(v.delta) }
    }

    pub fn is_open(&self) -> bool {
        self.row.grip == Grip::Open
    }

    /// κ and the mass that it moves; both 0 where nothing can.
    ///
    /// # Safety
    /// The slots are there, and nobody writes them meanwhile.
    unsafe fn weigh(&mut self, v: &Vectors, base: *const Lanes) {
        let [mut compliance, mut mobility] = [0.0; 2];
        for (slot, w) in self.corners() {
            // SAFETY: promised by the caller.
            let (own, rest, inverse_mass) = unsafe {
                let [own, rest] = [v.inverse, v.inverse_rest].map(|a| *lane(a, slot));
                (own, rest, lane(base.cast_mut(), slot)[3])
            };
            if inverse_mass == 0.0 || w == 0.0 {
                continue;
            }
            let three = |[x, y, z, _]: [f32; 4]| [x, y, z].map(f64::from);
            let [diagonal, _] = inverse_symmetric(three(own), three(rest));
            compliance += w * w / (diagonal.iter().sum::<f64>() / 3.0) as f32;
            mobility += w * w * inverse_mass;
        }
        self.row.stiffness = if compliance > 0.0 { STIFFNESS / compliance } else { 0.0 };
        self.mass = if mobility > 0.0 { 1.0 / mobility } else { 0.0 };
    }

    /// Brings right-hand side and own blocks of the corners up to date with the row. `base` is the velocity to
    /// which Δv is added; `is_new` where they know nothing of the row yet.
    ///
    /// # Safety
    /// The slots belong to this call alone.
    unsafe fn enter(&mut self, v: &Vectors, base: *const Lanes, is_new: bool) {
        if is_new {
            self.entered = Response::default();
        }
        let (new, old) = (self.row.response, self.entered);
        if new == old {
            return;
        }
        // SAFETY: promised by the caller.
        let u = unsafe { self.combine(base) };
        let change = new.at(u) - old.at(u);
        let slope =
            (new.slopes != old.slopes).then(|| add_scaled(new.matrix(), -1.0, old.matrix()));
        for (slot, w) in self.corners() {
            // SAFETY: as above.
            let (right, own, rest, inverse_mass) = unsafe {
                let [right, own, rest] =
                    [v.right, v.inverse, v.inverse_rest].map(|a| lane(a, slot));
                (right, own, rest, lane(base.cast_mut(), slot)[3])
            };
            if inverse_mass == 0.0 {
                continue;
            }
            let change: [f32; 3] = (change * w).into();
            (0..3).for_each(|k| right[k] += change[k]);
            if let Some(slope) = slope {
                add_to_own(own, rest, add_scaled(Default::default(), w * w, slope));
            }
        }
        self.entered = new;
    }

    /// Adds its part of the product of the matrix with `p` to `product`; returns its part of p·Ap.
    ///
    /// # Safety
    /// The slots of the product belong to this call alone, and nobody writes `p`.
    unsafe fn multiply(&self, p: *const Lanes, product: *mut Lanes) -> f64 {
        // SAFETY: promised by the caller.
        let u = unsafe { self.combine(p) };
        let impulse = self.row.response.times(u);
        for (slot, w) in self.corners() {
            // SAFETY: as above.
            let y = unsafe { lane(product, slot) };
            let more: [f32; 3] = (impulse * w).into();
            (0..3).for_each(|k| y[k] += more[k]);
        }
        f64::from(u.dot(impulse))
    }
}

impl SolverJob<'_> {
    /// The rows between bodies.
    ///
    /// # Safety
    /// Nobody else uses them meanwhile: the one who leads alone comes here, between passes.
    #[allow(clippy::mut_from_ref, reason = "the one who leads alone comes here")]
    pub(super) unsafe fn pairs(&self) -> &mut Vec<PairRow> {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.pairs }
    }

    pub(super) fn has_pairs(&self) -> bool {
        // SAFETY: the one who leads alone comes here, between passes.
        unsafe { !self.pairs().is_empty() }
    }

    /// Takes over the rows of a step from what was found at its start.
    pub(super) fn take_pairs(&self, step: &ImplicitStep<'_>) {
        // SAFETY: the one who leads alone comes here, between passes.
        let (pairs, groups) = unsafe { (self.pairs(), &mut *self.groups) };
        pairs.clear();
        groups.clear();
        let Some(contact) = step.contact else { return };
        let h = step.h as f32;
        let mut last = 0;
        contact.each_row(&mut |active, touch| {
            let bodies = touch.bodies;
            let is_it = |group: &Group| group.bodies == bodies;
            if !groups.get(last).is_some_and(is_it) {
                last = groups.iter().position(is_it).unwrap_or(groups.len());
                if last == groups.len() {
                    groups.push(Group { bodies, ..Group::default() });
                }
            }
            pairs.push(PairRow { group: last as u32, ..PairRow::new(active, touch, h) });
        });
    }

    /// The first guess of which rows push, once right-hand side and own blocks are known. Returns how many do, and
    /// the square of the impulses that they will give, as far as masses tell \[(kg·m/s)²\].
    pub(super) fn begin_pairs(&self, step: &ImplicitStep<'_>) -> [f64; 2] {
        let velocity = step.work.arrays.velocity;
        let [mut count, mut square] = [0.0; 2];
        // SAFETY: the one who leads alone comes here, between passes.
        unsafe {
            for pair in self.pairs() {
                let u = pair.combine(velocity);
                pair.aim(pair.slots.map(|slot| vector(velocity, slot)));
                pair.weigh(&self.vectors, velocity);
                if pair.row.stiffness > 0.0 {
                    pair.row.begin(u);
                }
                if !pair.is_open() {
                    let missing = (pair.row.wanted - u.dot(pair.row.normal)).max(0.0);
                    let impulse = f64::from(pair.mass * missing + pair.row.push);
                    count += 1.0;
                    square += impulse * impulse;
                }
            }
        }
        [count, square]
    }

    /// Enters rows into the system, where `is_new` into one that knows nothing of them yet.
    pub(super) fn enter_pairs(&self, step: &ImplicitStep<'_>, is_new: bool) {
        let velocity = step.work.arrays.velocity;
        // SAFETY: the one who leads alone comes here, between passes.
        unsafe {
            self.pairs().iter_mut().for_each(|pair| pair.enter(&self.vectors, velocity, is_new));
        }
    }

    /// The product of rows with the search direction; returns their part of p·Ap.
    pub(super) fn multiply_pairs(&self) -> f64 {
        let [p, product] = [self.vectors.direction, self.vectors.product];
        // SAFETY: the one who leads alone comes here, between passes.
        unsafe {
            let closed = self.pairs().iter().filter(|pair| !pair.is_open());
            closed.map(|pair| pair.multiply(p, product)).sum()
        }
    }

    /// After a solve, improves rows; `slack` is the impulse that means nothing. Returns whether they have changed.
    pub(super) fn revise_pairs(
        &self,
        step: &ImplicitStep<'_>,
        slack: f32,
        freedom: Freedom,
    ) -> bool {
        let velocity = step.work.arrays.velocity;
        let [mut change, mut all] = [0.0; 2];
        self.find_pressing(step);
        // SAFETY: the one who leads alone comes here, between passes.
        unsafe {
            for pair in self.pairs().iter_mut().filter(|pair| pair.row.stiffness > 0.0) {
                let u = pair.velocity(&self.vectors, velocity);
                if freedom.may_leave {
                    let delta = self.vectors.delta;
                    pair.aim(pair.slots.map(|slot| vector(velocity, slot) + vector(delta, slot)));
                }
                change += f64::from((pair.row.improve(u, freedom) - slack).max(0.0));
                all += f64::from(pair.row.push * (1.0 + pair.row.friction));
                pair.enter(&self.vectors, velocity, false);
            }
        }
        change > FOUND * all
    }

    /// Finds out which part of what rows push is there only because others pull.
    fn find_pressing(&self, step: &ImplicitStep<'_>) {
        let velocity = step.work.arrays.velocity;
        // SAFETY: the one who leads alone comes here, between passes.
        let (pairs, groups) = unsafe { (self.pairs(), &mut *self.groups) };
        groups.iter_mut().for_each(|group| (group.pushes, group.all) = (0.0, 0.0));
        for pair in pairs.iter().filter(|pair| !pair.is_open()) {
            // SAFETY: as above.
            let u = unsafe { pair.velocity(&self.vectors, velocity) };
            let push = pair.row.response.at(u).dot(pair.row.response.normal);
            let group = &mut groups[pair.group as usize];
            group.all += push;
            group.pushes += push.max(0.0);
        }
        for pair in pairs.iter_mut() {
            let Group { pushes, all, .. } = groups[pair.group as usize];
            pair.row.pressing = if pushes > 0.0 { (all / pushes).max(0.0) } else { 1.0 };
        }
    }

    /// The end of a step: what rows did is kept for the next one, and their work is no gain.
    pub(super) fn keep_pairs(&self, step: &ImplicitStep<'_>) {
        let Some(contact) = step.contact else { return };
        // SAFETY: the one who leads alone comes here, between passes.
        let pairs = unsafe { self.pairs() };
        let mut next = pairs.iter();
        contact.each_row(&mut |active, _| {
            let Some(pair) = next.next() else { return };
            // What some push only because others pull is no force between bodies.
            let force = pair.row.given * (pair.row.pressing / pair.law.h);
            let push = force.dot(pair.row.normal);
            let pushes = push > 0.0 && !pair.is_open();
            active.push.normal = if pushes { push } else { 0.0 };
            active.push.pull = if pushes { -pair.row.along(force) } else { Vec3::zero() };
            if step.is_strict && pushes {
                self.add_work(step, pair);
            }
        });
        let mut stiffness = pairs.iter().map(|pair| pair.row.stiffness);
        contact.keep(step.h, step.begins_step, &mut stiffness);
    }

    /// Adds what a row gave to its corners to the work of their blocks.
    fn add_work(&self, step: &ImplicitStep<'_>, pair: &PairRow) {
        let blocks = &step.work.slots().blocks;
        for (slot, w) in pair.corners() {
            let [x, y, z, inverse_mass] = step.work.velocity(slot).0;
            if inverse_mass > 0.0 {
                let given = f64::from(pair.row.given.dot(Vec3::from([x, y, z])) * w);
                let block = blocks.partition_point(|block| block.slots.end <= slot);
                self.set(Scalar::Work, block, self.get(Scalar::Work, block) + given);
            }
        }
    }

    /// Contact with bodies that take explicit steps is a load like a hand's.
    pub(super) fn add_loads(&self, step: &ImplicitStep<'_>, number: usize) {
        let Some(loads) = step.loads else { return };
        let are_there = step.interactions.are_written();
        for slot in step.work.slots().blocks[number].owned.clone() {
            // SAFETY: the block's own slots are this call's alone; nobody writes loads now.
            unsafe {
                let [touch, load] =
                    [step.work.arrays.touch, loads.cast_mut()].map(|a| lane(a, slot));
                let before = if are_there { *touch } else { [0.0; 4] };
                (0..3).for_each(|k| touch[k] = before[k] + load[k]);
                touch[3] = before[3];
            }
        }
    }
}
