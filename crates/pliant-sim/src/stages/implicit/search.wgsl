// How far the solution of a system has come: twin of `Search` in gpu.rs.

struct Search {
    /// What the next cycle does.
    phase: u32,
    /// Steps of conjugate gradients so far.
    iterations: u32,
    /// Cycles so far, of whatever phase.
    cycle: u32,
    /// Whether the next direction does not depend on the last.
    is_fresh: u32,
    /// r·z of the last cycle. Sums are of momenta divided by a typical mass.
    rz: f32,
    beta: f32,
    /// Square of what the residual is compared with.
    reference: f32,
    /// Square of the residual that is small enough.
    goal: f32,
    /// Square of the last true residual.
    last_true: f32,
    /// Of Newton's iterations: how many were completed, how often the present step along Δv was
    /// shortened, and rounds of anything so far.
    newton: u32,
    trial: u32,
    rounds: u32,
    /// Whether forces were in balance at the last residual, the square of the first imbalance,
    /// and the last one relative to it.
    is_balanced: u32,
    first: f32,
    balance: f32,
    /// Δv·b before the step along Δv; which part of it was taken, and which is to be.
    downhill: f32,
    reached: f32,
    part_of_step: f32,
    /// How often it was asked what walls hold, iterations up to the last time, and the tolerance since.
    revision: u32,
    so_far: u32,
    tolerance: f32,
    /// How much of the guess to begin with, and whether walls prescribe something.
    share: f32,
    has_prescribed: u32,
    /// The substep whose system it is: cycles of later ones, whose colliders are elsewhere, do nothing for it.
    substep: u32,
    /// What came of all systems since the host last asked.
    systems: u32,
    all_iterations: u32,
    last_iterations: u32,
    unconverged: u32,
    residual: f32,
    worst_residual: f32,
    most_cycles: u32,
    unbalanced: u32,
    imbalance: f32,
    most_rounds: u32,
    limited: u32,
}

// Bits of the third word of a step's flags.

/// There are walls or colliders.
const HAS_OBSTACLES: u32 = 1u;
/// They have friction.
const HAS_FRICTION: u32 = 2u;

// Phases. Up to RESUME, all but SEARCH compute the true residual of the unknowns as they are.

/// The end is reached; nothing more happens.
const DONE: u32 = 0u;
/// Only what walls prescribe: its residual belongs to what others are compared with.
const PRESCRIBED: u32 = 1u;
/// The guess from the last step.
const WARM: u32 = 2u;
/// A part of that guess, or nothing of it, besides what walls prescribe.
const COLD: u32 = 3u;
/// A step of conjugate gradients.
const SEARCH: u32 = 4u;
/// Whether the residual is really as small as the steps say.
const CHECK: u32 = 5u;
/// As COLD, without anything prescribed: that was taken already.
const FRESH: u32 = 6u;
/// Whether walls hold what they should.
const REVISE: u32 = 7u;
/// The residual once they hold something else, or once more digits are wanted.
const RESUME: u32 = 8u;
/// Newton's iterations: the first residual is due.
const FIRST: u32 = 9u;
/// Newton's iterations: a step along Δv is due, and the residual there.
const LINE_SEARCH: u32 = 10u;
