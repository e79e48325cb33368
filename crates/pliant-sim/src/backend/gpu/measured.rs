//! Outputs that are computed on the device, so that only they come back, and not the state.
//!
//! Kernels and room for them are made at first use. What fails here (for want of memory, say) is not
//! the end of a run: the caller computes the same on the host, from arrays that are copied back.

use std::sync::OnceLock;

use pliant_gpu::{Buffer, Commands, GpuError, Readback};

use super::GpuBackend;
use super::shown::Showing;
use crate::model::Model;
use crate::stages::gpu::get_or_build;
use crate::stages::measure::gpu::Measure;
use crate::stages::measure::{Elements, MeasureContext, Sums};
use crate::stages::stress::Stress;
use crate::stages::stress::gpu::Stresses;

/// What outputs need, once they were asked for.
#[derive(Default)]
pub(super) struct Outputs {
    measure: OnceLock<Measure>,
    stress: OnceLock<Stresses>,
    pub(super) kept: OnceLock<Buffer<[f32; 4]>>,
    pub(super) showing: Showing,
    /// What sewn pairs are, once a report has asked for it: nobody can wait for a device in a browser.
    pub(super) seams: Option<Vec<u8>>,
}

impl Outputs {
    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        let Self { measure, stress, kept, showing, seams: _ } = self;
        measure.get().map_or(0, Measure::bytes)
            + stress.get().map_or(0, Stresses::bytes)
            + kept.get().map_or(0, Buffer::bytes)
            + showing.bytes()
    }
}

impl GpuBackend {
    /// Sums about the world's origin, for a report.
    pub async fn measure(
        &mut self,
        model: &Model,
        context: &MeasureContext<'_>,
    ) -> Result<(Sums, Elements), GpuError> {
        let mut commands = self.gpu.commands("measure");
        let measure = self.record_present(&mut commands, context, context.lag() > 0.0)?;
        let given = match &self.yielding {
            Some(yielding) => Some((yielding, self.stress_buffers(model)?.stiffness())),
            None => None,
        };
        measure.sums(&mut commands, &self.sizes, &self.arrays, given)?;
        let (sums, elements) = measure.read(commands, context).await?;
        let strain = match &self.limiting {
            Some(limiting) => Some(limiting.report().await?),
            None => None,
        };
        if let Some(sewing) = &self.sewing {
            let mut place = Readback::new(&self.gpu, "sewn pairs", sewing.statuses.bytes())?;
            let mut commands = self.gpu.commands("sewn pairs");
            place.copy(&mut commands, &sewing.statuses, 0..sewing.statuses.len(), 0);
            commands.submit();
            place.request();
            let copied: Vec<u32> = place.arrival().await?;
            self.outputs.seams = Some(sewing.read(&copied));
        }
        Ok((sums, Elements { strain, ..elements }))
    }

    /// Velocities at the time of the positions, in model order \[m/s\].
    pub fn velocities_now(
        &mut self,
        context: &MeasureContext<'_>,
    ) -> Result<Vec<[f32; 3]>, GpuError> {
        let mut commands = self.gpu.commands("velocities");
        let measure = self.record_present(&mut commands, context, context.lag() > 0.0)?;
        commands.submit();
        self.one_of(measure.velocity_now())
    }

    /// Net forces without touches and walls, in model order \[N\].
    pub fn net_forces(&mut self, context: &MeasureContext<'_>) -> Result<Vec<[f32; 3]>, GpuError> {
        let mut commands = self.gpu.commands("forces");
        let measure = self.record_present(&mut commands, context, true)?;
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
        get_or_build(&self.outputs.stress, make)
    }

    fn measure_buffers(&self) -> Result<&Measure, GpuError> {
        let make = || {
            let colliders =
                self.colliders.as_ref().map(|c| c.for_present(&self.gpu)).transpose()?;
            Measure::new(
                &self.gpu,
                &self.layout,
                &self.arrays,
                &self.sizes,
                colliders,
                self.bending.as_ref(),
            )
        };
        get_or_build(&self.outputs.measure, make)
    }

    /// Records velocities at the time of the positions and, if `forces` are wanted, net forces.
    /// Forces that the integrator keeps stay as they are.
    pub(super) fn record_present(
        &self,
        commands: &mut Commands,
        context: &MeasureContext<'_>,
        forces: bool,
    ) -> Result<&Measure, GpuError> {
        let (measure, slots) = (self.measure_buffers()?, self.sizes.slots);
        measure.tell(&self.sizes, context, self.yielding.is_some());
        if !forces {
            measure.present(commands, &self.sizes);
            return Ok(measure);
        }
        let kept = match self.carries(context.world).0 {
            true => Some(get_or_build(&self.outputs.kept, || self.gpu.zeros("kept force", slots))?),
            false => None,
        };
        if let Some(kept) = kept {
            commands.copy(&self.arrays.force, kept, slots);
        }
        self.record_forces(commands);
        if let Some(contact) = &self.contact {
            contact.add_forces(commands, 0);
        }
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
