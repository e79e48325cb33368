//! Pictures by the graphics card that also shows the window.

use eframe::egui::TextureId;
use eframe::egui_wgpu::RenderState;
use pliant_gpu::wgpu::{
    Extent3d, FilterMode, Texture, TextureDescriptor, TextureDimension, TextureFormat,
    TextureUsages,
};
use pliant_gpu::{AdapterSummary, Gpu};
use pliant_render::gpu::{GpuRenderError, Renderer, Scene};
use pliant_session::pictures::device::{DeviceBodies, Drawing};

use super::{Detail, ScreenError};

/// Colours are stored as windows want them: sRGB numbers in a format that does not know it.
const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;
/// Samples per pixel of fine pictures.
const SAMPLES: u32 = 4;
/// Pixels of the window along each side of one in a sketch.
const COARSENESS: u32 = 2;

/// Draws into a texture of the window's device.
pub struct GpuScreen {
    state: RenderState,
    gpu: Gpu,
    fine: ScenePainter,
    /// For devices emulated by the processor, while a picture must follow the mouse at once.
    quick: Option<ScenePainter>,
    target: Option<Target>,
}

/// What draws, and what it keeps from picture to picture.
struct ScenePainter {
    renderer: Renderer,
    scene: Scene,
    bodies: DeviceBodies,
}

struct Target {
    size: [u32; 2],
    texture: Texture,
    id: TextureId,
}

impl GpuScreen {
    /// Draws on the device of a window.
    pub fn new(state: RenderState, summary: AdapterSummary) -> Result<Self, ScreenError> {
        let gpu = Gpu::adopt(state.device.clone(), state.queue.clone(), summary);
        let fine = ScenePainter::new(&gpu, SAMPLES)?;
        let quick = gpu.adapter().is_software().then(|| ScenePainter::new(&gpu, 1)).transpose()?;
        Ok(Self { state, gpu, fine, quick, target: None })
    }

    /// The window's device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Draws a picture for `size` pixels of the window and returns the texture that has it.
    pub fn draw(
        &mut self,
        drawing: &Drawing<'_>,
        size: [u32; 2],
        detail: Detail,
    ) -> Result<TextureId, ScreenError> {
        // After a device was lost there are frames of the old one for a moment.
        if drawing.is_elsewhere(&self.gpu) {
            return Err(ScreenError::Elsewhere);
        }
        let is_sketch = detail == Detail::Sketch && self.quick.is_some();
        let coarseness = if is_sketch { COARSENESS } else { 1 };
        let largest = self.gpu.limits().max_texture_dimension_2d;
        let size = size.map(|n| (n / coarseness).clamp(1, largest));
        self.fit_target(size);
        let Some(target) = &self.target else { unreachable!("it was just made") };
        let painter = match &mut self.quick {
            Some(quick) if is_sketch => quick,
            _ => &mut self.fine,
        };
        painter.draw(&self.gpu, drawing, size, &target.texture)?;
        Ok(target.id)
    }

    /// Makes the texture as large as the picture.
    fn fit_target(&mut self, size: [u32; 2]) {
        if self.target.as_ref().is_some_and(|t| t.size == size) {
            return;
        }
        let texture = self.gpu.device().create_texture(&TextureDescriptor {
            label: Some("viewport"),
            size: Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: FORMAT,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        let mut egui = self.state.renderer.write();
        let device = &self.state.device;
        let id = match &self.target {
            Some(old) => {
                let (filter, id) = (FilterMode::Linear, old.id);
                egui.update_egui_texture_from_wgpu_texture(device, &view, filter, id);
                id
            }
            None => egui.register_native_texture(device, &view, FilterMode::Linear),
        };
        self.target = Some(Target { size, texture, id });
    }
}

impl ScenePainter {
    fn new(gpu: &Gpu, samples: u32) -> Result<Self, GpuRenderError> {
        let renderer = Renderer::new(gpu, FORMAT, samples)?;
        let scene = Scene::new(&renderer)?;
        Ok(Self { renderer, scene, bodies: DeviceBodies::default() })
    }

    fn draw(
        &mut self,
        gpu: &Gpu,
        drawing: &Drawing<'_>,
        size: [u32; 2],
        target: &Texture,
    ) -> Result<(), ScreenError> {
        let &Drawing { geometry, view, .. } = drawing;
        let projection = view.camera.projection(geometry.origin, size[0], size[1])?;
        let list = self.bodies.take_over(&self.renderer, drawing, &projection)?;
        self.scene.update(&self.renderer, &list, view, &projection)?;
        let mut commands = gpu.commands("studio");
        let texture = target.create_view(&Default::default());
        let bodies: Vec<_> = self.bodies.resident().into_iter().collect();
        self.renderer.draw(commands.encoder(), &self.scene, &bodies, &texture)?;
        commands.submit();
        Ok(())
    }
}
