// What every kernel of a step knows: twin of record.rs.

/// One update of one substep.
struct Step {
    /// Number of the substep in this run, from 1; later ones than the first bad one do nothing.
    substep: u32,
    slot_count: u32,
    spring_count: u32,
    tet_count: u32,
    /// Gravity [m/s²]; the fourth number is the plasticity.
    gravity: vec4<f32>,
    /// Force on every vertex [N]; the fourth number is 1 when there are touches, or air.
    loading: vec4<f32>,
    /// Coefficients of the update, see integrate/formula.wgsl; of implicit steps first the tolerance of
    /// Newton's iterations.
    coefficients: vec4<f32>,
    /// First stage (of implicit steps: most iterations), last stage (most of Newton's iterations, 0
    /// if there are none), whether the update leaves the step's position (bits of search.wgsl), bodies.
    flags: vec4<u32>,
    /// Units per newton of fixed-point forces, and newtons per unit; most units of one element;
    /// zero, which no compiler knows.
    fixed: vec4<f32>,
    /// Of implicit steps: timestep [s], damping [1/s], tolerance, the inverse of a typical mass [1/kg].
    /// The timestep of others is 0 here.
    implicit: vec4<f32>,
    /// Velocity of the air [m/s]; the fourth number is 1 when there is any.
    wind: vec4<f32>,
    /// Of the air: its drag and lift [kg/m³], the square of their ratio, and the step that its impulses are limited
    /// for [s], see air/formula.wgsl.
    air: vec4<f32>,
}

/// Vertices whose lists lie side by side.
const SLICE: u32 = 32u;

/// In place of the slot of a vertex that went wrong: an implicit step was refused.
const TOO_LONG: u32 = 0xfffffffeu;

/// In place of the slot of a vertex that went wrong: a list is too small, and nothing went wrong.
const PAUSED: u32 = 0xfffffffdu;

/// Ends a list.
const NONE: u32 = 0xffffffffu;

// Places in the buffer of flags.

/// First substep in which a vertex left all bounds, or the one before the first that could not be
/// completed.
const BAD_SUBSTEP: u32 = 0u;
/// Its slot; none if it only could not be completed.
const BAD_SLOT: u32 = 1u;
/// Whether a body has left its origin far behind.
const FAR: u32 = 2u;
/// Forces that did not fit their fixed-point range.
const SATURATED: u32 = 3u;
/// Number of the stage whose list is too small.
const ASKER: u32 = 4u;
/// Entries that it must have room for.
const WANTED: u32 = 5u;
