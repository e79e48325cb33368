// Gives merged springs the rest length that the springs of their tetrahedra have together: those
// that are marked, or all of them when the record has no plasticity. One invocation per spring.

#import pliant::grid
#import pliant::step
#import pliant::plasticity

/// Rest lengths, six for each tetrahedron.
@group(0) @binding(0) var<storage, read> lengths: array<f32>;
/// Where the part of each spring in `around` begins, one more for the end.
@group(0) @binding(1) var<storage, read> starts: array<u32>;
/// Places in `lengths`, and what the tetrahedron has of the spring's stiffness [N/m], as bits.
@group(0) @binding(2) var<storage, read> around: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> springs: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> marks: array<u32>;
@group(0) @binding(5) var<storage, read> flags: array<u32>;
@group(0) @binding(6) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn merge(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let spring = thread_index(workgroup, groups, local);
    if (spring >= step.spring_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    if (marks[spring] == 0u && step.gravity.w > 0.0) {
        return;
    }
    marks[spring] = 0u;
    let begin = starts[spring];
    let end = starts[spring + 1u];
    // Springs of surfaces have no tetrahedron round them and never yield.
    if (begin == end) {
        return;
    }
    let first = lengths[around[begin].x];
    var excess = 0.0;
    for (var at = begin + 1u; at < end; at++) {
        let tet = around[at];
        excess += bitcast<f32>(tet.y) * (lengths[tet.x] - first);
    }
    let merged = merged_length(first, excess, bitcast<f32>(springs[spring].z));
    springs[spring].w = bitcast<u32>(merged);
}
