// Whether a vertex has left its skin, so that candidates must be searched for. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::pause
#import pliant::contact::setup

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// See place.wgsl.
@group(0) @binding(1) var<storage, read> placed: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> flags: array<atomic<u32>>;
/// See `Arrays` in arrays.rs.
@group(0) @binding(4) var<storage, read> sewn: array<u32>;
@group(0) @binding(5) var<uniform> step: Step;
@group(0) @binding(6) var<uniform> phase: Phase;

/// The stage's number.
override STAGE: u32 = 0u;
/// Whether anything is sewn.
override SEWN: bool = false;

@compute @workgroup_size(WORKGROUP)
fn vote(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || atomicLoad(&flags[BAD_SUBSTEP]) < step.substep) {
        return;
    }
    let then = placed[step.slot_count + slot];
    // Compared as bits, so that what is no number has left.
    let way = bitcast<vec3<u32>>(abs(position[slot].xyz - then.xyz));
    var is_stale = any(way > vec3(bitcast<u32>(then.w)));
    if (slot == 0u) {
        is_stale = is_stale || phase.mode == SEARCHES_ANYWAY || atomicLoad(&control[STALE]) != 0u;
        if (SEWN) {
            // What has come apart touches.
            is_stale = is_stale || sewn[step.slot_count] != 0u;
        }
    }
    if (!is_stale) {
        return;
    }
    atomicStore(&control[STALE], 1u);
    if (phase.mode == WAITS) {
        atomicStore(&control[EVALUATION], phase.evaluation);
        // No room is needed: whoever goes on searches.
        pause(STAGE, 0u);
    }
}
