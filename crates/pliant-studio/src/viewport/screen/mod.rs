//! The picture as a texture that the window shows: drawn by the window's graphics card, or by the
//! processor where there is none that we can use.

mod card;
mod sheet;

use eframe::egui::{Context, TextureId};
use eframe::egui_wgpu::RenderState;
use pliant_gpu::{AdapterSummary, Gpu};
use pliant_render::gpu::GpuRenderError;
use pliant_render::{Bounds, Geometry, RenderError, View};
use pliant_sim::backend::gpu::shown::Shown;

use card::Card;
use sheet::Sheet;

/// Draws into a texture that the window shows.
pub struct Screen {
    means: Means,
    /// For what the processor does quicker by itself than as a card.
    helper: Option<Sheet>,
}

enum Means {
    Card(Box<Card>),
    Sheet(Box<Sheet>),
}

/// How much care is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// As good as it gets.
    Fine,
    /// Coarser where drawing is slow, so that it is there at once.
    Sketch,
}

/// What is to be drawn.
pub struct Drawing<'a> {
    /// What is on the host: everything, or all but the bodies.
    pub geometry: &'a Geometry<'a>,
    /// How.
    pub view: &'a View,
    /// Bodies that are on the device.
    pub shown: Option<&'a Shown>,
    /// The box round what is on the device \[m\].
    pub bounds: Bounds,
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
        let means = Means::Card(Box::new(Card::new(state, summary)?));
        Ok(Self { means, helper: None })
    }

    /// A screen that the processor draws, for windows whose graphics card we cannot use.
    pub fn on_cpu(ctx: &Context) -> Self {
        Self { means: Means::Sheet(Box::new(Sheet::new(ctx))), helper: None }
    }

    /// The window's device, if that draws.
    pub fn gpu(&self) -> Option<&Gpu> {
        match &self.means {
            Means::Card(card) => Some(card.gpu()),
            Means::Sheet(_) => None,
        }
    }

    /// Whether the processor draws, be it as a graphics card.
    pub fn is_slow(&self) -> bool {
        self.gpu().is_none_or(|gpu| gpu.adapter().is_software())
    }

    /// Draws a picture for `size` pixels of the window and gives the texture that has it.
    pub fn draw(
        &mut self,
        ctx: &Context,
        drawing: &Drawing<'_>,
        size: [u32; 2],
        care: Care,
    ) -> Result<TextureId, ScreenError> {
        match &mut self.means {
            Means::Card(card)
                if drawing.view.volume.is_some()
                    && drawing.shown.is_none()
                    && card.gpu().adapter().is_software() =>
            {
                self.helper.get_or_insert_with(|| Sheet::new(ctx)).draw(drawing, size, care)
            }
            Means::Card(card) => card.draw(drawing, size, care),
            Means::Sheet(sheet) => sheet.draw(drawing, size, care),
        }
    }
}
