// One level of the trees of boxes, from the leaves up. One invocation per box: triangles' first, then edges'.

#import pliant::grid
#import pliant::step
#import pliant::contact::setup
#import pliant::contact::boxes

/// See place.wgsl.
@group(0) @binding(0) var<storage, read> placed: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> surface: array<u32>;
/// The two corners of each box [m].
@group(0) @binding(2) var<storage, read_write> boxes: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> control: array<u32>;
@group(0) @binding(4) var<storage, read> flags: array<u32>;
@group(0) @binding(5) var<uniform> step: Step;
@group(0) @binding(6) var<uniform> setup: Setup;
@group(0) @binding(7) var<uniform> phase: Phase;

@compute @workgroup_size(WORKGROUP)
fn refit(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    let own = setup.levels[phase.level];
    if (control[STALE] == 0u || n >= own.y + own.w || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let is_edge = n >= own.y;
    let node = select(n, n - own.y, is_edge);
    let to = select(own.x, own.z, is_edge) + node;
    var bounds: Bounds;
    if (phase.level == 0u) {
        bounds = primitive(is_edge, node);
    } else {
        let below = setup.levels[phase.level - 1u];
        let first = select(below.x, below.z, is_edge);
        bounds = round_all(first + WIDTH * node, first + min(WIDTH * (node + 1u), select(below.y, below.w, is_edge)));
    }
    boxes[2u * to] = vec4(bounds.low, 0.0);
    boxes[2u * to + 1u] = vec4(bounds.high, 0.0);
}

/// The box of an edge or a triangle.
fn primitive(is_edge: bool, place: u32) -> Bounds {
    if (is_edge) {
        let at = setup.places.y + 6u * place;
        return grown(joined(around(placed[surface[at]]), around(placed[surface[at + 1u]])));
    }
    let at = setup.places.z + 10u * place;
    let two = joined(around(placed[surface[at]]), around(placed[surface[at + 1u]]));
    return grown(joined(two, around(placed[surface[at + 2u]])));
}

/// The box round some boxes.
fn round_all(first: u32, end: u32) -> Bounds {
    var all = Bounds(boxes[2u * first].xyz, boxes[2u * first + 1u].xyz);
    for (var n = first + 1u; n < end; n++) {
        all = joined(all, Bounds(boxes[2u * n].xyz, boxes[2u * n + 1u].xyz));
    }
    return all;
}
