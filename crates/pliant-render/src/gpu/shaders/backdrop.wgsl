// Background and floor.

#import render::frame
#import render::light
#import render::shadow
#import render::shown

/// A corner of a triangle that covers the picture.
fn corner_of(index: u32) -> vec2<f32> {
    return vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
}

@vertex
fn background_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(corner_of(index), 0.0, 1.0);
}

/// The floor's nearness 1/w is even in x and y, so one triangle over the picture has its depth.
@vertex
fn ground_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = corner_of(index);
    let pixel = (corner * vec2<f32>(1.0, -1.0) + 1.0) * 0.5 * frame.size.xy;
    let nearness = ray(pixel).z / (frame.ground.z - frame.eye.z);
    return vec4<f32>(corner, nearness * frame.eye.w, 1.0);
}

fn ray(pixel: vec2<f32>) -> vec3<f32> {
    return frame.rays[0].xyz * pixel.x + frame.rays[1].xyz * pixel.y + frame.rays[2].xyz;
}

fn background(y: f32) -> vec3<f32> {
    return mix(frame.background[0].rgb, frame.background[1].rgb, y / frame.size.y);
}

@fragment
fn background_fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return shown(background(at.y));
}

/// The place on the floor that is seen at a pixel.
fn ground_at(pixel: vec2<f32>) -> vec3<f32> {
    let r = ray(pixel);
    return frame.eye.xyz + r * ((frame.ground.z - frame.eye.z) / r.z);
}

@fragment
fn ground_fragment(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let behind = background(pixel.y);
    let at = ground_at(pixel.xy);
    let strength = floor_strength(length(at.xy - frame.ground.xy) / frame.ground.w);
    if (strength <= 0.0) {
        return shown(behind);
    }
    var line = 0.0;
    if (frame.grid.x > 0.0) {
        line = grid_cover(at.xy, pixel.xy);
    }
    return shown(floor_colour(behind, strength, visible_on_floor(at), line));
}

/// How much of a pixel the lines on the floor cover.
fn grid_cover(at: vec2<f32>, pixel: vec2<f32>) -> f32 {
    let dx = ground_at(pixel + vec2<f32>(1.0, 0.0)).xy - at;
    let dy = ground_at(pixel + vec2<f32>(0.0, 1.0)).xy - at;
    let width = sqrt(dx * dx + dy * dy) / frame.grid.x;
    let place = (at - frame.grid.yz) / frame.grid.x;
    let away = abs(place - round(place)) / max(width, vec2<f32>(1e-30));
    // Lines closer than a few pixels would flicker; they fade out instead.
    let covers = saturate(1.1 - away) * saturate(1.0 - 4.0 * width);
    return max(covers.x, covers.y);
}
