//! What mesh colliders and bodies have to do with each other at the start.

use std::sync::Arc;

use pliant_mesh::Mesh;

use super::{Given, Model};
use crate::contact::find_crossings;
use crate::math::Vec3;

/// About how many vertices of a body are asked whether they are inside.
const LOOKS: usize = 16;

impl Model {
    /// Lets a closed surface that bodies begin in hold them there, and tells whom colliders cross.
    pub(super) fn look_at_given(&mut self) {
        let mut given = std::mem::take(&mut self.given);
        for surface in &mut given {
            let points = surface.points_at(0.0);
            self.let_in(surface, &points);
            self.note_crossing(surface, &points);
        }
        self.given = given;
    }

    /// Where vertex `v` of the model is at the start \[m\].
    fn start_of(&self, v: u32) -> [f64; 3] {
        let origin = self.bodies[self.body_of_vertex(v)].origin;
        std::array::from_fn(|k| origin[k] + f64::from(self.rest[v as usize][k]))
    }

    /// A closed surface keeps bodies out, unless it is a room that one begins in.
    fn let_in(&mut self, surface: &mut Arc<Given>, points: &[[f64; 3]]) {
        if !surface.is_solid {
            return;
        }
        let is_in = |v: u32| is_inside(self.start_of(v), points, &surface.triangles);
        // One that is in with some vertices alone crosses the surface.
        let body = self.bodies.iter().find(|body| {
            let stride = (body.vertices.len() / LOOKS).max(1);
            body.vertices.clone().step_by(stride).all(is_in)
        });
        let Some(body) = body else { return };
        self.notes.push(format!(
            "collider {:?}: body {:?} begins inside it, so its surface holds bodies on either side instead of \
             keeping them out",
            surface.name, body.name
        ));
        let surface = Arc::make_mut(surface);
        (surface.is_solid, surface.depths) = (false, Vec::new());
    }

    /// Tells the first body that a surface crosses.
    fn note_crossing(&mut self, surface: &Given, points: &[[f64; 3]]) {
        let bodies = self.vertex_count() as u32;
        let mut all: Vec<[f64; 3]> = (0..bodies).map(|v| self.start_of(v)).collect();
        all.extend_from_slice(points);
        let own = surface.triangles.iter().map(|t| t.map(|v| bodies + v));
        let triangles: Vec<[u32; 3]> = self.triangles.iter().copied().chain(own).collect();
        let mesh = Mesh { points: all, triangles, ..Mesh::default() };
        let Ok(pairs) = find_crossings(&mesh, 1) else { return };
        let soft = self.triangles.len() as u32;
        let is_between = |pair: &&[u32; 2]| (pair[0] < soft) != (pair[1] < soft);
        let count = pairs.iter().filter(is_between).count();
        let Some(&pair) = pairs.iter().find(is_between) else { return };
        let vertex = mesh.triangles[pair[0].min(pair[1]) as usize][0];
        let body = &self.bodies[self.body_of_vertex(vertex)];
        let [x, y, z] = mesh.points[vertex as usize];
        self.notes.push(format!(
            "collider {:?} crosses body {:?} at the start near ({x:.4}, {y:.4}, {z:.4}) m, in {count} pairs of \
             triangles: contact can only push apart what is not entangled; move one of them with `translate`",
            surface.name, body.name
        ));
    }
}

/// Whether a closed surface goes round a point: the solid angles of its triangles add up to the whole sphere.
fn is_inside(point: [f64; 3], points: &[[f64; 3]], triangles: &[[u32; 3]]) -> bool {
    let at = |v: u32| -> Vec3<f64> { Vec3::of(points[v as usize]) - Vec3::of(point) };
    let angle = |t: &[u32; 3]| {
        // Van Oosterom and Strackee 1983, The solid angle of a plane triangle.
        let [a, b, c] = t.map(at);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    let sum: f64 = triangles.iter().map(angle).sum();
    sum.abs() > 2.0 * std::f64::consts::PI
}
