// The right-hand side of a step, the guess for Δv, and what is given beforehand: locks and walls.
// Twin of cpu/begin.rs.

#import pliant::grid
#import pliant::step
#import pliant::frames
#import pliant::implicit::vectors
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
    let h = step.implicit.x;
    let x = position[slot].xyz;
    let v = velocity[slot].xyz;
    let free = low[slot].w;
    var pull = force[slot].xyz + step.loading.xyz;
    if (step.loading.w != 0.0) {
        pull += touch[slot].xyz;
    }
    let mass = vectors[place(OWN_BELOW, slot)].w;
    let fall = step.gravity.xyz - v * step.implicit.y;
    let b = ((pull + fall * mass) * h - vectors[place(PRODUCT, slot)].xyz) * free;
    var delta = memory[slot].xyz * (h * free);
    var mask = vec3(free);
    var contacts = 0.0;
    let frame = 3u * body_of(slot);
    if (frames[frame + 2u].w != 0u) {
        let lower = bitcast<vec4<f32>>(frames[frame]).xyz;
        let upper = bitcast<vec4<f32>>(frames[frame + 1u]).xyz;
        // Components that are at a wall or would go through one by their own motion: their change is
        // what leads to the wall. Those that it would have to hold back are let go at the end.
        let ahead = x + v * h;
        let below = ahead <= lower;
        let above = ahead >= upper;
        let taken = (below | above) & (mask != vec3(0.0));
        let given = (select(upper, lower, below) - x) / h - v;
        delta = select(delta, given, taken);
        mask = select(mask, vec3(0.0), taken);
        contacts = dot(select(vec3(0.0), vec3(1.0), taken), vec3(1.0));
    }
    vectors[place(RIGHT, slot)] = vec4(b, 0.0);
    vectors[place(MASK, slot)] = vec4(mask, 0.0);
    vectors[place(DELTA, slot)] = vec4(delta, 0.0);
    let scaled = b * mask * step.implicit.w;
    return vec2(contacts, dot(scaled, scaled));
}
