// Equivalent stress of each tetrahedron: twin of `Stress::von_mises` in mod.rs. One invocation per
// tetrahedron.

#import pliant::grid

/// xx, yy, zz, yz, zx, xy of each tetrahedron [Pa].
@group(0) @binding(0) var<storage, read> stresses: array<f32>;
/// One number for each [Pa].
@group(0) @binding(1) var<storage, read_write> equivalent: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn mises(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= arrayLength(&equivalent) || 6u * n + 5u >= arrayLength(&stresses)) {
        return;
    }
    let normal = vec3(stresses[6u * n], stresses[6u * n + 1u], stresses[6u * n + 2u]);
    let shear = vec3(stresses[6u * n + 3u], stresses[6u * n + 4u], stresses[6u * n + 5u]);
    let apart = normal - normal.yzx;
    equivalent[n] = sqrt(0.5 * dot(apart, apart) + 3.0 * dot(shear, shear));
}
