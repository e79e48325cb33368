//! Stress on a device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::Stress;
use crate::model::Model;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::Layout;
use crate::stages::gpu::library::LIBRARY;

const READ: Access = Access::Read;

/// The kernel.
pub const KERNEL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "stress.wgsl", source: include_str!("kernel.wgsl") },
    entry: "stress",
    constants: &[],
    bindings: &[READ, READ, READ, READ, READ, Access::Write],
};

/// Kernels for pictures: the equivalent stress of tetrahedra, and means at vertices.
pub const PICTURE_KERNELS: [KernelDesc<'static>; 2] = [
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "mises.wgsl", source: include_str!("mises.wgsl") },
        entry: "mises",
        constants: &[],
        bindings: &[READ, Access::Write],
    },
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "means.wgsl", source: include_str!("means.wgsl") },
        entry: "means",
        constants: &[],
        bindings: &[READ, READ, Access::Write],
    },
];

/// The kernel, bound to a model's arrays, and what it writes.
pub struct Stresses {
    kernel: Kernel,
    group: BindGroup,
    stiffness: Buffer<[f32; 6]>,
    lengths: Buffer<[f32; 6]>,
    stresses: Buffer<[f32; 6]>,
}

impl Stresses {
    /// Makes the kernel, and puts each tetrahedron's share of the springs on the device.
    pub fn new(gpu: &Gpu, model: &Model, arrays: &Arrays) -> Result<Self, GpuError> {
        let single = |of: &dyn Fn(usize) -> [f64; 6]| -> Vec<[f32; 6]> {
            (0..model.tets.len()).map(|t| of(t).map(|c| c as f32)).collect()
        };
        let stiffness = gpu.storage("stiffness", &single(&|t| model.stiffness_share(t)))?;
        let lengths = gpu.storage("lengths", &single(&|t| model.rest_lengths(t)))?;
        let stresses = gpu.zeros("stresses", model.tets.len())?;
        let kernel = Kernel::new(gpu, &KERNEL)?;
        let group = bind(gpu, &kernel, arrays, &stiffness, &lengths, &stresses);
        Ok(Self { kernel, group, stiffness, lengths, stresses })
    }

    /// Stress of each tetrahedron now, in model order; copies back nothing else.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<Stress>, GpuError> {
        let mut commands = gpu.commands("stress");
        commands.run(&self.kernel, &self.group, &[], self.stresses.len());
        commands.submit();
        let stresses = self.stresses.read()?;
        Ok(stresses.into_iter().map(|s| Stress(s.map(f64::from))).collect())
    }

    /// Records the stress of each tetrahedron. Once something has yielded, `lengths` are what the
    /// springs of the tetrahedra then return to.
    pub fn record(
        &self,
        gpu: &Gpu,
        commands: &mut Commands,
        arrays: &Arrays,
        lengths: Option<&Buffer<f32>>,
    ) {
        let yielded =
            lengths.map(|l| bind(gpu, &self.kernel, arrays, &self.stiffness, l, &self.stresses));
        let group = yielded.as_ref().unwrap_or(&self.group);
        commands.run(&self.kernel, group, &[], self.stresses.len());
    }

    /// Stress of each tetrahedron on the device, as of the last time it was computed \[Pa\].
    pub fn buffer(&self) -> &Buffer<[f32; 6]> {
        &self.stresses
    }

    /// Stiffness of the six springs of each tetrahedron \[N/m\].
    pub fn stiffness(&self) -> &Buffer<[f32; 6]> {
        &self.stiffness
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.stiffness.bytes() + self.lengths.bytes() + self.stresses.bytes()
    }
}

fn bind<L>(
    gpu: &Gpu,
    kernel: &Kernel,
    arrays: &Arrays,
    stiffness: &Buffer<[f32; 6]>,
    lengths: &Buffer<L>,
    stresses: &Buffer<[f32; 6]>,
) -> BindGroup {
    let Arrays { position, tets, volumes, .. } = arrays;
    kernel.bind(
        gpu,
        &[
            position.into(),
            tets.into(),
            volumes.into(),
            stiffness.into(),
            lengths.into(),
            stresses.into(),
        ],
    )
}

/// Makes pictures' numbers of stresses.
pub struct Equivalents {
    kernels: [Kernel; 2],
    tet_lists: Buffer<u32>,
}

impl Equivalents {
    /// Makes the kernels, and lists of each vertex' tetrahedra.
    pub fn new(gpu: &Gpu, layout: &Layout) -> Result<Self, GpuError> {
        let [mises, means] = &PICTURE_KERNELS;
        let kernels = [Kernel::new(gpu, mises)?, Kernel::new(gpu, means)?];
        let tet_lists = gpu.storage("tet_lists of pictures", &layout.tet_lists().words)?;
        Ok(Self { kernels, tet_lists })
    }

    /// Records the equivalent stress of each tetrahedron and its mean at each vertex \[Pa\].
    pub fn record(
        &self,
        gpu: &Gpu,
        commands: &mut Commands,
        stresses: &Buffer<[f32; 6]>,
        of_tets: &Buffer<f32>,
        at_vertices: &Buffer<f32>,
    ) {
        let [mises, means] = &self.kernels;
        let group = mises.bind(gpu, &[stresses.into(), of_tets.into()]);
        commands.run(mises, &group, &[], of_tets.len());
        let lists = &self.tet_lists;
        let group = means.bind(gpu, &[lists.into(), of_tets.into(), at_vertices.into()]);
        commands.run(means, &group, &[], at_vertices.len());
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.tet_lists.bytes()
    }
}
