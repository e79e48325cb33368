// What a body's vertices have in common; written by `write_frames` in run.rs. Who imports this binds
// `step`, and as `frames` an array of vec4<u32>: three for each body (low corner and limit, high
// corner and reach, restitution, friction, first slot, what else there is to know), then the body of
// each slice, four in each.

#import pliant::step
#import pliant::walls

/// Bits of what else there is to know.
const HAS_WALLS: u32 = 1u;
const STEPS_IMPLICITLY: u32 = 2u;

struct Frame {
    /// The world box as the body sees it.
    walls: Walls,
    /// Acceleration that has lost all connection with elasticity [m/s²].
    limit: f32,
    /// How far from its origin the body is far away [m].
    reach: f32,
    /// Its first slot.
    first: u32,
    /// Whether there is a box at all.
    has_walls: bool,
    /// Whether the body takes implicit steps; else only kernels of explicit ones touch it.
    is_implicit: bool,
}

/// The body of a vertex.
fn body_of(slot: u32) -> u32 {
    let slice = slot / SLICE;
    return frames[3u * step.flags.w + slice / 4u][slice % 4u];
}

/// The frame of a vertex's body.
fn frame_of(slot: u32) -> Frame {
    let at = 3u * body_of(slot);
    let low = bitcast<vec4<f32>>(frames[at]);
    let high = bitcast<vec4<f32>>(frames[at + 1u]);
    let more = frames[at + 2u];
    let walls = Walls(low.xyz, high.xyz, bitcast<f32>(more.x), bitcast<f32>(more.y));
    let has_walls = (more.w & HAS_WALLS) != 0u;
    let is_implicit = (more.w & STEPS_IMPLICITLY) != 0u;
    return Frame(walls, low.w, high.w, more.z, has_walls, is_implicit);
}
