//! Derivatives of the elastic forces, one element at a time: the readable truth that every backend
//! is compared with.
//!
//! The matrix of a system is never asked for as such, only for its product with a vector p. Every
//! element conserves momentum, so the rows of its matrix K = −∂f/∂x sum to zero, and the product is
//! a sum over pairs of vertices: (K p)_i = Σ_j B_ij (p_i − p_j) with B_ij = −K_ij. A *pair block* B
//! is all that is stored, once for each pair: B_ji is its transpose. Differences keep their digits
//! where a stiff body moves as a whole.

use crate::math::{Real, Vec3};
use crate::stages::elastic::VolumeForm;
use crate::stages::elastic::formula::{TINY, six_volumes, six_volumes_gradient};

/// The part of its energy, and of the work of loads, that a body may gain in a step by mistake.
pub const GAIN: f64 = 5e-3;

/// The strain of all elements whose energy means nothing: nobody sees it, and the stiffest bodies cannot
/// turn in long steps without it.
const UNSEEN: f64 = 2e-5;

/// The last digit of positions, relative to them.
const ROUNDING: f64 = f32::EPSILON as f64;

/// The energy \[J\] that an element may have by rounding or unseen strain. `hardness` \[N/m\] is the trace
/// of its second derivatives, `from` a corner as seen from the origin and `edge` one of its edges.
pub fn unseen_energy<R: Real>(hardness: R, from: Vec3<R>, edge: Vec3<R>) -> R {
    let (rounding, strain) = (R::of(4.0 / 3.0 * ROUNDING), R::of(0.5 * UNSEEN));
    hardness * (rounding * rounding * from.dot(from) + strain * strain * edge.dot(edge))
}

/// How deep a tetrahedron must be inside out to count as turned: six volumes over the cube of its mean
/// edge. A regular one has 0.71; what is flat anyway may flicker.
const TURNED: f64 = 0.1;

/// Whether a tetrahedron is deep inside out.
pub fn is_turned<R: Real>(x: [Vec3<R>; 4]) -> bool {
    let w = six_volumes(x);
    if w >= R::of(0.0) {
        return false;
    }
    let square = EDGE_CORNERS.map(|[i, j, ..]| (x[j] - x[i]).dot(x[j] - x[i]));
    let mean = square.into_iter().fold(R::of(0.0), |sum, s| sum + s) * R::of(1.0 / 6.0);
    w < R::of(-TURNED) * mean * mean.sqrt()
}

/// A 3×3 matrix, by rows.
pub type Matrix<R> = [[R; 3]; 3];

/// The corners (i, j) of the six edges of a tetrahedron, then the other two corners (k, l), so that
/// each row is an even permutation: (i, j, k, l) has the same signed volume.
pub const EDGE_CORNERS: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];

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

/// The inverse of a symmetric positive definite matrix given by its diagonal (xx, yy, zz) and the
/// rest (xy, yz, zx), in the same form. Of a matrix that rounding has made indefinite it is the
/// inverse of its largest diagonal element, which still preconditions.
pub fn inverse_symmetric<R: Real>(diagonal: [R; 3], rest: [R; 3]) -> [[R; 3]; 2] {
    let [xx, yy, zz] = diagonal;
    let [xy, yz, zx] = rest;
    let cofactors = [yy * zz - yz * yz, zz * xx - zx * zx, xx * yy - xy * xy];
    let others = [yz * zx - xy * zz, zx * xy - yz * xx, xy * yz - zx * yy];
    let determinant = xx * cofactors[0] + xy * others[0] + zx * others[2];
    let zero = R::of(0.0);
    if determinant > zero && cofactors.iter().all(|&c| c > zero) {
        let inverse = R::of(1.0) / determinant;
        [cofactors.map(|c| c * inverse), others.map(|c| c * inverse)]
    } else {
        let largest = xx.max(yy).max(zz);
        let inverse = if largest > zero { R::of(1.0) / largest } else { zero };
        [[inverse; 3], [zero; 3]]
    }
}

/// `scale · a bᵀ`
pub fn outer<R: Real>(a: Vec3<R>, b: Vec3<R>, scale: R) -> Matrix<R> {
    let row = |c: R| -> [R; 3] { (b * (c * scale)).into() };
    [row(a.x), row(a.y), row(a.z)]
}

/// The matrix of `v ↦ a × v`.
pub fn cross_matrix<R: Real>(a: Vec3<R>) -> Matrix<R> {
    let zero = R::of(0.0);
    [[zero, -a.z, a.y], [a.z, zero, -a.x], [-a.y, a.x, zero]]
}

/// `a + b`
pub fn sum<R: Real>(a: Matrix<R>, b: Matrix<R>) -> Matrix<R> {
    std::array::from_fn(|r| std::array::from_fn(|c| a[r][c] + b[r][c]))
}

/// Rows become columns.
pub fn transposed<R: Real>(a: Matrix<R>) -> Matrix<R> {
    std::array::from_fn(|r| std::array::from_fn(|c| a[c][r]))
}

/// `a v`
pub fn times<R: Real>(a: &Matrix<R>, v: Vec3<R>) -> Vec3<R> {
    let row = |r: [R; 3]| Vec3::from(r).dot(v);
    Vec3::from([row(a[0]), row(a[1]), row(a[2])])
}
