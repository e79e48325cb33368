// The elastic forces, one element at a time; twin of formula.rs.

/// Squared lengths [m²] and squared areas [m⁴] are kept above this before they are divided by.
const TINY: f32 = 1e-36;

/// Force on `i` of the spring between `i` and `j`, where `l` = x_j − x_i [m].
///
/// F = k (|l| − L0) l/|l|, in the form that is exactly zero at the rest length.
fn spring_force(l: vec3<f32>, k: f32, rest: f32) -> vec3<f32> {
    let length = sqrt(max(dot(l, l), TINY));
    return l * (k * (length - rest) / length);
}

/// Damping force on `i` along the spring; `v_rel` = v_j − v_i [m/s], `kd` [N·s/m].
fn spring_damping_force(l: vec3<f32>, v_rel: vec3<f32>, kd: f32) -> vec3<f32> {
    return l * (kd * dot(l, v_rel) / max(dot(l, l), TINY));
}

/// Forces on the four corners of a tetrahedron.
struct CornerForces {
    on: array<vec3<f32>, 4>,
}

/// Volume forces: s = a (w − w0) along the gradients of w, six times the volume.
///
/// A negative hardness (−0 included) stands for the thesis form, which takes unit normals.
fn volume_forces(x: array<vec3<f32>, 4>, volume: vec2<f32>) -> CornerForces {
    let l1 = x[1] - x[0];
    let l2 = x[2] - x[0];
    let l3 = x[3] - x[0];
    let g1 = cross(l2, l3);
    let g2 = cross(l3, l1);
    let g3 = cross(l1, l2);
    let g0 = -(g1 + g2 + g3);
    let s = -abs(volume.x) * (dot(g3, l3) - volume.y);
    if ((bitcast<u32>(volume.x) >> 31u) == 0u) {
        return CornerForces(array(g0 * s, g1 * s, g2 * s, g3 * s));
    }
    return CornerForces(array(along(g0, s), along(g1, s), along(g2, s), along(g3, s)));
}

/// A force of size `s` along `direction`.
fn along(direction: vec3<f32>, s: f32) -> vec3<f32> {
    return direction * (s / sqrt(max(dot(direction, direction), TINY)));
}
