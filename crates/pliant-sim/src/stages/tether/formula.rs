//! Energy, force and derivative of one tether; twin of formula.wgsl.

use crate::math::{Real, Vec3};
use crate::matrix::{Matrix, outer, scalar_matrix, sum};

/// Energy \[J\] of a tether from one end to the other along `l`.
pub fn tether_energy<R: Real>(l: Vec3<R>, c: R) -> R {
    let squared = l.dot(l);
    R::of(0.25) * c * squared * squared
}

/// Force on its first end \[N\]; the second gets the opposite.
pub fn tether_force<R: Real>(l: Vec3<R>, c: R) -> Vec3<R> {
    l * (c * l.dot(l))
}

/// Derivative of that force with respect to `l` \[N/m\]: positive semi-definite, so it can be the pair block
/// of implicit steps as it is.
pub fn tether_block<R: Real>(l: Vec3<R>, c: R) -> Matrix<R> {
    sum(scalar_matrix(c * l.dot(l)), outer(l, l, R::of(2.0) * c))
}
