//! Steering a session from elsewhere.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pliant_sim::Diverged;
use pliant_sim::scene::LiveValue;
use pliant_sim::stages::touch::Push;

use crate::Frame;

/// Messages that are kept for a reader who does not fetch them; the oldest go first.
const MOST_MESSAGES: usize = 1000;

/// What a session can be told between two steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Stop the clock.
    Pause,
    /// Let the clock run again.
    Play,
    /// End the run after the step that is going on.
    Stop,
    /// Go back to the start. Parameters that were set or edited stay; those that actions have set are
    /// as they were.
    Reset,
    /// Change a live parameter, by its key in scene files.
    Set {
        /// Such as `world.gravity`.
        key: String,
        /// The new value.
        value: LiveValue,
    },
    /// Grab the vertices in a sphere.
    Grab {
        /// The caller's number for this hand; what it held before is let go.
        hand: u32,
        /// Middle of the sphere \[m\].
        center: [f64; 3],
        /// Its radius \[m\].
        radius: f64,
        /// How fast the hand follows \[m/s\].
        speed: f64,
        /// Stiffness of the rubber band at each vertex \[N/m\].
        stiffness: f64,
    },
    /// Take hold of a collider.
    Carry {
        /// The caller's number for this hand; what it held before is let go.
        hand: u32,
        /// The collider's place in the scene.
        collider: usize,
        /// Where the hand is \[m\].
        at: [f64; 3],
        /// How fast the hand follows, and the collider with it \[m/s\].
        speed: f64,
    },
    /// Lead a hand that has grabbed something.
    Lead {
        /// The hand.
        hand: u32,
        /// Where it should go \[m\].
        to: [f64; 3],
    },
    /// Push along a ray until the hand is released.
    Push {
        /// The caller's number for this hand; what it did before ends.
        hand: u32,
        /// The push.
        push: Push,
    },
    /// Let go, or stop pushing.
    Release {
        /// The hand.
        hand: u32,
    },
}

impl Command {
    /// Whether all numbers are finite and sizes are not negative.
    pub(crate) fn is_possible(&self) -> bool {
        let place = |p: &[f64; 3]| p.iter().all(|c| c.is_finite());
        let size = |x: f64| x.is_finite() && x >= 0.0;
        match self {
            Self::Grab { center, radius, speed, stiffness, .. } => {
                place(center) && size(*radius) && size(*speed) && size(*stiffness)
            }
            Self::Carry { at, speed, .. } => place(at) && size(*speed),
            Self::Lead { to, .. } => place(to),
            Self::Push { push, .. } => {
                let aims = place(&push.direction) && push.direction != [0.0; 3];
                place(&push.origin) && aims && size(push.radius) && push.force.is_finite()
            }
            _ => true,
        }
    }
}

/// What a session tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Good to know.
    Note(String),
    /// May be a mistake, or not what was meant.
    Warning(String),
    /// The simulation came apart and stands at its last good state.
    Diverged(Diverged),
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Message::Note(text) | Message::Warning(text) => f.write_str(text),
            Message::Diverged(diverged) => diverged.fmt(f),
        }
    }
}

/// Holds one end of a session: sends commands, fetches messages and the latest frame. Clones hold
/// the same end.
#[derive(Clone, Debug, Default)]
pub struct Remote {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    commands: VecDeque<Command>,
    messages: VecDeque<Message>,
    forgotten: usize,
    latest: Option<Arc<Frame>>,
}

impl Remote {
    /// Sends a command, which is obeyed before the next step.
    pub fn send(&self, command: Command) {
        self.lock().commands.push_back(command);
    }

    /// Messages since the last call.
    pub fn messages(&self) -> Vec<Message> {
        let mut shared = self.lock();
        let mut messages = Vec::new();
        if shared.forgotten > 0 {
            let count = std::mem::take(&mut shared.forgotten);
            messages.push(Message::Note(format!("{count} earlier messages were not kept")));
        }
        messages.extend(shared.messages.drain(..));
        messages
    }

    /// The newest frame, if there is one.
    pub fn latest(&self) -> Option<Arc<Frame>> {
        self.lock().latest.clone()
    }

    pub(crate) fn next_command(&self) -> Option<Command> {
        self.lock().commands.pop_front()
    }

    /// Tells something to whoever reads [`Remote::messages`], in the name of the session.
    pub fn tell(&self, message: Message) {
        let mut shared = self.lock();
        if shared.messages.len() == MOST_MESSAGES {
            shared.messages.pop_front();
            shared.forgotten += 1;
        }
        shared.messages.push_back(message);
    }

    pub(crate) fn show(&self, frame: Arc<Frame>) {
        self.lock().latest = Some(frame);
    }

    /// A reader that panicked leaves nothing half done here, so its lock is as good as any.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
