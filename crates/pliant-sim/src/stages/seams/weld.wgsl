// Lets welded vertices move as one; where a substep ends, pairs are welded and break. One invocation for each cluster.

#import pliant::grid
#import pliant::step
#import pliant::seams

@group(0) @binding(0) var<storage, read_write> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> compensation: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(4) var<storage, read> members: array<Member>;
@group(0) @binding(5) var<storage, read> pairs: array<SewnPair>;
/// What each pair is.
@group(0) @binding(6) var<storage, read_write> statuses: array<u32>;
/// See [`Arrays`] in arrays.rs.
@group(0) @binding(7) var<storage, read_write> sewn: array<u32>;
@group(0) @binding(8) var<storage, read> flags: array<u32>;
@group(0) @binding(9) var<uniform> step: Step;
@group(0) @binding(10) var<uniform> pace: Pace;

/// How many clusters there are.
override CLUSTERS: u32 = 0u;
/// Whether a substep ends.
override ENDS: bool = false;

/// What a member is now: position as seen from the origin of the first member's body [m], what rounding took from it,
/// velocity [m/s], mass [kg].
struct Moving {
    x: vec3<f32>,
    mass: f32,
    compensation: vec3<f32>,
    v: vec3<f32>,
}

var<private> moving: array<Moving, 16>;
/// The lowest number among those that each member is joined to.
var<private> joined: array<u32, 16>;
/// How much momentum each was given [kg·m/s].
var<private> given: array<vec3<f32>, 16>;
/// What welds transmit is differences of these; see `potentials` of weld.rs.
var<private> potential: array<vec3<f32>, 16>;
var<private> matrix: array<f32, 256>;

@compute @workgroup_size(WORKGROUP)
fn weld(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= CLUSTERS || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let cluster = clusters[n];
    for (var i = 0u; i < cluster.member_count; i++) {
        let one = members[cluster.first_member + i];
        let x = position[one.slot].xyz + one.shift;
        moving[i] = Moving(x, one.mass, compensation[one.slot].xyz, velocity[one.slot].xyz);
        joined[i] = i;
        given[i] = vec3(0.0);
    }
    var is_welded = false;
    for (var p = cluster.first_pair; p < cluster.first_pair + cluster.pair_count; p++) {
        if (statuses[p] == WELDED) {
            join(cluster.member_count, pairs[p].first, pairs[p].second);
            is_welded = true;
        }
    }
    if (is_welded) {
        for (var lowest = 0u; lowest < cluster.member_count; lowest++) {
            unite(cluster, lowest);
        }
    }
    if (ENDS) {
        if (is_welded) {
            part_the_weakest(cluster);
        }
        weld_what_met(cluster);
    }
}

/// Joins two members, and all that are joined to them.
fn join(count: u32, a: u32, b: u32) {
    let low = min(joined[a], joined[b]);
    let high = max(joined[a], joined[b]);
    for (var i = 0u; i < count; i++) {
        if (joined[i] == high) {
            joined[i] = low;
        }
    }
}

/// Lets those that are joined to a lowest one move as one.
fn unite(cluster: Cluster, lowest: u32) {
    var count = 0u;
    var locked = NONE;
    for (var i = 0u; i < cluster.member_count; i++) {
        if (joined[i] == lowest) {
            count += 1u;
            if (locked == NONE && moving[i].mass == 0.0) {
                locked = i;
            }
        }
    }
    if (count < 2u) {
        return;
    }
    let goal = goal_of(cluster.member_count, lowest, locked);
    for (var i = 0u; i < cluster.member_count; i++) {
        let before = moving[i];
        if (joined[i] != lowest || before.mass == 0.0) {
            continue;
        }
        given[i] = (goal.v - before.v) * before.mass;
        moving[i] = Moving(goal.x, before.mass, goal.compensation, goal.v);
        let slot = members[cluster.first_member + i].slot;
        position[slot] = vec4(position[slot].xyz + (goal.x - before.x), position[slot].w);
        compensation[slot] = vec4(goal.compensation, compensation[slot].w);
        velocity[slot] = vec4(goal.v, velocity[slot].w);
    }
}

/// Where the locked one is, or the mean as seen from the first, so that what is together stays there.
fn goal_of(count: u32, lowest: u32, locked: u32) -> Moving {
    if (locked != NONE) {
        return moving[locked];
    }
    let first = moving[lowest];
    var sum: Moving;
    for (var i = 0u; i < count; i++) {
        if (joined[i] == lowest) {
            let one = moving[i];
            sum.x += (one.x - first.x) * one.mass;
            sum.compensation += (one.compensation - first.compensation) * one.mass;
            sum.v += (one.v - first.v) * one.mass;
            sum.mass += one.mass;
        }
    }
    let share = 1.0 / sum.mass;
    return Moving(
        first.x + sum.x * share,
        sum.mass,
        first.compensation + sum.compensation * share,
        first.v + sum.v * share,
    );
}

/// Parts the pair that is pulled most above its strength.
fn part_the_weakest(cluster: Cluster) {
    let end = cluster.first_pair + cluster.pair_count;
    var weakest = 3.4e38;
    for (var p = cluster.first_pair; p < end; p++) {
        if (statuses[p] == WELDED) {
            weakest = min(weakest, pairs[p].strength);
        }
    }
    // No weld transmits more than half of all that is given.
    var most = 0.0;
    for (var i = 0u; i < cluster.member_count; i++) {
        most += sqrt(dot(given[i], given[i]));
    }
    if (!(0.5 * most * pace.per_update > weakest)) {
        return;
    }
    find_potentials(cluster);
    var worst = NONE;
    var load = 1.0;
    for (var p = cluster.first_pair; p < end; p++) {
        if (statuses[p] == WELDED) {
            let way = potential[pairs[p].first] - potential[pairs[p].second];
            let own = sqrt(dot(way, way)) * pace.per_update / pairs[p].strength;
            if (own > load) {
                load = own;
                worst = p;
            }
        }
    }
    if (worst != NONE) {
        statuses[worst] = APART;
        name_anew(cluster);
    }
}

/// Tells contact what still hangs together.
fn name_anew(cluster: Cluster) {
    for (var i = 0u; i < cluster.member_count; i++) {
        joined[i] = i;
    }
    for (var p = cluster.first_pair; p < cluster.first_pair + cluster.pair_count; p++) {
        if (statuses[p] != APART) {
            join(cluster.member_count, pairs[p].first, pairs[p].second);
        }
    }
    for (var i = 0u; i < cluster.member_count; i++) {
        let slot = members[cluster.first_member + i].slot;
        sewn[slot] = members[cluster.first_member + joined[i]].slot;
    }
    sewn[step.slot_count] = 1u;
}

fn find_potentials(cluster: Cluster) {
    let count = cluster.member_count;
    for (var i = 0u; i < count; i++) {
        potential[i] = given[i];
        for (var j = 0u; j < count; j++) {
            matrix[MOST_MEMBERS * i + j] = 0.0;
        }
    }
    for (var p = cluster.first_pair; p < cluster.first_pair + cluster.pair_count; p++) {
        if (statuses[p] == WELDED) {
            let a = pairs[p].first;
            let b = pairs[p].second;
            matrix[MOST_MEMBERS * a + a] += 1.0;
            matrix[MOST_MEMBERS * b + b] += 1.0;
            matrix[MOST_MEMBERS * a + b] -= 1.0;
            matrix[MOST_MEMBERS * b + a] -= 1.0;
        }
    }
    for (var i = 0u; i < count; i++) {
        // One of those that are joined is held, the first or whatever is locked.
        var has_locked = false;
        for (var j = 0u; j < count; j++) {
            has_locked |= joined[j] == joined[i] && moving[j].mass == 0.0;
        }
        if (select(joined[i] == i, moving[i].mass == 0.0, has_locked)) {
            for (var j = 0u; j < count; j++) {
                matrix[MOST_MEMBERS * i + j] = 0.0;
            }
            matrix[MOST_MEMBERS * i + i] = 1.0;
            potential[i] = vec3(0.0);
        }
    }
    // What is left is positive definite: no rows have to be exchanged.
    for (var k = 0u; k < count; k++) {
        for (var i = k + 1u; i < count; i++) {
            let factor = matrix[MOST_MEMBERS * i + k] / matrix[MOST_MEMBERS * k + k];
            if (factor != 0.0) {
                for (var j = k; j < count; j++) {
                    matrix[MOST_MEMBERS * i + j] -= factor * matrix[MOST_MEMBERS * k + j];
                }
                potential[i] -= potential[k] * factor;
            }
        }
    }
    for (var after = count; after > 0u; after--) {
        let k = after - 1u;
        for (var j = after; j < count; j++) {
            potential[k] -= potential[j] * matrix[MOST_MEMBERS * k + j];
        }
        potential[k] *= 1.0 / matrix[MOST_MEMBERS * k + k];
    }
}

/// Welds open pairs whose gap is within the tolerance.
fn weld_what_met(cluster: Cluster) {
    for (var p = cluster.first_pair; p < cluster.first_pair + cluster.pair_count; p++) {
        let way = moving[pairs[p].second].x - moving[pairs[p].first].x;
        if (statuses[p] == OPEN && sqrt(dot(way, way)) <= pairs[p].tolerance) {
            statuses[p] = WELDED;
        }
    }
}
