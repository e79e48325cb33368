// The rigid motions of wholes, from the sums over their parts. One invocation for each whole.

#import pliant::grid
#import pliant::step
#import pliant::shapes

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
/// Of each whole two: first part, end, the slot of the vertex that the others are seen from, and kind; 1/mass [1/kg] as bits.
@group(0) @binding(2) var<storage, read> wholes: array<vec4<u32>>;
/// See parts.wgsl.
@group(0) @binding(3) var<storage, read> sums: array<vec4<f32>>;
/// See clusters.wgsl.
@group(0) @binding(4) var<storage, read> kinds: array<vec4<f32>>;
/// Five of each whole: position and velocity of the vertex that the others are seen from, then its motion. The fourth
/// number of the first is the share that is lost of what is beside it.
@group(0) @binding(5) var<storage, read_write> motions: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn move_wholes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (2u * n >= arrayLength(&wholes) || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let whole = wholes[2u * n];
    let inv_mass = bitcast<f32>(wholes[2u * n + 1u].x);
    var all = Sums();
    for (var part = whole.x; part < whole.y; part++) {
        let place = sums[4u * part];
        let momentum = sums[4u * part + 1u];
        let angular = sums[4u * part + 2u];
        all.place += place.xyz;
        all.momentum += momentum.xyz;
        all.angular += angular.xyz;
        all.squares += sums[4u * part + 3u].xyz;
        all.products += vec3(place.w, momentum.w, angular.w);
    }
    let motion = rigid_motion_of(all, inv_mass);
    motions[5u * n] = vec4(position[whole.z].xyz, kinds[2u * whole.w].z);
    motions[5u * n + 1u] = vec4(velocity[whole.z].xyz, 0.0);
    motions[5u * n + 2u] = vec4(motion.centre, 0.0);
    motions[5u * n + 3u] = vec4(motion.velocity, 0.0);
    motions[5u * n + 4u] = vec4(motion.spin, 0.0);
}
