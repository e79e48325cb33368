// Moves the origin of a body. One invocation per slot of it.

#import pliant::grid

/// Twin of `Shift` in shift.rs.
struct Shift {
    /// What is taken from the positions [m].
    by: vec4<f32>,
    /// The first slot and the end; the others are unused.
    slots: vec4<u32>,
}

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<uniform> origin_shift: Shift;

@compute @workgroup_size(WORKGROUP)
fn shift(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = origin_shift.slots.x + thread_index(workgroup, groups, local);
    if (slot < origin_shift.slots.y) {
        position[slot] -= vec4(origin_shift.by.xyz, 0.0);
    }
}
