// The balls of a draw list.

#import render::disc

/// Twin of `list::Ball`.
struct Ball {
    @location(0) centre: vec3<f32>,
    @location(1) radius: f32,
    @location(2) colour: vec3<f32>,
}

@vertex
fn ball_vertex(ball: Ball, @builtin(vertex_index) corner: u32) -> Place {
    return disc(ball.centre, ball.radius, ball.colour, corner);
}
