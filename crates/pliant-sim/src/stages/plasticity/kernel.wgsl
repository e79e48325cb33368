// Tests every tetrahedron at the positions the step ended with. One invocation per tetrahedron.

#import pliant::grid
#import pliant::step
#import pliant::plasticity

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> tets: array<vec4<u32>>;
/// Springs of each tetrahedron, six in a row.
@group(0) @binding(2) var<storage, read> springs_of: array<u32>;
/// Rest lengths likewise.
@group(0) @binding(3) var<storage, read_write> lengths: array<f32>;
/// Stiffness and six times the rest volume.
@group(0) @binding(4) var<storage, read_write> volumes: array<vec2<f32>>;
/// 1 for springs to be merged anew.
@group(0) @binding(5) var<storage, read_write> marks: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn plasticity(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = thread_index(workgroup, groups, local);
    if (t >= step.tet_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let tet = tets[t];
    let x = array(
        position[tet.x].xyz, position[tet.y].xyz, position[tet.z].xyz, position[tet.w].xyz,
    );
    var rest: RestShape;
    for (var k = 0u; k < 6u; k++) {
        rest.lengths[k] = lengths[6u * t + k];
    }
    rest.volume6 = volumes[t].y;
    rest = yield_springs(x, step.gravity.w, rest);
    if (rest.yielded == 0u) {
        return;
    }
    for (var k = 0u; k < 6u; k++) {
        if ((rest.yielded & (1u << k)) != 0u) {
            lengths[6u * t + k] = rest.lengths[k];
            atomicStore(&marks[springs_of[6u * t + k]], 1u);
        }
    }
    volumes[t].y = rest.volume6;
}
