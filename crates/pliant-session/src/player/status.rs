//! What the one who watches gets to know.

use std::sync::Arc;

use pliant_sim::scene::World;
use pliant_sim::{Diverged, StepReport};

/// How a player stands, cheap to copy.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Whether the clock runs, by playing or because steps are still to be taken.
    pub is_playing: bool,
    /// Seconds simulated in a second of real time, wanted and measured over the last second.
    pub speed: [f64; 2],
    /// Steps in a second of real time, measured over the last second while steps are taken.
    pub steps_per_second: f64,
    /// Real time that a step takes \[s\].
    pub seconds_per_step: f64,
    /// Energies, momenta and so on, at the latest frame.
    pub report: StepReport,
    /// The live parameters.
    pub world: World,
    /// Parts into which steps are divided at present.
    pub substeps: u32,
    /// Moments that can be gone back to, oldest first.
    pub moments: Arc<Vec<Remembered>>,
    /// Energies and forces over time, oldest first.
    pub history: Arc<Vec<Sample>>,
    /// Where the simulation came apart; until it is played, reset, edited or rewound.
    pub diverged: Option<Diverged>,
    /// Whether each hand that tried to grab holds something: (hand, place of the hit \[m\]).
    pub held: Vec<(u32, Option<[f64; 3]>)>,
    /// The answer to the latest [`Order::Pick`](super::Order::Pick): its number, and the body that was hit.
    pub picked: Option<(u32, Option<usize>)>,
    /// The clock is held until a frame is taken.
    pub is_held: bool,
    /// What runs the simulation, in words.
    pub backend: String,
    /// Real time of each stage in a step \[s\], in the order of a step; looked at once a second while
    /// it plays. Empty before, and where a device has no clock.
    pub stages: Vec<(String, f64)>,
    /// How often an edit has made the model anew; what belongs to the old one, such as buffers on a
    /// device, is then out of date.
    pub rebuilt: u64,
}

/// A moment to go back to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remembered {
    /// Its step.
    pub step: u64,
    /// Its time \[s\].
    pub time: f64,
}

/// One point of the plots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Simulated time \[s\].
    pub time: f64,
    /// Energy of motion \[J\].
    pub kinetic: f64,
    /// Energy of springs and volumes \[J\].
    pub elastic: f64,
    /// Energy in the field of gravity \[J\].
    pub gravity: f64,
    /// The fastest vertex \[m/s\].
    pub max_speed: f64,
    /// The greatest net force on a vertex \[N\]; not a number where it was not measured.
    pub max_force: f64,
    /// The force of all hands together \[N\].
    pub touch_force: f64,
    /// The greatest force of bodies on a collider \[N\]; not a number where there is none.
    pub collider_force: f64,
}
