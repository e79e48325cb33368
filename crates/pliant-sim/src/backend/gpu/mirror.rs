//! A copy of the present state on the host.
//!
//! Reading from a device means waiting for it, which a browser lets nobody do. So whoever is going to
//! read there has the present [mirrored](GpuBackend::mirror) first, which can be awaited; until the
//! next change, everything that reads is then answered from the mirror.

use pliant_gpu::{Commands, GpuError, Readback};

use super::GpuBackend;
use crate::scene::World;
use crate::stages::contact::gpu::{Contacts, Rows};
use crate::stages::gpu::get_or_build;
use crate::stages::plasticity::gpu::rest_shapes;
use crate::state::State;

/// A copy of the present.
pub(super) struct Mirror {
    /// In model order, without its clock.
    pub state: State,
    /// Internal forces at its positions \[N\].
    pub forces: Vec<[f32; 3]>,
    /// What touches.
    pub contact: Option<Rows>,
}

impl GpuBackend {
    /// Copies the present to the host, unless it is there already.
    pub async fn mirror(&mut self, world: &World) -> Result<(), GpuError> {
        if self.mirror.is_some() {
            return Ok(());
        }
        let (slots, state) = (self.sizes.slots, self.copied_bytes(world));
        let forces = (slots * size_of::<[f32; 4]>()) as u64;
        let rows = self.contact.as_ref().map_or(0, Contacts::copied_rows_bytes);
        let mut place = Readback::new(&self.gpu, "mirror", state + forces + rows)?;
        let mut commands = self.gpu.commands("mirror");
        self.copy_state(&mut commands, &place, world);
        let kept = match self.carries(world).0 {
            true => Some(get_or_build(&self.outputs.kept, || self.gpu.zeros("kept force", slots))?),
            false => None,
        };
        if let Some(kept) = kept {
            commands.copy(&self.arrays.force, kept, slots);
        }
        self.record_forces(&mut commands);
        place.copy(&mut commands, &self.arrays.force, 0..slots, state);
        if let Some(kept) = kept {
            commands.copy(kept, &self.arrays.force, slots);
        }
        if let Some(contact) = &self.contact {
            contact.copy_rows(&mut commands, &place, state + forces);
        }
        commands.submit();
        place.request();
        let raw: Vec<f32> = place.arrival().await?;
        let (state, rest) = raw.split_at((state as usize / 4).min(raw.len()));
        let (forces, rows) = rest.split_at(4 * slots);
        let forces = self.in_order(bytemuck::cast_slice(forces));
        let contact = self.contact.as_ref().map(|contact| contact.copied_rows(rows));
        self.mirror = Some(Mirror { state: self.copied_state(world, state), forces, contact });
        Ok(())
    }

    /// Whether readers are answered from the host.
    pub fn is_mirrored(&self) -> bool {
        self.mirror.is_some()
    }

    /// Whatever changes the present says so here.
    pub(super) fn present_changes(&mut self) {
        self.mirror = None;
        self.outputs.seams = None;
    }

    /// Bytes of a copy of the state.
    pub(super) fn copied_bytes(&self, world: &World) -> u64 {
        let vertices = 16 * self.sizes.slots * self.carried_arrays(world).len();
        let yielding = self.yielding.as_ref();
        let rest = yielding.map_or(0, |y| 4 * y.lengths.len() + 8 * self.arrays.volumes.len());
        let clusters = self.matching.as_ref().map_or(0, |m| 16 * m.states.len());
        let pairs = self.sewing.as_ref().map_or(0, |sewing| 4 * sewing.statuses.len());
        (vertices + rest + clusters + pairs) as u64
            + self.contact.as_ref().map_or(0, Contacts::copied_bytes)
    }

    /// Records a copy of the state to the beginning of `place`: the vertices' arrays, then six lengths
    /// of each tetrahedron that may yield, then two coefficients, then what clusters have become, then what sewn
    /// pairs are, then what contacts hold on to.
    pub(super) fn copy_state(&self, commands: &mut Commands, place: &Readback, world: &World) {
        let slots = self.sizes.slots;
        let mut at = 0;
        for array in self.carried_arrays(world) {
            place.copy(commands, array, 0..slots, at);
            at += (slots * size_of::<[f32; 4]>()) as u64;
        }
        if let Some(lengths) = self.yielding.as_ref().map(|y| &y.lengths) {
            let volumes = &self.arrays.volumes;
            place.copy(commands, lengths, 0..lengths.len(), at);
            place.copy(commands, volumes, 0..volumes.len(), at + 4 * lengths.len() as u64);
            at += (4 * lengths.len() + 8 * volumes.len()) as u64;
        }
        if let Some(states) = self.matching.as_ref().map(|matching| &matching.states) {
            place.copy(commands, states, 0..states.len(), at);
            at += 16 * states.len() as u64;
        }
        if let Some(statuses) = self.sewing.as_ref().map(|sewing| &sewing.statuses) {
            place.copy(commands, statuses, 0..statuses.len(), at);
            at += 4 * statuses.len() as u64;
        }
        if let Some(contact) = &self.contact {
            contact.copy_state(commands, place, at);
        }
    }

    /// The state, in model order and without its clock, that was copied as `raw`.
    pub(super) fn copied_state(&self, world: &World, raw: &[f32]) -> State {
        let vertices = 4 * self.sizes.slots * self.carried_arrays(world).len();
        let (vertices, rest) = raw.split_at(vertices.min(raw.len()));
        let mut state = self.assemble(world, bytemuck::cast_slice(vertices));
        let yields = self.yielding.as_ref().map_or(0, |y| y.lengths.len() / 6 * 8);
        let (rest, others) = rest.split_at(yields.min(rest.len()));
        let clusters = self.matching.as_ref().map_or(0, |m| 4 * m.states.len());
        let (clusters, others) = others.split_at(clusters.min(others.len()));
        let pairs = self.sewing.as_ref().map_or(0, |sewing| sewing.statuses.len());
        let (pairs, contact) = others.split_at(pairs.min(others.len()));
        if let Some(sewing) = &self.sewing {
            state.seams = sewing.read(bytemuck::cast_slice(pairs));
        }
        if let Some(matching) = &self.matching {
            state.clusters = matching.read(bytemuck::cast_slice(clusters));
        }
        state.anchors = match &self.contact {
            Some(own) => own.copied_anchors(contact),
            None => self.anchors.clone(),
        };
        if !rest.is_empty() {
            let (lengths, volumes) = rest.split_at(rest.len() / 8 * 6);
            state.rest_shapes = Some(rest_shapes(lengths, bytemuck::cast_slice(volumes)));
        }
        state
    }
}
