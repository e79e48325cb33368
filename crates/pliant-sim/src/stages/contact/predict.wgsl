// How fast vertices would be at the end of the substep without contact. One invocation per slot.

#import pliant::grid
#import pliant::step
#import pliant::contact::setup

@group(0) @binding(0) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> compensation: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> force: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> touch: array<vec4<f32>>;
/// By slot: velocity at the end of the substep without contact [m/s] and 1/mass; behind these the forces of contact
/// [N] and how many rows there are; then the velocity with contact and 1/mass.
@group(0) @binding(4) var<storage, read_write> ahead: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> control: array<u32>;
@group(0) @binding(6) var<storage, read> flags: array<u32>;
@group(0) @binding(7) var<uniform> step: Step;
@group(0) @binding(8) var<uniform> setup: Setup;

@compute @workgroup_size(WORKGROUP)
fn predict(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= step.slot_count || flags[BAD_SUBSTEP] < step.substep) {
        return;
    }
    if (slot == 0u) {
        control[IS_NEW] = 0u;
        control[CONTACTS] = 0u;
    }
    var total = force[slot].xyz + step.loading.xyz;
    if (step.loading.w != 0.0) {
        total += touch[slot].xyz;
    }
    let v = velocity[slot];
    let a = total * v.w + step.gravity.xyz * compensation[slot].w;
    ahead[slot] = vec4(v.xyz + a * setup.times.x, v.w);
}
