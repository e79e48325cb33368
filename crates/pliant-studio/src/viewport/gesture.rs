//! What mouse and fingers do: on a body one finger grabs or pushes, a collider it takes along, beside both the camera
//! moves; two fingers always move the camera.

use std::f32::consts::TAU;

use eframe::egui::{CursorIcon, Key, MultiTouchInfo, Pos2, Response, Ui, Vec2};
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
/// What is pressed longer than this is more than a click \[s\]. Within it a second finger may come.
const CLICK: f64 = 0.15;
/// A finger grabs what is this near to its middle \[points\].
const FINGERTIP: f32 = 12.0;
/// The most that a picture is magnified between two frames, whatever fingers do.
const MOST_ZOOM: f64 = 4.0;

/// What a ray meets first, if anything; nothing where that is not known on this side.
pub type Pick<'a> = &'a dyn Fn(Ray) -> Option<Option<Hit>>;

/// What gestures are made on and act on, in one frame of the window.
pub struct Stage<'a> {
    /// The window.
    pub ui: &'a Ui,
    /// The picture in it.
    pub response: &'a Response,
    /// From places in it to rays in the scene.
    pub projector: &'a Projector,
    /// The hand in use.
    pub hand: &'a Hand,
    /// What is where.
    pub pick: Pick<'a>,
    /// Whether there are colliders that a hand may take hold of: where those are, only the simulation knows.
    pub has_colliders: bool,
    /// The simulation.
    pub controls: &'a Controls,
}

/// What is going on between the press and the release of a button, or while fingers are down.
#[derive(Default)]
pub struct Gestures {
    now: Activity,
    /// Number of the hand in use; each grab has its own, so that late answers are not mistaken.
    hand: u32,
    /// Begun by a finger, not by a mouse.
    is_touch: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Activity {
    #[default]
    None,
    /// Something is pressed; it may be a click, or the first of two fingers.
    Pressed,
    /// A grab was asked for; whether there is something to hold is not known yet.
    Reaching,
    Dragging,
    Pushing,
    Orbiting,
    Panning,
    /// Several fingers move the camera.
    Fingers,
}

impl Gestures {
    /// In a word.
    pub fn activity(&self) -> &'static str {
        match self.now {
            Activity::None => "none",
            Activity::Pressed => "pressed",
            Activity::Reaching => "reaching",
            Activity::Dragging => "dragging",
            Activity::Pushing => "pushing",
            Activity::Orbiting => "orbiting",
            Activity::Panning => "panning",
            Activity::Fingers => "fingers",
        }
    }

    /// Whether a picture must follow the mouse.
    pub fn is_active(&self) -> bool {
        !matches!(self.now, Activity::None | Activity::Pressed)
    }

    /// Follows mouse and fingers for one frame of the window.
    pub fn follow(&mut self, stage: &Stage<'_>, camera: &mut Camera) {
        if let Some(fingers) = self.fingers(stage) {
            return self.follow_fingers(stage, &fingers, camera);
        }
        if self.now == Activity::Fingers {
            // The finger that stays a moment longer means nothing by it.
            self.now = Activity::None;
        }
        scroll(stage, camera);
        self.follow_pointer(stage, camera);
        self.show_cursor(stage);
    }

    /// Several fingers, if the first of them came down on the picture.
    fn fingers(&self, stage: &Stage<'_>) -> Option<MultiTouchInfo> {
        let fingers = stage.ui.input(|i| i.multi_touch())?;
        (self.now == Activity::Fingers || stage.shows(fingers.start_pos)).then_some(fingers)
    }

    fn follow_fingers(&mut self, stage: &Stage<'_>, fingers: &MultiTouchInfo, camera: &mut Camera) {
        if self.now != Activity::Fingers {
            self.end(stage.controls);
            self.now = Activity::Fingers;
        }
        // Nothing in frames in which fingers come or go: egui sees to it.
        match fingers.num_touches {
            2 => orbit(stage, fingers.translation_delta, camera),
            _ => pan(stage, fingers.translation_delta, camera),
        }
        zoom_towards(stage, fingers.center_pos, f64::from(fingers.zoom_delta), camera);
    }

    fn follow_pointer(&mut self, stage: &Stage<'_>, camera: &mut Camera) {
        let ui = stage.ui;
        if stage.response.is_pointer_button_down_on() && ui.input(|i| i.pointer.any_pressed()) {
            self.end(stage.controls);
            self.now = Activity::Pressed;
            self.is_touch = ui.input(|i| i.any_touches());
        }
        if self.now == Activity::Pressed && is_more_than_a_click(ui) {
            self.begin(stage, camera);
        }
        if self.now == Activity::Reaching {
            self.look_for_answer(stage);
        }
        let delta = ui.input(|i| i.pointer.delta());
        match self.now {
            Activity::Orbiting => orbit(stage, delta, camera),
            Activity::Panning => pan(stage, delta, camera),
            Activity::Dragging | Activity::Reaching => {
                if let Some(ray) = stage.ray_under_pointer(camera) {
                    stage.controls.send(Order::Lead { hand: self.hand, ray });
                }
            }
            Activity::Pushing => {
                if let Some(ray) = stage.ray_under_pointer(camera) {
                    stage.controls.send(push(self.hand, ray, stage.hand));
                }
            }
            Activity::None | Activity::Pressed | Activity::Fingers => {}
        }
        let is_over = ui.input(|i| {
            // A browser takes fingers away without a release, as when another program comes up.
            let is_taken = self.is_touch && !i.any_touches();
            !i.pointer.any_down() || is_taken || i.key_pressed(Key::Escape)
        });
        if is_over {
            self.end(stage.controls);
        }
    }

    fn begin(&mut self, stage: &Stage<'_>, camera: &Camera) {
        let (at, modifiers, is_primary, is_middle) = stage.ui.input(|i| {
            let down = &i.pointer;
            (down.press_origin(), i.modifiers, down.primary_down(), down.middle_down())
        });
        self.now = match at {
            Some(at) if is_primary => self.reach(stage, at, camera),
            _ if is_middle || modifiers.shift => Activity::Panning,
            _ => Activity::Orbiting,
        };
    }

    /// Takes what is at a place of the window, if something is.
    fn reach(&mut self, stage: &Stage<'_>, at: Pos2, camera: &Camera) -> Activity {
        let Some((ray, is_met)) = self.meet(stage, at, camera) else { return Activity::None };
        let modifiers = stage.ui.input(|i| i.modifiers);
        let tool = match (stage.hand.tool, modifiers.command) {
            (Tool::Drag, false) | (Tool::Push, true) => Tool::Drag,
            (Tool::Push, false) | (Tool::Drag, true) => Tool::Push,
        };
        let is_met = is_met.filter(|_| tool != Tool::Drag || !stage.has_colliders);
        self.hand = self.hand.wrapping_add(1);
        match (is_met, tool) {
            (Some(false), _) => stage.looking_round(),
            (_, Tool::Drag) => {
                stage.controls.send(self.grab(stage, ray, camera));
                if is_met.is_some() { Activity::Dragging } else { Activity::Reaching }
            }
            (_, Tool::Push) => {
                stage.controls.send(push(self.hand, ray, stage.hand));
                Activity::Pushing
            }
        }
    }

    /// The ray to what is at a place, and whether something is: nobody knows where bodies are only on a
    /// device. A finger meets what is near, too.
    fn meet(&self, stage: &Stage<'_>, at: Pos2, camera: &Camera) -> Option<(Ray, Option<bool>)> {
        let straight = stage.projector.ray(camera, at)?;
        let Some(hit) = (stage.pick)(straight) else { return Some((straight, None)) };
        if hit.is_some() || !self.is_touch {
            return Some((straight, Some(hit.is_some())));
        }
        const DIRECTIONS: usize = 12;
        let rings = [0.35 * FINGERTIP, 0.7 * FINGERTIP, FINGERTIP];
        let places = rings.into_iter().flat_map(|radius| {
            (0..DIRECTIONS).map(move |k| radius * Vec2::angled(TAU * k as f32 / DIRECTIONS as f32))
        });
        let rays = places.filter_map(|offset| stage.projector.ray(camera, at + offset));
        let met = rays.into_iter().find(|ray| (stage.pick)(*ray).flatten().is_some());
        Some((met.unwrap_or(straight), Some(met.is_some())))
    }

    fn grab(&self, stage: &Stage<'_>, ray: Ray, camera: &Camera) -> Order {
        let facing = std::array::from_fn(|k| camera.target[k] - camera.eye[k]);
        let &Hand { radius, speed, stiffness, .. } = stage.hand;
        let points = if self.is_touch { FINGERTIP } else { 0.0 };
        let slack = 2.0 * (0.5 * camera.field_of_view).tan() * f64::from(points)
            / f64::from(stage.projector.height());
        Order::Grab { hand: self.hand, ray, slack, facing, radius, speed, stiffness }
    }

    /// Once it is known whether a grab found something: drags, or else moves the camera.
    fn look_for_answer(&mut self, stage: &Stage<'_>) {
        let held = stage.controls.status().held;
        if let Some((_, hit)) = held.iter().find(|(hand, _)| *hand == self.hand) {
            self.now = if hit.is_some() { Activity::Dragging } else { stage.looking_round() };
        }
    }

    fn end(&mut self, controls: &Controls) {
        if matches!(self.now, Activity::Dragging | Activity::Pushing | Activity::Reaching) {
            controls.send(Order::Session(Command::Release { hand: self.hand }));
        }
        self.now = Activity::None;
    }

    fn show_cursor(&self, stage: &Stage<'_>) {
        let icon = match self.now {
            Activity::Dragging | Activity::Reaching => CursorIcon::Grabbing,
            Activity::Pushing => CursorIcon::Crosshair,
            Activity::Orbiting | Activity::Fingers => CursorIcon::AllScroll,
            Activity::Panning => CursorIcon::Move,
            Activity::None | Activity::Pressed if stage.response.hovered() => CursorIcon::Grab,
            Activity::None | Activity::Pressed => return,
        };
        stage.ui.ctx().set_cursor_icon(icon);
    }
}

impl Stage<'_> {
    /// How the camera moves where a button finds nothing to hold.
    fn looking_round(&self) -> Activity {
        match self.ui.input(|i| i.modifiers.shift) {
            true => Activity::Panning,
            false => Activity::Orbiting,
        }
    }

    /// Whether a place of the window shows the picture, and nothing over it.
    fn shows(&self, at: Pos2) -> bool {
        let is_uncovered = self.ui.ctx().layer_id_at(at) == Some(self.response.layer_id);
        self.response.rect.contains(at) && is_uncovered
    }

    fn ray_under_pointer(&self, camera: &Camera) -> Option<Ray> {
        let at = self.ui.input(|i| i.pointer.interact_pos())?;
        self.projector.ray(camera, at)
    }

    /// A movement in parts of the picture's height, to the right and down.
    fn parts(&self, delta: Vec2) -> [f64; 2] {
        [delta.x, delta.y].map(|c| f64::from(c / self.projector.height()))
    }
}

/// Whether what is pressed has moved or stayed too long for a click.
fn is_more_than_a_click(ui: &Ui) -> bool {
    let held = ui.input(|i| i.pointer.press_start_time().map(|start| i.time - start));
    if let Some(left) = held.map(|held| CLICK - held).filter(|left| *left > 0.0) {
        ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(left));
    }
    let is_long = held.is_some_and(|held| held >= CLICK);
    is_long || ui.input(|i| i.pointer.any_down() && !i.pointer.could_any_button_be_click())
}

fn orbit(stage: &Stage<'_>, delta: Vec2, camera: &mut Camera) {
    // Even no turn would round.
    if delta == Vec2::ZERO {
        return;
    }
    let [right, down] = stage.parts(delta);
    camera.orbit(-TURN * right, TURN * down);
}

fn pan(stage: &Stage<'_>, delta: Vec2, camera: &mut Camera) {
    if delta == Vec2::ZERO {
        return;
    }
    let [right, down] = stage.parts(delta);
    camera.pan(right, -down);
}

/// Zooms as the wheel says, towards what is under the mouse.
fn scroll(stage: &Stage<'_>, camera: &mut Camera) {
    if !stage.response.contains_pointer() {
        return;
    }
    let (scroll, pinch) = stage.ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
    let at = stage.ui.input(|i| i.pointer.hover_pos()).unwrap_or(stage.response.rect.center());
    zoom_towards(stage, at, f64::from(pinch) * (ZOOM * f64::from(scroll)).exp(), camera);
}

/// Comes `factor` times closer to what is at a place of the window.
fn zoom_towards(stage: &Stage<'_>, at: Pos2, factor: f64, camera: &mut Camera) {
    if factor == 1.0 || !factor.is_finite() || factor <= 0.0 {
        return;
    }
    let factor = factor.clamp(1.0 / MOST_ZOOM, MOST_ZOOM);
    let [right, down] = stage.parts(at - stage.response.rect.center());
    let shift = 1.0 - 1.0 / factor;
    // What is there stays there: the middle moves towards it as the rest comes closer.
    camera.pan(-right * shift, down * shift);
    camera.zoom(factor);
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
