// Adds up what rows do to each vertex, in the order of rows. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::contact::setup

@group(0) @binding(0) var<storage, read> corner_starts: array<u32>;
@group(0) @binding(1) var<storage, read> corners: array<u32>;
/// See rows.wgsl.
@group(0) @binding(2) var<storage, read> rows: array<vec4<f32>>;
/// See predict.wgsl.
@group(0) @binding(3) var<storage, read_write> ahead: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> force: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> flags: array<u32>;
@group(0) @binding(6) var<uniform> step: Step;
@group(0) @binding(7) var<uniform> setup: Setup;
@group(0) @binding(8) var<uniform> phase: Phase;

@compute @workgroup_size(WORKGROUP)
fn add_up(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let at = step.slot_count + slot;
    let counts = phase.mode == COUNTS_ROWS;
    if (!counts && ahead[at].w == 0.0) {
        return;
    }
    var sum = vec3(0.0);
    var count = 0.0;
    for (var n = corner_starts[slot]; n < corner_starts[slot + 1u]; n++) {
        let entry = corners[n];
        let f = rows[5u * setup.counts.w + entry / 4u];
        if (f.w != 0.0) {
            sum += rows[entry / 4u][entry % 4u] * f.xyz;
            count += 1.0;
        }
    }
    let v = ahead[slot];
    ahead[at] = vec4(sum, count);
    ahead[at + step.slot_count] = vec4(v.xyz + (setup.times.x * v.w) * sum, v.w);
}

/// Adds the forces of contact to those that integrators read.
@compute @workgroup_size(WORKGROUP)
fn add_forces(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    force[slot] += vec4(ahead[step.slot_count + slot].xyz, 0.0);
}
