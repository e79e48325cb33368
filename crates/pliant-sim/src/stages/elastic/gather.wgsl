// Strategy `gather`: every vertex adds the forces of its springs and tetrahedra, each of which is
// computed anew at each of its corners (the point-centric way of Georgii & Westermann). One
// invocation per slot.

#import pliant::elements

@group(0) @binding(7) var<storage, read> flags: array<u32>;
@group(0) @binding(8) var<storage, read> spring_lists: array<u32>;
@group(0) @binding(9) var<storage, read> tet_lists: array<u32>;
@group(0) @binding(10) var<storage, read_write> force: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn gather(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    force[slot] = vec4(spring_sum(slot) + volume_sum(slot), 0.0);
}

fn spring_sum(slot: u32) -> vec3<f32> {
    let slice = slot / SLICE;
    let end = spring_lists[slice + 1u];
    var sum = vec3(0.0);
    for (var at = spring_lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let entry = spring_lists[at];
        if (entry == NONE) {
            break;
        }
        let f = force_of_spring(entry >> 1u);
        sum += select(f, -f, (entry & 1u) == 1u);
    }
    return sum;
}

fn volume_sum(slot: u32) -> vec3<f32> {
    let slice = slot / SLICE;
    let end = tet_lists[slice + 1u];
    var sum = vec3(0.0);
    for (var at = tet_lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let entry = tet_lists[at];
        if (entry == NONE) {
            break;
        }
        var forces = forces_of_tet(entry >> 2u);
        sum += forces.on[entry & 3u];
    }
    return sum;
}
