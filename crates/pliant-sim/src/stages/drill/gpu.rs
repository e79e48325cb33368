//! The list that is too small, on a device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Binding, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::Drill;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::library::LIBRARY;
use crate::step::{Advance, Stage};

const BINDINGS: &[Access] = &[Access::Read, Access::Write, Access::Write, Access::Record];

/// The list, and the kernel that fills it.
pub struct Drilling {
    /// The room in the list, then what each substep of a stretch puts into it.
    told: Buffer<u32>,
    list: Buffer<u32>,
    kernel: Kernel,
    group: BindGroup,
    threads: usize,
}

impl Drilling {
    pub fn new(gpu: &Gpu, arrays: &Arrays) -> Result<Self, GpuError> {
        let (told, list) = (gpu.zeros("told to the drill", 1)?, gpu.zeros("drill", 1)?);
        let description = KernelDesc {
            library: LIBRARY,
            module: Module { name: "drill.wgsl", source: include_str!("kernel.wgsl") },
            entry: "drill",
            constants: &[("STAGE", Stage::Drill.number() as f64)],
            bindings: BINDINGS,
        };
        let kernel = Kernel::new(gpu, &description)?;
        let group = kernel.bind(gpu, &bindings(&told, &list, arrays));
        Ok(Self { told, list, kernel, group, threads: 0 })
    }

    /// Tells the kernel what the substeps of a stretch put into the list.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        arrays: &Arrays,
        drill: Drill,
        job: &Advance<'_>,
    ) -> Result<(), GpuError> {
        let entries = (0..job.count).map(|i| drill.entries(job, i).min(u64::from(u32::MAX)) as u32);
        let told: Vec<u32> = [self.list.len() as u32].into_iter().chain(entries).collect();
        if self.told.grow(told.len())? {
            self.group = self.kernel.bind(gpu, &bindings(&self.told, &self.list, arrays));
        }
        self.told.write(0, &told);
        // One beyond the end is enough to find out that it is too short.
        let most = told[1..].iter().copied().max().unwrap_or(0) as usize;
        self.threads = most.min(self.list.len() + 1);
        Ok(())
    }

    pub fn make_room(&mut self, gpu: &Gpu, arrays: &Arrays, entries: u64) -> Result<(), GpuError> {
        if self.list.grow(entries as usize)? {
            self.group = self.kernel.bind(gpu, &bindings(&self.told, &self.list, arrays));
        }
        Ok(())
    }

    pub fn dispatch(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernel, &self.group, self.threads)
    }
}

fn bindings<'a>(
    told: &'a Buffer<u32>,
    list: &'a Buffer<u32>,
    arrays: &'a Arrays,
) -> [Binding<'a>; 4] {
    [told.into(), list.into(), (&arrays.flags).into(), arrays.record()]
}
