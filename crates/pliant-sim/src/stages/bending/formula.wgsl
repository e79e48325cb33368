// The resistance of one hinge against bending; twin of formula.rs.
//
// A hinge is kept as two vectors: stiffness and shape; rest value and slack, which is negative for the dihedral form.

#import pliant::matrix

/// What is divided by is kept above this.
const LEAST: f32 = 1e-36;
const PI: f32 = 3.14159265358979;

struct Hinge {
    stiffness: f32,
    shape: vec3<f32>,
    rest: vec3<f32>,
    slack: f32,
    is_dihedral: bool,
}

fn hinge_of(first: vec4<f32>, second: vec4<f32>) -> Hinge {
    return Hinge(first.x, first.yzw, second.xyz, abs(second.w), second.w < 0.0);
}

/// The angle of a point (x, y), accurate to a few last digits, which that of the language need not be.
fn arc_tangent(y: f32, x: f32) -> f32 {
    let low = min(abs(x), abs(y));
    let high = max(abs(x), abs(y));
    let ratio = low / max(high, LEAST);
    // Above tan(π/8) the angle from the diagonal is found.
    let is_steep = ratio > 0.41421356;
    let t = select(ratio, (ratio - 1.0) / (ratio + 1.0), is_steep);
    let s = t * t;
    let series = ((8.05374449538e-2 * s - 1.38776856032e-1) * s + 1.99777106478e-1) * s
        - 3.33329491539e-1;
    var angle = (series * s * t + t) + select(0.0, 0.25 * PI, is_steep);
    angle = select(angle, 0.5 * PI - angle, abs(y) > abs(x));
    angle = select(angle, PI - angle, x < 0.0);
    return select(angle, -angle, y < 0.0);
}

struct Arms {
    e: vec3<f32>,
    a: vec3<f32>,
    b: vec3<f32>,
    normal_a: vec3<f32>,
    normal_b: vec3<f32>,
}

/// From the first end of the edge to the other corners, and the normals of the two triangles.
fn arms(x: array<vec3<f32>, 4>) -> Arms {
    let e = x[1] - x[0];
    let a = x[2] - x[0];
    let b = x[3] - x[0];
    return Arms(e, a, b, cross(e, a), cross(b, e));
}

/// The angle by which the second triangle is turned against the first, from −π to π.
fn hinge_angle(x: array<vec3<f32>, 4>) -> f32 {
    let at = arms(x);
    return arc_tangent(length(at.e) * dot(at.b, at.normal_a), dot(at.normal_a, at.normal_b));
}

/// What belongs to the four corners of a hinge.
struct OfCorners {
    on: array<vec3<f32>, 4>,
}

/// Derivatives of the angle by the four corners [1/m]; squared normals are kept above `least`.
fn hinge_gradient(x: array<vec3<f32>, 4>, least: vec2<f32>) -> OfCorners {
    let at = arms(x);
    let square = max(dot(at.e, at.e), LEAST);
    let length = sqrt(square);
    let second = at.normal_a * (length / max(dot(at.normal_a, at.normal_a), max(least.x, LEAST)));
    let third = at.normal_b * (length / max(dot(at.normal_b, at.normal_b), max(least.y, LEAST)));
    let along = vec2(dot(at.a, at.e), dot(at.b, at.e)) / square;
    let zeroth = -(second * (1.0 - along.x) + third * (1.0 - along.y));
    return OfCorners(array(zeroth, -(second * along.x + third * along.y), second, third));
}

/// What is left of `size` beyond what rounding may have made of nothing, over `size`.
fn share_beyond(size: f32, slack: f32) -> f32 {
    return max(size - slack, 0.0) / max(size, LEAST);
}

/// By how much a hinge is bent beyond its rest angle.
fn bent(x: array<vec3<f32>, 4>, hinge: Hinge) -> f32 {
    var angle = hinge_angle(x) - hinge.rest.x;
    if (angle > PI) {
        angle -= 2.0 * PI;
    }
    if (angle < -PI) {
        angle += 2.0 * PI;
    }
    return angle * share_beyond(abs(angle), hinge.slack);
}

/// The mean curvature vector of a hinge of the quadratic form, times an area over its edge [m].
fn curved(x: array<vec3<f32>, 4>, hinge: Hinge) -> vec3<f32> {
    let sum = (x[1] - x[0]) * hinge.shape.x + (x[2] - x[0]) * hinge.shape.y
        + (x[3] - x[0]) * hinge.shape.z - hinge.rest;
    return sum * share_beyond(length(sum), hinge.slack);
}

/// Energy of a hinge [J].
fn hinge_energy(x: array<vec3<f32>, 4>, hinge: Hinge) -> f32 {
    if (hinge.is_dihedral) {
        let angle = bent(x, hinge);
        return 0.5 * hinge.stiffness * angle * angle;
    }
    let sum = curved(x, hinge);
    return 0.5 * hinge.stiffness * dot(sum, sum);
}

/// What a hinge's derivative is made of, corner by corner: directions [1/m] of the dihedral form; of the quadratic one
/// its weights, along x.
fn hinge_slopes(x: array<vec3<f32>, 4>, hinge: Hinge) -> OfCorners {
    if (hinge.is_dihedral) {
        return hinge_gradient(x, hinge.shape.xy);
    }
    let k = hinge.shape;
    return OfCorners(array(
        vec3(-(k.x + k.y + k.z), 0.0, 0.0), vec3(k.x, 0.0, 0.0), vec3(k.y, 0.0, 0.0), vec3(k.z, 0.0, 0.0),
    ));
}

/// Forces on the four corners [N].
fn hinge_forces(x: array<vec3<f32>, 4>, hinge: Hinge) -> OfCorners {
    let slopes = hinge_slopes(x, hinge).on;
    if (hinge.is_dihedral) {
        let moment = -hinge.stiffness * bent(x, hinge);
        return OfCorners(
            array(slopes[0] * moment, slopes[1] * moment, slopes[2] * moment, slopes[3] * moment),
        );
    }
    let pull = curved(x, hinge) * -hinge.stiffness;
    return OfCorners(
        array(pull * slopes[0].x, pull * slopes[1].x, pull * slopes[2].x, pull * slopes[3].x),
    );
}

/// What a hinge adds to the pair block of two of its corners with these slopes, without the factor h² [N/m].
fn hinge_pair(hinge: Hinge, slope_i: vec3<f32>, slope_j: vec3<f32>) -> mat3x3<f32> {
    if (hinge.is_dihedral) {
        return outer(slope_i, slope_j, -hinge.stiffness);
    }
    return scalar_matrix(-hinge.stiffness * slope_i.x * slope_j.x);
}
