//! The picture in the middle: what is seen, from where, and what the mouse does to it.

mod bodies;
mod gesture;
mod legend;
mod screen;

use std::sync::Arc;

use eframe::egui::{self, Align2, Color32, FontId, Rect, Sense, Ui};
use pliant_render::{Bounds, Camera, View};
use pliant_session::Frame;
use pliant_session::player::Ray;

use crate::engine::Opened;
use crate::look::Look;
use crate::tools::Hand;
pub use bodies::quantity;
use gesture::Gestures;
pub use legend::number;
use screen::{Care, Drawing};
pub use screen::{Screen, ScreenError};

/// The picture and its camera.
#[derive(Default)]
pub struct Viewport {
    camera: Option<Camera>,
    gestures: Gestures,
    /// Why there is no picture, if so.
    pub trouble: Option<String>,
    /// The body that was clicked in this frame.
    pub picked: Option<usize>,
    /// Pictures drawn so far.
    pub drawn: u64,
}

impl Viewport {
    /// Forgets the camera, so that the next scene is framed anew.
    pub fn frame_scene(&mut self) {
        self.camera = None;
    }

    /// The camera, if something was shown already.
    pub fn camera(&self) -> Option<Camera> {
        self.camera
    }

    /// What the mouse is doing, in words; for machines.
    pub fn activity(&self) -> &'static str {
        self.gestures.activity()
    }

    /// Lets go of everything, as when another scene is opened.
    pub fn let_go(&mut self) {
        self.gestures = Gestures::default();
    }

    /// Shows the picture in all the room there is.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        screen: Option<&mut Screen>,
        opened: &mut Opened,
        look: &Look,
        hand: &Hand,
    ) {
        let (response, painter) = ui.allocate_painter(
            ui.available_size().max(egui::vec2(16.0, 16.0)),
            Sense::click_and_drag(),
        );
        let area = response.rect;
        let aspect = f64::from(area.width() / area.height());
        let mut camera = self.camera.unwrap_or_else(|| (opened.camera)(aspect));
        let frame = opened.controls.frame();
        // What is only on a device cannot be met from here.
        let known = opened.frame_here();
        let pick = |ray: Ray| known.as_ref().map(|f| opened.painter.pick(f, ray));
        let projector = Projector { area };
        self.gestures.follow(ui, &response, &projector, &mut camera, hand, &pick, &opened.controls);
        self.camera = Some(camera);
        if response.clicked()
            && let Some(ray) =
                response.interact_pointer_pos().and_then(|p| projector.ray(&camera, p))
        {
            self.picked = pick(ray).flatten().map(|hit| hit.body);
        }
        if let Some(frame) = frame {
            self.draw(&Canvas { painter: &painter, area }, screen, opened, look, &frame);
        }
        if let Some(scale) = opened.painter.view.colouring.scale() {
            legend::show(&painter, area, &scale);
        }
        if let Some(trouble) = &self.trouble {
            let font = FontId::proportional(15.0);
            painter.text(area.center(), Align2::CENTER_CENTER, trouble, font, Color32::DARK_RED);
        }
    }

    fn draw(
        &mut self,
        canvas: &Canvas<'_>,
        screen: Option<&mut Screen>,
        opened: &mut Opened,
        look: &Look,
        frame: &Arc<Frame>,
    ) {
        let Canvas { painter, area } = *canvas;
        let Some(camera) = self.camera else { return };
        let bounds = opened.painter.bounds(frame).unwrap_or(opened.expected);
        let view =
            self.view(camera, opened, look, bounds, painter.ctx().theme() == egui::Theme::Dark);
        opened.painter.view = view;
        let Some(screen) = screen else { return };
        let pixels = area.size() * painter.ctx().pixels_per_point();
        let size = [pixels.x.round() as u32, pixels.y.round() as u32];
        let painter_of_frames = &opened.painter;
        let care = if self.gestures.is_active() { Care::Sketch } else { Care::Fine };
        let drawn = painter_of_frames.with_geometry(frame, |geometry| {
            let (view, shown) = (&painter_of_frames.view, frame.shown.as_ref());
            screen.draw(&Drawing { geometry, view, shown, bounds }, size, care)
        });
        match drawn {
            Ok(texture) => {
                let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                painter.image(texture, area, whole, Color32::WHITE);
                self.trouble = None;
                self.drawn += 1;
            }
            Err(error) => self.trouble = Some(format!("no picture: {error}")),
        }
    }

    fn view(
        &self,
        camera: Camera,
        opened: &Opened,
        look: &Look,
        bounds: Bounds,
        dark: bool,
    ) -> View {
        look.view(camera, opened.colouring(look.colour), bounds, dark)
    }
}

/// Where a picture is put.
struct Canvas<'a> {
    painter: &'a egui::Painter,
    area: Rect,
}

/// From places in the window to rays in the scene.
pub struct Projector {
    area: Rect,
}

impl Projector {
    /// The ray under a point of the window.
    pub fn ray(&self, camera: &Camera, at: egui::Pos2) -> Option<Ray> {
        let [width, height] = [self.area.width().max(1.0), self.area.height().max(1.0)];
        // Points, not pixels: only their ratio counts.
        let projection = camera.projection([0.0; 3], width as u32, height as u32).ok()?;
        let scale = f64::from((height as u32).max(1) as f32 / height);
        let (x, y) = (at.x - self.area.min.x, at.y - self.area.min.y);
        let (origin, direction) = projection.ray(f64::from(x) * scale, f64::from(y) * scale);
        Some(Ray { origin, direction })
    }

    /// The height of the picture, in points.
    pub fn height(&self) -> f32 {
        self.area.height().max(1.0)
    }
}
