
/// What obstacles may have given to a vertex in a step [J]: walls stand still.
fn given_by_obstacles(slot: u32) -> f32 {
    return 0.0;
}
