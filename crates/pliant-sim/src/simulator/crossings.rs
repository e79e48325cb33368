//! Surfaces that cross: asked of a state as it is, without rounding.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Simulator;
use crate::contact::{ContactsError, crossing_triangles};
use crate::stages::contact::GuardReport;

/// Pairs of bodies that are named at the start; of the others there is the number.
const NAMED: usize = 5;

/// The share of all vertices of surfaces, over a stretch of substeps, from which motion that is cut short counts as
/// stalled.
const STALLED: f64 = 0.05;

/// Two triangles of surfaces that have a point in common, and no corner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Crossing {
    /// Their bodies; numbers from that of all bodies on are the mesh colliders, in the order of the scene.
    pub bodies: [u32; 2],
    /// Their corners, in the user's numbering of all vertices, behind which come those of mesh colliders.
    pub triangles: [[u32; 3]; 2],
    /// The middle of their corners \[m\].
    pub point: [f64; 3],
}

impl Simulator {
    /// All pairs of surface triangles that cross now, of bodies that may touch and of mesh colliders: found in double
    /// precision, and decided without rounding. Nothing where bodies do not touch, and of a body with itself only where it is
    /// to touch itself, too.
    ///
    /// # Errors
    /// If so many triangles are near each other that there is no memory for a list of them.
    pub fn crossings(&self) -> Result<Vec<Crossing>, ContactsError> {
        let Some(contact) = &self.world.contact else { return Ok(Vec::new()) };
        let mut points = self.positions();
        let user = |v: u32| self.model.vertex_order[v as usize];
        let mut triangles: Vec<[u32; 3]> =
            self.model.triangles.iter().map(|corners| corners.map(user)).collect();
        let body = |t: &[u32; 3]| self.model.body_of_vertex(t[0]) as u32;
        let mut bodies: Vec<u32> = self.model.triangles.iter().map(body).collect();
        for (given, number) in self.model.given.iter().zip(self.model.bodies.len() as u32..) {
            let first = points.len() as u32;
            points.extend(self.collider_points(given.collider).unwrap_or_default());
            triangles.extend(given.triangles.iter().map(|t| t.map(|v| first + v)));
            bodies.resize(triangles.len(), number);
        }
        let threads = self.engine.thread_count().max(1);
        let found = crossing_triangles(points.clone(), triangles.clone(), threads)?;
        let crossing = |pair: [u32; 2]| {
            let corners = pair.map(|t| triangles[t as usize]);
            let all = corners.as_flattened();
            let at = |axis: usize| all.iter().map(|&v| points[v as usize][axis]).sum::<f64>() / 6.0;
            let point = std::array::from_fn(at);
            Crossing { bodies: pair.map(|t| bodies[t as usize]), triangles: corners, point }
        };
        let is_asked = |c: &Crossing| match c.bodies.map(|body| self.model.is_body(body)) {
            [true, true] => self.model.may_touch(contact, c.bodies),
            [one, other] => {
                let touches = |body: u32| self.model.bodies[body as usize].contact.is_some();
                (one && touches(c.bodies[0])) || (other && touches(c.bodies[1]))
            }
        };
        let is_sewn = self.sewn_together(&points);
        let crossings = found.into_iter().map(crossing).filter(is_asked);
        Ok(crossings.filter(|c| !is_sewn(c.triangles)).collect())
    }

    /// Tells whether two triangles hang together by a seam: they touch where it is welded, and nobody would call that
    /// crossing. Given are the positions of all vertices, in the user's numbering \[m\].
    fn sewn_together<'a>(
        &'a self,
        points: &'a [[f64; 3]],
    ) -> impl Fn([[u32; 3]; 2]) -> bool + use<'a> {
        let by_model = self.model.seams.corners(self.model.vertex_count());
        let mut cluster_of: Vec<u32> = vec![0; by_model.len()];
        for (&user, &cluster) in self.model.vertex_order.iter().zip(&by_model) {
            cluster_of[user as usize] = cluster;
        }
        // Bodies have origins of their own, so that what is welded may differ by rounding.
        let is_at = |a: [f64; 3], b: [f64; 3]| {
            let size = a.iter().chain(&b).fold(1.0, |most: f64, c| most.max(c.abs()));
            (0..3).all(|k| (a[k] - b[k]).abs() <= 1e-6 * size)
        };
        move |[one, other]: [[u32; 3]; 2]| {
            let pairs =
                one.iter().flat_map(|&a| other.iter().map(move |&b| [a as usize, b as usize]));
            pairs.into_iter().any(|[a, b]| {
                let clusters = [a, b].map(|v| cluster_of.get(v));
                clusters[0].is_some() && clusters[0] == clusters[1] && is_at(points[a], points[b])
            })
        }
    }

    /// Says what crosses already, by bodies, and where.
    pub(super) fn note_crossings(&mut self) {
        let Some(contact) = &self.world.contact else { return };
        let mut by_bodies: BTreeMap<[u32; 2], (usize, [f64; 3])> = BTreeMap::new();
        let found = match self.crossings() {
            Ok(found) => found,
            Err(problem) => {
                self.messages.push(format!("nobody knows what crosses at the start: {problem}"));
                return;
            }
        };
        // Of colliders the model has told.
        let soft = |crossing: &Crossing| crossing.bodies.iter().all(|&b| self.model.is_body(b));
        for Crossing { bodies: [a, b], point, .. } in found.into_iter().filter(soft) {
            by_bodies.entry([a.min(b), a.max(b)]).or_insert((0, point)).0 += 1;
        }
        let promise = match contact.guarantee {
            true => "they are let apart gently, and guarded against crossing once they are",
            false => "they are let apart gently",
        };
        let name = |body: u32| &self.model.bodies[body as usize].name;
        for (&[a, b], &(count, [x, y, z])) in by_bodies.iter().take(NAMED) {
            let who = match a == b {
                true => format!("body {:?} crosses itself", name(a)),
                false => format!("bodies {:?} and {:?} cross", name(a), name(b)),
            };
            let pairs = if count == 1 { "1 pair" } else { &format!("{count} pairs") };
            self.messages.push(format!(
                "{who} at the start: {pairs} of triangles, near [{x:.4}, {y:.4}, {z:.4}]; {promise}"
            ));
        }
        if let Some(more @ 1..) = by_bodies.len().checked_sub(NAMED) {
            self.messages
                .push(format!("{more} more pairs of bodies cross at the start; {promise}"));
        }
    }

    /// Says when a mesh collider left a body no room: at the first time, and whenever it has happened ten times as often.
    fn note_withdrawal(&mut self, now: &GuardReport) {
        let &GuardReport { withdrawn, squeezed_by: Some(by), .. } = now else { return };
        if withdrawn < self.next_withdrawal {
            return;
        }
        self.next_withdrawal = withdrawn.saturating_mul(10);
        self.messages.push(format!(
            "step {}: collider {:?} leaves what it presses no room, so that nothing is promised there: surfaces may \
             cross until it lets go ({withdrawn} times so far). Let it press less far, or take shorter timesteps",
            self.step,
            self.surface_name(by)
        ));
    }

    /// Says when much of the motion is cut short: at the first time, and whenever it has become ten times as much.
    pub(super) fn note_stalling(&mut self) {
        let report = self.engine.contact_report().and_then(|contact| contact.guarantee);
        let Some(now) = report else { return };
        let before = std::mem::replace(&mut self.guarded, now);
        self.note_withdrawal(&now);
        let GuardReport { vertices, cut_short_total: cut, substeps, .. } = now;
        // Whoever begins anew counts anew.
        let (Some(cut_now), Some(taken @ 1..)) =
            (cut.checked_sub(before.cut_short_total), substeps.checked_sub(before.substeps))
        else {
            return;
        };
        let share = cut_now as f64 / (taken * vertices.max(1)) as f64;
        if share < STALLED || cut < self.next_stalling {
            return;
        }
        self.next_stalling = cut.saturating_mul(10);
        self.messages.push(format!(
            "step {}: {:.0} % of the vertices of surfaces were cut short in each of the last {taken} substeps, so \
             that surfaces do not cross: motion stalls there. Take shorter timesteps, thicker surfaces \
             (world.contact.thickness), or forces that press less",
            self.step,
            100.0 * share
        ));
    }
}
