//! The picture in the middle: what is seen, from where, and what mouse, fingers and keys do to it.

mod gesture;
mod legend;
mod screen;
mod walk;

use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{
    self, Align2, Color32, EventFilter, Id, Rect, Response, Role, Sense, StrokeKind, TextureId, Ui,
    WidgetInfo,
};
use pliant_render::{Bounds, Camera, View};
use pliant_session::Frame;
use pliant_session::pictures::Painter;
use pliant_session::player::{Controls, Order, Ray};
use web_time::Instant;

use crate::colours;
use crate::engine::Opened;
use crate::layout::Layout;
use crate::look::Look;
use crate::panels::info;
use crate::tools::Hand;
use gesture::{Gestures, Stage};
pub use legend::number;
use screen::Detail;
pub use screen::{Screen, ScreenError};
pub use walk::Walk;

/// How long nothing must change before a processor takes its time for a fine picture.
const CALM: Duration = Duration::from_millis(300);
/// How soon it is looked again for an answer of the simulation.
const LOOK_AGAIN: Duration = Duration::from_millis(15);

/// The picture and its camera.
#[derive(Default)]
pub struct Viewport {
    camera: Option<Camera>,
    /// Whether somebody has moved the camera; else it sees everything, whatever the window's shape.
    is_moved: bool,
    gestures: Gestures,
    /// Why there is no picture, if so.
    pub trouble: Option<String>,
    /// The body that was clicked, once.
    pub picked: Option<usize>,
    /// Questions for what was clicked, where that is not known on this side.
    questions: u32,
    /// Whether the last of them is not answered yet.
    is_asking: bool,
    /// Whether anything was clicked in this frame: a body, or what is beside it.
    pub is_clicked: bool,
    /// Whether somebody has moved the camera or a body already.
    pub is_used: bool,
    /// Pictures shown so far.
    pub shown: u64,
    /// Those of them that had to be drawn, since something had changed.
    pub drawn: u64,
    last: Option<Last>,
}

/// The picture that was drawn last, and of what.
struct Last {
    frame: Arc<Frame>,
    view: View,
    size: [u32; 2],
    detail: Detail,
    texture: TextureId,
    /// When something changed.
    since: Instant,
}

impl Viewport {
    /// Forgets the camera, so that the next scene is framed anew.
    pub fn frame_scene(&mut self) {
        self.camera = None;
        self.is_moved = false;
    }

    /// Looks at the next scene from there, or so that all of it is seen.
    pub fn look_from(&mut self, camera: Option<Camera>) {
        (self.camera, self.is_moved) = (camera, camera.is_some());
    }

    /// The camera, if something was shown already.
    pub fn camera(&self) -> Option<Camera> {
        self.camera
    }

    /// What the mouse is doing, in words; for machines.
    pub fn activity(&self) -> &'static str {
        self.gestures.activity()
    }

    /// Moves the camera by a step.
    pub fn walk(&mut self, step: Walk) {
        if let Some(camera) = &mut self.camera {
            step.go(camera);
            self.is_moved = true;
        }
    }

    /// Lets go of everything, as when another scene is opened.
    pub fn let_go(&mut self) {
        self.gestures = Gestures::default();
        self.is_asking = false;
    }

    /// Forgets the last picture, as when there is another screen.
    pub fn forget_picture(&mut self) {
        self.last = None;
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
        let response = picture(ui);
        let (painter, area) = (ui.painter_at(response.rect), response.rect);
        let aspect = f64::from(area.width() / area.height());
        let all = (opened.camera)(aspect);
        let before = self.camera.filter(|_| self.is_moved).unwrap_or(all);
        let mut camera = before;
        let frame = opened.controls.frame();
        // What is only on a device cannot be met from here.
        let known = opened.frame_here();
        let pick = |ray: Ray| known.as_ref().map(|f| opened.painter.pick(f, ray));
        let projector = Projector { area };
        let (pick, controls) = (&pick, &opened.controls);
        let has_colliders = opened.scene.colliders.iter().any(|c| !c.shape.is_ground());
        let stage = Stage {
            ui,
            response: &response,
            projector: &projector,
            hand,
            pick,
            has_colliders,
            controls,
        };
        self.gestures.follow(&stage, &mut camera);
        self.is_used |= self.gestures.is_active();
        self.is_moved |= camera != before;
        self.camera = Some(camera);
        self.is_clicked = response.clicked();
        if self.is_clicked
            && let Some(ray) =
                response.interact_pointer_pos().and_then(|p| projector.ray(&camera, p))
        {
            match pick(ray) {
                Some(hit) => self.picked = hit.map(|hit| hit.body),
                None => self.ask(controls, ray),
            }
        }
        self.look_for_answer(ui.ctx(), controls);
        if let Some(frame) = frame {
            self.draw(&Canvas { painter: &painter, area }, screen, opened, look, &frame);
        }
        if let Some(scale) = opened.painter.view.colouring.scale() {
            let inside = opened.painter.view.volume.as_ref();
            legend::show(&painter, area, &scale, inside, Layout::of(ui.ctx()));
        }
        if let Some(trouble) = &self.trouble {
            info::label(ui, area.center(), Align2::CENTER_CENTER, trouble, colours::ALARM);
        }
        if response.has_focus() {
            let edge = ui.visuals().selection.stroke;
            painter.rect_stroke(area, 0.0, egui::Stroke { width: 2.0, ..edge }, StrokeKind::Inside);
        }
    }

    /// Asks the simulation which body is there.
    fn ask(&mut self, controls: &Controls, ray: Ray) {
        self.questions = self.questions.wrapping_add(1);
        self.is_asking = true;
        controls.send(Order::Pick { number: self.questions, ray });
    }

    fn look_for_answer(&mut self, ctx: &egui::Context, controls: &Controls) {
        if !self.is_asking {
            return;
        }
        match controls.status().picked.filter(|(number, _)| *number == self.questions) {
            Some((_, body)) => (self.picked, self.is_asking) = (body, false),
            // An answer wakes nobody.
            None => ctx.request_repaint_after(LOOK_AGAIN),
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
        match self.picture(painter.ctx(), screen, &opened.painter, frame, size) {
            Ok(last) => {
                let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                painter.image(last.texture, area, whole, Color32::WHITE);
                if last.detail == Detail::Sketch {
                    painter.ctx().request_repaint_after(CALM);
                }
                self.trouble = None;
                self.shown += 1;
            }
            // For a moment only: the next frame is on the way.
            Err(ScreenError::Elsewhere) => {}
            Err(error) => self.trouble = Some(format!("no picture: {error}")),
        }
    }

    /// The picture of a frame: the last one, if nothing has changed since.
    fn picture(
        &mut self,
        ctx: &egui::Context,
        screen: &mut Screen,
        of: &Painter,
        frame: &Arc<Frame>,
        size: [u32; 2],
    ) -> Result<&Last, ScreenError> {
        let before = self.last.take_if(|last| {
            Arc::ptr_eq(&last.frame, frame) && last.view == of.view && last.size == size
        });
        self.last = None;
        let since = before.as_ref().map_or_else(Instant::now, |last| last.since);
        let is_lively = screen.is_slow() && since.elapsed() < CALM;
        let detail =
            if self.gestures.is_active() || is_lively { Detail::Sketch } else { Detail::Fine };
        let last = match before.filter(|last| last.detail == detail) {
            Some(last) => last,
            None => {
                let texture =
                    of.with_drawing(frame, |drawing| screen.draw(ctx, drawing, size, detail))?;
                self.drawn += 1;
                let (frame, view) = (frame.clone(), of.view.clone());
                Last { frame, view, size, detail, texture, since }
            }
        };
        Ok(self.last.insert(last))
    }

    fn view(
        &self,
        camera: Camera,
        opened: &Opened,
        look: &Look,
        bounds: Bounds,
        dark: bool,
    ) -> View {
        let mut view = look.view(camera, opened.colouring(&look.colour), bounds, dark);
        let wish = look.inside.wanted(bounds).zip(view.colouring.scale());
        view.volume =
            wish.map(|(wish, scale)| opened.painter.inside().look(&wish, &look.colour, &scale));
        view
    }
}

/// Which control the picture is, for the keyboard.
pub fn picture_id() -> Id {
    Id::unique("picture")
}

/// Takes all the room there is for the picture.
fn picture(ui: &mut Ui) -> Response {
    let (_, area) = ui.allocate_space(ui.available_size().max(egui::vec2(16.0, 16.0)));
    let response = ui.interact(area, picture_id(), Sense::click_and_drag());
    response.widget_info(|| {
        let what = "picture of the bodies: drag a body to pull it, arrow keys look round it";
        WidgetInfo::labeled(Role::Image, true, what)
    });
    ui.memory_mut(|memory| {
        // Arrows move the camera, not on to the next control.
        let arrows =
            EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
        memory.set_focus_lock_filter(response.id, arrows);
        // Whoever turns to the picture is done with what was written or chosen before.
        let is_pressed = response.is_pointer_button_down_on();
        if let Some(other) = memory.focused().filter(|id| is_pressed && *id != response.id) {
            memory.surrender_focus(other);
        }
    });
    response
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
