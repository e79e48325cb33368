//! The WGSL modules that the simulation's kernels import.

use pliant_gpu::Module;

/// Formulas of the stages, and what all kernels of a step know.
pub const LIBRARY: &[Module] = &[
    Module { name: "pliant::step", source: include_str!("step.wgsl") },
    Module { name: "pliant::frames", source: include_str!("frames.wgsl") },
    Module { name: "pliant::elastic", source: include_str!("../../stages/elastic/formula.wgsl") },
    Module { name: "pliant::elements", source: include_str!("../../stages/elastic/elements.wgsl") },
    Module { name: "pliant::fixed", source: include_str!("../../stages/elastic/fixed.wgsl") },
    Module {
        name: "pliant::integrate",
        source: include_str!("../../stages/integrate/formula.wgsl"),
    },
    Module { name: "pliant::touch", source: include_str!("../../stages/touch/formula.wgsl") },
    Module {
        name: "pliant::plasticity",
        source: include_str!("../../stages/plasticity/formula.wgsl"),
    },
    Module { name: "pliant::implicit", source: include_str!("../../stages/implicit/formula.wgsl") },
    Module {
        name: "pliant::implicit::vectors",
        source: include_str!("../../stages/implicit/vectors.wgsl"),
    },
    Module {
        name: "pliant::implicit::product",
        source: include_str!("../../stages/implicit/product.wgsl"),
    },
    Module {
        name: "pliant::implicit::contact",
        source: include_str!("../../stages/implicit/contact.wgsl"),
    },
    Module {
        name: "pliant::implicit::sums",
        source: include_str!("../../stages/implicit/sums.wgsl"),
    },
    Module {
        name: "pliant::implicit::search",
        source: include_str!("../../stages/implicit/search.wgsl"),
    },
    Module { name: "pliant::moment", source: include_str!("../../stages/measure/moment.wgsl") },
    Module { name: "pliant::energies", source: include_str!("../../stages/measure/energies.wgsl") },
    Module { name: "pliant::fold", source: include_str!("../../stages/measure/fold.wgsl") },
    Module { name: "pliant::walls", source: include_str!("../../stages/walls/formula.wgsl") },
];
