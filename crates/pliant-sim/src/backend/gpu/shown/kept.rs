//! What is put on a device once to be shown: where vertices were at the start, and fields of mesh files.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::ShownArrays;
use crate::model::{FieldOn, Model};
use crate::stages::gpu::layout::{Layout, NONE};
use crate::stages::gpu::library::LIBRARY;
use crate::stages::stress::mean_at_vertices;

const READ: Access = Access::Read;

/// The kernel for displacements.
pub const MOVED: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module {
        name: "displacement.wgsl",
        source: include_str!("../../../stages/measure/displacement.wgsl"),
    },
    entry: "displacement",
    constants: &[],
    bindings: &[READ, READ, READ, Access::Write],
};

/// Where vertices were at the start.
pub(super) struct Start {
    kernel: Kernel,
    start: Buffer<[u32; 4]>,
    shifts: Buffer<[f32; 4]>,
}

impl Start {
    pub fn new(gpu: &Gpu, model: &Model, layout: &Layout) -> Result<Self, GpuError> {
        let place = |(slot, &vertex): (usize, &u32)| {
            let body = layout.slice_body[slot / crate::stages::gpu::layout::SLICE];
            let rest = if vertex == NONE { [0.0; 3] } else { model.rest[vertex as usize] };
            let [x, y, z] = rest.map(f32::to_bits);
            [x, y, z, body]
        };
        let places: Vec<[u32; 4]> = layout.vertex_of.iter().enumerate().map(place).collect();
        Ok(Self {
            kernel: Kernel::new(gpu, &MOVED)?,
            start: gpu.storage("start", &places)?,
            shifts: gpu.zeros("shifts", model.bodies.len())?,
        })
    }

    /// Records the distances of the present `positions`.
    pub fn record(
        &self,
        gpu: &Gpu,
        commands: &mut Commands,
        model: &Model,
        origins: &[[f64; 3]],
        positions: &Buffer<[f32; 4]>,
        values: &Buffer<f32>,
    ) {
        let shift = |(now, body): (&[f64; 3], &crate::model::BodyModel)| {
            let way = |k: usize| (now[k] - body.origin[k]) as f32;
            [way(0), way(1), way(2), 0.0]
        };
        let shifts: Vec<[f32; 4]> = origins.iter().zip(&model.bodies).map(shift).collect();
        self.shifts.write(0, &shifts);
        let group: BindGroup = self.kernel.bind(
            gpu,
            &[positions.into(), (&self.start).into(), (&self.shifts).into(), values.into()],
        );
        commands.run(&self.kernel, &group, &[], values.len());
    }

    pub fn bytes(&self) -> u64 {
        self.start.bytes() + self.shifts.bytes()
    }
}

/// A field of mesh files, as it is shown.
pub(super) struct FileField {
    /// Its number among [`Model::field_names`].
    pub number: u32,
    /// Whether it belongs to tetrahedra alone.
    pub of_tets: bool,
    values: Buffer<f32>,
    tet_values: Buffer<f32>,
}

impl FileField {
    pub fn new(gpu: &Gpu, model: &Model, layout: &Layout, number: u32) -> Result<Self, GpuError> {
        let names = model.field_names();
        let name = names.get(number as usize).copied().unwrap_or_default();
        let (by_vertex, by_tet) = in_model_order(model, name);
        let value = |&v: &u32| if v == NONE { f32::NAN } else { by_vertex[v as usize] };
        let by_slot: Vec<f32> = layout.vertex_of.iter().map(value).collect();
        let mut bodies = (0..model.bodies.len()).filter_map(|b| model.field(b, name));
        let of_tets = bodies.all(|field| field.on == FieldOn::Tets);
        let by_tet = if of_tets { &by_tet[..] } else { &[] };
        Ok(Self {
            number,
            of_tets,
            values: gpu.storage("field", &by_slot)?,
            tet_values: gpu.storage("field of tetrahedra", by_tet)?,
        })
    }

    /// How many tetrahedra have a value of their own.
    pub fn tets(&self) -> usize {
        self.tet_values.len() * usize::from(self.of_tets)
    }

    /// Records the copy into `set`, that of vertices into `values`.
    pub fn record(&self, commands: &mut Commands, set: &ShownArrays, values: &Buffer<f32>) {
        commands.copy(&self.values, values, self.values.len());
        if self.of_tets {
            commands.copy(&self.tet_values, &set.tet_values, self.tet_values.len());
        }
    }

    pub fn bytes(&self) -> u64 {
        self.values.bytes() + self.tet_values.bytes()
    }
}

/// The field called `name` for each vertex and each tetrahedron in model order: at vertices of bodies that
/// have it on tetrahedra the plain mean of those round them, and not a number where there is none.
fn in_model_order(model: &Model, name: &str) -> (Vec<f32>, Vec<f32>) {
    let mut by_tet = vec![f32::NAN; model.tets.len()];
    let mut by_vertex = vec![f32::NAN; model.vertex_count()];
    for (number, body) in model.bodies.iter().enumerate() {
        let Some(field) = model.field(number, name) else { continue };
        let (range, order, to) = match field.on {
            FieldOn::Vertices => (body.vertices.clone(), &model.vertex_order, &mut by_vertex),
            FieldOn::Tets => (body.tets.clone(), &model.tet_order, &mut by_tet),
        };
        for at in range.clone() {
            let user = order[at as usize] - range.start;
            to[at as usize] = field.values[user as usize];
        }
    }
    let of_tets: Vec<f64> = by_tet.iter().map(|&v| f64::from(v)).collect();
    let means = mean_at_vertices(&model.tets, &of_tets, model.vertex_count());
    for (value, mean) in by_vertex.iter_mut().zip(means).filter(|(v, _)| v.is_nan()) {
        *value = mean as f32;
    }
    (by_vertex, by_tet)
}
