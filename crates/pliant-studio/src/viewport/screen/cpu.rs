//! Pictures by the processor, as large as there is time for.

use eframe::egui::{ColorImage, Context, TextureHandle, TextureId, TextureOptions};
use pliant_render::cpu;
use pliant_render::volume::{Look, Quality};
use pliant_session::pictures::device::Drawing;
use web_time::Instant;

use super::{Detail, ScreenError};

/// Time that a picture may take while things move \[s\].
const AT_ONCE: f64 = 0.03;
/// Time that a picture of things that stand still may take \[s\]: nobody waits for it, but until it
/// is there the window does not answer.
const IN_PEACE: f64 = 0.15;
/// Pixels of the coarsest picture.
const FEWEST: f64 = 96.0 * 64.0;
/// Pixels of the first picture, before anything was measured.
const FIRST: f64 = 320.0 * 200.0;

/// Draws on the processor into a texture of the window.
pub struct CpuScreen {
    ctx: Context,
    texture: Option<TextureHandle>,
    /// Pixels that are drawn in [`AT_ONCE`].
    pixels: f64,
    renderer: cpu::Renderer,
    threads: usize,
}

impl CpuScreen {
    /// Draws for a window.
    pub fn new(ctx: &Context) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            ctx: ctx.clone(),
            texture: None,
            pixels: FIRST,
            renderer: cpu::Renderer::new(),
            threads,
        }
    }

    /// Draws a picture for `size` pixels of the window and returns the texture that has it.
    pub fn draw(
        &mut self,
        drawing: &Drawing<'_>,
        size: [u32; 2],
        detail: Detail,
    ) -> Result<TextureId, ScreenError> {
        let &Drawing { geometry, view, shown, .. } = drawing;
        if shown.is_some() {
            return Err(ScreenError::Elsewhere);
        }
        let mut view = view.clone();
        let rays = view.volume.as_mut().map_or(1.0, |look| self.cast(look, size, detail));
        let [width, height] = self.size(size, detail, rays);
        // They are so many pixels long: in a coarse picture they would hide the rest.
        view.axes &= 2 * width > size[0];
        let start = Instant::now();
        let image = self.renderer.render(geometry, &view, width, height, self.threads)?.image;
        self.learn(rays * f64::from(width * height), start.elapsed().as_secs_f64());
        let size = [width as usize, height as usize];
        let image = ColorImage::from_rgba_premultiplied(size, image.pixels.as_flattened());
        let texture = match &mut self.texture {
            Some(texture) => {
                texture.set(image, TextureOptions::LINEAR);
                texture
            }
            None => {
                let made = self.ctx.load_texture("viewport", image, TextureOptions::LINEAR);
                self.texture.insert(made)
            }
        };
        Ok(texture.id())
    }

    /// The size of a picture that there is time for, at so many rays per pixel.
    fn size(&self, window: [u32; 2], detail: Detail, rays: f64) -> [u32; 2] {
        let affordable = match detail {
            Detail::Sketch => self.pixels,
            Detail::Fine => self.pixels * IN_PEACE / AT_ONCE,
        };
        let largest = self.ctx.input(|i| i.max_texture_side).min(cpu_limit()) as f64;
        let [width, height] = window.map(|n| f64::from(n.max(1)));
        let scale = (affordable / (rays * width * height)).sqrt().min(1.0);
        let scale = scale.min(largest / width.max(height));
        [width, height].map(|n| (n * scale).round().max(1.0) as u32)
    }

    /// Rays for each pixel of the inside of bodies: more than one only where there is time for them in
    /// all pixels of the window.
    fn cast(&self, look: &mut Look, window: [u32; 2], detail: Detail) -> f64 {
        if look.quality == Quality::Fine && self.size(window, detail, 4.0) != window {
            look.quality = Quality::Normal;
        }
        match look.quality {
            Quality::Draft => 0.25,
            Quality::Normal => 1.0,
            Quality::Fine => 4.0,
        }
    }

    /// So many pixels took so long.
    fn learn(&mut self, pixels: f64, seconds: f64) {
        // Small pictures take longer per pixel, so a single look does not say all.
        let could = pixels * AT_ONCE / seconds.max(1e-4);
        let change = (could / self.pixels).clamp(0.5, 1.25);
        self.pixels = (self.pixels * change).clamp(FEWEST, 4e7);
    }
}

/// The largest side of a picture that the renderer makes.
fn cpu_limit() -> usize {
    pliant_render::encode::LARGEST_SIDE as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_as_large_as_there_is_time_for() {
        let mut screen = CpuScreen::new(&Context::default());
        let window = [1600, 1000];
        let pixels = |[w, h]: [u32; 2]| f64::from(w * h);
        // A processor that draws a million pixels in a second.
        for _ in 0..40 {
            let drawn = pixels(screen.size(window, Detail::Sketch, 1.0));
            screen.learn(drawn, drawn / 1e6);
        }
        let sketch = screen.size(window, Detail::Sketch, 1.0);
        assert!((pixels(sketch) / 3e4 - 1.0).abs() < 0.1, "{sketch:?}");
        assert!((f64::from(sketch[0]) / f64::from(sketch[1]) - 1.6).abs() < 0.02);
        let fine = screen.size(window, Detail::Fine, 1.0);
        assert!((pixels(fine) / 1.5e5 - 1.0).abs() < 0.1, "{fine:?}");
        let transfer = pliant_render::volume::Preset::Tissue.transfer();
        let look = |quality| Look { quality, ..Look::new(transfer.clone()) };
        assert_eq!(
            screen.cast(&mut look(Quality::Fine), window, Detail::Fine),
            1.0,
            "no time for it"
        );
        assert_eq!(screen.cast(&mut look(Quality::Draft), window, Detail::Fine), 0.25);
        // One that is quick draws every pixel, and one that is slow still something.
        (0..80).for_each(|_| screen.learn(1e6, 1e-4));
        assert_eq!(screen.size(window, Detail::Sketch, 1.0), window);
        assert_eq!(screen.cast(&mut look(Quality::Fine), window, Detail::Sketch), 4.0);
        (0..80).for_each(|_| screen.learn(1e6, 1e4));
        assert!(pixels(screen.size(window, Detail::Sketch, 1.0)) > 0.9 * FEWEST);
        assert_eq!(screen.size([0, 0], Detail::Fine, 1.0), [1, 1]);
    }
}
