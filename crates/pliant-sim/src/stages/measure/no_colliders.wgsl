
/// What colliders leave of the velocity of a vertex: there are none.
fn held(slot: u32, body: u32, v: vec3<f32>) -> vec3<f32> {
    return v;
}
