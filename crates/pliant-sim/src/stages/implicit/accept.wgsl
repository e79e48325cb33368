// The verdict on an implicit step, after the kernels of inspect.wgsl. One workgroup. Twin of `gains` in
// cpu/inspect.rs.

#import pliant::grid
#import pliant::step
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> checks: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> step: Step;

/// The part of their energy, and of the work of loads, that bodies may gain in a step by mistake.
const GAIN: f32 = 5e-3;

fn total(first: u32, local: u32) -> vec4<f32> {
    var own = vec4(0.0);
    for (var n = local; n < sum_groups(step.slot_count); n += WORKGROUP) {
        own += checks[first + n];
    }
    return vec4(sum_of_group(local, own.xy), sum_of_group(local, own.zw));
}

@compute @workgroup_size(WORKGROUP)
fn accept(@builtin(local_invocation_index) local: u32) {
    let start = total(0u, local);
    let end = total(MOST_GROUPS, local);
    if (local != 0u || atomicLoad(&flags[BAD_SUBSTEP]) < step.substep) {
        return;
    }
    let before = start.x + start.y;
    let gain = end.x + end.y - before - end.w;
    let most = GAIN * (before + abs(end.w)) + start.z;
    // Compared as bits, since compilers may assume that numbers are numbers.
    let is_number = (bitcast<u32>(gain) & 0x7fffffffu) < 0x7f800000u;
    if (!is_number || gain > most || end.z > 0.0) {
        atomicStore(&flags[BAD_SUBSTEP], step.substep);
        atomicStore(&flags[BAD_SLOT], TOO_LONG);
    }
}
