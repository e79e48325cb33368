//! Copying results back, when somebody asks.

use pliant_gpu::{Buffer, GpuError, Readback};

use super::GpuBackend;
use crate::model::Model;
use crate::scene::World;
use crate::stages::colliders::Contact;
use crate::stages::shapes::ClusterStates;
use crate::state::State;

impl GpuBackend {
    /// Copies the state back (vertices in model order); clock and touches are the caller's.
    pub fn download(&self, world: &World) -> Result<State, GpuError> {
        if let Some(mirror) = &self.mirror {
            return Ok(mirror.state.clone());
        }
        let raw = self.fetch(&self.carried_arrays(world))?;
        let (rest_shapes, anchors) = (self.download_rest()?, self.download_anchors()?);
        let clusters = match &self.matching {
            Some(matching) => matching.read(&matching.states.read()?),
            None => ClusterStates::default(),
        };
        let seams = self.sewn_pairs()?;
        Ok(State { rest_shapes, anchors, clusters, seams, ..self.assemble(world, &raw) })
    }

    /// What sewn pairs are, in the order of the model; nothing where nothing is sewn.
    fn sewn_pairs(&self) -> Result<Vec<u8>, GpuError> {
        match (&self.sewing, &self.mirror) {
            (_, Some(mirror)) => Ok(mirror.state.seams.clone()),
            (Some(sewing), None) => Ok(sewing.read(&sewing.statuses.read()?)),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// The same; without a device what they were in the last known state.
    pub fn seams(&self) -> Vec<u8> {
        if let Some(counted) = &self.outputs.seams {
            return counted.clone();
        }
        self.sewn_pairs().unwrap_or_else(|e| {
            self.fail(e);
            self.rescued().state.seams
        })
    }

    /// Makes pairs of seams what others were.
    pub fn set_seams(&mut self, model: &Model, pairs: &[u8]) {
        self.present_changes();
        if let Some(sewing) = &self.sewing {
            sewing.load(&model.seams, (&self.layout, &self.arrays), pairs);
        }
    }

    /// As [`GpuBackend::download`]; a failure is kept for the next step to report.
    pub fn download_or_fail(&self, world: &World) -> Option<State> {
        self.download(world).map_err(|e| self.fail(e)).ok()
    }

    /// The arrays that a state of `world`'s integrator consists of.
    pub(super) fn carried_arrays(&self, world: &World) -> Vec<&Buffer<[f32; 4]>> {
        let (forces, accelerations) = self.carries(world);
        let a = &self.arrays;
        let mut arrays = vec![&a.position, &a.compensation, &a.velocity];
        arrays.extend(forces.then_some(&a.force));
        arrays.extend(accelerations.then_some(&a.history));
        arrays
    }

    /// A state in model order, from what [`GpuBackend::carried_arrays`] hold, one after the other.
    pub(super) fn assemble(&self, world: &World, raw: &[[f32; 4]]) -> State {
        let (forces, accelerations) = self.carries(world);
        let mut arrays = raw.chunks(self.sizes.slots.max(1));
        let mut next = || arrays.next().map_or_else(Vec::new, |array| self.in_order(array));
        State {
            position: next(),
            position_compensation: next(),
            velocity: next(),
            force: if forces { next() } else { Vec::new() },
            last_acceleration: if accelerations { next() } else { Vec::new() },
            ..State::default()
        }
    }

    /// Positions in model order, relative to the bodies' origins \[m\].
    pub fn positions(&self) -> Vec<[f32; 3]> {
        match &self.mirror {
            Some(mirror) => mirror.state.position.clone(),
            None => self.read_or_rescued(&self.arrays.position, |s| s.position),
        }
    }

    /// Positions of a few vertices of the model, relative to their bodies' origins \[m\]; nothing else
    /// is copied back.
    pub async fn positions_of(&self, vertices: &[u32]) -> Vec<[f32; 3]> {
        let fetch = async || -> Result<Vec<[f32; 4]>, GpuError> {
            let mut readback =
                Readback::new(&self.gpu, "some positions", 16 * vertices.len() as u64)?;
            let mut commands = self.gpu.commands("some positions");
            for (i, &v) in vertices.iter().enumerate() {
                let slot = self.layout.slot_of[v as usize] as usize;
                let position = &self.arrays.position;
                readback.copy(&mut commands, position, slot..slot + 1, 16 * i as u64);
            }
            commands.submit();
            readback.request();
            readback.arrival().await
        };
        match fetch().await {
            Ok(found) => {
                found.into_iter().map(|[x, y, z, _]| [x, y, z]).take(vertices.len()).collect()
            }
            Err(e) => {
                self.fail(e);
                let kept = self.rescued().state.position;
                vertices.iter().map(|&v| kept[v as usize]).collect()
            }
        }
    }

    /// What colliders and walls gave to the vertices in the last step, in model order; nothing where there are
    /// no colliders.
    pub async fn contacts(&self) -> Result<Vec<Contact>, GpuError> {
        let (touch, slots) = (&self.arrays.touch, self.sizes.slots);
        if self.colliders.is_none() {
            return Ok(Vec::new());
        }
        let mut readback = Readback::new(&self.gpu, "contacts", 32 * slots as u64)?;
        let mut commands = self.gpu.commands("contacts");
        readback.copy(&mut commands, touch, slots..3 * slots, 0);
        commands.submit();
        readback.request();
        let raw: Vec<[f32; 4]> = readback.arrival().await?;
        let contact = |&slot: &u32| [raw[slot as usize], raw[slots + slot as usize]];
        Ok(self.layout.slot_of.iter().map(contact).collect())
    }

    /// Velocities as the integrator keeps them, in model order \[m/s\].
    pub fn velocities(&self) -> Vec<[f32; 3]> {
        match &self.mirror {
            Some(mirror) => mirror.state.velocity.clone(),
            None => self.read_or_rescued(&self.arrays.velocity, |s| s.velocity),
        }
    }

    /// Internal forces at the current positions, in model order \[N\]. Leaves the state as it is.
    pub fn internal_forces(&mut self, world: &World) -> Vec<[f32; 3]> {
        if let Some(mirror) = &self.mirror {
            return mirror.forces.clone();
        }
        let kept = self.carries(world).0;
        let forces = self.computed_forces(kept);
        forces.unwrap_or_else(|e| {
            self.fail(half_done(e));
            vec![[0.0; 3]; self.layout.slot_of.len()]
        })
    }

    fn computed_forces(&mut self, kept: bool) -> Result<Vec<[f32; 3]>, GpuError> {
        let copy = kept.then(|| self.gpu.zeros("kept force", self.sizes.slots)).transpose()?;
        if let Some(copy) = &copy {
            self.copy_vertices(&self.arrays.force, copy);
        }
        self.compute_forces()?;
        let forces = self.one_of(&self.arrays.force)?;
        if let Some(copy) = &copy {
            self.copy_vertices(copy, &self.arrays.force);
        }
        Ok(forces)
    }

    fn copy_vertices(&self, from: &Buffer<[f32; 4]>, to: &Buffer<[f32; 4]>) {
        let mut commands = self.gpu.commands("forces");
        commands.copy(from, to, self.sizes.slots);
        commands.submit();
    }

    /// A vertex array in model order; without a device what is kept of it in the last known state.
    fn read_or_rescued(
        &self,
        buffer: &Buffer<[f32; 4]>,
        kept: impl Fn(State) -> Vec<[f32; 3]>,
    ) -> Vec<[f32; 3]> {
        self.one_of(buffer).unwrap_or_else(|e| {
            self.fail(e);
            kept(self.rescued().state)
        })
    }

    /// The first part of some vertex arrays, one after the other, by slot, in one go.
    pub(super) fn fetch(&self, buffers: &[&Buffer<[f32; 4]>]) -> Result<Vec<[f32; 4]>, GpuError> {
        let slots = self.sizes.slots;
        let bytes = (slots * 16) as u64;
        let mut readback = Readback::new(&self.gpu, "results", bytes * buffers.len() as u64)?;
        let mut commands = self.gpu.commands("read back");
        for (i, buffer) in buffers.iter().enumerate() {
            readback.copy(&mut commands, buffer, 0..slots, i as u64 * bytes);
        }
        commands.submit();
        readback.request();
        readback.wait()
    }

    /// A vertex array in model order.
    pub(super) fn in_order(&self, array: &[[f32; 4]]) -> Vec<[f32; 3]> {
        let at = |&slot: &u32| {
            let [x, y, z, _] = array[slot as usize];
            [x, y, z]
        };
        self.layout.slot_of.iter().map(at).collect()
    }
}

/// A refusal in the middle of a change, after which the state is not to be trusted.
pub(super) fn half_done(error: GpuError) -> GpuError {
    match error {
        lost @ GpuError::Lost { .. } => lost,
        other => GpuError::Device { reason: other.to_string() },
    }
}
