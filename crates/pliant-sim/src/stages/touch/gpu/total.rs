//! The force of all hands together, added up on a device: only the sum comes to the host.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module, Readback, WORKGROUP};

use super::{READ, TouchForces};
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::Layout;
use crate::stages::gpu::library::LIBRARY;
use crate::stages::touch::Touch;

/// Workgroups that share the vertices: enough for a device, and few numbers to be copied.
const GROUPS: usize = 16;

/// The kernel that adds up.
pub const TOTAL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "total.wgsl", source: include_str!("../total.wgsl") },
    entry: "total",
    constants: &[],
    bindings: &[READ, READ, READ, READ, READ, READ, READ, Access::Write],
};

/// The kernel, and what it needs besides the touches.
pub(super) struct Total {
    kernel: Kernel,
    slice_body: Buffer<u32>,
    parts: Buffer<[f32; 4]>,
}

impl Total {
    fn new(gpu: &Gpu, layout: &Layout) -> Result<Self, GpuError> {
        Ok(Self {
            kernel: Kernel::new(gpu, &TOTAL)?,
            slice_body: gpu.storage("slice_body", &layout.slice_body)?,
            parts: gpu.zeros("parts of the total", GROUPS)?,
        })
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.slice_body.bytes() + self.parts.bytes()
    }
}

impl TouchForces {
    /// The force of all touches together at the present positions, without the drags' damping \[N\]. They
    /// must have been [prepared](TouchForces::prepare).
    pub async fn total(
        &mut self,
        gpu: &Gpu,
        layout: &Layout,
        arrays: &Arrays,
        (touches, origins): (&[Touch], &[[f64; 3]]),
    ) -> Result<[f64; 3], GpuError> {
        self.write_hands_at(touches, origins, 0, std::iter::once(0.0));
        let total = match self.total.take() {
            Some(total) => total,
            None => Total::new(gpu, layout)?,
        };
        let total = &*self.total.insert(total);
        let group: BindGroup = total.kernel.bind(
            gpu,
            &[
                (&arrays.position).into(),
                (&total.slice_body).into(),
                (&self.pushes).into(),
                (&self.points).into(),
                (&self.holds).into(),
                (&self.bands).into(),
                (&self.hands).into(),
                (&total.parts).into(),
            ],
        );
        let mut commands = gpu.commands("total of touches");
        commands.run(&total.kernel, &group, &[], GROUPS * WORKGROUP as usize);
        let mut readback = Readback::new(gpu, "total of touches", total.parts.bytes())?;
        readback.copy(&mut commands, &total.parts, 0..GROUPS, 0);
        commands.submit();
        readback.request();
        let parts: Vec<[f32; 4]> = readback.arrival().await?;
        let parts = parts.iter().take(GROUPS);
        Ok(std::array::from_fn(|k| parts.clone().map(|part| f64::from(part[k])).sum()))
    }
}
