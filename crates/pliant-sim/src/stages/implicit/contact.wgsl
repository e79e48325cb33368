// What walls give beforehand. Who imports this binds what frames.wgsl asks for.

#import pliant::frames

/// The unknowns of a vertex once walls have taken some of its components.
struct Met {
    /// 1 for components that are free, 0 for those that are given.
    mask: vec3<f32>,
    /// The guess for Δv, and what is given [m/s].
    delta: vec3<f32>,
    /// How many components walls have taken.
    contacts: f32,
}

/// Takes components away from the unknowns that are at a wall or would go through one by their own
/// motion: their change is what leads to the wall. Those that the wall would have to hold back are let
/// go at the end of the step.
fn meet_walls(frame: Frame, x: vec3<f32>, v: vec3<f32>, free: f32, guess: vec3<f32>) -> Met {
    let h = step.implicit.x;
    if (!frame.has_walls || free == 0.0) {
        return Met(vec3(free), guess, 0.0);
    }
    let lower = frame.walls.low;
    let upper = frame.walls.high;
    let ahead = x + v * h;
    let taken = ahead <= lower | ahead >= upper;
    let given = (select(upper, lower, ahead <= lower) - x) / h - v;
    let ones = vec3(1.0);
    let contacts = dot(select(vec3(0.0), ones, taken), ones);
    return Met(select(ones, vec3(0.0), taken), select(guess, given, taken), contacts);
}
