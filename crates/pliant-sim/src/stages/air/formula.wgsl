// The force of air on one triangle; twin of formula.rs.

/// The air in a substep.
struct Air {
    /// Its velocity [m/s].
    wind: vec3<f32>,
    /// Half its density times the coefficient of drag [kg/m³].
    drag: f32,
    /// The same of lift; 0 without drag.
    lift: f32,
    /// The square of lift over drag.
    ratio: f32,
    /// The step whose impulses are limited [s]; 0 where none are.
    h: f32,
}

/// What the air does to a triangle.
struct AirForce {
    /// The force on it [N].
    force: vec3<f32>,
    /// How much harder the air pulls for each unit of speed [kg/s].
    resistance: f32,
}

/// The force of the air on a triangle of the given `corners`, which move with these `velocities`; `inv_mass` is what
/// the air may take for the inverse of its mass [1/kg].
fn air_force(
    corners: array<vec3<f32>, 3>,
    velocities: array<vec3<f32>, 3>,
    inv_mass: f32,
    air: Air,
) -> AirForce {
    let area = cross(corners[1] - corners[0], corners[2] - corners[0]) * 0.5;
    let mean = (velocities[0] + velocities[1] + velocities[2]) * (1.0 / 3.0);
    let u = mean - air.wind;
    let size = sqrt(dot(area, area));
    let speed = sqrt(dot(u, u));
    // Neither a triangle without area nor one that goes with the air feels it.
    if (!(size > 0.0 && speed > 0.0)) {
        return AirForce(vec3(0.0), 0.0);
    }
    let normal = area * (1.0 / size);
    let cosine = dot(normal, u) / speed;
    let across = size * cosine * speed;
    let sine2 = max(0.0, 1.0 - cosine * cosine);
    let drag = air.drag * abs(across);
    let force = u * (0.0 - drag) - (normal * speed - u * cosine) * (air.lift * across);
    let resistance = drag * (1.0 + air.ratio * sine2);
    let rate = air.h * inv_mass * resistance;
    let share = select(1.0, 1.0 / rate, rate > 1.0);
    return AirForce(force * share, resistance);
}
