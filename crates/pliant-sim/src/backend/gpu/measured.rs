//! Outputs that are computed on the device, so that only they come back, and not the state.
//!
//! Kernels and room for them are made at first use. What fails here (for want of memory, say) is not
//! the end of a run: the caller computes the same on the host, from arrays that are copied back.

use std::sync::OnceLock;

use pliant_gpu::{Buffer, Commands, GpuError};

use super::GpuBackend;
use super::shown::Showing;
use crate::model::Model;
use crate::stages::measure::gpu::Measure;
use crate::stages::measure::{Elements, Moment, Sums};
use crate::stages::stress::Stress;
use crate::stages::stress::gpu::Stresses;
use crate::stages::surface::gpu::Surface;

/// What outputs need, once they were asked for.
#[derive(Default)]
pub(super) struct Outputs {
    measure: OnceLock<Measure>,
    stress: OnceLock<Stresses>,
    surface: OnceLock<Surface>,
    pub(super) kept: OnceLock<Buffer<[f32; 4]>>,
    pub(super) showing: Showing,
}

impl Outputs {
    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let Self { measure, stress, surface, kept, showing } = self;
        measure.get().map_or(0, Measure::bytes)
            + stress.get().map_or(0, Stresses::bytes)
            + surface.get().map_or(0, Surface::bytes)
            + kept.get().map_or(0, Buffer::bytes)
            + showing.bytes()
    }
}

/// The content of `cell`, made if it is not there yet.
pub(crate) fn made<T>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, GpuError>,
) -> Result<&T, GpuError> {
    match cell.get() {
        Some(there) => Ok(there),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

impl GpuBackend {
    /// Sums about the world's origin, for a report.
    pub async fn measure(
        &mut self,
        model: &Model,
        moment: &Moment<'_>,
    ) -> Result<(Sums, Elements), GpuError> {
        let mut commands = self.gpu.commands("measure");
        let measure = self.record_present(&mut commands, moment, moment.lag() > 0.0)?;
        let given = match &self.yielding {
            Some(yielding) => Some((yielding, self.stress_buffers(model)?.hardness())),
            None => None,
        };
        measure.sums(&mut commands, &self.sizes, &self.arrays, given)?;
        measure.read(commands, moment).await
    }

    /// Velocities at the time of the positions, in model order \[m/s\].
    pub fn velocities_now(&mut self, moment: &Moment<'_>) -> Result<Vec<[f32; 3]>, GpuError> {
        let mut commands = self.gpu.commands("velocities");
        let measure = self.record_present(&mut commands, moment, moment.lag() > 0.0)?;
        commands.submit();
        self.one_of(measure.velocity_now())
    }

    /// Net forces without touches and walls, in model order \[N\].
    pub fn net_forces(&mut self, moment: &Moment<'_>) -> Result<Vec<[f32; 3]>, GpuError> {
        let mut commands = self.gpu.commands("forces");
        let measure = self.record_present(&mut commands, moment, true)?;
        commands.submit();
        self.one_of(measure.net_force())
    }

    /// Stress of each tetrahedron in model order. Only while nothing has yielded, since the rest
    /// lengths are the model's.
    pub fn stress(&self, model: &Model) -> Result<Vec<Stress>, GpuError> {
        self.stress_buffers(model)?.read(&self.gpu)
    }

    pub(super) fn stress_buffers(&self, model: &Model) -> Result<&Stresses, GpuError> {
        let make = || Stresses::new(&self.gpu, model, &self.arrays);
        made(&self.outputs.stress, make)
    }

    /// Computes normals and colours (red from `reference` \[N\] on) and leaves them on the device,
    /// for a renderer.
    pub fn surface(
        &mut self,
        model: &Model,
        moment: &Moment<'_>,
        reference: f64,
    ) -> Result<&Surface, GpuError> {
        let surface = self.surface_buffers(model)?;
        let mut commands = self.gpu.commands("surface");
        self.record_present(&mut commands, moment, true)?;
        surface.record_normals(&mut commands);
        surface.record_colours(&mut commands, reference);
        commands.submit();
        self.gpu.check()?;
        Ok(surface)
    }

    /// Unit normals in model order; null where there is no surface.
    pub fn normals(&self, model: &Model) -> Result<Vec<[f32; 3]>, GpuError> {
        let surface = self.surface_buffers(model)?;
        let mut commands = self.gpu.commands("normals");
        surface.record_normals(&mut commands);
        commands.submit();
        self.one_of(&surface.normals)
    }

    /// Colours by force in model order, red from `reference` \[N\] on.
    pub fn colours(
        &mut self,
        model: &Model,
        moment: &Moment<'_>,
        reference: f64,
    ) -> Result<Vec<[f32; 4]>, GpuError> {
        let by_slot = self.surface(model, moment, reference)?.colours.read()?;
        Ok(self.layout.slot_of.iter().map(|&slot| by_slot[slot as usize]).collect())
    }

    fn measure_buffers(&self) -> Result<&Measure, GpuError> {
        let make = || Measure::new(&self.gpu, &self.layout, &self.arrays, &self.sizes);
        made(&self.outputs.measure, make)
    }

    fn surface_buffers(&self, model: &Model) -> Result<&Surface, GpuError> {
        let net_force = self.measure_buffers()?.net_force();
        let make = || Surface::new(&self.gpu, model, &self.layout, &self.arrays, net_force);
        made(&self.outputs.surface, make)
    }

    /// Records velocities at the time of the positions and, if `forces` are wanted, net forces.
    /// Forces that the integrator keeps stay as they are.
    pub(super) fn record_present(
        &self,
        commands: &mut Commands,
        moment: &Moment<'_>,
        forces: bool,
    ) -> Result<&Measure, GpuError> {
        let (measure, slots) = (self.measure_buffers()?, self.sizes.slots);
        measure.tell(&self.sizes, moment, self.yielding.is_some());
        if !forces {
            measure.present(commands, &self.sizes);
            return Ok(measure);
        }
        let kept = match self.carries(moment.world).0 {
            true => Some(made(&self.outputs.kept, || self.gpu.zeros("kept force", slots))?),
            false => None,
        };
        if let Some(kept) = kept {
            commands.copy(&self.arrays.force, kept, slots);
        }
        self.record_forces(commands);
        measure.present(commands, &self.sizes);
        if let Some(kept) = kept {
            commands.copy(kept, &self.arrays.force, slots);
        }
        Ok(measure)
    }

    /// An answer, if there is one. Want of memory and compilers that refuse a kernel concern only the
    /// output that was asked for; anything else is kept, since the next step has to know.
    pub fn answered<T>(&self, result: Result<T, GpuError>) -> Option<T> {
        result.map_err(|e| self.note_failure(&e)).ok()
    }

    /// Keeps what the next step has to know of an output that failed.
    pub(super) fn note_failure(&self, error: &GpuError) {
        match error {
            GpuError::OutOfMemory { .. } | GpuError::TooLarge { .. } | GpuError::Kernel { .. } => {}
            other => self.fail(other.clone()),
        }
    }

    pub(super) fn one_of(&self, buffer: &Buffer<[f32; 4]>) -> Result<Vec<[f32; 3]>, GpuError> {
        Ok(self.in_order(&self.fetch(&[buffer])?))
    }
}
