//! The list that is too small, on processors.

use std::sync::atomic::{AtomicU32, Ordering};

use super::Drill;
use crate::memory;
use crate::step::{Advance, Asked, Stage};

/// What substeps put entries into.
#[derive(Default)]
pub struct List(Vec<AtomicU32>);

impl List {
    pub fn make_room(&mut self, entries: u64) -> Result<(), String> {
        memory::lengthen(&mut self.0, entries, "the list of the drill")
    }
}

/// The list while a stretch runs.
pub struct Running<'a> {
    list: &'a [AtomicU32],
    /// What each substep puts into it.
    entries: Vec<u64>,
    blocks: usize,
}

impl Drill {
    pub fn run<'a>(&self, list: &'a List, blocks: usize, job: &Advance<'_>) -> Running<'a> {
        let entries = (0..job.count).map(|i| self.entries(job, i)).collect();
        Running { list: &list.0, entries, blocks }
    }
}

impl Running<'_> {
    /// Puts in the entries of a block: every one has its share of them.
    pub fn fill(&self, block: usize, substep: u64, asked: &Asked) {
        let all = self.entries[substep as usize];
        for n in (block as u64..all).step_by(self.blocks) {
            match self.list.get(n as usize) {
                Some(entry) => entry.store(substep as u32, Ordering::Relaxed),
                None => return asked.ask(substep, Stage::Drill, all),
            }
        }
    }
}
