//! What runs a model: the CPU here; a GPU beside it in its own module.

pub mod cpu;
