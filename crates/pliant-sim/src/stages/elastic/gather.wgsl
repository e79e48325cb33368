// Strategy `gather`: every vertex adds the forces of its springs and tetrahedra, each of which is
// computed anew at each of its corners (the point-centric way of Georgii & Westermann). One
// invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::elastic

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> springs: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> damping: array<f32>;
@group(0) @binding(4) var<storage, read> spring_lists: array<u32>;
@group(0) @binding(5) var<storage, read> tets: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> volumes: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read> tet_lists: array<u32>;
@group(0) @binding(8) var<storage, read> flags: array<u32>;
@group(0) @binding(9) var<storage, read_write> force: array<vec4<f32>>;
@group(0) @binding(10) var<uniform> step: Step;

/// Whether springs are damped.
override DAMPED: bool = false;

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
        let spring = springs[entry >> 1u];
        let l = position[spring.y].xyz - position[spring.x].xyz;
        var f = spring_force(l, bitcast<f32>(spring.z), bitcast<f32>(spring.w));
        if (DAMPED) {
            let v = velocity[spring.y].xyz - velocity[spring.x].xyz;
            f += spring_damping_force(l, v, damping[entry >> 1u]);
        }
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
        let tet = tets[entry >> 2u];
        let x = array(
            position[tet.x].xyz, position[tet.y].xyz, position[tet.z].xyz, position[tet.w].xyz,
        );
        var forces = volume_forces(x, volumes[entry >> 2u]);
        sum += forces.on[entry & 3u];
    }
    return sum;
}
