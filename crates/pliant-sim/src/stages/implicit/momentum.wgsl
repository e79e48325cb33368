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

/// What vertices lack, by component.
struct Lack {
    /// Momentum [kg·m/s].
    impulse: vec3<f32>,
    /// How much momentum goes in and out of them [kg·m/s].
    turnover: f32,
    /// How many are held by something.
    held: vec3<f32>,
    /// What has to be moved, and what resists that [kg].
    mass: vec3<f32>,
}

/// Before it is asked what walls hold, since what is missing may lead through one, and before a step of
/// Newton's iterations.
@compute @workgroup_size(WORKGROUP)
fn mend(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let begins_to_walk = search.phase == WALK && search.trial == 0u;
    if (search.phase == REVISE || begins_to_walk) {
        mend_body(group_index(workgroup, groups), local);
    }
}

/// At the end of a step. Not while it is to go on, which begins with the kernel above.
@compute @workgroup_size(WORKGROUP)
fn mend_last(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if (search.phase == DONE) {
        mend_body(group_index(workgroup, groups), local);
    }
}

/// Whether Newton's iterations have ended, so that velocities are what is to be mended.
fn is_settled() -> bool {
    return search.phase == DONE && step.flags.y != 0u;
}

fn mend_body(body: u32, local: u32) {
    if (body >= step.flags.w || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let range = ranges[body];
    var own: Lack;
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
            if (is_settled()) {
                velocity[slot] += more;
            } else {
                vectors[place(DELTA, slot)] += more;
            }
        }
    }
}

fn with_vertex(so_far: Lack, slot: u32) -> Lack {
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
    let after = before + select(change, vec3(0.0), is_settled());
    var inertia = own;
    if (step.flags.y != 0u) {
        // Newton's iterations have moved the velocity, and have the forces of touches where it leads.
        before = vectors[place(START_VELOCITY, slot)].xyz;
        change = after - before;
        inertia = mass * (1.0 + step.implicit.x * step.implicit.y);
    }
    let mask = vectors[place(MASK, slot)].xyz;
    let resistance = mask * vectors[place(RUB, slot)].w;
    let fall = step.gravity.xyz - before * step.implicit.y;
    let given = (pull + fall * mass) * step.implicit.x - resistance * after;
    let found = change * inertia;
    let is_free = mask != vec3(0.0);
    var lack = so_far;
    lack.impulse += given - found;
    lack.turnover += dot(abs(given) + abs(found), vec3(1.0));
    lack.held += select(vec3(1.0), vec3(0.0), is_free);
    lack.mass += inertia + resistance;
    return lack;
}
