//! Following orders.

use std::path::Path;

use pliant_mesh::write_atomically;

use super::clock_hold::ClockHold;
use super::show::Showing;
use super::{Mode, Order, Player, carried, hands};
use crate::{Command, Message};

impl Player {
    /// Follows all orders that wait, and commands to the session from elsewhere.
    pub(super) async fn obey_all(&mut self, now: f64) {
        for order in self.controls.take_orders() {
            if self.is_over() {
                return;
            }
            self.obey(order, now).await;
        }
        while let Some(command) = self.session.remote().next_command() {
            self.obey(Order::Session(command), now).await;
        }
    }

    async fn obey(&mut self, order: Order, now: f64) {
        self.show.status_is_due = true;
        if reads_bodies(&order) {
            self.session.simulator_mut().mirror_in_browser().await;
        }
        match order {
            Order::Play => self.play(),
            Order::Pause => self.pause(),
            Order::Step(count) => self.step_on(count),
            Order::Reset => self.reset(now).await,
            Order::Rewind(step) => self.rewind(step, now),
            Order::Speed(speed) => self.set_speed(speed),
            Order::Show(fields) => self.show_by(Showing::Host(fields)),
            #[cfg(feature = "gpu")]
            Order::ShowOnDevice(quantity, fields) => {
                self.show_by(Showing::Device(quantity, fields));
            }
            Order::Edit(scene) => match self.session.edit(&scene, &self.backend) {
                Ok(()) => {
                    self.diverged = None;
                    self.pace.forget_costs();
                    self.show.frame_is_due = true;
                }
                Err(error) => self.warn(format!("the edit is not taken over: {error}")),
            },
            Order::Grab { hand, ray, slack, facing, radius, speed, stiffness } => {
                self.session.follow(Command::Release { hand });
                let sim = self.session.simulator();
                // What makes no sense in the order makes none in the command, which says so.
                let reach = |reach: f64| if radius >= 0.0 { reach } else { radius };
                let found = hands::pick(sim, &ray, slack, radius).map(|(center, reached)| {
                    let radius = reach(reached);
                    (center, Command::Grab { hand, center, radius, speed, stiffness })
                });
                let carried = carried::first_hit(sim, &ray)
                    .map(|(collider, at)| (at, Command::Carry { hand, collider, at, speed }));
                let nearest = [found, carried].into_iter().flatten();
                let found = nearest.min_by(|a, b| ray.depth(a.0).total_cmp(&ray.depth(b.0)));
                self.grab(hand, found, facing);
            }
            Order::Pick { number, ray } => {
                self.picked = Some((number, hands::body_at(self.session.simulator(), &ray)));
            }
            Order::Lead { hand, ray } => {
                if let Some(to) = self.hands.led_to(hand, &ray) {
                    self.session.follow(Command::Lead { hand, to });
                    self.show.frame_is_due = true;
                }
            }
            Order::Session(command) => self.pass_on(command, now).await,
            Order::SaveCheckpoint(path) => self.save(&path),
            Order::HoldEvery(every) => self.hold_every(every),
            Order::FrameTaken => {
                if let Some(hold) = &mut self.hold {
                    hold.is_held = false;
                }
            }
        }
    }

    fn show_by(&mut self, showing: Showing) {
        self.show.frame_is_due |= showing != self.show.showing;
        self.show.showing = showing;
    }

    fn warn(&self, text: String) {
        self.session.remote().tell(Message::Warning(text));
    }

    fn play(&mut self) {
        self.diverged = None;
        if self.mode != Mode::Playing {
            self.mode = Mode::Playing;
            self.pace.stop();
        }
        self.show.at_once();
    }

    /// Takes more steps; presses of a key that come faster than steps add up.
    fn step_on(&mut self, count: u64) {
        let left = if let Mode::Stepping(left) = self.mode { left } else { 0 };
        let left = left.saturating_add(count);
        if left == 0 {
            return self.pause();
        }
        self.diverged = None;
        self.pace.stop();
        self.mode = Mode::Stepping(left);
    }

    async fn reset(&mut self, now: f64) {
        self.session.follow(Command::Reset);
        self.remember(now).await;
        self.went_elsewhere(now);
    }

    /// Goes to a remembered moment and stands still there: later ones last until a step is taken.
    fn rewind(&mut self, step: u64, now: f64) {
        let Some(moment) = self.memory.nearest(step) else {
            return self.warn("there is no moment to go back to".into());
        };
        self.session.go_to(moment);
        self.pause();
        self.went_elsewhere(now);
    }

    /// Time is another now.
    fn went_elsewhere(&mut self, now: f64) {
        let time = self.session.simulator().time();
        self.diverged = None;
        self.hands.clear();
        self.history.forget_after(time);
        self.memory.went_to(time, now);
        if let Some(hold) = &mut self.hold {
            hold.restart(time);
        }
        if let Mode::Stepping(_) = self.mode {
            self.pause();
        }
        self.show.frame_is_due = true;
        self.show.at_once();
    }

    fn set_speed(&mut self, speed: f64) {
        if speed > 0.0 {
            self.pace.set_speed(speed);
        } else {
            self.warn(format!("the speed must be positive; it is {speed}"));
        }
    }

    fn grab(&mut self, hand: u32, found: Option<([f64; 3], Command)>, facing: [f64; 3]) {
        let hit = found.map(|(hit, command)| {
            self.session.follow(command);
            hit
        });
        let hit = hit.filter(|_| self.session.is_held_by(hand));
        self.hands.grabbed(hand, hit, facing);
        self.show.frame_is_due = true;
    }

    /// Lets the session obey, and notices what concerns the player.
    async fn pass_on(&mut self, command: Command, now: f64) {
        match command {
            Command::Play => return self.play(),
            Command::Pause => return self.pause(),
            Command::Stop => return self.controls.quit(),
            Command::Reset => return self.reset(now).await,
            Command::Grab { hand, .. }
            | Command::Carry { hand, .. }
            | Command::Push { hand, .. }
            | Command::Release { hand } => {
                self.hands.let_go(hand);
            }
            Command::Set { ref key, .. } if key == "world.timestep" => self.diverged = None,
            Command::Set { .. } | Command::Lead { .. } => {}
        }
        self.session.follow(command);
        self.show.frame_is_due = true;
    }

    fn hold_every(&mut self, every: Option<f64>) {
        self.hold = None;
        match every {
            Some(every) if every > 0.0 && every.is_finite() => {
                self.hold = Some(ClockHold::new(self.session.simulator().time(), every));
            }
            Some(every) => self.warn(format!("frames cannot be {every} s apart")),
            None => {}
        }
    }

    fn save(&mut self, path: &Path) {
        self.session.check_device();
        let bytes = self.session.checkpoint();
        let message = match write_atomically(path, |out| out.write_all(&bytes)) {
            Ok(()) => Message::Note(format!("saved as {}", path.display())),
            Err(error) => Message::Warning(error.to_string()),
        };
        self.session.remote().tell(message);
    }
}

/// Whether an order is followed by looking at where bodies are.
fn reads_bodies(order: &Order) -> bool {
    matches!(
        order,
        Order::Grab { .. }
            | Order::Pick { .. }
            | Order::Edit(_)
            | Order::SaveCheckpoint(_)
            | Order::Session(Command::Grab { .. } | Command::Set { .. })
    )
}
