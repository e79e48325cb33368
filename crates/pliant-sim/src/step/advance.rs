//! A stretch of substeps: what a backend is asked to run, and why it may end early.

use super::{Pass, Pause, program_of};
use crate::model::Model;
use crate::scene::World;
use crate::stages::touch::{Displaced, Touch};

/// What to run: `count` substeps of equal length, of which some may be done already. Whatever is said
/// about a substep by its number counts from the start of the stretch, wherever it was paused.
#[derive(Clone, Copy)]
pub struct Advance<'a> {
    /// Gravity, friction, box, integrator.
    pub world: &'a World,
    /// When it begins.
    pub start: Start,
    /// Number of substeps.
    pub count: u64,
    /// How many of them are complete: after a pause it goes on from there.
    pub done: u64,
    /// Their length \[s\].
    pub h: f64,
    /// Length of the substep before; 0 at the start \[s\].
    pub h_last: f64,
    /// Drags and pushes; hands as they are now.
    pub touches: &'a [Touch],
    /// By collider of the scene: how far hands have carried it \[m\]; nothing where none ever was.
    pub displaced: &'a [[f64; 3]],
    /// Origins of the bodies \[m\].
    pub origins: &'a [[f64; 3]],
    /// Whether the time of each stage is taken.
    pub is_timed: bool,
    /// Whether implicit substeps that cannot be right end the run; see [`Stop::TooLong`].
    pub is_strict: bool,
    /// Which stages of each substep are run: all, unless backends share a substep.
    pub places: Places,
}

/// Places of stages in a substep, counted through its passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The first one.
    pub first: usize,
    /// The one after the last.
    pub end: usize,
}

impl Places {
    /// All there are.
    pub const ALL: Self = Self { first: 0, end: usize::MAX };

    /// What is left of some passes.
    fn of(self, passes: Vec<Pass>) -> Vec<Pass> {
        let mut place = 0;
        let mut is_among = || {
            place += 1;
            (self.first..self.end).contains(&(place - 1))
        };
        let mut left = passes;
        left.iter_mut().for_each(|pass| pass.stages.retain(|_| is_among()));
        left.retain(|pass| !pass.stages.is_empty());
        left
    }
}

/// When a stretch begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Steps that are complete.
    pub step: u64,
    /// When the last of them ended \[s\].
    pub time: f64,
    /// Substeps of the next one that are complete.
    pub substep: u64,
    /// How many substeps of this length a step has.
    pub of: u64,
}

impl Advance<'_> {
    /// The passes of each substep.
    pub fn passes(&self, model: &Model) -> Vec<Pass> {
        self.places.of(program_of(model, self.world))
    }

    /// Whether nothing has happened before it, so that there is nothing to start from.
    pub fn is_first(&self) -> bool {
        self.h_last == 0.0 && self.done == 0
    }

    /// Whether vertices are dragged or pushed.
    pub fn is_touched(&self) -> bool {
        self.touches.iter().any(Touch::has_forces)
    }

    /// Whether there are forces besides those of elements: of hands, or of the air.
    pub fn has_loads(&self) -> bool {
        self.is_touched() || self.world.wind.is_some()
    }

    /// How far colliders are from where their own motion has them.
    pub fn displaced(&self) -> Displaced<'_> {
        Displaced { by: self.displaced, touches: self.touches }
    }

    /// How far hands have carried a collider when substep `i` of the stretch begins, and when it ends, or a part of a
    /// substep `later` \[m\].
    pub fn displaced_in(&self, collider: usize, i: u64, later: f64) -> [[f64; 3]; 2] {
        let time = |i: u64| (i as f64 + later) * self.h;
        [i, i + 1].map(|i| self.displaced().after(collider, time(i)))
    }

    /// Whether a step begins with substep `i` of the stretch.
    pub fn begins_step(&self, i: u64) -> bool {
        (self.start.substep + i).is_multiple_of(self.start.of)
    }

    /// When the step that substep `i` of the stretch belongs to begins and ends \[s\], and which parts of it have gone
    /// when the substep begins and ends.
    pub fn step_at(&self, i: u64) -> ([f64; 2], [f64; 2]) {
        let Start { time, substep, of, .. } = self.start;
        let substeps = substep + i;
        let begin = (0..substeps / of).fold(time, |time, _| time + self.world.timestep);
        let place = (substeps % of) as f64;
        let parts = [place, place + 1.0].map(|place| place / of as f64);
        ([begin, begin + self.world.timestep], parts)
    }

    /// Steps that are complete when substep `i` of the stretch begins, and when that is \[s\]. The
    /// clock goes step by step, so it does not matter where a stretch was cut.
    pub fn when(&self, i: u64) -> (u64, f64) {
        let Start { step, time, substep, of } = self.start;
        let substeps = substep + i;
        let steps = substeps / of;
        let begin = (0..steps).fold(time, |time, _| time + self.world.timestep);
        (step + steps, begin + (substeps % of) as f64 * self.h)
    }
}

/// Why a run ended before its end. Unless it only paused, the arrays are beyond repair then: restore a
/// snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A vertex left all bounds.
    Blowup(Blowup),
    /// An implicit substep was too long for what happened in it: it gave energy to a body or turned
    /// elements inside out. Shorter ones will do.
    TooLong {
        /// Substeps of the run that were complete before it.
        substep: u64,
    },
    /// A list is too small: make room, and go on.
    Paused(Pause),
}

/// Where a run came apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blowup {
    /// Substeps of the run that were complete before it.
    pub substep: u64,
    /// The first vertex beyond the limit, in model order.
    pub vertex: u32,
}
