//! Advancing positions and velocities: one vertex, one component at a time.
//!
//! # Theory
//!
//! Every vertex obeys ẍ = a(x, ẋ) − c ẋ, where a gathers internal and external forces divided by the
//! mass and c \[1/s\] is the mass-proportional damping (Echtler 2004 writes a force μ v; only as a
//! rate does its default of 0.35 make sense).
//!
//! All schemes keep velocity as a variable of its own. Position Verlet in its usual form takes the
//! difference of two nearly equal positions, and a body that moves little per step then hovers.
//! Positions are summed with compensation for the same reason.
//!
//! | scheme | order | evaluations | velocity in the state belongs to |
//! |---|---|---|---|
//! | explicit Euler | 1 | 1 | tₙ |
//! | symplectic Euler | 1 | 1 | tₙ |
//! | Verlet | 2 | 1 | tₙ − h/2 |
//! | leap-frog | 2 | 1 | tₙ − h/2 |
//! | velocity Verlet | 2 | 1 | tₙ |
//! | Beeman | 2 | 1 | tₙ |
//! | Heun | 2 | 2 | tₙ |
//! | Runge–Kutta 2 | 2 | 2 | tₙ |
//! | Runge–Kutta 4 | 4 | 4 | tₙ |
//! | implicit Euler | 1 | 1 and a linear system | tₙ |
//!
//! Verlet and leap-frog carry the velocity of the middle of the last step. Their kick spans from
//! there to the middle of the next one, ½(h_last + h): at the start h_last is 0, which is just the
//! second-order start, and a timestep that changes between two steps gives no jolt. They are two
//! readings of one scheme, and give the same bits: damping acts at the mean of the velocities before
//! and after the kick, so that they are of second order with it, too.
//!
//! # Practice
//!
//! [`plan()`] lists the phases of a step for an integrator; [`formula`] holds the arithmetic, generic
//! over the number type, with all coefficients prepared in `f64` by [`Coefficients`]. Velocity
//! Verlet and Beeman need the forces at the end of one step again at the start of the next, so those
//! are part of the state.

pub(crate) mod cpu;
pub mod formula;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(test)]
mod tests;

pub use formula::{Coefficients, Field};

use crate::scene::Integrator;

/// One phase of a step. Between two phases all blocks wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Internal forces at the current positions and velocities.
    Forces,
    /// Update number `n` of the integrator, vertex by vertex.
    Update(u8),
}

/// The phases of a step of `integrator`, in order; none of an implicit one, which has passes of its own.
pub fn plan(integrator: Integrator) -> &'static [Phase] {
    use Phase::{Forces, Update};
    match integrator {
        Integrator::ExplicitEuler
        | Integrator::SymplecticEuler
        | Integrator::Verlet
        | Integrator::LeapFrog => &[Forces, Update(0)],
        Integrator::VelocityVerlet | Integrator::Beeman => &[Update(0), Forces, Update(1)],
        Integrator::Heun | Integrator::Rk2 => &[Forces, Update(0), Forces, Update(1)],
        Integrator::Rk4 => {
            &[Forces, Update(0), Forces, Update(1), Forces, Update(2), Forces, Update(3)]
        }
        Integrator::ImplicitEuler => &[],
    }
}

/// Whether update number `n` of a step leaves the positions in which the step ends.
pub fn places(integrator: Integrator, n: u8) -> bool {
    Coefficients::new(integrator, n, 1.0, 1.0, 0.0).sets_position()
}

/// Whether the forces at the end of a step are needed again at the start of the next.
pub fn keeps_forces(integrator: Integrator) -> bool {
    matches!(plan(integrator).first(), Some(Phase::Update(_)))
}

/// Whether the velocity in the state belongs to the middle of the last step.
pub fn is_staggered(integrator: Integrator) -> bool {
    matches!(integrator, Integrator::Verlet | Integrator::LeapFrog)
}

/// How many history arrays the integrator keeps per vertex, besides position, velocity and force.
pub fn history_count(integrator: Integrator) -> usize {
    match integrator {
        Integrator::Beeman => 2,
        Integrator::ImplicitEuler => 1,
        Integrator::Heun | Integrator::Rk2 | Integrator::Rk4 => 4,
        _ => 0,
    }
}

/// Whether the last acceleration is part of the state: Beeman needs it, and implicit steps begin
/// their search with it.
pub fn keeps_acceleration(integrator: Integrator) -> bool {
    matches!(integrator, Integrator::Beeman | Integrator::ImplicitEuler)
}

/// Theoretical order of accuracy.
pub fn order(integrator: Integrator) -> u32 {
    match integrator {
        Integrator::ExplicitEuler | Integrator::SymplecticEuler | Integrator::ImplicitEuler => 1,
        Integrator::Rk4 => 4,
        _ => 2,
    }
}
