//! Compiled entry points and what they are bound to.

use std::num::NonZeroU64;

use wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindGroupLayoutDescriptor, BindGroupLayoutEntry,
    BindingType, BufferBinding, BufferBindingType, ComputePipelineDescriptor,
    PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModuleDescriptor, ShaderSource,
    ShaderStages,
};

use crate::compose::{Module, compose};
use crate::{Buffer, Gpu, GpuError};

/// How a kernel uses one of its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    Write,
    /// `var<uniform>`.
    Uniform,
    /// `var<uniform>` that takes one record of an array, chosen when it is run.
    Record,
}

/// What a kernel is made from.
#[derive(Clone, Copy, Debug)]
pub struct KernelDesc<'a> {
    /// Where imports are looked up, besides [`crate::MODULES`].
    pub library: &'a [Module],
    /// The module with the entry point.
    pub module: Module,
    /// The entry point; also the kernel's label.
    pub entry: &'a str,
    /// Values of `override` constants.
    pub constants: &'a [(&'a str, f64)],
    /// Its buffers, in the order of `@binding` from 0 in `@group(0)`.
    pub bindings: &'a [Access],
}

/// A compiled kernel.
pub struct Kernel {
    pub(crate) pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    label: String,
    bindings: Vec<Access>,
}

/// A buffer to be bound.
#[derive(Clone)]
pub struct Binding<'a>(BufferBinding<'a>);

impl<'a, T> From<&'a Buffer<T>> for Binding<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        Self(BufferBinding { buffer: buffer.raw(), offset: 0, size: None })
    }
}

impl<'a> Binding<'a> {
    /// One record of `bytes` of an array of uniforms.
    pub fn record<T>(buffer: &'a Buffer<T>, bytes: u64) -> Self {
        let size = NonZeroU64::new(bytes);
        Self(BufferBinding { buffer: buffer.raw(), offset: 0, size })
    }
}

impl Kernel {
    /// Compiles a kernel.
    pub fn new(gpu: &Gpu, desc: &KernelDesc<'_>) -> Result<Self, GpuError> {
        let composed = compose(&[crate::MODULES, desc.library], desc.module)?;
        gpu.check()?;
        let device = gpu.device();
        let fail = |reason: String| match gpu.check() {
            Err(lost @ GpuError::Lost { .. }) => lost,
            _ => GpuError::Kernel { label: desc.entry.into(), reason },
        };
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label: Some(desc.module.name),
            source: ShaderSource::Wgsl(composed.source.as_str().into()),
        });
        gpu.check().map_err(|e| fail(located(&composed, &e.to_string())))?;
        let entries: Vec<_> =
            desc.bindings.iter().enumerate().map(|(i, &a)| entry(i as u32, a)).collect();
        let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: Some(desc.entry),
            entries: &entries,
        });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: Some(desc.entry),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(desc.entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(desc.entry),
            compilation_options: PipelineCompilationOptions {
                constants: desc.constants,
                ..PipelineCompilationOptions::default()
            },
            cache: None,
        });
        gpu.check().map_err(|e| fail(e.to_string()))?;
        let (label, bindings) = (desc.entry.to_string(), desc.bindings.to_vec());
        Ok(Self { pipeline, layout, label, bindings })
    }

    /// Compiles a kernel that is always bound to the same buffers.
    pub fn bound(
        gpu: &Gpu,
        desc: &KernelDesc<'_>,
        buffers: &[Binding<'_>],
    ) -> Result<(Self, wgpu::BindGroup), GpuError> {
        let kernel = Self::new(gpu, desc)?;
        let group = kernel.bind(gpu, buffers);
        Ok((kernel, group))
    }

    /// Its name.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Binds buffers, in the order of the kernel's bindings.
    pub fn bind(&self, gpu: &Gpu, buffers: &[Binding<'_>]) -> wgpu::BindGroup {
        assert_eq!(buffers.len(), self.bindings.len(), "{}: number of bindings", self.label);
        let entries: Vec<_> = buffers
            .iter()
            .enumerate()
            .map(|(i, b)| BindGroupEntry {
                binding: i as u32,
                resource: wgpu::BindingResource::Buffer(b.0.clone()),
            })
            .collect();
        gpu.device().create_bind_group(&BindGroupDescriptor {
            label: Some(&self.label),
            layout: &self.layout,
            entries: &entries,
        })
    }
}

fn entry(binding: u32, access: Access) -> BindGroupLayoutEntry {
    let ty = match access {
        Access::Read => BufferBindingType::Storage { read_only: true },
        Access::Write => BufferBindingType::Storage { read_only: false },
        Access::Uniform | Access::Record => BufferBindingType::Uniform,
    };
    let ty = BindingType::Buffer {
        ty,
        has_dynamic_offset: access == Access::Record,
        min_binding_size: None,
    };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::COMPUTE, ty, count: None }
}

/// A compiler's message with the place in our sources in front.
fn located(composed: &crate::compose::Composed, message: &str) -> String {
    // Compilers write "wgsl:LINE:COLUMN".
    let line =
        message.split("wgsl:").skip(1).find_map(|rest| rest.split(':').next()?.parse::<u32>().ok());
    match line.and_then(|l| composed.origin(l)) {
        Some((module, line)) => format!("{module}, line {line}: {message}"),
        None => message.to_string(),
    }
}
