//! Tethers on a device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::Lists;
use crate::stages::gpu::library::LIBRARY;

/// The kernel.
pub const KERNEL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "kernel.wgsl", source: include_str!("kernel.wgsl") },
    entry: "pull",
    constants: &[],
    bindings: &[Access::Read, Access::Read, Access::Read, Access::Write],
};

/// The kernel, bound to positions and forces that lie in the same slots.
pub struct Pulling {
    kernel: Kernel,
    group: BindGroup,
    slots: usize,
}

impl Pulling {
    pub fn new(
        gpu: &Gpu,
        lists: &Lists,
        position: &Buffer<[f32; 4]>,
        force: &Buffer<[f32; 4]>,
    ) -> Result<Self, GpuError> {
        let kernel = Kernel::new(gpu, &KERNEL)?;
        let first = gpu.storage("tether lists", &lists.first)?;
        let others = gpu.storage("tethers", &lists.others)?;
        let buffers = [position.into(), (&first).into(), (&others).into(), force.into()];
        let group = kernel.bind(gpu, &buffers);
        Ok(Self { kernel, group, slots: position.len() })
    }

    pub fn record(&self, commands: &mut Commands) {
        commands.run(&self.kernel, &self.group, &[], self.slots);
    }
}
