// Lets each vertex lose a share of what it does beside its whole, and take what its clusters give. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::shapes

/// The impulse that each member of a cluster gets [kg·m/s].
@group(0) @binding(0) var<storage, read> kicks: array<vec4<f32>>;
/// Members that are in each slot.
@group(0) @binding(1) var<storage, read> member_lists: array<u32>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> position: array<vec4<f32>>;
/// The whole that each slot belongs to.
@group(0) @binding(4) var<storage, read> whole_of: array<u32>;
/// How wholes move, see wholes.wgsl.
@group(0) @binding(5) var<storage, read> motions: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn match_shapes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let slice = slot / SLICE;
    let end = member_lists[slice + 1u];
    var sum = vec3(0.0);
    for (var at = member_lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let member = member_lists[at];
        if (member == NONE) {
            break;
        }
        sum += kicks[member].xyz;
    }
    let whole = whole_of[slot];
    let v = velocity[slot];
    if (whole == NONE || v.w == 0.0) {
        return;
    }
    let seen_at = motions[5u * whole];
    let moved = motions[5u * whole + 1u].xyz;
    let centre = motions[5u * whole + 2u].xyz;
    let motion = RigidMotion(centre, motions[5u * whole + 3u].xyz, motions[5u * whole + 4u].xyz);
    let lost = beside(motion, position[slot].xyz - seen_at.xyz, v.xyz - moved) * seen_at.w;
    velocity[slot] = vec4(v.xyz - lost + sum * v.w, v.w);
}
