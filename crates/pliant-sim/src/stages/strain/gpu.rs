//! Strain limits on a device.

use pliant_gpu::Access::{Read, Record, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Binding, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module, Readback};

use super::{StrainLimits, StrainReport};
use crate::scene::LimitBy;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::{Layout, Lists};
use crate::stages::gpu::library::LIBRARY;

/// What kernels know of an iteration: twin of the struct in iteration.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Iteration {
    /// Its number in a substep, from 0.
    pub number: u32,
    /// How many there are.
    pub count: u32,
    /// Length of a substep \[s\].
    pub h: f32,
    /// Its inverse \[1/s\].
    pub per_h: f32,
}

/// An [`Iteration`] in an array of uniforms, whose elements must begin at multiples of 256 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct IterationRecord {
    iteration: Iteration,
    padding: [[u32; 15]; 4],
}

/// Bytes from one iteration to the next.
pub const STRIDE: u32 = size_of::<IterationRecord>() as u32;

/// The kernel that finds impulses of so many edges.
pub fn edges<'a>(constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "edges.wgsl", source: include_str!("edges.wgsl") },
        entry: "strain",
        constants,
        bindings: &[Read, Read, Read, Read, Read, Write, Write, Read, Record, Record],
    }
}

/// The kernel that lets vertices take them.
pub const VERTICES: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "vertices.wgsl", source: include_str!("vertices.wgsl") },
    entry: "limit",
    constants: &[],
    bindings: &[Read, Read, Write, Write, Write, Read, Record, Record],
};

/// The kernel that finds the largest stretch of so many edges.
pub fn measure<'a>(constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "measure.wgsl", source: include_str!("measure.wgsl") },
        entry: "stretch",
        constants,
        bindings: &[Read, Read, Read, Read, Write],
    }
}

/// The limited edges of a model, and the kernels bound to them.
pub struct Limiting {
    gpu: Gpu,
    kernels: [(Kernel, BindGroup); 3],
    slots: usize,
    /// How long substeps are for which iterations are written \[s\].
    h: f64,
    iterations: Buffer<IterationRecord>,
    edges: Buffer<[u32; 4]>,
    kinds: Buffer<u32>,
    table: Buffer<[f32; 4]>,
    impulses: Buffer<[f32; 4]>,
    last: Buffer<f32>,
    lists: Buffer<u32>,
    largest: Buffer<u32>,
}

impl Limiting {
    /// Puts the limits of a model on a device; nothing if it has none.
    pub fn new(
        gpu: &Gpu,
        limits: &StrainLimits,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Option<Self>, GpuError> {
        if limits.is_empty() {
            return Ok(None);
        }
        let slot = |v: u32| layout.slot_of[v as usize];
        let words = limits.edges.iter().map(|edge| {
            let [i, j] = edge.ends.map(slot);
            [i, j, edge.limit.to_bits(), edge.gain.to_bits()]
        });
        let edges = gpu.storage("limited edges", &words.collect::<Vec<_>>())?;
        let kinds: Vec<u32> = limits.edges.iter().map(|edge| edge.kind).collect();
        let kinds = gpu.storage("kinds of limits", &kinds)?;
        let table = gpu.storage("iterations of limits", &table(limits))?;
        let impulses = gpu.zeros("limiting impulses", limits.edges.len())?;
        let last = gpu.zeros("last changes of impulses", limits.edges.len())?;
        let lists = gpu.storage("limited edges at vertices", &lists(limits, layout).words)?;
        let iterations = gpu.uniform("iterations", limits.iterations() as usize)?;
        let largest = gpu.zeros("largest stretch", 2)?;
        let Arrays { position, compensation, velocity, flags, .. } = arrays;
        let iteration = || Binding::record(&iterations, u64::from(STRIDE));
        let count = ("LIMITED", limits.edges.len() as f64);
        let counts = [count, ("ITERATIONS", f64::from(limits.iterations()))];
        let find = [
            position.into(),
            velocity.into(),
            (&edges).into(),
            (&kinds).into(),
            (&table).into(),
            (&impulses).into(),
            (&last).into(),
            flags.into(),
            arrays.record(),
            iteration(),
        ];
        let take = [
            (&impulses).into(),
            (&lists).into(),
            position.into(),
            compensation.into(),
            velocity.into(),
            flags.into(),
            arrays.record(),
            iteration(),
        ];
        let look =
            [position.into(), (&edges).into(), (&kinds).into(), (&table).into(), (&largest).into()];
        let kernels = [
            Kernel::bound(gpu, &self::edges(&[count]), &find)?,
            Kernel::bound(gpu, &VERTICES, &take)?,
            Kernel::bound(gpu, &measure(&counts), &look)?,
        ];
        let (gpu, slots) = (gpu.clone(), layout.slot_count());
        Ok(Some(Self {
            gpu,
            kernels,
            slots,
            h: 0.0,
            iterations,
            edges,
            kinds,
            table,
            impulses,
            last,
            lists,
            largest,
        }))
    }

    /// Tells iterations how long substeps are from now on \[s\].
    pub fn prepare(&mut self, h: f64) {
        if self.h == h {
            return;
        }
        let count = self.iterations.len() as u32;
        let of = |number| {
            let (h, per_h) = (h as f32, (1.0 / h) as f32);
            let iteration = Iteration { number, count, h, per_h };
            IterationRecord { iteration, ..IterationRecord::default() }
        };
        self.iterations.write(0, &(0..count).map(of).collect::<Vec<_>>());
        self.h = h;
    }

    /// The kernel that finds impulses, what it is bound to, and its invocations.
    pub fn find(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernels[0].0, &self.kernels[0].1, self.edges.len())
    }

    /// The one that lets vertices take them.
    pub fn take(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernels[1].0, &self.kernels[1].1, self.slots)
    }

    /// Edges that a substep goes through.
    pub fn elements(&self) -> usize {
        self.edges.len() * self.iterations.len()
    }

    /// How far edges are stretched now.
    pub async fn report(&self) -> Result<StrainReport, GpuError> {
        let mut commands: Commands = self.gpu.commands("stretch");
        let (kernel, group) = &self.kernels[2];
        commands.clear(&self.largest);
        commands.run(kernel, group, &[], self.edges.len());
        let mut readback = Readback::new(&self.gpu, "stretch", 8)?;
        readback.copy(&mut commands, &self.largest, 0..2, 0);
        commands.submit();
        readback.request();
        let words: Vec<u32> = readback.arrival().await?;
        let number = |n: usize| words.get(n).map_or(0.0, |&bits| f64::from(f32::from_bits(bits)));
        Ok(StrainReport { largest: number(0), beyond: number(1) })
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let edges = self.edges.bytes() + self.kinds.bytes() + self.lists.bytes();
        let impulses = self.impulses.bytes() + self.last.bytes();
        edges + impulses + self.table.bytes() + self.iterations.bytes() + self.largest.bytes()
    }
}

/// For each kind, iteration by iteration: the two numbers, 1 where velocities count, and how long an edge may be over
/// its length at rest.
fn table(limits: &StrainLimits) -> Vec<[f32; 4]> {
    let of = |(n, kind): (usize, &crate::scene::StrainLimit)| {
        let by_velocity = f32::from(u8::from(kind.by == LimitBy::Velocity));
        let allowed = (1.0 + kind.stretch) as f32;
        let numbers = limits.relaxation(n).into_iter();
        numbers.map(move |[a, b]| [a, b, by_velocity, allowed]).collect::<Vec<_>>()
    };
    limits.kinds.iter().enumerate().flat_map(of).collect()
}

/// Edges at each slot: four times their number, two more where vertices are moved, and one more at their second ends.
fn lists(limits: &StrainLimits, layout: &Layout) -> Lists {
    let ends = limits.edges.iter().enumerate().flat_map(|(n, edge)| {
        let is_moved = limits.kinds[edge.kind as usize].by == LimitBy::Position;
        let entry = 4 * n as u32 + 2 * u32::from(is_moved);
        [0, 1].map(|end| (layout.slot_of[edge.ends[end] as usize], entry + end as u32))
    });
    Lists::new(layout.slot_count(), ends)
}
