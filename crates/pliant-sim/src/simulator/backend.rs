//! Choosing what runs a model.

use super::Simulator;
use crate::backend::Engine;
use crate::backend::cpu::Cpu;
use crate::model::{BuildError, Model};
use crate::scene::World;

#[cfg(feature = "gpu")]
use crate::backend::gpu::GpuBackend;
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
        /// How many.
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
}

impl Backend {
    /// The best there is: a GPU in hardware, else all cores of the processor.
    pub fn auto() -> Self {
        Self::Auto
    }

    /// All cores of the processor.
    pub fn cpu() -> Self {
        Self::Cpu { threads: all_cores() }
    }
}

pub(super) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Engine {
    /// Makes a model resident on what `backend` says; messages tell what `auto` could not use.
    pub(super) fn open(
        backend: &Backend,
        model: &Model,
        world: &World,
        messages: &mut Vec<String>,
    ) -> Result<Self, BuildError> {
        let cpu = |threads| Self::Cpu(Box::new(Cpu::new(model, threads)));
        let _ = (&world, &messages);
        match backend {
            Backend::Cpu { threads } => Ok(cpu(*threads)),
            #[cfg(not(feature = "gpu"))]
            Backend::Auto => Ok(cpu(all_cores())),
            #[cfg(feature = "gpu")]
            Backend::Auto => match on_gpu(&AdapterChoice::hardware(), model, world) {
                Ok(engine) => Ok(engine),
                // That there is no GPU is nothing to tell.
                Err(GpuError::NoAdapter { .. }) => Ok(cpu(all_cores())),
                Err(error) => {
                    messages.push(format!("{error}. Running on the CPU instead"));
                    Ok(cpu(all_cores()))
                }
            },
            #[cfg(feature = "gpu")]
            Backend::Gpu { adapter } => Ok(on_gpu(adapter, model, world)?),
            #[cfg(feature = "gpu")]
            Backend::Device(gpu) => Ok(Self::Gpu(Box::new(GpuBackend::new(gpu, model, world)?))),
        }
    }
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
fn on_gpu(adapter: &AdapterChoice, model: &Model, world: &World) -> Result<Engine, GpuError> {
    let gpu = Gpu::open_blocking(adapter)?;
    Ok(Engine::Gpu(Box::new(GpuBackend::new(&gpu, model, world)?)))
}

/// A browser opens devices in its own time, and lets nobody wait for them.
#[cfg(all(feature = "gpu", target_arch = "wasm32"))]
fn on_gpu(_: &AdapterChoice, _: &Model, _: &World) -> Result<Engine, GpuError> {
    Err(GpuError::NoAdapter {
        wanted: String::new(),
        found: "a browser opens devices in its own time".into(),
        advice: "Open it beforehand and pass it on as Backend::Device, or use the CPU",
    })
}

impl Simulator {
    /// What runs the model, in words: "CPU, 2 threads", or the name of a GPU.
    pub fn backend_name(&self) -> String {
        match &self.engine {
            Engine::Cpu(cpu) => match cpu.thread_count() {
                1 => "CPU, 1 thread".into(),
                n => format!("CPU, {n} threads"),
            },
            #[cfg(feature = "gpu")]
            Engine::Gpu(gpu) => format!("{}, {}", gpu.gpu().adapter().name, gpu.strategy()),
        }
    }

    /// The GPU backend, when that is what runs the model.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self) -> Option<&GpuBackend> {
        match &self.engine {
            Engine::Gpu(gpu) => Some(gpu),
            Engine::Cpu(_) => None,
        }
    }

    /// As [`Simulator::gpu`], to change things.
    #[cfg(feature = "gpu")]
    pub fn gpu_mut(&mut self) -> Option<&mut GpuBackend> {
        match &mut self.engine {
            Engine::Gpu(gpu) => Some(gpu),
            Engine::Cpu(_) => None,
        }
    }
}
