//! Chooses how many workers take part.
//!
//! When other programs need the cores, too, a worker is put aside now and then in the middle of a block,
//! and all others wait for it. Fewer workers that are never interrupted may do more than many that wait
//! for each other. Which is better depends on the machine and on what the others do, so it is tried out:
//! when workers have slept for each other for a good part of the time, passes per second are counted with
//! fewer of them, and the better number is kept for a while. A quiet machine never tries. Results do not
//! depend on any of this.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use web_time::Instant;

/// How long passes are counted before something is decided: several of the turns that a machine gives to
/// threads that share a core.
const WINDOW: Duration = Duration::from_millis(64);
/// How long passes go on between two looks at the clock.
const STRIDE: Duration = Duration::from_micros(500);
/// The part of the time that workers may wait for those that are put aside before it is worth asking.
const LATE: f64 = 0.05;
/// How much faster more workers must be: they take more from others.
const GAIN: f64 = 1.05;
/// For how many windows a number is kept, at least and, after searches that found no better one, at most.
const HOLD: [u32; 2] = [8, 32];

/// Counts passes, and says how many workers take part in the next.
pub(super) struct Governor {
    search: Search,
    /// When the clock was looked at, and how many passes have ended since.
    last_look: Instant,
    since: u32,
    /// How many passes go on between two looks.
    stride: u32,
    /// Passes of the present window, and their time.
    passes: u64,
    elapsed: Duration,
}

impl Governor {
    pub fn new(most: usize) -> Self {
        Self {
            search: Search::new(most),
            last_look: Instant::now(),
            since: 0,
            stride: 1,
            passes: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// Work begins.
    pub fn resume(&mut self, now: Instant) {
        self.last_look = now;
    }

    /// Work ends for now.
    pub fn pause(&mut self, now: Instant) {
        self.look(now);
    }

    /// A pass has ended. Returns the number of workers for the next; `late` is how long some have slept for
    /// others, together \[ns\].
    pub fn pass(&mut self, workers: u16, late: &AtomicU64) -> u16 {
        self.since += 1;
        if self.since < self.stride {
            return workers;
        }
        self.look(Instant::now());
        if self.elapsed < WINDOW {
            return workers;
        }
        let seconds = std::mem::take(&mut self.elapsed).as_secs_f64();
        let rate = std::mem::take(&mut self.passes) as f64 / seconds;
        let late = 1e-9 * late.swap(0, Ordering::Relaxed) as f64;
        self.search.next(rate, late / seconds / f64::from(workers.max(2) - 1)) as u16
    }

    fn look(&mut self, now: Instant) {
        let took = now.saturating_duration_since(self.last_look);
        self.last_look = now;
        let count = std::mem::take(&mut self.since);
        self.elapsed += took;
        self.passes += u64::from(count);
        let each = took / count.max(1);
        self.stride = (STRIDE.as_nanos() / each.as_nanos().max(1)).clamp(1, 64) as u32;
    }
}

/// Looks for the best number of workers, by trying.
#[derive(Debug)]
struct Search {
    most: usize,
    /// The best number known, and the passes per second that it makes.
    best: usize,
    rate: f64,
    /// For how many windows it is kept after the next search.
    hold: u32,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Goes on with the best, so many windows at least.
    Steady { left: u32 },
    /// Tries another number.
    Trial { step: usize, goes_up: bool, is_second: bool, has_moved: bool },
}

impl Search {
    fn new(most: usize) -> Self {
        let state = State::Steady { left: 1 };
        Self { most, best: most, rate: 0.0, hold: HOLD[0], state }
    }

    /// Takes what the last window has shown: passes per second, and the part of the time that workers
    /// have slept for others. Returns the number for the next.
    fn next(&mut self, rate: f64, late: f64) -> usize {
        match self.state {
            State::Steady { left } => {
                self.rate = if self.rate > 0.0 { 0.5 * (self.rate + rate) } else { rate };
                self.state = State::Steady { left: left.saturating_sub(1) };
                let is_hampered = self.best < self.most || late > LATE;
                if left == 0 && is_hampered {
                    let goes_up = self.best < self.most;
                    let room = if goes_up { self.most - self.best + 1 } else { self.best };
                    let step = room / 2;
                    self.attempt(step, goes_up, false, false);
                }
            }
            State::Trial { step, goes_up, is_second, has_moved } => {
                let least = if goes_up { GAIN * self.rate } else { self.rate };
                if rate > least {
                    (self.best, self.rate) = (self.candidate(step, goes_up).unwrap_or(1), rate);
                    // Further in the same direction; what lies behind is known.
                    self.attempt(step, goes_up, true, true);
                } else if is_second {
                    self.attempt(step / 2, goes_up, false, has_moved);
                } else {
                    self.attempt(step, !goes_up, true, has_moved);
                }
            }
        }
        match self.state {
            State::Steady { .. } => self.best,
            State::Trial { step, goes_up, .. } => {
                self.candidate(step, goes_up).unwrap_or(self.best)
            }
        }
    }

    /// The number that lies so far from the best, if there may be so many.
    fn candidate(&self, step: usize, goes_up: bool) -> Option<usize> {
        let number = match goes_up {
            true => self.best + step,
            false => self.best.checked_sub(step)?,
        };
        (1..=self.most).contains(&number).then_some(number)
    }

    /// Tries next what lies so far in this direction, or else in the other, or else nearer.
    fn attempt(
        &mut self,
        mut step: usize,
        mut goes_up: bool,
        mut is_second: bool,
        has_moved: bool,
    ) {
        while step > 0 {
            if self.candidate(step, goes_up).is_some() {
                return self.state = State::Trial { step, goes_up, is_second, has_moved };
            }
            step = if is_second { step / 2 } else { step };
            (goes_up, is_second) = (!goes_up, !is_second);
        }
        self.hold = if has_moved { HOLD[0] } else { (2 * self.hold).min(HOLD[1]) };
        self.state = State::Steady { left: self.hold };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search on a machine that makes so many passes per second with so many workers, where they
    /// wait for each other; returns the numbers of all windows.
    fn run(
        search: &mut Search,
        windows: usize,
        late: f64,
        speed: impl Fn(usize) -> f64,
    ) -> Vec<usize> {
        let mut number = search.best;
        let mut numbers = Vec::new();
        for k in 0..windows {
            numbers.push(number);
            // Some noise.
            let noise = 1.0 + 0.02 * ((k * 7919 % 13) as f64 / 6.0 - 1.0);
            number = search.next(noise * speed(number), if number > 1 { late } else { 0.0 });
            assert!((1..=search.most).contains(&number));
        }
        numbers
    }

    #[test]
    fn a_quiet_machine_is_left_alone() {
        let mut search = Search::new(8);
        assert_eq!(run(&mut search, 1000, 0.01, |n| n as f64), [8; 1000]);
    }

    #[test]
    fn the_best_number_is_found_and_kept_most_of_the_time() {
        for most in [2, 3, 4, 8, 16, 64] {
            for free in 1..=most {
                // Workers beyond the free cores hold up all others.
                let speed = |n: usize| if n <= free { n as f64 } else { 0.5 * free as f64 };
                let mut search = Search::new(most);
                let numbers = run(&mut search, 400, 0.3, speed);
                let done: f64 = numbers[100..].iter().map(|&n| speed(n)).sum();
                let part = done / (300.0 * free as f64);
                assert!(part > 0.9, "{free} of {most}: {part}");
            }
        }
    }

    #[test]
    fn all_workers_come_back_when_the_machine_is_quiet_again() {
        for most in [2, 8, 16] {
            let mut search = Search::new(most);
            run(&mut search, 100, 0.3, |n| 1.0 / n as f64);
            assert_eq!(search.best, 1);
            let numbers = run(&mut search, 150, 0.0, |n| n as f64);
            assert_eq!(numbers[100..], [most; 50]);
        }
    }
}
