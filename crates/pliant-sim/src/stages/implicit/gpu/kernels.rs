//! The kernels of implicit steps: what they are made of, and what they are bound to.
//!
//! What is free and what holds vertices is appended to kernels: components and walls, or directions of any kind and
//! obstacles where there are colliders, so that nobody pays for what is not there.

use pliant_gpu::Access::{Read, Record, Write};
use pliant_gpu::wgpu::BindGroup;
use pliant_gpu::{Access, Binding, Gpu, Kernel, KernelDesc, Module};

use super::Own;
use crate::stages::colliders::gpu::Uniforms;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::library::LIBRARY;

// What kernels are bound to. Where there are colliders, those that meet them are bound to all of it, and without to all
// but the last ones.
const LINEARISE: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const PREPARE: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record];
const BEGIN: &[Access] =
    &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Write, Record, Record];
const MULTIPLY: &[Access] = &[Read, Read, Read, Write, Write, Record];
const CG_UPDATE: &[Access] = &[Read, Read, Read, Read, Write, Write, Read, Record, Record];
const DECIDE: &[Access] = &[Read, Read, Write, Record];
const NEWTON_RESIDUAL: &[Access] =
    &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Write, Record, Record];
const LINE_SEARCH: &[Access] = &[Write, Write, Read, Read, Read, Write, Record];
const MOMENTUM: &[Access] = &[Read, Write, Read, Read, Read, Write, Record];
const INSPECT: &[Access] = &[Read, Read, Read, Read, Read, Read, Read, Read, Write, Record, Read];
const ACCEPT: &[Access] = &[Read, Write, Record];
const FINISH: &[Access] =
    &[Write, Write, Write, Write, Read, Write, Read, Write, Record, Write, Record];

/// The kernels in the order of their first run.
#[derive(Clone, Copy)]
pub(super) enum SolverKernel {
    Linearise,
    Prepare,
    Begin,
    OpenSearch,
    Multiply,
    CgUpdate,
    Decide,
    CorrectMomentum,
    CorrectMomentumBeforeStep,
    CorrectMomentumAtEnd,
    Finish,
    KeepStart,
    OpenNewton,
    StepAlong,
    NewtonResidual,
    CheckNewton,
    InspectStart,
    InspectEnd,
    Accept,
}

impl SolverKernel {
    /// Whether it looks at where colliders are, if there are any.
    pub fn meets_colliders(self) -> bool {
        matches!(self, Self::Begin | Self::CgUpdate | Self::NewtonResidual | Self::Finish)
    }
}

/// How many there are.
pub(super) const KERNEL_COUNT: usize = 19;

/// What kernels are made for.
#[derive(Clone, Copy, Debug)]
pub struct With {
    /// Springs are damped.
    pub is_damped: bool,
    /// There are volume forces.
    pub has_volumes: bool,
    /// There are colliders.
    pub has_colliders: bool,
}

impl With {
    /// Constants of the kernels.
    pub fn constants(&self) -> [(&'static str, f64); 2] {
        let flag = |is: bool| f64::from(u8::from(is));
        [("DAMPED", flag(self.is_damped)), ("VOLUMES", flag(self.has_volumes))]
    }
}

macro_rules! module {
    ($file:literal) => {
        Module { name: $file, source: include_str!(concat!("../", $file)) }
    };
    // With what is appended to it where there are no colliders, or else where there are.
    ($file:literal, $with:expr, [$($alone:literal),+], [$($beside:literal),+]) => {
        Module {
            name: $file,
            source: match $with.has_colliders {
                true => concat!(
                    include_str!(concat!("../", $file)),
                    $(include_str!(concat!("../", $beside))),+
                ),
                false => concat!(
                    include_str!(concat!("../", $file)),
                    $(include_str!(concat!("../", $alone))),+
                ),
            },
        }
    };
    // With what holds vertices; `colliders` have this binding.
    ($file:literal, $with:expr, $binding:literal) => {
        Module {
            name: $file,
            source: match $with.has_colliders {
                true => concat!(
                    include_str!(concat!("../", $file)),
                    include_str!("../projection.wgsl"),
                    include_str!("../at_obstacles.wgsl"),
                    "@group(0) @binding(",
                    $binding,
                    ") var<uniform> colliders: Colliders;\n"
                ),
                false => concat!(
                    include_str!(concat!("../", $file)),
                    include_str!("../mask.wgsl"),
                    include_str!("../at_walls.wgsl")
                ),
            },
        }
    };
}

/// Descriptions of all kernels; `constants` are those of `with`.
pub fn descriptions<'a>(
    with: &With,
    constants: &'a [(&'a str, f64); 2],
) -> [KernelDesc<'a>; KERNEL_COUNT] {
    let desc = |entry, module, bindings, constants| KernelDesc {
        library: LIBRARY,
        module,
        entry,
        constants,
        bindings,
    };
    // Without the last ones if there are no colliders.
    let bound = |all: &'static [Access], more: usize| match with.has_colliders {
        true => all,
        false => &all[..all.len() - more],
    };
    let prepare = module!("prepare.wgsl", with, ["mask.wgsl"], ["projection.wgsl"]);
    let begin = module!("begin.wgsl", with, 11);
    let multiply = module!("multiply.wgsl", with, ["mask.wgsl"], ["projection.wgsl"]);
    let cg_update = module!("cg_update.wgsl", with, 8);
    let momentum = module!(
        "momentum.wgsl",
        with,
        ["missing_by_component.wgsl"],
        ["projection.wgsl", "missing_oblique.wgsl"]
    );
    let finish = module!("finish.wgsl", with, ["leave_walls.wgsl"], ["leave_obstacles.wgsl"]);
    let line_search = module!("line_search.wgsl", with, ["mask.wgsl"], ["projection.wgsl"]);
    let newton_residual = module!("newton_residual.wgsl", with, 11);
    let inspect =
        module!("inspect.wgsl", with, ["given_by_walls.wgsl"], ["given_by_obstacles.wgsl"]);
    let decide = module!("decide.wgsl");
    [
        desc("linearise", module!("linearise.wgsl"), LINEARISE, &constants[..]),
        desc("prepare", prepare, PREPARE, &constants[1..]),
        desc("begin", begin, bound(BEGIN, 1), &[]),
        desc("open_search", decide, DECIDE, &[]),
        desc("multiply", multiply, MULTIPLY, &constants[1..]),
        desc("cg_update", cg_update, bound(CG_UPDATE, 1), &[]),
        desc("decide", decide, DECIDE, &[]),
        desc("correct_momentum", momentum, MOMENTUM, &[]),
        desc("correct_momentum_before_step", momentum, MOMENTUM, &[]),
        desc("correct_momentum_at_end", momentum, MOMENTUM, &[]),
        desc("finish", finish, bound(FINISH, 2), &[]),
        desc("keep_start", line_search, LINE_SEARCH, &[]),
        desc("open_newton", decide, DECIDE, &[]),
        desc("step_along", line_search, LINE_SEARCH, &[]),
        desc("newton_residual", newton_residual, bound(NEWTON_RESIDUAL, 1), &[]),
        desc("check_newton", decide, DECIDE, &[]),
        desc("inspect_start", inspect, bound(INSPECT, 1), &[]),
        desc("inspect_end", inspect, bound(INSPECT, 1), &[]),
        desc("accept", module!("accept.wgsl"), ACCEPT, &[]),
    ]
}

macro_rules! bindings {
    ($($buffer:expr),*) => {
        vec![$(Binding::from($buffer)),*]
    };
}

pub(super) fn bind<'a>(
    gpu: &Gpu,
    kernels: &[Kernel; KERNEL_COUNT],
    own: &'a Own,
    arrays: &'a Arrays,
    colliders: Option<&'a Uniforms>,
) -> [BindGroup; KERNEL_COUNT] {
    let Own { pairs, around, lists, ranges, blocks, vectors, partials, checks, search } = own;
    let Arrays { position, compensation, velocity, history, touch, body_constants, flags, .. } =
        arrays;
    let Arrays { springs, damping, tets, volumes, .. } = arrays;
    // All of them end with the record, but for what those need that have to do with colliders.
    let bind = |kernel: SolverKernel, mut buffers: Vec<Binding<'a>>| {
        buffers.push(arrays.record());
        if let Some(colliders) = colliders {
            use SolverKernel::{Finish, InspectEnd, InspectStart};
            match kernel {
                Finish => buffers.push(touch.into()),
                InspectStart | InspectEnd => buffers.push(vectors.into()),
                _ => {}
            }
            buffers.extend(kernel.meets_colliders().then(|| colliders.binding()));
        }
        kernels[kernel as usize].bind(gpu, &buffers)
    };
    let swept = arrays.swept().to_vec();
    let decide = bindings![flags, partials, search];
    let line_search = bindings![position, velocity, body_constants, flags, search, vectors];
    let momentum = bindings![ranges, velocity, touch, flags, search, vectors];
    let inspect =
        bindings![position, velocity, springs, tets, volumes, body_constants, flags, touch, checks];
    [
        bind(
            SolverKernel::Linearise,
            bindings![pairs, around, position, springs, damping, tets, volumes, flags, blocks],
        ),
        bind(
            SolverKernel::Prepare,
            bindings![
                lists,
                blocks,
                position,
                velocity,
                touch,
                body_constants,
                flags,
                search,
                vectors
            ],
        ),
        bind(
            SolverKernel::Begin,
            [bindings![position], swept.clone(), bindings![vectors, partials]].concat(),
        ),
        bind(SolverKernel::OpenSearch, decide.clone()),
        bind(SolverKernel::Multiply, bindings![lists, blocks, search, vectors, partials]),
        bind(
            SolverKernel::CgUpdate,
            bindings![search, position, velocity, body_constants, vectors, partials, compensation],
        ),
        bind(SolverKernel::Decide, decide.clone()),
        bind(SolverKernel::CorrectMomentum, momentum.clone()),
        bind(SolverKernel::CorrectMomentumBeforeStep, momentum.clone()),
        bind(SolverKernel::CorrectMomentumAtEnd, momentum),
        bind(
            SolverKernel::Finish,
            bindings![
                position,
                compensation,
                velocity,
                history,
                body_constants,
                vectors,
                search,
                flags
            ],
        ),
        bind(SolverKernel::KeepStart, line_search.clone()),
        bind(SolverKernel::OpenNewton, decide.clone()),
        bind(SolverKernel::StepAlong, line_search),
        bind(SolverKernel::NewtonResidual, [swept, bindings![search, vectors, partials]].concat()),
        bind(SolverKernel::CheckNewton, decide),
        bind(SolverKernel::InspectStart, inspect.clone()),
        bind(SolverKernel::InspectEnd, inspect),
        bind(SolverKernel::Accept, bindings![checks, flags]),
    ]
}
