//! Pins on a device.

use std::ops::Range;

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::formula::Led;
use super::{Pins, Stretch};
use crate::stages::gpu::arrays::{Arrays, RECORDS};
use crate::stages::gpu::layout::Layout;
use crate::stages::gpu::library::LIBRARY;
use crate::step::Advance;

/// Vectors of a path in a substep.
const VECTORS: usize = 3;

/// Description of the kernel for so many vertices.
pub fn description<'a>(constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    use Access::{Read, Record, Write};
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "pins.wgsl", source: include_str!("kernel.wgsl") },
        entry: "lead",
        constants,
        bindings: &[Read, Read, Write, Read, Read, Read, Record],
    }
}

/// The kernel, bound to the vertices that are led.
pub struct Leading {
    kernel: Kernel,
    group: BindGroup,
    pinned: Buffer<[f32; 4]>,
    paths: Buffer<[f32; 4]>,
    threads: usize,
}

impl Leading {
    /// Makes room for the pins of a model; nothing where there are none.
    pub fn new(
        gpu: &Gpu,
        pins: &Pins,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Option<Self>, GpuError> {
        if pins.is_empty() {
            return Ok(None);
        }
        let threads = pins.vertices.len();
        let words = pins.vertices.iter().flat_map(|pinned| {
            let slot = layout.slot_of[pinned.vertex as usize];
            let with = |[x, y, z]: [f32; 3], bits| [x, y, z, f32::from_bits(bits)];
            [with(pinned.rest, slot), with(pinned.arm, pinned.path)]
        });
        let pinned = gpu.storage("pinned", &words.collect::<Vec<_>>())?;
        let paths = gpu.zeros("paths of pins", 1 + VECTORS * pins.paths.len() * RECORDS)?;
        let kernel = Kernel::new(gpu, &description(&[("PINNED", threads as f64)]))?;
        let buffers = [
            (&arrays.position).into(),
            (&arrays.compensation).into(),
            (&arrays.velocity).into(),
            (&pinned).into(),
            (&paths).into(),
            (&arrays.flags).into(),
            arrays.record(),
        ];
        let group = kernel.bind(gpu, &buffers);
        Ok(Some(Self { kernel, group, pinned, paths, threads }))
    }

    /// Writes where pins lead in some substeps of a stretch, which are one submission.
    pub fn write(&self, pins: &Pins, job: &Advance<'_>, substeps: Range<u64>) {
        let stretch = Stretch::of_substeps(pins, job, substeps.clone());
        let bits = |number: usize| f32::from_bits(number as u32);
        let head = [bits(substeps.start as usize), bits(pins.paths.len()), stretch.per_h, 0.0];
        let vectors = |led: &Led<f32>| {
            let shift: [f32; 3] = led.shift.into();
            let row = |k: usize| [led.turn[k].x, led.turn[k].y, led.turn[k].z, shift[k]];
            [row(0), row(1), row(2)]
        };
        let led = substeps.flat_map(|substep| stretch.at(substep).iter().flat_map(vectors));
        self.paths.write(0, &[head].into_iter().chain(led).collect::<Vec<_>>());
    }

    /// The kernel, what it is bound to, and its invocations.
    pub fn dispatch(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernel, &self.group, self.threads)
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.pinned.bytes() + self.paths.bytes()
    }
}
