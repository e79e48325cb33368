//! Candidates that touch, and what comes of it.

use super::ahead::Ahead;
use super::frames::{Frames, shifted};
use super::given::GivenSurfaces;
use crate::contact::closest::{insides, point_face, point_triangle};
use crate::math::Vec3;
use crate::stages::contact::formula::{self, Kind, Law, Outside, Push, Row, is_inside};
use crate::stages::contact::layout::{Layout, count_of_first};
use crate::stages::contact::surface::NONE;
use crate::stages::cpu::Work;
use crate::step::Advance;

/// Where a pair holds on and how hard it pushes, kept from substep to substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hold {
    /// Places in the surface.
    pub first: u32,
    pub second: u32,
    pub push: Push<f32>,
    /// See [`Row::bounce`], for what looks again within the substep.
    pub bounce: f32,
}

impl Hold {
    pub fn pair(&self) -> [u32; 2] {
        [self.first, self.second]
    }
}

/// A pair that touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveRow {
    pub first: u32,
    pub second: u32,
    pub slots: [u32; 4],
    pub row: Row<f32>,
    /// The middle between the nearest points, as seen from the origin of the first body \[m\].
    pub point: [f32; 3],
    pub push: Push<f32>,
    /// Where the corners are, as seen from the origin of the first body \[m\].
    pub x: [Vec3<f32>; 4],
    /// See [`formula::split_mass`] \[kg\].
    mass: f32,
}

impl ActiveRow {
    /// On the first primitive \[N\].
    pub fn force(&self) -> Vec3<f32> {
        self.push.force(&self.row)
    }
}

/// What rows read of the world.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub layout: &'a Layout,
    pub frames: Frames<'a>,
    pub work: &'a Work,
    /// Length of the substep \[s\].
    pub h: f32,
    pub ahead: &'a Ahead,
    /// Whether those rows are looked for that implicit steps solve, and how much nearer two vertices may come in one at
    /// most before somebody looks \[m\].
    pub wants_implicit: bool,
    pub most_travel: f32,
    /// Whether nobody has looked in this substep yet: what pushes since then has only begun to.
    pub is_first: bool,
}

/// How many thicknesses two surfaces may come nearer to each other in an implicit step at most before they are looked
/// at.
pub(super) const MOST_TRAVEL: f32 = 10.0;

impl<'a> View<'a> {
    /// What rows of explicit steps read.
    pub fn explicit(
        layout: &'a Layout,
        given: &'a GivenSurfaces,
        (work, ahead): (&'a Work, &'a Ahead),
        advance: &Advance<'_>,
        is_first: bool,
    ) -> Self {
        Self {
            layout,
            frames: Frames { origins: &given.origins },
            work,
            h: advance.h as f32,
            ahead,
            wants_implicit: false,
            most_travel: 0.0,
            is_first,
        }
    }

    /// How much nearer the corners may come in an implicit step, in which nobody looks again \[m\].
    fn travel(&self, kind: Kind, slots: [u32; 4], thickness: f32) -> f32 {
        if !self.wants_implicit {
            return 0.0;
        }
        let v = slots.map(|slot| {
            let [x, y, z, _] = self.work.velocity(slot).0;
            Vec3::from([x, y, z])
        });
        let (one, other) = v.split_at(count_of_first(kind));
        let fastest = one.iter().flat_map(|&a| other.iter().map(move |&b| (a - b).length()));
        (self.h * fastest.fold(0.0, f32::max)).min(MOST_TRAVEL * thickness)
    }

    /// How fast what comes in when a substep begins leaves again at a row that did not push before \[m/s\]. Rows that
    /// did have given it back already: what rests does not bounce.
    pub fn bounce(&self, kind: Kind, active: &ActiveRow) -> f32 {
        let bodies = self.layout.bodies(kind, active.first, active.second);
        let v = active.slots.map(|slot| {
            let [x, y, z, _] = self.work.velocity(slot).0;
            Vec3::from([x, y, z])
        });
        let restitution = self.layout.pair_restitution(bodies);
        let speed = active.row.normal.dot(formula::combine(active.row.weights, v));
        if restitution > 0.0 && speed < 0.0 {
            -restitution * speed
        } else {
            formula::NOTHING as f32
        }
    }

    /// The law of a row.
    pub fn law(&self, kind: Kind, active: &ActiveRow) -> Law<f32> {
        let bodies = self.layout.bodies(kind, active.first, active.second);
        Law { friction: self.layout.pair_friction(bodies), h: self.h }
    }
}

/// The rows of one kind of a couple.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub rows: Vec<ActiveRow>,
    /// What rows did in the substep before, in ascending order.
    pub holds: Vec<Hold>,
    /// Pairs that are looked at in a substep.
    pub near: Vec<[u32; 2]>,
}

impl Chunk {
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<ActiveRow>()
            + self.holds.capacity() * size_of::<Hold>()
            + self.near.capacity() * size_of::<[u32; 2]>()
    }

    /// Finds those of the pairs that are `near` that push, or would come too near within the substep; says whether there was
    /// room.
    pub fn find(&mut self, kind: Kind, view: View<'_>) -> bool {
        self.rows.clear();
        let most = self.near.len() + self.holds.len();
        if self.rows.try_reserve(most).is_err() || self.holds.try_reserve(self.near.len()).is_err()
        {
            return false;
        }
        self.near.sort_unstable();
        let near = std::mem::take(&mut self.near);
        // What pushed is looked at again, however far it has gone.
        let holds = std::mem::take(&mut self.holds);
        let held = holds.iter().map(Hold::pair);
        let mut next = 0;
        for pair in merged(near.iter().copied(), held) {
            let hold = holds.get(next).filter(|hold| hold.pair() == pair).copied();
            next += usize::from(hold.is_some());
            self.look(kind, pair, hold, view);
        }
        (self.near, self.holds) = (near, holds);
        true
    }

    /// Adds the row of a pair, if it has one.
    fn look(&mut self, kind: Kind, [first, second]: [u32; 2], hold: Option<Hold>, view: View<'_>) {
        let Some(mut active) = near(kind, first, second, view) else { return };
        if let Some(hold) = hold {
            active.push = hold.push;
            if !view.is_first {
                active.row.bounce = hold.bounce;
            }
        } else if !view.wants_implicit {
            let v = active.slots.map(|slot| view.ahead.velocity(slot));
            let velocity = formula::combine(active.row.weights, v);
            let speed = active.row.normal.dot(velocity);
            if speed >= formula::wanted_speed(&view.law(kind, &active), &active.row, velocity) {
                return;
            }
            active.row.bounce = view.bounce(kind, &active);
        }
        self.rows.push(active);
    }

    /// Finds the mass that each row can count on.
    pub fn weigh(&mut self, row_count: &[u32], ahead: &Ahead) {
        for active in &mut self.rows {
            let inverse = active.slots.map(|slot| ahead.inverse_mass(slot));
            let rows = active.slots.map(|slot| row_count[slot as usize]);
            active.mass = formula::split_mass(active.row.weights, inverse, rows);
        }
    }

    /// Lets all rows do what is missing.
    pub fn improve(&mut self, kind: Kind, view: View<'_>) {
        for active in &mut self.rows {
            let v = active.slots.map(|slot| view.ahead.velocity(slot));
            let law = view.law(kind, active);
            let ActiveRow { row, x, mass, push, .. } = active;
            *push = formula::improve(kind, &law, row, *x, v, *mass, push);
        }
    }

    /// Keeps what rows do for the next substep.
    pub fn keep(&mut self, kind: Kind, view: View<'_>) {
        self.holds.clear();
        for active in self.rows.iter().filter(|active| active.push.normal > 0.0) {
            let ActiveRow { first, second, push, x, mass, .. } = *active;
            let anchor =
                formula::slipped(kind, &view.law(kind, active), &active.row, x, mass, &push);
            let bounce = active.row.bounce;
            self.holds.push(Hold { first, second, push: Push { anchor, ..push }, bounce });
        }
    }
}

/// Two ascending lists as one, with what is in both once.
fn merged(
    one: impl Iterator<Item = [u32; 2]>,
    other: impl Iterator<Item = [u32; 2]>,
) -> impl Iterator<Item = [u32; 2]> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(a), Some(b)) if a == b => {
            other.next();
            one.next()
        }
        (Some(a), Some(b)) if a > b => other.next(),
        (Some(_), _) => one.next(),
        (None, _) => other.next(),
    })
}

/// The row of a candidate, if it is near.
fn near(kind: Kind, first: u32, second: u32, view: View<'_>) -> Option<ActiveRow> {
    let View { layout, frames, work, .. } = view;
    let bodies = layout.bodies(kind, first, second);
    let slots = layout.slots(kind, first, second);
    let x = frames.positions(kind, slots, bodies, work);
    let is_within = bodies[0] == bodies[1];
    let [is_solid, other_is_solid] = bodies.map(|body| layout.is_solid[body as usize]);
    let has_inside = !is_within && other_is_solid && (is_solid || kind == Kind::VertexTriangle);
    let mut thickness = layout.thickness(kind, first, second);
    let travel = view.travel(kind, slots, thickness);
    let reach = layout.reach(kind, second, thickness) + travel;
    if formula::is_beyond(kind, x, reach) {
        return None;
    }
    let nearest = match kind {
        Kind::VertexTriangle => {
            let corners = [x[1], x[2], x[3]];
            match point_face(x[0], corners) {
                Some(face) => face,
                None if layout.neighbourhoods.triangles[second as usize].owns == 0 => return None,
                None => point_triangle(x[0], corners),
            }
        }
        // Where an end of an edge is nearest, vertices and triangles tell.
        Kind::EdgeEdge => insides([x[0], x[1]], [x[2], x[3]])?,
    };
    if nearest.distance() > reach {
        return None;
    }
    if kind == Kind::VertexTriangle && !is_inside(kind, &nearest) {
        let [_, p, q, r] = layout.corners(kind, first, second);
        let shift = if is_within { Default::default() } else { frames.shift(bodies) };
        let at = |v: u32| shifted(work.position(layout.slot_of[v as usize]), shift);
        let round = &layout.neighbourhoods;
        if !round.answers(second as usize, [p, q, r], nearest.second, x[0], at) {
            return None;
        }
    }
    if is_within {
        thickness = layout.thickness_within(kind, first, second, thickness);
    }
    let outside = has_inside.then(|| match kind {
        Kind::VertexTriangle => {
            Outside { direction: formula::across(kind, x), reach: layout.depths[second as usize] }
        }
        Kind::EdgeEdge => {
            let at = |v: u32| work.position(layout.slot_of[v as usize]);
            let direction = edge_normal(layout, second, at) - edge_normal(layout, first, at);
            Outside { direction, reach: thickness }
        }
    });
    let row = formula::row(kind, x, &nearest, thickness, outside, travel)?;
    let [w0, w1, ..] = row.weights;
    let on_first = match kind {
        Kind::VertexTriangle => x[0],
        Kind::EdgeEdge => x[0] * w0 + x[1] * w1,
    };
    let point = (on_first - nearest.gap * 0.5).into();
    let push = Push { anchor: formula::place(kind, row.weights), ..Push::default() };
    Some(ActiveRow { first, second, slots, row, point, push, x, mass: 0.0 })
}

/// The way out at an edge of a solid; of any length.
fn edge_normal(layout: &Layout, edge: u32, at: impl Fn(u32) -> Vec3<f32>) -> Vec3<f32> {
    let faces = layout.edge_faces[edge as usize];
    faces.iter().filter(|&&t| t != NONE).fold(Vec3::zero(), |sum, &t| {
        let [a, b, c] = layout.surface.triangles.corners[t as usize].map(&at);
        let normal = (b - a).cross(c - a);
        let length = normal.length();
        if length > 0.0 { sum + normal * (1.0 / length) } else { sum }
    })
}
