//! What the one who watches may ask for.

use pliant_sim::scene::Scene;

use crate::{Command, Fields};

/// What a player can be told. Orders are followed in turn, between two stretches of steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Let the clock run.
    Play,
    /// Stop the clock.
    Pause,
    /// Run this many steps, as fast as they can be, then stand still. Steps that are still to be taken
    /// add up.
    Step(u64),
    /// Go back to the start; the clock runs on if it runs. Parameters that were set or edited stay,
    /// those that actions of the scene have set are as they were. Hands let go.
    Reset,
    /// Go back (or forth) to the remembered moment nearest to this step, and stand still there: later
    /// moments are remembered until a step is taken. As to parameters and hands see
    /// [`Order::Reset`].
    Rewind(u64),
    /// How many seconds are simulated in one second of real time, where the machine can keep up; infinite
    /// for as fast as it can.
    Speed(f64),
    /// What frames must have.
    Show(Fields),
    /// Leave bodies on the device that computes them, to be drawn there with this quantity as colours;
    /// where there is no device, frames have these fields.
    #[cfg(feature = "gpu")]
    ShowOnDevice(pliant_sim::backend::gpu::shown::Quantity, Fields),
    /// Take over what has changed in the scene: world, materials, locks, actions. Bodies must stay the
    /// same in number and mesh; their motion goes on. See [`Session::edit`](crate::Session::edit).
    /// What cannot be taken over is refused with a warning.
    Edit(Box<Scene>),
    /// Grab what is first hit along a ray, a body or a collider that is no ground, or else the body that is nearest to
    /// it within `slack`. The hand then moves in the plane through the hit that is at right angles to `facing`.
    Grab {
        /// The caller's number for this hand.
        hand: u32,
        /// From the eye through the cursor.
        ray: Ray,
        /// By how much the ray may miss, as part of the distance from its start: a cursor hits or
        /// misses (0), a finger covers more than a point.
        slack: f64,
        /// The direction of view.
        facing: [f64; 3],
        /// What is grabbed: a ball round the hit \[m\].
        radius: f64,
        /// How fast the hand follows the cursor \[m/s\].
        speed: f64,
        /// Stiffness of the rubber band at each vertex \[N/m\].
        stiffness: f64,
    },
    /// Tell which body is first hit along a ray: the answer is [`Status::picked`](super::Status::picked).
    Pick {
        /// The caller's number for this question.
        number: u32,
        /// From the eye through the cursor.
        ray: Ray,
    },
    /// Lead a hand that has grabbed something to where a ray meets its plane.
    Lead {
        /// The hand.
        hand: u32,
        /// From the eye through the cursor.
        ray: Ray,
    },
    /// Anything that a session understands.
    Session(Command),
    /// Write the whole simulation to a file.
    SaveCheckpoint(std::path::PathBuf),
    /// Hold the clock at every multiple of this simulated time from now on \[s\] until the frame is
    /// [taken](Order::FrameTaken), so that a film misses none; `None` ends it. It is first held as soon
    /// as it runs, before any step; then at the first step at or past each multiple.
    HoldEvery(Option<f64>),
    /// The frame at which the clock is held has been seen.
    FrameTaken,
}

/// A half-line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray {
    /// Where it begins \[m\].
    pub origin: [f64; 3],
    /// Where it goes; of any length.
    pub direction: [f64; 3],
}
