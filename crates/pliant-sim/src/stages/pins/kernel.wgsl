// Gives pinned vertices the velocities of a substep. One invocation for each.

#import pliant::grid
#import pliant::step
#import pliant::pins

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> compensation: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
/// Two for each pinned vertex: where it was at the start [m] and the bits of its slot, its arm [m] and the bits of its
/// path.
@group(0) @binding(3) var<storage, read> pinned: array<vec4<f32>>;
/// First the bits of the submission's first substep and of the number of paths, and 1/h [1/s], then three for each path
/// in each substep.
@group(0) @binding(4) var<storage, read> paths: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> flags: array<u32>;
@group(0) @binding(6) var<uniform> step: Step;

/// How many vertices are pinned.
override PINNED: u32 = 0u;

@compute @workgroup_size(WORKGROUP)
fn lead(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= PINNED || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let rest = pinned[2u * n];
    let arm = pinned[2u * n + 1u];
    let slot = bitcast<u32>(rest.w);
    let head = paths[0];
    let substep = step.substep - 1u - bitcast<u32>(head.x);
    let at = 1u + 3u * (substep * bitcast<u32>(head.y) + bitcast<u32>(arm.w));
    let led = Led(paths[at], paths[at + 1u], paths[at + 2u]);
    let x = position[slot].xyz;
    let v = leading_velocity(x, compensation[slot].xyz, rest.xyz, arm.xyz, led, head.z);
    velocity[slot] = vec4(v, velocity[slot].w);
}
