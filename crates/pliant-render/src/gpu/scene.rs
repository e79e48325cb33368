//! A draw list on a device.

use std::borrow::Cow;
use std::ops::Range;

use pliant_gpu::wgpu::{
    self, BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, BufferUsages,
};
use pliant_gpu::{Buffer, Gpu};

use super::GpuRenderError;
use super::clouds::HostClouds;
use super::renderer::Renderer;
use super::uniforms::Uniforms;
use crate::camera::Projection;
use crate::colour::{Colour, ColourMap, Table};
use crate::list::{Ball, DrawList, Line, Paint, Vertex};
use crate::view::View;
use crate::volume::TransferFunction;

/// What one picture shows, on the device. Kept from frame to frame, its buffers are used again.
pub struct Scene {
    pub(super) vertices: Buffer<Vertex>,
    pub(super) triangles: Buffer<u32>,
    pub(super) lines: Buffer<LineRecord>,
    pub(super) balls: Buffer<Ball>,
    /// How much of these buffers counts at present.
    pub(super) counts: Counts,
    pub(super) has_shadow: bool,
    /// The picture, for all shaders.
    pub(super) frame: BindGroup,
    /// Shadow map and colours, for shaders that light something.
    pub(super) colours: BindGroup,
    /// Bodies that are looked into.
    pub(super) clouds: Option<HostClouds>,
    size: [u32; 2],
    uniforms: Buffer<Uniforms>,
    tables: Buffer<[f32; 4]>,
    /// What the tables hold instead of the maps.
    own_colours: Option<(TransferFunction, [f32; 2])>,
    paints: Buffer<[f32; 4]>,
}

/// Twin of `Line` in lines.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct LineRecord {
    ends: [[f32; 3]; 2],
    colour: Colour,
    width: f32,
    in_front: u32,
}

impl From<&Line> for LineRecord {
    fn from(line: &Line) -> Self {
        let &Line { ends, colour, width, in_front } = line;
        Self { ends, colour, width, in_front: in_front.into() }
    }
}

#[derive(Clone, Default)]
pub(super) struct Counts {
    /// Indices of triangles that are seen.
    pub seen: Range<u32>,
    /// Those of triangles that keep light off.
    pub casting: Range<u32>,
    pub lines: u32,
    pub balls: u32,
    /// Whether the floor is seen.
    pub ground: bool,
}

impl Scene {
    /// Buffers for pictures of `renderer`, with nothing in them yet.
    pub fn new(renderer: &Renderer) -> Result<Self, GpuRenderError> {
        let gpu = renderer.gpu();
        let uniforms = gpu.uniform("picture", 1)?;
        let tables = gpu.uniform("colour maps", 512)?;
        write_tables(&tables, ColourMap::table);
        let paints = gpu.zeros("paints", 16)?;
        let frame = gpu.device().create_bind_group(&BindGroupDescriptor {
            label: Some("picture"),
            layout: &renderer.layouts.frame,
            entries: &[entry(0, uniforms.raw())],
        });
        let colours = bind_colours(renderer, &tables, &paints);
        gpu.check()?;
        Ok(Self {
            vertices: gpu.array_for("vertices", 0, BufferUsages::VERTEX)?,
            triangles: gpu.array_for("triangles", 0, BufferUsages::INDEX)?,
            lines: gpu.array_for("lines", 0, BufferUsages::VERTEX)?,
            balls: gpu.array_for("balls", 0, BufferUsages::VERTEX)?,
            counts: Counts::default(),
            has_shadow: false,
            frame,
            colours,
            clouds: None,
            size: [0; 2],
            uniforms,
            tables,
            own_colours: None,
            paints,
        })
    }

    /// Uploads what `list` has, as `view` wants it, for the picture that `projection` leads to. It
    /// counts for everything that is submitted afterwards.
    pub fn update(
        &mut self,
        renderer: &Renderer,
        list: &DrawList,
        view: &View,
        projection: &Projection,
    ) -> Result<(), GpuRenderError> {
        fill(&mut self.vertices, &list.vertices)?;
        // Those that are seen, then those that only keep light off.
        let corners = match list.casters.is_empty() {
            true => Cow::Borrowed(list.triangles.as_flattened()),
            false => list.triangles.iter().chain(&list.casters).flatten().copied().collect(),
        };
        fill(&mut self.triangles, &corners)?;
        let lines: Vec<LineRecord> = list.lines.iter().map(LineRecord::from).collect();
        fill(&mut self.lines, &lines)?;
        fill(&mut self.balls, &list.balls)?;
        let paints: Vec<[f32; 4]> = list.paints.iter().map(paint).collect();
        if fill(&mut self.paints, &paints)? {
            self.colours = bind_colours(renderer, &self.tables, &self.paints);
        }
        let own = view.own_colours();
        if own != self.own_colours.as_ref().map(|(transfer, range)| (transfer, *range)) {
            write_tables(&self.tables, |map| view.table(map));
            self.own_colours = own.map(|(transfer, range)| (transfer.clone(), range));
        }
        self.uniforms.write(0, &[Uniforms::new(list, view, projection)]);
        self.counts = Counts {
            // A list has at most 2³⁰ triangles.
            seen: 0..3 * list.triangles.len() as u32,
            casting: 3 * list.shadowless as u32..corners.len() as u32,
            lines: list.lines.len() as u32,
            balls: list.balls.len() as u32,
            ground: list.ground.is_some_and(|g| projection.eye().z > g.height),
        };
        let kept = self.clouds.take();
        if let Some(look) = &view.volume {
            let origin = projection.origin();
            self.clouds = HostClouds::update(kept, renderer, &list.clouds, look, origin)?;
        }
        self.has_shadow = view.shadow;
        self.size = projection.size().map(|s| s as u32);
        Ok(renderer.gpu().check()?)
    }

    /// Pixels per row, and rows, of the picture.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }
}

/// Writes the table of each colour map.
fn write_tables(tables: &Buffer<[f32; 4]>, table: impl Fn(ColourMap) -> Table) {
    for (number, map) in [ColourMap::GreyRed, ColourMap::Viridis].into_iter().enumerate() {
        let entries = table(map).0.map(|c| [c.0[0], c.0[1], c.0[2], 1.0]);
        tables.write(number * entries.len(), &entries);
    }
}

/// Writes `content` to the start of a buffer; says whether it is a new one.
pub(super) fn fill<T: bytemuck::Pod>(
    buffer: &mut Buffer<T>,
    content: &[T],
) -> Result<bool, pliant_gpu::GpuError> {
    let is_new = buffer.grow(content.len())?;
    buffer.write(0, content);
    Ok(is_new)
}

/// Twin of what `paints` in surface.wgsl says.
fn paint(paint: &Paint) -> [f32; 4] {
    match paint {
        Paint::Solid(c) => [c.0[0], c.0[1], c.0[2], -1.0],
        Paint::Map(ColourMap::GreyRed) => [0.0, 0.0, 0.0, 0.0],
        Paint::Map(ColourMap::Viridis) => [0.0, 0.0, 0.0, 1.0],
    }
}

pub(super) fn entry(binding: u32, buffer: &wgpu::Buffer) -> BindGroupEntry<'_> {
    BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}

fn bind_colours(
    renderer: &Renderer,
    tables: &Buffer<[f32; 4]>,
    paints: &Buffer<[f32; 4]>,
) -> BindGroup {
    let gpu: &Gpu = renderer.gpu();
    let texture = |binding, resource| BindGroupEntry { binding, resource };
    gpu.device().create_bind_group(&BindGroupDescriptor {
        label: Some("shadow and colours"),
        layout: &renderer.layouts.colours,
        entries: &[
            texture(0, BindingResource::TextureView(&renderer.shadow_map)),
            texture(1, BindingResource::Sampler(&renderer.not_above)),
            entry(2, tables.raw()),
            entry(3, paints.raw()),
        ],
    })
}
