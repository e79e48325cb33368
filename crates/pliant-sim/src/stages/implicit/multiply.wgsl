// The product of the matrix with the unknowns or with the next direction. Each invocation gathers
// what the neighbours of its vertices add. What is free is appended: mask.wgsl or projection.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::product
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> lists: array<u32>;
@group(0) @binding(1) var<storage, read> blocks: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> search: Search;
@group(0) @binding(3) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<vec2<f32>>;
@group(0) @binding(5) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn multiply(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == DONE || search.phase > RESUME || search.substep != step.substep) {
        return;
    }
    var along = vec2(0.0);
    let stride = sum_groups(step.slot_count) * WORKGROUP;
    let first = thread_index(workgroup, groups, local);
    for (var slot = first; slot < step.slot_count; slot += stride) {
        along += multiply_vertex(slot);
    }
    let sum = sum_of_group(local, along);
    if (local == 0u) {
        partials[PRODUCT_SUMS + group_index(workgroup, groups)] = sum;
    }
}

/// Returns p·Ap of one vertex, and Δv·b where p is Δv.
fn multiply_vertex(slot: u32) -> vec2<f32> {
    let alone = vectors[place(OWN, slot)].w;
    if (alone == 0.0) {
        return vec2(0.0);
    }
    let p = factor(slot);
    if (search.phase == SEARCH) {
        vectors[place(DIRECTION + (search.cycle & 1u), slot)] = vec4(p, 0.0);
    }
    let range = neighbours(slot);
    var y = p * alone;
    if ((step.flags.z & HAS_FRICTION) != 0u) {
        y += free_part(free_of(slot), p) * vectors[place(CONTACT, slot)].w;
    }
    for (var at = range.first; at < range.end; at += SLICE) {
        let entry = lists[at];
        if (entry == NONE) {
            break;
        }
        y += times(block_of(entry), p - factor(lists[at + range.shift]));
    }
    vectors[place(PRODUCT, slot)] = vec4(y, 0.0);
    let along = dot(p, y * step.implicit.w);
    if (search.phase == SEARCH) {
        return vec2(along, 0.0);
    }
    let b = free_part(free_of(slot), vectors[place(RIGHT, slot)].xyz);
    return vec2(along, dot(p, b * step.implicit.w));
}

/// What the matrix is multiplied with. Directions are computed where they are needed, by every
/// neighbour anew: that takes less time than a pass of their own.
fn factor(slot: u32) -> vec3<f32> {
    if (search.phase == SEARCH) {
        let z = vectors[place(SCALED, slot)].xyz;
        if (search.is_fresh != 0u) {
            return z;
        }
        return z + vectors[place(DIRECTION + 1u - (search.cycle & 1u), slot)].xyz * search.beta;
    }
    if (search.phase == FRESH) {
        return vec3(0.0);
    }
    let delta = vectors[place(DELTA, slot)].xyz;
    if (search.phase == PRESCRIBED || search.phase == COLD) {
        let share = select(search.share, 0.0, search.phase == PRESCRIBED);
        return with_share(free_of(slot), delta, 1.0, share);
    }
    return delta;
}
