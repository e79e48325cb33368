//! Moments to go back to.

use std::sync::Arc;

use super::Remembered;
use crate::session::RewindPoint;

/// Bytes that moments may take together, unless said otherwise.
const BUDGET: usize = 256 << 20;

/// Simulated time between two moments, at least \[s\].
const INTERVAL: f64 = 0.5;

/// Real time between two moments, at least \[s\].
const REAL_INTERVAL: f64 = 1.0;

/// Real time between two moments, at least, in times of what it takes to remember one.
const REAL_INTERVAL_IN_COSTS: f64 = 20.0;

/// Moments in the order of their steps, as many as fit a budget.
pub(super) struct Memory {
    moments: Vec<RewindPoint>,
    budget: usize,
    /// Simulated and real time of what was remembered last \[s\].
    last: [f64; 2],
    /// Real time that the last moment took to be taken \[s\].
    cost: f64,
    list: Arc<Vec<Remembered>>,
}

impl Memory {
    pub fn new() -> Self {
        Self {
            moments: Vec::new(),
            budget: BUDGET,
            last: [f64::NEG_INFINITY; 2],
            cost: 0.0,
            list: Arc::default(),
        }
    }

    /// Whether enough time has passed since the last moment.
    pub fn is_due(&self, time: f64, now: f64) -> bool {
        // A little early counts, so that sums of steps hit round times.
        let real = REAL_INTERVAL.max(REAL_INTERVAL_IN_COSTS * self.cost);
        time - self.last[0] >= INTERVAL * (1.0 - 1e-6) && now - self.last[1] >= real
    }

    /// Remembers a moment that took `cost` seconds; one of the same step is replaced.
    pub fn keep(&mut self, moment: RewindPoint, now: f64, cost: f64) {
        (self.last, self.cost) = ([moment.time(), now], cost);
        let at = self.moments.partition_point(|m| m.step() < moment.step());
        match self.moments.get_mut(at) {
            Some(same) if same.step() == moment.step() => *same = moment,
            _ => self.moments.insert(at, moment),
        }
        self.thin_out();
        self.relist();
    }

    /// Sets the bytes that moments may take together. The first and the newest stay in any case.
    pub fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
        self.thin_out();
        self.relist();
    }

    /// The moment nearest to a step.
    pub fn nearest(&self, step: u64) -> Option<&RewindPoint> {
        self.moments.iter().min_by_key(|m| m.step().abs_diff(step))
    }

    /// Time goes on from `time`, wherever it was \[s\].
    pub fn went_to(&mut self, time: f64, now: f64) {
        self.last = [time, now];
    }

    /// Forgets what is later than a step: it will not come that way again.
    pub fn forget_after(&mut self, step: u64) {
        if self.moments.last().is_some_and(|m| m.step() > step) {
            self.moments.retain(|m| m.step() <= step);
            self.relist();
        }
    }

    /// What there is, oldest first.
    pub fn list(&self) -> Arc<Vec<Remembered>> {
        self.list.clone()
    }

    /// Drops every second moment until the rest fits.
    fn thin_out(&mut self) {
        let bytes = |moments: &[RewindPoint]| moments.iter().map(RewindPoint::bytes).sum::<usize>();
        while self.moments.len() > 2 && bytes(&self.moments) > self.budget {
            let last = self.moments.len() - 1;
            let mut index = 0..;
            self.moments.retain(|_| {
                let i = index.next().unwrap_or(0);
                i % 2 == 0 || i == last
            });
        }
    }

    fn relist(&mut self) {
        let of = |m: &RewindPoint| Remembered { step: m.step(), time: m.time() };
        self.list = Arc::new(self.moments.iter().map(of).collect());
    }
}
