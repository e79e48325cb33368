// Looks at what an implicit step has done: one that gave energy to bodies or turned elements inside out
// is refused. Twin of cpu/inspect.rs, for all bodies together. What obstacles give is appended: given_by_walls.wgsl or
// given_by_obstacles.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::body_constants
#import pliant::implicit
#import pliant::implicit::sums

/// The fourth number is the mass [kg].
@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// The fourth number is 1/mass, 0 for locked vertices.
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> springs: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> tets: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> volumes: array<vec2<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(5) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<storage, read> touch: array<vec4<f32>>;
/// Sums of workgroups, then for each tetrahedron whether it was upright when the step began.
@group(0) @binding(8) var<storage, read_write> checks: array<vec4<f32>>;
@group(0) @binding(9) var<uniform> step: Step;

/// More energy than anything has.
const LARGE: f32 = 1e30;

/// Energies when a step begins, and which tetrahedra are upright.
@compute @workgroup_size(WORKGROUP)
fn inspect_start(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    add_up(workgroup, groups, local, true);
}

/// Energies when it has ended, and which of these were turned.
@compute @workgroup_size(WORKGROUP)
fn inspect_end(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    add_up(workgroup, groups, local, false);
}

/// Elastic energy; kinetic energy; at the start how much of that means nothing, at the end how many
/// tetrahedra were turned; the work of loads.
fn add_up(workgroup: vec3<u32>, groups: vec3<u32>, local: u32, is_start: bool) {
    var sums = vec4(0.0);
    let stride = sum_groups(step.slot_count) * WORKGROUP;
    let first = thread_index(workgroup, groups, local);
    for (var n = first; n < step.spring_count; n += stride) {
        sums += energy_of_spring(springs[n], is_start);
    }
    for (var n = first; n < step.tet_count; n += stride) {
        sums += energy_of_tet(n, is_start);
    }
    for (var slot = first; slot < step.slot_count; slot += stride) {
        sums += motion(slot, is_start);
    }
    let elastic = sum_of_group(local, sums.xy);
    let more = sum_of_group(local, sums.zw);
    if (local == 0u) {
        let place_of_start = select(MOST_GROUPS, 0u, is_start);
        checks[place_of_start + group_index(workgroup, groups)] = vec4(elastic, more);
    }
}

fn energy_of_spring(spring: vec4<u32>, is_start: bool) -> vec4<f32> {
    if (constants_of(spring.x).family != IMPLICIT) {
        return vec4(0.0);
    }
    let corner = position[spring.x].xyz;
    let edge = position[spring.y].xyz - corner;
    let k = bitcast<f32>(spring.z);
    let energy = spring_energy(edge, k, bitcast<f32>(spring.w));
    let uncertainty = select(0.0, energy_uncertainty(2.0 * k, corner, edge), is_start);
    return vec4(energy, 0.0, uncertainty, 0.0);
}

/// Its energy, what of that means nothing, and whether it was turned. The thesis form (Echtler 2004)
/// has no energy that could be compared: what cannot be told apart from rounding is infinite then.
fn energy_of_tet(n: u32, is_start: bool) -> vec4<f32> {
    let tet = tets[n];
    if (constants_of(tet.x).family != IMPLICIT) {
        return vec4(0.0);
    }
    let x = array(
        position[tet.x].xyz, position[tet.y].xyz, position[tet.z].xyz, position[tet.w].xyz,
    );
    let slope = six_volumes_gradient(x);
    let volume = volumes[n];
    let energy = select(volume_energy(x, volume), 0.0, volume.x < 0.0);
    let upright = 2u * MOST_GROUPS + n / 4u;
    if (is_start) {
        checks[upright][n % 4u] = select(0.0, 1.0, slope.six_volumes > 0.0);
        var steep = 0.0;
        for (var k = 0u; k < 4u; k++) {
            steep += dot(slope.g[k], slope.g[k]);
        }
        let uncertainty = energy_uncertainty(volume.x * steep, x[0], x[1] - x[0]);
        return vec4(energy, 0.0, select(uncertainty, LARGE, volume.x < 0.0), 0.0);
    }
    let is_bad = checks[upright][n % 4u] != 0.0 && is_turned(x);
    return vec4(energy, 0.0, select(0.0, 1.0, is_bad), 0.0);
}

/// Kinetic energy, and of steps that have ended what may have come from loads.
fn motion(slot: u32, is_start: bool) -> vec4<f32> {
    let v = velocity[slot];
    if (constants_of(slot).family != IMPLICIT) {
        return vec4(0.0);
    }
    if (v.w == 0.0) {
        // Whoever leads a locked vertex gives its body energy, nobody knows how much before the step is over.
        return vec4(0.0, 0.0, select(0.0, LARGE, is_start && any(v.xyz != vec3(0.0))), 0.0);
    }
    let x = position[slot];
    let kinetic = 0.5 * x.w * dot(v.xyz, v.xyz);
    if (is_start) {
        return vec4(0.0, kinetic, 0.0, 0.0);
    }
    let h = step.implicit.x;
    var work = h * dot(step.gravity.xyz * x.w + step.loading.xyz, v.xyz) + given_by_obstacles(slot);
    if (step.loading.w != 0.0) {
        // Hands give and take; what they may have given is no gain.
        work += h * dot(abs(touch[slot].xyz * v.xyz), vec3(1.0));
    }
    return vec4(0.0, kinetic, 0.0, work);
}
