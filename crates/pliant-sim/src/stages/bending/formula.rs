//! The resistance of one hinge against bending: coefficients, energy, forces and derivative; twin of
//! formula.wgsl.
//!
//! A hinge is an inner edge from corner 0 to corner 1 of two triangles, whose third corners are 2 and 3. What it
//! measures is zero in the rest shape: see [`Hinge`].

use super::{Form, Hinge};
use crate::math::{Real, Vec3};
use crate::matrix::{Matrix, outer, scalar_matrix};

/// What is divided by is kept above this.
const TINY: f64 = 1e-36;

/// Once the area of a triangle is less than this part of what it is at rest, forces grow no further: a triangle of
/// no area has no angle.
const LEAST_AREA: f64 = 1.0 / 16.0;

/// A triangle that is less high above the edge than this part of the edge is a needle. A fold at it would be the
/// stiffest thing in the scene, so that its hinge is softened until it is as stiff as that of this height.
const NEEDLE: f64 = 0.1;

/// Rounding that positions at rest are blamed for, in last digits of single precision.
const DIGITS: f64 = 4.0;

/// From the first end of the edge to the other corners, in order, and the normals of the two triangles, as long as twice
/// their areas: flat triangles have parallel ones.
fn arms<R: Real>(x: [Vec3<R>; 4]) -> [Vec3<R>; 5] {
    let [e, a, b] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    [e, a, b, e.cross(a), b.cross(e)]
}

/// The hinge of an edge in a rest shape, `rigidity` \[N·m\] being the flexural rigidity D of the sheet; nothing if one of
/// its triangles has no area.
///
/// Both forms are calibrated such that a cylinder of curvature κ has ½ D κ² per area: the energy of discrete shells
/// (Grinspun et al. 2003, *Discrete shells*, section 3) without its factor 6, that of Bergou et al. 2006 (*A quadratic
/// bending model for inextensible surfaces*, section 4) without its factor 3.
pub fn hinge_coefficients(form: Form, rigidity: f64, x: [Vec3<f64>; 4]) -> Option<Hinge<f64>> {
    let [e, a, b, normal_a, normal_b] = arms(x);
    let (edge, areas) = (e.length(), [normal_a.length(), normal_b.length()]);
    let heights = areas.map(|twice| twice / edge.max(f64::MIN_POSITIVE));
    let lowest = heights[0].min(heights[1]);
    let has_area = edge > 0.0 && lowest > 1e-6 * edge;
    if !has_area {
        return None;
    }
    let softened = (lowest / (NEEDLE * edge)).min(1.0).powi(2);
    let stiffness = softened * rigidity / (0.5 * (areas[0] + areas[1]));
    let digits = DIGITS * f64::from(f32::EPSILON);
    Some(match form {
        Form::Dihedral => {
            let skew = edge * (a.length() / areas[0] + b.length() / areas[1]);
            Hinge {
                form,
                stiffness: stiffness * edge * edge,
                slack: digits * (1.0 + skew),
                shape: [(LEAST_AREA * areas[0]).powi(2), (LEAST_AREA * areas[1]).powi(2), 0.0],
                rest: Vec3::from([hinge_angle(x), 0.0, 0.0]),
            }
        }
        Form::Quadratic => {
            let along = [a, b].map(|arm| arm.dot(e) / (edge * edge));
            let [second, third] = heights.map(|height| edge / height);
            // Corner 0 gets what makes the sum of all zero; then no motion of the whole changes the sum.
            let first = -(along[0] * second + along[1] * third);
            let shape = [first, second, third];
            let size = first.abs() * edge + second * a.length() + third * b.length();
            Hinge {
                form,
                stiffness,
                slack: digits * size,
                shape,
                rest: e * first + a * second + b * third,
            }
        }
    })
}

/// The angle by which the second triangle is turned against the first, from −π to π; positive if the third corners are
/// on the side that normals point to.
pub fn hinge_angle<R: Real>(x: [Vec3<R>; 4]) -> R {
    let [e, _, b, normal_a, normal_b] = arms(x);
    (e.length() * b.dot(normal_a)).atan2(normal_a.dot(normal_b))
}

/// Derivatives of the angle by the four corners \[1/m\]; squared normals are kept above `least`.
pub fn hinge_gradient<R: Real>(x: [Vec3<R>; 4], least: [R; 2]) -> [Vec3<R>; 4] {
    let [e, a, b, normal_a, normal_b] = arms(x);
    let square = e.dot(e).max(R::of(TINY));
    let length = square.sqrt();
    let second = normal_a * (length / normal_a.dot(normal_a).max(least[0].max(R::of(TINY))));
    let third = normal_b * (length / normal_b.dot(normal_b).max(least[1].max(R::of(TINY))));
    let [along_a, along_b] = [a.dot(e) / square, b.dot(e) / square];
    let one = R::of(1.0);
    let zeroth = -(second * (one - along_a) + third * (one - along_b));
    [zeroth, -(second * along_a + third * along_b), second, third]
}

/// What is left of `size` beyond what rounding may have made of nothing, over `size`.
fn share_beyond<R: Real>(size: R, slack: R) -> R {
    (size - slack).max(R::of(0.0)) / size.max(R::of(TINY))
}

/// By how much a hinge is bent beyond its rest angle.
fn bent<R: Real>(x: [Vec3<R>; 4], hinge: &Hinge<R>) -> R {
    let pi = R::of(std::f64::consts::PI);
    let mut angle = hinge_angle(x) - hinge.rest.x;
    if angle > pi {
        angle -= pi + pi;
    }
    if angle < -pi {
        angle += pi + pi;
    }
    angle * share_beyond(angle.abs(), hinge.slack)
}

/// The mean curvature vector of a hinge of the quadratic form, times an area over its edge \[m\].
fn curved<R: Real>(x: [Vec3<R>; 4], hinge: &Hinge<R>) -> Vec3<R> {
    let [first, second, third] = hinge.shape;
    let sum = (x[1] - x[0]) * first + (x[2] - x[0]) * second + (x[3] - x[0]) * third - hinge.rest;
    sum * share_beyond(sum.length(), hinge.slack)
}

/// Energy of a hinge \[J\].
pub fn hinge_energy<R: Real>(x: [Vec3<R>; 4], hinge: &Hinge<R>) -> R {
    let square = match hinge.form {
        Form::Dihedral => {
            let angle = bent(x, hinge);
            angle * angle
        }
        Form::Quadratic => {
            let sum = curved(x, hinge);
            sum.dot(sum)
        }
    };
    R::of(0.5) * hinge.stiffness * square
}

/// What a hinge's derivative is made of, corner by corner: directions \[1/m\] of the dihedral form; of the quadratic one
/// its weights, along x.
pub fn hinge_slopes<R: Real>(x: [Vec3<R>; 4], hinge: &Hinge<R>) -> [Vec3<R>; 4] {
    match hinge.form {
        Form::Dihedral => hinge_gradient(x, [hinge.shape[0], hinge.shape[1]]),
        Form::Quadratic => {
            let [first, second, third] = hinge.shape;
            let zero = R::of(0.0);
            [-(first + second + third), first, second, third].map(|k| Vec3::from([k, zero, zero]))
        }
    }
}

/// Forces on the four corners \[N\].
pub fn hinge_forces<R: Real>(x: [Vec3<R>; 4], hinge: &Hinge<R>) -> [Vec3<R>; 4] {
    let slopes = hinge_slopes(x, hinge);
    match hinge.form {
        Form::Dihedral => {
            let moment = -hinge.stiffness * bent(x, hinge);
            slopes.map(|slope| slope * moment)
        }
        Form::Quadratic => {
            let pull = curved(x, hinge) * -hinge.stiffness;
            slopes.map(|slope| pull * slope.x)
        }
    }
}

/// What a hinge with these slopes adds to the pair block of two of its corners, without the factor h² \[N/m\].
///
/// Of the quadratic form it is the derivative itself. Of the dihedral one it is that of Gauss and Newton, without what
/// the second derivative of the angle would add: positive semi-definite, and exact at rest.
pub fn hinge_pair<R: Real>(
    hinge: &Hinge<R>,
    slopes: [Vec3<R>; 4],
    i: usize,
    j: usize,
) -> Matrix<R> {
    match hinge.form {
        Form::Dihedral => outer(slopes[i], slopes[j], -hinge.stiffness),
        Form::Quadratic => scalar_matrix(-hinge.stiffness * slopes[i].x * slopes[j].x),
    }
}
