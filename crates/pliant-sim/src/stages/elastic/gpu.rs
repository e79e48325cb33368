//! Elastic forces on a device, added up in one of three ways.
//!
//! Without floating-point atomics a device cannot simply add forces to vertices. Georgii &
//! Westermann (*Interactive simulation of deformable bodies on GPUs*) compare gathering at points
//! with scattering from edges; today there are three ways, all with the same result:
//!
//! | strategy | elements are computed | forces are added |
//! |---|---|---|
//! | gather | at each of their vertices anew | in a register |
//! | edge-gather | once, and stored | from lists with signs, in the update |
//! | edge-scatter | once | by integer atomics in fixed point |
//!
//! Each gives the same bits run after run on one device: lists have a fixed order, and whole numbers
//! do not care about theirs.

use pliant_gpu::Access::{Read, Record, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Binding, Buffer, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use crate::model::Model;
use crate::scene::{Accumulation, World};
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::layout::{Layout, Lists};
use crate::stages::gpu::library::LIBRARY;
use crate::stages::gpu::record::STRIDE;

/// The unit of fixed-point forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed {
    /// A power of two \[1/N\].
    pub units_per_newton: f32,
    /// Its inverse \[N\].
    pub newtons_per_unit: f32,
    /// Most units of one element's force.
    pub most: f32,
}

/// The force kernel of a strategy, bound to a model's arrays.
pub struct Elastic {
    strategy: Accumulation,
    kernel: Kernel,
    group: BindGroup,
    threads: usize,
    /// Forces on their way from elements to vertices: stored parts or fixed-point sums.
    pub parts: Buffer<u32>,
    /// Which parts each vertex adds.
    pub part_lists: Buffer<u32>,
    lists: Vec<Buffer<u32>>,
}

// The first seven are those of elements.wgsl, the eighth are the flags.
const GATHER: &[Access] = &[Read, Read, Read, Read, Read, Read, Record, Read, Read, Read, Write];
const EDGE_GATHER: &[Access] = &[Read, Read, Read, Read, Read, Read, Record, Read, Write];
const EDGE_SCATTER: &[Access] = &[Read, Read, Read, Read, Read, Read, Record, Write, Write];

/// Description of a strategy's kernel.
pub fn description(strategy: Accumulation, damped: bool) -> KernelDesc<'static> {
    let (name, source, entry, bindings) = match strategy {
        Accumulation::EdgeGather => {
            ("edge_gather.wgsl", include_str!("edge_gather.wgsl"), "edge_gather", EDGE_GATHER)
        }
        Accumulation::EdgeScatter => {
            ("edge_scatter.wgsl", include_str!("edge_scatter.wgsl"), "edge_scatter", EDGE_SCATTER)
        }
        Accumulation::Auto | Accumulation::Gather => {
            ("gather.wgsl", include_str!("gather.wgsl"), "gather", GATHER)
        }
    };
    let constants: &[(&str, f64)] = if damped { &[("DAMPED", 1.0)] } else { &[] };
    KernelDesc { library: LIBRARY, module: Module { name, source }, entry, constants, bindings }
}

impl Elastic {
    /// Makes the kernel of `strategy`, which must not be `Auto`, and the arrays that it alone needs.
    pub fn new(
        gpu: &Gpu,
        strategy: Accumulation,
        model: &Model,
        layout: &Layout,
        arrays: &Arrays,
    ) -> Result<Self, GpuError> {
        let upload = |label: &str, lists: Lists| gpu.storage(label, &lists.words);
        let (elements, slots) = (layout.springs.len() + layout.tets.len(), layout.slot_count());
        let mut lists = Vec::new();
        let (mut parts, mut part_lists) = (0, gpu.zeros("part_lists", 0)?);
        match strategy {
            Accumulation::EdgeGather => {
                parts = 3 * layout.part_count();
                part_lists = upload("part_lists", layout.part_lists())?;
            }
            Accumulation::EdgeScatter => parts = 6 * slots,
            Accumulation::Auto | Accumulation::Gather => {
                lists.push(upload("spring_lists", layout.spring_lists())?);
                lists.push(upload("tet_lists", layout.tet_lists())?);
            }
        }
        let parts = gpu.zeros("parts", parts)?;
        let mut bindings = Vec::from(shared_bindings(arrays));
        match &lists[..] {
            [] => bindings.push((&parts).into()),
            lists => {
                bindings.extend(lists.iter().map(Binding::from));
                bindings.push((&arrays.force).into());
            }
        }
        let description = description(strategy, model.damping.is_some());
        let (kernel, group) = Kernel::bound(gpu, &description, &bindings)?;
        let threads = if lists.is_empty() { elements } else { slots };
        Ok(Self { strategy, kernel, group, threads, parts, part_lists, lists })
    }

    /// Which strategy it is.
    pub fn strategy(&self) -> Accumulation {
        self.strategy
    }

    /// What the update has to know: `COLLECT` of integrate/kernel.wgsl.
    pub fn collect_mode(&self) -> f64 {
        match self.strategy {
            Accumulation::Auto | Accumulation::Gather => 0.0,
            Accumulation::EdgeGather => 1.0,
            Accumulation::EdgeScatter => 2.0,
        }
    }

    /// Kernel, its arrays, and how many invocations it needs.
    pub fn dispatch(&self) -> (&Kernel, &BindGroup, usize) {
        (&self.kernel, &self.group, self.threads)
    }

    /// Records the forces at the present positions; `record` is the place of the step's record.
    pub fn run(&self, commands: &mut Commands, record: u32) {
        commands.run(&self.kernel, &self.group, &[record * STRIDE], self.threads);
    }

    /// Bytes of the arrays that this strategy needs besides the model's.
    pub fn bytes(&self) -> u64 {
        let lists: u64 = self.lists.iter().map(Buffer::bytes).sum();
        lists + self.parts.bytes() + self.part_lists.bytes()
    }
}

/// What the kernels of all strategies are bound to first.
fn shared_bindings(arrays: &Arrays) -> [Binding<'_>; 8] {
    let Arrays { position, velocity, springs, damping, tets, volumes, flags, .. } = arrays;
    [
        position.into(),
        velocity.into(),
        springs.into(),
        damping.into(),
        tets.into(),
        volumes.into(),
        arrays.record(),
        flags.into(),
    ]
}

/// How a world wants forces to be added up. Forces of bending are added to sums that are there, so that worlds with
/// any gather.
pub fn accumulation_of(model: &Model, world: &World) -> Accumulation {
    if model.hinges.is_empty() { world.accumulation } else { Accumulation::Gather }
}

/// The strategy that is asked for, and for `auto` the one that moves the fewest bytes.
pub fn strategy_for(asked: Accumulation, layout: &Layout) -> Accumulation {
    match asked {
        Accumulation::Auto => fewest_bytes(layout),
        given => given,
    }
}

/// Bytes of arrays that come from memory count fully; accesses that a cache can answer count a
/// quarter, which is about what caches are faster; an atomic addition reads and writes.
fn fewest_bytes(layout: &Layout) -> Accumulation {
    let (springs, tets) = (layout.springs.len() as f64, layout.tets.len() as f64);
    let words = layout.list_lengths();
    let elements = 16.0 * springs + 24.0 * tets;
    let gather = {
        // Padding costs the invocation that waits for its neighbours as much as an element.
        let accesses = words.springs as f64 * (16.0 + 32.0) + words.tets as f64 * (24.0 + 64.0);
        elements + 4.0 * (words.springs + words.tets) as f64 + accesses / 4.0
    };
    let parts = 12.0 * (springs + 4.0 * tets);
    let computed = 32.0 * springs + 64.0 * tets;
    let edge_gather = {
        let refs = 4.0 * words.parts as f64;
        elements + 2.0 * parts + refs + (computed + 3.0 * refs) / 4.0
    };
    let edge_scatter = {
        let atomics = 2.0 * 24.0 * (2.0 * springs + 4.0 * tets);
        elements
            + 4.0 * 24.0 * layout.slot_count() as f64
            + (computed + atomics) / 4.0
            + atomics / 4.0
    };
    let costs = [
        (gather, Accumulation::Gather),
        (edge_gather, Accumulation::EdgeGather),
        (edge_scatter, Accumulation::EdgeScatter),
    ];
    let cheapest = costs.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    cheapest.map_or(Accumulation::Gather, |(_, strategy)| strategy)
}
