//! Showing the present state from the device's memory.

use std::sync::Arc;

use pliant_gpu::GpuError;

use super::Simulator;
use super::output::measure_context;
use crate::backend::gpu::shown::{Held, Quantity, Shown};
use crate::stages::measure::MeasureContext;
use crate::stages::touch::Touch;

impl Simulator {
    /// The force of all drags and pushes together, without the drags' damping \[N\], added up on the
    /// device that runs the model; `None` when the processor does, or the device cannot:
    /// [`total_force`](crate::stages::touch::total_force) then does it from the positions.
    pub async fn touch_force_on_device(&mut self) -> Option<[f64; 3]> {
        self.recover_if_lost();
        let gpu = self.engine.gpu_mut()?;
        if !self.touches.iter().any(Touch::has_forces) {
            return Some([0.0; 3]);
        }
        let found = gpu.touch_force(&self.model, (&self.touches, &self.origins)).await;
        gpu.answered(found)
    }

    /// The present, to be drawn from the device's own arrays, with values of `quantity`; `None` when
    /// the processor runs the model. It is a complete state of one time that was found good, and
    /// stays as it is while the simulation goes on. Nothing of it is copied to the host.
    ///
    /// An error is not the end of a run: when there is no room for one more copy, draw from
    /// [`Simulator::positions`] instead; when the device is lost, the next step goes on elsewhere.
    pub fn show_on_device(&mut self, quantity: Quantity) -> Result<Option<Shown>, GpuError> {
        self.recover_if_lost();
        let context = measure_context!(self);
        let Some(gpu) = self.engine.gpu_mut() else { return Ok(None) };
        let (shape, arrays, of_tets) = gpu.show(&self.model, &context, quantity)?;
        let mut held = Vec::new();
        for touch in &self.touches {
            let Touch::Drag(drag) = touch else { continue };
            for (&v, offset) in drag.vertices.iter().zip(&drag.offsets) {
                // Whoever made the drag may have named a vertex that there is not.
                let Some(&slot) = shape.slot_of_user.get(v as usize) else { continue };
                let goal = std::array::from_fn(|k| drag.hand[k] + offset[k]);
                held.push(Held { slot, goal });
            }
        }
        Ok(Some(Shown {
            shape,
            arrays,
            quantity,
            of_tets,
            origins: Arc::from(&self.origins[..]),
            held: held.into(),
            step: self.step,
            time: self.time,
        }))
    }
}
