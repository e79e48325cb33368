// The surface of a simulation whose arrays live on the device. Every invocation looks at the whole
// triangle, so that one that is not drawn is left out as a whole.

#import render::arrays
#import render::light_frame
#import render::lit
#import render::scale
#import render::shown

/// Twin of `normals::CREASE`.
const CREASE: f32 = 0.766;
/// Twin of `surface::INSIDE`.
const INSIDE: f32 = 0.62;
/// Stands where there is no direction.
const UP: vec3<f32> = vec3<f32>(0.0, 0.0, 1.0);

struct Place {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(perspective, centroid) position: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) normal: vec3<f32>,
    /// The place on the scale, and more than 0 where there is none.
    @location(2) @interpolate(perspective, centroid) value: vec2<f32>,
    @location(3) @interpolate(flat) paint: vec4<f32>,
}

/// Twice the area of a triangle, as a vector out of it.
fn of_area(corners: vec3<u32>) -> vec3<f32> {
    let a = positions[corners.x].xyz;
    return cross(positions[corners.y].xyz - a, positions[corners.z].xyz - a);
}

/// The normal at a corner of a face whose own normal is given: the sum over the faces of the surface
/// that meet there without a crease between them.
fn smooth_normal(slot: u32, own: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    let end = outside[looks.faces.y + slot + 1u];
    for (var at = outside[looks.faces.y + slot]; at < end; at++) {
        let other = outside[at];
        let corners = triangle(other);
        if (!are_there(corners)) {
            continue;
        }
        if (is_cut() && !triangle_stays(corners, inside[looks.faces.w + other])) {
            continue;
        }
        let area = of_area(corners);
        if (dot(area, own) >= CREASE * length(area)) {
            sum += area;
        }
    }
    return unit_or(sum, own);
}

/// Twin of `Scale::place`.
fn place_on_scale(value: vec2<f32>) -> vec2<f32> {
    let low = looks.scale.x;
    let high = looks.scale.y;
    if (high > low) {
        return vec2<f32>(clamp((value.x - low) / (high - low), 0.0, 1.0), value.y);
    }
    return vec2<f32>(0.0, value.y);
}

@vertex
fn resident_vertex(@builtin(vertex_index) index: u32) -> Place {
    var place: Place;
    place.clip = NOWHERE;
    let face = face_at(index / 3u);
    if (!face.is_drawn) {
        return place;
    }
    let slot = face.corners[index % 3u];
    let body = bodies[body_of(slot)];
    if (body.offset.w > 0.0) {
        return place;
    }
    place.position = positions[slot].xyz + body.offset.xyz;
    place.clip = frame.clip * vec4<f32>(place.position, 1.0);
    place.normal = unit_or(of_area(face.corners), UP);
    let is_inside = face.inside != NONE;
    if (looks.modes.x == 0u && !is_inside) {
        place.normal = smooth_normal(slot, place.normal);
    }
    if (body.colour.w > 0.0) {
        var bits = values[slot];
        if (is_inside && looks.modes.y == 1u) {
            bits = tet_values[face.inside];
        }
        place.value = place_on_scale(known(bits));
        place.paint = vec4<f32>(0.0, 0.0, 0.0, looks.scale.z);
    } else {
        place.paint = vec4<f32>(body.colour.rgb * select(1.0, INSIDE, is_inside), -1.0);
    }
    return place;
}

@vertex
fn resident_caster(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let face = face_at(index / 3u);
    if (!face.is_drawn || bodies[body_of(face.corners.x)].offset.w > 0.0) {
        return NOWHERE;
    }
    return light_clip(place_of(face.corners[index % 3u]));
}

@fragment
fn resident_fragment(place: Place) -> @location(0) vec4<f32> {
    return shown(lit(painted(place.paint, place.value), place.position, place.normal));
}
