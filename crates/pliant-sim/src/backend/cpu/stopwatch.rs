//! How long the passes of steps take.
//!
//! The thread that leads looks at the clock between two passes. Nothing is allocated or locked meanwhile,
//! and nobody else notices.

use std::sync::atomic::{AtomicU64, Ordering};

use web_time::Instant;

use crate::backend::StageTimes;
use crate::step::{Pass, Stage};

/// Kinds of passes at most: there are as many stages.
const MOST: usize = Stage::ALL.len();

/// What passes took since it was last read.
#[derive(Default)]
pub(super) struct Stopwatch {
    /// Names of passes, in the order of a step.
    names: Vec<&'static str>,
    /// What the passes of each name took together \[ns\]. Atomic only because a job is shared by
    /// workers; one of them writes.
    sums: [AtomicU64; MOST],
    /// Substeps that were timed.
    pub substeps: u64,
}

/// The pass that is running.
pub(super) struct Lap<'a> {
    stopwatch: &'a Stopwatch,
    begin: Instant,
}

impl Stopwatch {
    /// Gets ready to time these passes.
    pub fn prepare(&mut self, passes: &[Pass]) {
        for name in passes.iter().map(Pass::name) {
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
    }

    /// What each pass of the substeps that were timed took.
    pub fn read(self) -> StageTimes {
        let Self { names, sums, substeps } = self;
        let seconds = sums.map(|sum| 1e-9 * sum.into_inner() as f64);
        StageTimes { sums: names.into_iter().zip(seconds).collect(), substeps }
    }

    /// The first pass begins now.
    pub fn start(&self) -> Lap<'_> {
        Lap { stopwatch: self, begin: Instant::now() }
    }
}

impl Lap<'_> {
    /// This pass is over and the next one begins.
    pub fn end(&mut self, pass: &Pass) {
        let now = Instant::now();
        let took = now.duration_since(std::mem::replace(&mut self.begin, now));
        let Stopwatch { names, sums, .. } = self.stopwatch;
        let name = pass.name();
        if let Some((_, sum)) = names.iter().zip(sums).find(|(known, _)| **known == name) {
            sum.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}
