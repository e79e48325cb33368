// What a body's vertices have in common; written by `write_frames` in run.rs. Who imports this binds
// `step`, and as `frames` an array of vec4<u32>: three for each body (low corner and limit, high
// corner and reach, restitution, friction, first slot, whether there are walls), then the body of
// each slice, four in each.

#import pliant::step

/// The body of a vertex.
fn body_of(slot: u32) -> u32 {
    let slice = slot / SLICE;
    return frames[3u * step.flags.w + slice / 4u][slice % 4u];
}
