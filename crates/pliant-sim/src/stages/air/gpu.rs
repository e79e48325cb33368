//! The air on a device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use crate::model::Model;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::{Layout, Lists};
use crate::stages::gpu::library::LIBRARY;

const READ: Access = Access::Read;

/// The kernel.
pub const KERNEL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "air.wgsl", source: include_str!("kernel.wgsl") },
    entry: "blow",
    constants: &[],
    bindings: &[READ, READ, READ, READ, READ, Access::Write, Access::Record],
};

/// The kernel, bound to a model's arrays.
pub struct Blowing {
    kernel: Kernel,
    group: BindGroup,
    triangles: Buffer<[u32; 4]>,
    lists: Buffer<u32>,
    slots: usize,
}

impl Blowing {
    /// Makes the kernel; `arrays.touch` must have its room already.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Self, GpuError> {
        let slot = |v: u32| layout.slot_of[v as usize];
        let triangle = |(&[a, b, c], inv_mass): (&[u32; 3], f32)| {
            [slot(a), slot(b), slot(c), inv_mass.to_bits()]
        };
        let triangles: Vec<[u32; 4]> =
            model.triangles.iter().zip(super::inverse_masses(model)).map(triangle).collect();
        let entries = triangles.iter().enumerate();
        let entries = entries.flat_map(|(n, t)| [t[0], t[1], t[2]].map(|slot| (slot, n as u32)));
        let lists = Lists::new(layout.slot_count(), entries);
        let kernel = Kernel::new(gpu, &KERNEL)?;
        let triangles = gpu.storage("triangles in the air", &triangles)?;
        let lists = gpu.storage("triangles at vertices", &lists.words)?;
        let group = kernel.bind(
            gpu,
            &[
                (&arrays.position).into(),
                (&arrays.velocity).into(),
                (&triangles).into(),
                (&lists).into(),
                (&arrays.flags).into(),
                (&arrays.touch).into(),
                arrays.record(),
            ],
        );
        Ok(Self { kernel, group, triangles, lists, slots: layout.slot_count() })
    }

    /// Kernel, arrays and invocations.
    pub fn dispatch(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernel, &self.group, self.slots)
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.triangles.bytes() + self.lists.bytes()
    }
}
