// The pair blocks of a system: what the spring between two vertices and the tetrahedra round them are
// worth at the present positions. One invocation per pair.

#import pliant::grid
#import pliant::step
#import pliant::elastic

/// Both ends (slots), the spring or NONE, and where its part of `around` begins; one more for the
/// end.
@group(0) @binding(0) var<storage, read> pairs: array<vec4<u32>>;
/// Tetrahedra round the pairs, and which edge the pair is: `8·tet + edge`.
@group(0) @binding(1) var<storage, read> around: array<u32>;
@group(0) @binding(2) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> springs: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> damping: array<f32>;
@group(0) @binding(5) var<storage, read> tets: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> volumes: array<vec2<f32>>;
@group(0) @binding(7) var<storage, read> flags: array<u32>;
/// A vector (e, q) for each pair, whose block is q I + e eᵀ; with volumes its three rows.
@group(0) @binding(8) var<storage, read_write> blocks: array<vec4<f32>>;
@group(0) @binding(9) var<uniform> step: Step;

/// Whether springs are damped.
override DAMPED: bool = false;
/// Whether there are volume forces.
override VOLUMES: bool = false;

@compute @workgroup_size(WORKGROUP)
fn linearise(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n + 1u >= arrayLength(&pairs) || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let pair = pairs[n];
    let x_i = position[pair.x].xyz;
    let x_j = position[pair.y].xyz;
    let l = x_j - x_i;
    var of_spring = vec2(0.0);
    if (pair.z != NONE) {
        let spring = springs[pair.z];
        var damped = 0.0;
        if (DAMPED) {
            damped = damping[pair.z];
        }
        of_spring =
            spring_pair(l, bitcast<f32>(spring.z), bitcast<f32>(spring.w), damped, step.implicit.x);
    }
    if (!VOLUMES) {
        blocks[n] = vec4(l * sqrt(of_spring.y), of_spring.x);
        return;
    }
    var block = outer(l, l, of_spring.y) + scalar_matrix(of_spring.x);
    for (var at = pair.w; at < pairs[n + 1u].w; at++) {
        block += of_tet(around[at], pair.x, x_i, x_j);
    }
    let rows = transpose(block);
    blocks[3u * n] = vec4(rows[0], 0.0);
    blocks[3u * n + 1u] = vec4(rows[1], 0.0);
    blocks[3u * n + 2u] = vec4(rows[2], 0.0);
}

/// What a tetrahedron adds to the block of its edge from `first` at x_i to x_j.
fn of_tet(entry: u32, first: u32, x_i: vec3<f32>, x_j: vec3<f32>) -> mat3x3<f32> {
    // Corners of the edges, then the other two in the order that keeps the sign of the volume.
    var orders = array(
        vec4(0u, 1u, 2u, 3u), vec4(0u, 2u, 3u, 1u), vec4(0u, 3u, 1u, 2u),
        vec4(1u, 2u, 0u, 3u), vec4(1u, 3u, 2u, 0u), vec4(2u, 3u, 0u, 1u),
    );
    var tet = tets[entry >> 3u];
    let order = orders[entry & 7u];
    var others = vec2(tet[order.z], tet[order.w]);
    if (tet[order.x] != first) {
        others = others.yx;
    }
    let x = array(x_i, x_j, position[others.x].xyz, position[others.y].xyz);
    let at = six_volumes_gradient(x);
    let terms = volume_terms(at, volumes[entry >> 3u]) * (step.implicit.x * step.implicit.x);
    return volume_pair(x, at, terms.x, terms.y);
}
