// The triangles of a draw list.

#import render::frame
#import render::light_frame
#import render::lit
#import render::shown

/// Entries of a colour map.
const TABLE: u32 = 256u;
/// Twin of `colour::NO_VALUE`.
const NO_VALUE: vec3<f32> = vec3<f32>(0.55, 0.02, 0.50);

/// Grey to red, then viridis.
@group(1) @binding(2) var<uniform> tables: array<vec4<f32>, 512>;
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
    let is_number = (corner.value & 0x7fffffffu) <= 0x7f800000u;
    place.value = select(vec2<f32>(0.0, 1.0), vec2<f32>(bitcast<f32>(corner.value), 0.0), is_number);
    place.paint = corner.paint;
    return place;
}

@vertex
fn surface_caster(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return light_clip(position);
}

@fragment
fn surface_fragment(place: Place) -> @location(0) vec4<f32> {
    let paint = paints[place.paint];
    var colour = paint.rgb;
    if (paint.w >= 0.0) {
        colour = select(mapped(u32(paint.w), place.value.x), NO_VALUE, place.value.y > 0.0);
    }
    return shown(lit(colour, place.position, place.normal));
}

/// Twin of `Table::colour`.
fn mapped(table: u32, t: f32) -> vec3<f32> {
    let x = clamp(t, 0.0, 1.0) * f32(TABLE - 1u);
    let i = min(u32(x), TABLE - 2u);
    let first = table * TABLE + i;
    return mix(tables[first].rgb, tables[first + 1u].rgb, x - f32(i));
}
