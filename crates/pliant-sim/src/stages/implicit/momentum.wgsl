// What the search has missed of the momentum of bodies that nothing holds. Twin of cpu/momentum.rs.
// One workgroup per body. What is missing is appended: missing_by_component.wgsl, or missing_oblique.wgsl where there are
// colliders.

#import pliant::grid
#import pliant::step
#import pliant::implicit::search
#import pliant::implicit::vectors
#import pliant::implicit::sums

/// First slot of each body and the one after its last; nothing for bodies with locked vertices.
@group(0) @binding(0) var<storage, read> ranges: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> touch: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> flags: array<u32>;
@group(0) @binding(4) var<storage, read> search: Search;
@group(0) @binding(5) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(6) var<uniform> step: Step;

/// The part of a body's momentum that may be missing before it is made up.
const MISSED: f32 = 1e-6;

// One entry point for each occasion: each is recorded where its phase is passed once, so that it does not
// matter how many cycles and rounds there are.

/// In a cycle, before it is asked what walls hold, since what is missing may lead through one.
@compute @workgroup_size(WORKGROUP)
fn correct_momentum(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == REVISE && search.substep == step.substep) {
        correct_body(group_index(workgroup, groups), local);
    }
}

/// In a round, before the first step of a line search.
@compute @workgroup_size(WORKGROUP)
fn correct_momentum_before_step(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == LINE_SEARCH && search.trial == 0u) {
        correct_body(group_index(workgroup, groups), local);
    }
}

/// At the end of a step. Not while it is to go on.
@compute @workgroup_size(WORKGROUP)
fn correct_momentum_at_end(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == DONE) {
        correct_body(group_index(workgroup, groups), local);
    }
}

/// Whether Newton's iterations have ended, so that it is velocities that are corrected.
fn has_newton_ended() -> bool {
    return search.phase == DONE && step.flags.y != 0u;
}

fn correct_body(body: u32, local: u32) {
    if (body >= step.flags.w || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let range = ranges[body];
    var own: MomentumDeficit;
    for (var slot = range.x + local; slot < range.y; slot += WORKGROUP) {
        own = with_vertex(own, slot);
    }
    let more = vec4(missing_velocity(own, local), 0.0);
    if (any(more != vec4(0.0))) {
        for (var slot = range.x + local; slot < range.y; slot += WORKGROUP) {
            if (has_newton_ended()) {
                velocity[slot] += more;
            } else {
                vectors[place(DELTA, slot)] += more;
            }
        }
    }
}

fn with_vertex(so_far: MomentumDeficit, slot: u32) -> MomentumDeficit {
    let own = vectors[place(OWN, slot)].w;
    // Padding.
    if (own == 0.0) {
        return so_far;
    }
    var pull = step.loading.xyz;
    if (step.loading.w != 0.0) {
        pull += touch[slot].xyz;
    }
    let mass = vectors[place(OWN_BELOW, slot)].w;
    var before = velocity[slot].xyz;
    var change = vectors[place(DELTA, slot)].xyz;
    let after = before + select(change, vec3(0.0), has_newton_ended());
    var inertia = own;
    if (step.flags.y != 0u) {
        // Newton's iterations have moved the velocity, and have the forces of touches where it leads.
        before = vectors[place(START_VELOCITY, slot)].xyz;
        change = after - before;
        inertia = mass * (1.0 + step.implicit.x * step.implicit.y);
    }
    let fall = step.gravity.xyz - before * step.implicit.y;
    let given = (pull + fall * mass) * step.implicit.x;
    return with_momentum(so_far, slot, inertia, given, change * inertia, after);
}
