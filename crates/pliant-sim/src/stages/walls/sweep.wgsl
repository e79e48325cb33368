
// What stops vertices in a world without colliders: the walls of the world box.

@group(0) @binding(5) var<storage, read> touch: array<vec4<f32>>;

/// Stops a vertex that came from `start` in this substep.
fn stop(slot: u32, start: vec3<f32>, motion: Motion, body: BodyConstants) -> Motion {
    if (body.has_walls) {
        return put_back(start, motion, body.walls);
    }
    return motion;
}
