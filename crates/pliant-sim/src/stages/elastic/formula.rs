//! The elastic forces, one element at a time: coefficients, energy, force and derivative. This is the
//! readable truth that every backend is compared with, and the only place that says what a spring or a
//! volume is: compiling, measuring, stress, plasticity, stability and implicit steps ask here.
//!
//! Of derivatives it says how they are kept: the matrix of a system is never asked for as such, only for
//! its product with a vector p. Every element conserves momentum, so the rows of its matrix K = −∂f/∂x
//! sum to zero, and the product is a sum over pairs of vertices: (K p)_i = Σ_j B_ij (p_i − p_j) with
//! B_ij = −K_ij. A *pair block* B is all that is stored, once for each pair: B_ji is its transpose.
//! Differences keep their digits where a stiff body moves as a whole.

use pliant_mesh::topology::TET_EDGES;

use super::VolumeForm;
use crate::math::{Real, Vec3};
use crate::matrix::{Matrix, cross_matrix, outer, sum, transposed};

/// Squared lengths \[m²\] and squared areas \[m⁴\] are kept above this before they are divided by,
/// so that a spring of no length, or a face of no area, gives no force instead of NaN.
pub const TINY: f64 = 1e-36;

/// Stiffness \[N/m\] of a spring whose modulus \[Pa\] times the content \[m³\] of the elements round it is
/// `weight`: `k = E Σ volume / length²` (Van Gelder 1998, "Approximate simulation of elastic membranes by
/// triangulated spring meshes"). Surfaces have areas \[m²\] and moduli \[N/m\] instead.
pub fn spring_stiffness(weight: f64, square_length: f64) -> f64 {
    weight / square_length.max(f64::MIN_POSITIVE)
}

/// Force of a spring over its length \[N/m\], from its rest length: `k (|l| − L0)/|l|`. As
/// [`spring_across`], but exactly zero at rest.
pub fn spring_tension<R: Real>(l: Vec3<R>, k: R, rest_length: R) -> R {
    let length = l.dot(l).max(R::of(TINY)).sqrt();
    k * (length - rest_length) / length
}

/// Force on `i` of the spring between `i` and `j`, where `l` = x_j − x_i \[m\].
///
/// `F = k (|l| − L0) l/|l|` (Echtler 2004, section on spring forces), written `l (k − k·L0/|l|)`.
/// It is linear in `k` \[N/m\] and in `k_rest` = k·L0 \[N\]: springs between the same two vertices
/// are one spring with both summed.
pub fn spring_force<R: Real>(l: Vec3<R>, k: R, k_rest: R) -> Vec3<R> {
    l * spring_across(l, k, k_rest)
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

/// Stiffness of a spring across its direction \[N/m\]: `k (1 − L0/|l|)`, negative under compression.
/// Along its direction it is k.
pub fn spring_across<R: Real>(l: Vec3<R>, k: R, k_rest: R) -> R {
    k - k_rest / l.dot(l).max(R::of(TINY)).sqrt()
}

/// The spring's Hessian `k d dᵀ + across (I − d dᵀ)` with d = l/|l| (Baraff & Witkin 1998, *Large
/// steps in cloth simulation*, section 4; Tejada & Ertl print |x|³ in the first term).
pub fn spring_hessian<R: Real>(l: Vec3<R>, k: R, across: R) -> Matrix<R> {
    let along = (k - across) / l.dot(l).max(R::of(TINY));
    let mut block = outer(l, l, along);
    for n in 0..3 {
        block[n][n] += across;
    }
    block
}

/// What a spring adds to a system with timestep h: (across, excess) such that its pair block is
/// `across I + excess l lᵀ`.
///
/// It is h² times the Hessian, with a negative stiffness across replaced by none, plus h times the
/// damping `κ_d d dᵀ`: positive semi-definite, and never less stiff than the true one.
pub fn spring_pair<R: Real>(l: Vec3<R>, k: R, k_rest: R, damping: R, h: R) -> [R; 2] {
    let across = spring_across(l, k, k_rest).max(R::of(0.0));
    let excess = (h * (k - across) + damping) * h / l.dot(l).max(R::of(TINY));
    [h * h * across, excess]
}

/// The corners (i, j) of the six edges of a tetrahedron, then the other two corners (k, l), so that
/// each row is an even permutation: (i, j, k, l) has the same signed volume.
pub const EDGE_CORNERS: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];

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

/// A tetrahedron with less than this part of the volume of a regular one of its mean edge length
/// counts as a sliver. The modulus over its tiny volume would make it the stiffest thing in the
/// scene, so its volume force takes this volume instead.
const SLIVER: f64 = 0.01;

/// Six times the volume of a tetrahedron, and the same no smaller than that of a sliver, which has 1 % of
/// the volume of a regular one of the same mean edge.
pub fn guarded_six_volumes(c: [Vec3<f64>; 4]) -> [f64; 2] {
    let rest6 = six_volumes(c);
    let squares = TET_EDGES.map(|[i, j]| (c[j] - c[i]).dot(c[j] - c[i]));
    let mean = (squares.iter().sum::<f64>() / 6.0).sqrt();
    let least6 = SLIVER * mean.powi(3) * std::f64::consts::FRAC_1_SQRT_2;
    [rest6, rest6.max(least6)]
}

/// Coefficients (a, b) of a tetrahedron of the energy form, from six times its rest volume, as it is
/// and guarded against slivers.
///
/// `E = ½ k_v (v − v0)²/v0` with v = w/6. Then
/// `dE/dw = k_v (v − v0)/v0 · 1/6 = k_v/(36 v0) · (w − w0)`,
/// hence a = k_v/(36 v0) and b = a·w0, with s = a·w − b = dE/dw. `modulus` = k_v \[Pa\].
pub fn energy_coefficients<R: Real>(modulus: R, [rest6, guarded6]: [R; 2]) -> [R; 2] {
    // All corners in one place: there is nothing to compress.
    let zero = R::of(0.0);
    let a = if guarded6 > zero { modulus / (R::of(6.0) * guarded6) } else { zero };
    [a, a * rest6]
}

/// Coefficients (a, b) of a tetrahedron of the thesis form, from six times its rest volume: a = D_v/6
/// and b = D_v·v0, so that s = a·w − b = D_v (v − v0). `stiffness` = D_v \[N/m³\].
pub fn thesis_coefficients<R: Real>(stiffness: R, rest6: R) -> [R; 2] {
    [stiffness / R::of(6.0), stiffness * rest6 / R::of(6.0)]
}

/// Forces on the four corners.
///
/// The energy form is `−dE/dx_k = −s ∂w/∂x_k`: these sum to zero. The thesis form is
/// `D_v (v − v0) n̂_k` with n̂_k the outward unit normal of the face opposite corner k (Echtler 2004,
/// section on volume forces): these do not, and a free body may drift.
pub fn volume_forces<R: Real>(x: [Vec3<R>; 4], a: R, b: R, form: VolumeForm) -> [Vec3<R>; 4] {
    let s = a * six_volumes(x) - b;
    let g = six_volumes_gradient(x);
    match form {
        VolumeForm::Energy => g.map(|g| g * -s),
        VolumeForm::Thesis => g.map(|g| along(g, -s)),
    }
}

/// A force of size `s` along `direction`.
fn along<R: Real>(direction: Vec3<R>, s: R) -> Vec3<R> {
    direction * (s / direction.dot(direction).max(R::of(TINY)).sqrt())
}

/// Energy of a tetrahedron \[J\]: of the energy form `½ (a·w − b)²/a`, which is `½ k_v (v − v0)²/v0`.
/// The thesis form has none whose gradient its forces are; what is given for it is `½ D_v (v − v0)²`.
pub fn volume_energy<R: Real>(x: [Vec3<R>; 4], a: R, b: R, form: VolumeForm) -> R {
    let s = a * six_volumes(x) - b;
    let energy = if a == R::of(0.0) { a } else { R::of(0.5) * s * s / a };
    match form {
        VolumeForm::Energy => energy,
        VolumeForm::Thesis => energy * R::of(1.0 / 6.0),
    }
}

/// The Hessian of the volume energy `½ (a w − b)²/a`, as a block for each pair of corners:
/// `a g_i g_jᵀ + s ∂²w/∂x_i∂x_j` with s = a w − b. The second derivatives of the volume are cross
/// products with the opposite edge; it is linear in each corner, so those of one corner vanish.
pub fn volume_hessian<R: Real>(x: [Vec3<R>; 4], a: R, b: R) -> [[Matrix<R>; 4]; 4] {
    let g = six_volumes_gradient(x);
    let s = a * six_volumes(x) - b;
    let mut blocks: [[Matrix<R>; 4]; 4] =
        std::array::from_fn(|i| std::array::from_fn(|j| outer(g[i], g[j], a)));
    for [i, j, k, l] in EDGE_CORNERS {
        let second = cross_matrix((x[k] - x[l]) * s);
        blocks[i][j] = sum(blocks[i][j], second);
        blocks[j][i] = sum(blocks[j][i], transposed(second));
    }
    blocks
}

/// The coefficients (a, s) for [`volume_pair`] of a tetrahedron with coefficients (a, b).
///
/// The thesis form has no energy, and its derivative is not symmetric: its forces are those of the
/// energy form with each corner's part divided by the size of its own gradient. The mean size takes
/// their place here, which is exact for a regular tetrahedron and close enough to converge.
pub fn volume_terms<R: Real>(x: [Vec3<R>; 4], a: R, b: R, form: VolumeForm) -> [R; 2] {
    let s = a * six_volumes(x) - b;
    match form {
        VolumeForm::Energy => [a, s],
        VolumeForm::Thesis => {
            let sizes = six_volumes_gradient(x).map(Vec3::length);
            let mean = (sizes[0] + sizes[1] + sizes[2] + sizes[3]) * R::of(0.25);
            let inverse = R::of(1.0) / mean.max(R::of(TINY).sqrt());
            [a * inverse, s * inverse]
        }
    }
}

/// What a tetrahedron adds to the pair block of its edge (i, j), without the factor h²; `x` are its
/// corners in the order of a row of [`EDGE_CORNERS`], `s` = a w − b.
///
/// The Hessian is not positive where the volume is pressed or drawn. With base corner 0 it is
/// `a g gᵀ + s Σ_k T_k`, where T_k couples two corners by a cross product with the edge l_k to the
/// third; the eigenvalues of T_k are ±|l_k|, and the nearest matrix without negative ones is
/// ½ (s T_k + |s| |l_k| P_k), P_k taking away what is along l_k. This, averaged over the four
/// corners as base, is what is added here: symmetric in the corners, positive semi-definite, never
/// less stiff than the true Hessian, and equal to it at rest.
pub fn volume_pair<R: Real>(x: [Vec3<R>; 4], a: R, s: R) -> Matrix<R> {
    let [gi, gj, ..] = six_volumes_gradient(x);
    let half = s * R::of(0.5);
    let mut block = outer(gi, gj, -a);
    block = sum(block, cross_matrix((x[3] - x[2]) * half));
    let weight = half.abs() * R::of(0.25);
    for l in [x[2] - x[0], x[3] - x[0], x[2] - x[1], x[3] - x[1]] {
        let square = l.dot(l).max(R::of(TINY));
        let length = square.sqrt();
        block = sum(block, outer(l, l, -weight / length));
        for n in 0..3 {
            block[n][n] += weight * length;
        }
    }
    block
}
