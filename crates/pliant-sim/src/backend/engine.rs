//! What every backend can do, and the one place that knows which backend it is.

use std::borrow::Cow;
use std::future::ready;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::time::Duration;

use super::cpu::Cpu;
#[cfg(feature = "gpu")]
use super::gpu::GpuBackend;
#[cfg(feature = "gpu")]
use super::split::Split;
use super::{RestorePoint, Trouble};
use crate::model::Model;
use crate::pool::Threads;
use crate::scene::World;
use crate::stages::colliders::Contact;
use crate::stages::contact::{ContactReport, Touching};
use crate::stages::implicit::SolverReport;
use crate::stages::measure::{self, Elements, Sums};
use crate::stages::plasticity::RestShape;
use crate::stages::stress::Stress;
use crate::state::State;
use crate::step::{Advance, Need};

/// What comes later where a device has to be waited for, and at once elsewhere.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// What runs a model that is resident on it. Methods that have a body here are about things that only
/// some backends have: outputs of their own, and states that can be lost.
///
/// Everything is in model order and relative to the bodies' origins.
pub(crate) trait Engine {
    /// What it is, in words: "CPU, 2 threads", or the name of a GPU.
    fn name(&self) -> String;

    /// Threads at work; on a device the one that feeds it.
    fn thread_count(&self) -> usize {
        1
    }

    /// Bytes held while stepping.
    fn bytes(&self) -> usize;

    /// Takes over a state; one without rest shapes goes back to those of the model.
    fn upload(&mut self, model: &Model, restore_point: &RestorePoint) -> Result<(), Trouble>;

    /// The state without its clock and touches; `None` when the device cannot tell any more.
    fn download(&self, world: &World) -> Option<State>;

    /// What pairs of seams are, see [`State::seams`].
    fn seams(&self) -> Vec<u8>;

    /// Makes pairs of seams what others were.
    fn set_seams(&mut self, model: &Model, pairs: &[u8]);

    /// Computes the forces that the first step of velocity Verlet or Beeman starts from.
    fn compute_forces(&mut self) -> Result<(), Trouble>;

    /// Keeps a copy of the state to go back to.
    fn snapshot(&mut self) -> Result<(), Trouble>;

    /// Goes back to the last snapshot.
    fn restore(&mut self, model: &Model) -> Result<(), Trouble>;

    /// Runs a stretch of substeps, or what is left of it.
    fn advance<'a>(
        &'a mut self,
        model: &'a Model,
        job: &'a Advance<'_>,
    ) -> Later<'a, Result<(), Trouble>>;

    /// Makes room for what a paused stretch needs, or says why there is none; the state stays as it is.
    fn make_room(&mut self, need: Need) -> Result<(), String>;

    /// What came of implicit steps since the last call.
    fn take_solver_report(&mut self) -> SolverReport;

    /// What contact between bodies does, where there is any.
    fn contact_report(&self) -> Option<ContactReport> {
        None
    }

    /// Forces of contact between bodies in the last substep \[N\].
    fn forces_between_bodies(&self) -> Option<Vec<[f32; 3]>> {
        None
    }

    /// What bodies gave each surface whose motion is given in the last step \[N·s\], and how many vertices of bodies
    /// touched one in its last substep.
    fn contact_with_given(&self) -> Option<(Vec<[f64; 3]>, usize)> {
        None
    }

    /// What touched in the last substep.
    fn touching(&self, _: &[[f64; 3]]) -> Vec<Touching> {
        Vec::new()
    }

    /// Positions \[m\].
    fn positions(&self) -> Vec<[f32; 3]>;

    /// Velocities as the integrator keeps them \[m/s\].
    fn velocities(&self) -> Vec<[f32; 3]>;

    /// Internal forces at the present positions \[N\]. Leaves the state as it is.
    fn internal_forces(&mut self, world: &World) -> Vec<[f32; 3]>;

    /// What colliders and walls gave to the vertices in the last step; nothing where there are no colliders or
    /// no step has been taken.
    fn contacts(&mut self) -> Later<'_, Vec<Contact>>;

    /// Positions of the given vertices, if any of their bodies may have gone far \[m\].
    fn wanderers<'a>(&'a mut self, vertices: &'a [u32]) -> Later<'a, Option<Vec<[f32; 3]>>>;

    /// Subtracts `shift` \[m\] from the positions of a body.
    fn shift_body(&mut self, body: u32, shift: [f32; 3]);

    /// Whether plasticity was on, so that tetrahedra have rest shapes of their own.
    fn has_rest_shapes(&self) -> bool;

    /// Rest shapes of the tetrahedra, once plasticity was on.
    fn rest_shapes(&self) -> Option<Cow<'_, [RestShape<f32>]>>;

    /// What the stages of timed substeps took since the last call.
    fn take_stage_times(&mut self) -> StageTimes;

    /// Begins to time anew, without looking at what was timed.
    fn forget_stage_times(&mut self) {
        self.take_stage_times();
    }

    /// Copies the present to the host, so that whatever reads it before the next change need not wait.
    fn mirror<'a>(&'a mut self, _: &'a World) -> Later<'a, Result<(), Trouble>> {
        Box::pin(ready(Ok(())))
    }

    // Outputs that a device computes by itself. Where the answer is `None` (there is no device, or it
    // cannot, or everything is on the host already), the simulator computes them.

    /// Sums about the world's origin, for a report.
    fn measured<'a>(
        &'a mut self,
        _: &'a Model,
        _: &'a measure::MeasureContext<'_>,
    ) -> Later<'a, Option<(Sums, Elements)>> {
        Box::pin(ready(None))
    }

    /// Velocities at the time of the positions \[m/s\].
    fn velocities_now(&mut self, _: &measure::MeasureContext<'_>) -> Option<Vec<[f32; 3]>> {
        None
    }

    /// Net forces without touches and walls \[N\].
    fn net_forces(&mut self, _: &measure::MeasureContext<'_>) -> Option<Vec<[f32; 3]>> {
        None
    }

    /// Stress of each tetrahedron, while nothing has yielded.
    fn stress(&self, _: &Model) -> Option<Vec<Stress>> {
        None
    }

    // So that nothing is lost with a device. A processor is never lost.

    /// What went wrong since somebody last looked, if anything did.
    fn trouble(&mut self) -> Option<Trouble> {
        None
    }

    /// Whether it is a device, so that a processor can take over.
    fn can_be_lost(&self) -> bool {
        self.rescued_step().is_some()
    }

    /// The last moment that is known to the host; `None` where no moment can be lost.
    fn rescued(&self) -> Option<RestorePoint> {
        None
    }

    /// The step of [`Engine::rescued`].
    fn rescued_step(&self) -> Option<u64> {
        None
    }

    /// Whether states are copied to the host while it runs.
    fn is_rescuing(&self) -> bool {
        false
    }

    /// Copies a state to the host this often.
    fn set_rescue_interval(&mut self, _: Option<Duration>) {}

    /// Takes what has arrived; says whether it is time to ask for the next copy.
    fn is_rescue_due(&mut self) -> bool {
        false
    }

    /// Asks for a copy of the present state without waiting for it; the moment brings what the device
    /// does not know.
    fn request_rescue(&mut self, _: RestorePoint) -> Result<(), Trouble> {
        Ok(())
    }

    /// Forgets copies of states behind a moment, which is the present: it has gone back in time.
    fn rescue_went_back(&mut self, _: RestorePoint) -> Later<'_, Result<(), Trouble>> {
        Box::pin(ready(Ok(())))
    }
}

/// What stages took.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StageTimes {
    /// Seconds of each stage, in the order of a step; empty where nothing was timed.
    pub sums: Vec<(&'static str, f64)>,
    /// Substeps in which these passed.
    pub substeps: u64,
}

/// One of the backends that there are.
pub(crate) enum AnyEngine {
    Cpu(Box<Cpu>),
    #[cfg(feature = "gpu")]
    Gpu(Box<GpuBackend>),
    #[cfg(feature = "gpu")]
    Split(Box<Split>),
}

impl AnyEngine {
    /// Puts a model on the processor.
    pub fn cpu(model: &Model, threads: Threads) -> Self {
        Self::Cpu(Box::new(Cpu::new(model, threads)))
    }

    /// Whether a device runs the model, or some stages of it.
    pub fn is_on_device(&self) -> bool {
        !matches!(self, Self::Cpu(_))
    }

    /// Whether the processor does some stages of what a device runs.
    pub fn is_split(&self) -> bool {
        match self {
            #[cfg(feature = "gpu")]
            Self::Split(_) => true,
            _ => false,
        }
    }

    /// The GPU backend, when that is what runs the model.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self) -> Option<&GpuBackend> {
        match self {
            Self::Cpu(_) => None,
            Self::Gpu(gpu) => Some(gpu),
            Self::Split(split) => Some(&split.device),
        }
    }

    /// As [`AnyEngine::gpu`], to change things.
    #[cfg(feature = "gpu")]
    pub fn gpu_mut(&mut self) -> Option<&mut GpuBackend> {
        match self {
            Self::Cpu(_) => None,
            Self::Gpu(gpu) => Some(gpu),
            Self::Split(split) => Some(&mut split.device),
        }
    }
}

impl Deref for AnyEngine {
    type Target = dyn Engine;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Cpu(cpu) => &**cpu,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => &**gpu,
            #[cfg(feature = "gpu")]
            Self::Split(split) => &**split,
        }
    }
}

impl DerefMut for AnyEngine {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Cpu(cpu) => &mut **cpu,
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => &mut **gpu,
            #[cfg(feature = "gpu")]
            Self::Split(split) => &mut **split,
        }
    }
}
