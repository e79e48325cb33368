// Newton's iterations: keeps where a step began, and steps along Δv from there. Twin of
// cpu/newton.rs. One invocation per slot. What is free is appended: mask.wgsl or projection.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::body_constants
#import pliant::implicit::search
#import pliant::implicit::vectors

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(2) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> flags: array<u32>;
@group(0) @binding(4) var<storage, read> search: Search;
@group(0) @binding(5) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(6) var<uniform> step: Step;

/// Keeps position and velocity, and goes to where the velocity leads.
@compute @workgroup_size(WORKGROUP)
fn keep_start(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    if (constants_of(slot).family != IMPLICIT) {
        return;
    }
    let x = position[slot];
    let v = velocity[slot];
    vectors[place(START_POSITION, slot)] = x;
    vectors[place(START_VELOCITY, slot)] = v;
    position[slot] = vec4(x.xyz + v.xyz * step.implicit.x, x.w);
}

/// A part of Δv more, or less; what is prescribed goes all the way at once.
@compute @workgroup_size(WORKGROUP)
fn step_along(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep || search.phase != LINE_SEARCH) {
        return;
    }
    if (constants_of(slot).family != IMPLICIT) {
        return;
    }
    let of_given = select(0.0, 1.0, search.trial == 0u);
    let more = search.part_of_step - search.reached;
    let old = velocity[slot];
    let v = old.xyz + with_share(free_of(slot), vectors[place(DELTA, slot)].xyz, of_given, more);
    velocity[slot] = vec4(v, old.w);
    let x = vectors[place(START_POSITION, slot)];
    position[slot] = vec4(x.xyz + v * step.implicit.x, x.w);
}
