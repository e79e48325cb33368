//! Seams on a device.

use pliant_gpu::Access::{Read, Record, Uniform, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Binding, Buffer, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::{Member, Pace, Seams, Status};
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::Layout;
use crate::stages::gpu::library::LIBRARY;
use crate::step::Advance;

/// Some members and pairs: twin of the struct in formula.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ClusterWords {
    pub first_member: u32,
    pub member_count: u32,
    pub first_pair: u32,
    pub pair_count: u32,
}

/// A sewn vertex: twin of the struct in formula.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct MemberWords {
    pub shift: [f32; 3],
    pub mass: f32,
    pub slot: u32,
    pub unused: [u32; 3],
}

/// Two members and their seam: twin of the struct in formula.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PairWords {
    pub ends: [u32; 2],
    pub mass: f32,
    pub strength: f32,
    pub force: f32,
    pub rate: f32,
    pub tolerance: f32,
    pub unused: f32,
}

/// The kernel that adds the forces of open pairs.
pub fn pull<'a>(constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "pull.wgsl", source: include_str!("pull.wgsl") },
        entry: "seams",
        constants,
        bindings: &[Read, Read, Write, Read, Read, Read, Read, Read, Record, Uniform],
    }
}

/// The kernel that lets what is welded move as one.
pub fn weld<'a>(constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    KernelDesc {
        library: LIBRARY,
        module: Module { name: "weld.wgsl", source: include_str!("weld.wgsl") },
        entry: "weld",
        constants,
        bindings: &[Write, Write, Write, Read, Read, Read, Write, Write, Read, Record, Uniform],
    }
}

/// The seams of a model, and the kernels bound to them.
pub struct Sewing {
    kernels: [(Kernel, BindGroup); 3],
    clusters: Buffer<ClusterWords>,
    members: Buffer<MemberWords>,
    pairs: Buffer<PairWords>,
    /// What pairs are, cluster by cluster.
    pub statuses: Buffer<u32>,
    pace: Buffer<Pace>,
    /// Numbers of pairs in the model, cluster by cluster.
    numbers: Vec<u32>,
    /// What was written last: members, where bodies were then, and the pace.
    words: Vec<MemberWords>,
    origins: Vec<[f64; 3]>,
    written: Pace,
}

impl Sewing {
    /// Puts the seams of a model on a device; nothing if it has none.
    pub fn new(
        gpu: &Gpu,
        seams: &Seams,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Option<Self>, GpuError> {
        if seams.is_empty() {
            return Ok(None);
        }
        let (cluster_words, pair_words) = words(seams);
        let member = |m: &Member| MemberWords {
            shift: [0.0; 3],
            mass: m.mass,
            slot: layout.slot_of[m.vertex as usize],
            unused: [0; 3],
        };
        let words: Vec<MemberWords> = seams.members.iter().map(member).collect();
        let clusters = gpu.storage("clusters of sewn vertices", &cluster_words)?;
        let members = gpu.storage("sewn vertices", &words)?;
        let pairs = gpu.storage("sewn pairs", &pair_words)?;
        let statuses = gpu.zeros("what sewn pairs are", pair_words.len())?;
        let pace = gpu.uniform("pace of seams", 1)?;
        let Arrays { position, compensation, velocity, force, flags, sewn, .. } = arrays;
        let bound = |kernel: &KernelDesc<'_>, vertices: [Binding<'_>; 3], told: Option<_>| {
            let own = [(&clusters).into(), (&members).into(), (&pairs).into(), (&statuses).into()];
            let rest = [flags.into(), arrays.record(), (&pace).into()];
            let all = vertices.into_iter().chain(own).chain(told).chain(rest);
            Kernel::bound(gpu, kernel, &all.collect::<Vec<Binding<'_>>>())
        };
        let counted = ("CLUSTERS", cluster_words.len() as f64);
        let moved = || [position.into(), compensation.into(), velocity.into()];
        let kernels = [
            bound(&pull(&[counted]), [position.into(), velocity.into(), force.into()], None)?,
            bound(&weld(&[counted, ("ENDS", 0.0)]), moved(), Some(sewn.into()))?,
            bound(&weld(&[counted, ("ENDS", 1.0)]), moved(), Some(sewn.into()))?,
        ];
        let (numbers, origins, written) = (seams.pairs_of.clone(), Vec::new(), Pace::default());
        Ok(Some(Self {
            kernels,
            clusters,
            members,
            pairs,
            statuses,
            pace,
            numbers,
            words,
            origins,
            written,
        }))
    }

    /// Tells kernels where bodies are as seen from each other, and how long substeps are.
    pub fn prepare(&mut self, seams: &Seams, job: &Advance<'_>) {
        if self.origins != job.origins {
            for (words, shift) in self.words.iter_mut().zip(seams.shifts(job.origins)) {
                words.shift = shift.into();
            }
            self.members.write(0, &self.words);
            self.origins = job.origins.to_vec();
        }
        let pace = Pace::new(job.world, job.h);
        if pace != self.written {
            self.pace.write(0, &[pace]);
            self.written = pace;
        }
    }

    /// Makes pairs what others were; open, if there were none.
    pub fn load(&self, seams: &Seams, (layout, arrays): (&Layout, &Arrays), pairs: &[u8]) {
        let of = |n: u32| pairs.get(n as usize).copied().unwrap_or(Status::Open as u8);
        let statuses: Vec<u32> = self.numbers.iter().map(|&n| u32::from(of(n))).collect();
        self.statuses.write(0, &statuses);
        let mut corners = seams.corners(layout.slot_of.len());
        seams.name(&mut corners, |pair| of(pair) != Status::Apart as u8);
        let mut words: Vec<u32> = (0..layout.slot_count() as u32).collect();
        for (&slot, &corner) in layout.slot_of.iter().zip(&corners) {
            words[slot as usize] = layout.slot_of[corner as usize];
        }
        words.push(1);
        arrays.sewn.write(0, &words);
    }

    /// What pairs are in the order of the model, from a copy of [`Sewing::statuses`].
    pub fn read(&self, copied: &[u32]) -> Vec<u8> {
        let mut pairs = vec![Status::Open as u8; self.numbers.len()];
        for (&n, &status) in self.numbers.iter().zip(copied) {
            pairs[n as usize] = status as u8;
        }
        pairs
    }

    /// The kernel of open pairs, what it is bound to, and its invocations.
    pub fn pulling(&self) -> (&Kernel, &BindGroup, usize) {
        self.dispatch(0)
    }

    /// The one of welds, after the last update of a substep or another one.
    pub fn welding(&self, ends: bool) -> (&Kernel, &BindGroup, usize) {
        self.dispatch(1 + usize::from(ends))
    }

    fn dispatch(&self, n: usize) -> (&Kernel, &BindGroup, usize) {
        (&self.kernels[n].0, &self.kernels[n].1, self.clusters.len())
    }

    /// Pairs that a substep goes through.
    pub fn elements(&self) -> usize {
        self.pairs.len()
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let seams = self.clusters.bytes() + self.members.bytes() + self.pairs.bytes();
        seams + self.statuses.bytes() + self.pace.bytes()
    }
}

/// Clusters, and their pairs, one cluster after the other.
fn words(seams: &Seams) -> (Vec<ClusterWords>, Vec<PairWords>) {
    let count = seams.cluster_count();
    let (mut clusters, mut pairs) = (Vec::with_capacity(count), Vec::new());
    for cluster in 0..count {
        let bounds = |first: &[u32]| (first[cluster], first[cluster + 1] - first[cluster]);
        let (first_member, member_count) = bounds(&seams.first_member);
        let (first_pair, pair_count) = bounds(&seams.first_pair);
        clusters.push(ClusterWords { first_member, member_count, first_pair, pair_count });
        for &n in &seams.pairs_of[first_pair as usize..][..pair_count as usize] {
            let pair = seams.pairs[n as usize];
            let sewn = &seams.list[pair.seam as usize];
            pairs.push(PairWords {
                ends: pair.ends.map(|end| end - first_member),
                mass: pair.mass,
                // Kernels know no infinity.
                strength: pair.strength.min(f32::MAX),
                force: sewn.force,
                rate: sewn.rate,
                tolerance: if sewn.welds { sewn.tolerance } else { -1.0 },
                unused: 0.0,
            });
        }
    }
    (clusters, pairs)
}
