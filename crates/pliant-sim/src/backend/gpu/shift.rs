//! Moving the origins of bodies on the device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::GpuBackend;
use super::output::half_done;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::get_or_build;
use crate::stages::gpu::library::LIBRARY;

/// The kernel.
pub const KERNEL: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "shift.wgsl", source: include_str!("shift.wgsl") },
    entry: "shift",
    constants: &[],
    bindings: &[Access::Write, Access::Uniform],
};

/// Twin of the struct in shift.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Shift {
    /// What is taken from the positions \[m\].
    pub by: [f32; 4],
    /// The first slot and the end; the others are unused.
    pub slots: [u32; 4],
}

/// The kernel, bound to a model's positions.
pub(super) struct Shifting {
    kernel: Kernel,
    group: BindGroup,
    record: Buffer<Shift>,
}

impl Shifting {
    fn new(gpu: &Gpu, arrays: &Arrays) -> Result<Self, GpuError> {
        let (kernel, record) = (Kernel::new(gpu, &KERNEL)?, gpu.uniform("shift", 1)?);
        let group = kernel.bind(gpu, &[(&arrays.position).into(), (&record).into()]);
        Ok(Self { kernel, group, record })
    }
}

impl GpuBackend {
    /// Subtracts `shift` \[m\] from the positions of a body.
    pub fn shift_body(&mut self, body: u32, shift: [f32; 3]) {
        self.present_changes();
        let slots = self.layout.body_slots(body);
        let shifting = match get_or_build(&self.shifting, || Shifting::new(&self.gpu, &self.arrays))
        {
            Ok(shifting) => shifting,
            Err(e) => return self.fail(half_done(e)),
        };
        let [x, y, z] = shift;
        let slots_of = [slots.start as u32, slots.end as u32, 0, 0];
        shifting.record.write(0, &[Shift { by: [x, y, z, 0.0], slots: slots_of }]);
        let mut commands = self.gpu.commands("shift");
        commands.run(&shifting.kernel, &shifting.group, &[], slots.len());
        commands.submit();
    }
}
