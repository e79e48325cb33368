// What kernels that measure know about the present: twin of `Record` in gpu.rs.

/// The present.
struct MeasureRecord {
    slot_count: u32,
    spring_count: u32,
    tet_count: u32,
    /// Whether there are walls.
    walled: u32,
    /// Gravity [m/s²].
    gravity: vec4<f32>,
    /// Force on every vertex [N], and damping [1/s].
    loading: vec4<f32>,
    /// Bodies; zero, which no compiler knows; whether something may have yielded.
    counts: vec4<u32>,
}

/// Twin of `SliceSums` in gpu.rs; locked vertices do not count.
struct SliceSums {
    /// Σ m x [kg·m], Σ m [kg].
    moment: vec4<f32>,
    /// Σ m v [kg·m/s], ½ Σ m v² [J].
    momentum: vec4<f32>,
    /// Σ m x × v [kg·m²/s], largest v² [m²/s²].
    angular: vec4<f32>,
    /// Vertices on walls; the others are unused.
    contacts: vec4<u32>,
}

/// −1 or 1 for each coordinate that is on the lower or upper wall, else 0.
fn on_walls(x: vec3<f32>, low: vec3<f32>, high: vec3<f32>) -> vec3<f32> {
    // A vertex on a wall has the wall's own rounded coordinate.
    return select(select(vec3(0.0), vec3(1.0), x == high), vec3(-1.0), x == low);
}
