// Energy, force and derivative of one tether; twin of formula.rs.

#import pliant::matrix

/// Energy [J] of a tether from one end to the other along `l`.
fn tether_energy(l: vec3<f32>, c: f32) -> f32 {
    let squared = dot(l, l);
    return 0.25 * c * squared * squared;
}

/// Force on its first end [N]; the second gets the opposite.
fn tether_force(l: vec3<f32>, c: f32) -> vec3<f32> {
    return l * (c * dot(l, l));
}

/// Derivative of that force with respect to `l` [N/m].
fn tether_block(l: vec3<f32>, c: f32) -> mat3x3<f32> {
    return scalar_matrix(c * dot(l, l)) + outer(l, l, 2.0 * c);
}
