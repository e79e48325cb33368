// Where one pinned vertex is led; twin of formula.rs.

/// Where a pin leads until the end of a substep: the rows of its turn less the identity, and as their fourth
/// numbers how far it has gone [m].
struct Led {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

/// The velocity [m/s] that leads a vertex from `x`, of which rounding took `compensation`, to where it is to be;
/// `rest` is where it was at the start, `arm` that as seen from the point that it turns about [m].
fn leading_velocity(
    x: vec3<f32>,
    compensation: vec3<f32>,
    rest: vec3<f32>,
    arm: vec3<f32>,
    led: Led,
    per_h: f32,
) -> vec3<f32> {
    let turned = vec3(dot(led.x.xyz, arm), dot(led.y.xyz, arm), dot(led.z.xyz, arm));
    let shift = vec3(led.x.w, led.y.w, led.z.w);
    return ((rest - x) + (turned + shift) - compensation) * per_h;
}
