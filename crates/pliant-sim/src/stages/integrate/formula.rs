//! The arithmetic of the integrators, one component of one vertex at a time.

use std::ops::{Add, Mul, Sub};

use crate::scene::Integrator;

/// What the formulas calculate with: a number, or several lanes of numbers.
pub trait Field: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A constant in every lane.
    fn splat(x: f64) -> Self;
}

impl Field for f32 {
    fn splat(x: f64) -> Self {
        x as f32
    }
}

impl Field for f64 {
    fn splat(x: f64) -> Self {
        x
    }
}

/// What an update reads and writes of one component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion<F> {
    /// Position \[m\].
    pub x: F,
    /// What rounding took from `x` so far; belongs to the position.
    pub x_low: F,
    /// Velocity \[m/s\].
    pub v: F,
    /// The integrator's own memory, see [`super::memory_count`].
    pub memory: [F; 4],
}

/// Coefficients of one update, prepared in double precision from timestep and friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coefficients {
    /// v ← keep·v + kick·a, then x ← x + drift·v.
    KickDrift {
        /// Part of the velocity that friction leaves.
        keep: f64,
        /// Time over which the acceleration acts \[s\].
        kick: f64,
        /// Time over which the new velocity acts \[s\]; 0 leaves the position alone.
        drift: f64,
    },
    /// First half of Beeman's step: the new position from two accelerations.
    BeemanDrift {
        /// Timestep \[s\].
        h: f64,
        /// Timestep over the last one; 0 at the start.
        ratio: f64,
        /// Friction \[1/s\].
        friction: f64,
    },
    /// Second half of Beeman's step: the new velocity from three accelerations.
    BeemanKick {
        /// Timestep \[s\].
        h: f64,
        /// Timestep over the last one; 0 at the start.
        ratio: f64,
        /// Friction \[1/s\].
        friction: f64,
    },
    /// One stage of a Runge–Kutta scheme whose stages use only the one before.
    RungeKutta {
        /// First stage: remembers where the step began.
        first: bool,
        /// Last stage: leaves the result of the step.
        last: bool,
        /// Weight of this stage times h \[s\].
        weight: f64,
        /// Time from the start of the step to the next stage \[s\].
        ahead: f64,
        /// Friction \[1/s\].
        friction: f64,
    },
}

impl Coefficients {
    /// Coefficients of update `index` of `integrator`, for timestep `h`, the last step's `h_last`
    /// (0 at the start) and friction `c`.
    pub fn new(integrator: Integrator, index: u8, h: f64, h_last: f64, c: f64) -> Self {
        let ratio = if h_last > 0.0 { h / h_last } else { 0.0 };
        let kick = 0.5 * (h_last + h);
        match (integrator, index) {
            (Integrator::SymplecticEuler, _) => {
                let keep = 1.0 / (1.0 + c * h);
                Self::KickDrift { keep, kick: h * keep, drift: h }
            }
            // Friction acts at the mean of the velocities before and after: second order, as the rest.
            (Integrator::Verlet | Integrator::LeapFrog, _) => {
                let half = 0.5 * c * kick;
                let keep = (1.0 - half) / (1.0 + half);
                Self::KickDrift { keep, kick: kick / (1.0 + half), drift: h }
            }
            (Integrator::VelocityVerlet, 0) => {
                Self::KickDrift { keep: 1.0 - 0.5 * c * h, kick: 0.5 * h, drift: h }
            }
            (Integrator::VelocityVerlet, _) => {
                let keep = 1.0 / (1.0 + 0.5 * c * h);
                Self::KickDrift { keep, kick: 0.5 * h * keep, drift: 0.0 }
            }
            (Integrator::Beeman, 0) => Self::BeemanDrift { h, ratio, friction: c },
            (Integrator::Beeman, _) => Self::BeemanKick { h, ratio, friction: c },
            // Its velocity change comes from a system; the position follows as in the other.
            (Integrator::ImplicitEuler, _) => Self::KickDrift { keep: 1.0, kick: h, drift: h },
            (Integrator::ExplicitEuler, _) => Self::stage(&[1.0], &[], 0, h, c),
            (Integrator::Heun, i) => Self::stage(&[0.5, 0.5], &[1.0], i, h, c),
            (Integrator::Rk2, i) => Self::stage(&[0.0, 1.0], &[0.5], i, h, c),
            (Integrator::Rk4, i) => {
                let b = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
                Self::stage(&b, &[0.5, 0.5, 1.0], i, h, c)
            }
        }
    }

    fn stage(weights: &[f64], nodes: &[f64], index: u8, h: f64, friction: f64) -> Self {
        let i = usize::from(index);
        Self::RungeKutta {
            first: i == 0,
            last: i + 1 == weights.len(),
            weight: h * weights[i],
            ahead: h * nodes.get(i).copied().unwrap_or(0.0),
            friction,
        }
    }

    /// Whether this update leaves the position in which the step ends.
    pub fn sets_position(self) -> bool {
        match self {
            Self::KickDrift { drift, .. } => drift != 0.0,
            Self::BeemanDrift { .. } => true,
            Self::BeemanKick { .. } => false,
            Self::RungeKutta { last, .. } => last,
        }
    }

    /// Where the step began, after this update: what it found, unless earlier stages have moved on.
    #[inline(always)]
    pub fn start<F: Field>(self, found: F, m: &Motion<F>) -> F {
        match self {
            Self::RungeKutta { .. } => m.memory[0],
            _ => found,
        }
    }

    /// The update itself; `a` is the acceleration without friction \[m/s²\].
    #[inline(always)]
    pub fn apply<F: Field>(self, m: &mut Motion<F>, a: F) {
        match self {
            Self::KickDrift { keep, kick, drift } => {
                m.v = m.v * F::splat(keep) + a * F::splat(kick);
                if drift != 0.0 {
                    add_compensated(m, m.v * F::splat(drift));
                }
            }
            Self::BeemanDrift { h, ratio, friction } => {
                let now = a - m.v * F::splat(friction);
                // Extrapolated to tₙ − h when the last step had another length.
                let before = now + (m.memory[0] - now) * F::splat(ratio);
                let push = now * F::splat(4.0) - before;
                add_compensated(m, m.v * F::splat(h) + push * F::splat(h * h / 6.0));
                m.memory[1] = now;
            }
            Self::BeemanKick { h, ratio, friction } => {
                let now = m.memory[1];
                let before = now + (m.memory[0] - now) * F::splat(ratio);
                let past = now * F::splat(5.0) - before;
                let v = m.v + (a * F::splat(2.0) + past) * F::splat(h / 6.0);
                m.v = v * F::splat(1.0 / (1.0 + h * friction / 3.0));
                m.memory[0] = now;
            }
            Self::RungeKutta { first, last, weight, ahead, friction } => {
                let (rate_x, rate_v) = (m.v, a - m.v * F::splat(friction));
                let weight = F::splat(weight);
                if first {
                    m.memory = [m.x, m.v, rate_x * weight, rate_v * weight];
                } else {
                    m.memory[2] = m.memory[2] + rate_x * weight;
                    m.memory[3] = m.memory[3] + rate_v * weight;
                }
                if last {
                    m.x = m.memory[0];
                    add_compensated(m, m.memory[2]);
                    m.v = m.memory[1] + m.memory[3];
                } else {
                    m.x = m.memory[0] + rate_x * F::splat(ahead);
                    m.v = m.memory[1] + rate_v * F::splat(ahead);
                }
            }
        }
    }
}

/// x ← x + d, keeping in `x_low` what rounding takes away (Kahan 1965, "Pracniques: further remarks
/// on reducing truncation errors").
#[inline(always)]
fn add_compensated<F: Field>(m: &mut Motion<F>, d: F) {
    let d = d + m.x_low;
    let sum = m.x + d;
    m.x_low = d - (sum - m.x);
    m.x = sum;
}
