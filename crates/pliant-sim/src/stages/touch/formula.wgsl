// Forces of drags and pushes on one vertex; twin of formula.rs.

/// Force of a rubber band that pulls a vertex at `x` with velocity `v` to `goal`.
fn drag_force(x: vec3<f32>, v: vec3<f32>, goal: vec3<f32>, mass: f32, k: f32) -> vec3<f32> {
    return (goal - x) * k - v * drag_damping(mass, k);
}

/// What damps the band critically [N·s/m].
fn drag_damping(mass: f32, k: f32) -> f32 {
    return 2.0 * sqrt(k * mass);
}

/// Force of a push: `force` along the unit vector `axis` inside a cylinder of squared radius
/// `radius2` round `axis` through `origin`.
fn push_force(
    x: vec3<f32>, origin: vec3<f32>, axis: vec3<f32>, radius2: f32, force: f32,
) -> vec3<f32> {
    let way = x - origin;
    let away = way - axis * dot(way, axis);
    return select(vec3(0.0), axis * force, dot(away, away) <= radius2);
}
