// Lists the candidates that each vertex is a corner of, in ascending order, so that sums over them have one order.

#import pliant::grid
#import pliant::step
#import pliant::contact::setup
#import pliant::contact::surface

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> surface: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<vec2<u32>>;
/// Of each slot; behind them 0.
@group(0) @binding(3) var<storage, read_write> corner_counts: array<atomic<u32>>;
/// Where the list of each slot begins.
@group(0) @binding(4) var<storage, read> corner_starts: array<u32>;
/// How much of the list of each slot is written.
@group(0) @binding(5) var<storage, read_write> cursors: array<atomic<u32>>;
/// Four times the number of a candidate, and which corner of it.
@group(0) @binding(6) var<storage, read_write> corners: array<u32>;
/// Where the list of each query begins; behind them how many pairs there are in all.
@group(0) @binding(7) var<storage, read> starts: array<u32>;
@group(0) @binding(8) var<storage, read_write> control: array<u32>;
@group(0) @binding(9) var<storage, read> flags: array<u32>;
@group(0) @binding(10) var<uniform> step: Step;
@group(0) @binding(11) var<uniform> setup: Setup;

/// Takes the list of the search as the present one. One invocation.
@compute @workgroup_size(WORKGROUP)
fn settle(@builtin(local_invocation_index) local: u32) {
    if (local != 0u || control[STALE] == 0u || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    control[LIST] = 1u - control[LIST];
    control[COUNT] = starts[setup.counts.x + setup.counts.y];
    control[SEARCHES] += 1u;
    control[STALE] = 0u;
    control[IS_NEW] = 1u;
}

/// One invocation per candidate.
@compute @workgroup_size(WORKGROUP)
fn count_corners(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (control[IS_NEW] == 0u || n >= control[COUNT]) {
        return;
    }
    let pair = pairs[2u * n + control[LIST]];
    let slots = pair_of(pair.x, pair.y).slots;
    for (var k = 0u; k < 4u; k++) {
        atomicAdd(&corner_counts[slots[k]], 1u);
    }
}

/// One invocation per candidate.
@compute @workgroup_size(WORKGROUP)
fn fill_corners(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (control[IS_NEW] == 0u || n >= control[COUNT]) {
        return;
    }
    let pair = pairs[2u * n + control[LIST]];
    let slots = pair_of(pair.x, pair.y).slots;
    for (var k = 0u; k < 4u; k++) {
        let at = corner_starts[slots[k]] + atomicAdd(&cursors[slots[k]], 1u);
        corners[at] = 4u * n + k;
    }
}

/// Puts the list of a slot in order. One invocation per slot.
@compute @workgroup_size(WORKGROUP)
fn sort_corners(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (control[IS_NEW] == 0u || slot >= step.slot_count) {
        return;
    }
    let start = corner_starts[slot];
    let end = corner_starts[slot + 1u];
    for (var n = start + 1u; n < end; n++) {
        let entry = corners[n];
        var at = n;
        while (at > start && corners[at - 1u] > entry) {
            corners[at] = corners[at - 1u];
            at -= 1u;
        }
        corners[at] = entry;
    }
}
