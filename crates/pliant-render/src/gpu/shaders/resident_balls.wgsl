// Vertices of a simulation, marks on those that are locked, and hands.

#import render::arrays
#import render::disc

@vertex
fn resident_ball(
    @builtin(instance_index) ball: u32,
    @builtin(vertex_index) corner: u32,
) -> Place {
    let locks = looks.counts.y;
    let hands = locks + looks.counts.z;
    if (ball >= hands) {
        let hand = bitcast<vec3<f32>>(bands[ball - hands].xyz);
        return shown_if(is_finite(hand), hand, looks.hand, corner);
    }
    if (ball >= locks) {
        let slot = marks[looks.marks.y + ball - locks];
        return shown_if(is_there(slot), place_of(slot), looks.lock, corner);
    }
    let slot = marks[looks.marks.x + ball];
    let colour = vec4<f32>(bodies[body_of(slot)].colour.rgb, looks.vertex.w);
    return shown_if(is_there(slot), place_of(slot), colour, corner);
}

fn shown_if(is_drawn: bool, centre: vec3<f32>, look_of: vec4<f32>, corner: u32) -> Place {
    if (!is_drawn) {
        var nowhere: Place;
        nowhere.clip = NOWHERE;
        return nowhere;
    }
    return disc(centre, look_of.w * pixel(), look_of.rgb, corner);
}
