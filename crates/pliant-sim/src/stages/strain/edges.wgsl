// Finds the impulses that keep edges within their limits, in one iteration. One invocation for each edge.

#import pliant::grid
#import pliant::step
#import pliant::strain
#import pliant::strain::iteration

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
/// Ends (slots), limit [m] and gain [kg] of each edge, the latter two as bits.
@group(0) @binding(2) var<storage, read> edges: array<vec4<u32>>;
/// The kind of limit of each edge.
@group(0) @binding(3) var<storage, read> kinds: array<u32>;
/// For each kind, iteration by iteration: a and b, 1 where velocities count, (1 + τ).
@group(0) @binding(4) var<storage, read> table: array<vec4<f32>>;
/// The last change of each impulse, along the edge, and the impulse [kg·m/s].
@group(0) @binding(5) var<storage, read_write> impulses: array<vec4<f32>>;
/// Sizes of the last changes [kg·m/s].
@group(0) @binding(6) var<storage, read_write> last_changes: array<f32>;
@group(0) @binding(7) var<storage, read> flags: array<u32>;
@group(0) @binding(8) var<uniform> step: Step;
@group(0) @binding(9) var<uniform> iteration: Iteration;

/// How many edges have limits.
override LIMITED: u32 = 0u;

@compute @workgroup_size(WORKGROUP)
fn strain(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= LIMITED || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let edge = edges[n];
    let numbers = table[kinds[n] * iteration.count + iteration.number];
    let way = span(position[edge.y].xyz - position[edge.x].xyz);
    let u = (velocity[edge.y].xyz - velocity[edge.x].xyz) * numbers.z;
    var impulse = 0.0;
    var last = 0.0;
    if (iteration.number > 0u) {
        impulse = impulses[n].w;
        last = last_changes[n];
    }
    let too_fast = overspeed(way, u, bitcast<f32>(edge.z), iteration.per_h);
    let gain = bitcast<f32>(edge.w);
    let change = impulse_change(too_fast, gain, impulse, last, numbers.x, numbers.y);
    impulses[n] = vec4(way.along * change, impulse + change);
    last_changes[n] = change;
}
