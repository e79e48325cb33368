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

/// The kernel of parts of wholes.
pub const PARTS: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "parts.wgsl", source: include_str!("parts.wgsl") },
    entry: "sum_parts",
    constants: &[],
    bindings: &[Read, Read, Read, Read, Write, Read, Record],
};

/// The kernel of wholes.
pub const WHOLES: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "wholes.wgsl", source: include_str!("wholes.wgsl") },
    entry: "move_wholes",
    constants: &[],
    bindings: &[Read, Read, Read, Read, Read, Write, Read, Record],
};

/// The kernel that lets vertices take what clusters give, and lose what fades.
pub const VERTICES: KernelDesc<'static> = KernelDesc {
    library: LIBRARY,
    module: Module { name: "vertices.wgsl", source: include_str!("vertices.wgsl") },
    entry: "match_shapes",
    constants: &[],
    bindings: &[Read, Read, Write, Read, Read, Read, Read, Record],
};

/// Vertices that a workgroup adds up at most.
const PART: usize = 8 * pliant_gpu::WORKGROUP as usize;

/// Wholes as they are on a device.
struct Wholes {
    vertices: Buffer<[u32; 2]>,
    parts: Buffer<[u32; 4]>,
    wholes: Buffer<[u32; 4]>,
    whole_of: Buffer<u32>,
    sums: Buffer<[f32; 4]>,
    motions: Buffer<[f32; 4]>,
    part_count: usize,
    count: usize,
}

impl Wholes {
    fn new(gpu: &Gpu, of: &super::Wholes, layout: &Layout) -> Result<Self, GpuError> {
        let slot = |v: u32| layout.slot_of[v as usize];
        let (mut parts, mut wholes) = (Vec::new(), Vec::new());
        let mut whole_of = vec![u32::MAX; layout.slot_count()];
        for (n, whole) in (0..).zip(&of.all) {
            let own = whole.first as usize..(whole.first + whole.count) as usize;
            of.vertices[own.clone()].iter().for_each(|&(v, _)| whole_of[slot(v) as usize] = n);
            let from = slot(of.vertices[own.start].0);
            let first_part = parts.len() as u32;
            for begin in own.clone().step_by(PART) {
                parts.push([begin as u32, own.end.min(begin + PART) as u32, from, 0]);
            }
            wholes.push([first_part, parts.len() as u32, from, whole.kind]);
            wholes.push([whole.inv_mass.to_bits(), 0, 0, 0]);
        }
        let vertices: Vec<[u32; 2]> =
            of.vertices.iter().map(|&(v, mass)| [slot(v), mass.to_bits()]).collect();
        Ok(Self {
            vertices: gpu.storage("vertices of wholes", &vertices)?,
            parts: gpu.storage("parts of wholes", &parts)?,
            wholes: gpu.storage("wholes", &wholes)?,
            whole_of: gpu.storage("wholes of vertices", &whole_of)?,
            sums: gpu.zeros("sums over parts of wholes", 4 * parts.len())?,
            motions: gpu.zeros("motions of wholes", 5 * of.all.len())?,
            part_count: parts.len(),
            count: of.all.len(),
        })
    }

    fn bytes(&self) -> u64 {
        let lists = self.vertices.bytes() + self.parts.bytes() + self.wholes.bytes();
        lists + self.whole_of.bytes() + self.sums.bytes() + self.motions.bytes()
    }
}

/// The clusters of a model, and the kernels bound to them.
pub struct Matching {
    kernels: [(Kernel, BindGroup); 4],
    wholes: Wholes,
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
        let wholes = Wholes::new(gpu, &shapes.wholes, layout)?;
        let add_up = [
            position.into(),
            velocity.into(),
            (&wholes.vertices).into(),
            (&wholes.parts).into(),
            (&wholes.sums).into(),
            flags.into(),
            arrays.record(),
        ];
        let carry = [
            position.into(),
            velocity.into(),
            (&wholes.wholes).into(),
            (&wholes.sums).into(),
            (&kinds).into(),
            (&wholes.motions).into(),
            flags.into(),
            arrays.record(),
        ];
        let take = [
            (&kicks).into(),
            (&lists).into(),
            velocity.into(),
            position.into(),
            (&wholes.whole_of).into(),
            (&wholes.motions).into(),
            flags.into(),
            arrays.record(),
        ];
        let kernels = [
            Kernel::bound(gpu, &self::clusters(&[("CLUSTERS", count as f64)]), &find)?,
            Kernel::bound(gpu, &PARTS, &add_up)?,
            Kernel::bound(gpu, &WHOLES, &carry)?,
            Kernel::bound(gpu, &VERTICES, &take)?,
        ];
        let slots = layout.slot_count();
        let drives = Vec::new();
        let matching = Self {
            kernels,
            wholes,
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
                [pull.rate, pull.beta, drive.loss, pull.h].map(|number| number as f32),
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

    /// The kernels of clusters and of parts of wholes, what they are bound to, and their invocations.
    pub fn find(&self) -> [(&Kernel, &BindGroup, usize); 2] {
        let threads = self.wholes.part_count * pliant_gpu::WORKGROUP as usize;
        [self.kernel(0, self.count), self.kernel(1, threads)]
    }

    /// Those of wholes and of vertices.
    pub fn take(&self) -> [(&Kernel, &BindGroup, usize); 2] {
        [self.kernel(2, self.wholes.count), self.kernel(3, self.slots)]
    }

    fn kernel(&self, number: usize, threads: usize) -> (&Kernel, &BindGroup, usize) {
        let (kernel, group) = &self.kernels[number];
        (kernel, group, threads)
    }

    /// Members that a substep goes through.
    pub fn elements(&self) -> usize {
        self.members.len()
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let shapes = self.rest.bytes() + self.members.bytes() + self.clusters.bytes();
        let numbers = self.matrices.bytes() + self.kinds.bytes() + self.lists.bytes();
        shapes + numbers + self.states.bytes() + self.kicks.bytes() + self.wholes.bytes()
    }
}
