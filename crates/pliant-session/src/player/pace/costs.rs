//! What a stretch of steps takes: a latency, and a cost for each step.

use std::collections::VecDeque;

/// Stretches that are remembered.
const MOST: usize = 12;
/// The longest stretch that is planned where a latency makes stretches long \[s\]: orders wait for it.
const LONGEST: f64 = 0.05;
/// Time for steps where waiting takes longer than the budget, in latencies.
const WORTH: f64 = 2.0;
/// The same where the latency alone is near the longest stretch.
const LEAST_WORTH: f64 = 0.25;
/// Counts of steps that differ by this factor tell latency and cost apart.
const LEVER: f64 = 1.5;
/// A stretch that takes longer or shorter than expected by this factor is a miss.
const MISS: f64 = 2.0;
/// Real time between two attempts to tell them apart \[s\].
const ATTEMPT: f64 = 1.0;
/// What an attempt may take if there is no latency \[s\].
const LONGEST_ATTEMPT: f64 = 0.25;

/// The last stretches, and what they tell.
#[derive(Debug, Default)]
pub(super) struct Costs {
    stretches: VecDeque<Stretch>,
    /// Real time that passes whatever the number of steps \[s\].
    latency: f64,
    /// Real time that each step takes \[s\].
    per_step: f64,
    /// How much longer than expected the last stretches took, rather too much than too little.
    surprise: f64,
    /// How many stretches in a row took not at all as long as expected.
    misses: u32,
    /// When stretches of different lengths were seen last \[s\].
    compared: f64,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    steps: f64,
    seconds: f64,
}

impl Costs {
    pub fn are_known(&self) -> bool {
        !self.stretches.is_empty()
    }

    /// Steps to take in one go when `seconds` are left; when none are, one.
    pub fn steps_in(&self, seconds: f64, now: f64) -> u64 {
        let Some(last) = self.stretches.back().filter(|_| seconds > 0.0) else { return 1 };
        let latency = self.latency;
        let worth = (WORTH * latency).min(LONGEST - latency).max(LEAST_WORTH * latency);
        let room = worth.max(seconds - latency);
        let fit = room / (self.per_step * self.surprise).max(1e-9);
        // A few steps say little about many.
        let steps = fit.clamp(1.0, 4.0 * last.steps);
        let is_attempt_due = now - self.compared >= ATTEMPT || self.stretches.len() == 1;
        let other = if last.steps > 1.0 { (0.5 * last.steps).floor() } else { 2.0 };
        if is_attempt_due && other * last.seconds <= LONGEST_ATTEMPT * last.steps {
            return other as u64;
        }
        steps as u64
    }

    /// A stretch of so many steps took so long.
    pub fn took(&mut self, steps: u64, seconds: f64, now: f64) {
        let stretch = Stretch { steps: steps as f64, seconds: seconds.max(0.0) };
        let expected = self.latency + self.per_step * stretch.steps;
        let ratio = if expected > 0.0 { (seconds / expected).max(1.0) } else { 1.0 };
        self.surprise = ratio.max(0.7 * self.surprise + 0.3);
        let is_miss = !(expected / MISS..=expected * MISS).contains(&seconds);
        self.misses = if is_miss { self.misses + 1 } else { 0 };
        if self.stretches.len() == MOST {
            self.stretches.pop_front();
        }
        self.stretches.push_back(stretch);
        if self.misses == 2 {
            // One may be chance; with two it is no longer as it was.
            self.stretches.drain(..self.stretches.len() - 2);
            self.compared = f64::NEG_INFINITY;
            self.misses = 0;
        }
        self.estimate(now);
    }

    /// Finds latency and cost by the method of Theil and Sen: the slope is the median of the slopes of
    /// all pairs, so that a few stretches that something else held up do not matter.
    fn estimate(&mut self, now: f64) {
        let pairs = self
            .stretches
            .iter()
            .enumerate()
            .flat_map(|(i, a)| self.stretches.iter().skip(i + 1).map(move |b| [a, b]));
        let slopes = pairs.filter_map(|[a, b]| {
            let tells = a.steps.max(b.steps) >= LEVER * a.steps.min(b.steps);
            tells.then(|| (b.seconds - a.seconds) / (b.steps - a.steps))
        });
        if let Some(slope) = median(slopes.collect()) {
            self.compared = now;
            let slope = slope.max(0.0);
            let rests = self.stretches.iter().map(|s| (s.seconds - slope * s.steps).max(0.0));
            self.latency = median(rests.collect()).unwrap_or_default();
        }
        let latency = self.latency;
        let costs = self.stretches.iter().map(|s| ((s.seconds - latency) / s.steps).max(0.0));
        let per_step = median(costs.collect()).unwrap_or_default();
        // Down only bit by bit: a clock that is too coarse to see a step must not make for millions.
        self.per_step = per_step.max(0.7 * self.per_step + 0.3 * per_step);
    }
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
