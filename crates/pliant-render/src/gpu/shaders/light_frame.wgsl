// Where the map of what the light sees lies: twin of shadow.rs.

#import render::frame

/// Side of the map [texels].
const SIZE: f32 = 640.0;

/// Texel coordinates, and the height towards the light [m].
fn light_place(position: vec3<f32>) -> vec3<f32> {
    let p = vec4<f32>(position, 1.0);
    let rows = frame.light_rows;
    return vec3<f32>(dot(rows[0], p), dot(rows[1], p), dot(rows[2], p));
}

/// Depth in the map, greater being nearer to the light.
fn light_depth(height: f32) -> f32 {
    return 0.5 + height * frame.light_scale.y;
}

/// Clip coordinates in the map.
fn light_clip(position: vec3<f32>) -> vec4<f32> {
    let at = light_place(position);
    let xy = at.xy * (2.0 / SIZE) - 1.0;
    return vec4<f32>(xy.x, -xy.y, light_depth(at.z), 1.0);
}
