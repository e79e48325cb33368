// Adds the tethers at every vertex to its force. One invocation per slot.

#import pliant::grid
#import pliant::tether

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// Where the list of each slot begins, and where the last one ends.
@group(0) @binding(1) var<storage, read> first: array<u32>;
/// Slot of the other end, and the bits of the stiffness [N/m³].
@group(0) @binding(2) var<storage, read> others: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> force: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn pull(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= arrayLength(&position)) {
        return;
    }
    let x = position[slot].xyz;
    var sum = vec3(0.0);
    for (var n = first[slot]; n < first[slot + 1u]; n++) {
        let other = others[n];
        sum += tether_force(position[other.x].xyz - x, bitcast<f32>(other.y));
    }
    force[slot] += vec4(sum, 0.0);
}
