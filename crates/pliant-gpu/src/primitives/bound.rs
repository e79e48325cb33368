//! A primitive that knows its buffers.

use std::sync::Arc;

use bytemuck::Pod;

use crate::{Binding, Buffer, Commands, Gpu, GpuError, Kernel, WORKGROUP};

/// A primitive bound to its buffers and a length. Recording it neither waits nor allocates, and may
/// be repeated; what is bound is read anew every time.
#[derive(Clone)]
pub struct Bound {
    gpu: Gpu,
    steps: Vec<Step>,
    // What the steps use, for as long as they may be recorded.
    uniforms: Vec<Arc<Buffer<[u32; 4]>>>,
    scratch: Vec<Scratch>,
}

/// Memory of a primitive, shared with what is bound to it.
#[derive(Clone)]
pub(super) struct Scratch(Arc<Buffer<u32>>);

impl Scratch {
    pub(super) fn new(gpu: &Gpu, label: &str, length: usize) -> Result<Self, GpuError> {
        gpu.zeros(label, length).map(|buffer| Self(Arc::new(buffer)))
    }
}

impl std::ops::Deref for Scratch {
    type Target = Buffer<u32>;

    fn deref(&self) -> &Buffer<u32> {
        &self.0
    }
}

#[derive(Clone)]
enum Step {
    Run { kernel: Arc<Kernel>, group: wgpu::BindGroup, threads: usize },
    Copy { from: wgpu::Buffer, to: wgpu::Buffer, bytes: u64 },
}

impl Bound {
    /// Nothing yet, which may use `scratch`.
    pub(super) fn new<'a>(gpu: &Gpu, scratch: impl IntoIterator<Item = &'a Scratch>) -> Self {
        let scratch = scratch.into_iter().cloned().collect();
        Self { gpu: gpu.clone(), steps: Vec::new(), uniforms: Vec::new(), scratch }
    }

    /// Adds a kernel that runs a workgroup per block. Its first binding is `uniform`.
    pub(super) fn run<U: Pod>(
        &mut self,
        kernel: &Arc<Kernel>,
        uniform: U,
        buffers: &[Binding<'_>],
        blocks: usize,
    ) -> Result<(), GpuError> {
        // A uniform of its own: writing to a shared one would change what is already recorded.
        let record = self.gpu.uniform(kernel.label(), 1)?;
        record.write(0, &[bytemuck::cast(uniform)]);
        let bindings: Vec<_> =
            std::iter::once((&record).into()).chain(buffers.iter().cloned()).collect();
        let group = kernel.bind(&self.gpu, &bindings);
        self.gpu.check()?;
        let threads = blocks * WORKGROUP as usize;
        self.steps.push(Step::Run { kernel: Arc::clone(kernel), group, threads });
        self.uniforms.push(Arc::new(record));
        Ok(())
    }

    /// Adds a copy of the first `length` elements.
    pub(super) fn copy(&mut self, from: &Buffer<u32>, to: &Buffer<u32>, length: usize) {
        let (from, to) = (from.raw().clone(), to.raw().clone());
        self.steps.push(Step::Copy { from, to, bytes: 4 * length as u64 });
    }

    /// Adds what another one does.
    pub(super) fn append(&mut self, other: &Self) {
        self.steps.extend_from_slice(&other.steps);
        self.uniforms.extend_from_slice(&other.uniforms);
        self.scratch.extend_from_slice(&other.scratch);
    }

    /// Records all dispatches.
    pub fn record(&self, commands: &mut Commands) {
        for step in &self.steps {
            match step {
                Step::Run { kernel, group, threads } => commands.run(kernel, group, &[], *threads),
                Step::Copy { from, to, bytes } => commands.copy_raw(from, 0, to, 0, *bytes),
            }
        }
    }
}
