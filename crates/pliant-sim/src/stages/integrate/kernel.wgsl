// The vertex sweep: takes the elastic forces, adds touches and gravity, watches for divergence,
// integrates, and stops what cannot go there. Bodies that take implicit steps only get their forces
// here. One invocation per slot. What stops vertices is appended: walls/sweep.wgsl or colliders/sweep.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::body_constants
#import pliant::fixed
#import pliant::integrate
#import pliant::sweep

/// Positions [m]; the fourth number is the mass [kg].
@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
/// What rounding took from the positions; the fourth number is 1 for free vertices, else 0.
@group(0) @binding(1) var<storage, read_write> compensation: array<vec4<f32>>;
/// Velocities [m/s]; the fourth number is 1/mass, 0 for locked vertices.
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> force: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> history: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(6) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> part_lists: array<u32>;
@group(0) @binding(9) var<storage, read_write> parts: array<u32>;
@group(0) @binding(10) var<uniform> step: Step;

/// Where the elastic forces are: in `force` (0), in stored parts (1), in fixed-point sums (2).
override COLLECT: u32 = 0u;
/// Whether `force` is needed again after the update.
override KEEP_FORCE: bool = false;
/// Kick and drift (0), Beeman's drift (1) and kick (2), Runge–Kutta (3).
override UPDATE: u32 = 0u;
/// How many arrays the integrator remembers.
override HISTORY: u32 = 0u;

@compute @workgroup_size(WORKGROUP)
fn integrate(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || atomicLoad(&flags[BAD_SUBSTEP]) < step.substep) {
        return;
    }
    let elastic = collected(slot);
    let body = constants_of(slot);
    if (COLLECT != 0u && (KEEP_FORCE || body.family != EXPLICIT)) {
        force[slot] = vec4(elastic, 0.0);
    }
    if (body.family != EXPLICIT) {
        return;
    }
    var total = elastic;
    if (step.loading.w != 0.0) {
        total += touch[slot].xyz;
    }
    let inv_mass = velocity[slot].w;
    let a = (total + step.loading.xyz) * inv_mass;
    check_divergence(slot, a, body.limit);
    var m = advance(slot, a + step.gravity.xyz * compensation[slot].w);
    if (step.flags.z != 0u && inv_mass != 0.0) {
        // Runge–Kutta schemes remember where the step began.
        let start = select(position[slot].xyz, m.history[0], UPDATE == 3u);
        m = stop(slot, start, m, body);
    }
    store(slot, m, body);
    for (var k = 0u; k < HISTORY; k++) {
        history[k * step.slot_count + slot] = vec4(m.history[k], 0.0);
    }
}

/// Only takes the elastic forces, for those who want to see them.
@compute @workgroup_size(WORKGROUP)
fn collect(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot < step.slot_count && atomicLoad(&flags[BAD_SUBSTEP]) >= step.substep) {
        force[slot] = vec4(collected(slot), 0.0);
    }
}

/// The elastic force on a vertex [N].
fn collected(slot: u32) -> vec3<f32> {
    if (COLLECT == 1u) {
        return sum_of_parts(slot);
    }
    if (COLLECT == 2u) {
        return taken_sum(slot);
    }
    return force[slot].xyz;
}

fn sum_of_parts(slot: u32) -> vec3<f32> {
    let slice = slot / SLICE;
    let end = part_lists[slice + 1u];
    var sum = vec3(0.0);
    for (var at = part_lists[slice] + slot % SLICE; at < end; at += SLICE) {
        let entry = part_lists[at];
        if (entry == NONE) {
            break;
        }
        let part = 3u * (entry >> 1u);
        let f = bitcast<vec3<f32>>(vec3(parts[part], parts[part + 1u], parts[part + 2u]));
        sum += select(f, -f, (entry & 1u) == 1u);
    }
    return sum;
}

fn taken_sum(slot: u32) -> vec3<f32> {
    var sum = vec3(0.0);
    for (var k = 0u; k < 3u; k++) {
        let at = 6u * slot + k;
        sum[k] = fixed_to(parts[at], parts[at + 3u]) * step.fixed.y;
        parts[at] = 0u;
        parts[at + 3u] = 0u;
    }
    return sum;
}

/// Notes the first vertex that is accelerated beyond the limit, or by something that is not a
/// number: compared as bits, since compilers may assume that numbers are numbers.
fn check_divergence(slot: u32, a: vec3<f32>, limit: f32) {
    if (any(bitcast<vec3<u32>>(abs(a)) > vec3(bitcast<u32>(limit)))) {
        note_bad(slot);
    }
}

fn advance(slot: u32, a: vec3<f32>) -> Motion {
    var m: Motion;
    m.x = position[slot].xyz;
    m.x_compensation = compensation[slot].xyz;
    m.v = velocity[slot].xyz;
    m.zero = bitcast<u32>(step.fixed.w);
    for (var k = 0u; k < HISTORY; k++) {
        m.history[k] = history[k * step.slot_count + slot].xyz;
    }
    switch UPDATE {
        case 1u: { return beeman_drift(m, a, step.coefficients); }
        case 2u: { return beeman_kick(m, a, step.coefficients); }
        case 3u: {
            let first = step.flags.x != 0u;
            return runge_kutta(m, a, step.coefficients, first, step.flags.y != 0u);
        }
        default: { return kick_drift(m, a, step.coefficients); }
    }
}
