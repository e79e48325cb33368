//! The vertex sweep on a device.

use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Binding, Commands, Gpu, GpuError, Kernel, KernelDesc, Module};

use super::{Phase, history_count, keeps_forces, plan};
use crate::scene::{Integrator, World};
use crate::stages::colliders::gpu::Uniforms;
use crate::stages::elastic::gpu::Elastic;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::library::LIBRARY;
use crate::stages::gpu::record::STRIDE;

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;
const RECORD: Access = Access::Record;
const BINDINGS: &[Access] =
    &[WRITE, WRITE, WRITE, WRITE, WRITE, READ, READ, WRITE, READ, WRITE, RECORD];
const WITH_COLLIDERS: &[Access] =
    &[WRITE, WRITE, WRITE, WRITE, WRITE, WRITE, READ, WRITE, READ, WRITE, RECORD, RECORD];

/// Description of the kernel with the given constants and entry point.
pub fn description<'a>(entry: &'a str, constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    let source = concat!(include_str!("kernel.wgsl"), include_str!("../walls/sweep.wgsl"));
    let module = Module { name: "integrate.wgsl", source };
    KernelDesc { library: LIBRARY, module, entry, constants, bindings: BINDINGS }
}

/// The same for a world with colliders.
pub fn description_with_colliders<'a>(constants: &'a [(&'a str, f64)]) -> KernelDesc<'a> {
    let source = concat!(include_str!("kernel.wgsl"), include_str!("../colliders/sweep.wgsl"));
    let module = Module { name: "integrate.wgsl", source };
    let (entry, bindings) = ("integrate", WITH_COLLIDERS);
    KernelDesc { library: LIBRARY, module, entry, constants, bindings }
}

/// The updates of an integrator, bound to a model's arrays.
pub struct Updates {
    /// Whose updates they are.
    pub integrator: Integrator,
    /// Whether forces are collected before, because somebody looks at them.
    pub is_collected: bool,
    updates: Vec<(Kernel, BindGroup)>,
    collect: (Kernel, BindGroup),
    slots: usize,
}

impl Updates {
    /// Makes the kernels of the integrator of a world, and room for what it remembers. Forces may be collected before.
    pub fn new(
        gpu: &Gpu,
        (world, is_collected): (&World, bool),
        elastic: &Elastic,
        arrays: &Arrays,
        colliders: Option<&Uniforms>,
    ) -> Result<Self, GpuError> {
        let integrator = world.integrator;
        let mut updates = Vec::new();
        let mut fresh = false;
        for &phase in plan(integrator) {
            if let Phase::Update(n) = phase {
                let constants = [
                    ("COLLECT", if fresh && !is_collected { elastic.collect_mode() } else { 0.0 }),
                    ("KEEP_FORCE", f64::from(u8::from(keeps_forces(integrator)))),
                    ("UPDATE", update_kind(integrator, n)),
                    ("HISTORY", history_count(integrator) as f64),
                ];
                let desc = match colliders {
                    Some(_) => description_with_colliders(&constants),
                    None => description("integrate", &constants),
                };
                updates.push(Kernel::bound(gpu, &desc, &buffers(elastic, arrays, colliders))?);
            }
            fresh = phase == Phase::Forces;
        }
        let collecting = [("COLLECT", elastic.collect_mode())];
        let desc = description("collect", &collecting);
        let collect = Kernel::bound(gpu, &desc, &buffers(elastic, arrays, None))?;
        Ok(Self { integrator, is_collected, updates, collect, slots: arrays.position.len() })
    }

    /// Binds the kernels again, because an array has been replaced.
    pub fn rebind(
        &mut self,
        gpu: &Gpu,
        elastic: &Elastic,
        arrays: &Arrays,
        colliders: Option<&Uniforms>,
    ) {
        for (kernel, group) in &mut self.updates {
            *group = kernel.bind(gpu, &buffers(elastic, arrays, colliders));
        }
        let (kernel, group) = &mut self.collect;
        *group = kernel.bind(gpu, &buffers(elastic, arrays, None));
    }

    /// Kernel, arrays and invocations of update `n`.
    pub fn dispatch(&self, n: u8) -> (&Kernel, &BindGroup, usize) {
        let (kernel, group) = &self.updates[usize::from(n)];
        (kernel, group, self.slots)
    }

    /// Kernel, arrays and invocations of taking the elastic forces into the array of forces, where somebody looks at
    /// them before the update does.
    pub fn collected(&self, elastic: &Elastic) -> Option<(&Kernel, &BindGroup, usize)> {
        let (kernel, group) = &self.collect;
        let is_apart = self.is_collected && elastic.collect_mode() != 0.0;
        is_apart.then_some((kernel, group, self.slots))
    }

    /// Records taking the elastic forces into the array of forces.
    pub fn collect(&self, commands: &mut Commands, record: u32) {
        let (kernel, group) = &self.collect;
        commands.run(kernel, group, &[record * STRIDE], self.slots);
    }
}

/// `UPDATE` of the kernel.
fn update_kind(integrator: Integrator, n: u8) -> f64 {
    match (integrator, n) {
        (Integrator::Beeman, 0) => 1.0,
        (Integrator::Beeman, _) => 2.0,
        (Integrator::ExplicitEuler | Integrator::Heun | Integrator::Rk2 | Integrator::Rk4, _) => {
            3.0
        }
        _ => 0.0,
    }
}

fn buffers<'a>(
    elastic: &'a Elastic,
    arrays: &'a Arrays,
    colliders: Option<&'a Uniforms>,
) -> Vec<Binding<'a>> {
    let mut buffers = vec![Binding::from(&arrays.position)];
    buffers.extend(arrays.swept());
    buffers.extend([(&elastic.part_lists).into(), (&elastic.parts).into(), arrays.record()]);
    buffers.extend(colliders.map(Uniforms::binding));
    buffers
}
