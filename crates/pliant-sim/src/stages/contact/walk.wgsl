// Finds the pairs that are near enough to touch before a vertex has left its skin: once to count them, then, when it
// is known where the list of each primitive begins, to write them down. One invocation per vertex, then per edge.
//
// The tree is walked through depth first without a stack, since the children of node i are 16 i … 16 i + 15: so the
// list of each primitive comes in ascending order. Both walks are one kernel, so that they find the same.

#import pliant::grid
#import pliant::step
#import pliant::pause
#import pliant::contact::setup
#import pliant::contact::surface
#import pliant::contact::boxes

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> surface: array<u32>;
/// See place.wgsl.
@group(0) @binding(2) var<storage, read> placed: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> boxes: array<vec4<f32>>;
/// Pairs of each query; behind them 0.
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
/// Where the list of each query begins; behind them how many there are in all.
@group(0) @binding(5) var<storage, read> starts: array<u32>;
/// Query and second primitive of each pair, of two lists in turns.
@group(0) @binding(6) var<storage, read_write> pairs: array<vec2<u32>>;
/// What each pair holds on to, see rows.wgsl.
@group(0) @binding(7) var<storage, read_write> holds: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> control: array<u32>;
@group(0) @binding(9) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(10) var<uniform> step: Step;
@group(0) @binding(11) var<uniform> setup: Setup;
@group(0) @binding(12) var<uniform> phase: Phase;

/// The stage's number.
override STAGE: u32 = 0u;
/// Whether anything is sewn.
override SEWN: bool = false;

/// Skins are stored as ranges along each axis; with a little more, so that no rounding loses a pair.
const SKIN_PER_RANGE: f32 = 1.7321;

@compute @workgroup_size(WORKGROUP)
fn walk(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let query = thread_index(workgroup, groups, local);
    let queries = setup.counts.x + setup.counts.y;
    let is_frozen = atomicLoad(&flags[BAD_SUBSTEP]) < step.substep;
    if (control[STALE] == 0u || query >= queries || is_frozen) {
        return;
    }
    let fills = phase.mode == FILLS;
    if (fills && starts[queries] > setup.counts.w) {
        if (query == 0u) {
            control[EVALUATION] = phase.evaluation;
            pause(STAGE, starts[queries]);
        }
        return;
    }
    search(query, fills);
}

/// Walks through the tree of triangles or of edges.
fn search(query: u32, fills: bool) {
    let is_edge = query >= setup.counts.x;
    let bounds = bounds_of(query, is_edge);
    let top = setup.more.z - 1u;
    var level = top;
    var node = 0u;
    var found = 0u;
    var held = NOBODY;
    loop {
        let here = setup.levels[level];
        let first = select(here.x, here.z, is_edge);
        let count = select(here.y, here.w, is_edge);
        // Pairs of edges are found from the lower number.
        let last = ((node + 1u) << (4u * level)) - 1u;
        let is_ahead = !is_edge || last > query - setup.counts.x;
        if (node < count && is_ahead && meet(bounds, box_at(first + node))) {
            if (level > 0u) {
                level -= 1u;
                node *= WIDTH;
                continue;
            }
            if (keeps(pair_of(query, node))) {
                if (fills) {
                    held = write_down(query, node, starts[query] + found, held);
                }
                found += 1u;
            }
        }
        node += 1u;
        loop {
            let here = setup.levels[level];
            let count = select(here.y, here.w, is_edge);
            if (level == top || (node % WIDTH != 0u && node < count)) {
                break;
            }
            level += 1u;
            node = (node + WIDTH - 1u) / WIDTH;
        }
        let highest = setup.levels[top];
        if (level == top && node >= select(highest.y, highest.w, is_edge)) {
            break;
        }
    }
    if (!fills) {
        counts[query] = found;
    }
}

fn box_at(n: u32) -> Bounds {
    return Bounds(boxes[2u * n].xyz, boxes[2u * n + 1u].xyz);
}

/// The box of a vertex or an edge.
fn bounds_of(query: u32, is_edge: bool) -> Bounds {
    if (is_edge) {
        return box_at(setup.levels[0].z + query - setup.counts.x);
    }
    return grown(around(placed[surface[setup.places.x + VERTEX_WORDS * query]]));
}

/// How far a vertex may go [m].
fn skin_of(slot: u32) -> f32 {
    return SKIN_PER_RANGE * placed[step.slot_count + slot].w;
}

/// Whether two primitives have a corner in common.
fn share(corners: vec4<u32>, is_vertex: bool) -> bool {
    if (is_vertex) {
        return any(vec3(corners.x) == corners.yzw);
    }
    return any(vec2(corners.x) == corners.zw) || any(vec2(corners.y) == corners.zw);
}

/// The slot that one is sewn to.
fn name_of(slot: u32) -> u32 {
    return surface[slot_at(slot) + 7u];
}

/// Whether a pair whose boxes meet may touch until somebody has left their skin.
fn keeps(pair: Pair) -> bool {
    let s = pair.slots;
    let is_vertex = pair.kind == VERTEX_TRIANGLE;
    if (share(s, is_vertex) || !may_touch(pair.bodies)) {
        return false;
    }
    // What is sewn together is one corner.
    if (SEWN && share(vec4(name_of(s.x), name_of(s.y), name_of(s.z), name_of(s.w)), is_vertex)) {
        return false;
    }
    let a = skin_of(s.x);
    let b = skin_of(s.y);
    let others = max(skin_of(s.z), skin_of(s.w));
    let skins = select(max(a, b) + others, a + max(b, others), is_vertex);
    let reach = reach_of(pair, thickness_of(pair)) + skins;
    let x = positions_of(pair);
    return !is_beyond(pair.kind, x, reach) && length(nearest(pair.kind, x).gap) <= reach;
}

/// Writes a pair into the list that is not the present one, with what it holds on to there. `held` is where the
/// present list was looked at last; returns where next.
fn write_down(query: u32, second: u32, at: u32, held: u32) -> u32 {
    let list = control[LIST];
    let next = 1u - list;
    pairs[2u * at + next] = vec2(query, second);
    var old = held;
    if (old == NOBODY) {
        old = first_of(query, list);
    }
    let count = control[COUNT];
    while (old < count && pairs[2u * old + list].x == query && pairs[2u * old + list].y < second) {
        old += 1u;
    }
    let to = 4u * at + 2u * next;
    if (old < count && all(pairs[2u * old + list] == vec2(query, second))) {
        holds[to] = holds[4u * old + 2u * list];
        holds[to + 1u] = holds[4u * old + 2u * list + 1u];
    } else {
        holds[to] = vec4(0.0);
        holds[to + 1u] = vec4(0.0);
    }
    return old;
}

/// The first pair of a query in a list, or the place where it would be.
fn first_of(query: u32, list: u32) -> u32 {
    var low = 0u;
    var high = control[COUNT];
    while (low < high) {
        let middle = (low + high) / 2u;
        if (pairs[2u * middle + list].x < query) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}
