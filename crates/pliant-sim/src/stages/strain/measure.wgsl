// Finds the largest stretch of limited edges, and by how much it is more than their limits allow, at most. One
// invocation for each edge.

#import pliant::grid
#import pliant::strain

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// Ends (slots), limit [m] and gain [kg] of each edge, the latter two as bits.
@group(0) @binding(1) var<storage, read> edges: array<vec4<u32>>;
/// The kind of limit of each edge.
@group(0) @binding(2) var<storage, read> kinds: array<u32>;
/// For each kind, iteration by iteration: a and b, 1 where velocities count, (1 + τ).
@group(0) @binding(3) var<storage, read> table: array<vec4<f32>>;
/// Both as bits: those of positive numbers are in the order of the numbers.
@group(0) @binding(4) var<storage, read_write> largest: array<atomic<u32>>;

/// How many edges have limits.
override LIMITED: u32 = 0u;
/// How many iterations the table has for each kind.
override ITERATIONS: u32 = 1u;

@compute @workgroup_size(WORKGROUP)
fn stretch(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= LIMITED) {
        return;
    }
    let edge = edges[n];
    let allowed = table[kinds[n] * ITERATIONS].w;
    let way = span(position[edge.y].xyz - position[edge.x].xyz);
    let stretch = way.length * allowed / bitcast<f32>(edge.z) - 1.0;
    atomicMax(&largest[0], bitcast<u32>(max(stretch, 0.0)));
    atomicMax(&largest[1], bitcast<u32>(max(stretch - (allowed - 1.0), 0.0)));
}
