// Strategy `edge-scatter`: every element adds its forces to its corners, as whole numbers. These have no
// rounding, so the order in which they arrive does not matter. The update takes the sums and leaves
// zeros. One invocation per element: springs first, then tetrahedra.

#import pliant::elements
#import pliant::fixed

@group(0) @binding(7) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> parts: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn edge_scatter(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let element = thread_index(workgroup, groups, local);
    if (atomicLoad(&flags[BAD_SUBSTEP]) < step.substep) {
        return;
    }
    if (element < step.spring_count) {
        let f = force_of_spring(element);
        scatter(springs[element].x, f);
        scatter(springs[element].y, -f);
    } else if (element < step.spring_count + step.tet_count) {
        let tet = element - step.spring_count;
        var forces = forces_of_tet(tet);
        for (var corner = 0u; corner < 4u; corner++) {
            scatter(tets[tet][corner], forces.on[corner]);
        }
    }
}

fn scatter(slot: u32, f: vec3<f32>) {
    for (var k = 0u; k < 3u; k++) {
        let number = fixed_from(f[k] * step.fixed.x, step.fixed.z);
        if (number.saturated) {
            atomicAdd(&flags[SATURATED], 1u);
        }
        let before = atomicAdd(&parts[6u * slot + k], number.low);
        let carry = select(0u, 1u, before + number.low < before);
        atomicAdd(&parts[6u * slot + 3u + k], number.high + carry);
    }
}
