// Strategy `edge-gather`: the forces of every element are computed once (the edge-centric way of
// Georgii & Westermann) and stored; the update adds them up, with signs, from the lists of each
// vertex. One invocation per element: springs first, then tetrahedra.

#import pliant::elements

@group(0) @binding(7) var<storage, read> flags: array<u32>;
@group(0) @binding(8) var<storage, read_write> parts: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn edge_gather(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let element = thread_index(workgroup, groups, local);
    if (flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    if (element < step.spring_count) {
        store(element, force_of_spring(element));
    } else if (element < step.spring_count + step.tet_count) {
        let tet = element - step.spring_count;
        var forces = forces_of_tet(tet);
        for (var corner = 0u; corner < 4u; corner++) {
            store(step.spring_count + 4u * tet + corner, forces.on[corner]);
        }
    }
}

fn store(part: u32, f: vec3<f32>) {
    parts[3u * part] = f.x;
    parts[3u * part + 1u] = f.y;
    parts[3u * part + 2u] = f.z;
}
