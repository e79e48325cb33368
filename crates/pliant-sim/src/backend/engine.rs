//! The backend of a simulator: one of those there are, behind one set of methods.

use std::borrow::Cow;

use super::cpu::{Advance, Cpu};
#[cfg(feature = "gpu")]
use super::gpu::GpuBackend;
use super::{Moment, Trouble};
use crate::model::Model;
use crate::scene::World;
use crate::stages::implicit::Solved;
use crate::stages::plasticity::RestShape;
use crate::state::State;

/// What a model is resident on.
pub(crate) enum Engine {
    Cpu(Box<Cpu>),
    #[cfg(feature = "gpu")]
    Gpu(Box<GpuBackend>),
}

impl Engine {
    /// Threads at work; on a device the one that feeds it.
    pub fn thread_count(&self) -> usize {
        match self {
            Self::Cpu(cpu) => cpu.thread_count(),
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => 1,
        }
    }

    /// Bytes held while stepping.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Cpu(cpu) => cpu.bytes(),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.bytes(),
        }
    }

    /// Takes over a state; one without rest shapes goes back to those of the model.
    pub fn upload(&mut self, model: &Model, moment: &Moment) -> Result<(), Trouble> {
        let state = &moment.state;
        match self {
            Self::Cpu(cpu) => {
                // The layout's spring coefficients follow the rest shapes.
                if cpu.rest_shapes().is_some() && state.rest_shapes.is_none() {
                    **cpu = Cpu::new(model, cpu.thread_count());
                }
                cpu.upload(model, state);
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Ok(gpu.upload(model, moment)?),
        }
    }

    /// The state without its clock; `None` when the device cannot tell any more.
    pub fn download(&self, world: &World) -> Option<State> {
        match self {
            Self::Cpu(cpu) => Some(cpu.download(world)),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.download_or_fail(world),
        }
    }

    /// Copies the present of a device to the host, so that whatever reads it before the next change
    /// need not wait.
    pub async fn mirror(&mut self, world: &World) -> Result<(), Trouble> {
        match self {
            Self::Cpu(_) => {
                let _ = world;
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Ok(gpu.mirror(world).await?),
        }
    }

    pub fn compute_forces(&mut self) -> Result<(), Trouble> {
        match self {
            Self::Cpu(cpu) => {
                cpu.compute_forces();
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Ok(gpu.compute_forces()?),
        }
    }

    pub fn snapshot(&mut self) -> Result<(), Trouble> {
        match self {
            Self::Cpu(cpu) => {
                cpu.snapshot();
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Ok(gpu.snapshot()?),
        }
    }

    pub fn restore(&mut self, model: &Model) -> Result<(), Trouble> {
        match self {
            Self::Cpu(cpu) => {
                cpu.restore(model);
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                // Half of it may have been copied.
                gpu.restore().map_err(|e| Trouble::Device(e.to_string()))
            }
        }
    }

    pub async fn advance(&mut self, model: &Model, job: &Advance<'_>) -> Result<(), Trouble> {
        match self {
            Self::Cpu(cpu) => Ok(cpu.advance(model, job)?),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.advance(model, job).await,
        }
    }

    /// What came of implicit steps since the last call.
    pub fn take_solved(&mut self) -> Solved {
        match self {
            Self::Cpu(cpu) => cpu.take_solved(),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.take_solved(),
        }
    }

    pub fn positions(&self) -> Vec<[f32; 3]> {
        match self {
            Self::Cpu(cpu) => cpu.positions(),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.positions(),
        }
    }

    pub fn velocities(&self) -> Vec<[f32; 3]> {
        match self {
            Self::Cpu(cpu) => cpu.velocities(),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.velocities(),
        }
    }

    pub fn internal_forces(&mut self, world: &World) -> Vec<[f32; 3]> {
        match self {
            Self::Cpu(cpu) => {
                let _ = world;
                cpu.internal_forces()
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.internal_forces(world),
        }
    }

    /// Positions of the given vertices, if any of their bodies may have gone far.
    pub async fn wanderers(&mut self, vertices: &[u32]) -> Option<Vec<[f32; 3]>> {
        match self {
            Self::Cpu(cpu) => Some(vertices.iter().map(|&v| cpu.position(v)).collect()),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => match gpu.take_wandered() {
                true => Some(gpu.positions_of(vertices).await),
                false => None,
            },
        }
    }

    pub fn shift_body(&mut self, body: u32, shift: [f32; 3]) {
        match self {
            Self::Cpu(cpu) => cpu.shift_body(body, shift),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.shift_body(body, shift),
        }
    }

    /// Whether plasticity was on, so that tetrahedra have rest shapes of their own.
    pub fn has_rest_shapes(&self) -> bool {
        match self {
            Self::Cpu(cpu) => cpu.rest_shapes().is_some(),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.has_rest_shapes(),
        }
    }

    /// Rest shapes of the tetrahedra in model order, once plasticity was on.
    pub fn rest_shapes(&self) -> Option<Cow<'_, [RestShape<f32>]>> {
        match self {
            Self::Cpu(cpu) => cpu.rest_shapes().map(Cow::Borrowed),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.rest_shapes().map(Cow::Owned),
        }
    }
}
