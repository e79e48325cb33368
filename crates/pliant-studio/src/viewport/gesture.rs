//! What the mouse does: on a body it grabs or pushes, beside it the camera moves.

use eframe::egui::{CursorIcon, PointerButton, Pos2, Response, Ui};
use pliant_render::Camera;
use pliant_session::Command;
use pliant_session::pictures::Hit;
use pliant_session::player::{Controls, Order, Ray};
use pliant_sim::stages::touch::Push;

use super::Projector;
use crate::tools::{Hand, Tool};

/// How far the camera walks when the mouse crosses the height of the picture \[rad\].
const TURN: f64 = 3.0;
/// Zoom per point of scrolling, as a power of e.
const ZOOM: f64 = 0.002;

/// What a ray meets first, if anything; nothing where that is not known on this side.
pub type Pick<'a> = &'a dyn Fn(Ray) -> Option<Option<Hit>>;

/// What is going on between the press and the release of a button.
#[derive(Default)]
pub struct Gestures {
    now: Activity,
    /// Number of the hand in use; each grab has its own, so that late answers are not mistaken.
    hand: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Activity {
    #[default]
    None,
    /// A grab was asked for; whether there is something to hold is not known yet.
    Reaching,
    Dragging,
    Pushing,
    Orbiting,
    Panning,
}

impl Gestures {
    /// In a word.
    pub fn activity(&self) -> &'static str {
        match self.now {
            Activity::None => "none",
            Activity::Reaching => "reaching",
            Activity::Dragging => "dragging",
            Activity::Pushing => "pushing",
            Activity::Orbiting => "orbiting",
            Activity::Panning => "panning",
        }
    }

    /// Whether a picture must follow the mouse.
    pub fn is_active(&self) -> bool {
        self.now != Activity::None
    }

    /// Follows the mouse for one frame of the window.
    #[expect(clippy::too_many_arguments, reason = "everything that a mouse can act on")]
    pub fn follow(
        &mut self,
        ui: &Ui,
        response: &Response,
        projector: &Projector,
        camera: &mut Camera,
        hand: &Hand,
        pick: Pick<'_>,
        controls: &Controls,
    ) {
        self.zoom(ui, response, projector, camera);
        if response.drag_started()
            && let Some(at) = ui.input(|i| i.pointer.press_origin())
        {
            self.begin(ui, response, projector, camera, at, hand, pick, controls);
        }
        if self.now == Activity::Reaching {
            self.look_for_answer(controls);
        }
        let delta = response.drag_delta();
        let height = f64::from(projector.height());
        let (right, down) = (f64::from(delta.x) / height, f64::from(delta.y) / height);
        match self.now {
            Activity::Orbiting => camera.orbit(-TURN * right, TURN * down),
            Activity::Panning => camera.pan(right, -down),
            Activity::Dragging | Activity::Reaching => {
                if let Some(ray) = ray_under_pointer(ui, projector, camera) {
                    controls.send(Order::Lead { hand: self.hand, ray });
                }
            }
            Activity::Pushing => {
                if let Some(ray) = ray_under_pointer(ui, projector, camera) {
                    controls.send(push(self.hand, ray, hand));
                }
            }
            Activity::None => {}
        }
        if response.drag_stopped() || !ui.input(|i| i.pointer.any_down()) {
            self.end(controls);
        }
        self.show_cursor(ui, response);
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a press can mean")]
    fn begin(
        &mut self,
        ui: &Ui,
        response: &Response,
        projector: &Projector,
        camera: &Camera,
        at: Pos2,
        hand: &Hand,
        pick: Pick<'_>,
        controls: &Controls,
    ) {
        self.end(controls);
        let shift = ui.input(|i| i.modifiers.shift);
        if response.drag_started_by(PointerButton::Primary) {
            let Some(ray) = projector.ray(camera, at) else { return };
            let control = ui.input(|i| i.modifiers.command);
            let other = |tool| match tool {
                Tool::Drag => Tool::Push,
                Tool::Push => Tool::Drag,
            };
            let tool = if control { other(hand.tool) } else { hand.tool };
            self.hand = self.hand.wrapping_add(1);
            self.now = match (pick(ray), tool) {
                (Some(None), _) if shift => Activity::Panning,
                (Some(None), _) => Activity::Orbiting,
                (found, Tool::Drag) => {
                    controls.send(grab(self.hand, ray, camera, hand));
                    if found.is_some() { Activity::Dragging } else { Activity::Reaching }
                }
                (_, Tool::Push) => {
                    controls.send(push(self.hand, ray, hand));
                    Activity::Pushing
                }
            };
        } else if response.drag_started_by(PointerButton::Middle) || shift {
            self.now = Activity::Panning;
        } else {
            self.now = Activity::Orbiting;
        }
    }

    /// Once it is known whether a grab found something: drags, or else moves the camera.
    fn look_for_answer(&mut self, controls: &Controls) {
        let held = controls.status().held;
        if let Some((_, hit)) = held.iter().find(|(hand, _)| *hand == self.hand) {
            self.now = if hit.is_some() { Activity::Dragging } else { Activity::Orbiting };
        }
    }

    fn end(&mut self, controls: &Controls) {
        if matches!(self.now, Activity::Dragging | Activity::Pushing | Activity::Reaching) {
            controls.send(Order::Session(Command::Release { hand: self.hand }));
        }
        self.now = Activity::None;
    }

    /// Zooms towards what is under the mouse.
    fn zoom(&self, ui: &Ui, response: &Response, projector: &Projector, camera: &mut Camera) {
        if !response.contains_pointer() {
            return;
        }
        let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
        let factor = f64::from(pinch) * (ZOOM * f64::from(scroll)).exp();
        if factor == 1.0 || !factor.is_finite() {
            return;
        }
        let at = ui.input(|i| i.pointer.hover_pos()).unwrap_or(response.rect.center());
        let offset = (at - response.rect.center()) / projector.height();
        let shift = 1.0 - 1.0 / factor;
        // What is under the mouse stays there: the middle moves towards it as the rest comes closer.
        camera.pan(-f64::from(offset.x) * shift, f64::from(offset.y) * shift);
        camera.zoom(factor);
    }

    fn show_cursor(&self, ui: &Ui, response: &Response) {
        let icon = match self.now {
            Activity::Dragging | Activity::Reaching => CursorIcon::Grabbing,
            Activity::Pushing => CursorIcon::Crosshair,
            Activity::Orbiting => CursorIcon::AllScroll,
            Activity::Panning => CursorIcon::Move,
            Activity::None if response.hovered() => CursorIcon::Grab,
            Activity::None => return,
        };
        ui.ctx().set_cursor_icon(icon);
    }
}

fn ray_under_pointer(ui: &Ui, projector: &Projector, camera: &Camera) -> Option<Ray> {
    let at = ui.input(|i| i.pointer.interact_pos())?;
    projector.ray(camera, at)
}

fn grab(number: u32, ray: Ray, camera: &Camera, hand: &Hand) -> Order {
    let facing = std::array::from_fn(|k| camera.target[k] - camera.eye[k]);
    let &Hand { radius, speed, stiffness, .. } = hand;
    Order::Grab { hand: number, ray, facing, radius, speed, stiffness }
}

fn push(number: u32, ray: Ray, hand: &Hand) -> Order {
    let push = Push {
        origin: ray.origin,
        direction: ray.direction,
        radius: hand.radius,
        force: hand.force,
    };
    Order::Session(Command::Push { hand: number, push })
}
