// The right-hand side of a step, the guess for Δv, and what is given beforehand: locks and what holds vertices.
// Twin of cpu/begin.rs. What is free and what holds is appended, see cg_update.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::implicit::vectors
#import pliant::implicit::loads
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// The fourth number is 1 for free vertices, else 0.
@group(0) @binding(1) var<storage, read> compensation: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> force: array<vec4<f32>>;
/// Last accelerations [m/s²].
@group(0) @binding(4) var<storage, read> history: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> touch: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(6) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> flags: array<u32>;
@group(0) @binding(8) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> partials: array<vec2<f32>>;
@group(0) @binding(10) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn begin(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    var sums = vec2(0.0);
    let stride = sum_groups(step.slot_count) * WORKGROUP;
    let first = thread_index(workgroup, groups, local);
    for (var slot = first; slot < step.slot_count; slot += stride) {
        sums += begin_vertex(slot);
    }
    let sum = sum_of_group(local, sums);
    if (local == 0u) {
        partials[RESIDUAL_SUMS + group_index(workgroup, groups)] = sum;
    }
}

/// Returns whether something holds the vertex, and b·b over the free components.
fn begin_vertex(slot: u32) -> vec2<f32> {
    if (constants_of(slot).family != IMPLICIT) {
        return vec2(0.0);
    }
    let v = velocity[slot].xyz;
    let is_free = compensation[slot].w;
    let mass = vectors[place(OWN_BELOW, slot)].w;
    let b = (impulse_of_loads(slot, v, mass) - vectors[place(PRODUCT, slot)].xyz) * is_free;
    vectors[place(RIGHT, slot)] = vec4(b, 0.0);
    let guess = history[slot].xyz * (step.implicit.x * is_free);
    let is_held = detect(slot, position[slot].xyz, v, v, guess, is_free);
    let scaled = free_part(free_of(slot), vectors[place(RIGHT, slot)].xyz) * step.implicit.w;
    return vec2(select(0.0, 1.0, is_held), dot(scaled, scaled));
}
