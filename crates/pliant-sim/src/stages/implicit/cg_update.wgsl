// After a product: the update of conjugate gradients, or the true residual, or what holds vertices. What is free and
// what holds is appended: mask.wgsl and at_walls.wgsl, or projection.wgsl and at_obstacles.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::implicit
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> search: Search;
@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(3) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec2<f32>>;
/// What rounding took from positions.
@group(0) @binding(6) var<storage, read> compensation: array<vec4<f32>>;
@group(0) @binding(7) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn cg_update(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == DONE || search.phase > RESUME || search.substep != step.substep) {
        return;
    }
    let group_count = sum_groups(step.slot_count);
    var alpha = 0.0;
    if (search.phase == SEARCH) {
        var own = vec2(0.0);
        for (var n = local; n < group_count; n += WORKGROUP) {
            own += partials[PRODUCT_SUMS + n];
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
        sums += cg_update_of_vertex(slot, alpha);
    }
    let sum = sum_of_group(local, sums);
    if (local == 0u) {
        partials[RESIDUAL_SUMS + group_index(workgroup, groups)] = sum;
    }
}

/// Returns r·z and r·r of one vertex; instead of r·z, whether it is held in another way than before.
fn cg_update_of_vertex(slot: u32, alpha: f32) -> vec2<f32> {
    let own = vectors[place(OWN, slot)];
    if (own.w == 0.0) {
        return vec2(0.0);
    }
    let freedom = free_of(slot);
    let y = vectors[place(PRODUCT, slot)].xyz;
    if (search.phase == REVISE) {
        let impulse = y - vectors[place(RIGHT, slot)].xyz;
        let r = free_part(freedom, -impulse) * step.implicit.w;
        return vec2(revised(slot, impulse), dot(r, r));
    }
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
            vectors[place(DELTA, slot)] = vec4(with_share(freedom, delta, 1.0, search.share), 0.0);
        }
    }
    r = free_part(freedom, r);
    let z = precondition(Factors(own.xyz, vectors[place(OWN_BELOW, slot)].xyz), r);
    vectors[place(RESIDUAL, slot)] = vec4(r, 0.0);
    let scaled = free_part(freedom, z);
    vectors[place(SCALED, slot)] = vec4(scaled, 0.0);
    let unit = r * step.implicit.w;
    return vec2(dot(unit, scaled), dot(unit, unit));
}

/// Returns 1 if a vertex is held in another way than before.
fn revised(slot: u32, impulse: vec3<f32>) -> f32 {
    var x = position[slot].xyz;
    var before = velocity[slot].xyz;
    if (step.flags.y != 0u) {
        // Newton's iterations have moved it.
        x = vectors[place(START_POSITION, slot)].xyz;
        before = vectors[place(START_VELOCITY, slot)].xyz;
    }
    // Impulses are as uncertain as the residual is large.
    let slack = 2.0 * sqrt(search.last_true / f32(3u * step.slot_count)) / step.implicit.w;
    return select(0.0, 1.0, revise_vertex(slot, x, before, impulse, slack, search.revision));
}
