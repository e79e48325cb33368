// Mean at each vertex of what its tetrahedra have: twin of `mean_at_vertices` in mod.rs. One
// invocation per slot.

#import pliant::grid
#import pliant::step

/// Tetrahedra at each vertex, as 4 tet + corner.
@group(0) @binding(0) var<storage, read> tet_lists: array<u32>;
/// One number for each tetrahedron.
@group(0) @binding(1) var<storage, read> of_tets: array<f32>;
/// The means, as bits, since some are not numbers.
@group(0) @binding(2) var<storage, read_write> means_out: array<u32>;

/// Stands where there is no tetrahedron.
const NOT_A_NUMBER: u32 = 0x7fc00000u;

@compute @workgroup_size(WORKGROUP)
fn means(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= arrayLength(&means_out)) {
        return;
    }
    let slice = slot / SLICE;
    let end = tet_lists[slice + 1u];
    var sum = 0.0;
    var count = 0u;
    for (var at = tet_lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let entry = tet_lists[at];
        if (entry == NONE) {
            break;
        }
        sum += of_tets[entry >> 2u];
        count++;
    }
    means_out[slot] = select(bitcast<u32>(sum / f32(max(count, 1u))), NOT_A_NUMBER, count == 0u);
}
