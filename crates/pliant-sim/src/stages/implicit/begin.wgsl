// The right-hand side of a step, the guess for Δv, and what is given beforehand: locks and walls.
// Twin of cpu/begin.rs.

#import pliant::grid
#import pliant::step
#import pliant::implicit::vectors
#import pliant::implicit::loads
#import pliant::implicit::contact
#import pliant::implicit::contact_store
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

/// Returns whether walls hold the vertex, and b·b over the free components.
fn begin_vertex(slot: u32) -> vec2<f32> {
    let body = constants_of(slot);
    if (body.family != IMPLICIT) {
        return vec2(0.0);
    }
    let h = step.implicit.x;
    let v = velocity[slot].xyz;
    let free = compensation[slot].w;
    let mass = vectors[place(OWN_BELOW, slot)].w;
    let b = (impulse_of_loads(slot, v, mass) - vectors[place(PRODUCT, slot)].xyz) * free;
    vectors[place(RIGHT, slot)] = vec4(b, 0.0);
    let guess = history[slot].xyz * (h * free);
    let alone = Contact(vec3(free), guess, 0.0, vec2(0.0), 0u);
    var contact = alone;
    if (body.has_walls && free != 0.0) {
        let start = Start(body.walls, position[slot].xyz, v, h);
        contact = first_contact(start, v, b, guess, inertia_of(slot));
    }
    store_contact(slot, alone, contact, v);
    let scaled = vectors[place(RIGHT, slot)].xyz * contact.mask * step.implicit.w;
    return vec2(select(0.0, 1.0, contact.bits != 0u), dot(scaled, scaled));
}
