//! What can be asked of a simulator.

use super::Simulator;
use super::waiting::at_once;
use crate::math::Vec3;
use crate::report::{Energy, StepReport};
use crate::stages::air;
use crate::stages::colliders::ContactForces;
use crate::stages::contact::{PairForce, Touching};
use crate::stages::measure::{Elements, MeasureContext, Sums, cpu as measure};
use crate::stages::stress::{Share, Stress, stress};
use crate::state::State;

/// The present as stages see it; borrows only what it names.
macro_rules! measure_context {
    ($sim:expr) => {
        MeasureContext {
            world: &$sim.world,
            origins: &$sim.origins,
            h_last: $sim.h_last,
            time: $sim.time,
            colliders: &$sim.model.colliders,
            displaced: crate::stages::touch::Displaced {
                by: &$sim.displaced,
                touches: &$sim.touches,
            },
        }
    };
}
#[cfg(feature = "gpu")]
pub(super) use measure_context;

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
        self.recover_if_lost();
        let colliders = match self.scene.colliders.is_empty() {
            true => None,
            false => Some(self.contact_sums().await),
        };
        if let Some((sums, elements)) =
            self.engine.measured(&self.model, &measure_context!(self)).await
        {
            return StepReport { colliders, ..self.assemble(&sums, &elements) };
        }
        let v = self.velocities_in_model_order();
        let (x, rest) = (self.engine.positions(), self.engine.rest_shapes());
        let sums = measure::sums(&self.model, &measure_context!(self), &x, &v);
        let report = self.assemble(&sums, &measure::elements(&self.model, &x, rest.as_deref()));
        StepReport { colliders, ..report }
    }

    /// Makes the report from sums about the world's origin.
    fn assemble(&self, sums: &Sums, elements: &Elements) -> StepReport {
        let inverse = if sums.mass > 0.0 { 1.0 / sums.mass } else { 0.0 };
        StepReport {
            step: self.step,
            time: self.time,
            energy: Energy {
                kinetic: sums.kinetic,
                springs: elements.springs,
                volumes: elements.volumes,
                bending: elements.bending,
                gravity: -Vec3::from(self.world.gravity).dot(sums.moment),
            },
            momentum: sums.momentum.into(),
            angular_momentum: sums.angular.into(),
            center_of_mass: (sums.moment * inverse).into(),
            max_speed: sums.fastest.sqrt(),
            inverted_count: elements.inverted,
            wall_contact_count: sums.contacts,
            colliders: None,
            solver: self.solver_report(),
            contact: self.engine.contact_report(),
            seams: self.seam_report(),
            strain: elements.strain,
            substeps: self.substeps,
        }
    }

    /// Positions in the world, in the user's order \[m\].
    pub fn positions(&self) -> Vec<[f64; 3]> {
        let x = self.engine.positions();
        self.user_order(|m| self.world_position(self.model.body_of_vertex(m as u32), x[m]))
    }

    pub(super) fn world_position(&self, body: usize, x: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|k| self.origins[body][k] + f64::from(x[k]))
    }

    /// Surfaces of bodies that touched each other in the last substep.
    pub fn contacts(&self) -> Vec<Touching> {
        self.engine.touching(&self.origins)
    }

    /// What a surface that touches is called: a body or, behind those, a collider that is a mesh.
    pub fn surface_name(&self, body: u32) -> &str {
        let bodies = &self.model.bodies;
        match bodies.get(body as usize) {
            Some(body) => &body.name,
            None => &self.model.given[body as usize - bodies.len()].name,
        }
    }

    /// What pairs of bodies, and bodies that touch themselves, did to each other in the last substep.
    pub fn contact_pairs(&self) -> Vec<PairForce> {
        PairForce::sum(&self.contacts())
    }

    /// Whether forces of contact are measured: bodies touch each other, or there are colliders.
    pub fn has_contact(&self) -> bool {
        self.world.contact.is_some() || !self.model.colliders.is_empty()
    }

    /// Velocities at the time of the positions, in the user's order \[m/s\].
    pub fn velocities(&mut self) -> Vec<[f32; 3]> {
        self.recover_if_lost();
        let v = self.velocities_in_model_order();
        self.user_order(|m| v[m])
    }

    /// Net force on each vertex in the user's order \[N\]: springs, volumes, damping of both
    /// kinds, contact between bodies, gravity, the air and the external force, without drags, pushes, colliders and
    /// walls; for locked vertices what the lock has to hold.
    pub fn forces(&mut self) -> Vec<[f32; 3]> {
        self.recover_if_lost();
        let mut force = match self.engine.net_forces(&measure_context!(self)) {
            Some(net) => net,
            None => {
                let mut force = self.inner_forces();
                let v = self.velocities_in_model_order();
                measure::add_loads(&self.model, &self.world, &v, &mut force);
                force
            }
        };
        if self.world.wind.is_some() {
            let (x, v) = (self.engine.positions(), self.velocities_in_model_order());
            let when = (self.time, self.world.timestep / f64::from(self.substeps));
            air::add_forces(&self.model, &self.world, when, [&x, &v], &mut force);
        }
        self.user_order(|m| force[m])
    }

    /// Force of contact on each vertex, in the user's order \[N\]: of bodies that touch, in the last substep, and
    /// of colliders and walls, the mean over the last step. The latter are measured in scenes with colliders only.
    ///
    /// # Panics
    /// In a browser with a model on a GPU: take [`Simulator::contact_forces_async`] there.
    pub fn contact_forces(&mut self) -> Vec<[f32; 3]> {
        at_once(self.contact_forces_async())
    }

    /// As [`Simulator::contact_forces`], for places where nobody may wait for a device.
    pub async fn contact_forces_async(&mut self) -> Vec<[f32; 3]> {
        self.recover_if_lost();
        let contacts = self.engine.contacts().await;
        let per_step = (1.0 / self.world.timestep) as f32;
        let between = self.engine.forces_between_bodies().unwrap_or_default();
        self.user_order(|m| {
            let between = between.get(m).copied().unwrap_or_default();
            match contacts.get(m) {
                Some([first, others]) => {
                    std::array::from_fn(|k| between[k] + (first[k] + others[k]) * per_step)
                }
                None => between,
            }
        })
    }

    /// Force of the bodies on each collider, in the order of the scene: the mean over the last step \[N\].
    /// What touches three or more things at once gives the force of all but the first to one of them.
    ///
    /// # Panics
    /// In a browser with a model on a GPU: [`Simulator::report_async`] has them, too.
    pub fn collider_forces(&mut self) -> Vec<[f64; 3]> {
        self.recover_if_lost();
        at_once(self.contact_sums()).on_colliders
    }

    async fn contact_sums(&mut self) -> ContactForces {
        let (contacts, timestep) = (self.engine.contacts().await, self.world.timestep);
        let list = &self.model.colliders.list;
        let ContactForces { on_colliders: rigid, touching } =
            ContactForces::sum(&contacts, list.len(), timestep);
        let mut sum =
            ContactForces { on_colliders: vec![[0.0; 3]; self.scene.colliders.len()], touching };
        for (&place, force) in self.model.colliders.places.iter().zip(rigid) {
            sum.on_colliders[place] = force;
        }
        if let Some((impulses, touching)) = self.engine.contact_with_given() {
            for (given, impulse) in self.model.given.iter().zip(impulses) {
                sum.on_colliders[given.collider] = impulse.map(|i| i / timestep);
            }
            sum.touching += touching;
        }
        sum
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
        self.restore_point().state
    }

    /// Forces of elements now, and of contact in the last substep, in model order \[N\].
    fn inner_forces(&mut self) -> Vec<[f32; 3]> {
        let mut force = self.engine.internal_forces(&self.world);
        let contact = self.engine.forces_between_bodies();
        for (sum, more) in force.iter_mut().zip(contact.iter().flatten()) {
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        force
    }

    /// Velocities at the time of the positions \[m/s\].
    pub(crate) fn velocities_in_model_order(&mut self) -> Vec<[f32; 3]> {
        if let Some(v) = self.engine.velocities_now(&measure_context!(self)) {
            return v;
        }
        let mut v = self.engine.velocities();
        if measure_context!(self).lag() == 0.0 {
            return v;
        }
        let force = self.inner_forces();
        let x = self.engine.positions();
        measure::catch_up(&self.model, &measure_context!(self), &x, &force, &mut v);
        v
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

    /// Energy now \[J\], without the rest of the report.
    pub fn energy(&mut self) -> Energy {
        self.report().energy
    }
}
