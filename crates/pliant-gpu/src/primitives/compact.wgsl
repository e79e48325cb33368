// The numbers of the elements whose flag is set, given how many are set before each block.

#import pliant::grid
#import pliant::level
#import pliant::group_scan

struct Selection {
    /// Workgroups for one invocation per selected element, as the grid folds them.
    groups: vec3<u32>,
    /// Selected elements.
    count: u32,
}

@group(0) @binding(1) var<storage, read> flags: array<u32>;
/// Selected elements before each block.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
/// Selected elements.
@group(0) @binding(3) var<storage, read> total: array<u32>;
@group(0) @binding(4) var<storage, read_write> indices: array<u32>;
@group(0) @binding(5) var<storage, read_write> selection: Selection;

/// Workgroups that a dispatch may have along an axis.
const MOST_GROUPS: u32 = 65535u;

@compute @workgroup_size(WORKGROUP)
fn compact(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = group_index(workgroup, groups);
    if (block >= level.blocks) {
        return;
    }
    let first = block * BLOCK + local * ITEMS;
    // A bit per element.
    var selected = 0u;
    for (var k = 0u; k < ITEMS; k++) {
        if (first + k < level.length && flags[first + k] != 0u) {
            selected |= 1u << k;
        }
    }
    var next = offsets[block] + scan_group(local, countOneBits(selected)).x;
    for (var k = 0u; k < ITEMS; k++) {
        if ((selected & (1u << k)) != 0u) {
            indices[next] = first + k;
            next++;
        }
    }
    if (block == 0u && local == 0u) {
        let count = total[0];
        let needed = (count + WORKGROUP - 1u) / WORKGROUP;
        let rows = max((needed + MOST_GROUPS - 1u) / MOST_GROUPS, 1u);
        selection.groups = vec3((needed + rows - 1u) / rows, rows, 1u);
        selection.count = count;
    }
}
