//! Measuring on a device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{
    Access, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module, Readback, WORKGROUP,
};

use super::{Elements, Moment, Sums};
use crate::backend::gpu::arrays::Arrays;
use crate::backend::gpu::layout::Layout;
use crate::backend::gpu::library::LIBRARY;
use crate::backend::gpu::record::Sizes;
use crate::math::Vec3;

/// What kernels are told about the present: twin of `Moment` in moment.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Record {
    /// Vertices, padding included.
    pub slot_count: u32,
    /// Springs.
    pub spring_count: u32,
    /// Tetrahedra.
    pub tet_count: u32,
    /// Whether there are walls.
    pub walled: u32,
    /// Gravity \[m/s²\], and how long the velocities lag behind the positions \[s\].
    pub gravity: [f32; 4],
    /// Force on every vertex \[N\], and friction \[1/s\].
    pub loading: [f32; 4],
}

/// Sums over the vertices of one slice: twin of the struct in vertices.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct SliceSums {
    /// Σ m x \[kg·m\], Σ m \[kg\].
    pub moment: [f32; 4],
    /// Σ m v \[kg·m/s\], ½ Σ m v² \[J\].
    pub momentum: [f32; 4],
    /// Σ m x × v \[kg·m²/s\], largest v² \[m²/s²\].
    pub angular: [f32; 4],
    /// Vertices on walls; the others are unused.
    pub contacts: [u32; 4],
}

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;

/// The kernels: present, vertices, elements.
pub const KERNELS: [KernelDesc<'static>; 3] = [
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "present.wgsl", source: include_str!("present.wgsl") },
        entry: "present",
        constants: &[],
        bindings: &[READ, READ, READ, READ, READ, WRITE, WRITE, Access::Uniform],
    },
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "vertices.wgsl", source: include_str!("vertices.wgsl") },
        entry: "vertices",
        constants: &[],
        bindings: &[READ, READ, READ, READ, WRITE, Access::Uniform],
    },
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "elements.wgsl", source: include_str!("elements.wgsl") },
        entry: "elements",
        constants: &[],
        bindings: &[READ, READ, READ, READ, WRITE, Access::Uniform],
    },
];

/// The kernels, bound to a model's arrays, and what they write.
pub struct Measure {
    gpu: Gpu,
    kernels: [(Kernel, BindGroup); 3],
    record: Buffer<Record>,
    bounds: Buffer<[f32; 4]>,
    slice_body: Buffer<u32>,
    velocity_now: Buffer<[f32; 4]>,
    net_force: Buffer<[f32; 4]>,
    sums: Buffer<SliceSums>,
    parts: Buffer<[u32; 2]>,
    /// Workgroups of springs and of tetrahedra.
    groups: [usize; 2],
}

impl Measure {
    /// Makes kernels and room for a model.
    pub fn new(
        gpu: &Gpu,
        layout: &Layout,
        arrays: &Arrays,
        sizes: &Sizes,
    ) -> Result<Self, GpuError> {
        let groups = [sizes.springs, sizes.tets].map(|n| n.div_ceil(WORKGROUP as usize));
        let record = gpu.uniform("moment", 1)?;
        let bounds = gpu.zeros("bounds", 2 * sizes.bodies)?;
        let slice_body = gpu.storage("slice_body", &layout.slice_body)?;
        let velocity_now = gpu.zeros("velocity_now", sizes.slots)?;
        let net_force = gpu.zeros("net_force", sizes.slots)?;
        let sums = gpu.zeros("slice_sums", layout.slice_body.len())?;
        let parts = gpu.zeros("element_sums", groups[0] + groups[1])?;
        let Arrays { position, velocity, force, springs, tets, volumes, .. } = arrays;
        let [present, vertices, elements] = &KERNELS;
        let present = Kernel::new(gpu, present)?;
        let vertices = Kernel::new(gpu, vertices)?;
        let elements = Kernel::new(gpu, elements)?;
        let present_group = present.bind(
            gpu,
            &[
                position.into(),
                velocity.into(),
                force.into(),
                (&bounds).into(),
                (&slice_body).into(),
                (&velocity_now).into(),
                (&net_force).into(),
                (&record).into(),
            ],
        );
        let vertices_group = vertices.bind(
            gpu,
            &[
                position.into(),
                (&velocity_now).into(),
                (&bounds).into(),
                (&slice_body).into(),
                (&sums).into(),
                (&record).into(),
            ],
        );
        let elements_group = elements.bind(
            gpu,
            &[
                position.into(),
                springs.into(),
                tets.into(),
                volumes.into(),
                (&parts).into(),
                (&record).into(),
            ],
        );
        let kernels =
            [(present, present_group), (vertices, vertices_group), (elements, elements_group)];
        Ok(Self {
            gpu: gpu.clone(),
            kernels,
            record,
            bounds,
            slice_body,
            velocity_now,
            net_force,
            sums,
            parts,
            groups,
        })
    }

    /// Velocities at the time of the positions \[m/s\], as of the last [`Measure::present`].
    pub fn velocity_now(&self) -> &Buffer<[f32; 4]> {
        &self.velocity_now
    }

    /// Net forces without touches and walls \[N\], likewise.
    pub fn net_force(&self) -> &Buffer<[f32; 4]> {
        &self.net_force
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let vertex = self.velocity_now.bytes() + self.net_force.bytes() + self.slice_body.bytes();
        vertex + self.bounds.bytes() + self.sums.bytes() + self.parts.bytes() + self.record.bytes()
    }

    /// Tells the kernels about the present; to be called before they are submitted.
    pub fn tell(&self, sizes: &Sizes, moment: &Moment<'_>) {
        let world = moment.world;
        let vector = |v: [f64; 3], w: f64| [v[0], v[1], v[2], w].map(|c| c as f32);
        self.record.write(
            0,
            &[Record {
                slot_count: sizes.slots as u32,
                spring_count: sizes.springs as u32,
                tet_count: sizes.tets as u32,
                walled: u32::from(world.bounds.is_some()),
                gravity: vector(world.gravity, moment.lag()),
                loading: vector(world.external_force, world.friction),
            }],
        );
        if let Some(bounds) = &world.bounds {
            let corners = bounds.corners();
            let local = |origin: &[f64; 3]| {
                corners.map(|c| vector(std::array::from_fn(|k| c[k] - origin[k]), 0.0))
            };
            let words: Vec<[f32; 4]> = moment.origins.iter().flat_map(local).collect();
            self.bounds.write(0, &words);
        }
    }

    /// Records bringing velocities to the present, and net forces, from the elastic forces in the
    /// array of forces.
    pub fn present(&self, commands: &mut Commands, sizes: &Sizes) {
        let (kernel, group) = &self.kernels[0];
        commands.run(kernel, group, &[], sizes.slots);
    }

    /// Records the sums; [`Measure::present`] comes before it.
    pub fn sums(&self, commands: &mut Commands, sizes: &Sizes) {
        let [_, (vertices, slices), (elements, parts)] = &self.kernels;
        commands.run(vertices, slices, &[], sizes.slots);
        let groups = self.groups[0] + self.groups[1];
        commands.run(elements, parts, &[], groups * WORKGROUP as usize);
    }

    /// Waits for the partial sums, which is all that comes back, and adds them about the world's
    /// origin.
    pub fn read(
        &self,
        mut commands: Commands,
        layout: &Layout,
        moment: &Moment<'_>,
    ) -> Result<(Sums, Elements), GpuError> {
        let (slices, groups) = (self.sums.len(), self.groups[0] + self.groups[1]);
        let split = slices * size_of::<SliceSums>();
        let bytes = split + groups * size_of::<[u32; 2]>();
        let mut readback = Readback::new(&self.gpu, "sums", bytes as u64)?;
        readback.copy(&mut commands, &self.sums, 0..slices, 0);
        readback.copy(&mut commands, &self.parts, 0..groups, split as u64);
        commands.submit();
        readback.request();
        let words: Vec<u32> = readback.wait()?;
        let (vertices, elements) = words.split_at(split / 4);
        let mut sums = Sums::default();
        for (words, &body) in vertices.chunks_exact(16).zip(&layout.slice_body) {
            let slice: SliceSums = bytemuck::pod_read_unaligned(bytemuck::cast_slice(words));
            sums.add(&slice.widened(), Vec3::from(moment.origins[body as usize]));
        }
        Ok((sums, self.elements(elements)))
    }

    fn elements(&self, words: &[u32]) -> Elements {
        let mut sums = Elements::default();
        for (group, part) in words.chunks_exact(2).enumerate() {
            let energy = f64::from(f32::from_bits(part[0]));
            let springs = group < self.groups[0];
            *(if springs { &mut sums.springs } else { &mut sums.volumes }) += energy;
            sums.inverted += part[1] as usize;
        }
        sums
    }
}

impl SliceSums {
    fn widened(&self) -> Sums {
        let vector = |v: [f32; 4]| Vec3::of([v[0], v[1], v[2]].map(f64::from));
        Sums {
            mass: f64::from(self.moment[3]),
            moment: vector(self.moment),
            momentum: vector(self.momentum),
            angular: vector(self.angular),
            kinetic: f64::from(self.momentum[3]),
            fastest: f64::from(self.angular[3]),
            contacts: self.contacts[0] as usize,
        }
    }
}
