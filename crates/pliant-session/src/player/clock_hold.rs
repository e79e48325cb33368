//! Holding the clock at regular times, for films.

/// Part of a step by which a time may be missed by rounding and still counts as reached.
const TOLERANCE: f64 = 1e-3;

/// Stops the clock at the first step at or past each multiple of a time, the present one included.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockHold {
    start: f64,
    every: f64,
    /// The next multiple.
    next: u64,
    /// Whether the clock stands until the frame is taken.
    pub is_held: bool,
}

impl ClockHold {
    /// Holds at `start` and every `every` seconds from there.
    pub fn new(start: f64, every: f64) -> Self {
        Self { start, every, next: 0, is_held: false }
    }

    /// Begins anew at a time: the clock was set.
    pub fn restart(&mut self, start: f64) {
        *self = Self::new(start, self.every);
    }

    /// Holds if the next multiple is reached.
    pub fn look(&mut self, time: f64, timestep: f64) {
        if !self.is_held && self.left(time) <= TOLERANCE * timestep {
            self.is_held = true;
            // Multiples that one long step has passed together count once.
            let passed = (time - self.start + TOLERANCE * timestep) / self.every;
            self.next = (passed as u64).max(self.next) + 1;
        }
    }

    /// Steps until the next multiple is reached; at least 1.
    pub fn steps(&self, time: f64, timestep: f64) -> u64 {
        ((self.left(time) / timestep - TOLERANCE).ceil() as u64).max(1)
    }

    fn left(&self, time: f64) -> f64 {
        self.start + self.next as f64 * self.every - time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_multiple_is_met_at_the_first_step_past_it() {
        let (dt, mut time, mut step) = (0.004, 1.0, 0u64);
        let mut hold = ClockHold::new(time, 1.0 / 60.0);
        let mut held = Vec::new();
        while held.len() < 7 {
            hold.look(time, dt);
            if hold.is_held {
                held.push(step);
                hold.is_held = false;
            }
            for _ in 0..hold.steps(time, dt) {
                time += dt;
                step += 1;
            }
        }
        // ⌈k / 60 / 0.004⌉
        assert_eq!(held, [0, 5, 9, 13, 17, 21, 25]);
    }

    #[test]
    fn multiples_shorter_than_a_step_are_not_made_up_for() {
        let mut hold = ClockHold::new(0.0, 0.001);
        hold.look(0.0, 0.01);
        hold.is_held = false;
        assert_eq!(hold.steps(0.0, 0.01), 1);
        hold.look(0.01, 0.01);
        assert!(hold.is_held);
        hold.is_held = false;
        hold.look(0.01, 0.01);
        assert!(!hold.is_held);
    }
}
