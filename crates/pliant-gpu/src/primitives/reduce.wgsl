// One value per block, always in the same order: first every invocation over its own elements, a
// workgroup's width apart, then halving trees over the invocations.
//
// What the elements are and how two are combined is told by the module `pliant::reduce::items`.

#import pliant::grid
#import pliant::level
#import pliant::reduce::items

/// A value per block.
@group(0) @binding(1) var<storage, read_write> results: array<Item>;

var<workgroup> tree: array<Item, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = group_index(workgroup, groups);
    if (block >= level.blocks) {
        return;
    }
    var own = NEUTRAL;
    for (var k = 0u; k < ITEMS; k++) {
        let i = block * BLOCK + k * WORKGROUP + local;
        if (i < level.length) {
            own = combine(own, item(i));
        }
    }
    tree[local] = own;
    workgroupBarrier();
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        if (local < half) {
            own = combine(own, tree[local + half]);
            tree[local] = own;
        }
        workgroupBarrier();
    }
    if (local == 0u) {
        results[block] = own;
    }
}
