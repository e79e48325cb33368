// The vectors of a system, one after the other in one array, slot by slot. Who imports this binds
// `step` and, as `vectors`, an array of vec4<f32>. It is zero at first, and of bodies that take explicit
// steps it stays so: they are no part of the system.

#import pliant::step

/// The unknowns: change of velocity [m/s].
const DELTA: u32 = 0u;
/// Right-hand side b [kg·m/s].
const RIGHT: u32 = 1u;
/// b − A Δv, as far as it is known.
const RESIDUAL: u32 = 2u;
/// The residual times the preconditioner.
const SCALED: u32 = 3u;
/// The search direction: of even cycles, and of odd ones.
const DIRECTION: u32 = 4u;
/// A times something; before that (h² K + h D) v, and as fourth number the square of what rounding may
/// do to b.
const PRODUCT: u32 = 6u;
/// Factors of each vertex's own block: 1/D; fourth number: its mass and all else that acts on it
/// alone, 0 if it may not move [kg].
const OWN: u32 = 7u;
/// L of the same; fourth number: its mass, 0 if it may not move [kg].
const OWN_BELOW: u32 = 8u;
/// 1 for components that are free, 0 for those that are prescribed. Where there are colliders, the diagonal of the
/// projection on what is free, see planes.wgsl; fourth number: what they may have given in the step that ended [J].
const MASK: u32 = 9u;
/// Where a step of Newton's iterations began: position and mass, velocity and 1/mass.
const START_POSITION: u32 = 10u;
const START_VELOCITY: u32 = 11u;

/// What walls do to a vertex, see contact.wgsl: what holds it, friction's resistance before and the speed
/// that came of it; fourth number: the resistance [kg].
const CONTACT: u32 = 12u;

// Where there are colliders, and only there:

/// (xy, yz, zx) of the projection; fourth number: which obstacles the planes are of, see obstacles.wgsl.
const MASK_REST: u32 = 13u;
/// Up to three planes that hold a vertex, two vectors each: normal and speed along it, velocity of the surface and how
/// far from that the vertex ends.
const PLANES: u32 = 14u;

/// Where a vertex is in a vector.
fn place(vector: u32, slot: u32) -> u32 {
    return vector * step.slot_count + slot;
}
