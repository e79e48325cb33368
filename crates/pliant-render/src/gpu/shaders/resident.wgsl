// The surface of a simulation whose arrays live on the device. Every invocation looks at the whole
// triangle, so that one with a vertex that is not finite is left out as a whole.

#import render::frame
#import render::light_frame
#import render::lit
#import render::shown

/// Slots that always belong to the same body.
const SLICE: u32 = 32u;

/// Twin of `BodyRecord` in resident.rs.
struct Body {
    /// What its positions are relative to, less the picture's origin [m].
    offset: vec4<f32>,
    /// Its colour; with 1 as the fourth, the vertices' colours count instead.
    colour: vec4<f32>,
}

@group(2) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(2) @binding(1) var<storage, read> normals: array<vec4<f32>>;
@group(2) @binding(2) var<storage, read> colours: array<vec4<f32>>;
@group(2) @binding(3) var<storage, read> triangles: array<u32>;
/// The body of each slice.
@group(2) @binding(4) var<storage, read> slice_bodies: array<u32>;
@group(2) @binding(5) var<storage, read> bodies: array<Body>;

struct Place {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(perspective, centroid) position: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) normal: vec3<f32>,
    @location(2) @interpolate(perspective, centroid) colour: vec3<f32>,
}

fn is_finite(p: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(p) & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u));
}

fn is_drawn(index: u32) -> bool {
    let first = index / 3u * 3u;
    return is_finite(positions[triangles[first]].xyz)
        && is_finite(positions[triangles[first + 1u]].xyz)
        && is_finite(positions[triangles[first + 2u]].xyz);
}

@vertex
fn resident_vertex(@builtin(vertex_index) index: u32) -> Place {
    var place: Place;
    place.clip = NOWHERE;
    if (is_drawn(index)) {
        let slot = triangles[index];
        let body = bodies[slice_bodies[slot / SLICE]];
        place.position = positions[slot].xyz + body.offset.xyz;
        place.clip = frame.clip * vec4<f32>(place.position, 1.0);
        place.normal = normals[slot].xyz;
        place.colour = select(body.colour.rgb, colours[slot].rgb, body.colour.w > 0.0);
    }
    return place;
}

@vertex
fn resident_caster(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    if (!is_drawn(index)) {
        return NOWHERE;
    }
    let slot = triangles[index];
    return light_clip(positions[slot].xyz + bodies[slice_bodies[slot / SLICE]].offset.xyz);
}

@fragment
fn resident_fragment(place: Place) -> @location(0) vec4<f32> {
    return shown(lit(place.colour, place.position, place.normal));
}
