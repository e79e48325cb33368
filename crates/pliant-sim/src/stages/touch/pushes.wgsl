// The sum of all pushes on every vertex, zero where none reaches, and of what the air does, which was there before.
// One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::body_constants
#import pliant::touch
#import pliant::hands

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// See body_constants.wgsl.
@group(0) @binding(1) var<storage, read> body_constants: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> pushes: array<Push>;
/// A point of each push's axis in the coordinates of each body, push after push.
@group(0) @binding(3) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> flags: array<u32>;
@group(0) @binding(5) var<storage, read_write> touch: array<vec4<f32>>;
@group(0) @binding(6) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn pushed(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let x = position[slot].xyz;
    let body = body_of(slot);
    var sum = vec3(0.0);
    for (var p = 0u; p < arrayLength(&pushes); p++) {
        let push = pushes[p];
        if (push.force != 0.0) {
            let origin = points[p * step.flags.w + body].xyz;
            sum += push_force(x, origin, push.axis, push.radius2, push.force);
        }
    }
    touch[slot] = select(vec4(0.0), touch[slot], step.wind.w != 0.0) + vec4(sum, 0.0);
}
