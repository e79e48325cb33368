//! The WGSL modules that the simulation's kernels import.

use pliant_gpu::Module;

/// Modules by their names in imports, and their files.
macro_rules! modules {
    ($($name:literal: $file:literal,)*) => {
        &[$(Module { name: $name, source: include_str!($file) }),*]
    };
}

/// Formulas of the stages, and what all kernels of a step know.
pub const LIBRARY: &[Module] = modules! {
    "pliant::step": "step.wgsl",
    "pliant::frames": "frames.wgsl",
    "pliant::sweep": "sweep.wgsl",
    "pliant::elastic": "../../stages/elastic/formula.wgsl",
    "pliant::elements": "../../stages/elastic/elements.wgsl",
    "pliant::fixed": "../../stages/elastic/fixed.wgsl",
    "pliant::integrate": "../../stages/integrate/formula.wgsl",
    "pliant::touch": "../../stages/touch/formula.wgsl",
    "pliant::plasticity": "../../stages/plasticity/formula.wgsl",
    "pliant::implicit": "../../stages/implicit/formula.wgsl",
    "pliant::implicit::vectors": "../../stages/implicit/vectors.wgsl",
    "pliant::implicit::product": "../../stages/implicit/product.wgsl",
    "pliant::implicit::loads": "../../stages/implicit/loads.wgsl",
    "pliant::implicit::contact": "../../stages/implicit/contact.wgsl",
    "pliant::implicit::contact_store": "../../stages/implicit/contact_store.wgsl",
    "pliant::implicit::sums": "../../stages/implicit/sums.wgsl",
    "pliant::implicit::search": "../../stages/implicit/search.wgsl",
    "pliant::moment": "../../stages/measure/moment.wgsl",
    "pliant::energies": "../../stages/measure/energies.wgsl",
    "pliant::fold": "../../stages/measure/fold.wgsl",
    "pliant::walls": "../../stages/walls/formula.wgsl",
};
