// What pulls at a vertex whatever its neighbours do. Who imports this binds `step`, and as `force` and
// `touch` arrays of vec4<f32>.

#import pliant::step

/// Forces times the timestep, without their resistance to change [kg·m/s].
fn impulse_of_loads(slot: u32, v: vec3<f32>, mass: f32) -> vec3<f32> {
    var pull = force[slot].xyz + step.loading.xyz;
    if (step.loading.w != 0.0) {
        pull += touch[slot].xyz;
    }
    let fall = step.gravity.xyz - v * step.implicit.y;
    return (pull + fall * mass) * step.implicit.x;
}
