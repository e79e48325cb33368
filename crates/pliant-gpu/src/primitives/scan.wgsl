// Exclusive sums of a level, given the sums of everything before each block.

#import pliant::grid
#import pliant::level
#import pliant::group_scan

@group(0) @binding(1) var<storage, read> input: array<u32>;
/// Sum of everything before each block.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<u32>;
/// Sum of everything; known to the level that is a single block.
@group(0) @binding(4) var<storage, read_write> total: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn scan(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = group_index(workgroup, groups);
    if (block >= level.blocks) {
        return;
    }
    let first = block * BLOCK + local * ITEMS;
    var before: array<u32, ITEMS>;
    var sum = 0u;
    for (var k = 0u; k < ITEMS; k++) {
        before[k] = sum;
        if (first + k < level.length) {
            sum += input[first + k];
        }
    }
    let scanned = scan_group(local, sum);
    let offset = offsets[block] + scanned.x;
    for (var k = 0u; k < ITEMS; k++) {
        if (first + k < level.length) {
            output[first + k] = offset + before[k];
        }
    }
    if (level.blocks == 1u && local == 0u) {
        total[0] = scanned.y;
    }
}
