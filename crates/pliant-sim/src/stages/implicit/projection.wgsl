
// What is free of vectors where there are colliders: directions of any kind, given by a projection. Who appends this
// binds what vectors.wgsl asks for. Takes the place of mask.wgsl.

#import pliant::matrix
#import pliant::implicit::vectors

/// What is free at a vertex.
struct Free {
    projection: mat3x3<f32>,
}

fn free_of(slot: u32) -> Free {
    let d = vectors[place(MASK, slot)].xyz;
    let r = vectors[place(MASK_REST, slot)].xyz;
    return Free(mat3x3(vec3(d.x, r.x, r.z), vec3(r.x, d.y, r.y), vec3(r.z, r.y, d.z)));
}

/// What is free of x.
fn free_part(freedom: Free, x: vec3<f32>) -> vec3<f32> {
    return freedom.projection * x;
}

/// So much of x that is prescribed, and so much of what is free.
fn with_share(freedom: Free, x: vec3<f32>, given: f32, share: f32) -> vec3<f32> {
    let part = free_part(freedom, x);
    return (x - part) * given + part * share;
}

/// What friction's resistance adds to a vertex's own block [kg].
fn resistance_of(slot: u32) -> mat3x3<f32> {
    return free_of(slot).projection * vectors[place(CONTACT, slot)].w;
}

/// The velocity against which friction acts [m/s]: that of the obstacle that the vertex met first.
fn still_at(slot: u32) -> vec3<f32> {
    return vectors[place(PLANES + 1u, slot)].xyz;
}
