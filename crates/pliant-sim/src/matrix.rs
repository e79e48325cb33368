//! Small matrices, for the derivatives of forces.

use crate::math::{Real, Vec3};

/// A 3×3 matrix, by rows.
pub type Matrix<R> = [[R; 3]; 3];

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

/// `m I`
pub fn scalar_matrix<R: Real>(m: R) -> Matrix<R> {
    let zero = R::of(0.0);
    [[m, zero, zero], [zero, m, zero], [zero, zero, m]]
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
