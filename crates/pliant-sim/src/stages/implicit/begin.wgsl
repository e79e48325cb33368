// The right-hand side of a step, the guess for Δv, and what is given beforehand: locks and walls.
// Twin of cpu/begin.rs.

#import pliant::grid
#import pliant::step
#import pliant::implicit::vectors
#import pliant::implicit::loads
#import pliant::implicit::contact
#import pliant::implicit::sums

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// The fourth number is 1 for free vertices, else 0.
@group(0) @binding(1) var<storage, read> low: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> force: array<vec4<f32>>;
/// Last accelerations [m/s²].
@group(0) @binding(4) var<storage, read> memory: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> touch: array<vec4<f32>>;
/// See frames.wgsl.
@group(0) @binding(6) var<storage, read> frames: array<vec4<u32>>;
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
        partials[LEFT + group_index(workgroup, groups)] = sum;
    }
}

/// Gives how many components walls have taken, and b·b over the free ones.
fn begin_vertex(slot: u32) -> vec2<f32> {
    let frame = frame_of(slot);
    if (!frame.is_implicit) {
        return vec2(0.0);
    }
    let h = step.implicit.x;
    let x = position[slot].xyz;
    let v = velocity[slot].xyz;
    let free = low[slot].w;
    let mass = vectors[place(OWN_BELOW, slot)].w;
    let b = (impulse_of_loads(slot, v, mass) - vectors[place(PRODUCT, slot)].xyz) * free;
    let met = meet_walls(frame, x, v, free, memory[slot].xyz * (h * free));
    vectors[place(RIGHT, slot)] = vec4(b, 0.0);
    vectors[place(MASK, slot)] = vec4(met.mask, 0.0);
    vectors[place(DELTA, slot)] = vec4(met.delta, 0.0);
    let scaled = b * met.mask * step.implicit.w;
    return vec2(met.contacts, dot(scaled, scaled));
}
