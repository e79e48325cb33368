// Colours by force: twin of `force_colour` in mod.rs. One invocation per slot.

#import pliant::grid

/// Twin of `Palette` in gpu.rs.
struct Palette {
    grey: vec4<f32>,
    red: vec4<f32>,
    /// Force that is shown red [N]; the others are unused.
    reference: vec4<f32>,
}

/// Net forces [N].
@group(0) @binding(0) var<storage, read> net_force: array<vec4<f32>>;
/// Red, green, blue, opacity.
@group(0) @binding(1) var<storage, read_write> colours_out: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> palette: Palette;

@compute @workgroup_size(WORKGROUP)
fn colours(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = thread_index(workgroup, groups, local);
    if (slot >= arrayLength(&colours_out)) {
        return;
    }
    let t = min(length(net_force[slot].xyz) / palette.reference.x, 1.0);
    colours_out[slot] = (1.0 - t) * palette.grey + t * palette.red;
}
