// Newton's iterations: the residual of the nonlinear equations at the present positions and velocities, and at first
// what walls give. Twin of cpu/newton.rs.

#import pliant::grid
#import pliant::step
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::loads
#import pliant::implicit::contact
#import pliant::implicit::contact_store
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

/// Returns whether walls hold the vertex, or later whether they move it; b·b over the free components,
/// Δv·b, and the square of what rounding may do to b.
fn newton_residual_of_vertex(slot: u32) -> vec4<f32> {
    let body = constants_of(slot);
    if (body.family != IMPLICIT) {
        return vec4(0.0);
    }
    let h = step.implicit.x;
    let v = velocity[slot].xyz;
    let v_start = vectors[place(START_VELOCITY, slot)].xyz;
    let free = compensation[slot].w;
    let mass = vectors[place(OWN_BELOW, slot)].w;
    var b = (impulse_of_loads(slot, v, mass) + (v_start - v) * mass) * free;
    var contact = load_contact(slot);
    if (search.phase == FIRST) {
        vectors[place(RIGHT, slot)] = vec4(b, 0.0);
        let guess = history[slot].xyz * (h * free);
        let alone = Contact(vec3(free), guess, 0.0, vec2(0.0), 0u);
        contact = alone;
        if (body.has_walls && free != 0.0) {
            let start = Start(body.walls, vectors[place(START_POSITION, slot)].xyz, v_start, h);
            contact = first_contact(start, v, b, guess, inertia_of(slot));
        }
        store_contact(slot, alone, contact, v);
        b = vectors[place(RIGHT, slot)].xyz;
    } else {
        b -= contact.mask * v * contact.resistance;
        vectors[place(RIGHT, slot)] = vec4(b, 0.0);
    }
    let unit = b * contact.mask * step.implicit.w;
    let noise = vectors[place(PRODUCT, slot)].w;
    let is_moved = any((contact.mask == vec3(0.0)) & (contact.delta != vec3(0.0)));
    let is_counted = select(is_moved, contact.bits != 0u, search.phase == FIRST);
    return vec4(select(0.0, 1.0, is_counted), dot(unit, unit), dot(contact.delta, unit), noise);
}
