// How often each digit occurs in each block.

#import pliant::grid
#import pliant::digit

@group(0) @binding(1) var<storage, read> keys: array<u32>;
/// A number per digit and block; those of a digit lie side by side.
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(WORKGROUP)
fn count_digits(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = group_index(workgroup, groups);
    if (block >= digit.blocks) {
        return;
    }
    if (local < DIGITS) {
        atomicStore(&counters[local], 0u);
    }
    workgroupBarrier();
    for (var k = 0u; k < ITEMS; k++) {
        let i = block * BLOCK + k * WORKGROUP + local;
        if (i < digit.length) {
            atomicAdd(&counters[digit_of(keys[i])], 1u);
        }
    }
    workgroupBarrier();
    if (local < DIGITS) {
        counts[local * digit.blocks + block] = atomicLoad(&counters[local]);
    }
}
