//! Recording pictures.

use std::ops::Range;

use pliant_gpu::wgpu::{
    self, BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Color, CommandEncoder,
    CompareFunction, Extent3d, FilterMode, IndexFormat, LoadOp, Operations, RenderPass,
    RenderPassColorAttachment, RenderPassDepthStencilAttachment, RenderPassDescriptor, Sampler,
    SamplerDescriptor, StoreOp, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages,
    TextureView,
};
use pliant_gpu::{Gpu, GpuError};

use super::GpuRenderError;
use super::clouds::{CloudPipelines, Clouds, FOUND};
use super::pipelines::{DEPTH, Layouts, Pipelines};
use super::resident::{DrawnState, Resident};
use super::scene::Scene;
use crate::shadow::SIZE;

/// Draws pictures of one format on one device. It owns no window: targets and encoders are the
/// caller's.
pub struct Renderer {
    gpu: Gpu,
    format: TextureFormat,
    samples: u32,
    pipelines: Pipelines,
    pub(super) layouts: Layouts,
    /// What the light sees, drawn anew for each picture.
    pub(super) shadow_map: TextureView,
    pub(super) not_above: Sampler,
    targets: Option<Targets>,
    /// Compiled when there is a cloud.
    clouds: Option<CloudPipelines>,
}

/// What a picture of some size is drawn into before it is resolved.
struct Targets {
    size: [u32; 2],
    /// Nothing with one sample per pixel: then the target itself is drawn into.
    samples: Option<TextureView>,
    depth: TextureView,
    /// The same, to be read, and where rays put what they find before it.
    opaque: BindGroup,
    found: BindGroup,
}

impl Renderer {
    /// Compiles everything for targets of `format`, with 1 or 4 `samples` per pixel. Formats that do
    /// not store sRGB by themselves get sRGB numbers nevertheless, but samples are then averaged as
    /// such, not as light.
    pub fn new(gpu: &Gpu, format: TextureFormat, samples: u32) -> Result<Self, GpuRenderError> {
        if ![1, 4].contains(&samples) {
            return Err(GpuRenderError::Samples { samples });
        }
        gpu.check()?;
        let layouts = Layouts::new(gpu, samples);
        let pipelines = Pipelines::new(gpu, &layouts, format, samples)?;
        let usage = TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING;
        let side = SIZE as u32;
        let shadow_map = texture(gpu, "shadow map", [side; 2], 1, DEPTH, usage)?;
        let not_above = gpu.device().create_sampler(&SamplerDescriptor {
            label: Some("not above"),
            mag_filter: FilterMode::Nearest,
            min_filter: FilterMode::Nearest,
            compare: Some(CompareFunction::GreaterEqual),
            ..SamplerDescriptor::default()
        });
        let shadow_map = shadow_map.create_view(&Default::default());
        let gpu = gpu.clone();
        gpu.check()?;
        let (targets, clouds) = (None, None);
        Ok(Self {
            gpu,
            format,
            samples,
            pipelines,
            layouts,
            shadow_map,
            not_above,
            targets,
            clouds,
        })
    }

    /// The device it draws on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Records the picture of `scene` and of `bodies`, which share its light and camera, into
    /// `target`: a view of the renderer's format and of [`Scene::size`].
    pub fn draw(
        &mut self,
        encoder: &mut CommandEncoder,
        scene: &Scene,
        bodies: &[&Resident],
        target: &TextureView,
    ) -> Result<(), GpuRenderError> {
        if self.targets.as_ref().is_none_or(|t| t.size != scene.size()) {
            // The old ones are given back before new ones are asked for.
            self.targets = None;
            self.targets = Some(self.make_targets(scene.size())?);
        }
        let clouds: Vec<&Clouds> = scene
            .clouds
            .iter()
            .map(|host| host.clouds())
            .chain(bodies.iter().filter_map(|body| body.clouds()))
            .collect();
        if self.clouds.is_none() && !clouds.is_empty() {
            let (frame, layouts) = (&self.layouts.frame, &self.layouts.clouds);
            let made = CloudPipelines::new(&self.gpu, frame, layouts, self.format, self.samples);
            self.clouds = Some(made?);
        }
        let Some(targets) = &self.targets else { return Ok(()) };
        if scene.has_shadow {
            self.record_shadows(encoder, scene, bodies);
        }
        let keep = if clouds.is_empty() { StoreOp::Discard } else { StoreOp::Store };
        let (view, resolve_target) = match &targets.samples {
            Some(samples) => (samples, Some(target)),
            None => (target, None),
        };
        let store = if resolve_target.is_some() { StoreOp::Discard } else { StoreOp::Store };
        let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: Operations { load: LoadOp::Clear(Color::BLACK), store },
            })],
            depth_stencil_attachment: Some(depth(&targets.depth, keep)),
            ..RenderPassDescriptor::default()
        });
        self.record_picture(&mut pass, scene, bodies);
        drop(pass);
        if let Some(pipelines) = self.clouds.as_ref().filter(|_| !clouds.is_empty()) {
            record_clouds(encoder, scene, targets, pipelines, &clouds, target);
        }
        Ok(self.gpu.check()?)
    }

    fn record_shadows(&self, encoder: &mut CommandEncoder, scene: &Scene, bodies: &[&Resident]) {
        let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
            label: Some("shadows"),
            depth_stencil_attachment: Some(depth(&self.shadow_map, StoreOp::Store)),
            ..RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, &scene.frame, &[]);
        let casting = scene.counts.casting.clone();
        record_triangles(&mut pass, scene, casting, &self.pipelines.surface_caster);
        for frame in frames(bodies) {
            pass.set_pipeline(&self.pipelines.resident_caster);
            pass.set_bind_group(2, &frame.group, &[]);
            pass.draw(0..frame.corners, 0..1);
        }
    }

    fn record_picture(&self, pass: &mut RenderPass<'_>, scene: &Scene, bodies: &[&Resident]) {
        let Scene { counts, lines, balls, .. } = scene;
        pass.set_bind_group(0, &scene.frame, &[]);
        pass.set_bind_group(1, &scene.colours, &[]);
        record_triangles(pass, scene, counts.seen.clone(), &self.pipelines.surface);
        for frame in frames(bodies) {
            pass.set_pipeline(&self.pipelines.resident);
            pass.set_bind_group(2, &frame.group, &[]);
            pass.draw(0..frame.corners, 0..1);
            pass.set_pipeline(&self.pipelines.resident_lines);
            pass.draw(0..4, 0..frame.lines);
            pass.set_pipeline(&self.pipelines.resident_balls);
            pass.draw(0..4, 0..frame.balls);
        }
        // Their pipelines have left it undone.
        pass.set_bind_group(1, &scene.colours, &[]);
        if counts.lines > 0 {
            pass.set_pipeline(&self.pipelines.lines);
            pass.set_vertex_buffer(0, lines.raw().slice(..));
            pass.draw(0..4, 0..counts.lines);
        }
        if counts.balls > 0 {
            pass.set_pipeline(&self.pipelines.balls);
            pass.set_vertex_buffer(0, balls.raw().slice(..));
            pass.draw(0..4, 0..counts.balls);
        }
        // Last, so that only what is seen of them is lit.
        pass.set_bind_group(1, &scene.colours, &[]);
        if counts.ground {
            pass.set_pipeline(&self.pipelines.ground);
            pass.draw(0..3, 0..1);
        }
        pass.set_pipeline(&self.pipelines.background);
        pass.draw(0..3, 0..1);
    }

    fn make_targets(&self, size: [u32; 2]) -> Result<Targets, GpuRenderError> {
        let [width, height] = size;
        let largest = self.gpu.limits().max_texture_dimension_2d;
        if width == 0 || height == 0 || width > largest || height > largest {
            let pixels = u64::from(largest) * u64::from(largest);
            return Err(GpuRenderError::Size { width, height, largest, pixels });
        }
        let drawn = TextureUsages::RENDER_ATTACHMENT;
        let view = |label, format, usage| {
            let texture = texture(&self.gpu, label, size, self.samples, format, usage)?;
            Ok::<_, GpuError>(texture.create_view(&Default::default()))
        };
        let samples = match self.samples {
            1 => None,
            _ => Some(view("samples", self.format, drawn)?),
        };
        let depth = view("depth", DEPTH, drawn | TextureUsages::TEXTURE_BINDING)?;
        let usage = TextureUsages::STORAGE_BINDING | TextureUsages::TEXTURE_BINDING;
        let found = texture(&self.gpu, "found", size, 1, FOUND, usage)?;
        let found = found.create_view(&Default::default());
        let group = |layout, views: &[&TextureView]| {
            let views = (0..).zip(views);
            let resource = |view| BindingResource::TextureView(view);
            let entries: Vec<_> = views
                .map(|(binding, &view)| BindGroupEntry { binding, resource: resource(view) })
                .collect();
            let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
            self.gpu.device().create_bind_group(&descriptor)
        };
        let layouts = &self.layouts.clouds;
        let opaque = group(&layouts.opaque, &[&depth, &found]);
        let found = group(&layouts.found, &[&found]);
        Ok(Targets { size, samples, depth, opaque, found })
    }
}

/// Records triangles of a list, by their indices.
fn record_triangles(
    pass: &mut RenderPass<'_>,
    scene: &Scene,
    indices: Range<u32>,
    pipeline: &wgpu::RenderPipeline,
) {
    if !indices.is_empty() {
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, scene.vertices.raw().slice(..));
        pass.set_index_buffer(scene.triangles.raw().slice(..), IndexFormat::Uint32);
        pass.draw_indexed(indices, 0, 0..1);
    }
}

/// Records rays through clouds, over the picture of what is opaque.
fn record_clouds(
    encoder: &mut CommandEncoder,
    scene: &Scene,
    targets: &Targets,
    pipelines: &CloudPipelines,
    clouds: &[&Clouds],
    target: &TextureView,
) {
    for clouds in clouds {
        let groups = [&scene.frame, &targets.opaque];
        if !clouds.cast(encoder, pipelines, groups, targets.size) {
            continue;
        }
        let mut pass = encoder.begin_render_pass(&RenderPassDescriptor {
            label: Some("clouds"),
            color_attachments: &[Some(RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: Operations { load: LoadOp::Load, store: StoreOp::Store },
            })],
            ..RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipelines.mix);
        pass.set_bind_group(0, &targets.found, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// What there is to draw of bodies.
fn frames<'a>(bodies: &'a [&Resident]) -> impl Iterator<Item = &'a DrawnState> {
    bodies.iter().filter_map(|body| body.frame.as_ref())
}

/// Depth that begins at infinity.
fn depth(view: &TextureView, store: StoreOp) -> RenderPassDepthStencilAttachment<'_> {
    let depth_ops = Some(Operations { load: LoadOp::Clear(0.0), store });
    RenderPassDepthStencilAttachment { view, depth_ops, stencil_ops: None }
}

pub(super) fn texture(
    gpu: &Gpu,
    label: &str,
    [width, height]: [u32; 2],
    sample_count: u32,
    format: TextureFormat,
    usage: TextureUsages,
) -> Result<wgpu::Texture, GpuError> {
    gpu.check()?;
    let texture = gpu.device().create_texture(&TextureDescriptor {
        label: Some(label),
        size: Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    let bytes = u64::from(width) * u64::from(height) * u64::from(4 * sample_count);
    match gpu.check() {
        Err(GpuError::OutOfMemory { reason, .. }) => {
            Err(GpuError::OutOfMemory { label: label.into(), needed: bytes, reason })
        }
        other => other.map(|()| texture),
    }
}
