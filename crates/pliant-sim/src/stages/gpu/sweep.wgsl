// How an update of a vertex ends, whichever scheme it is of. Who imports this binds `step`, `body_constants`,
// `position`, `compensation` and `velocity` as arrays of vec4<f32>, and `flags` as one of atomic<u32>.

#import pliant::body_constants
#import pliant::integrate
#import pliant::walls

/// Notes a vertex that went wrong, the first one of the first substep.
fn note_bad(slot: u32) {
    atomicMin(&flags[BAD_SUBSTEP], step.substep);
    atomicMin(&flags[BAD_SLOT], slot);
}

/// Stores where a vertex is now, and notes a body that has left its origin far behind.
fn store(slot: u32, m: Motion, body: BodyConstants) {
    if (slot == body.first && any(abs(m.x) > vec3(body.max_distance))) {
        atomicStore(&flags[FAR], 1u);
    }
    position[slot] = vec4(m.x, position[slot].w);
    compensation[slot] = vec4(m.x_compensation, compensation[slot].w);
    velocity[slot] = vec4(m.v, velocity[slot].w);
}
