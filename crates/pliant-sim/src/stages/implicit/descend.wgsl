// After a product: a step of conjugate gradients, or the true residual.

#import pliant::grid
#import pliant::step
#import pliant::implicit
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> search: Search;
@group(0) @binding(1) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> partials: array<vec2<f32>>;
@group(0) @binding(3) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn descend(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == DONE || search.phase > FRESH) {
        return;
    }
    let group_count = sum_groups(step.slot_count);
    var alpha = 0.0;
    if (search.phase == SEARCH) {
        var own = vec2(0.0);
        for (var n = local; n < group_count; n += WORKGROUP) {
            own += partials[ALONG + n];
        }
        // Every workgroup comes to the same sum.
        let along = sum_of_group(local, own).x;
        if (along > 0.0) {
            alpha = search.rz / along;
        }
    }
    var sums = vec2(0.0);
    let first = thread_index(workgroup, groups, local);
    for (var slot = first; slot < step.slot_count; slot += group_count * WORKGROUP) {
        sums += descend_vertex(slot, alpha);
    }
    let sum = sum_of_group(local, sums);
    if (local == 0u) {
        partials[LEFT + group_index(workgroup, groups)] = sum;
    }
}

/// Gives r·z and r·r of one vertex.
fn descend_vertex(slot: u32, alpha: f32) -> vec2<f32> {
    let own = vectors[place(OWN, slot)];
    if (own.w == 0.0) {
        return vec2(0.0);
    }
    let free = vectors[place(MASK, slot)].xyz != vec3(0.0);
    let y = vectors[place(PRODUCT, slot)].xyz;
    var r: vec3<f32>;
    if (search.phase == SEARCH) {
        let p = vectors[place(DIRECTION + (search.cycle & 1u), slot)].xyz;
        vectors[place(DELTA, slot)] = vec4(vectors[place(DELTA, slot)].xyz + p * alpha, 0.0);
        r = vectors[place(RESIDUAL, slot)].xyz - y * alpha;
    } else {
        r = vectors[place(RIGHT, slot)].xyz - y;
        if (search.phase == FRESH) {
            vectors[place(DELTA, slot)] = vec4(0.0);
        } else if (search.phase == COLD) {
            let delta = vectors[place(DELTA, slot)].xyz;
            vectors[place(DELTA, slot)] = vec4(select(delta, vec3(0.0), free), 0.0);
        }
    }
    r = select(vec3(0.0), r, free);
    let z = precondition(Factors(own.xyz, vectors[place(OWN_BELOW, slot)].xyz), r);
    vectors[place(RESIDUAL, slot)] = vec4(r, 0.0);
    let scaled = select(vec3(0.0), z, free);
    vectors[place(SCALED, slot)] = vec4(scaled, 0.0);
    let unit = r * step.implicit.w;
    return vec2(dot(unit, scaled), dot(unit, unit));
}
