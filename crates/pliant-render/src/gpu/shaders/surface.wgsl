// The triangles of a draw list.

#import render::frame
#import render::light_frame
#import render::lit
#import render::scale
#import render::shown

/// Twin of `list::Paint`: the fourth is −1 for one colour, else the number of a table.
@group(1) @binding(3) var<storage, read> paints: array<vec4<f32>>;

/// Twin of `list::Vertex`. Values come as bits, for some are not numbers.
struct Corner {
    @location(0) position: vec3<f32>,
    @location(1) value: u32,
    @location(2) normal: vec3<f32>,
    @location(3) paint: u32,
}

struct Place {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(perspective, centroid) position: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) normal: vec3<f32>,
    /// The value, and more than 0 where there is none.
    @location(2) @interpolate(perspective, centroid) value: vec2<f32>,
    @location(3) @interpolate(flat) paint: u32,
}

@vertex
fn surface_vertex(corner: Corner) -> Place {
    var place: Place;
    place.clip = frame.clip * vec4<f32>(corner.position, 1.0);
    place.position = corner.position;
    place.normal = corner.normal;
    place.value = known(corner.value);
    place.paint = corner.paint;
    return place;
}

@vertex
fn surface_caster(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return light_clip(position);
}

@fragment
fn surface_fragment(place: Place) -> @location(0) vec4<f32> {
    let colour = painted(paints[place.paint], place.value);
    return shown(lit(colour, place.position, place.normal));
}
