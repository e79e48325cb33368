//! Drags and pushes on a device.
//!
//! One kernel writes the pushes on every vertex, a second adds the rubber bands at held vertices.
//! What does not change from step to step is uploaded once; hands move, and are uploaded submission by
//! submission as points in the coordinates of the bodies that they hold. A third kernel adds up what all
//! hands do, for whoever watches.

mod total;

use std::collections::HashMap;
use std::ops::Range;

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::cpu::local;
use super::{Drag, Touch};
use crate::math::Vec3;
use crate::model::Model;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::{Layout, SLICE};
use crate::stages::gpu::library::LIBRARY;
use crate::step::Advance;
pub use total::TOTAL;
use total::Total;

const READ: Access = Access::Read;
const PUSHED: &[Access] = &[READ, READ, READ, READ, READ, Access::Write, Access::Record];
const DRAGGED: &[Access] = &[READ, READ, READ, READ, READ, READ, Access::Write, Access::Record];

/// Most that a squared radius may be \[m²\]: it reaches everything, and is still a number when
/// something is added to it.
const EVERYWHERE: f32 = 1e36;

/// Descriptions of the two kernels.
pub fn descriptions() -> [KernelDesc<'static>; 2] {
    let pushes = Module { name: "pushes.wgsl", source: include_str!("pushes.wgsl") };
    let drags = Module { name: "drags.wgsl", source: include_str!("drags.wgsl") };
    [("pushed", pushes, PUSHED), ("dragged", drags, DRAGGED)].map(|(entry, module, bindings)| {
        KernelDesc { library: LIBRARY, module, entry, constants: &[], bindings }
    })
}

/// A push as pushes.wgsl knows it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PushWords {
    /// Unit vector.
    pub axis: [f32; 3],
    /// Squared radius \[m²\].
    pub radius2: f32,
    /// Force on each vertex \[N\].
    pub force: f32,
    padding: [f32; 3],
}

/// A held vertex as drags.wgsl knows it: a slot and a range of bands.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct HeldVertex {
    /// The vertex.
    pub slot: u32,
    /// Its first band.
    pub first: u32,
    /// The one after its last.
    pub end: u32,
}

/// A vertex on a hand as drags.wgsl knows it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Band {
    /// Where the vertex was, relative to the hand \[m\].
    pub offset: [f32; 3],
    /// The hand and the body.
    pub grip: u32,
}

/// The touches as the kernels read them, apart from where hands are.
#[derive(Default, PartialEq)]
struct TouchArrays {
    pushes: Vec<PushWords>,
    points: Vec<[f32; 4]>,
    holds: Vec<HeldVertex>,
    bands: Vec<Band>,
    /// Which touch, and which body, a grip stands for.
    grips: Vec<(usize, u32)>,
}

/// The kernels of drags and pushes, bound to a model's arrays.
pub struct TouchForces {
    kernels: [Kernel; 2],
    groups: [BindGroup; 2],
    pushes: Buffer<PushWords>,
    points: Buffer<[f32; 4]>,
    holds: Buffer<HeldVertex>,
    bands: Buffer<Band>,
    hands: Buffer<[u32; 4]>,
    /// Made when it is asked for.
    total: Option<Total>,
    uploaded: TouchArrays,
    /// Slot of each vertex in the user's numbering.
    slot_of_user: Vec<u32>,
    slots: usize,
}

impl TouchForces {
    /// Makes the kernels; `arrays.touch` must have its room already.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Self, GpuError> {
        let [pushed, dragged] = descriptions();
        let kernels = [Kernel::new(gpu, &pushed)?, Kernel::new(gpu, &dragged)?];
        let pushes = gpu.zeros("pushes", 0)?;
        let points = gpu.zeros("push points", 0)?;
        let holds = gpu.zeros("holds", 0)?;
        let bands = gpu.zeros("bands", 0)?;
        let hands = gpu.zeros("hands", 1)?;
        let groups = bind(gpu, &kernels, arrays, (&pushes, &points), (&holds, &bands, &hands));
        let mut slot_of_user = vec![0u32; model.vertex_count()];
        for (&user, &slot) in model.vertex_order.iter().zip(&layout.slot_of) {
            slot_of_user[user as usize] = slot;
        }
        let (uploaded, slots) = (TouchArrays::default(), layout.slot_count());
        Ok(Self {
            kernels,
            groups,
            pushes,
            points,
            holds,
            bands,
            hands,
            total: None,
            uploaded,
            slot_of_user,
            slots,
        })
    }

    /// Uploads touches, where bodies have these origins; submissions tell where hands
    /// are at so many moments at most.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        layout: &Layout,
        arrays: &Arrays,
        (touches, origins): (&[Touch], &[[f64; 3]]),
        moments: usize,
    ) -> Result<(), GpuError> {
        let uploaded = TouchArrays::new(layout, &self.slot_of_user, touches, origins);
        let grown = [
            self.pushes.grow(uploaded.pushes.len())?,
            self.points.grow(uploaded.points.len())?,
            self.holds.grow(uploaded.holds.len())?,
            self.bands.grow(uploaded.bands.len())?,
            self.hands.grow(1 + uploaded.grips.len() * moments)?,
        ];
        if grown.contains(&true) {
            let Self { pushes, points, holds, bands, hands, .. } = self;
            self.groups =
                bind(gpu, &self.kernels, arrays, (&*pushes, &*points), (&*holds, &*bands, &*hands));
        }
        if grown.contains(&true) || uploaded != self.uploaded {
            let mut padded = uploaded.pushes.clone();
            padded.resize(self.pushes.len(), PushWords::default());
            self.pushes.write(0, &padded);
            self.points.write(0, &uploaded.points);
            self.holds.write(0, &uploaded.holds);
            self.bands.write(0, &uploaded.bands);
            self.uploaded = uploaded;
        }
        Ok(())
    }

    /// Uploads where the hands are in some substeps of a job.
    pub fn write_hands(&self, job: &Advance<'_>, substeps: Range<u64>) {
        let first = substeps.start as u32 + 1;
        let times = substeps.map(|i| (i + 1) as f64 * job.h);
        self.write_hands_at(job.touches, job.origins, first, times);
    }

    /// Writes where the hands are at some times from now \[s\], the first of which belongs to the substep
    /// `first`.
    fn write_hands_at(
        &self,
        touches: &[Touch],
        origins: &[[f64; 3]],
        first: u32,
        times: impl Iterator<Item = f64>,
    ) {
        let (grips, holds) = (self.uploaded.grips.len() as u32, self.uploaded.holds.len() as u32);
        let mut words = vec![[first, grips, holds, origins.len() as u32]];
        for time in times {
            for &(touch, body) in &self.uploaded.grips {
                let Touch::Drag(drag) = &touches[touch] else { continue };
                let [x, y, z] = local(drag.hand_after(time), origins[body as usize]).into();
                words.push([x, y, z, drag.stiffness as f32].map(f32::to_bits));
            }
        }
        self.hands.write(0, &words);
    }

    /// Kernels, arrays and invocations: pushes, then drags.
    pub fn dispatch(&self) -> [(&Kernel, &BindGroup, usize); 2] {
        let threads = [self.slots, self.uploaded.holds.len()];
        std::array::from_fn(|i| (&self.kernels[i], &self.groups[i], threads[i]))
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let drags = self.holds.bytes() + self.bands.bytes() + self.hands.bytes();
        let total = self.total.as_ref().map_or(0, Total::bytes);
        self.pushes.bytes() + self.points.bytes() + drags + total
    }
}

impl TouchArrays {
    fn new(layout: &Layout, slot_of_user: &[u32], touches: &[Touch], origins: &[[f64; 3]]) -> Self {
        let mut uploaded = Self::default();
        let mut bands = Vec::new();
        for (i, touch) in touches.iter().enumerate() {
            match touch {
                Touch::Push(push) => {
                    let axis = Vec3::<f64>::from(push.direction);
                    let axis = axis * (1.0 / axis.length());
                    let axis = axis.to_f64().map(|c| c as f32);
                    let (radius, force) = (push.radius as f32, push.force as f32);
                    // A push without a direction or a radius reaches nothing.
                    if axis.iter().any(|c| !c.is_finite()) || radius.is_nan() {
                        continue;
                    }
                    let radius2 = (radius * radius).min(EVERYWHERE);
                    uploaded.pushes.push(PushWords { axis, radius2, force, padding: [0.0; 3] });
                    uploaded.points.extend(origins.iter().map(|&o| {
                        let [x, y, z] = local(push.origin, o).into();
                        [x, y, z, 0.0]
                    }));
                }
                Touch::Drag(drag) => uploaded.hold(layout, slot_of_user, i, drag, &mut bands),
                Touch::Carry(_) => {}
            }
        }
        // Sorting keeps the order of the bands of one vertex.
        bands.sort_by_key(|&(slot, _)| slot);
        for (i, (slot, band)) in bands.into_iter().enumerate() {
            uploaded.bands.push(band);
            let end = i as u32 + 1;
            match uploaded.holds.last_mut().filter(|h| h.slot == slot) {
                Some(hold) => hold.end = end,
                None => uploaded.holds.push(HeldVertex { slot, first: i as u32, end }),
            }
        }
        uploaded
    }

    /// Adds the bands of a drag.
    fn hold(
        &mut self,
        layout: &Layout,
        slot_of_user: &[u32],
        touch: usize,
        drag: &Drag,
        bands: &mut Vec<(u32, Band)>,
    ) {
        let mut grip_of_body = HashMap::new();
        for (&user, offset) in drag.vertices.iter().zip(&drag.offsets) {
            let slot = slot_of_user[user as usize];
            let body = layout.slice_body[slot as usize / SLICE];
            let grip = *grip_of_body.entry(body).or_insert_with(|| {
                self.grips.push((touch, body));
                self.grips.len() as u32 - 1
            });
            bands.push((slot, Band { offset: offset.map(|c| c as f32), grip }));
        }
    }
}

fn bind(
    gpu: &Gpu,
    kernels: &[Kernel; 2],
    arrays: &Arrays,
    (pushes, points): (&Buffer<PushWords>, &Buffer<[f32; 4]>),
    (holds, bands, hands): (&Buffer<HeldVertex>, &Buffer<Band>, &Buffer<[u32; 4]>),
) -> [BindGroup; 2] {
    let Arrays { position, velocity, touch, body_constants, flags, .. } = arrays;
    [
        kernels[0].bind(
            gpu,
            &[
                position.into(),
                body_constants.into(),
                pushes.into(),
                points.into(),
                flags.into(),
                touch.into(),
                arrays.record(),
            ],
        ),
        kernels[1].bind(
            gpu,
            &[
                position.into(),
                velocity.into(),
                holds.into(),
                bands.into(),
                hands.into(),
                flags.into(),
                touch.into(),
                arrays.record(),
            ],
        ),
    ]
}
