// Sizes of vectors, such as forces and velocities, to be shown as colours. One invocation per slot.

#import pliant::grid

/// Some vectors; the fourth number is something else.
@group(0) @binding(0) var<storage, read> vectors: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> sizes_out: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn sizes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot < arrayLength(&sizes_out)) {
        sizes_out[slot] = length(vectors[slot].xyz);
    }
}
