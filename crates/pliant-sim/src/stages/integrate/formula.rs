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
    pub x_compensation: F,
    /// Velocity \[m/s\].
    pub v: F,
    /// The integrator's history, see [`super::history_count`].
    pub history: [F; 4],
}

/// Coefficients of one update, prepared in double precision from timestep and damping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coefficients {
    /// v ← keep·v + kick·a, then x ← x + drift·v.
    KickDrift {
        /// Part of the velocity that damping leaves.
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
        /// Damping \[1/s\].
        damping: f64,
    },
    /// Second half of Beeman's step: the new velocity from three accelerations.
    BeemanKick {
        /// Timestep \[s\].
        h: f64,
        /// Timestep over the last one; 0 at the start.
        ratio: f64,
        /// Damping \[1/s\].
        damping: f64,
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
        /// Damping \[1/s\].
        damping: f64,
    },
}

impl Coefficients {
    /// Coefficients of update `index` of `integrator`, for timestep `h`, the last step's `h_last`
    /// (0 at the start) and damping `c`.
    pub fn new(integrator: Integrator, index: u8, h: f64, h_last: f64, c: f64) -> Self {
        let ratio = if h_last > 0.0 { h / h_last } else { 0.0 };
        let kick = 0.5 * (h_last + h);
        match (integrator, index) {
            (Integrator::SymplecticEuler, _) => {
                let keep = 1.0 / (1.0 + c * h);
                Self::KickDrift { keep, kick: h * keep, drift: h }
            }
            // Damping acts at the mean of the velocities before and after: second order, as the rest.
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
            (Integrator::Beeman, 0) => Self::BeemanDrift { h, ratio, damping: c },
            (Integrator::Beeman, _) => Self::BeemanKick { h, ratio, damping: c },
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

    fn stage(weights: &[f64], nodes: &[f64], index: u8, h: f64, damping: f64) -> Self {
        let i = usize::from(index);
        Self::RungeKutta {
            first: i == 0,
            last: i + 1 == weights.len(),
            weight: h * weights[i],
            ahead: h * nodes.get(i).copied().unwrap_or(0.0),
            damping,
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
            Self::RungeKutta { .. } => m.history[0],
            _ => found,
        }
    }

    /// The update itself; `a` is the acceleration without damping \[m/s²\].
    #[inline(always)]
    pub fn apply<F: Field>(self, m: &mut Motion<F>, a: F) {
        match self {
            Self::KickDrift { keep, kick, drift } => kick_drift(m, a, [keep, kick, drift]),
            Self::BeemanDrift { h, ratio, damping } => beeman_drift(m, a, [h, ratio, damping]),
            Self::BeemanKick { h, ratio, damping } => beeman_kick(m, a, [h, ratio, damping]),
            Self::RungeKutta { first, last, weight, ahead, damping } => {
                runge_kutta(m, a, [weight, ahead, damping], first, last);
            }
        }
    }
}

/// v ← keep·v + kick·a, then x ← x + drift·v.
#[inline(always)]
fn kick_drift<F: Field>(m: &mut Motion<F>, a: F, [keep, kick, drift]: [f64; 3]) {
    m.v = m.v * F::splat(keep) + a * F::splat(kick);
    if drift != 0.0 {
        add_compensated(m, m.v * F::splat(drift));
    }
}

/// First half of Beeman's step.
#[inline(always)]
fn beeman_drift<F: Field>(m: &mut Motion<F>, a: F, [h, ratio, friction]: [f64; 3]) {
    let now = a - m.v * F::splat(friction);
    // Extrapolated to tₙ − h when the last step had another length.
    let before = now + (m.history[0] - now) * F::splat(ratio);
    let push = now * F::splat(4.0) - before;
    add_compensated(m, m.v * F::splat(h) + push * F::splat(h * h / 6.0));
    m.history[1] = now;
}

/// Second half of Beeman's step.
#[inline(always)]
fn beeman_kick<F: Field>(m: &mut Motion<F>, a: F, [h, ratio, friction]: [f64; 3]) {
    let now = m.history[1];
    let before = now + (m.history[0] - now) * F::splat(ratio);
    let past = now * F::splat(5.0) - before;
    let v = m.v + (a * F::splat(2.0) + past) * F::splat(h / 6.0);
    m.v = v * F::splat(1.0 / (1.0 + h * friction / 3.0));
    m.history[0] = now;
}

/// A stage of a Runge–Kutta scheme.
#[inline(always)]
fn runge_kutta<F: Field>(
    m: &mut Motion<F>,
    a: F,
    [weight, ahead, friction]: [f64; 3],
    first: bool,
    last: bool,
) {
    let (rate_x, rate_v) = (m.v, a - m.v * F::splat(friction));
    let weight = F::splat(weight);
    if first {
        m.history = [m.x, m.v, rate_x * weight, rate_v * weight];
    } else {
        m.history[2] = m.history[2] + rate_x * weight;
        m.history[3] = m.history[3] + rate_v * weight;
    }
    if last {
        m.x = m.history[0];
        add_compensated(m, m.history[2]);
        m.v = m.history[1] + m.history[3];
    } else {
        m.x = m.history[0] + rate_x * F::splat(ahead);
        m.v = m.history[1] + rate_v * F::splat(ahead);
    }
}

/// x ← x + d, keeping in `x_compensation` what rounding takes away (Kahan 1965, "Pracniques: further remarks
/// on reducing truncation errors").
#[inline(always)]
fn add_compensated<F: Field>(m: &mut Motion<F>, d: F) {
    let d = d + m.x_compensation;
    let sum = m.x + d;
    m.x_compensation = d - (sum - m.x);
    m.x = sum;
}
