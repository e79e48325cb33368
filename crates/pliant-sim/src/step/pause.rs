//! What happens when a list that a substep fills turns out to be too small.
//!
//! No memory is allocated in a step, so a list may be full. A stage that needs more room asks for it in
//! a pass that comes before any that writes something of the state; the substep ends there as if it had
//! never begun, and so does the stretch. Whoever asked for the stretch lets the backend make room, and
//! goes on with the same stretch from that substep on. What lists have room for changes no bit.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Stage;

/// A stretch that waits for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Substeps of the stretch that are complete; the arrays are as these left them.
    pub done: u64,
    /// What the next one needs.
    pub need: Need,
}

/// Room that a substep needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The stage whose list is too small.
    pub stage: Stage,
    /// How many entries the list must have room for.
    pub entries: u64,
}

/// Where the drivers of stages ask for room while several threads run a substep.
///
/// All of them wait for each other before the next pass, so that whoever asks is in the same substep;
/// which need is the largest does not depend on who asks first.
#[derive(Debug, Default)]
pub struct Asked {
    /// Substeps that are complete.
    done: AtomicU64,
    /// Number of the stage, then entries; 0 while nobody has asked.
    most: AtomicU64,
}

/// Bits of the entries in [`Asked`].
const ENTRY_BITS: u32 = 56;
const MOST_ENTRIES: u64 = (1 << ENTRY_BITS) - 1;

impl Asked {
    /// Asks for room for `entries` entries in the list of `stage`, in substep `substep` of a stretch.
    pub fn ask(&self, substep: u64, stage: Stage, entries: u64) {
        let entries = entries.clamp(1, MOST_ENTRIES);
        self.done.store(substep, Ordering::Relaxed);
        self.most.fetch_max(stage.number() << ENTRY_BITS | entries, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_paused(&self) -> bool {
        self.most.load(Ordering::Relaxed) != 0
    }

    /// What was asked for, if anything was. Of several stages the last one comes first: the others ask
    /// again.
    pub fn pause(&self) -> Option<Pause> {
        let most = self.most.load(Ordering::Relaxed);
        let stage = (most != 0).then(|| Stage::numbered(most >> ENTRY_BITS))??;
        let need = Need { stage, entries: most & MOST_ENTRIES };
        Some(Pause { done: self.done.load(Ordering::Relaxed), need })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_need_is_told_whoever_asks_first() {
        let asked = Asked::default();
        assert!(!asked.is_paused() && asked.pause().is_none());
        for entries in [7, 90, 12] {
            asked.ask(3, Stage::Drill, entries);
        }
        let need = Need { stage: Stage::Drill, entries: 90 };
        assert!(asked.is_paused());
        assert_eq!(asked.pause(), Some(Pause { done: 3, need }));
    }

    #[test]
    fn stages_are_found_by_their_numbers() {
        for &stage in Stage::ALL {
            assert_eq!(Stage::numbered(stage.number()), Some(stage));
        }
        assert_eq!(Stage::numbered(Stage::ALL.len() as u64), None);
        assert_eq!(Stage::Integrate(3).number(), Stage::Integrate(0).number());
    }
}
