// Keeps what walls do to a vertex, and what that changes in the system.

#import pliant::implicit
#import pliant::implicit::vectors
#import pliant::implicit::contact

/// The mean of the diagonal of a vertex's own block [kg].
fn inertia_of(slot: u32) -> f32 {
    let f = Factors(vectors[place(OWN, slot)].xyz, vectors[place(OWN_BELOW, slot)].xyz);
    let own = matrix_of_factors(f);
    return (own[0].x + own[1].y + own[2].z) / 3.0;
}

/// Puts a contact in place of another one; `v` is the velocity to which Δv is added.
fn store_contact(slot: u32, before: Contact, c: Contact, v: vec3<f32>) {
    vectors[place(MASK, slot)] = vec4(c.mask, 0.0);
    vectors[place(DELTA, slot)] = vec4(c.delta, 0.0);
    vectors[place(CONTACT, slot)] = vec4(f32(c.bits), c.before, c.resistance);
    let change = c.mask * c.resistance - before.mask * before.resistance;
    if (any(change != vec3(0.0))) {
        vectors[place(RIGHT, slot)] -= vec4(change * v, 0.0);
        let own = vectors[place(OWN, slot)];
        let below = vectors[place(OWN_BELOW, slot)];
        let block = matrix_of_factors(Factors(own.xyz, below.xyz)) + diagonal_matrix(change);
        let f = factors(block, own.w);
        vectors[place(OWN, slot)] = vec4(f.inverse, own.w);
        vectors[place(OWN_BELOW, slot)] = vec4(f.below, below.w);
    }
}
