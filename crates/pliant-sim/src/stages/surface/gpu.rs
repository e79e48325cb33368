//! Normals and colours on a device.

use pliant_gpu::wgpu::{BindGroup, BufferUsages};
use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::{GREY, RED, usable_reference};
use crate::backend::gpu::arrays::Arrays;
use crate::backend::gpu::layout::{Layout, Lists};
use crate::backend::gpu::library::LIBRARY;
use crate::model::Model;

/// Twin of the struct in colours.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Palette {
    /// Without force.
    pub grey: [f32; 4],
    /// With the reference force.
    pub red: [f32; 4],
    /// The reference force \[N\]; the others are unused.
    pub reference: [f32; 4],
}

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;

/// The kernels: normals, colours.
pub const KERNELS: [KernelDesc<'static>; 2] = [
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "normals.wgsl", source: include_str!("normals.wgsl") },
        entry: "normals",
        constants: &[],
        bindings: &[READ, READ, READ, WRITE],
    },
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "colours.wgsl", source: include_str!("colours.wgsl") },
        entry: "colours",
        constants: &[],
        bindings: &[READ, WRITE, Access::Uniform],
    },
];

/// The visible surface on a device. Vertex arrays are indexed by slot, as the positions are.
pub struct Surface {
    /// Corners of the triangles (slots), outward oriented; can be drawn as indices.
    pub triangles: Buffer<u32>,
    /// Unit normals; null where there is no surface.
    pub normals: Buffer<[f32; 4]>,
    /// Colours by force: red, green, blue, opacity.
    pub colours: Buffer<[f32; 4]>,
    lists: Buffer<u32>,
    palette: Buffer<Palette>,
    kernels: [(Kernel, BindGroup); 2],
}

impl Surface {
    /// Puts the surface of a model on a device; `net_force` is where its forces will be.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        layout: &Layout,
        arrays: &Arrays,
        net_force: &Buffer<[f32; 4]>,
    ) -> Result<Self, GpuError> {
        let slots = layout.slot_count();
        let corners: Vec<u32> =
            model.triangles.iter().flatten().map(|&v| layout.slot_of[v as usize]).collect();
        let entries = corners.iter().enumerate().map(|(i, &slot)| (slot, i as u32 / 3));
        let lists = gpu.storage("triangle_lists", &Lists::new(slots, entries).words)?;
        let triangles = gpu.array_for("triangles", corners.len(), BufferUsages::INDEX)?;
        triangles.write(0, &corners);
        let normals = gpu.array_for("normals", slots, BufferUsages::VERTEX)?;
        let colours = gpu.array_for("colours", slots, BufferUsages::VERTEX)?;
        let palette = gpu.uniform("palette", 1)?;
        let [normal, colour] = &KERNELS;
        let (normal, colour) = (Kernel::new(gpu, normal)?, Kernel::new(gpu, colour)?);
        let position = &arrays.position;
        let from = [position.into(), (&triangles).into(), (&lists).into(), (&normals).into()];
        let normal_group = normal.bind(gpu, &from);
        let colour_group =
            colour.bind(gpu, &[net_force.into(), (&colours).into(), (&palette).into()]);
        let kernels = [(normal, normal_group), (colour, colour_group)];
        Ok(Self { triangles, normals, colours, lists, palette, kernels })
    }

    /// Records the normals at the present positions.
    pub fn record_normals(&self, commands: &mut Commands) {
        let (kernel, group) = &self.kernels[0];
        commands.run(kernel, group, &[], self.normals.len());
    }

    /// Records the colours of the present net forces, red from `reference` \[N\] on.
    pub fn record_colours(&self, commands: &mut Commands, reference: f64) {
        let reference = [usable_reference(reference), 0.0, 0.0, 0.0];
        self.palette.write(0, &[Palette { grey: GREY, red: RED, reference }]);
        let (kernel, group) = &self.kernels[1];
        commands.run(kernel, group, &[], self.colours.len());
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let vertex = self.normals.bytes() + self.colours.bytes();
        vertex + self.triangles.bytes() + self.lists.bytes() + self.palette.bytes()
    }
}
