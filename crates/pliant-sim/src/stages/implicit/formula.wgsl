// Derivatives of the elastic forces, one element at a time; twin of formula.rs.

#import pliant::elastic

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

/// The coefficients (a, s) for `volume_pair` of a tetrahedron with hardness and rest value `volume`;
/// a negative hardness stands for the thesis form.
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

/// scale a bᵀ
fn outer(a: vec3<f32>, b: vec3<f32>, scale: f32) -> mat3x3<f32> {
    let c = a * scale;
    return mat3x3(c * b.x, c * b.y, c * b.z);
}

/// The matrix of v ↦ a × v, by columns.
fn cross_matrix(a: vec3<f32>) -> mat3x3<f32> {
    return mat3x3(vec3(0.0, a.z, -a.y), vec3(-a.z, 0.0, a.x), vec3(a.y, -a.x, 0.0));
}

/// m I
fn scalar_matrix(m: f32) -> mat3x3<f32> {
    return diagonal_matrix(vec3(m));
}

fn diagonal_matrix(d: vec3<f32>) -> mat3x3<f32> {
    return mat3x3(vec3(d.x, 0.0, 0.0), vec3(0.0, d.y, 0.0), vec3(0.0, 0.0, d.z));
}

/// A symmetric positive definite matrix as L D Lᵀ. Kept in place of the inverse: applied as factors
/// it stays positive whatever single precision rounds off.
struct Factors {
    /// 1/D.
    inverse: vec3<f32>,
    /// L below its diagonal of ones: yx, zx, zy.
    below: vec3<f32>,
}

/// Factors of m I + K, with K positive semi-definite: then no pivot is below m.
fn factors(own: mat3x3<f32>, m: f32) -> Factors {
    let x = max(own[0].x, m);
    let yx = own[0].y / x;
    let zx = own[0].z / x;
    let y = max(own[1].y - yx * own[0].y, m);
    let rest = own[1].z - zx * own[0].y;
    let zy = rest / y;
    let z = max(own[2].z - zx * own[0].z - zy * rest, m);
    return Factors(1.0 / vec3(x, y, z), vec3(yx, zx, zy));
}

/// The matrix of these factors.
fn matrix_of_factors(f: Factors) -> mat3x3<f32> {
    let d = 1.0 / f.inverse;
    let x = d.x * vec3(1.0, f.below.x, f.below.y);
    let yz = f.below.x * x.z + d.y * f.below.z;
    let y = vec3(x.y, f.below.x * x.y + d.y, yz);
    let z = f.below.y * x.z + f.below.z * d.y * f.below.z + d.z;
    return mat3x3(x, y, vec3(x.z, yz, z));
}

/// The inverse of the matrix times r.
fn precondition(f: Factors, r: vec3<f32>) -> vec3<f32> {
    let y = r.y - f.below.x * r.x;
    let z = (r.z - f.below.y * r.x - f.below.z * y) * f.inverse.z;
    let back_y = y * f.inverse.y - f.below.z * z;
    return vec3(r.x * f.inverse.x - f.below.x * back_y - f.below.y * z, back_y, z);
}

/// The strain of all elements whose energy means nothing.
const UNSEEN: f32 = 2e-5;

/// The energy [J] that an element may have by rounding or unseen strain. `hardness` [N/m] is the trace of
/// its second derivatives, `from_origin` a corner and `edge` one of its edges.
fn unseen_energy(hardness: f32, from_origin: vec3<f32>, edge: vec3<f32>) -> f32 {
    let rounding = 4.0 / 3.0 * 1.1920929e-7;
    let strain = 0.5 * UNSEEN;
    return hardness
        * (rounding * rounding * dot(from_origin, from_origin) + strain * strain * dot(edge, edge));
}

/// How deep a tetrahedron must be inside out to count as turned: six volumes over the cube of its mean
/// edge.
const TURNED: f32 = 0.1;

/// Whether a tetrahedron is deep inside out.
fn is_turned(x: array<vec3<f32>, 4>) -> bool {
    let w = six_volumes_gradient(x).six_volumes;
    let a = x[1] - x[0];
    let b = x[2] - x[0];
    let c = x[3] - x[0];
    let square = dot(a, a) + dot(b, b) + dot(c, c) + dot(b - a, b - a) + dot(c - a, c - a)
        + dot(c - b, c - b);
    let mean = square / 6.0;
    return w < -TURNED * mean * sqrt(mean);
}
