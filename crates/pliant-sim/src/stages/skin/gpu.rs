//! Skins on devices: their vertices have slots behind those of all bodies in the arrays that are drawn, in slices
//! that belong to one body as others do. So whoever draws bodies from there can draw skins.

use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use crate::model::Model;
use crate::stages::gpu::layout::{NONE, SLICE};
use crate::stages::gpu::library::LIBRARY;

/// Rounding of a place on a device, relative to the largest coordinate among what it is made of: nine operations, each good
/// to 2⁻²⁴, and of a height a root and a quotient, which devices may round by 2.5 last digits.
pub const TOLERANCE: f64 = 16.0 / (1u64 << 24) as f64;

/// The kernel.
pub const KERNEL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "skin.wgsl", source: include_str!("kernel.wgsl") },
    entry: "skin",
    constants: &[],
    bindings: &[Access::Read, Access::Read, Access::Write, Access::Write],
};

/// Which slots skins have, counted from the end of the bodies'.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinSlots {
    /// The first one of each body's skin, if it has one.
    pub first: Vec<Option<u32>>,
    /// The body of each slice.
    pub slice_bodies: Vec<u32>,
}

impl SkinSlots {
    /// Those of a model.
    pub fn new(model: &Model) -> Self {
        let mut slots = Self::default();
        for (number, body) in (0u32..).zip(&model.bodies) {
            let first = body.skin.as_ref().map(|skin| {
                let first = slots.count() as u32;
                let slices = slots.slice_bodies.len() + skin.anchors.len().div_ceil(SLICE);
                slots.slice_bodies.resize(slices, number);
                first
            });
            slots.first.push(first);
        }
        slots
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        SLICE * self.slice_bodies.len()
    }
}

/// The skins of a model on its device.
pub struct Skins {
    kernel: Kernel,
    corners: Buffer<[u32; 4]>,
    weights: Buffer<[f32; 4]>,
    /// Numbers of the bodies' vertices, by slot, before skins have theirs.
    pub of_bodies: Buffer<f32>,
}

impl Skins {
    /// Puts what skins hang on onto the device. Vertices in the user's order have the slots `slot_of_user`, of which there are
    /// `slots` with their padding.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        places: &SkinSlots,
        slot_of_user: &[u32],
        slots: usize,
    ) -> Result<Self, GpuError> {
        let mut corners = vec![[NONE; 4]; places.count()];
        let mut weights = vec![[0.0; 4]; places.count()];
        for (body, first) in model.bodies.iter().zip(&places.first) {
            let (Some(skin), Some(first)) = (&body.skin, first) else { continue };
            let slot = |v: u32| slot_of_user[(body.vertices.start + v) as usize];
            let above = if skin.is_on_triangles { 1.0 } else { 0.0 };
            for (i, anchor) in skin.anchors.iter().enumerate() {
                let at = *first as usize + i;
                corners[at] = anchor.corners.map(slot);
                let [u, v, w] = anchor.weights;
                weights[at] = [u, v, w, above];
            }
        }
        Ok(Self {
            kernel: Kernel::new(gpu, &KERNEL)?,
            corners: gpu.storage("corners of skins", &corners)?,
            weights: gpu.storage("weights of skins", &weights)?,
            of_bodies: gpu.zeros("values under skins", slots)?,
        })
    }

    /// Records what skins are, behind what bodies are in the same arrays.
    pub fn record(
        &self,
        gpu: &Gpu,
        commands: &mut Commands,
        positions: &Buffer<[f32; 4]>,
        values: &Buffer<f32>,
    ) {
        commands.copy(&self.of_bodies, values, self.of_bodies.len());
        let bindings =
            [(&self.corners).into(), (&self.weights).into(), positions.into(), values.into()];
        let group = self.kernel.bind(gpu, &bindings);
        commands.run(&self.kernel, &group, &[], self.corners.len());
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.corners.bytes() + self.weights.bytes() + self.of_bodies.bytes()
    }
}
