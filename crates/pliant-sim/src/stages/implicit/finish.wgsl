// The end of a step: velocities and positions from the change that was found, and what walls do
// besides. Twin of cpu/finish.rs. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::body_constants
#import pliant::integrate
#import pliant::sweep
#import pliant::implicit
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::contact

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> compensation: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> history: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> vectors: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> search: Search;
@group(0) @binding(7) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(8) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn finish(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || atomicLoad(&flags[BAD_SUBSTEP]) < step.substep) {
        return;
    }
    if (search.phase == DONE) {
        finish_vertex(slot);
    } else if (atomicLoad(&flags[BAD_SLOT]) == NONE) {
        // The host has to record more cycles; until then nothing happens. No slot tells it apart
        // from a substep that went wrong, which explicit bodies may have done already.
        atomicMin(&flags[BAD_SUBSTEP], step.substep - 1u);
    }
}

fn finish_vertex(slot: u32) {
    let body = constants_of(slot);
    if (body.family != IMPLICIT) {
        return;
    }
    let h = step.implicit.x;
    var old = velocity[slot];
    var x = position[slot].xyz;
    let free = compensation[slot].w;
    var delta = vectors[place(DELTA, slot)].xyz;
    if (step.flags.y != 0u) {
        // Newton's iterations have moved it.
        let start = vectors[place(START_VELOCITY, slot)];
        delta = old.xyz - start.xyz;
        old = start;
        x = vectors[place(START_POSITION, slot)].xyz;
    }
    var m: Motion;
    m.x = x;
    m.x_compensation = compensation[slot].xyz;
    m.v = old.xyz + delta;
    m.zero = bitcast<u32>(step.fixed.w);
    m = add_compensated(m, m.v * h);
    if (any((bitcast<vec3<u32>>(m.x) & vec3(0x7fffffffu)) >= vec3(0x7f800000u))) {
        note_bad(slot);
    }
    if (body.has_walls && free != 0.0) {
        m = leave_walls(slot, m, body.walls);
    }
    store(slot, m, body);
    history[slot] = vec4(delta / h, 0.0);
}

/// What walls hold ends the step at rest on them, unless it bounces. What slipped through by rounding is
/// put back.
fn leave_walls(slot: u32, motion: Motion, walls: Walls) -> Motion {
    var m = motion;
    let bits = u32(vectors[place(CONTACT, slot)].x);
    for (var k = 0u; k < 3u; k++) {
        if (rests(bits, k, m.v[k])) {
            m.x[k] = select(walls.low[k], walls.high[k], is_upper(bits, k));
            m.x_compensation[k] = 0.0;
            m.v[k] = 0.0;
        }
    }
    return put_back(m.x, m, walls);
}
