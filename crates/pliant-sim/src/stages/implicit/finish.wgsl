// The end of a step: velocities and positions from the change that was found, and what holds vertices then.
// Twin of cpu/finish.rs. One invocation per slot. What holds is appended: leave_walls.wgsl or leave_obstacles.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::body_constants
#import pliant::integrate
#import pliant::sweep
#import pliant::implicit
#import pliant::implicit::search
#import pliant::implicit::vectors

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> compensation: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> history: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> vectors: array<vec4<f32>>;
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
    store(slot, leave(slot, m, body), body);
    history[slot] = vec4(delta / h, 0.0);
}
