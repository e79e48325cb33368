//! Candidates that touch, and what comes of it.

use super::KINDS;
use super::ahead::Ahead;
use super::candidates::{Frames, shifted};
use crate::contact::closest::{insides, point_face, point_triangle};
use crate::contact::tree::Apart;
use crate::math::Vec3;
use crate::pool::Team;
use crate::stages::contact::formula::{self, Kind, Law, Outside, Push, Row, is_inside};
use crate::stages::contact::layout::Layout;
use crate::stages::contact::surface::NONE;
use crate::stages::cpu::Work;

/// Where a pair holds on and how hard it pushes, kept from substep to substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hold {
    /// Places in the surface.
    pub first: u32,
    pub second: u32,
    pub push: Push<f32>,
}

/// A pair that touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveRow {
    pub first: u32,
    pub second: u32,
    pub slots: [u32; 4],
    pub row: Row<f32>,
    /// The middle between the nearest points, as seen from the origin of the first body \[m\].
    pub point: [f32; 3],
    pub push: Push<f32>,
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
    pub law: Law<f32>,
    pub ahead: &'a Ahead,
}

impl View<'_> {
    /// Where the corners of a row are \[m\].
    fn positions(&self, kind: Kind, active: &ActiveRow) -> [Vec3<f32>; 4] {
        let bodies = self.layout.bodies(kind, active.first, active.second);
        self.frames.positions(kind, active.slots, bodies, self.work)
    }
}

/// The rows of one chunk of candidates.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub rows: Vec<ActiveRow>,
    /// What rows did in the substep before, in ascending order.
    pub holds: Vec<Hold>,
}

impl Chunk {
    /// Room for as many rows as there are candidates.
    pub fn make_room(&mut self, candidates: usize) -> Result<(), String> {
        let reason = || format!("there is no memory for {candidates} contacts");
        let more = |len: usize| candidates.saturating_sub(len);
        self.rows.try_reserve(more(self.rows.len())).map_err(|_| reason())?;
        self.holds.try_reserve(more(self.holds.len())).map_err(|_| reason())
    }

    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<ActiveRow>() + self.holds.capacity() * size_of::<Hold>()
    }

    /// Finds the candidates that push, or would come too near within the substep.
    pub fn find<'a>(
        &mut self,
        kind: Kind,
        pairs: impl Iterator<Item = (u32, &'a [u32])>,
        view: View<'_>,
    ) {
        self.rows.clear();
        let mut holds = self.holds.iter().peekable();
        for (first, list) in pairs {
            for &second in list {
                let Some(mut active) = near(kind, first, second, view) else { continue };
                let key = (first, second);
                while holds.next_if(|hold| (hold.first, hold.second) < key).is_some() {}
                if let Some(hold) = holds.next_if(|hold| (hold.first, hold.second) == key) {
                    active.push = hold.push;
                } else {
                    let v = active.slots.map(|slot| view.ahead.velocity(slot));
                    let velocity = formula::combine(active.row.weights, v);
                    let speed = active.row.normal.dot(velocity);
                    if speed >= formula::wanted_speed(&view.law, &active.row, velocity) {
                        continue;
                    }
                }
                self.rows.push(active);
            }
        }
    }

    /// Lets all rows do what is missing.
    pub fn improve(&mut self, kind: Kind, row_count: &[u32], view: View<'_>) {
        for active in &mut self.rows {
            let x = view.positions(kind, active);
            let v = active.slots.map(|slot| view.ahead.velocity(slot));
            let mass = split_mass(active, row_count, view.ahead);
            let (law, row) = (&view.law, &active.row);
            active.push = formula::improve(kind, law, row, x, v, mass, &active.push);
        }
    }

    /// Keeps what rows do for the next substep.
    pub fn keep(&mut self, kind: Kind, row_count: &[u32], view: View<'_>) {
        self.holds.clear();
        for active in self.rows.iter().filter(|active| active.push.normal > 0.0) {
            let x = view.positions(kind, active);
            let mass = split_mass(active, row_count, view.ahead);
            let ActiveRow { first, second, push, .. } = *active;
            let anchor = formula::slipped(kind, &view.law, &active.row, x, mass, &push);
            self.holds.push(Hold { first, second, push: Push { anchor, ..push } });
        }
    }
}

fn split_mass(active: &ActiveRow, row_count: &[u32], ahead: &Ahead) -> f32 {
    let inverse = active.slots.map(|slot| ahead.inverse_mass(slot));
    let rows = active.slots.map(|slot| row_count[slot as usize]);
    formula::split_mass(active.row.weights, inverse, rows)
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
    let reach = layout.reach(kind, second, thickness);
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
    let row = formula::row(kind, x, &nearest, thickness, outside)?;
    let [w0, w1, ..] = row.weights;
    let on_first = match kind {
        Kind::VertexTriangle => x[0],
        Kind::EdgeEdge => x[0] * w0 + x[1] * w1,
    };
    let point = (on_first - nearest.gap * 0.5).into();
    let push = Push { anchor: formula::place(kind, row.weights), ..Push::default() };
    Some(ActiveRow { first, second, slots, row, point, push })
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

/// Calls `act` with each chunk, on all workers.
pub(super) fn each_chunk(
    team: &Team,
    chunks: &mut [Vec<Chunk>; 2],
    act: &(dyn Fn(Kind, usize, &mut Chunk) + Sync),
) {
    let counts = chunks.each_ref().map(Vec::len);
    let [vertex_triangle, edge_edge] = chunks.each_mut().map(|list| Apart::new(list, 1));
    team.each(counts[0] + counts[1], &|number| {
        let (kind, list, number) = match number.checked_sub(counts[0]) {
            None => (KINDS[0], &vertex_triangle, number),
            Some(number) => (KINDS[1], &edge_edge, number),
        };
        // SAFETY: the team gives each number to one worker.
        act(kind, number, unsafe { &mut list.get(number)[0] });
    });
}
