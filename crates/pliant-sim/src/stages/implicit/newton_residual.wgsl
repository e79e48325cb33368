// Newton's iterations: the residual of the nonlinear equations at the present positions and velocities, and at first
// what holds vertices. Twin of cpu/newton.rs. What is free and what holds is appended, see cg_update.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::loads
#import pliant::implicit::sums

/// The fourth number is 1 for free vertices, else 0.
@group(0) @binding(0) var<storage, read> compensation: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> force: array<vec4<f32>>;
/// Last accelerations [m/s²].
@group(0) @binding(3) var<storage, read> history: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> touch: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(5) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<storage, read> search: Search;
@group(0) @binding(8) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> partials: array<vec2<f32>>;
@group(0) @binding(10) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn newton_residual(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let is_asked = search.phase == FIRST || search.phase == LINE_SEARCH;
    if (!is_asked || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    var sums = vec4(0.0);
    let stride = sum_groups(step.slot_count) * WORKGROUP;
    let first = thread_index(workgroup, groups, local);
    for (var slot = first; slot < step.slot_count; slot += stride) {
        sums += newton_residual_of_vertex(slot);
    }
    let left = sum_of_group(local, sums.xy);
    let along = sum_of_group(local, sums.zw);
    if (local == 0u) {
        let group = group_index(workgroup, groups);
        partials[RESIDUAL_SUMS + group] = left;
        partials[PRODUCT_SUMS + group] = along;
    }
}

/// Returns whether something holds the vertex, or later whether it moves it; b·b over the free components,
/// Δv·b, and the square of what rounding may do to b.
fn newton_residual_of_vertex(slot: u32) -> vec4<f32> {
    if (constants_of(slot).family != IMPLICIT) {
        return vec4(0.0);
    }
    let v = velocity[slot].xyz;
    let v_start = vectors[place(START_VELOCITY, slot)].xyz;
    let is_free = compensation[slot].w;
    let mass = vectors[place(OWN_BELOW, slot)].w;
    var b = (impulse_of_loads(slot, v, mass) + (v_start - v) * mass) * is_free;
    var is_counted = false;
    if (search.phase == FIRST) {
        vectors[place(RIGHT, slot)] = vec4(b, 0.0);
        let guess = history[slot].xyz * (step.implicit.x * is_free);
        let x = vectors[place(START_POSITION, slot)].xyz;
        is_counted = detect(slot, x, v_start, v, guess, is_free);
        b = vectors[place(RIGHT, slot)].xyz;
    } else {
        b -= free_part(free_of(slot), v - still_at(slot)) * vectors[place(CONTACT, slot)].w;
        vectors[place(RIGHT, slot)] = vec4(b, 0.0);
        is_counted = is_moved(slot, free_of(slot), vectors[place(DELTA, slot)].xyz);
    }
    let unit = free_part(free_of(slot), b) * step.implicit.w;
    let noise = vectors[place(PRODUCT, slot)].w;
    let along = dot(vectors[place(DELTA, slot)].xyz, unit);
    return vec4(select(0.0, 1.0, is_counted), dot(unit, unit), along, noise);
}
