//! Surfaces of simulations whose arrays live on the device.

use pliant_gpu::Buffer;
use pliant_gpu::wgpu::{self, BindGroup, BindGroupDescriptor, BufferUsages};

use super::GpuRenderError;
use super::renderer::Renderer;
use super::scene::entry;
use crate::colour::Colour;

/// Slots that always belong to the same body; twin of `SLICE` in resident.wgsl.
const SLICE: usize = 32;

/// The arrays of a simulation, all usable as storage and on the renderer's device. Vertices live in
/// slots; 32 of them in a row, a slice, always belong to the same body.
#[derive(Clone, Copy, Debug)]
pub struct ResidentBuffers<'a> {
    /// By slot: x, y, z relative to the body's origin \[m\], and something else.
    pub positions: &'a wgpu::Buffer,
    /// By slot: unit normals out of the surface; the fourth is not used.
    pub normals: &'a wgpu::Buffer,
    /// By slot: red, green and blue in linear light; the fourth is not used. Any buffer will do where
    /// all bodies have colours of their own.
    pub colours: &'a wgpu::Buffer,
    /// Slots of the triangles' corners, as `u32`.
    pub triangles: &'a wgpu::Buffer,
    /// How many triangles there are.
    pub triangle_count: usize,
    /// The body of each slice.
    pub slice_bodies: &'a [u32],
}

/// Where a body is, and how it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidentBody {
    /// The body's origin less the picture's \[m\].
    pub offset: [f32; 3],
    /// One colour for all of it, or nothing for the vertices' own.
    pub colour: Option<Colour>,
}

/// Twin of `Body` in resident.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct BodyRecord {
    offset: [f32; 4],
    colour: [f32; 4],
}

impl From<&ResidentBody> for BodyRecord {
    fn from(body: &ResidentBody) -> Self {
        let [x, y, z] = body.offset;
        let colour = body.colour.map_or([0.0, 0.0, 0.0, 1.0], |Colour([r, g, b])| [r, g, b, 0.0]);
        Self { offset: [x, y, z, 0.0], colour }
    }
}

/// A surface that is drawn from where it is computed. Nothing of it comes to the host.
pub struct Resident {
    pub(super) group: BindGroup,
    /// Three for each triangle.
    pub(super) corners: u32,
    bodies: Buffer<BodyRecord>,
}

impl Resident {
    /// Takes note of the arrays; they are read whenever a picture is drawn.
    pub fn new(
        renderer: &Renderer,
        arrays: &ResidentBuffers,
        bodies: &[ResidentBody],
    ) -> Result<Self, GpuRenderError> {
        check(arrays, bodies.len())?;
        let gpu = renderer.gpu();
        let records: Vec<BodyRecord> = bodies.iter().map(BodyRecord::from).collect();
        let bodies = gpu.storage("drawn bodies", &records)?;
        let slices = gpu.storage("bodies of slices", arrays.slice_bodies)?;
        let group = gpu.device().create_bind_group(&BindGroupDescriptor {
            label: Some("resident surface"),
            layout: &renderer.layouts.resident,
            entries: &[
                entry(0, arrays.positions),
                entry(1, arrays.normals),
                entry(2, arrays.colours),
                entry(3, arrays.triangles),
                entry(4, slices.raw()),
                entry(5, bodies.raw()),
            ],
        });
        gpu.check()?;
        // The number of corners was checked to fit.
        Ok(Self { group, corners: 3 * arrays.triangle_count as u32, bodies })
    }

    /// Changes origins and colours; their number stays.
    pub fn set_bodies(&self, bodies: &[ResidentBody]) -> Result<(), GpuRenderError> {
        if bodies.len() != self.bodies.len() {
            let problem = format!("{} are given for {}", bodies.len(), self.bodies.len());
            return Err(GpuRenderError::Resident { array: "bodies", problem });
        }
        let records: Vec<BodyRecord> = bodies.iter().map(BodyRecord::from).collect();
        self.bodies.write(0, &records);
        Ok(())
    }
}

/// Refuses arrays that are too short or cannot be read by shaders.
fn check(arrays: &ResidentBuffers, bodies: usize) -> Result<(), GpuRenderError> {
    let slots = (arrays.slice_bodies.len() * SLICE) as u64;
    let corners = arrays.triangle_count as u64 * 3;
    let wanted = [
        ("positions", arrays.positions, 16 * slots),
        ("normals", arrays.normals, 16 * slots),
        // Where bodies have their own colours, this one is not looked at.
        ("colours", arrays.colours, 16),
        ("triangles", arrays.triangles, 4 * corners),
    ];
    for (array, buffer, bytes) in wanted {
        let fail = |problem| Err(GpuRenderError::Resident { array, problem });
        if !buffer.usage().contains(BufferUsages::STORAGE) {
            return fail("shaders cannot read it; make it with BufferUsages::STORAGE".into());
        } else if buffer.size() < bytes {
            let problem = format!("it has {} bytes of the {bytes} that are needed", buffer.size());
            return fail(problem);
        }
    }
    if corners > u64::from(u32::MAX) {
        let problem = "there are more than 2³² / 3 triangles; draw fewer at a time".into();
        return Err(GpuRenderError::Resident { array: "triangles", problem });
    }
    match arrays.slice_bodies.iter().position(|&b| b as usize >= bodies) {
        Some(slice) => {
            let body = arrays.slice_bodies[slice];
            let problem = format!("slice {slice} is of body {body}, but there are only {bodies}");
            Err(GpuRenderError::Resident { array: "slices", problem })
        }
        None => Ok(()),
    }
}
