// Keeps what walls do to a vertex, and what that changes in the system.

#import pliant::implicit
#import pliant::implicit::vectors
#import pliant::implicit::contact

/// Puts a contact in place of another one; `v` is the velocity to which Δv is added.
fn store_contact(slot: u32, before: Contact, c: Contact, v: vec3<f32>) {
    vectors[place(MASK, slot)] = vec4(c.mask, 0.0);
    vectors[place(DELTA, slot)] = vec4(c.delta, 0.0);
    vectors[place(LOAD, slot)] = vec4(c.load, f32(c.bits));
    vectors[place(ACROSS, slot)] = vec4(c.across, 0.0);
    if (any(c.load != before.load) || any(c.across != before.across)) {
        let resisted = before.across * dot(before.across, v) - c.across * dot(c.across, v);
        vectors[place(RIGHT, slot)] += vec4(c.load - before.load + resisted, 0.0);
        let own = vectors[place(OWN, slot)];
        let below = vectors[place(OWN_BELOW, slot)];
        let change = outer(c.across, c.across, 1.0) - outer(before.across, before.across, 1.0);
        let f = factors(matrix_of_factors(Factors(own.xyz, below.xyz)) + change, own.w);
        vectors[place(OWN, slot)] = vec4(f.inverse, own.w);
        vectors[place(OWN_BELOW, slot)] = vec4(f.below, below.w);
    }
}
