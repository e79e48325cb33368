// Looks at what an implicit step has done: one that gave energy to bodies or turned elements inside out
// is refused. Twin of cpu/inspect.rs, for all bodies together.

#import pliant::grid
#import pliant::step
#import pliant::frames
#import pliant::implicit
#import pliant::implicit::vectors
#import pliant::implicit::sums

/// The fourth number is the mass [kg].
@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// The fourth number is 1/mass, 0 for locked vertices.
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> springs: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> tets: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> volumes: array<vec2<f32>>;
/// See frames.wgsl.
@group(0) @binding(5) var<storage, read> frames: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<storage, read> touch: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> vectors: array<vec4<f32>>;
/// Sums of workgroups, then for each tetrahedron whether it was upright when the step began.
@group(0) @binding(9) var<storage, read_write> checks: array<vec4<f32>>;
@group(0) @binding(10) var<uniform> step: Step;

/// More energy than anything has.
const LARGE: f32 = 1e30;

/// Energies when a step begins, and which tetrahedra are upright.
@compute @workgroup_size(WORKGROUP)
fn before(
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
fn after(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    add_up(workgroup, groups, local, false);
}

/// Elastic energy, kinetic energy, turned tetrahedra, and the work of loads with what means nothing.
fn add_up(workgroup: vec3<u32>, groups: vec3<u32>, local: u32, is_start: bool) {
    var sums = vec4(0.0);
    let stride = sum_groups(step.slot_count) * WORKGROUP;
    let first = thread_index(workgroup, groups, local);
    for (var n = first; n < step.spring_count; n += stride) {
        sums.x += spring_energy(springs[n]);
    }
    for (var n = first; n < step.tet_count; n += stride) {
        let of_tet = tet_energy(n, is_start);
        sums += vec4(of_tet.x, 0.0, of_tet.y, 0.0);
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

fn spring_energy(spring: vec4<u32>) -> f32 {
    if (!frame_of(spring.x).is_implicit) {
        return 0.0;
    }
    let stretch = length(position[spring.y].xyz - position[spring.x].xyz) - bitcast<f32>(spring.w);
    return 0.5 * bitcast<f32>(spring.z) * stretch * stretch;
}

/// Its energy, and whether it was turned. The thesis form has no energy that could be compared: what
/// cannot be told apart from rounding is infinite then.
fn tet_energy(n: u32, is_start: bool) -> vec2<f32> {
    let tet = tets[n];
    if (!frame_of(tet.x).is_implicit) {
        return vec2(0.0);
    }
    let x = array(
        position[tet.x].xyz, position[tet.y].xyz, position[tet.z].xyz, position[tet.w].xyz,
    );
    let w = six_volumes_gradient(x).six_volumes;
    let volume = volumes[n];
    let stretch = w - volume.y;
    let energy = 0.5 * max(volume.x, 0.0) * stretch * stretch;
    let upright = 2u * MOST_GROUPS + n / 4u;
    if (is_start) {
        checks[upright][n % 4u] = select(0.0, 1.0, w > 0.0);
        return vec2(energy, select(0.0, LARGE, volume.x < 0.0));
    }
    let is_bad = checks[upright][n % 4u] != 0.0 && is_turned(x);
    return vec2(energy, select(0.0, 1.0, is_bad));
}

/// Kinetic energy, and of steps that have ended what may have come from loads, or means nothing.
fn motion(slot: u32, is_start: bool) -> vec4<f32> {
    let v = velocity[slot];
    let frame = frame_of(slot);
    if (v.w == 0.0 || !frame.is_implicit) {
        return vec4(0.0);
    }
    let x = position[slot];
    let kinetic = 0.5 * x.w * dot(v.xyz, v.xyz);
    if (is_start) {
        return vec4(0.0, kinetic, 0.0, 0.0);
    }
    let h = step.implicit.x;
    var work = h * dot(step.gravity.xyz * x.w + step.loading.xyz, v.xyz);
    if (step.loading.w != 0.0) {
        // Hands give and take; what they may have given is no gain.
        work += h * dot(abs(touch[slot].xyz * v.xyz), vec3(1.0));
    }
    let own = vectors[place(OWN, slot)];
    let block = matrix_of_factors(Factors(own.xyz, vectors[place(OWN_BELOW, slot)].xyz));
    let hardness = block[0].x + block[1].y + block[2].z - 3.0 * own.w;
    // What throws a vertex by four edges in a step is beyond the limit.
    let edge = 0.25 * frame.limit * h * h;
    work += max(hardness, 0.0) * unseen_energy(dot(x.xyz, x.xyz), edge, h);
    return vec4(0.0, kinetic, 0.0, work);
}
