//! Bending in implicit steps on a device: kernels that follow those of springs and volumes where there are hinges.

use pliant_gpu::Access::{Read, Record, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::{Offsets, Own};
use crate::stages::bending::gpu::Bending;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::library::LIBRARY;
use crate::stages::implicit::pairs::Pairs;

const LINEARISE: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Write, Record];
const INSPECT: &[Access] = &[Read, Read, Read, Read, Read, Write, Record];

/// The kernels in the order of their first run in a step.
#[derive(Clone, Copy)]
pub(super) enum BendingKernel {
    InspectStart,
    Linearise,
    InspectEnd,
}

/// Descriptions of the kernels; `constants` say whether pair blocks are full.
pub fn descriptions<'a>(constants: &'a [(&'a str, f64)]) -> [KernelDesc<'a>; 3] {
    let desc = |entry, module, bindings, constants| KernelDesc {
        library: LIBRARY,
        module,
        entry,
        constants,
        bindings,
    };
    let linearise = Module {
        name: "linearise_bending.wgsl",
        source: include_str!("../linearise_bending.wgsl"),
    };
    let inspect =
        Module { name: "inspect_bending.wgsl", source: include_str!("../inspect_bending.wgsl") };
    [
        desc("inspect_bending", inspect, INSPECT, &[("IS_START", 1.0)]),
        desc("linearise_bending", linearise, LINEARISE, constants),
        desc("inspect_bending", inspect, INSPECT, &[("IS_START", 0.0)]),
    ]
}

/// The kernels, bound to the arrays of a system.
pub(super) struct BendingSystem {
    kernels: [(Kernel, BindGroup); 3],
    bent_pairs: Buffer<[u32; 2]>,
    around: Buffer<u32>,
}

impl BendingSystem {
    pub fn new(
        gpu: &Gpu,
        found: &Pairs,
        own: &Own,
        arrays: &Arrays,
        bending: &Bending,
        constants: &[(&str, f64)],
    ) -> Result<Self, GpuError> {
        let bent_pairs = gpu.storage("pairs of hinges", &found.bent)?;
        let around = gpu.storage("hinges round pairs", &found.around_bent)?;
        let Bending { hinges, hinge, .. } = bending;
        let Arrays { position, body_constants, flags, .. } = arrays;
        let linearised = [
            (&bent_pairs).into(),
            (&around).into(),
            (&own.pairs).into(),
            position.into(),
            hinges.into(),
            hinge.into(),
            flags.into(),
            (&own.blocks).into(),
            arrays.record(),
        ];
        let inspected = [
            position.into(),
            hinges.into(),
            hinge.into(),
            body_constants.into(),
            flags.into(),
            (&own.checks).into(),
            arrays.record(),
        ];
        let [start, linearise, end] = descriptions(constants);
        let kernels = [
            Kernel::bound(gpu, &start, &inspected)?,
            Kernel::bound(gpu, &linearise, &linearised)?,
            Kernel::bound(gpu, &end, &inspected)?,
        ];
        Ok(Self { kernels, bent_pairs, around })
    }

    /// Records one of the kernels; inspections have as many invocations as those of other elements.
    pub fn run(
        &self,
        commands: &mut Commands,
        kernel: BendingKernel,
        offsets: Offsets,
        sums: usize,
    ) {
        let threads = match kernel {
            BendingKernel::Linearise => self.bent_pairs.len() - 1,
            BendingKernel::InspectStart | BendingKernel::InspectEnd => sums,
        };
        let (kernel, group) = &self.kernels[kernel as usize];
        commands.run(kernel, group, &[offsets.step], threads);
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.bent_pairs.bytes() + self.around.bytes()
    }
}
