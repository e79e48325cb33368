// The force of the air on every vertex, and in implicit steps its share of the system's diagonal [kg]. One invocation
// per slot.

#import pliant::grid
#import pliant::step
#import pliant::air

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
/// Slots of the corners, and the bits of the inverse of the mass [1/kg].
@group(0) @binding(2) var<storage, read> triangles: array<vec4<u32>>;
/// The triangles at each slot, slice by slice.
@group(0) @binding(3) var<storage, read> lists: array<u32>;
@group(0) @binding(4) var<storage, read> flags: array<u32>;
@group(0) @binding(5) var<storage, read_write> touch: array<vec4<f32>>;
@group(0) @binding(6) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn blow(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let air = Air(step.wind.xyz, step.air.x, step.air.y, step.air.z, step.air.w);
    let slice = slot / SLICE;
    let end = lists[slice + 1u];
    var sum = vec4(0.0);
    for (var at = lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let number = lists[at];
        if (number == NONE) {
            break;
        }
        let corners = triangles[number];
        let x = array(position[corners.x].xyz, position[corners.y].xyz, position[corners.z].xyz);
        let v = array(velocity[corners.x].xyz, velocity[corners.y].xyz, velocity[corners.z].xyz);
        let found = air_force(x, v, bitcast<f32>(corners.w), air);
        let resistance = step.implicit.x * found.resistance * (1.0 / 3.0);
        sum += vec4(found.force * (1.0 / 3.0), resistance);
    }
    touch[slot] = sum;
}
