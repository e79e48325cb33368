//! Measuring on a device.

use std::sync::OnceLock;

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{
    Access, Binding, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module, Readback,
    WORKGROUP,
};

use super::{Elements, MeasureContext, Sums};
use crate::math::Vec3;
use crate::model::Family;
use crate::scene::WorldBox;
use crate::stages::bending::gpu::Bending;
use crate::stages::colliders::gpu::{Uniforms, origin_words};
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::get_or_build;
use crate::stages::gpu::layout::Layout;
use crate::stages::gpu::library::LIBRARY;
use crate::stages::gpu::record::Sizes;
use crate::stages::plasticity::gpu::Yielding;

/// What kernels know about the present: twin of `MeasureRecord` in record.wgsl.
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
    /// Gravity \[m/s²\].
    pub gravity: [f32; 4],
    /// Force on every vertex \[N\], and damping \[1/s\].
    pub loading: [f32; 4],
    /// Bodies; zero, which no compiler knows; whether something may have yielded; hinges.
    pub counts: [u32; 4],
}

/// Sums over the vertices of one slice: twin of the struct in record.wgsl.
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

/// Sums over the vertices of one body: twin of the struct in fold_vertices.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct BodySums {
    /// Sums over its slices.
    pub sums: [[f32; 4]; 3],
    /// What rounding took from them.
    pub low: [[f32; 4]; 3],
    /// Vertices on walls; the others are unused.
    pub contacts: [u32; 4],
}

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;

/// The kernels: present, vertices, elements, and adding up what the latter two give.
pub const KERNELS: [KernelDesc<'static>; 5] = [
    KernelDesc {
        library: LIBRARY,
        module: Module {
            name: "present.wgsl",
            source: concat!(include_str!("present.wgsl"), include_str!("no_colliders.wgsl")),
        },
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
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "fold_vertices.wgsl", source: include_str!("fold_vertices.wgsl") },
        entry: "fold_vertices",
        constants: &[],
        bindings: &[READ, READ, WRITE, Access::Uniform],
    },
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "fold_elements.wgsl", source: include_str!("fold_elements.wgsl") },
        entry: "fold_elements",
        constants: &[],
        bindings: &[READ, WRITE, Access::Uniform],
    },
];

/// The kernel that takes the place of the first in a world with colliders.
pub const WITH_COLLIDERS: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module {
        name: "present.wgsl",
        source: concat!(include_str!("present.wgsl"), include_str!("at_colliders.wgsl")),
    },
    entry: "present",
    constants: &[],
    bindings: &[READ, READ, READ, READ, READ, WRITE, WRITE, Access::Uniform, READ, Access::Uniform],
};

/// The kernel that takes the place of the third once something may have yielded.
pub const YIELDED: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "yielded.wgsl", source: include_str!("yielded.wgsl") },
    entry: "yielded",
    constants: &[],
    bindings: &[READ, READ, READ, READ, READ, READ, READ, WRITE, Access::Uniform],
};

/// The kernel that adds up energies of bending, where there are hinges.
pub const HINGES: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "hinges.wgsl", source: include_str!("hinges.wgsl") },
    entry: "measure_hinges",
    constants: &[],
    bindings: &[READ, READ, READ, WRITE, Access::Uniform],
};

/// The kernel that takes the sizes of vectors, for pictures.
pub const SIZES: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "sizes.wgsl", source: include_str!("sizes.wgsl") },
    entry: "sizes",
    constants: &[],
    bindings: &[READ, WRITE],
};

/// The kernels, bound to a model's arrays, and what they write.
pub struct Measure {
    gpu: Gpu,
    kernels: [(Kernel, BindGroup); 5],
    record: Buffer<Record>,
    /// Corners of the world box, and how long the velocities lag behind, of each body; behind them their origins.
    bounds: Buffer<[f32; 4]>,
    /// Where colliders are now, if there are any.
    colliders: Option<Uniforms>,
    /// The family that each body asks for.
    families: Vec<Option<Family>>,
    slice_body: Buffer<u32>,
    velocity_now: Buffer<[f32; 4]>,
    net_force: Buffer<[f32; 4]>,
    sums: Buffer<SliceSums>,
    parts: Buffer<[u32; 2]>,
    starts: Buffer<u32>,
    bodies: Buffer<BodySums>,
    totals: Buffer<[u32; 4]>,
    yielded: OnceLock<Kernel>,
    /// Energies of bending, where there are hinges.
    hinges: Option<(Kernel, BindGroup)>,
    /// Workgroups of springs, of tetrahedra and of hinges.
    groups: [usize; 3],
}

impl Measure {
    /// Makes kernels and room for a model.
    pub fn new(
        gpu: &Gpu,
        layout: &Layout,
        arrays: &Arrays,
        sizes: &Sizes,
        colliders: Option<Uniforms>,
        bending: Option<&Bending>,
    ) -> Result<Self, GpuError> {
        let groups =
            [sizes.springs, sizes.tets, sizes.hinges].map(|n| n.div_ceil(WORKGROUP as usize));
        let record = gpu.uniform("record", 1)?;
        let bounds = gpu.zeros("bounds", 4 * sizes.bodies)?;
        let slice_body = gpu.storage("slice_body", &layout.slice_body)?;
        let velocity_now = gpu.zeros("velocity_now", sizes.slots)?;
        let net_force = gpu.zeros("net_force", sizes.slots)?;
        let sums = gpu.zeros("slice_sums", layout.slice_body.len())?;
        let parts = gpu.zeros("element_sums", groups[0] + 2 * groups[1] + groups[2])?;
        let starts = gpu.storage("body_slices", &starts(layout, sizes.bodies))?;
        let bodies = gpu.zeros("body_sums", sizes.bodies)?;
        let totals = gpu.zeros("element_totals", 4)?;
        let Arrays { position, velocity, force, springs, tets, volumes, .. } = arrays;
        let desc = |n: usize| match (n, &colliders) {
            (0, Some(_)) => &WITH_COLLIDERS,
            _ => &KERNELS[n],
        };
        let mut kernels = (0..KERNELS.len()).map(|n| Kernel::new(gpu, desc(n)));
        let mut next = || kernels.next().expect("as many as are bound below");
        let (present, vertices, elements) = (next()?, next()?, next()?);
        let (by_body, in_total) = (next()?, next()?);
        let mut presented: Vec<Binding<'_>> = vec![
            position.into(),
            velocity.into(),
            force.into(),
            (&bounds).into(),
            (&slice_body).into(),
            (&velocity_now).into(),
            (&net_force).into(),
            (&record).into(),
        ];
        if let Some(colliders) = &colliders {
            presented.extend([(&arrays.body_constants).into(), colliders.buffer().into()]);
        }
        let present_group = present.bind(gpu, &presented);
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
        let by_body_group = by_body
            .bind(gpu, &[(&sums).into(), (&starts).into(), (&bodies).into(), (&record).into()]);
        let in_total_group =
            in_total.bind(gpu, &[(&parts).into(), (&totals).into(), (&record).into()]);
        let bend = |bending: &Bending| {
            let Bending { hinges, hinge, .. } = bending;
            let buffers =
                [position.into(), hinges.into(), hinge.into(), (&parts).into(), (&record).into()];
            Kernel::bound(gpu, &HINGES, &buffers)
        };
        let hinges = bending.map(bend).transpose()?;
        let kernels = [
            (present, present_group),
            (vertices, vertices_group),
            (elements, elements_group),
            (by_body, by_body_group),
            (in_total, in_total_group),
        ];
        Ok(Self {
            gpu: gpu.clone(),
            kernels,
            record,
            bounds,
            colliders,
            families: layout.families.clone(),
            slice_body,
            velocity_now,
            net_force,
            sums,
            parts,
            starts,
            bodies,
            totals,
            yielded: OnceLock::new(),
            hinges,
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
        let sums = self.sums.bytes() + self.parts.bytes() + self.starts.bytes();
        let folded = self.bodies.bytes() + self.totals.bytes();
        let colliders = self.colliders.as_ref().map_or(0, Uniforms::bytes);
        vertex + sums + folded + colliders + self.bounds.bytes() + self.record.bytes()
    }

    /// Tells the kernels about the present; to be called before they are submitted.
    pub fn tell(&self, sizes: &Sizes, context: &MeasureContext<'_>, has_yielded: bool) {
        let world = context.world;
        let vector = |v: [f64; 3], w: f64| [v[0], v[1], v[2], w].map(|c| c as f32);
        self.record.write(
            0,
            &[Record {
                slot_count: sizes.slots as u32,
                spring_count: sizes.springs as u32,
                tet_count: sizes.tets as u32,
                walled: u32::from(world.bounds.is_some()),
                gravity: vector(world.gravity, 0.0),
                loading: vector(world.external_force, world.damping),
                counts: [self.bodies.len() as u32, 0, u32::from(has_yielded), sizes.hinges as u32],
            }],
        );
        let corners = world.bounds.as_ref().map_or([[0.0; 3]; 2], WorldBox::corners);
        let of_body = |(origin, &family): (&[f64; 3], &Option<Family>)| {
            // After an implicit step they do not.
            let lag = if family == Some(Family::Implicit) { 0.0 } else { context.lag() };
            let local = corners.map(|c| std::array::from_fn(|k| c[k] - origin[k]));
            [vector(local[0], lag), vector(local[1], 0.0)]
        };
        let bodies = context.origins.iter().zip(&self.families);
        let mut words: Vec<[f32; 4]> = bodies.flat_map(of_body).collect();
        words.extend(origin_words(context.origins).map(|words| words.map(f32::from_bits)));
        self.bounds.write(0, &words);
        if let Some(colliders) = &self.colliders {
            // At the very start nothing lags, and the velocities of colliders do not matter.
            let per_h = if context.h_last > 0.0 { 1.0 / context.h_last } else { 0.0 };
            colliders.write_once(&context.poses(), per_h);
        }
    }

    /// Records bringing velocities to the present, and net forces, from the elastic forces in the
    /// array of forces.
    pub fn present(&self, commands: &mut Commands, sizes: &Sizes) {
        let (kernel, group) = &self.kernels[0];
        commands.run(kernel, group, &[], sizes.slots);
    }

    /// Records the sums; [`Measure::present`] comes before it. Once something may have yielded, its
    /// arrays and the stiffness of tetrahedra's springs are `given`.
    pub fn sums(
        &self,
        commands: &mut Commands,
        sizes: &Sizes,
        arrays: &Arrays,
        given: Option<(&Yielding, &Buffer<[f32; 6]>)>,
    ) -> Result<(), GpuError> {
        let [_, vertices, elements, by_body, in_total] = &self.kernels;
        let workgroup = WORKGROUP as usize;
        commands.run(&vertices.0, &vertices.1, &[], sizes.slots);
        let [springs, tets, hinges] = self.groups;
        match given {
            None => commands.run(&elements.0, &elements.1, &[], (springs + tets) * workgroup),
            Some((yielding, stiffness)) => {
                let kernel = get_or_build(&self.yielded, || Kernel::new(&self.gpu, &YIELDED))?;
                let group = self.bind_yielded(kernel, arrays, yielding, stiffness);
                commands.run(kernel, &group, &[], (springs + 2 * tets) * workgroup);
            }
        }
        if let Some((kernel, group)) = &self.hinges {
            commands.run(kernel, group, &[], hinges * workgroup);
        }
        commands.run(&by_body.0, &by_body.1, &[], self.bodies.len() * workgroup);
        commands.run(&in_total.0, &in_total.1, &[], self.totals.len() * workgroup);
        Ok(())
    }

    fn bind_yielded(
        &self,
        kernel: &Kernel,
        arrays: &Arrays,
        yielding: &Yielding,
        stiffness: &Buffer<[f32; 6]>,
    ) -> BindGroup {
        let Arrays { position, springs, tets, volumes, .. } = arrays;
        kernel.bind(
            &self.gpu,
            &[
                position.into(),
                springs.into(),
                tets.into(),
                volumes.into(),
                (&yielding.starts).into(),
                stiffness.into(),
                (&yielding.lengths).into(),
                (&self.parts).into(),
                (&self.record).into(),
            ],
        )
    }

    /// Waits for the sums of the bodies, which is all that comes back, and adds them about the
    /// world's origin.
    pub async fn read(
        &self,
        mut commands: Commands,
        context: &MeasureContext<'_>,
    ) -> Result<(Sums, Elements), GpuError> {
        let (bodies, totals) = (self.bodies.len(), self.totals.len());
        let split = bodies * size_of::<BodySums>();
        let bytes = split + totals * size_of::<[u32; 4]>();
        let mut readback = Readback::new(&self.gpu, "sums", bytes as u64)?;
        readback.copy(&mut commands, &self.bodies, 0..bodies, 0);
        readback.copy(&mut commands, &self.totals, 0..totals, split as u64);
        commands.submit();
        readback.request();
        let words: Vec<u32> = readback.arrival().await?;
        let (vertices, elements) = words.split_at(split / 4);
        let mut sums = Sums::default();
        let bodies = vertices.chunks_exact(size_of::<BodySums>() / 4);
        for (words, &origin) in bodies.zip(context.origins) {
            let body: BodySums = bytemuck::pod_read_unaligned(bytemuck::cast_slice(words));
            sums.add(&body.widened(), Vec3::from(origin));
        }
        let total = |kind: usize, word: usize| elements[4 * kind + word];
        let energy = |kind: usize| -> f64 {
            [0, 1].map(|word| f64::from(f32::from_bits(total(kind, word)))).iter().sum()
        };
        let inverted = total(1, 2) as usize;
        let springs = energy(0) + energy(2);
        let [volumes, bending] = [energy(1), energy(3)];
        Ok((sums, Elements { springs, volumes, bending, inverted, strain: None }))
    }
}

/// The first slice of each body, and the end of the last.
fn starts(layout: &Layout, bodies: usize) -> Vec<u32> {
    let before = |body: usize| layout.slice_body.partition_point(|&b| (b as usize) < body);
    (0..=bodies).map(|body| before(body) as u32).collect()
}

impl BodySums {
    fn widened(&self) -> Sums {
        let number = |i: usize, k: usize| f64::from(self.sums[i][k]) + f64::from(self.low[i][k]);
        let vector = |i: usize| Vec3::of([0, 1, 2].map(|k| number(i, k)));
        Sums {
            mass: number(0, 3),
            moment: vector(0),
            momentum: vector(1),
            angular: vector(2),
            kinetic: number(1, 3),
            fastest: f64::from(self.sums[2][3]),
            contacts: self.contacts[0] as usize,
        }
    }
}
