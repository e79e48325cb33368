//! Keeping pace with the clock.
//!
//! Real time that passes is owed as simulated time, at the wanted speed. What cannot be paid within
//! the budgets of the ticks is forgotten, so that a slow machine plays in slow motion instead of
//! falling further and further behind.
//!
//! A stretch of steps takes a latency, such as that of reading from a device, and a cost for each step
//! ([`Costs`]). Where the latency alone is longer than a budget, stretches are longer than that too:
//! otherwise nearly all of the time would be spent waiting.

use std::collections::VecDeque;

use costs::Costs;

mod costs;

/// Real time between two ticks that counts at most \[s\]: a window that was hidden, or a laptop that
/// slept, does not catch up.
const LONGEST_PAUSE: f64 = 0.1;

/// Real time for which debt may stay from one tick to the next \[s\].
const LONGEST_DEBT: f64 = 1.0 / 60.0;

/// Real time over which speeds are measured \[s\].
const WINDOW: f64 = 1.0;

/// Part of a step by which one is due early, so that rounding does not make it late.
const EARLY: f64 = 1e-6;

/// The clock of a player: all times are in seconds, real ones since any fixed moment.
#[derive(Debug)]
pub(super) struct Pace {
    /// Simulated seconds in a second.
    speed: f64,
    /// Simulated time to be made up for \[s\].
    owed: f64,
    /// When time was counted last; `None` while the clock stands still.
    counted: Option<f64>,
    /// What stretches of steps take.
    costs: Costs,
    done: Mark,
    /// What was done when, over the last [`WINDOW`] and a little more.
    marks: VecDeque<Mark>,
    measured: Measured,
}

/// Totals at a moment.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    real: f64,
    simulated: f64,
    steps: u64,
    busy: f64,
}

/// What was measured over the last second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Measured {
    /// Simulated seconds in a second.
    pub speed: f64,
    /// Steps in a second.
    pub steps_per_second: f64,
    /// Real time that a step takes \[s\].
    pub seconds_per_step: f64,
}

impl Pace {
    pub fn new() -> Self {
        Self {
            speed: 1.0,
            owed: 0.0,
            counted: None,
            costs: Costs::default(),
            done: Mark::default(),
            marks: VecDeque::new(),
            measured: Measured::default(),
        }
    }

    /// Simulated seconds wanted in a second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Changes the wanted speed, which is positive and may be infinite. It is measured anew.
    pub fn set_speed(&mut self, speed: f64) {
        if speed != self.speed {
            self.speed = speed;
            self.owed = 0.0;
            self.marks.clear();
        }
    }

    /// Forgets how long steps took: others come.
    pub fn forget_costs(&mut self) {
        self.costs = Costs::default();
    }

    /// The clock stands still from now on.
    pub fn stop(&mut self) {
        self.counted = None;
        self.owed = 0.0;
        self.marks.clear();
        self.measured.speed = 0.0;
    }

    /// No time passes for the clock until it is counted again; what is owed stays owed.
    pub fn hold(&mut self) {
        self.counted = None;
    }

    /// Counts the time until `now`; the clock runs from the first such call on.
    pub fn count(&mut self, now: f64) {
        if let Some(before) = self.counted
            && self.speed.is_finite()
        {
            self.owed += (now - before).clamp(0.0, LONGEST_PAUSE) * self.speed;
        }
        self.counted = Some(now);
        if self.marks.is_empty() {
            self.mark(now);
        }
    }

    /// Steps of length `timestep` \[s\] that are due.
    pub fn due_steps(&self, timestep: f64) -> u64 {
        if self.speed.is_infinite() { u64::MAX } else { (self.owed / timestep + EARLY) as u64 }
    }

    /// Whether steps like the next ones were taken before.
    pub fn knows_cost(&self) -> bool {
        self.costs.are_known()
    }

    /// Steps to take in one go when `seconds` of real time are left; at least 1.
    pub fn steps_in(&self, seconds: f64) -> u64 {
        self.costs.steps_in(seconds, self.counted.unwrap_or_default())
    }

    /// So many steps were taken.
    pub fn took(&mut self, steps: u64, simulated: f64, seconds: f64) {
        if steps == 0 {
            return;
        }
        self.costs.took(steps, seconds, self.counted.unwrap_or_default());
        self.owed = if self.speed.is_finite() { (self.owed - simulated).max(0.0) } else { 0.0 };
        self.done.steps += steps;
        self.done.simulated += simulated;
        self.done.busy += seconds;
    }

    /// Forgets the debt that this machine cannot pay.
    pub fn forgive_debt(&mut self, timestep: f64) {
        self.owed = self.owed.min((LONGEST_DEBT * self.speed).max(timestep));
    }

    /// Real time until a step is due \[s\].
    pub fn until_due(&self, timestep: f64) -> f64 {
        if self.speed.is_infinite() {
            return 0.0;
        }
        ((timestep - self.owed) / self.speed).max(0.0)
    }

    /// Notes what was done until `now`, for [`Pace::measured`].
    pub fn mark(&mut self, now: f64) {
        self.marks.push_back(Mark { real: now, ..self.done });
        // The first mark is the youngest that is older than the window.
        while self.marks.len() > 2 && now - self.marks[1].real >= WINDOW {
            self.marks.pop_front();
        }
        let (Some(first), Some(last)) = (self.marks.front(), self.marks.back()) else { return };
        let (real, steps) = (last.real - first.real, (last.steps - first.steps) as f64);
        if real > 0.0 {
            self.measured.speed = (last.simulated - first.simulated) / real;
        }
        if real > 0.0 && steps > 0.0 {
            self.measured.steps_per_second = steps / real;
            self.measured.seconds_per_step = (last.busy - first.busy) / steps;
        }
    }

    /// Speeds over the last second. Those of steps stay while none are taken.
    pub fn measured(&self) -> Measured {
        self.measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f64 = 0.01;

    /// Ticks of `budget` every `interval` for `seconds`, with steps that take `cost` each; returns the
    /// steps done.
    fn play(pace: &mut Pace, seconds: f64, interval: f64, budget: f64, cost: f64) -> u64 {
        let stretches = play_on(pace, seconds, interval, budget, STEP, |_, n| n as f64 * cost);
        stretches.iter().map(|stretch| stretch.1).sum()
    }

    /// The same with any timestep, and stretches of n steps from a moment on that take what `time`
    /// says; gives when each one began, its steps and how long it took.
    fn play_on(
        pace: &mut Pace,
        seconds: f64,
        interval: f64,
        budget: f64,
        timestep: f64,
        time: impl Fn(f64, u64) -> f64,
    ) -> Vec<(f64, u64, f64)> {
        let (mut now, mut stretches) = (0.0, Vec::new());
        pace.count(now);
        while now < seconds {
            let start = now;
            pace.count(now);
            let mut is_first = true;
            while pace.due_steps(timestep) > 0 && (is_first || now - start < budget) {
                let count = pace.due_steps(timestep).min(pace.steps_in(budget - (now - start)));
                let taken = time(now, count);
                stretches.push((now, count, taken));
                now += taken;
                pace.took(count, count as f64 * timestep, taken);
                is_first = false;
            }
            pace.forgive_debt(timestep);
            pace.mark(now);
            now = now.max(start + interval);
        }
        stretches
    }

    #[test]
    fn a_fast_machine_keeps_to_the_wanted_speed() {
        for speed in [0.1, 1.0, 2.5] {
            let mut pace = Pace { speed, ..Pace::new() };
            let steps = play(&mut pace, 10.0, 1.0 / 60.0, 0.01, 1e-4) as f64;
            assert!((steps * STEP / (10.0 * speed) - 1.0).abs() < 0.02, "{speed}: {steps}");
            assert!((pace.measured().speed / speed - 1.0).abs() < 0.1, "{:?}", pace.measured());
            assert!((pace.measured().seconds_per_step - 1e-4).abs() < 1e-9);
        }
    }

    #[test]
    fn a_slow_machine_plays_slowly_and_owes_nothing() {
        let mut pace = Pace::new();
        // A step takes four times as long as what it simulates.
        let steps = play(&mut pace, 10.0, 1.0 / 60.0, 0.01, 0.04) as f64;
        assert!((240.0..260.0).contains(&steps), "{steps}");
        assert!((pace.measured().speed - 0.25).abs() < 0.02, "{:?}", pace.measured());
        assert!(pace.owed <= LONGEST_DEBT.max(STEP));
    }

    #[test]
    fn without_limit_every_budget_is_used_up() {
        let mut pace = Pace { speed: f64::INFINITY, ..Pace::new() };
        let steps = play(&mut pace, 1.0, 0.02, 0.01, 1e-3) as f64;
        assert!(
            (480.0..520.0).contains(&steps),
            "half of the time at 1000 steps a second: {steps}"
        );
        assert_eq!(pace.until_due(STEP), 0.0);
    }

    #[test]
    fn sleep_is_not_made_up_for() {
        let mut pace = Pace::new();
        pace.count(0.0);
        pace.count(3600.0);
        assert!(pace.due_steps(STEP) <= 10);
    }

    /// Steps a second from `since` on, of stretches until `end` \[s\].
    fn rate(stretches: &[(f64, u64, f64)], since: f64, end: f64) -> f64 {
        let late = stretches.iter().filter(|s| (since..end).contains(&s.0));
        late.map(|s| s.1 as f64).sum::<f64>() / (end - since)
    }

    #[test]
    fn a_device_that_answers_late_still_keeps_real_time() {
        for latency in [0.004, 0.02, 0.045] {
            let mut pace = Pace::new();
            let time = |_, n| latency + n as f64 * 1e-4;
            let stretches = play_on(&mut pace, 4.0, 1.0 / 60.0, 0.006, 1e-3, time);
            let rate = rate(&stretches, 1.0, 4.0);
            assert!((980.0..1020.0).contains(&rate), "{latency}: {rate} of 1000 steps a second");
            let longest = stretches.iter().map(|s| s.2).fold(0.0, f64::max);
            assert!(longest < 0.065, "{latency}: orders wait for {longest} s");
        }
    }

    #[test]
    fn waiting_is_worth_while_even_on_very_slow_devices() {
        let mut pace = Pace::new();
        let time = |_, n| 0.1 + n as f64 * 1e-3;
        let stretches = play_on(&mut pace, 4.0, 1.0 / 60.0, 0.006, 1e-3, time);
        let rate = rate(&stretches, 2.0, 4.0);
        assert!(rate > 150.0, "{rate} steps a second instead of 10");
        assert!(stretches.iter().all(|s| s.2 < 0.2), "{stretches:?}");
    }

    #[test]
    fn where_steps_are_slow_one_is_taken_at_a_time() {
        for cost in [0.005, 0.05] {
            let mut pace = Pace::new();
            let time = |_, n| n as f64 * cost;
            let stretches = play_on(&mut pace, 10.0, 1.0 / 60.0, 0.006, 1e-3, time);
            let longer = stretches.iter().filter(|s| s.1 > 1).count();
            // Now and then it is tried whether two take less than twice as long.
            assert!(longer <= 11, "{cost}: {longer} of {}", stretches.len());
            assert!(stretches.iter().all(|s| s.1 <= 2), "{cost}: {stretches:?}");
        }
    }

    #[test]
    fn changing_costs_are_followed() {
        // From the processor's way to a device's and back, at unlimited speed.
        let time = |now: f64, n: u64| match now {
            ..2.0 => n as f64 * 1e-3,
            2.0..4.0 => 0.02 + n as f64 * 1e-4,
            4.0..6.0 => n as f64 * 4e-3,
            _ => n as f64 * 1e-3,
        };
        let mut pace = Pace { speed: f64::INFINITY, ..Pace::new() };
        let stretches = play_on(&mut pace, 8.0, 0.01, 0.006, 1e-3, time);
        // A tick has six milliseconds, and begins its last step when they are nearly over.
        for (since, end, range) in [
            (1.0, 2.0, 500.0..710.0),
            (3.0, 4.0, 4000.0..9000.0),
            (5.0, 6.0, 90.0..210.0),
            (7.0, 8.0, 500.0..710.0),
        ] {
            let rate = rate(&stretches, since, end);
            assert!(range.contains(&rate), "{rate} steps a second after {since} s");
        }
        let longest = stretches.iter().map(|s| s.2).fold(0.0, f64::max);
        assert!(longest < 2.5, "{longest}");
    }

    #[test]
    fn a_hiccup_is_forgotten() {
        let mut pace = Pace { speed: f64::INFINITY, ..Pace::new() };
        // Every second something else takes the machine for 80 ms.
        let time = |now: f64, n: u64| n as f64 * 1e-4 + if now % 1.0 < 0.005 { 0.08 } else { 0.0 };
        let stretches = play_on(&mut pace, 5.0, 0.01, 0.006, 1e-3, time);
        let rate = rate(&stretches, 1.0, 5.0);
        assert!((5000.0..6300.0).contains(&rate), "{rate}");
        assert!(stretches.iter().all(|s| s.2 < 0.1));
    }
}
