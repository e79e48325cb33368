// What implicit steps ask of elements besides forces and derivatives, and the factors of a vertex's own
// block; twin of formula.rs.

#import pliant::elastic

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

/// The energy [J] that an element may have by rounding or unseen strain. `stiffness` [N/m] is the trace of
/// its second derivatives, `from_origin` a corner and `edge` one of its edges.
fn energy_uncertainty(stiffness: f32, from_origin: vec3<f32>, edge: vec3<f32>) -> f32 {
    let rounding = 4.0 / 3.0 * 1.1920929e-7;
    let strain = 0.5 * UNSEEN;
    return stiffness
        * (rounding * rounding * dot(from_origin, from_origin) + strain * strain * dot(edge, edge));
}

/// How deep a tetrahedron must be inside out to count as turned: six volumes over the cube of its mean
/// edge.
const TURNED: f32 = 0.1;

/// Whether a tetrahedron is deep inside out.
fn is_turned(x: array<vec3<f32>, 4>) -> bool {
    let w = six_volumes(x);
    let a = x[1] - x[0];
    let b = x[2] - x[0];
    let c = x[3] - x[0];
    let square = dot(a, a) + dot(b, b) + dot(c, c) + dot(b - a, b - a) + dot(c - a, c - a)
        + dot(c - b, c - b);
    let mean = square / 6.0;
    return w < -TURNED * mean * sqrt(mean);
}
