//! Stress on a device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::Stress;
use crate::backend::gpu::arrays::Arrays;
use crate::backend::gpu::library::LIBRARY;
use crate::model::Model;

const READ: Access = Access::Read;

/// The kernel.
pub const KERNEL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "stress.wgsl", source: include_str!("kernel.wgsl") },
    entry: "stress",
    constants: &[],
    bindings: &[READ, READ, READ, READ, READ, Access::Write],
};

/// The kernel, bound to a model's arrays, and what it writes.
pub struct Stresses {
    kernel: Kernel,
    group: BindGroup,
    hardness: Buffer<[f32; 6]>,
    lengths: Buffer<[f32; 6]>,
    stresses: Buffer<[f32; 6]>,
}

impl Stresses {
    /// Makes the kernel, and puts each tetrahedron's share of the springs on the device.
    pub fn new(gpu: &Gpu, model: &Model, arrays: &Arrays) -> Result<Self, GpuError> {
        let single = |of: &dyn Fn(usize) -> [f64; 6]| -> Vec<[f32; 6]> {
            (0..model.tets.len()).map(|t| of(t).map(|c| c as f32)).collect()
        };
        let hardness = gpu.storage("hardness", &single(&|t| model.hardness_share(t)))?;
        let lengths = gpu.storage("lengths", &single(&|t| model.rest_lengths(t)))?;
        let stresses = gpu.zeros("stresses", model.tets.len())?;
        let kernel = Kernel::new(gpu, &KERNEL)?;
        let group = kernel.bind(
            gpu,
            &[
                (&arrays.position).into(),
                (&arrays.tets).into(),
                (&arrays.volumes).into(),
                (&hardness).into(),
                (&lengths).into(),
                (&stresses).into(),
            ],
        );
        Ok(Self { kernel, group, hardness, lengths, stresses })
    }

    /// Stress of each tetrahedron now, in model order; copies back nothing else.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<Stress>, GpuError> {
        let mut commands = gpu.commands("stress");
        commands.run(&self.kernel, &self.group, &[], self.stresses.len());
        commands.submit();
        let stresses = self.stresses.read()?;
        Ok(stresses.into_iter().map(|s| Stress(s.map(f64::from))).collect())
    }

    /// Stress of each tetrahedron on the device, as of the last [`Stresses::read`] \[Pa\].
    pub fn buffer(&self) -> &Buffer<[f32; 6]> {
        &self.stresses
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.hardness.bytes() + self.lengths.bytes() + self.stresses.bytes()
    }
}
