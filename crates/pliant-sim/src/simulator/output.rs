//! What can be asked of a simulator.

use std::borrow::Cow;

use super::Simulator;
use super::waiting::at_once;
use crate::math::Vec3;
use crate::report::{Energy, StepReport};
use crate::stages::integrate::is_staggered;
use crate::stages::measure::{Moment, assemble, cpu as measure};
use crate::stages::plasticity::RestShape;
use crate::stages::stress::{Share, Stress, stress};
use crate::stages::surface::{force_colour, usable_reference, vertex_normals};
use crate::state::State;

/// The present as stages see it; borrows only what it names.
macro_rules! moment {
    ($sim:expr) => {
        Moment { world: &$sim.world, origins: &$sim.origins, h_last: $sim.h_last }
    };
}
#[cfg(feature = "gpu")]
pub(super) use moment;

impl Simulator {
    /// Measures energies and momenta now.
    ///
    /// # Panics
    /// In a browser with a model on a GPU: take [`Simulator::report_async`] there.
    pub fn report(&mut self) -> StepReport {
        at_once(self.report_async())
    }

    /// As [`Simulator::report`], for places where nobody may wait for a device.
    pub async fn report_async(&mut self) -> StepReport {
        self.heal();
        if let Some((sums, elements)) = self.engine.measured(&self.model, &moment!(self)).await {
            return assemble(self, &sums, &elements);
        }
        let v = self.velocities_in_model_order();
        let x = self.engine.positions();
        measure::report(self, &x, &v)
    }

    /// Positions in the world, in the user's order \[m\].
    pub fn positions(&self) -> Vec<[f64; 3]> {
        let x = self.engine.positions();
        self.user_order(|m| self.world_position(self.model.body_of_vertex(m as u32), x[m]))
    }

    pub(super) fn world_position(&self, body: usize, x: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|k| self.origins[body][k] + f64::from(x[k]))
    }

    /// Velocities at the time of the positions, in the user's order \[m/s\].
    pub fn velocities(&mut self) -> Vec<[f32; 3]> {
        self.heal();
        let v = self.velocities_in_model_order();
        self.user_order(|m| v[m])
    }

    /// Net force on each vertex in the user's order \[N\]: springs, volumes, damping, gravity,
    /// friction and the external force, without drags, pushes and walls; for locked vertices what
    /// the lock has to hold.
    pub fn forces(&mut self) -> Vec<[f32; 3]> {
        self.heal();
        if let Some(net) = self.engine.net_forces(&moment!(self)) {
            return self.user_order(|m| net[m]);
        }
        let internal = self.engine.internal_forces(&self.world);
        let v = self.velocities_in_model_order();
        let world = &self.world;
        self.user_order(|m| {
            let mass = self.model.mass[m];
            std::array::from_fn(|k| {
                let gravity = world.gravity[k] as f32 - world.friction as f32 * v[m][k];
                internal[m][k] + mass * gravity + world.external_force[k] as f32
            })
        })
    }

    /// Stress of each tetrahedron, in the user's order.
    pub fn stress(&self) -> Vec<Stress> {
        // The device has the rest lengths of the model, not those after yielding.
        if !self.engine.has_rest_shapes()
            && let Some(all) = self.engine.stress(&self.model)
        {
            let mut out = vec![Stress::default(); all.len()];
            for (s, &user) in all.into_iter().zip(&self.model.tet_order) {
                out[user as usize] = s;
            }
            return out;
        }
        let (x, rest) = (self.engine.positions(), self.engine.rest_shapes());
        let mut out = vec![Stress::default(); self.model.tets.len()];
        for (t, tet) in self.model.tets.iter().enumerate() {
            let corners = tet.map(|v| Vec3::of(x[v as usize].map(f64::from)));
            let mut share: Share = self.model.share(t);
            if let Some(rest) = &rest {
                share = share.after_yielding(&rest[t]);
            }
            out[self.model.tet_order[t] as usize] = stress(corners, &share);
        }
        out
    }

    /// Unit normals of the surface in the user's order, weighted by the areas of all triangles at a
    /// vertex; null for vertices that are not on the surface.
    pub fn normals(&self) -> Vec<[f32; 3]> {
        if let Some(normals) = self.engine.normals(&self.model) {
            return self.user_order(|m| normals[m]);
        }
        let x = self.engine.positions();
        let x: Vec<Vec3<f64>> = x.into_iter().map(|p| Vec3::of(p.map(f64::from))).collect();
        let normals = vertex_normals(&x, &self.model.triangles);
        self.user_order(|m| normals[m].to_f64().map(|c| c as f32))
    }

    /// Colours by net force in the user's order: red, green, blue and opacity, grey without force
    /// and red from `reference` \[N\] on. A reference that is not positive makes every force red.
    pub fn force_colours(&mut self, reference: f64) -> Vec<[f32; 4]> {
        self.heal();
        if let Some(colours) = self.engine.colours(&self.model, &moment!(self), reference) {
            return self.user_order(|m| colours[m]);
        }
        let reference = usable_reference(reference);
        self.forces().into_iter().map(|force| force_colour(force, reference)).collect()
    }

    /// The whole state, in the user's order. When the device has failed it is the last one that the
    /// host knows, with its own clock; [`Simulator::check_device`] beforehand makes it the present.
    pub fn state(&self) -> State {
        self.in_users_order(&self.state_in_model_order())
    }

    /// A state in the user's order.
    pub(crate) fn in_users_order(&self, state: &State) -> State {
        let m = &self.model;
        let inverse = |order: &[u32]| {
            let mut inverse = vec![0u32; order.len()];
            order.iter().enumerate().for_each(|(new, &old)| inverse[old as usize] = new as u32);
            inverse
        };
        state.reordered(&inverse(&m.vertex_order), &inverse(&m.tet_order))
    }

    /// Hash of the state: equal only for states that are the same to the last bit.
    pub fn hash(&self) -> u64 {
        self.state().hash()
    }

    pub(super) fn state_in_model_order(&self) -> State {
        self.moment().state
    }

    /// Velocities at the time of the positions.
    pub(crate) fn velocities_in_model_order(&mut self) -> Vec<[f32; 3]> {
        if let Some(v) = self.engine.velocities_now(&moment!(self)) {
            return v;
        }
        let mut v = self.engine.velocities();
        if !is_staggered(self.world.integrator) || self.h_last == 0.0 {
            return v;
        }
        let half = 0.5 * self.h_last;
        let force = self.engine.internal_forces(&self.world);
        let x = self.engine.positions();
        for (m, v) in v.iter_mut().enumerate() {
            let inv_mass = f64::from(self.model.inv_mass[m]);
            let body = self.model.body_of_vertex(m as u32);
            if inv_mass == 0.0 || self.model.bodies[body].is_implicit {
                continue;
            }
            for k in 0..3 {
                let f = f64::from(force[m][k]) + self.world.external_force[k];
                let friction = self.world.friction * f64::from(v[k]);
                let a = f * inv_mass + self.world.gravity[k] - friction;
                v[k] = (f64::from(v[k]) + half * a) as f32;
                // What presses a vertex against a wall does not move it.
                if self.on_wall(m, k, x[m][k]).is_some_and(|outward| outward * v[k] > 0.0) {
                    v[k] = 0.0;
                }
            }
        }
        v
    }

    /// The outward direction, −1 or 1, of the wall that coordinate `k` of a vertex touches.
    pub(crate) fn on_wall(&self, vertex: usize, k: usize, x: f32) -> Option<f32> {
        let [low, high] = self.world.bounds.as_ref()?.corners();
        let origin = self.origins[self.model.body_of_vertex(vertex as u32)][k];
        // A vertex on a wall has the wall's own rounded coordinate.
        if x == (low[k] - origin) as f32 {
            Some(-1.0)
        } else {
            (x == (high[k] - origin) as f32).then_some(1.0)
        }
    }

    pub(crate) fn positions_in_model_order(&self) -> Vec<[f32; 3]> {
        self.engine.positions()
    }

    fn user_order<T: Copy + Default>(&self, of: impl Fn(usize) -> T) -> Vec<T> {
        let mut out = vec![T::default(); self.model.vertex_count()];
        for (m, &user) in self.model.vertex_order.iter().enumerate() {
            out[user as usize] = of(m);
        }
        out
    }

    pub(crate) fn rest_shapes(&self) -> Option<Cow<'_, [RestShape<f32>]>> {
        self.engine.rest_shapes()
    }

    /// Energy now \[J\], without the rest of the report.
    pub fn energy(&mut self) -> Energy {
        self.report().energy
    }
}
