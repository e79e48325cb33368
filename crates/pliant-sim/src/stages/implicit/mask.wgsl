
// What is free of vectors where walls alone hold vertices: some of the components. Who appends this binds what
// vectors.wgsl asks for; projection.wgsl takes its place where there are colliders.

#import pliant::matrix
#import pliant::implicit::vectors

/// What is free at a vertex.
struct Free {
    components: vec3<bool>,
}

fn free_of(slot: u32) -> Free {
    return Free(vectors[place(MASK, slot)].xyz != vec3(0.0));
}

/// What is free of x.
fn free_part(freedom: Free, x: vec3<f32>) -> vec3<f32> {
    return select(vec3(0.0), x, freedom.components);
}

/// So much of x that is prescribed, and so much of what is free.
fn with_share(freedom: Free, x: vec3<f32>, given: f32, share: f32) -> vec3<f32> {
    return x * select(vec3(given), vec3(share), freedom.components);
}

/// What friction's resistance adds to a vertex's own block [kg].
fn resistance_of(slot: u32) -> mat3x3<f32> {
    return diagonal_matrix(vectors[place(MASK, slot)].xyz * vectors[place(CONTACT, slot)].w);
}

/// The velocity against which friction acts [m/s].
fn still_at(slot: u32) -> vec3<f32> {
    return vec3(0.0);
}
