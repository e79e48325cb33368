
#import pliant::implicit::vectors

@group(0) @binding(10) var<storage, read> vectors: array<vec4<f32>>;

/// What obstacles may have given to a vertex in a step [J].
fn given_by_obstacles(slot: u32) -> f32 {
    return vectors[place(MASK, slot)].w;
}
