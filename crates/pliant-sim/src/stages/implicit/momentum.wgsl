// What the search has missed of the momentum of bodies that nothing holds. Twin of cpu/momentum.rs.
// One workgroup per body.

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

/// The momentum that vertices have not got yet, by component.
struct MomentumDeficit {
    /// Momentum [kg·m/s].
    impulse: vec3<f32>,
    /// How much momentum goes in and out of them [kg·m/s].
    turnover: f32,
    /// How many are held by something.
    held: vec3<f32>,
    /// What has to be moved, and what resists that [kg].
    mass: vec3<f32>,
}

// One entry point for each occasion: each is recorded where its phase is passed once, so that it does not
// matter how many cycles and rounds there are.

/// In a cycle, before it is asked what walls hold, since what is missing may lead through one.
@compute @workgroup_size(WORKGROUP)
fn correct_momentum(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == REVISE) {
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
    let along_xy = sum_of_group(local, own.impulse.xy);
    let along_z = sum_of_group(local, vec2(own.impulse.z, own.turnover));
    let held_xy = sum_of_group(local, own.held.xy);
    let held_z = sum_of_group(local, vec2(own.held.z, own.mass.x));
    let mass_yz = sum_of_group(local, own.mass.yz);
    let is_held = vec3(held_xy, held_z.x) > vec3(0.0);
    let missing = select(vec3(along_xy, along_z.x), vec3(0.0), is_held);
    let most = max(max(abs(missing.x), abs(missing.y)), abs(missing.z));
    if (most > MISSED * along_z.y) {
        let more = vec4(missing / vec3(held_z.y, mass_yz), 0.0);
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
    let mask = vectors[place(MASK, slot)].xyz;
    let resistance = mask * vectors[place(CONTACT, slot)].w;
    let fall = step.gravity.xyz - before * step.implicit.y;
    let given = (pull + fall * mass) * step.implicit.x - resistance * after;
    let found = change * inertia;
    let is_free = mask != vec3(0.0);
    var deficit = so_far;
    deficit.impulse += given - found;
    deficit.turnover += dot(abs(given) + abs(found), vec3(1.0));
    deficit.held += select(vec3(1.0), vec3(0.0), is_free);
    deficit.mass += inertia + resistance;
    return deficit;
}
