//! The picture as a texture that the window shows: drawn by the window's graphics card, or by the
//! processor where there is none that we can use.

mod cpu;
mod gpu;

use eframe::egui::{Context, TextureId};
use eframe::egui_wgpu::RenderState;
use pliant_gpu::{AdapterSummary, Gpu};
use pliant_render::RenderError;
use pliant_render::gpu::GpuRenderError;
use pliant_session::pictures::device::Drawing;

use cpu::CpuScreen;
use gpu::GpuScreen;

/// Draws into a texture that the window shows.
pub struct Screen {
    drawn_by: DrawnBy,
    /// For what the processor does quicker by itself than as a card.
    helper: Option<CpuScreen>,
}

enum DrawnBy {
    Gpu(Box<GpuScreen>),
    Cpu(Box<CpuScreen>),
}

/// How much detail a picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// As good as it gets.
    Fine,
    /// Coarser where drawing is slow, so that it is there at once.
    Sketch,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// The card did not do it.
    #[error(transparent)]
    Gpu(#[from] GpuRenderError),
    /// What there is to draw makes no sense.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Bodies are on a device that cannot be drawn from here.
    #[error("the bodies are on another device")]
    Elsewhere,
}

impl Screen {
    /// A screen on the device of a window.
    pub fn new(state: RenderState) -> Result<Self, ScreenError> {
        let summary = AdapterSummary::of(&state.adapter);
        Self::on_card(state, summary)
    }

    /// The same where more is known of the device than it tells by itself.
    pub fn on_card(state: RenderState, summary: AdapterSummary) -> Result<Self, ScreenError> {
        let drawn_by = DrawnBy::Gpu(Box::new(GpuScreen::new(state, summary)?));
        Ok(Self { drawn_by, helper: None })
    }

    /// A screen that the processor draws, for windows whose graphics card we cannot use.
    pub fn on_cpu(ctx: &Context) -> Self {
        Self { drawn_by: DrawnBy::Cpu(Box::new(CpuScreen::new(ctx))), helper: None }
    }

    /// The window's device, if that draws.
    pub fn gpu(&self) -> Option<&Gpu> {
        match &self.drawn_by {
            DrawnBy::Gpu(screen) => Some(screen.gpu()),
            DrawnBy::Cpu(_) => None,
        }
    }

    /// Whether the processor draws, be it as a graphics card.
    pub fn is_slow(&self) -> bool {
        self.gpu().is_none_or(|gpu| gpu.adapter().is_software())
    }

    /// Draws a picture for `size` pixels of the window and returns the texture that has it.
    pub fn draw(
        &mut self,
        ctx: &Context,
        drawing: &Drawing<'_>,
        size: [u32; 2],
        detail: Detail,
    ) -> Result<TextureId, ScreenError> {
        match &mut self.drawn_by {
            DrawnBy::Gpu(screen)
                if drawing.view.volume.is_some()
                    && drawing.shown.is_none()
                    && screen.gpu().adapter().is_software() =>
            {
                self.helper.get_or_insert_with(|| CpuScreen::new(ctx)).draw(drawing, size, detail)
            }
            DrawnBy::Gpu(screen) => screen.draw(drawing, size, detail),
            DrawnBy::Cpu(screen) => screen.draw(drawing, size, detail),
        }
    }
}
