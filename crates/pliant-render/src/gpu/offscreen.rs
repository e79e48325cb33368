//! Pictures that are not for a window. They are waited for, which browsers do not do.

use pliant_gpu::wgpu::{Extent3d, TextureFormat, TextureUsages};
use pliant_gpu::{Gpu, Readback};

use super::renderer::{Renderer, texture};
use super::scene::Scene;
use super::{GpuRenderError, Resident};
use crate::cpu::Picture;
use crate::error::check_size;
use crate::geometry::Geometry;
use crate::image::Image;
use crate::legend;
use crate::list::DrawList;
use crate::view::View;

/// Samples per pixel of pictures that are read back.
pub const SAMPLES: u32 = 4;
/// Eight bits per component, in sRGB, averaged as light.
const FORMAT: TextureFormat = TextureFormat::Rgba8UnormSrgb;
/// Copies from textures want rows of a multiple of this many bytes.
const ROW: u32 = 256;

/// Draws `geometry` as `view` wants it: the picture of [`crate::cpu::render`], but for the last bits
/// of colours. For more than one, keep an [`Offscreen`].
pub fn render_offscreen(
    gpu: &Gpu,
    geometry: &Geometry,
    view: &View,
    width: u32,
    height: u32,
) -> Result<Picture, GpuRenderError> {
    Offscreen::new(gpu)?.render(geometry, view, &[], width, height)
}

/// Draws pictures one after the other and reads them back.
pub struct Offscreen {
    renderer: Renderer,
    scene: Scene,
}

impl Offscreen {
    /// Compiles what is needed.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuRenderError> {
        let renderer = Renderer::new(gpu, FORMAT, SAMPLES)?;
        let scene = Scene::new(&renderer)?;
        Ok(Self { renderer, scene })
    }

    /// The renderer, to make [`Resident`] bodies for.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// Draws `geometry`, and `bodies` that are on the device already, and waits for the picture.
    /// Shadows are looked for round the bodies of `geometry`.
    pub fn render(
        &mut self,
        geometry: &Geometry,
        view: &View,
        bodies: &[&Resident],
        width: u32,
        height: u32,
    ) -> Result<Picture, GpuRenderError> {
        check_size(width, height)?;
        let projection = view.camera.projection(geometry.origin, width, height)?;
        let list = DrawList::new(geometry, view, &projection)?;
        self.render_list(&list, view, geometry.origin, bodies, width, height)
    }

    /// Draws a list that [`DrawList::new`] made for a picture of this size and `origin`, and was
    /// perhaps changed since, and `bodies` that are on the device already.
    pub fn render_list(
        &mut self,
        list: &DrawList,
        view: &View,
        origin: [f64; 3],
        bodies: &[&Resident],
        width: u32,
        height: u32,
    ) -> Result<Picture, GpuRenderError> {
        let projection = view.camera.projection(origin, width, height)?;
        let gpu = self.renderer.gpu().clone();
        gpu.check()?;
        let stride = (4 * width).next_multiple_of(ROW);
        check_room(&gpu, width, height, stride)?;
        self.scene.update(&self.renderer, list, view, &projection)?;
        let usage = TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC;
        let target = texture(&gpu, "picture", [width, height], 1, FORMAT, usage)?;
        let bytes = u64::from(stride) * u64::from(height);
        let mut readback = Readback::new(&gpu, "picture", bytes)?;

        let mut commands = gpu.commands("picture");
        let onto = target.create_view(&Default::default());
        self.renderer.draw(commands.encoder(), &self.scene, bodies, &onto)?;
        let size = Extent3d { width, height, depth_or_array_layers: 1 };
        readback.copy_texture(&mut commands, &target, size, stride);
        commands.submit();
        readback.request();
        let rows: Vec<[u8; 4]> = readback.wait()?;
        let mut image = Image { width, height, pixels: Vec::new() };
        for row in rows.chunks_exact(stride as usize / 4) {
            image.pixels.extend_from_slice(&row[..width as usize]);
        }
        write_texts(&mut image, list, view);
        let mut lost = self.scene.clouds.as_ref().map_or(Ok(0), |host| host.clouds().lost())?;
        for clouds in bodies.iter().filter_map(|body| body.clouds()) {
            lost += clouds.lost()?;
        }
        Ok(Picture { image, skipped: list.skipped, lost })
    }
}

/// Refuses pictures that the device cannot hold or hand over.
fn check_room(gpu: &Gpu, width: u32, height: u32, stride: u32) -> Result<(), GpuRenderError> {
    let limits = gpu.limits();
    let (largest, room) = (limits.max_texture_dimension_2d, limits.max_buffer_size);
    let fits = width.max(height) <= largest && u64::from(stride) * u64::from(height) <= room;
    match fits {
        true => Ok(()),
        false => Err(GpuRenderError::Size { width, height, largest, pixels: room / 4 }),
    }
}

fn write_texts(image: &mut Image, list: &DrawList, view: &View) {
    for label in &list.labels {
        legend::write_label(image, label);
    }
    legend::draw_for(image, view);
}
