//! Rest shapes on the device: taking them over, giving them back, keeping springs in line.

use pliant_gpu::{Buffer, Commands, Gpu, GpuError};

use super::{GpuBackend, Saved};
use crate::model::Model;
use crate::stages::gpu::arrays::Arrays;
use crate::stages::gpu::record::Step;
use crate::stages::plasticity::RestShape;
use crate::stages::plasticity::gpu::{Yielding, rest_shapes};

impl GpuBackend {
    /// Takes over the rest shapes of a state; one without any goes back to those of the model.
    pub(super) fn upload_rest(
        &mut self,
        model: &Model,
        rest: Option<&[RestShape<f32>]>,
    ) -> Result<(), GpuError> {
        let Some(rest) = rest else {
            self.forget_rest();
            return Ok(());
        };
        self.start_yielding(model)?;
        if let Some(yielding) = &self.yielding {
            yielding.load(&self.layout, &self.arrays, rest);
        }
        self.merge_all();
        Ok(())
    }

    /// Makes everything ready for yielding, if it is not yet.
    pub(super) fn start_yielding(&mut self, model: &Model) -> Result<(), GpuError> {
        if self.yielding.is_none() {
            let yielding = Yielding::new(&self.gpu, model, &self.layout, &self.arrays)?;
            self.yielding = Some(yielding);
            self.merge_all();
        }
        Ok(())
    }

    /// Back to a model in which nothing has ever yielded.
    pub(super) fn forget_rest(&mut self) {
        if self.yielding.take().is_some() {
            self.arrays.springs.write(0, &self.layout.springs);
            self.arrays.volumes.write(0, &self.layout.volumes);
        }
    }

    /// Brings all springs in line with the rest shapes. The flags must be clear.
    pub(super) fn merge_all(&self) {
        let Some(yielding) = &self.yielding else { return };
        self.arrays.records.write(0, &[Step::still(&self.sizes).record()]);
        let mut commands = self.gpu.commands("merge");
        yielding.merge_all(&mut commands);
        commands.submit();
    }

    /// Whether plasticity was on.
    pub fn has_rest_shapes(&self) -> bool {
        self.yielding.is_some()
    }

    /// Rest shapes of the tetrahedra in model order, once plasticity was on.
    pub fn rest_shapes(&self) -> Option<Vec<RestShape<f32>>> {
        self.download_rest().unwrap_or_else(|e| {
            self.fail(e);
            self.rescued().state.rest_shapes
        })
    }

    pub(super) fn download_rest(&self) -> Result<Option<Vec<RestShape<f32>>>, GpuError> {
        if let Some(mirror) = &self.mirror {
            return Ok(mirror.state.rest_shapes.clone());
        }
        let Some(yielding) = &self.yielding else { return Ok(None) };
        let (lengths, volumes) = (yielding.lengths.read()?, self.arrays.volumes.read()?);
        Ok(Some(rest_shapes(&lengths, &volumes)))
    }
}

impl Saved {
    /// Makes room for rest shapes, if there are any to save.
    pub(super) fn prepare_rest(
        &mut self,
        gpu: &Gpu,
        yielding: Option<&Yielding>,
        arrays: &Arrays,
    ) -> Result<(), GpuError> {
        self.rest = match (yielding, self.rest.take()) {
            (None, _) => None,
            (Some(_), Some(kept)) => Some(kept),
            (Some(y), None) => Some((
                gpu.zeros("saved rest lengths", y.lengths.len())?,
                gpu.zeros("saved volumes", arrays.volumes.len())?,
            )),
        };
        Ok(())
    }
}

/// Copies a live array to the kept one, or back.
pub(super) fn exchange<T>(commands: &mut Commands, live: &Buffer<T>, kept: &Buffer<T>, back: bool) {
    let (from, to) = if back { (kept, live) } else { (live, kept) };
    commands.copy(from, to, live.len());
}
