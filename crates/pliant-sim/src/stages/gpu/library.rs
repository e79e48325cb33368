//! The WGSL modules that the simulation's kernels import.

use pliant_gpu::Module;

/// Modules by their names in imports, and their files.
macro_rules! modules {
    ($($(#[$when:meta])? $name:literal: $file:literal,)*) => {
        &[$($(#[$when])? Module { name: $name, source: include_str!($file) }),*]
    };
}

/// Formulas of the stages, and what all kernels of a step know.
pub const LIBRARY: &[Module] = modules! {
    "pliant::step": "step.wgsl",
    "pliant::pause": "pause.wgsl",
    "pliant::body_constants": "body_constants.wgsl",
    "pliant::sweep": "sweep.wgsl",
    "pliant::air": "../air/formula.wgsl",
    "pliant::matrix": "../../matrix.wgsl",
    "pliant::bending": "../bending/formula.wgsl",
    "pliant::colliders": "../colliders/formula.wgsl",
    "pliant::colliders::record": "../colliders/record.wgsl",
    "pliant::colliders::note": "../colliders/note.wgsl",
    "pliant::closest": "../../contact/closest.wgsl",
    "pliant::contact": "../contact/formula.wgsl",
    "pliant::contact::setup": "../contact/setup.wgsl",
    "pliant::contact::surface": "../contact/surface.wgsl",
    "pliant::contact::boxes": "../contact/boxes.wgsl",
    "pliant::elastic": "../elastic/formula.wgsl",
    "pliant::elements": "../elastic/elements.wgsl",
    "pliant::fixed": "../elastic/fixed.wgsl",
    "pliant::integrate": "../integrate/formula.wgsl",
    "pliant::pins": "../pins/formula.wgsl",
    "pliant::seams": "../seams/formula.wgsl",
    "pliant::shapes": "../shapes/formula.wgsl",
    "pliant::skin": "../skin/formula.wgsl",
    "pliant::strain": "../strain/formula.wgsl",
    "pliant::strain::iteration": "../strain/iteration.wgsl",
    "pliant::touch": "../touch/formula.wgsl",
    "pliant::hands": "../touch/hands.wgsl",
    "pliant::plasticity": "../plasticity/formula.wgsl",
    "pliant::implicit": "../implicit/formula.wgsl",
    "pliant::implicit::vectors": "../implicit/vectors.wgsl",
    "pliant::implicit::product": "../implicit/product.wgsl",
    "pliant::implicit::loads": "../implicit/loads.wgsl",
    "pliant::implicit::contact": "../implicit/contact.wgsl",
    "pliant::implicit::contact_store": "../implicit/contact_store.wgsl",
    "pliant::implicit::planes": "../implicit/planes.wgsl",
    "pliant::implicit::obstacles": "../implicit/obstacles.wgsl",
    "pliant::implicit::sums": "../implicit/sums.wgsl",
    "pliant::implicit::search": "../implicit/search.wgsl",
    "pliant::measure::record": "../measure/record.wgsl",
    "pliant::energies": "../measure/energies.wgsl",
    "pliant::fold": "../measure/fold.wgsl",
    "pliant::walls": "../walls/formula.wgsl",
    #[cfg(test)]
    "pliant::tether": "../tether/formula.wgsl",
};
