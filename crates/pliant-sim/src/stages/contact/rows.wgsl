// Candidates that touch, and what they do. One invocation per candidate.

#import pliant::grid
#import pliant::step
#import pliant::contact::setup
#import pliant::contact::surface

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> surface: array<u32>;
/// See predict.wgsl.
@group(0) @binding(2) var<storage, read> ahead: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2<u32>>;
/// Two for each pair of both lists, in turns: pull and push [N]; anchor, and 1 where it holds on.
@group(0) @binding(4) var<storage, read_write> holds: array<vec4<f32>>;
/// By candidate, one array behind the other: weights; normal and thickness; depth, roundness and anchor; direction of
/// the edge; pull and push; force, and 1 where there is a row; the middle between the nearest points.
@group(0) @binding(5) var<storage, read_write> rows: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read> flags: array<u32>;
@group(0) @binding(8) var<uniform> step: Step;
@group(0) @binding(9) var<uniform> setup: Setup;
@group(0) @binding(10) var<uniform> phase: Phase;

/// Finds the candidates that push, or would come too near within the substep.
@compute @workgroup_size(WORKGROUP)
fn find_rows(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= atomicLoad(&control[COUNT]) || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let list = atomicLoad(&control[LIST]);
    let numbers = pairs[2u * n + list];
    let pair = pair_of(numbers.x, numbers.y);
    let x = positions_of(pair);
    rows[5u * setup.counts.w + n] = vec4(0.0);
    let closest = answered(pair, x);
    if (!closest.is_there) {
        return;
    }
    let row = row_of(pair, x, closest);
    if (!row.is_there) {
        return;
    }
    var push = Push(0.0, vec3(0.0), place(pair.kind, row.weights));
    let hold = holds[4u * n + 2u * list + 1u];
    if (hold.z != 0.0) {
        let kept = holds[4u * n + 2u * list];
        push = Push(kept.w, kept.xyz, hold.xy);
    } else {
        let velocity = combine(row.weights, velocities(pair.slots, 0u));
        if (dot(row.normal, velocity) >= wanted_speed(law_of(pair), row, velocity)) {
            return;
        }
    }
    var on_first = x[0];
    if (pair.kind == EDGE_EDGE) {
        on_first = x[0] * row.weights.x + x[1] * row.weights.y;
    }
    store_row(n, row, on_first - closest.gap * 0.5);
    store_push(n, row, push);
}

/// Lets each row do what is missing.
@compute @workgroup_size(WORKGROUP)
fn improve_rows(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= atomicLoad(&control[COUNT]) || flags[BAD_SUBSTEP] < step.substep || !is_row(n)) {
        return;
    }
    let numbers = pairs[2u * n + atomicLoad(&control[LIST])];
    let pair = pair_of(numbers.x, numbers.y);
    let row = load_row(n);
    let mass = mass_of(pair.slots, row);
    let v = velocities(pair.slots, 2u);
    let push = improve(pair.kind, law_of(pair), row, positions_of(pair), v, mass, load_push(n));
    store_push(n, row, push);
    if (phase.mode == IS_LAST && push.normal > 0.0) {
        atomicAdd(&control[CONTACTS], 1u);
    }
}

/// Keeps what rows do for the next substep.
@compute @workgroup_size(WORKGROUP)
fn keep_rows(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= atomicLoad(&control[COUNT]) || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let list = atomicLoad(&control[LIST]);
    let to = 4u * n + 2u * list;
    let push = load_push(n);
    if (!is_row(n) || push.normal <= 0.0) {
        holds[to + 1u] = vec4(0.0);
        return;
    }
    let numbers = pairs[2u * n + list];
    let pair = pair_of(numbers.x, numbers.y);
    let row = load_row(n);
    let mass = mass_of(pair.slots, row);
    let anchor = slipped(pair.kind, law_of(pair), row, positions_of(pair), mass, push);
    holds[to] = vec4(push.pull, push.normal);
    holds[to + 1u] = vec4(anchor, 1.0, 0.0);
}

fn law_of(pair: Pair) -> Law {
    return Law(pair_friction(pair.bodies), setup.times.x);
}

/// The nearest points of a candidate, if it is near and answers for itself.
fn answered(pair: Pair, x: array<vec3<f32>, 4>) -> Closest {
    let reach = reach_of(pair, thickness_of(pair));
    var closest: Closest;
    if (is_beyond(pair.kind, x, reach)) {
        return closest;
    }
    if (pair.kind == EDGE_EDGE) {
        // Where an end of an edge is nearest, vertices and triangles tell.
        closest = insides(array(x[0], x[1]), array(x[2], x[3]));
    } else {
        closest = point_face(x[0], array(x[1], x[2], x[3]));
        if (!closest.is_there && surface[triangle_at(pair.second) + 6u] != 0u) {
            closest = point_triangle(x[0], array(x[1], x[2], x[3]));
            closest.is_there = answers(pair, closest.second, x);
        }
    }
    closest.is_there = closest.is_there && length(closest.gap) <= reach;
    return closest;
}

fn row_of(pair: Pair, x: array<vec3<f32>, 4>, closest: Closest) -> Row {
    let is_within = pair.bodies.x == pair.bodies.y;
    var thickness = thickness_of(pair);
    if (is_within) {
        thickness = thickness_within(pair, thickness);
    }
    let is_vertex = pair.kind == VERTEX_TRIANGLE;
    var outside: Outside;
    if (!is_within && is_solid(pair.bodies.y) && (is_vertex || is_solid(pair.bodies.x))) {
        if (is_vertex) {
            outside = Outside(across(pair.kind, x), number(triangle_at(pair.second) + 9u), true);
        } else {
            outside = Outside(edge_normal(pair.second) - edge_normal(pair.first), thickness, true);
        }
    }
    return row(pair.kind, x, closest, thickness, outside);
}

/// Velocities of corners: those without contact (0), or with it (2).
fn velocities(slots: vec4<u32>, which: u32) -> array<vec3<f32>, 4> {
    let first = which * step.slot_count;
    return array(
        ahead[first + slots.x].xyz,
        ahead[first + slots.y].xyz,
        ahead[first + slots.z].xyz,
        ahead[first + slots.w].xyz,
    );
}

fn mass_of(slots: vec4<u32>, row: Row) -> f32 {
    let n = step.slot_count;
    let inverse = vec4(ahead[slots.x].w, ahead[slots.y].w, ahead[slots.z].w, ahead[slots.w].w);
    let counts = vec4(ahead[n + slots.x].w, ahead[n + slots.y].w, ahead[n + slots.z].w, ahead[n + slots.w].w);
    return split_mass(row.weights, inverse, counts);
}

fn is_row(n: u32) -> bool {
    return rows[5u * setup.counts.w + n].w != 0.0;
}

fn load_row(n: u32) -> Row {
    let room = setup.counts.w;
    let normal = rows[room + n];
    let more = rows[2u * room + n];
    return Row(rows[n], normal.xyz, normal.w, more.x, u32(more.y), rows[3u * room + n].xyz, true);
}

fn store_row(n: u32, row: Row, middle: vec3<f32>) {
    let room = setup.counts.w;
    rows[n] = row.weights;
    rows[room + n] = vec4(row.normal, row.thickness);
    rows[2u * room + n] = vec4(row.depth, f32(row.roundness), 0.0, 0.0);
    rows[3u * room + n] = vec4(row.edge, 0.0);
    rows[6u * room + n] = vec4(middle, 0.0);
}

fn load_push(n: u32) -> Push {
    let room = setup.counts.w;
    let push = rows[4u * room + n];
    return Push(push.w, push.xyz, rows[2u * room + n].zw);
}

fn store_push(n: u32, row: Row, push: Push) {
    let room = setup.counts.w;
    let more = rows[2u * room + n].xy;
    rows[2u * room + n] = vec4(more, push.anchor);
    rows[4u * room + n] = vec4(push.pull, push.normal);
    rows[5u * room + n] = vec4(force(push, row), 1.0);
}
