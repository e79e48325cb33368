//! The elastic forces, one element at a time: the readable truth that every backend is compared
//! with.

use crate::math::{Real, Vec3};

/// Squared lengths \[m²\] and squared areas \[m⁴\] are kept above this before they are divided by,
/// so that a spring of no length, or a face of no area, gives no force instead of NaN.
pub const TINY: f64 = 1e-36;

/// Force on `i` of the spring between `i` and `j`, where `l` = x_j − x_i \[m\].
///
/// `F = k (|l| − L0) l/|l|` (Echtler 2004, section on spring forces), written `l (k − k·L0/|l|)`.
/// It is linear in `k` \[N/m\] and in `k_rest` = k·L0 \[N\]: springs between the same two vertices
/// are one spring with both summed.
pub fn spring_force<R: Real>(l: Vec3<R>, k: R, k_rest: R) -> Vec3<R> {
    l * (k - k_rest / l.dot(l).max(R::of(TINY)).sqrt())
}

/// Damping force on `i` along the spring: `−κ_d ((v_i − v_j)·d) d`, with d = l/|l|.
///
/// `l` = x_j − x_i \[m\], `v_rel` = v_j − v_i \[m/s\], `kd` = κ_d \[N·s/m\]. It is central, so it
/// brakes neither translation nor rotation of the whole body. (Tejada & Ertl print the form
/// −κ_d (v_i − v_j), which does brake rotation.)
pub fn spring_damping_force<R: Real>(l: Vec3<R>, v_rel: Vec3<R>, kd: R) -> Vec3<R> {
    l * (kd * l.dot(v_rel) / l.dot(l).max(R::of(TINY)))
}

/// Energy `½ k (|l| − L0)²` \[J\] of one spring.
pub fn spring_energy<R: Real>(l: Vec3<R>, k: R, rest_length: R) -> R {
    let stretch = l.length() - rest_length;
    R::of(0.5) * k * stretch * stretch
}

/// Six times the signed volume \[m³\]: `w = (l1 × l2)·l3` with l_i = x_i − x_0.
pub fn six_volumes<R: Real>(x: [Vec3<R>; 4]) -> R {
    (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0])
}

/// `∂w/∂x_k` for the four corners. Each is minus twice the outward area vector of the face
/// opposite the corner; the first is minus the sum of the others, so the four sum to zero.
pub fn six_volumes_gradient<R: Real>(x: [Vec3<R>; 4]) -> [Vec3<R>; 4] {
    let l = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let g = [l[1].cross(l[2]), l[2].cross(l[0]), l[0].cross(l[1])];
    [-(g[0] + g[1] + g[2]), g[0], g[1], g[2]]
}

/// Coefficients (a, b) of a tetrahedron of the energy form.
///
/// `E = ½ k_v (v − v0)²/v0` with v = w/6. Then
/// `dE/dw = k_v (v − v0)/v0 · 1/6 = k_v/(36 v0) · (w − w0)`,
/// hence a = k_v/(36 |v0|) and b = a·w0, with s = a·w − b = dE/dw. `hardness` = k_v \[Pa\]; the
/// absolute value keeps the energy positive for a tetrahedron listed inside out.
pub fn energy_coefficients<R: Real>(hardness: R, rest_volume: R) -> [R; 2] {
    let a = hardness / (R::of(36.0) * rest_volume.abs());
    [a, a * R::of(6.0) * rest_volume]
}

/// Coefficients (a, b) of a tetrahedron of the thesis form: a = D_v/6 and b = D_v·v0, so that
/// s = a·w − b = D_v (v − v0). `hardness` = D_v \[N/m³\].
pub fn thesis_coefficients<R: Real>(hardness: R, rest_volume: R) -> [R; 2] {
    [hardness / R::of(6.0), hardness * rest_volume]
}

/// Forces on the four corners, energy form: `−dE/dx_k = −s ∂w/∂x_k`. They sum to zero.
pub fn volume_forces_energy<R: Real>(x: [Vec3<R>; 4], a: R, b: R) -> [Vec3<R>; 4] {
    let s = a * six_volumes(x) - b;
    six_volumes_gradient(x).map(|g| g * -s)
}

/// Forces on the four corners, thesis form: `D_v (v − v0) n̂_k` with n̂_k the outward unit normal
/// of the face opposite corner k (Echtler 2004, section on volume forces). They do not sum to
/// zero: a free body may drift.
pub fn volume_forces_thesis<R: Real>(x: [Vec3<R>; 4], a: R, b: R) -> [Vec3<R>; 4] {
    let s = a * six_volumes(x) - b;
    six_volumes_gradient(x).map(|g| g * (-s / g.dot(g).max(R::of(TINY)).sqrt()))
}

/// Energy of a tetrahedron of the energy form \[J\]: `½ (a·w − b)²/a`, which is
/// `½ k_v (v − v0)²/v0`.
pub fn volume_energy<R: Real>(x: [Vec3<R>; 4], a: R, b: R) -> R {
    let s = a * six_volumes(x) - b;
    if a == R::of(0.0) { R::of(0.0) } else { R::of(0.5) * s * s / a }
}
