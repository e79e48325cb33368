// The elastic forces, one element at a time; twin of formula.rs.
//
// A device keeps the rest length of a spring in place of k·L0, and w0, six times the rest volume of a
// tetrahedron, in place of b = a·w0: forces are then exactly zero at rest.

#import pliant::matrix

/// Squared lengths [m²] and squared areas [m⁴] are kept above this before they are divided by.
const TINY: f32 = 1e-36;

/// Force of a spring over its length [N/m]: k (|l| − L0)/|l|, exactly zero at the rest length.
fn spring_tension(l: vec3<f32>, k: f32, rest: f32) -> f32 {
    let length = sqrt(max(dot(l, l), TINY));
    return k * (length - rest) / length;
}

/// Force on `i` of the spring between `i` and `j`, where `l` = x_j − x_i [m].
fn spring_force(l: vec3<f32>, k: f32, rest: f32) -> vec3<f32> {
    return l * spring_tension(l, k, rest);
}

/// Damping force on `i` along the spring; `v_rel` = v_j − v_i [m/s], `kd` [N·s/m].
fn spring_damping_force(l: vec3<f32>, v_rel: vec3<f32>, kd: f32) -> vec3<f32> {
    return l * (kd * dot(l, v_rel) / max(dot(l, l), TINY));
}

/// ½ k (|l| − L0)² [J].
fn spring_energy(l: vec3<f32>, k: f32, rest: f32) -> f32 {
    let stretch = length(l) - rest;
    return 0.5 * k * stretch * stretch;
}

/// Stiffness of a spring across its direction [N/m]: k (1 − L0/|l|), negative under compression.
fn spring_across(l: vec3<f32>, k: f32, rest: f32) -> f32 {
    let length = sqrt(max(dot(l, l), TINY));
    return k * ((length - rest) / length);
}

/// What a spring adds to a system with timestep h: (across, excess) such that its pair block is
/// across I + excess l lᵀ. A negative stiffness across counts as none.
fn spring_pair(l: vec3<f32>, k: f32, rest: f32, damping: f32, h: f32) -> vec2<f32> {
    let across = max(spring_across(l, k, rest), 0.0);
    let excess = (h * (k - across) + damping) * h / max(dot(l, l), TINY);
    return vec2(h * h * across, excess);
}

/// Six times the signed volume of a tetrahedron [m³].
fn six_volumes(x: array<vec3<f32>, 4>) -> f32 {
    return dot(cross(x[1] - x[0], x[2] - x[0]), x[3] - x[0]);
}

/// Gradients of six times the volume of a tetrahedron, corner by corner, and that volume.
struct VolumeGradient {
    g: array<vec3<f32>, 4>,
    six_volumes: f32,
}

fn six_volumes_gradient(x: array<vec3<f32>, 4>) -> VolumeGradient {
    let l1 = x[1] - x[0];
    let l2 = x[2] - x[0];
    let l3 = x[3] - x[0];
    let g1 = cross(l2, l3);
    let g2 = cross(l3, l1);
    let g3 = cross(l1, l2);
    return VolumeGradient(array(-(g1 + g2 + g3), g1, g2, g3), dot(g3, l3));
}

/// Whether the coefficients of a tetrahedron are of the thesis form (Echtler 2004): a negative
/// stiffness, −0 included.
fn is_thesis(volume: vec2<f32>) -> bool {
    return (bitcast<u32>(volume.x) >> 31u) == 1u;
}

/// Forces on the four corners of a tetrahedron.
struct CornerForces {
    on: array<vec3<f32>, 4>,
}

/// Volume forces: s = a (w − w0) along the gradients of w; the thesis form takes unit normals.
fn volume_forces(x: array<vec3<f32>, 4>, volume: vec2<f32>) -> CornerForces {
    let at = six_volumes_gradient(x);
    let s = -abs(volume.x) * (at.six_volumes - volume.y);
    if (is_thesis(volume)) {
        return CornerForces(
            array(along(at.g[0], s), along(at.g[1], s), along(at.g[2], s), along(at.g[3], s)),
        );
    }
    return CornerForces(array(at.g[0] * s, at.g[1] * s, at.g[2] * s, at.g[3] * s));
}

/// A force of size `s` along `direction`.
fn along(direction: vec3<f32>, s: f32) -> vec3<f32> {
    return direction * (s / sqrt(max(dot(direction, direction), TINY)));
}

/// ½ a (w − w0)² [J]; a sixth of it for the thesis form.
fn volume_energy(x: array<vec3<f32>, 4>, volume: vec2<f32>) -> f32 {
    let stretch = six_volumes(x) - volume.y;
    return 0.5 * abs(volume.x) * stretch * stretch * select(1.0, 1.0 / 6.0, is_thesis(volume));
}

/// The coefficients (a, s) for `volume_pair` of a tetrahedron with stiffness and rest value `volume`.
fn volume_terms(at: VolumeGradient, volume: vec2<f32>) -> vec2<f32> {
    let a = abs(volume.x);
    let terms = vec2(a, a * (at.six_volumes - volume.y));
    if (volume.x >= 0.0) {
        return terms;
    }
    let sum = length(at.g[0]) + length(at.g[1]) + length(at.g[2]) + length(at.g[3]);
    return terms / max(0.25 * sum, sqrt(TINY));
}

/// What a tetrahedron adds to the pair block of its edge between corners 0 and 1 of `x`: positive
/// semi-definite over all six edges, see formula.rs.
fn volume_pair(x: array<vec3<f32>, 4>, at: VolumeGradient, a: f32, s: f32) -> mat3x3<f32> {
    let half = 0.5 * s;
    let weight = 0.25 * abs(half);
    return outer(at.g[0], at.g[1], -a) + cross_matrix((x[3] - x[2]) * half)
        + across_matrix(x[2] - x[0], weight) + across_matrix(x[3] - x[0], weight)
        + across_matrix(x[2] - x[1], weight) + across_matrix(x[3] - x[1], weight);
}

/// weight (|l| I − l lᵀ/|l|)
fn across_matrix(l: vec3<f32>, weight: f32) -> mat3x3<f32> {
    let size = sqrt(max(dot(l, l), TINY));
    return outer(l, l, -weight / size) + scalar_matrix(weight * size);
}
