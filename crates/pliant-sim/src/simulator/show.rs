//! Showing the present where it is.

use std::sync::Arc;

use pliant_gpu::GpuError;

use super::Simulator;
use super::output::moment;
use crate::backend::Engine;
use crate::backend::gpu::shown::{Held, Quantity, Shown};
use crate::stages::measure::Moment;
use crate::stages::touch::Touch;

impl Simulator {
    /// The present, to be drawn from the device's own arrays, with values of `quantity`; `None` when
    /// the processor runs the model. It is a complete state of one time that was found good, and
    /// stays as it is while the simulation goes on. Nothing of it is copied to the host.
    ///
    /// An error is not the end of a run: when there is no room for one more copy, draw from
    /// [`Simulator::positions`] instead; when the device is lost, the next step goes on elsewhere.
    pub fn show_on_device(&mut self, quantity: Quantity) -> Result<Option<Shown>, GpuError> {
        self.heal();
        let moment = moment!(self);
        let Engine::Gpu(gpu) = &mut self.engine else { return Ok(None) };
        let (shape, arrays, of_tets) = gpu.show(&self.model, &moment, quantity)?;
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
