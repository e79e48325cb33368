// Adds the energy of bending to what is known of a step's energies, behind inspect.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::body_constants
#import pliant::bending
#import pliant::implicit
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// Corners (slots) of each hinge, and how it resists, in two vectors.
@group(0) @binding(1) var<storage, read> hinges: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> hinge: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(3) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> flags: array<u32>;
/// See inspect.wgsl.
@group(0) @binding(5) var<storage, read_write> checks: array<vec4<f32>>;
@group(0) @binding(6) var<uniform> step: Step;

/// Whether a step begins, or has ended.
override IS_START: bool = true;

/// Energy, and at the start how much of that means nothing.
@compute @workgroup_size(WORKGROUP)
fn inspect_bending(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    var sums = vec2(0.0);
    let stride = sum_groups(step.slot_count) * WORKGROUP;
    for (var n = thread_index(workgroup, groups, local); n < arrayLength(&hinges); n += stride) {
        sums += energy_of_hinge(n);
    }
    let all = sum_of_group(local, sums);
    if (local == 0u) {
        let place_of_start = select(MOST_GROUPS, 0u, IS_START);
        checks[place_of_start + group_index(workgroup, groups)] += vec4(all.x, 0.0, all.y, 0.0);
    }
}

fn energy_of_hinge(n: u32) -> vec2<f32> {
    let corners = hinges[n];
    if (constants_of(corners.x).family != IMPLICIT) {
        return vec2(0.0);
    }
    let x = array(
        position[corners.x].xyz, position[corners.y].xyz, position[corners.z].xyz,
        position[corners.w].xyz,
    );
    let own = hinge_of(hinge[2u * n], hinge[2u * n + 1u]);
    let energy = hinge_energy(x, own);
    if (!IS_START) {
        return vec2(energy, 0.0);
    }
    let slopes = hinge_slopes(x, own).on;
    let squares = dot(slopes[0], slopes[0]) + dot(slopes[1], slopes[1]) + dot(slopes[2], slopes[2])
        + dot(slopes[3], slopes[3]);
    let steep = own.stiffness * squares * select(3.0, 1.0, own.is_dihedral);
    return vec2(energy, energy_uncertainty(steep, x[0], x[1] - x[0]));
}
