// Lets each vertex take the impulses of its edges that were found last. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::strain
#import pliant::strain::iteration

/// The last change of each impulse, along the edge [kg·m/s].
@group(0) @binding(0) var<storage, read> impulses: array<vec4<f32>>;
/// Edges at each slot: `4·edge`, 2 more where vertices are moved, 1 more at second ends.
@group(0) @binding(1) var<storage, read> edge_lists: array<u32>;
@group(0) @binding(2) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> compensation: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> flags: array<u32>;
@group(0) @binding(6) var<uniform> step: Step;
@group(0) @binding(7) var<uniform> iteration: Iteration;

@compute @workgroup_size(WORKGROUP)
fn limit(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let slice = slot / SLICE;
    let end = edge_lists[slice + 1u];
    var sum = vec3(0.0);
    var is_moved = false;
    for (var at = edge_lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let entry = edge_lists[at];
        if (entry == NONE) {
            break;
        }
        let change = impulses[entry >> 2u].xyz;
        sum += select(change, -change, (entry & 1u) == 1u);
        is_moved = (entry & 2u) == 2u;
    }
    let v = velocity[slot];
    if (all(sum == vec3(0.0)) || v.w == 0.0) {
        return;
    }
    let change = sum * v.w;
    velocity[slot] = vec4(v.xyz + change, v.w);
    if (is_moved) {
        let x = position[slot];
        let lost = compensation[slot];
        let there = moved(x.xyz, lost.xyz, change * iteration.h, bitcast<u32>(step.fixed.w));
        position[slot] = vec4(there.x, x.w);
        compensation[slot] = vec4(there.compensation, lost.w);
    }
}
