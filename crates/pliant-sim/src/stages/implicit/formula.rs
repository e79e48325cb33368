//! What implicit steps ask of elements besides their forces and derivatives, which are those of
//! [`elastic::formula`](crate::stages::elastic::formula): which of them a step has spoilt. And the inverse
//! of a vertex's own block, which preconditions a system.

use crate::math::{Real, Vec3};
use crate::stages::elastic::formula::{EDGE_CORNERS, six_volumes};

/// The part of its energy, and of the work of loads, that a body may gain in a step by mistake.
pub const GAIN: f64 = 5e-3;

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

/// The strain of all elements whose energy means nothing: nobody sees it, and the stiffest bodies cannot
/// turn in long steps without it.
const UNSEEN: f64 = 2e-5;

/// The last digit of positions, relative to them.
const ROUNDING: f64 = f32::EPSILON as f64;

/// The energy \[J\] that an element may have by rounding or unseen strain. `stiffness` \[N/m\] is the trace
/// of its second derivatives, `from` a corner as seen from the origin and `edge` one of its edges.
pub fn energy_uncertainty<R: Real>(stiffness: R, from: Vec3<R>, edge: Vec3<R>) -> R {
    let (rounding, strain) = (R::of(4.0 / 3.0 * ROUNDING), R::of(0.5 * UNSEEN));
    stiffness * (rounding * rounding * from.dot(from) + strain * strain * edge.dot(edge))
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
