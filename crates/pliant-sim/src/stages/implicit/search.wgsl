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
    padding: u32,
    /// What came of all systems since the host last asked.
    systems: u32,
    all_iterations: u32,
    last_iterations: u32,
    unconverged: u32,
    residual: f32,
    worst_residual: f32,
    most_cycles: u32,
    padding_2: u32,
    padding_3: u32,
    padding_4: u32,
}

// Phases. All but SEARCH compute the true residual of the unknowns as they are.

/// The end is reached; nothing more happens.
const DONE: u32 = 0u;
/// Only what walls give: its residual belongs to what others are compared with.
const GIVEN: u32 = 1u;
/// The guess from the last step.
const WARM: u32 = 2u;
/// No guess but what walls give, because the other one was worse.
const COLD: u32 = 3u;
/// A step of conjugate gradients.
const SEARCH: u32 = 4u;
/// Whether the residual is really as small as the steps say.
const CHECK: u32 = 5u;
