// What a body's vertices have in common; written by `write_body_constants` in run.rs. Who imports this binds
// `step`, and as `body_constants` an array of vec4<u32>: three for each body (low corner and limit, high
// corner and greatest distance, restitution, friction, first slot, what else there is to know), then the body of
// each slice, four in each.

#import pliant::step
#import pliant::walls

/// What else there is to know: a bit, and where the number of the family begins.
const HAS_WALLS: u32 = 1u;
const FAMILY_SHIFT: u32 = 1u;

/// Families, as `Family::number` has them.
const EXPLICIT: u32 = 0u;
const IMPLICIT: u32 = 1u;

struct BodyConstants {
    /// The world box as the body sees it.
    walls: Walls,
    /// Acceleration that has lost all connection with elasticity [m/s²].
    limit: f32,
    /// The distance from its origin beyond which that is moved after the body [m].
    max_distance: f32,
    /// Its first slot.
    first: u32,
    /// Whether there is a box at all.
    has_walls: bool,
    /// How the body is stepped; kernels of other families leave it alone.
    family: u32,
}

/// The body of a vertex.
fn body_of(slot: u32) -> u32 {
    let slice = slot / SLICE;
    return body_constants[3u * step.flags.w + slice / 4u][slice % 4u];
}

/// The constants of a vertex's body.
fn constants_of(slot: u32) -> BodyConstants {
    let at = 3u * body_of(slot);
    let low = bitcast<vec4<f32>>(body_constants[at]);
    let high = bitcast<vec4<f32>>(body_constants[at + 1u]);
    let more = body_constants[at + 2u];
    let walls = Walls(low.xyz, high.xyz, bitcast<f32>(more.x), bitcast<f32>(more.y));
    let has_walls = (more.w & HAS_WALLS) != 0u;
    return BodyConstants(walls, low.w, high.w, more.z, has_walls, more.w >> FAMILY_SHIFT);
}
