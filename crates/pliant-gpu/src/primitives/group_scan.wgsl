// Sums over the invocations of a workgroup, after Hillis and Steele, "Data Parallel Algorithms".

#import pliant::grid

/// Two rows: one is read while the other is written, which saves a barrier per step.
var<workgroup> rows: array<u32, 2u * WORKGROUP>;

/// Sum of the values of the invocations before this one, and of all of them. All must call it, and
/// only once per kernel.
fn scan_group(local: u32, value: u32) -> vec2<u32> {
    var row = 0u;
    rows[local] = value;
    workgroupBarrier();
    for (var distance = 1u; distance < WORKGROUP; distance *= 2u) {
        var sum = rows[row + local];
        if (local >= distance) {
            sum += rows[row + local - distance];
        }
        row = WORKGROUP - row;
        rows[row + local] = sum;
        workgroupBarrier();
    }
    return vec2(rows[row + local] - value, rows[row + WORKGROUP - 1u]);
}
