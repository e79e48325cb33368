// Velocities at the time of the positions, and the net forces there. One invocation per slot. What colliders do
// is appended: no_colliders.wgsl or at_colliders.wgsl.

#import pliant::grid
#import pliant::step
#import pliant::measure::record

/// Positions [m] and mass [kg].
@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// Velocities [m/s] as the integrator keeps them, and 1/mass.
@group(0) @binding(1) var<storage, read> velocity: array<vec4<f32>>;
/// Elastic forces at the present positions [N].
@group(0) @binding(2) var<storage, read> force: array<vec4<f32>>;
/// Low and high corner of the world box as each body sees it [m]; the first fourth number is how long
/// its velocities lag behind the positions [s]. Behind those of all bodies, two vectors for each: its origin, as
/// good as single precision can be, and the rest [m].
@group(0) @binding(3) var<storage, read> bounds: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> slice_body: array<u32>;
/// Velocities at the time of the positions [m/s], and 1/mass.
@group(0) @binding(5) var<storage, read_write> velocity_now: array<vec4<f32>>;
/// Net forces without touches and walls [N].
@group(0) @binding(6) var<storage, read_write> net_force: array<vec4<f32>>;
@group(0) @binding(7) var<uniform> record: MeasureRecord;

@compute @workgroup_size(WORKGROUP)
fn present(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= record.slot_count) {
        return;
    }
    let inv_mass = velocity[slot].w;
    let v = velocity_at(slot, velocity[slot].xyz, inv_mass);
    velocity_now[slot] = vec4(v, inv_mass);
    let mass = position[slot].w;
    let body = mass * (record.gravity.xyz - record.loading.w * v);
    // Padding has no mass, and no force.
    let net = select(vec3(0.0), force[slot].xyz + body + record.loading.xyz, mass > 0.0);
    net_force[slot] = vec4(net, 0.0);
}

/// The velocity at the time of the position.
fn velocity_at(slot: u32, v: vec3<f32>, inv_mass: f32) -> vec3<f32> {
    let body = slice_body[slot / SLICE];
    let lag = bounds[2u * body].w;
    if (lag == 0.0 || inv_mass == 0.0) {
        return v;
    }
    let f = force[slot].xyz + record.loading.xyz;
    let kicked = v + lag * (f * inv_mass + record.gravity.xyz - record.loading.w * v);
    let now = held(slot, body, kicked);
    if (record.walled == 0u) {
        return now;
    }
    let outward = on_walls(position[slot].xyz, bounds[2u * body].xyz, bounds[2u * body + 1u].xyz);
    // What presses a vertex against a wall does not move it.
    return select(now, vec3(0.0), outward * now > vec3(0.0));
}
