//! A session for somebody who watches: it keeps pace with the clock, can be stopped, stepped, edited
//! and sent back, and remembers what was.
//!
//! A [`Player`] does nothing by itself. Whoever has it calls [`Player::tick`] over and over: a thread
//! that sleeps in between with [`Controls::wait_for_orders`], or, with [`Player::tick_async`], a task
//! of a browser's page. The watcher holds [`Controls`], sends [orders](Order) and looks at [status](Status) and frames.
//!
//! ```
//! use std::time::Duration;
//! use pliant_session::Session;
//! use pliant_session::player::{Order, Player};
//! use pliant_sim::scene::{Body, Scene};
//! use pliant_sim::Backend;
//!
//! let body = Body { name: "cube".into(), ..Body::default() };
//! let scene = Scene { bodies: vec![body], ..Scene::default() };
//! let session = Session::new(scene, Backend::cpu())?;
//! let mut player = Player::new(session, Backend::cpu());
//! let controls = player.controls();
//! controls.send(Order::Step(3));
//! while player.session().simulator().step_count() < 3 {
//!     player.tick(Duration::from_millis(8));
//! }
//! assert_eq!(controls.frame().unwrap().report.step, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod carried;
mod clock_hold;
mod controls;
mod hands;
mod history;
mod memory;
mod obey;
mod order;
mod pace;
mod show;
mod stages;
mod status;
#[cfg(test)]
mod tests;

use std::time::Duration;

use pliant_sim::{Backend, Diverged, at_once};
use web_time::Instant;

pub use controls::Controls;
pub use order::{Order, Ray};
pub use status::{Remembered, Sample, Status};

use crate::Session;
use clock_hold::ClockHold;
use hands::Hands;
use history::History;
use memory::Memory;
use pace::Pace;
use show::Show;
use stages::Stages;

/// Longest sleep while nothing happens.
const IDLE: Duration = Duration::from_millis(100);

/// Seconds of real time since some fixed moment.
type Clock = Box<dyn FnMut() -> f64 + Send>;

/// Plays a session to a watcher, who holds its [`Controls`].
pub struct Player {
    session: Session,
    backend: Backend,
    controls: Controls,
    clock: Clock,
    mode: Mode,
    pace: Pace,
    memory: Memory,
    history: History,
    hands: Hands,
    /// The answer to the latest question what is hit along a ray.
    picked: Option<(u32, Option<usize>)>,
    hold: Option<ClockHold>,
    show: Show,
    stages: Stages,
    diverged: Option<Diverged>,
}

/// What the clock does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Paused,
    Playing,
    /// So many steps are still to be taken, as fast as they can be.
    Stepping(u64),
}

impl Player {
    /// Plays a session from where it stands, paused, with its first frame already there. `backend` is
    /// for simulators that must be built anew when the scene is edited.
    ///
    /// The session stays in the player; commands to its own [`Remote`](crate::Remote) are obeyed too.
    pub fn new(session: Session, backend: Backend) -> Self {
        at_once(Self::new_async(session, backend))
    }

    /// As [`Player::new`], for places where nobody may wait for a device.
    pub async fn new_async(session: Session, backend: Backend) -> Self {
        let start = Instant::now();
        let clock = Box::new(move || start.elapsed().as_secs_f64());
        Self::with_clock(session, backend, clock).await
    }

    async fn with_clock(session: Session, backend: Backend, mut clock: Clock) -> Self {
        let now = clock();
        let mut player = Self {
            controls: Controls::new(session.remote()),
            session,
            backend,
            clock,
            mode: Mode::Paused,
            pace: Pace::new(),
            memory: Memory::new(),
            history: History::default(),
            hands: Hands::default(),
            picked: None,
            hold: None,
            show: Show::default(),
            stages: Stages::new(),
            diverged: None,
        };
        player.remember(now).await;
        player.publish(now).await;
        player
    }

    /// The watcher's end.
    pub fn controls(&self) -> Controls {
        self.controls.clone()
    }

    /// What is played.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is played, to measure or to be told; orders are the way to change it. It must not be
    /// replaced by another session.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Whether the watcher has quit.
    pub fn is_over(&self) -> bool {
        self.controls.is_over()
    }

    /// Sets how many bytes the moments to go back to may take together; 256 MiB at first. The first
    /// and the newest are kept in any case.
    pub fn set_memory_budget(&mut self, bytes: usize) {
        self.memory.set_budget(bytes);
        self.show.status_is_due = true;
    }

    /// Follows orders, then takes the steps that are due, for about `budget` of real time at most but
    /// one at least, then shows what has changed, 60 times a second at most. Returns how long the caller
    /// may sleep unless there are new orders.
    ///
    /// # Panics
    /// In a browser with a simulation on a GPU: take [`Player::tick_async`] there.
    pub fn tick(&mut self, budget: Duration) -> Duration {
        at_once(self.tick_async(budget))
    }

    /// As [`Player::tick`], for places where nobody may wait for a device.
    pub async fn tick_async(&mut self, budget: Duration) -> Duration {
        let start = (self.clock)();
        self.obey_all(start).await;
        if self.is_over() {
            return Duration::ZERO;
        }
        self.run(start, budget.as_secs_f64()).await;
        let now = (self.clock)();
        self.publish(now).await;
        self.sleep(now)
    }

    /// Takes the steps that are due.
    async fn run(&mut self, start: f64, budget: f64) {
        if self.mode == Mode::Paused {
            return;
        }
        if !self.is_held() {
            self.pace.count(start);
        }
        let (mut now, mut has_stepped) = (start, false);
        loop {
            self.hold_if_due();
            let count = self.next_count(budget - (now - start));
            if count == 0 || (has_stepped && now - start >= budget) {
                break;
            }
            now = self.step(count, now).await;
            has_stepped = true;
        }
        if self.mode == Mode::Playing {
            self.pace.forgive_debt(self.timestep());
        }
    }

    fn timestep(&self) -> f64 {
        self.session.simulator().world().timestep
    }

    fn is_held(&self) -> bool {
        self.hold.is_some_and(|hold| hold.is_held)
    }

    fn hold_if_due(&mut self) {
        let (time, timestep) = (self.session.simulator().time(), self.timestep());
        if self.mode != Mode::Paused
            && let Some(hold) = &mut self.hold
            && !hold.is_held
        {
            hold.look(time, timestep);
            if hold.is_held {
                self.pace.hold();
                self.show.at_once();
            }
        }
    }

    /// Steps to take in one go when `seconds` of real time are left; 0 when none is due.
    fn next_count(&self, seconds: f64) -> u64 {
        let (time, timestep) = (self.session.simulator().time(), self.timestep());
        let due = match self.mode {
            _ if self.is_held() => 0,
            Mode::Paused => 0,
            Mode::Playing => self.pace.due_steps(timestep),
            Mode::Stepping(left) => left,
        };
        let to_hold = self.hold.map_or(u64::MAX, |hold| hold.steps(time, timestep));
        // An action may change the timestep.
        let to_action = self.session.steps_to_next_action().unwrap_or(u64::MAX);
        due.min(to_hold).min(to_action).min(self.pace.steps_in(seconds))
    }

    /// Takes `count` steps; gives when they were done.
    async fn step(&mut self, count: u64, begin: f64) -> f64 {
        let sim = self.session.simulator();
        let (step, time) = (sim.step_count(), sim.time());
        self.memory.forget_after(step);
        let is_timed = self.is_stage_look_due(begin);
        if is_timed {
            self.session.simulator_mut().time_stages(true);
        }
        let outcome = self.session.advance_regardless(count).await;
        let now = (self.clock)();
        if is_timed {
            self.look_at_stages(now);
        }
        let sim = self.session.simulator();
        let taken = sim.step_count().saturating_sub(step);
        self.pace.took(taken, sim.time() - time, now - begin);
        self.show.frame_is_due = true;
        if let Mode::Stepping(left) = &mut self.mode {
            *left = left.saturating_sub(taken);
            if *left == 0 {
                self.pause();
            }
        }
        if let Err(diverged) = outcome {
            self.diverged = Some(diverged);
            self.pause();
        } else if self.memory.is_due(self.session.simulator().time(), now) {
            self.remember(now).await;
        }
        now
    }

    async fn remember(&mut self, now: f64) {
        if let Some(moment) = self.session.rewind_point().await {
            let cost = (self.clock)() - now;
            self.memory.keep(moment, now, cost);
        }
    }

    fn pause(&mut self) {
        self.mode = Mode::Paused;
        self.pace.stop();
        if let Some(hold) = &mut self.hold {
            hold.is_held = false;
        }
        self.show.at_once();
    }

    /// How long nothing will be due.
    fn sleep(&self, now: f64) -> Duration {
        let step = match self.mode {
            _ if self.is_held() => IDLE.as_secs_f64(),
            Mode::Paused => IDLE.as_secs_f64(),
            Mode::Stepping(_) => 0.0,
            Mode::Playing => self.pace.until_due(self.timestep()),
        };
        let seconds = step.min(self.show.until_due(now));
        Duration::from_secs_f64(seconds.clamp(0.0, IDLE.as_secs_f64()))
    }
}
