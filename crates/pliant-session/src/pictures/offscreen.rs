//! Pictures that a device draws and that are waited for; a browser lets nobody wait.

use pliant_gpu::Gpu;
use pliant_render::Image;
use pliant_render::gpu::{GpuRenderError, Offscreen, Resident};

use super::device::{DeviceBodies, Drawing};

/// Draws pictures on the device of a simulation and reads them back.
pub(super) struct DevicePictures {
    gpu: Gpu,
    offscreen: Offscreen,
    bodies: DeviceBodies,
}

impl DevicePictures {
    pub fn new(gpu: &Gpu) -> Result<Self, GpuRenderError> {
        let (gpu, offscreen) = (gpu.clone(), Offscreen::new(gpu)?);
        Ok(Self { gpu, offscreen, bodies: DeviceBodies::default() })
    }

    /// Whether it draws from there.
    pub fn is_on(&self, gpu: &Gpu) -> bool {
        self.gpu.device() == gpu.device()
    }

    /// Draws, and waits for the picture.
    pub fn paint(
        &mut self,
        drawing: &Drawing<'_>,
        [width, height]: [u32; 2],
    ) -> Result<Image, GpuRenderError> {
        let (view, origin) = (drawing.view, drawing.geometry.origin);
        let projection = view.camera.projection(origin, width, height)?;
        let list = self.bodies.take_over(self.offscreen.renderer(), drawing, &projection)?;
        let bodies: Vec<&Resident> = self.bodies.resident().into_iter().collect();
        let picture = self.offscreen.render_list(&list, view, origin, &bodies, width, height)?;
        Ok(picture.image)
    }
}
