// Adds the rubber bands at every held vertex to the pushes. One invocation per held vertex; several
// hands may hold it, and their forces are added in the order of the hands. In implicit steps
// the bands' share of the system's diagonal, h² k + h d, is the fourth number [kg]; without Newton's
// iterations they pull as they will where the vertex's own velocity leads.

#import pliant::grid
#import pliant::step
#import pliant::touch
#import pliant::hands

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> holds: array<HeldVertex>;
@group(0) @binding(3) var<storage, read> bands: array<Band>;
/// First substep that follows, number of grips, of holds, of bodies; then, substep after substep,
/// where the hand of each grip is in the body's coordinates [m], and its stiffness [N/m].
@group(0) @binding(4) var<storage, read> hands: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> flags: array<u32>;
@group(0) @binding(6) var<storage, read_write> touch: array<vec4<f32>>;
@group(0) @binding(7) var<uniform> step: Step;

@compute @workgroup_size(WORKGROUP)
fn dragged(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    let header = hands[0];
    if (n >= header.z || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    let hold = holds[n];
    let now = 1u + (step.substep - header.x) * header.y;
    let x = position[hold.slot];
    let v = velocity[hold.slot].xyz;
    let h = step.implicit.x;
    let ahead = select(h, 0.0, step.flags.y != 0u);
    var sum = touch[hold.slot];
    for (var b = hold.first; b < hold.end; b++) {
        let band = bands[b];
        let hand = bitcast<vec4<f32>>(hands[now + band.grip]);
        let force = drag_force(x.xyz + v * ahead, v, hand.xyz + band.offset, x.w, hand.w);
        sum += vec4(force, h * (h * hand.w + drag_damping(x.w, hand.w)));
    }
    touch[hold.slot] = sum;
}
