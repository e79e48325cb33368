//! The arrays of a model on a device.

use pliant_gpu::{Binding, Buffer, Gpu, GpuError};

use super::layout::Layout;
use super::record::{Record, STRIDE};
use crate::model::Model;
use crate::stages::colliders::gpu as colliders;

/// Words of the buffer of flags; their places are named in step.wgsl.
pub const FLAGS: usize = 6;

/// Flags when all is well.
pub const CLEAR: [u32; FLAGS] = [u32::MAX, u32::MAX, 0, 0, 0, 0];

/// Records that fit one submission.
pub const RECORDS: usize = 256;

/// Everything that the kernels of a step share. Vertex arrays are indexed by slot.
pub struct Arrays {
    /// Positions \[m\] and mass \[kg\].
    pub position: Buffer<[f32; 4]>,
    /// What rounding took from the positions \[m\], and 1 for free vertices.
    pub compensation: Buffer<[f32; 4]>,
    /// Velocities \[m/s\] and 1/mass \[1/kg\].
    pub velocity: Buffer<[f32; 4]>,
    /// Internal forces \[N\].
    pub force: Buffer<[f32; 4]>,
    /// The integrator's memory, one array after the other.
    pub history: Buffer<[f32; 4]>,
    /// Forces of drags, pushes and the air \[N\]; where there are colliders, their impulses behind, see
    /// colliders/sweep.wgsl.
    pub touch: Buffer<[f32; 4]>,
    /// What a body's vertices have in common, and the body of each slice; then what colliders need.
    pub body_constants: Buffer<[u32; 4]>,
    /// Divergence, distance, saturation, what a pause waits for.
    pub flags: Buffer<u32>,
    /// Springs.
    pub springs: Buffer<[u32; 4]>,
    /// Damping of each spring \[N·s/m\]; one zero when there is none.
    pub damping: Buffer<f32>,
    /// Tetrahedra.
    pub tets: Buffer<[u32; 4]>,
    /// Coefficients of the volume force of each tetrahedron.
    pub volumes: Buffer<[f32; 2]>,
    /// By slot, the first one of those that it is sewn to, which is the one where nothing is; behind them whether that
    /// has changed since contact looked. One zero where nothing is sewn.
    pub sewn: Buffer<u32>,
    /// Parameters of kernels, update by update.
    pub records: Buffer<Record>,
}

impl Arrays {
    /// Puts a model on a device; vertex arrays are zero.
    pub fn new(gpu: &Gpu, model: &Model, layout: &Layout) -> Result<Self, GpuError> {
        let slots = layout.slot_count();
        let places = colliders::Places::of(model, layout);
        let body_constants = gpu.zeros("body_constants", places.end)?;
        body_constants.write(places.heights, &colliders::height_words(&model.colliders.heights));
        // Touches, and what colliders and walls gave.
        let touch = if model.colliders.is_empty() { 0 } else { 3 * slots };
        Ok(Self {
            position: gpu.zeros("position", slots)?,
            compensation: gpu.zeros("position_compensation", slots)?,
            velocity: gpu.zeros("velocity", slots)?,
            force: gpu.zeros("force", slots)?,
            history: gpu.zeros("history", 0)?,
            touch: gpu.zeros("touch", touch)?,
            body_constants,
            flags: gpu.storage("flags", &CLEAR)?,
            springs: gpu.storage("springs", &layout.springs)?,
            damping: gpu.storage("damping", model.damping.as_deref().unwrap_or(&[]))?,
            tets: gpu.storage("tets", &layout.tets)?,
            volumes: gpu.storage("volumes", &layout.volumes)?,
            sewn: gpu.zeros("sewn", if model.seams.is_empty() { 1 } else { slots + 1 })?,
            records: gpu.uniform("records", RECORDS)?,
        })
    }

    /// What sweeps over vertices are bound to next to each other.
    pub fn swept(&self) -> [Binding<'_>; 7] {
        let Self { compensation, velocity, force, history, touch, body_constants, flags, .. } =
            self;
        [
            compensation.into(),
            velocity.into(),
            force.into(),
            history.into(),
            touch.into(),
            body_constants.into(),
            flags.into(),
        ]
    }

    /// The one of the records that a dispatch chooses.
    pub fn record(&self) -> Binding<'_> {
        Binding::record(&self.records, u64::from(STRIDE))
    }

    /// What a step changes at vertices and the next one starts from.
    pub fn state(&self) -> [&Buffer<[f32; 4]>; 5] {
        [&self.position, &self.compensation, &self.velocity, &self.force, &self.history]
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let Self {
            touch,
            body_constants,
            flags,
            springs,
            damping,
            tets,
            volumes,
            records,
            sewn,
            ..
        } = self;
        let state: u64 = self.state().map(Buffer::bytes).iter().sum();
        let elements = springs.bytes() + damping.bytes() + tets.bytes() + volumes.bytes();
        state
            + touch.bytes()
            + elements
            + sewn.bytes()
            + body_constants.bytes()
            + flags.bytes()
            + records.bytes()
    }
}
