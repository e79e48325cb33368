//! What was done to a simulation from outside since the state that the host has a copy of, so that
//! it can be done again when the device with all later states is lost.

use std::collections::VecDeque;

use crate::scene::World;
use crate::stages::touch::Touch;

/// Settings and touches from a step on.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub step: u64,
    pub world: World,
    pub substeps: u32,
    pub touches: Vec<Touch>,
    pub displaced: Vec<[f64; 3]>,
}

/// Entries that were noted, and those that are to be done again.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// Whether something has changed that is not noted yet.
    pub has_news: bool,
    noted: VecDeque<Entry>,
    again: VecDeque<Entry>,
}

impl Journal {
    /// Notes what holds from a step on.
    pub fn note(&mut self, entry: Entry) {
        self.has_news = false;
        // What was set twice before a step counts once; what was taken back does not count.
        while self.noted.back().is_some_and(|last| last.step >= entry.step) {
            self.noted.pop_back();
        }
        self.noted.push_back(entry);
    }

    /// Forgets what happened before a step.
    pub fn forget_before(&mut self, step: u64) {
        while self.noted.front().is_some_and(|first| first.step < step) {
            self.noted.pop_front();
        }
    }

    /// Lets all that happened at a step and later happen again.
    pub fn go_back(&mut self, step: u64) {
        self.forget_before(step);
        // Should the device be lost a second time, some of it may still wait to be done again.
        let waiting = std::mem::replace(&mut self.again, std::mem::take(&mut self.noted));
        self.again.extend(waiting);
    }

    /// The step at which something is to happen again.
    pub fn next_step(&self) -> Option<u64> {
        self.again.front().map(|entry| entry.step)
    }

    /// What is to happen again before the step after `step`.
    pub fn due(&mut self, step: u64) -> Option<Entry> {
        self.next_step().filter(|&next| next <= step)?;
        self.again.pop_front()
    }

    /// Lets nothing happen again.
    pub fn stop_replaying(&mut self) {
        self.again.clear();
    }

    /// Leaves the past alone.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
