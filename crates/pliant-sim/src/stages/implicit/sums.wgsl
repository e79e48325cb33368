// Sums over all vertices in an order that never changes: every workgroup adds up what its invocations
// have and stores it; whoever needs the total adds these up in the same way.

#import pliant::grid

/// Workgroups that sums are taken over at most; each takes every so-many-th chunk of vertices.
const MOST_GROUPS: u32 = 1024u;

/// Places of the workgroups' sums: those of products, and those of everything else.
const PRODUCT_SUMS: u32 = 0u;
const RESIDUAL_SUMS: u32 = MOST_GROUPS;

var<workgroup> lanes: array<vec2<f32>, WORKGROUP>;
var<workgroup> rows: array<vec2<f32>, 16>;

/// Workgroups that sums are taken over.
fn sum_groups(slot_count: u32) -> u32 {
    return min((slot_count + WORKGROUP - 1u) / WORKGROUP, MOST_GROUPS);
}

/// The sum of the values of all invocations of the workgroup, for each of them: sixteen rows of
/// sixteen, then the rows.
fn sum_of_group(local: u32, value: vec2<f32>) -> vec2<f32> {
    lanes[local] = value;
    workgroupBarrier();
    if (local < 16u) {
        var row = vec2(0.0);
        for (var k = 0u; k < 16u; k++) {
            row += lanes[16u * k + local];
        }
        rows[local] = row;
    }
    workgroupBarrier();
    var total = vec2(0.0);
    for (var k = 0u; k < 16u; k++) {
        total += rows[k];
    }
    // Nobody writes the next sum before all have read this one.
    workgroupBarrier();
    return total;
}
