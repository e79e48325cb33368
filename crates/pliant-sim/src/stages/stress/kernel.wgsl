// Stress of each tetrahedron: twin of `stress` in mod.rs. One invocation per tetrahedron.

#import pliant::grid
#import pliant::elastic

@group(0) @binding(0) var<storage, read> position: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> tets: array<vec4<u32>>;
/// Stiffness a and rest value w0 of the volume force; a is negative, or −0, for the thesis form (Echtler 2004).
@group(0) @binding(2) var<storage, read> volumes: array<vec2<f32>>;
/// Stiffness [N/m] of the six springs of each tetrahedron.
@group(0) @binding(3) var<storage, read> stiffness: array<f32>;
/// Their rest lengths [m].
@group(0) @binding(4) var<storage, read> lengths: array<f32>;
/// xx, yy, zz, yz, zx, xy of each tetrahedron [Pa].
@group(0) @binding(5) var<storage, read_write> stresses: array<f32>;

/// A symmetric tensor: xx, yy, zz and yz, zx, xy.
struct Tensor {
    normal: vec3<f32>,
    shear: vec3<f32>,
}

@compute @workgroup_size(WORKGROUP)
fn stress(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let n = thread_index(workgroup, groups, local);
    if (n >= arrayLength(&tets) || 6u * n >= arrayLength(&stiffness)) {
        return;
    }
    let tet = tets[n];
    let x = array(
        position[tet.x].xyz, position[tet.y].xyz, position[tet.z].xyz, position[tet.w].xyz,
    );
    let l1 = x[1] - x[0];
    let l2 = x[2] - x[0];
    let l3 = x[3] - x[0];
    let w = six_volumes(x);
    var sum = Tensor(vec3(0.0), vec3(0.0));
    // Flat tetrahedra have none.
    if (abs(w) > TINY) {
        let at = 6u * n;
        sum = plus(sum, spring(l1, at));
        sum = plus(sum, spring(l2, at + 1u));
        sum = plus(sum, spring(l3, at + 2u));
        sum = plus(sum, spring(x[2] - x[1], at + 3u));
        sum = plus(sum, spring(x[3] - x[1], at + 4u));
        sum = plus(sum, spring(x[3] - x[2], at + 5u));
        // The first corner is where the others are measured from.
        let forces = volume_forces(x, volumes[n]);
        sum = plus(sum, product(l1, -forces.on[1]));
        sum = plus(sum, product(l2, -forces.on[2]));
        sum = plus(sum, product(l3, -forces.on[3]));
        let inverse = 6.0 / abs(w);
        sum = Tensor(sum.normal * inverse, sum.shear * inverse);
    }
    for (var k = 0u; k < 3u; k++) {
        stresses[6u * n + k] = sum.normal[k];
        stresses[6u * n + 3u + k] = sum.shear[k];
    }
}

/// A spring's part: its tension times l ⊗ l.
fn spring(l: vec3<f32>, at: u32) -> Tensor {
    return product(spring_force(l, stiffness[at], lengths[at]), l);
}

/// The symmetric part of a ⊗ b.
fn product(a: vec3<f32>, b: vec3<f32>) -> Tensor {
    return Tensor(a * b, 0.5 * (a.yzx * b.zxy + a.zxy * b.yzx));
}

fn plus(a: Tensor, b: Tensor) -> Tensor {
    return Tensor(a.normal + b.normal, a.shear + b.shear);
}
