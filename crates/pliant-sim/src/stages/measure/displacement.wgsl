// How far vertices are from where they were at the start, to be shown as colours. One invocation per
// slot.

#import pliant::grid

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
/// By slot: x, y and z at the start, relative to the body's origin then [m], as bits; and the body.
@group(0) @binding(1) var<storage, read> start: array<vec4<u32>>;
/// By body: how far its origin has gone since then [m].
@group(0) @binding(2) var<storage, read> shifts: array<vec4<f32>>;
/// Distances [m].
@group(0) @binding(3) var<storage, read_write> displacement_out: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn displacement(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot < arrayLength(&displacement_out)) {
        let first = start[slot];
        let way = position[slot].xyz - bitcast<vec3<f32>>(first.xyz);
        displacement_out[slot] = length(way + shifts[first.w].xyz);
    }
}
