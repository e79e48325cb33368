// What bending adds to the pair blocks of a system at the present positions, behind linearise.wgsl. One invocation per
// pair that hinges have.

#import pliant::grid
#import pliant::step
#import pliant::bending

/// The pair, and where its part of `around` begins; one more for the end.
@group(0) @binding(0) var<storage, read> bent_pairs: array<vec2<u32>>;
/// Hinges round these pairs, and which of their pairs it is: `8·hinge + pair`.
@group(0) @binding(1) var<storage, read> around: array<u32>;
/// Both ends (slots) of each pair, and more.
@group(0) @binding(2) var<storage, read> pairs: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> position: array<vec4<f32>>;
/// Corners (slots) of each hinge, and how it resists, in two vectors.
@group(0) @binding(4) var<storage, read> hinges: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> hinge: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
/// See linearise.wgsl.
@group(0) @binding(7) var<storage, read_write> blocks: array<vec4<f32>>;
@group(0) @binding(8) var<uniform> step: Step;

/// Whether blocks are three rows, else they are q I + e eᵀ.
override VOLUMES: bool = false;

@compute @workgroup_size(WORKGROUP)
fn linearise_bending(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n + 1u >= arrayLength(&bent_pairs) || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let pair = bent_pairs[n].x;
    var block = scalar_matrix(0.0);
    for (var at = bent_pairs[n].y; at < bent_pairs[n + 1u].y; at++) {
        block += of_hinge(around[at], pairs[pair].x);
    }
    block *= step.implicit.x * step.implicit.x;
    if (!VOLUMES) {
        blocks[pair].w += block[0].x;
        return;
    }
    let rows = transpose(block);
    blocks[3u * pair] += vec4(rows[0], 0.0);
    blocks[3u * pair + 1u] += vec4(rows[1], 0.0);
    blocks[3u * pair + 2u] += vec4(rows[2], 0.0);
}

/// What a hinge adds to the block of a pair from `first` on.
fn of_hinge(entry: u32, first: u32) -> mat3x3<f32> {
    // Twin of `PAIRS` in bending/mod.rs.
    var orders = array(
        vec2(0u, 1u), vec2(0u, 2u), vec2(0u, 3u), vec2(1u, 2u), vec2(1u, 3u), vec2(2u, 3u),
    );
    let n = entry >> 3u;
    var order = orders[entry & 7u];
    var corners = hinges[n];
    if (corners[order.x] != first) {
        order = order.yx;
    }
    let x = array(
        position[corners.x].xyz, position[corners.y].xyz, position[corners.z].xyz,
        position[corners.w].xyz,
    );
    let own = hinge_of(hinge[2u * n], hinge[2u * n + 1u]);
    var slopes = hinge_slopes(x, own);
    return hinge_pair(own, slopes.on[order.x], slopes.on[order.y]);
}
