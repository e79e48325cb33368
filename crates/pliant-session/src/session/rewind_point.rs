//! Moments of a session that it can go back to.

use pliant_sim::scene::World;
use pliant_sim::stages::touch::Touch;
use pliant_sim::{Model, State};

use super::Session;
use crate::script::Script;

/// Everything about a session at one step. What the user's hands hold is not part of it: nobody
/// would hold it when it comes back.
pub(crate) struct RewindPoint {
    state: State,
    world: World,
    substeps: u32,
    script: Script,
    /// How often the user had changed parameters.
    changes: u64,
    /// Which model it belongs to.
    rebuilt: u64,
}

impl RewindPoint {
    /// Its step.
    pub fn step(&self) -> u64 {
        self.state.step
    }

    /// Its time \[s\].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        let State { origins, position, position_compensation, velocity, force, .. } = &self.state;
        let State { last_acceleration, rest_shapes, touches, displaced, seams, .. } = &self.state;
        let clusters = &self.state.clusters;
        let vectors = [position, position_compensation, velocity, force, last_acceleration];
        let held = touches.iter().map(|touch| match touch {
            Touch::Drag(drag) => size_of_val(&drag.vertices[..]) + size_of_val(&drag.offsets[..]),
            Touch::Push(_) | Touch::Carry(_) => 0,
        });
        size_of::<Self>()
            + size_of_val(&origins[..])
            + vectors.iter().map(|v| size_of_val(&v[..])).sum::<usize>()
            + rest_shapes.as_ref().map_or(0, |rest| size_of_val(&rest[..]))
            + size_of_val(&touches[..])
            + size_of_val(&displaced[..])
            + seams.len()
            + size_of_val(&clusters.turns[..])
            + size_of_val(&clusters.taken[..])
            + held.sum::<usize>()
    }
}

impl Session {
    /// The present; `None` when a device does not tell.
    pub(crate) async fn rewind_point(&mut self) -> Option<RewindPoint> {
        self.sim.mirror_in_browser().await;
        self.check_device();
        let mut state = self.sim.state();
        // Of a device that fails just now the state is an older one.
        if state.step != self.sim.step_count() {
            return None;
        }
        let mut script = self.script.clone();
        let mut owners = script.owners.iter();
        state.touches.retain(|_| owners.next().is_some_and(|owner| owner.is_scripted()));
        script.owners.retain(|owner| owner.is_scripted());
        Some(RewindPoint {
            state,
            world: self.sim.world().clone(),
            substeps: self.sim.substeps(),
            script,
            changes: self.parameters.changes(),
            rebuilt: self.rebuilt,
        })
    }

    /// Goes to a moment. Everything is then as it was, to the last bit; but what the user has set or
    /// edited meanwhile stays, and his hands let go.
    pub(crate) fn go_to(&mut self, point: &RewindPoint) {
        self.set_world(point.world.clone());
        self.sim.set_substeps(point.substeps);
        if point.rebuilt == self.rebuilt {
            self.sim.set_state(&point.state);
        } else {
            let state = fitted(point.state.clone(), self.sim.model());
            self.sim.set_state(&state);
        }
        let actions = self.sim.scene().actions.clone();
        self.script = point.script.edited(&actions, &mut self.sim);
        self.script.sets = self.parameters.still_valid(&self.script.sets, point.changes);
        let world = self.parameters.with(&self.script.sets);
        self.set_world(world);
        self.pass_on_messages();
    }
}

/// A state as another model of the same mesh takes it over: forces that were kept for the next step
/// are computed anew, what is locked now stands still, and where there are more or fewer colliders than before, none of
/// them is elsewhere; where other vertices are sewn, all seams are open, and where others are matched with their shapes,
/// nothing of them has yielded.
pub(super) fn fitted(mut state: State, model: &Model) -> State {
    if !state.force.is_empty() {
        state.force.clear();
        state.last_acceleration.clear();
        state.h_last = 0.0;
    }
    if state.displaced.len() != model.collider_count() {
        state.displaced.clear();
    }
    if state.seams.len() != model.seams.pairs.len() {
        state.seams.clear();
    }
    let taken = if model.shapes.yields() { model.shapes.clusters.len() } else { 0 };
    if (state.clusters.turns.len(), state.clusters.taken.len())
        != (model.shapes.clusters.len(), taken)
    {
        state.clusters = Default::default();
    }
    for (&user, &inv_mass) in model.vertex_order.iter().zip(&model.inv_mass) {
        if inv_mass == 0.0 {
            state.velocity[user as usize] = [0.0; 3];
        }
    }
    state
}
