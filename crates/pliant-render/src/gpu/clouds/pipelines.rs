//! What the device must know before it casts rays.

use pliant_gpu::wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BlendState,
    BufferBindingType, ColorTargetState, ColorWrites, ComputePipeline, ComputePipelineDescriptor,
    FragmentState, MultisampleState, PipelineCompilationOptions, PipelineLayoutDescriptor,
    PrimitiveState, RenderPipeline, RenderPipelineDescriptor, ShaderModule, ShaderStages,
    StorageTextureAccess, TextureFormat, TextureSampleType, TextureViewDimension, VertexState,
};
use pliant_gpu::{Gpu, GpuError};

use super::super::pipelines::{buffer, entry};
use super::super::shaders::{
    CLOUDS_BOXES, CLOUDS_CAST, CLOUDS_MIX, CLOUDS_POINTS, OPAQUE, compile, compile_with,
};

/// What the shaders of clouds are bound to, besides the picture.
pub(in crate::gpu) struct CloudLayouts {
    pub points: BindGroupLayout,
    pub boxes: BindGroupLayout,
    pub cast: BindGroupLayout,
    /// The depth of what is opaque, and where to put what was found before it.
    pub opaque: BindGroupLayout,
    /// What was found.
    pub found: BindGroupLayout,
}

/// Format of what rays find.
pub(in crate::gpu) const FOUND: TextureFormat = TextureFormat::Rgba16Float;

/// How a buffer is used.
const UNIFORM: BufferBindingType = BufferBindingType::Uniform;
const READ: BufferBindingType = BufferBindingType::Storage { read_only: true };
const WRITE: BufferBindingType = BufferBindingType::Storage { read_only: false };

impl CloudLayouts {
    pub fn new(gpu: &Gpu, samples: u32) -> Self {
        let layout = |label, entries: &[BindGroupLayoutEntry]| {
            let descriptor = BindGroupLayoutDescriptor { label: Some(label), entries };
            gpu.device().create_bind_group_layout(&descriptor)
        };
        let buffers = |label, stage: ShaderStages, uses: &[BufferBindingType]| {
            let entries: Vec<_> =
                (0..).zip(uses).map(|(i, &u)| entry(i, stage, buffer(u))).collect();
            layout(label, &entries)
        };
        let (compute, fragment) = (ShaderStages::COMPUTE, ShaderStages::FRAGMENT);
        let texture = |sample_type, multisampled| BindingType::Texture {
            sample_type,
            view_dimension: TextureViewDimension::D2,
            multisampled,
        };
        let written = BindingType::StorageTexture {
            access: StorageTextureAccess::WriteOnly,
            format: FOUND,
            view_dimension: TextureViewDimension::D2,
        };
        let opaque = texture(TextureSampleType::Depth, samples > 1);
        let found = texture(TextureSampleType::Float { filterable: false }, false);
        Self {
            points: buffers("cloud points", compute, &[UNIFORM, READ, READ, READ, READ, WRITE]),
            boxes: buffers("cloud boxes", compute, &[UNIFORM, READ, READ, READ, WRITE]),
            cast: buffers("clouds", compute, &[UNIFORM, READ, READ, READ, READ, READ, READ, WRITE]),
            opaque: layout("opaque", &[entry(0, compute, opaque), entry(1, compute, written)]),
            found: layout("found", &[entry(0, fragment, found)]),
        }
    }
}

/// Compiled shaders of clouds. They are large, and so compiled when there is a cloud.
pub(in crate::gpu) struct CloudPipelines {
    pub points: ComputePipeline,
    pub leaves: ComputePipeline,
    pub boxes: ComputePipeline,
    pub rays: ComputePipeline,
    pub mix: RenderPipeline,
}

impl CloudPipelines {
    pub fn new(
        gpu: &Gpu,
        frame: &BindGroupLayout,
        layouts: &CloudLayouts,
        format: TextureFormat,
        samples: u32,
    ) -> Result<Self, GpuError> {
        let compute =
            |module: &ShaderModule, name, groups: &[Option<&BindGroupLayout>], constants| {
                checked(gpu, name, compute_pipeline(gpu, module, name, groups, constants))
            };
        let points = compile(gpu, CLOUDS_POINTS)?;
        let boxes = compile(gpu, CLOUDS_BOXES)?;
        let cast = compile_with(gpu, &[OPAQUE[usize::from(samples > 1)]], CLOUDS_CAST)?;
        let mix = compile(gpu, CLOUDS_MIX)?;
        let rays = [Some(frame), Some(&layouts.opaque), Some(&layouts.cast)];
        let frame = Some(frame);
        let samples = [("SAMPLES", f64::from(samples))];
        let boxed = [frame, Some(&layouts.boxes)];
        Ok(Self {
            points: compute(&points, "cloud_points", &[frame, Some(&layouts.points)], &[])?,
            leaves: compute(&boxes, "cloud_leaves", &boxed, &[])?,
            boxes: compute(&boxes, "cloud_boxes", &boxed, &[])?,
            rays: compute(&cast, "cloud_rays", &rays, &samples)?,
            mix: checked(gpu, "clouds", mix_pipeline(gpu, &mix, &layouts.found, format))?,
        })
    }
}

fn compute_pipeline(
    gpu: &Gpu,
    module: &ShaderModule,
    name: &str,
    groups: &[Option<&BindGroupLayout>],
    constants: &[(&str, f64)],
) -> ComputePipeline {
    let layout = gpu.device().create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some(name),
        bind_group_layouts: groups,
        immediate_size: 0,
    });
    gpu.device().create_compute_pipeline(&ComputePipelineDescriptor {
        label: Some(name),
        layout: Some(&layout),
        module,
        entry_point: Some(name),
        compilation_options: PipelineCompilationOptions {
            constants,
            ..PipelineCompilationOptions::default()
        },
        cache: None,
    })
}

/// Mixes what rays have found with the picture behind it.
fn mix_pipeline(
    gpu: &Gpu,
    module: &ShaderModule,
    found: &BindGroupLayout,
    format: TextureFormat,
) -> RenderPipeline {
    let layout = gpu.device().create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some("clouds"),
        bind_group_layouts: &[Some(found)],
        immediate_size: 0,
    });
    let encode = if format.is_srgb() { 0.0 } else { 1.0 };
    let constants = [("ENCODE", encode)];
    gpu.device().create_render_pipeline(&RenderPipelineDescriptor {
        label: Some("clouds"),
        layout: Some(&layout),
        vertex: VertexState {
            module,
            entry_point: Some("cloud_vertex"),
            compilation_options: PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: PrimitiveState::default(),
        depth_stencil: None,
        multisample: MultisampleState::default(),
        fragment: Some(FragmentState {
            module,
            entry_point: Some("cloud_fragment"),
            compilation_options: PipelineCompilationOptions {
                constants: &constants,
                ..PipelineCompilationOptions::default()
            },
            targets: &[Some(ColorTargetState {
                format,
                blend: Some(BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn checked<T>(gpu: &Gpu, name: &str, pipeline: T) -> Result<T, GpuError> {
    match gpu.check() {
        Err(GpuError::Device { reason }) => Err(GpuError::Kernel { label: name.into(), reason }),
        other => other.map(|()| pipeline),
    }
}
