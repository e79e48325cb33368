//! Everything the device must know before it can draw.

use pliant_gpu::wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ColorTargetState, CompareFunction, DepthStencilState, FragmentState,
    MultisampleState, PipelineCompilationOptions, PipelineLayoutDescriptor, PrimitiveState,
    PrimitiveTopology, RenderPipeline, RenderPipelineDescriptor, SamplerBindingType, ShaderModule,
    ShaderStages, TextureFormat, TextureSampleType, TextureViewDimension, VertexAttribute,
    VertexBufferLayout, VertexState, VertexStepMode, vertex_attr_array,
};
use pliant_gpu::{Gpu, GpuError};

use super::clouds::CloudLayouts;
use super::scene::LineRecord;
use super::shaders::{self, compile};
use crate::list::{Ball, Vertex};

/// Format of depths: of the picture and of the shadow map.
pub(super) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// What shaders are bound to: groups 0, 1 and 2.
pub(super) struct Layouts {
    pub frame: BindGroupLayout,
    pub colours: BindGroupLayout,
    pub resident: BindGroupLayout,
    pub clouds: CloudLayouts,
}

impl Layouts {
    pub fn new(gpu: &Gpu, samples: u32) -> Self {
        let layout = |label, entries: &[BindGroupLayoutEntry]| {
            let descriptor = BindGroupLayoutDescriptor { label: Some(label), entries };
            gpu.device().create_bind_group_layout(&descriptor)
        };
        let texture = BindingType::Texture {
            sample_type: TextureSampleType::Depth,
            view_dimension: TextureViewDimension::D2,
            multisampled: false,
        };
        let (vertex, fragment) = (ShaderStages::VERTEX, ShaderStages::FRAGMENT);
        let compute = ShaderStages::COMPUTE;
        let storage = BufferBindingType::Storage { read_only: true };
        let arrays: [_; 9] = std::array::from_fn(|i| {
            let ty = if i == 0 { BufferBindingType::Uniform } else { storage };
            entry(i as u32, vertex, buffer(ty))
        });
        Self {
            frame: layout(
                "picture",
                &[entry(0, vertex | fragment | compute, buffer(BufferBindingType::Uniform))],
            ),
            colours: layout(
                "shadow and colours",
                &[
                    entry(0, fragment, texture),
                    entry(1, fragment, BindingType::Sampler(SamplerBindingType::Comparison)),
                    entry(2, fragment, buffer(BufferBindingType::Uniform)),
                    entry(3, fragment, buffer(storage)),
                ],
            ),
            resident: layout("resident bodies", &arrays),
            clouds: CloudLayouts::new(gpu, samples),
        }
    }
}

pub(super) fn entry(
    binding: u32,
    visibility: ShaderStages,
    ty: BindingType,
) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

pub(super) fn buffer(ty: BufferBindingType) -> BindingType {
    BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

/// Compiled shaders with their settings.
pub(super) struct Pipelines {
    pub surface: RenderPipeline,
    pub surface_caster: RenderPipeline,
    pub resident: RenderPipeline,
    pub resident_caster: RenderPipeline,
    pub resident_lines: RenderPipeline,
    pub resident_balls: RenderPipeline,
    pub lines: RenderPipeline,
    pub balls: RenderPipeline,
    pub ground: RenderPipeline,
    pub background: RenderPipeline,
}

/// What tells one pipeline from another.
struct Recipe<'a> {
    module: &'a ShaderModule,
    vertex: &'a str,
    /// Nothing for what only throws shadows.
    fragment: Option<&'a str>,
    groups: &'a [Option<&'a BindGroupLayout>],
    vertices: Option<VertexBufferLayout<'a>>,
    topology: PrimitiveTopology,
    depth: CompareFunction,
}

/// Position, value, normal and paint of a [`Vertex`].
const VERTEX: [VertexAttribute; 4] =
    vertex_attr_array![0 => Float32x3, 1 => Uint32, 2 => Float32x3, 3 => Uint32];
/// Ends, colour and width of a [`LineRecord`], and whether it is in front.
const LINE: [VertexAttribute; 5] = vertex_attr_array![
    0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Float32, 4 => Uint32
];
/// Middle, radius and colour of a [`Ball`].
const BALL: [VertexAttribute; 3] = vertex_attr_array![0 => Float32x3, 1 => Float32, 2 => Float32x3];

fn array_of<T>(
    step_mode: VertexStepMode,
    attributes: &[VertexAttribute],
) -> Option<VertexBufferLayout<'_>> {
    Some(VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

impl Pipelines {
    pub fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        format: TextureFormat,
        samples: u32,
    ) -> Result<Self, GpuError> {
        let make = |recipe: Recipe<'_>| pipeline(gpu, format, samples, &recipe);
        let (frame, colours) = (Some(&layouts.frame), Some(&layouts.colours));
        let arrays = Some(&layouts.resident);
        let surface = compile(gpu, shaders::SURFACE)?;
        let resident = compile(gpu, shaders::RESIDENT)?;
        let backdrop = compile(gpu, shaders::BACKDROP)?;
        // Greater is nearer; of two at the same depth the first one stays.
        let plain = |module, vertex| Recipe {
            module,
            vertex,
            fragment: None,
            groups: &[],
            vertices: None,
            topology: PrimitiveTopology::TriangleList,
            depth: CompareFunction::Greater,
        };
        Ok(Self {
            surface: make(Recipe {
                fragment: Some("surface_fragment"),
                groups: &[frame, colours],
                vertices: array_of::<Vertex>(VertexStepMode::Vertex, &VERTEX),
                ..plain(&surface, "surface_vertex")
            })?,
            surface_caster: make(Recipe {
                groups: &[frame],
                vertices: array_of::<Vertex>(VertexStepMode::Vertex, &VERTEX[..1]),
                ..plain(&surface, "surface_caster")
            })?,
            resident: make(Recipe {
                fragment: Some("resident_fragment"),
                groups: &[frame, colours, arrays],
                ..plain(&resident, "resident_vertex")
            })?,
            resident_caster: make(Recipe {
                groups: &[frame, None, arrays],
                ..plain(&resident, "resident_caster")
            })?,
            resident_lines: make(Recipe {
                fragment: Some("line_fragment"),
                groups: &[frame, None, arrays],
                topology: PrimitiveTopology::TriangleStrip,
                ..plain(&compile(gpu, shaders::RESIDENT_LINES)?, "resident_line")
            })?,
            resident_balls: make(Recipe {
                fragment: Some("ball_fragment"),
                groups: &[frame, None, arrays],
                topology: PrimitiveTopology::TriangleStrip,
                ..plain(&compile(gpu, shaders::RESIDENT_BALLS)?, "resident_ball")
            })?,
            lines: make(Recipe {
                fragment: Some("line_fragment"),
                groups: &[frame],
                vertices: array_of::<LineRecord>(VertexStepMode::Instance, &LINE),
                topology: PrimitiveTopology::TriangleStrip,
                ..plain(&compile(gpu, shaders::LINES)?, "line_vertex")
            })?,
            balls: make(Recipe {
                fragment: Some("ball_fragment"),
                groups: &[frame],
                vertices: array_of::<Ball>(VertexStepMode::Instance, &BALL),
                topology: PrimitiveTopology::TriangleStrip,
                ..plain(&compile(gpu, shaders::BALLS)?, "ball_vertex")
            })?,
            ground: make(Recipe {
                fragment: Some("ground_fragment"),
                groups: &[frame, colours],
                ..plain(&backdrop, "ground_vertex")
            })?,
            // At infinity, where nothing else is.
            background: make(Recipe {
                fragment: Some("background_fragment"),
                groups: &[frame, colours],
                depth: CompareFunction::GreaterEqual,
                ..plain(&backdrop, "background_vertex")
            })?,
        })
    }
}

fn pipeline(
    gpu: &Gpu,
    format: TextureFormat,
    samples: u32,
    recipe: &Recipe<'_>,
) -> Result<RenderPipeline, GpuError> {
    let layout = gpu.device().create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some(recipe.vertex),
        bind_group_layouts: recipe.groups,
        immediate_size: 0,
    });
    let encode = ("ENCODE", if format.is_srgb() { 0.0 } else { 1.0 });
    let constants = [encode, ("SAMPLES", f64::from(samples))];
    let is_ball = recipe.fragment == Some("ball_fragment");
    let targets = [Some(ColorTargetState::from(format))];
    let pipeline = gpu.device().create_render_pipeline(&RenderPipelineDescriptor {
        label: Some(recipe.vertex),
        layout: Some(&layout),
        vertex: VertexState {
            module: recipe.module,
            entry_point: Some(recipe.vertex),
            compilation_options: PipelineCompilationOptions::default(),
            buffers: std::slice::from_ref(&recipe.vertices)
                .get(..usize::from(recipe.vertices.is_some()))
                .unwrap_or_default(),
        },
        primitive: PrimitiveState { topology: recipe.topology, ..PrimitiveState::default() },
        depth_stencil: Some(DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(recipe.depth),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: MultisampleState {
            count: if recipe.fragment.is_some() { samples } else { 1 },
            ..MultisampleState::default()
        },
        fragment: recipe.fragment.map(|entry| FragmentState {
            module: recipe.module,
            entry_point: Some(entry),
            compilation_options: PipelineCompilationOptions {
                constants: if is_ball { &constants } else { &constants[..1] },
                ..PipelineCompilationOptions::default()
            },
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    });
    match gpu.check() {
        Err(GpuError::Device { reason }) => {
            Err(GpuError::Kernel { label: recipe.vertex.into(), reason })
        }
        other => other.map(|()| pipeline),
    }
}
