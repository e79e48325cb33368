//! Clouds on a device: bodies that are looked into, from the host or from a simulation.
//!
//! For each picture, vertices are moved into the picture and boxes are put round the faces of surfaces,
//! both on the device; then a ray for each pixel, or each sample of it, finds where it enters by
//! those boxes and walks. The shaders are twins of what the CPU does (`cpu/clouds`).

mod host;
mod pipelines;
mod tree;

pub(super) use host::HostClouds;
pub(super) use pipelines::{CloudLayouts, CloudPipelines, FOUND};
pub(super) use tree::Node;

use pliant_gpu::wgpu::{self, BindGroup, BindGroupDescriptor, CommandEncoder, ComputePass};
use pliant_gpu::{Buffer, Gpu};

use super::GpuRenderError;
use super::renderer::Renderer;
use super::scene::entry;
use crate::math::{Vec3, vec3};
use crate::volume::mesh::{Face, Mesh, Tet};
use crate::volume::table::{STEPS, Table};
use crate::volume::{Look, Quality};

/// Threads of a group; twin of the shaders' workgroup size.
const GROUP: u32 = 256;

/// Twin of `Cloud` in clouds_shared.wgsl, which says what each is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Params {
    pub table: [f32; 4],
    pub slice_point: [f32; 4],
    pub slice_normal: [f32; 4],
    pub modes: [u32; 4],
    pub counts: [u32; 4],
}

/// Bodies that rays walk through.
pub(super) struct Clouds {
    params: Buffer<Params>,
    points: Buffer<[f32; 4]>,
    tets: Buffer<Tet>,
    faces: Buffer<Face>,
    nodes: Buffer<Node>,
    order: Buffer<u32>,
    tables: Buffer<[f32; 4]>,
    /// How many rays were lost, and how many were in more bodies at once than can be followed.
    report: Buffer<u32>,
    counts: [u32; 4],
    /// Nodes without nodes inside.
    leaves: u32,
    look: Option<(Look, Table)>,
    groups: Option<Groups>,
}

struct Groups {
    points: BindGroup,
    boxes: BindGroup,
    cast: BindGroup,
}

/// Where positions and values come from; see `clouds_points.wgsl`.
pub(super) struct Source<'a> {
    pub positions: &'a wgpu::Buffer,
    pub values: Option<&'a wgpu::Buffer>,
    pub tet_values: Option<&'a wgpu::Buffer>,
    pub slices: &'a wgpu::Buffer,
    pub bodies: &'a wgpu::Buffer,
}

impl Clouds {
    /// Buffers for a mesh. With `positions`, faces that are close to each other get a common box;
    /// without, those with close numbers.
    pub fn new(
        gpu: &Gpu,
        mesh: &Mesh,
        slots: usize,
        positions: Option<&[[f32; 3]]>,
    ) -> Result<Self, GpuRenderError> {
        let faces = tree::sorted(&mesh.surface, positions);
        let tree = tree::Tree::new(faces.len());
        let counts = [slots, faces.len(), tree.nodes.len(), mesh.tets.len()].map(|n| n as u32);
        Ok(Self {
            params: gpu.uniform("clouds", 1)?,
            points: gpu.zeros("cloud points", slots)?,
            tets: gpu.storage("tetrahedra", &mesh.tets)?,
            faces: gpu.storage("faces", &faces)?,
            nodes: gpu.storage("boxes", &tree.nodes)?,
            order: gpu.storage("order of boxes", &tree.order)?,
            tables: gpu.zeros("transfer function", 3 * (STEPS + 2) + 2)?,
            report: gpu.zeros("lost rays", 2)?,
            counts,
            leaves: tree.leaves,
            look: None,
            groups: None,
        })
    }

    /// Takes over how to look, and where from. Coordinates of the picture are relative to `origin`.
    pub fn update(
        &mut self,
        renderer: &Renderer,
        look: &Look,
        origin: [f64; 3],
        source: &Source,
    ) -> Result<(), GpuRenderError> {
        self.groups = None;
        look.check()?;
        if self.look.as_ref().is_none_or(|(of, _)| of != look) {
            let table = Table::new(look);
            let entries = entries(look, &table);
            super::scene::fill(&mut self.tables, &entries)?;
            self.look = Some((look.clone(), table));
        }
        let (low, scale) = self.look.as_ref().map_or((0.0, 1.0), |(_, t)| (t.low, t.scale));
        let point = |point: [f64; 3]| (Vec3::from(point) - Vec3::from(origin)).to_f32();
        let slice = look.slice.map(|s| (point(s.point), if s.clears { 2.0 } else { 1.0 }));
        let (point, mode) = slice.unwrap_or((vec3(0.0, 0.0, 0.0), 0.0));
        let normal = look.slice.map_or([0.0, 0.0, 1.0], |s| s.normal);
        let normal = Vec3::from(normal).unit_or(vec3(0.0, 0.0, 1.0)).to_f32();
        let of_tets = match (source.values, source.tet_values) {
            (_, None) => 0,
            (Some(_), Some(_)) => 1,
            (None, Some(_)) => 2,
        };
        let isos = look.seen_isos().len() as u32;
        let is_fine = u32::from(look.quality == Quality::Fine);
        self.params.write(
            0,
            &[Params {
                table: [low, scale, 0.0, 0.0],
                slice_point: [point.x, point.y, point.z, mode],
                slice_normal: [normal.x, normal.y, normal.z, 0.0],
                modes: [of_tets, isos, is_fine, 0],
                counts: self.counts,
            }],
        );
        self.groups = Some(self.bind(renderer, source));
        Ok(renderer.gpu().check()?)
    }

    fn bind(&self, renderer: &Renderer, source: &Source) -> Groups {
        // Where there are no values, something has to be bound nevertheless.
        let nothing = self.order.raw();
        let group = |label, layout, buffers: &[&wgpu::Buffer]| {
            let entries: Vec<_> = (0..).zip(buffers).map(|(i, b)| entry(i, b)).collect();
            let descriptor = BindGroupDescriptor { label: Some(label), layout, entries: &entries };
            renderer.gpu().device().create_bind_group(&descriptor)
        };
        let layouts = &renderer.layouts.clouds;
        let values = source.values.unwrap_or(nothing);
        let tet_values = source.tet_values.unwrap_or(nothing);
        let params = self.params.raw();
        let [points, tets, faces] = [self.points.raw(), self.tets.raw(), self.faces.raw()];
        let [nodes, tables, report] = [self.nodes.raw(), self.tables.raw(), self.report.raw()];
        let (slices, bodies) = (source.slices, source.bodies);
        Groups {
            points: group(
                "cloud points",
                &layouts.points,
                &[params, source.positions, values, slices, bodies, points],
            ),
            boxes: group(
                "cloud boxes",
                &layouts.boxes,
                &[params, points, faces, self.order.raw(), nodes],
            ),
            cast: group(
                "clouds",
                &layouts.cast,
                &[params, points, tets, faces, nodes, tables, tet_values, report],
            ),
        }
    }

    /// Records rays for a picture of some size; says whether there was anything to see.
    pub fn cast(
        &self,
        encoder: &mut CommandEncoder,
        p: &CloudPipelines,
        [frame, opaque]: [&BindGroup; 2],
        [width, height]: [u32; 2],
    ) -> bool {
        let Some(groups) = self.groups.as_ref().filter(|_| self.counts[1] > 0) else {
            return false;
        };
        encoder.clear_buffer(self.report.raw(), 0, None);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("clouds"),
            timestamp_writes: None,
        });
        pass.set_bind_group(0, frame, &[]);
        pass.set_pipeline(&p.points);
        pass.set_bind_group(1, &groups.points, &[]);
        dispatch(&mut pass, self.counts[0]);
        pass.set_bind_group(1, &groups.boxes, &[]);
        pass.set_pipeline(&p.leaves);
        dispatch(&mut pass, self.leaves);
        pass.set_pipeline(&p.boxes);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&p.rays);
        pass.set_bind_group(1, opaque, &[]);
        pass.set_bind_group(2, &groups.cast, &[]);
        pass.dispatch_workgroups(width.div_ceil(8), height.div_ceil(8), 1);
        true
    }

    /// How many rays of the last picture were lost, or were in more bodies at once than can be
    /// followed. Waits for the device.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn lost(&self) -> Result<usize, GpuRenderError> {
        Ok(self.report.read()?.iter().map(|&n| n as usize).sum())
    }
}

fn dispatch(pass: &mut ComputePass, threads: u32) {
    let groups = threads.div_ceil(GROUP);
    let rows = groups.div_ceil(u32::from(u16::MAX)).max(1);
    pass.dispatch_workgroups(groups.div_ceil(rows), rows, 1);
}

/// Integrals, densities and colours, then the iso-surfaces: twin of `tables` in clouds.wgsl.
fn entries(look: &Look, table: &Table) -> Vec<[f32; 4]> {
    let mut all = table.integrals.to_vec();
    all.extend_from_slice(&table.densities[..]);
    let value = |i: usize| table.low + i.min(STEPS) as f32 / table.scale;
    let colour = |c: crate::Colour| [c.0[0], c.0[1], c.0[2], 1.0];
    all.extend((0..STEPS + 2).map(|i| colour(look.transfer.colour(value(i)))));
    for (iso, its_colour) in look.seen_isos() {
        all.push([table.place(iso.value), iso.opacity, 0.0, 0.0]);
        all.push(colour(its_colour));
    }
    all
}
