//! Changing a scene while it runs.

use pliant_sim::model::compile;
use pliant_sim::scene::{Scene, SceneError};
use pliant_sim::{Backend, BuildError, Model, Simulator};

use super::Session;
use super::rewind_point::fitted;
use crate::{Geometry, Message};

/// Why an edited scene was not taken over. The session is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It makes no sense, or cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Its bodies are others.
    #[error("the motion cannot be carried over: {0}. Start the edited scene anew")]
    OtherBodies(String),
}

impl From<SceneError> for EditError {
    fn from(error: SceneError) -> Self {
        Self::Build(error.into())
    }
}

impl Session {
    /// Takes over an edited scene between two steps; positions, velocities, what has yielded, clock,
    /// hands and actions go on.
    ///
    /// Bodies must be the same in number and mesh; what they are made of and where they are locked may
    /// change. Where they start matters when the session is reset. Parameters of the world change
    /// where the scene differs from the one before, so that those changed by commands stay. An action
    /// that is going on goes on with its new numbers; a new one whose start is past waits for a reset.
    ///
    /// The model is built anew only if bodies, colliders or seams differ: on what it runs on now where that is known
    /// (with the feature `gpu`), else on `backend`.
    pub fn edit(&mut self, scene: &Scene, backend: &Backend) -> Result<(), EditError> {
        scene.validate()?;
        let mut parameters = self.parameters.clone();
        parameters.edit(&scene.world);
        let sets = parameters.still_valid(&self.script.sets, self.parameters.changes());
        let world = parameters.with(&sets);
        let now = self.sim.scene();
        if (&scene.bodies, &scene.colliders, &scene.seams)
            == (&now.bodies, &now.colliders, &now.seams)
        {
            self.sim.set_world(world)?;
            self.sim.take_plan_of(scene);
        } else {
            let mut sim = self.rebuilt_as(scene, backend)?;
            // The old simulator knows how velocities of the old integrator are to be read.
            self.sim.set_world(world.clone())?;
            self.check_device();
            sim.set_world(world)?;
            sim.set_substeps(self.sim.substeps());
            sim.set_state(&fitted(self.sim.state(), sim.model()));
            self.sim = sim;
            self.rebuilt += 1;
        }
        self.parameters = parameters;
        self.script = self.script.edited(&scene.actions, &mut self.sim);
        self.script.sets = sets;
        self.pass_on_messages();
        Ok(())
    }

    /// A simulator of an edited scene, at its start.
    fn rebuilt_as(&mut self, scene: &Scene, backend: &Backend) -> Result<Simulator, EditError> {
        let model = compile(scene)?;
        check_same_mesh(self.sim.model(), &model).map_err(EditError::OtherBodies)?;
        let backend = self.present_backend(backend);
        let mut sim = Simulator::from_model(scene.clone(), model, &backend)?;
        // What was told when the scene was opened is not told again at every edit.
        for note in sim.take_messages() {
            if !self.building_notes.contains(&note) {
                self.remote.tell(Message::Warning(note.clone()));
                self.building_notes.push(note);
            }
        }
        Ok(sim)
    }

    /// What the session runs on now: an open device is not opened again, and one that has failed is
    /// not tried again.
    #[cfg(feature = "gpu")]
    fn present_backend(&self, backend: &Backend) -> Backend {
        match (self.sim.gpu(), backend) {
            (Some(gpu), _) => Backend::Device(gpu.gpu().clone()),
            (None, Backend::Cpu { .. }) => backend.clone(),
            (None, _) => Backend::cpu(),
        }
    }

    #[cfg(not(feature = "gpu"))]
    fn present_backend(&self, backend: &Backend) -> Backend {
        backend.clone()
    }
}

/// Whether two models have the same bodies with the same elements; says what differs.
fn check_same_mesh(old: &Model, new: &Model) -> Result<(), String> {
    let same = |what: &str, old: usize, new: usize| match old == new {
        true => Ok(()),
        false => Err(format!("there are {new} {what} instead of {old}")),
    };
    same("bodies", old.bodies.len(), new.bodies.len())?;
    for (old, new) in old.bodies.iter().zip(&new.bodies) {
        let of = |what: &str| format!("{what} in body {:?}", new.name);
        if old.kind != new.kind {
            return Err(format!(
                "body {:?} is a surface or has tetrahedra, as not before",
                new.name
            ));
        }
        same(&of("vertices"), old.vertices.len(), new.vertices.len())?;
        same(&of("tetrahedra"), old.tets.len(), new.tets.len())?;
        same(&of("triangles"), old.triangles.len(), new.triangles.len())?;
    }
    match Geometry::of(old).tets == Geometry::of(new).tets {
        true => Ok(()),
        false => Err("tetrahedra have other corners".into()),
    }
}
