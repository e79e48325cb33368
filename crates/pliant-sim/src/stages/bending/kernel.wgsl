// Adds the forces of bending at every vertex to its force, each hinge computed anew at each of its corners. One
// invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::bending

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// Corners (slots) of each hinge.
@group(0) @binding(1) var<storage, read> hinges: array<vec4<u32>>;
/// How it resists, in two vectors.
@group(0) @binding(2) var<storage, read> hinge: array<vec4<f32>>;
/// Hinges at each slot: `4·hinge + corner`.
@group(0) @binding(3) var<storage, read> hinge_lists: array<u32>;
@group(0) @binding(4) var<storage, read> flags: array<u32>;
@group(0) @binding(5) var<storage, read_write> force: array<vec4<f32>>;
@group(0) @binding(6) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn bend(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let slice = slot / SLICE;
    let end = hinge_lists[slice + 1u];
    var sum = vec3(0.0);
    for (var at = hinge_lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let entry = hinge_lists[at];
        if (entry == NONE) {
            break;
        }
        let n = entry >> 2u;
        let corners = hinges[n];
        let x = array(
            position[corners.x].xyz, position[corners.y].xyz, position[corners.z].xyz,
            position[corners.w].xyz,
        );
        var forces = hinge_forces(x, hinge_of(hinge[2u * n], hinge[2u * n + 1u]));
        sum += forces.on[entry & 3u];
    }
    force[slot] += vec4(sum, 0.0);
}
