// How an update of a vertex ends, whichever scheme it is of. Who imports this binds `step`, `frames`,
// `position`, `low` and `velocity` as arrays of vec4<f32>, and `flags` as one of atomic<u32>.

#import pliant::frames
#import pliant::integrate
#import pliant::walls

/// Notes a vertex that went wrong, the first one of the first substep.
fn note_bad(slot: u32) {
    atomicMin(&flags[BAD_SUBSTEP], step.substep);
    atomicMin(&flags[BAD_SLOT], slot);
}

/// Puts back what left the box and was at `start` when the step began.
fn put_back(start: vec3<f32>, motion: Motion, walls: Walls) -> Motion {
    var m = motion;
    if (any(m.x < walls.low) || any(m.x > walls.high)) {
        let back = collide(walls, start, m.x, m.v);
        m.x_low = select(m.x_low, vec3(0.0), back.x != m.x);
        m.x = back.x;
        m.v = back.v;
    }
    return m;
}

/// Stores where a vertex is now, and notes a body that has left its origin far behind.
fn store(slot: u32, m: Motion, frame: Frame) {
    if (slot == frame.first && any(abs(m.x) > vec3(frame.reach))) {
        atomicStore(&flags[FAR], 1u);
    }
    position[slot] = vec4(m.x, position[slot].w);
    low[slot] = vec4(m.x_low, low[slot].w);
    velocity[slot] = vec4(m.v, velocity[slot].w);
}
