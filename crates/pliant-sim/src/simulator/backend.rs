//! Choosing what runs a model.

use super::Simulator;
use crate::backend::AnyEngine;
use crate::model::{BuildError, Family, Model};
use crate::pool::Threads;
use crate::scene::World;

#[cfg(feature = "gpu")]
use crate::backend::gpu::GpuBackend;
#[cfg(feature = "gpu")]
use crate::backend::split::Split;
#[cfg(feature = "gpu")]
use crate::step::Stage;
#[cfg(feature = "gpu")]
use pliant_gpu::{AdapterChoice, Gpu, GpuError};

/// What runs the model.
#[derive(Clone, Debug, Default)]
pub enum Backend {
    /// A GPU in hardware if there is one, else all cores of the processor.
    #[default]
    Auto,
    /// Threads of the processor.
    Cpu {
        /// How many; 0 for as many as there are cores, and fewer while other programs need them.
        threads: usize,
    },
    /// A GPU.
    #[cfg(feature = "gpu")]
    Gpu {
        /// Which one.
        adapter: AdapterChoice,
    },
    /// A GPU that is open already, such as a window's.
    #[cfg(feature = "gpu")]
    Device(Gpu),
    /// A GPU, but for some stages, which the processor does: to find out in which stage two backends
    /// differ. Slow.
    #[cfg(feature = "gpu")]
    Split {
        /// The GPU: [`Backend::Gpu`] or [`Backend::Device`].
        device: Box<Backend>,
        /// What the processor does, of [`Stage::MOVABLE`].
        on_cpu: Vec<Stage>,
    },
}

impl Backend {
    /// The best there is: a GPU in hardware, else all cores of the processor.
    pub fn auto() -> Self {
        Self::Auto
    }

    /// All cores of the processor, or those that other programs leave.
    pub fn cpu() -> Self {
        Self::Cpu { threads: 0 }
    }
}

/// Threads for all cores, or those that other programs leave.
pub(super) fn spare_cores() -> Threads {
    Threads::AtMost(std::thread::available_parallelism().map_or(1, usize::from))
}

impl AnyEngine {
    /// Makes a model resident on what `backend` says; messages tell what `auto` could not use.
    pub(super) fn open(
        backend: &Backend,
        model: &Model,
        world: &World,
        messages: &mut Vec<String>,
    ) -> Result<Self, BuildError> {
        let _ = (&world, &messages);
        if let Some(reason) = stays_on_cpu(backend, model, world) {
            // Whoever has no GPU, or has not asked for one, misses nothing.
            if !matches!(backend, Backend::Auto) {
                messages.push(format!("{reason}, so all of it runs on the CPU"));
            }
            return Ok(Self::cpu(model, spare_cores()));
        }
        match backend {
            Backend::Cpu { threads: 0 } => Ok(Self::cpu(model, spare_cores())),
            Backend::Cpu { threads } => Ok(Self::cpu(model, Threads::Exactly(*threads))),
            #[cfg(not(feature = "gpu"))]
            Backend::Auto => Ok(Self::cpu(model, spare_cores())),
            #[cfg(feature = "gpu")]
            Backend::Auto => match on_gpu(&AdapterChoice::hardware(), model, world) {
                Ok(engine) => Ok(engine),
                // That there is no GPU is nothing to tell.
                Err(GpuError::NoAdapter { .. }) => Ok(Self::cpu(model, spare_cores())),
                Err(error) => {
                    messages.push(format!("{error}. Running on the CPU instead"));
                    Ok(Self::cpu(model, spare_cores()))
                }
            },
            #[cfg(feature = "gpu")]
            Backend::Gpu { adapter } => Ok(on_gpu(adapter, model, world)?),
            #[cfg(feature = "gpu")]
            Backend::Device(gpu) => Ok(Self::Gpu(Box::new(GpuBackend::new(gpu, model, world)?))),
            #[cfg(feature = "gpu")]
            Backend::Split { device, on_cpu } => {
                let opened = Self::open(device, model, world, messages)?;
                let Some(gpu) = opened.gpu().map(GpuBackend::gpu) else {
                    messages.push("there is no GPU whose stages could run elsewhere".into());
                    return Ok(opened);
                };
                let split = Split::new(gpu, model, world, spare_cores(), on_cpu)?;
                Ok(Self::Split(Box::new(split)))
            }
        }
    }
}

/// Why what touches cannot be had on what was asked for, if it cannot.
fn stays_on_cpu(backend: &Backend, model: &Model, world: &World) -> Option<&'static str> {
    if matches!(backend, Backend::Cpu { .. }) {
        return None;
    }
    if super::balances_at_colliders(model, world) {
        return Some("Newton's iterations meet colliders on processors");
    }
    #[cfg(feature = "gpu")]
    if matches!(backend, Backend::Split { .. }) && !model.shapes.is_empty() {
        return Some("clusters of vertices cannot be shared by two backends");
    }
    #[cfg(feature = "gpu")]
    if matches!(backend, Backend::Split { .. }) && !model.seams.is_empty() {
        return Some("seams cannot be shared by two backends");
    }
    if model.sewn_family(world) == Some(Family::Implicit) {
        return Some("seams are part of implicit steps on processors");
    }
    let contact = world.contact.as_ref()?;
    #[cfg(feature = "gpu")]
    if matches!(backend, Backend::Split { .. }) {
        return Some("contact between bodies cannot be shared by two backends");
    }
    if !model.given.is_empty() {
        return Some("colliders that are meshes are met on processors");
    }
    if contact.guarantee {
        return Some("surfaces are kept from crossing on processors");
    }
    let is_implicit = model.families(world).contains(Family::Implicit);
    is_implicit.then_some("contact in implicit steps is computed on processors")
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
fn on_gpu(adapter: &AdapterChoice, model: &Model, world: &World) -> Result<AnyEngine, GpuError> {
    let gpu = Gpu::open_blocking(adapter)?;
    Ok(AnyEngine::Gpu(Box::new(GpuBackend::new(&gpu, model, world)?)))
}

/// A browser opens devices in its own time, and lets nobody wait for them.
#[cfg(all(feature = "gpu", target_arch = "wasm32"))]
fn on_gpu(_: &AdapterChoice, _: &Model, _: &World) -> Result<AnyEngine, GpuError> {
    Err(GpuError::NoAdapter {
        wanted: String::new(),
        found: "a browser opens devices in its own time".into(),
        advice: "Open it beforehand and pass it on as Backend::Device, or use the CPU",
    })
}

impl Simulator {
    /// What runs the model, in words: "CPU, 2 threads", or the name of a GPU.
    pub fn backend_name(&self) -> String {
        self.engine.name()
    }

    /// The GPU backend, when that is what runs the model.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self) -> Option<&GpuBackend> {
        self.engine.gpu()
    }

    /// As [`Simulator::gpu`], to change things.
    #[cfg(feature = "gpu")]
    pub fn gpu_mut(&mut self) -> Option<&mut GpuBackend> {
        self.engine.gpu_mut()
    }
}
