//! Shape matching on a device.

use pliant_gpu::Access::{Read, Record, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::{Cluster, ClusterStates, Drive, Member, Shapes};
use crate::scene::ShapeMode;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::{Layout, Lists};
use crate::stages::gpu::library::LIBRARY;
use crate::step::Advance;

/// What is added to the number of a mode where a kind yields, see clusters.wgsl.
const YIELDS: u32 = 4;

/// The kernel of so many clusters.
pub fn clusters<'a>(constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "clusters.wgsl", source: include_str!("clusters.wgsl") },
        entry: "shapes",
        constants,
        bindings: &[Read, Read, Read, Read, Read, Read, Read, Write, Write, Read, Record],
    }
}

/// The kernel that lets vertices take what clusters give.
pub const VERTICES: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "vertices.wgsl", source: include_str!("vertices.wgsl") },
    entry: "match_shapes",
    constants: &[],
    bindings: &[Read, Read, Write, Read, Record],
};

/// The clusters of a model, and the kernels bound to them.
pub struct Matching {
    kernels: [(Kernel, BindGroup); 2],
    slots: usize,
    count: usize,
    yields: bool,
    /// What kinds do, as it is on the device.
    drives: Vec<Drive>,
    rest: Buffer<[f32; 4]>,
    members: Buffer<u32>,
    clusters: Buffer<[u32; 4]>,
    matrices: Buffer<f32>,
    kinds: Buffer<[f32; 4]>,
    /// What clusters have become: rotations, then, where any yields, three columns for each.
    pub states: Buffer<[f32; 4]>,
    kicks: Buffer<[f32; 4]>,
    lists: Buffer<u32>,
}

impl Matching {
    /// Puts the clusters of a model on a device; nothing if it has none.
    pub fn new(
        gpu: &Gpu,
        shapes: &Shapes,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Option<Self>, GpuError> {
        if shapes.is_empty() {
            return Ok(None);
        }
        let slot = |m: &Member| layout.slot_of[m.vertex as usize];
        let at_rest = |m: &Member| [m.q[0], m.q[1], m.q[2], m.mass];
        let rest: Vec<[f32; 4]> = shapes.members.iter().map(at_rest).collect();
        let members: Vec<u32> = shapes.members.iter().map(slot).collect();
        let words = |c: &Cluster| {
            let sizes = [c.radius.to_bits(), c.inv_mass.to_bits(), 0, 0];
            [[c.first, c.count, c.kind, c.matrix], sizes]
        };
        let words: Vec<[u32; 4]> = shapes.clusters.iter().flat_map(words).collect();
        let entries = (0_u32..).zip(&shapes.members).map(|(n, m)| (slot(m), n));
        let lists = Lists::new(layout.slot_count(), entries.collect::<Vec<_>>().into_iter());
        let (count, yields) = (shapes.clusters.len(), shapes.yields());
        let rest = gpu.storage("members of clusters at rest", &rest)?;
        let members = gpu.storage("members of clusters", &members)?;
        let clusters = gpu.storage("clusters", &words)?;
        let matrices = gpu.storage("moments of clusters", &shapes.matrices)?;
        let kinds = gpu.zeros("kinds of clusters", 2 * shapes.kinds.len())?;
        let states = gpu.zeros("states of clusters", if yields { 4 * count } else { count })?;
        let kicks = gpu.zeros("pulls of clusters", shapes.members.len())?;
        let lists = gpu.storage("members at vertices", &lists.words)?;
        let Arrays { position, velocity, flags, .. } = arrays;
        let find = [
            position.into(),
            velocity.into(),
            (&rest).into(),
            (&members).into(),
            (&clusters).into(),
            (&matrices).into(),
            (&kinds).into(),
            (&states).into(),
            (&kicks).into(),
            flags.into(),
            arrays.record(),
        ];
        let take =
            [(&kicks).into(), (&lists).into(), velocity.into(), flags.into(), arrays.record()];
        let kernels = [
            Kernel::bound(gpu, &self::clusters(&[("CLUSTERS", count as f64)]), &find)?,
            Kernel::bound(gpu, &VERTICES, &take)?,
        ];
        let slots = layout.slot_count();
        let drives = Vec::new();
        let matching = Self {
            kernels,
            slots,
            count,
            yields,
            drives,
            rest,
            members,
            clusters,
            matrices,
            kinds,
            states,
            kicks,
            lists,
        };
        Ok(Some(matching))
    }

    /// Tells kinds what they do from now on.
    pub fn prepare(&mut self, shapes: &Shapes, advance: &Advance<'_>) {
        let drives = shapes.drives(advance.world, advance.h);
        if drives == self.drives {
            return;
        }
        let numbers = |drive: &Drive| {
            let mode = match drive.mode {
                ShapeMode::Rigid => 0,
                ShapeMode::Linear => 1,
                ShapeMode::Quadratic => 2,
            };
            let bits = mode + if drive.creep.is_some() { YIELDS } else { 0 };
            let (pull, creep) = (drive.pull, drive.creep.unwrap_or_default());
            [
                [pull.rate, pull.beta, pull.loss, pull.h].map(|number| number as f32),
                [
                    creep.threshold as f32,
                    creep.share as f32,
                    creep.most as f32,
                    f32::from_bits(bits),
                ],
            ]
        };
        self.kinds.write(0, &drives.iter().flat_map(numbers).collect::<Vec<_>>());
        self.drives = drives;
    }

    /// Takes over what clusters of vertices that are there \[m\] have become.
    pub fn load(&self, shapes: &Shapes, states: &ClusterStates, x: &[[f32; 3]]) {
        let start;
        let states = match states.turns.len() == self.count {
            true => states,
            false => {
                start = shapes.start_at(x);
                &start
            }
        };
        let columns = states
            .taken
            .iter()
            .flat_map(|t| [0, 3, 6].map(|first| [t[first], t[first + 1], t[first + 2], 0.0]));
        let all: Vec<[f32; 4]> = states.turns.iter().copied().chain(columns).collect();
        self.states.write(0, &all);
    }

    /// What clusters have become, from a copy of [`Matching::states`].
    pub fn read(&self, copied: &[[f32; 4]]) -> ClusterStates {
        let (turns, columns) = copied.split_at(self.count.min(copied.len()));
        let taken = |three: &[[f32; 4]]| std::array::from_fn(|n| three[n / 3][n % 3]);
        let taken = columns.chunks_exact(3).filter(|_| self.yields).map(taken).collect();
        ClusterStates { turns: turns.to_vec(), taken }
    }

    /// The kernel of clusters, what it is bound to, and its invocations.
    pub fn find(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernels[0].0, &self.kernels[0].1, self.count)
    }

    /// The one of vertices.
    pub fn take(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernels[1].0, &self.kernels[1].1, self.slots)
    }

    /// Members that a substep goes through.
    pub fn elements(&self) -> usize {
        self.members.len()
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let shapes = self.rest.bytes() + self.members.bytes() + self.clusters.bytes();
        let numbers = self.matrices.bytes() + self.kinds.bytes() + self.lists.bytes();
        shapes + numbers + self.states.bytes() + self.kicks.bytes()
    }
}
