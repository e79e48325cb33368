//! Bending on a device.

use pliant_gpu::Access::{Read, Record, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::Layout;
use crate::stages::gpu::library::LIBRARY;
use crate::stages::gpu::record::STRIDE;

const BEND: &[Access] = &[Read, Read, Read, Read, Read, Write, Record];

/// The kernel that adds forces of bending.
pub const KERNEL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "kernel.wgsl", source: include_str!("kernel.wgsl") },
    entry: "bend",
    constants: &[],
    bindings: BEND,
};

/// The hinges of a model, and the kernel bound to them.
pub struct Bending {
    kernel: Kernel,
    group: BindGroup,
    slots: usize,
    /// Corners (slots) of each hinge.
    pub hinges: Buffer<[u32; 4]>,
    /// How each resists, in two vectors.
    pub hinge: Buffer<[f32; 4]>,
    lists: Buffer<u32>,
}

impl Bending {
    /// Puts the hinges of a model on a device; nothing if it has none.
    pub fn new(gpu: &Gpu, layout: &Layout, arrays: &Arrays) -> Result<Option<Self>, GpuError> {
        if layout.hinges.is_empty() {
            return Ok(None);
        }
        let hinges = gpu.storage("hinges", &layout.hinges)?;
        let hinge = gpu.storage("hinge_coefficients", layout.hinge.as_flattened())?;
        let lists = gpu.storage("hinge_lists", &layout.hinge_lists().words)?;
        let Arrays { position, flags, force, .. } = arrays;
        let bindings = [
            position.into(),
            (&hinges).into(),
            (&hinge).into(),
            (&lists).into(),
            flags.into(),
            force.into(),
            arrays.record(),
        ];
        let (kernel, group) = Kernel::bound(gpu, &KERNEL, &bindings)?;
        Ok(Some(Self { kernel, group, slots: layout.slot_count(), hinges, hinge, lists }))
    }

    /// Kernel, its arrays, and how many invocations it needs.
    pub fn dispatch(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernel, &self.group, self.slots)
    }

    /// Records that its forces are added to what is there; `record` is the place of the step's record.
    pub fn run(&self, commands: &mut Commands, record: u32) {
        commands.run(&self.kernel, &self.group, &[record * STRIDE], self.slots);
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.hinges.bytes() + self.hinge.bytes() + self.lists.bytes()
    }
}
